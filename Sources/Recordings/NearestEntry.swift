import Bytes
import JSON
import Synchronization

extension RecordingIndex {
    /// Of so few entries each is looked at.
    private static let few = 64

    /// The request's parts, which are compared with many entries.
    private struct Parts {
        let segments: [Substring]
        let parameters: [Substring]
    }

    /// What a request that no entry fits is nearest to, in words: the entry, and the first difference.
    ///
    /// The time it takes does not grow with the number of entries, once one request has asked.
    public func nearest(to request: AskedRequest) -> String {
        var best: (score: Int, at: Int)?
        let parts = Parts(
            segments: request.path.split(separator: "/"),
            parameters: rules.parameters(SecretMarks.withoutDigests(request.query)))
        for at in entries(near: request) {
            let entry = file.entries[at]
            guard let url = RecordedURL(entry.url) else { continue }
            let score = score(entry, url, request, parts)
            if best.map({ score > $0.score }) ?? true { best = (score, at) }
        }
        guard let best, let url = RecordedURL(file.entries[best.at].url) else { return "it has no entries" }
        let entry = file.entries[best.at]
        let difference = difference(entry, url, request)
        return "the nearest is entry \(best.at + 1), \(entry.method) \(entry.url.prefix(200)): \(difference)"
    }

    /// Entries that may be nearest to a request.
    package func entries(near request: AskedRequest) -> [Int] {
        if file.entries.count <= Self.few { return Array(file.entries.indices) }
        let known = places.withLock { places in
            if places == nil {
                places = EntryPlaces(
                    file.entries.enumerated().lazy.compactMap { at, entry in
                        RecordedURL(entry.url).map { (at: at, url: $0) }
                    })
            }
            return places
        }
        return known?.near(host: request.host, path: request.path) ?? []
    }

    /// The more, the nearer.
    private func score(_ entry: RecordedEntry, _ url: RecordedURL, _ request: AskedRequest, _ parts: Parts) -> Int {
        var score = 0
        if entry.searchedMethod == request.method { score += 2 }
        if rules.ignoresHost || url.host == request.host { score += 200 }
        if url.path == request.path {
            score += 100
            let theirs = Set(rules.parameters(SecretMarks.withoutDigests(url.query)))
            let mine = parts.parameters
            let common = mine.count(where: theirs.contains)
            score += 50 - min(40, mine.count + theirs.count - 2 * common)
        } else {
            let (theirs, mine) = (url.path.split(separator: "/"), parts.segments)
            score += min(80, 8 * zip(theirs, mine).prefix { $0 == $1 }.count)
            // A misspelt or other last segment is nearer than a path of another length.
            if theirs.count == mine.count { score += 4 }
        }
        return score
    }

    private func difference(_ entry: RecordedEntry, _ url: RecordedURL, _ request: AskedRequest) -> String {
        if entry.searchedMethod != request.method {
            return "the method is \(request.method), not \(entry.searchedMethod)"
        }
        if !rules.ignoresHost, url.host != request.host {
            return "the host is \(request.host.prefix(Self.shown)), not \(url.host)"
        }
        if url.path != request.path {
            return "the path is \(request.path.prefix(Self.shown)), not \(url.path.prefix(Self.shown))"
        }
        let mine = rules.parameters(SecretMarks.withoutDigests(request.query))
        let theirs = rules.parameters(SecretMarks.withoutDigests(url.query))
        if mine != theirs { return Self.difference(mine, theirs) }
        if let fields = try? recordedFields(entry) {
            for name in rules.headers {
                let values = [request.fields, fields].map { list in
                    list.filter { $0.name == name }.map { SecretMarks.withoutDigests($0.value) }
                        .joined(separator: ", ")
                }
                if values[0] != values[1] {
                    return "the header \(name) is \(Self.quoted(values[0])), not \(Self.quoted(values[1]))"
                }
            }
        }
        if let range = try? range(of: entry), range != request.range {
            return "the header range is \(Self.quoted(request.range ?? "")), not \(Self.quoted(range))"
        }
        let recorded = entry.requestBody.flatMap { try? file.bytes($0) } ?? []
        return bodyDifference(request.body ?? [], recorded, request.type, entry.requestBody?.type ?? "")
    }

    /// Characters of a path or a host that are quoted.
    private static let shown = 400

    private static func difference(_ mine: [Substring], _ theirs: [Substring]) -> String {
        func name(_ parameter: Substring) -> Substring { parameter.prefix { $0 != "=" } }
        func value(_ parameter: Substring) -> String {
            quoted(String(parameter.drop { $0 != "=" }.dropFirst()))
        }
        let (own, other) = (Set(mine), Set(theirs))
        let (more, less) = (mine.filter { !other.contains($0) }, theirs.filter { !own.contains($0) })
        if let one = more.first {
            guard let other = less.first(where: { name($0) == name(one) }) else {
                return "the query has \(one.prefix(80)), which was not recorded"
            }
            return "the query parameter \(name(one)) is \(value(one)), not \(value(other))"
        }
        if let one = less.first { return "the query lacks \(one.prefix(80))" }
        return "the query has a parameter another number of times"
    }

    private func bodyDifference(_ mine: [UInt8], _ theirs: [UInt8], _ type: String, _ recorded: String) -> String {
        if mine.isEmpty { return "the request has no body, and the recorded one has" }
        if theirs.isEmpty { return "the request has a body, and the recorded one has none" }
        let form = BodyForm(rules)
        if let left = form.json(mine, type: type.lowercased()),
            let right = form.json(theirs, type: recorded.lowercased())
        {
            return Self.difference(left, right, [], form) ?? "the bodies differ"
        }
        let at = zip(mine, theirs).prefix { $0 == $1 }.count
        return "the body differs from byte \(at + 1) on"
    }

    private static func difference(_ mine: JSONValue, _ theirs: JSONValue, _ path: [String], _ form: BodyForm)
        -> String?
    {
        if form.ignores(path) { return nil }
        let place = path.isEmpty ? "the body" : "\(path.joined(separator: ".")) in the body"
        if let left = mine.object, let right = theirs.object {
            for member in left {
                guard let other = theirs[member.key] else {
                    if form.ignores(path + [member.key]) { continue }
                    return "\((path + [member.key]).joined(separator: ".")) in the body was not recorded"
                }
                if let text = difference(member.value, other, path + [member.key], form) { return text }
            }
            let missing = right.first { mine[$0.key] == nil && !form.ignores(path + [$0.key]) }
            return missing.map { "the body lacks \((path + [$0.key]).joined(separator: "."))" }
        }
        if let left = mine.array, let right = theirs.array {
            for (index, pair) in zip(left, right).enumerated() {
                if let text = difference(pair.0, pair.1, path + ["\(index)"], form) { return text }
            }
            return left.count == right.count ? nil : "\(place) has \(left.count) items, not \(right.count)"
        }
        let (left, right) = (text(mine), text(theirs))
        return left == right ? nil : "\(place) is \(left), not \(right)"
    }

    private static func text(_ value: JSONValue) -> String {
        switch value.kind {
        case .string(let text): quoted(SecretMarks.withoutDigests(text))
        case .number(let number): number.json
        case .bool(let flag): "\(flag)"
        default: value.kindName
        }
    }

    private static func quoted(_ text: String) -> String { text.isEmpty ? "empty" : "“\(text.prefix(80))”" }
}
