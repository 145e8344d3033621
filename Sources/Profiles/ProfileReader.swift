import JSON

/// A profile's file as it was read, before it is linked with those it extends.
struct ProfileDraft {
    let name: String
    let file: String
    var kind = ProfileKind.local
    var summary: String?
    var extends: (name: String, position: JSONPosition)?
    var routes: [(pattern: RoutePattern, responder: Responder, position: JSONPosition)] = []
    var trust: [(host: HostPattern, policy: TrustPolicy, position: JSONPosition)] = []
    var authorities: [String] = []
}

/// Reads one profile's file; collects every problem instead of stopping at the first.
struct ProfileReader {
    static let keys = ["$schema", "description", "extends", "kind", "routes", "trust", "certificateAuthorities"]
    static let routeKeys = ["host", "path", "method", "headers", "origin", "preserveHost", "mock"]
    static let mockKeys = ["status", "headers", "json", "text"]
    static let trustKeys = ["policy", "certificateAuthorities"]

    var draft: ProfileDraft
    private(set) var problems: [ProfileProblem] = []
    /// Where relative paths in the file begin.
    let folder: String

    private init(name: String, file: String) {
        draft = ProfileDraft(name: name, file: file)
        folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
    }

    static func read(name: String, file: String, bytes: [UInt8]) -> (draft: ProfileDraft, problems: [ProfileProblem]) {
        var reader = ProfileReader(name: name, file: file)
        do throws(JSONFailure) {
            reader.readRoot(try JSONReader.read(bytes, dialect: .json5, sizeLimit: 4 << 20))
        } catch {
            reader.report(error.position, error.message, error.expected.map { "expected \($0)" })
        }
        return (reader.draft, reader.problems)
    }

    mutating func report(_ position: JSONPosition, _ message: String, _ hint: String?) {
        problems.append(ProfileProblem(draft.file, position, message, hint: hint))
    }

    mutating func report(_ position: JSONPosition, _ error: PatternError) {
        report(position, error.message, "expected \(error.expected)")
    }

    private mutating func readRoot(_ root: JSONValue) {
        guard let members = members(of: root, "a profile", Self.keys) else { return }
        var hasKind = false
        for member in members {
            let value = member.value
            switch member.key {
            case "description": draft.summary = text(value, "description")
            case "extends": draft.extends = text(value, "extends").map { ($0, value.position) }
            case "kind":
                hasKind = true
                guard let name = text(value, "kind") else { continue }
                if let kind = ProfileKind(rawValue: name) {
                    draft.kind = kind
                } else {
                    let all = ProfileKind.allCases.map(\.rawValue)
                    report(value.position, "unknown kind \"\(name)\"", Self.expected(all, name))
                }
            case "routes":
                guard let routes = value.array else {
                    wrongType(value, "routes", "an array of routes")
                    continue
                }
                for route in routes { readRoute(route) }
            case "trust":
                guard let rules = value.object else {
                    wrongType(value, "trust", "an object of host patterns and policies")
                    continue
                }
                for rule in rules { readTrust(rule) }
            case "certificateAuthorities": draft.authorities = files(value, "certificateAuthorities")
            default: break
            }
        }
        if !hasKind {
            report(
                root.position, "the profile has no kind", "expected \"kind\": \"local\", \"staging\" or \"production\"")
        }
    }

    // MARK: Pieces

    /// The members of an object, with unknown keys reported and left out.
    mutating func members(of value: JSONValue, _ what: String, _ known: [String]) -> [JSONMember]? {
        guard let members = value.object else {
            wrongType(value, what, "an object")
            return nil
        }
        for member in members where !known.contains(member.key) {
            report(
                member.keyPosition, "unknown key \"\(member.key)\" in \(what)", Self.expected(known, member.key))
        }
        return members.filter { known.contains($0.key) }
    }

    static func expected(_ known: [String], _ word: String) -> String {
        let list = known.filter { $0 != "$schema" }.joined(separator: ", ")
        return "expected one of \(list)" + (nearest(to: word, among: known).map { "; did you mean \"\($0)\"?" } ?? "")
    }

    mutating func wrongType(_ value: JSONValue, _ what: String, _ expected: String) {
        report(value.position, "\(what) is \(value.kindName)", "expected \(expected)")
    }

    mutating func text(_ value: JSONValue, _ what: String) -> String? {
        if let text = value.string { return text }
        wrongType(value, what, "a string")
        return nil
    }

    mutating func texts(_ value: JSONValue, _ what: String) -> [(text: String, position: JSONPosition)] {
        if let text = value.string { return [(text, value.position)] }
        guard let items = value.array else {
            wrongType(value, what, "a string or an array of strings")
            return []
        }
        var found: [(String, JSONPosition)] = []
        for item in items {
            if let text = text(item, "an item of \(what)") { found.append((text, item.position)) }
        }
        return found
    }

    /// Paths of files, relative ones from the profile's folder; those that cannot be read are reported.
    mutating func files(_ value: JSONValue, _ what: String) -> [String] {
        texts(value, what).compactMap { text, position in
            let path = text.hasPrefix("/") ? text : SmallFile.tidy(folder + "/" + text)
            if let reason = SmallFile.unreadable(path) {
                report(
                    position, "the file \"\(text)\" cannot be read: \(reason)",
                    "paths begin at the profile's folder (\(path))")
                return nil
            }
            return path
        }
    }
}
