/// Reads templates; what is wrong is reported with its offset in the text.
struct TemplateParser: Hashable, Sendable {
    /// Why a text is no template, and where in it, in characters from 0.
    struct Failure: Error {
        let offset: Int
        let refusal: Refusal
    }

    /// The path that the mock is for, which names segments.
    let path: PathPattern
    let form: TemplateForm
    var scope = Scope.request

    /// What places can refer to.
    enum Scope {
        case request
        /// The call of a bridge.
        case call
        /// A message of a WebSocket, and the request that began it.
        case message
    }

    static let names = [
        "method", "host", "url", "path.NAME", "query.NAME", "header.NAME", "cookie.NAME", "body", "body.NAME", "now",
        "uuid", "counter", "random",
    ]

    /// Names of places in the replies of a bridge.
    static let callNames = ["message", "message.NAME", "arguments.0", "now", "uuid", "counter", "random"]

    func parse(_ text: String) throws(Failure) -> MockTemplate {
        var parts: [MockTemplate.Part] = []
        let characters = Array(text)
        var (start, at) = (0, 0)
        func take(to end: Int) { if end > start { parts.append(.text(Array(String(characters[start..<end]).utf8))) } }
        while at + 1 < characters.count {
            guard characters[at] == "{", characters[at + 1] == "{" else {
                at += 1
                continue
            }
            take(to: at)
            guard
                let end = (at + 2..<characters.count).first(where: { index in
                    characters[index] == "}" && index + 1 < characters.count && characters[index + 1] == "}"
                })
            else {
                throw Failure(
                    offset: at,
                    refusal: Refusal(message: "`{{` without `}}`", expected: "a value like {{path.id}}"))
            }
            do throws(Refusal) { parts.append(try value(String(characters[at + 2..<end]))) } catch {
                throw Failure(offset: at, refusal: error)
            }
            (start, at) = (end + 2, end + 2)
        }
        take(to: characters.count)
        return MockTemplate(parts: parts)
    }

    private func value(_ text: String) throws(Refusal) -> MockTemplate.Part {
        let halves = text.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        var words = halves[0].split(separator: " ")
        var form = form
        if words.first == "json", words.count > 1 {
            guard form == .jsonText else {
                throw Refusal(message: "{{\(text)}} writes JSON", expected: "it in a body that is JSON")
            }
            form = .json
            words.removeFirst()
        }
        guard let name = words.first else {
            throw Refusal(message: "{{\(text)}} names nothing", expected: "a value like {{path.id}}")
        }
        let source = try source(String(name), words.dropFirst().map(String.init), text)
        let fallback = halves.count > 1 ? String(halves[1]) : ""
        return .value(TemplateValue(source: source, fallback: fallback), form)
    }

    private func source(_ name: String, _ words: [String], _ text: String) throws(Refusal) -> TemplateValue.Source {
        switch name {
        case "now": return try now(words, text)
        case "random":
            let numbers = words.compactMap { Int64($0) }
            guard numbers.count == 2, words.count == 2, numbers[0] <= numbers[1] else {
                throw Refusal(message: "{{\(text)}} lacks its bounds", expected: "two whole numbers: {{random 1 100}}")
            }
            return .random(numbers[0], numbers[1])
        default: break
        }
        if let word = words.first {
            throw Refusal(message: "\"\(word)\" in {{\(text)}} means nothing", expected: "{{\(name)}}")
        }
        let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.count > 1 ? parts[1] : nil) {
        case ("message", let member) where scope == .call: return .argument(["0"] + Self.path(member))
        case ("arguments", let member) where scope == .call: return .argument(Self.path(member))
        case ("message", let member) where scope == .message: return .message(Self.path(member))
        case (let first, _) where scope == .call && first != "uuid" && first != "counter": break
        case ("method", nil): return .method
        case ("host", nil): return .host
        case ("url", nil): return .url
        case ("uuid", nil): return .uuid
        case ("counter", nil): return .counter
        case ("body", nil): return .body([])
        case ("body", let member?):
            return .body(Self.path(member))
        case ("query", let name?): return .query(name)
        case ("header", let name?): return .header(name.lowercased())
        case ("cookie", let name?): return .cookie(name)
        case ("path", let name?):
            if let segment = path.names.firstIndex(of: name) { return .path(segment: segment) }
            let known = path.names.compactMap(\.self)
            throw Refusal(
                message: "the path \(path) names no segment \"\(name)\"",
                expected: known.isEmpty ? "a path like /items/{\(name)}" : "one of \(known.joined(separator: ", "))",
                hint: didYouMean(name, among: known))
        default: break
        }
        let names =
            switch scope {
            case .request: Self.names
            case .call: Self.callNames
            case .message: Self.names + ["message", "message.NAME"]
            }
        throw Refusal(
            message: "{{\(text)}} is no value", expected: "one of \(names.joined(separator: ", "))",
            hint: didYouMean(parts[0], among: names.map { String($0.prefix { $0 != "." }) }))
    }

    private static func path(_ member: String?) -> [String] {
        member?.split(separator: ".", omittingEmptySubsequences: false).map(String.init) ?? []
    }

    private func now(_ words: [String], _ text: String) throws(Refusal) -> TemplateValue.Source {
        var (form, offset) = (TemplateValue.TimeForm.iso, Int64(0))
        for word in words {
            if let known = TemplateValue.TimeForm(rawValue: word) {
                form = known
            } else if let seconds = Self.seconds(word) {
                offset = seconds
            } else {
                let forms = TemplateValue.TimeForm.allCases.map(\.rawValue).joined(separator: ", ")
                throw Refusal(
                    message: "\"\(word)\" in {{\(text)}} is no time",
                    expected: "one of \(forms), or a distance like +1h or -7d")
            }
        }
        return .now(form, offset: offset)
    }

    /// `+1h`, `-30s`, `+7d`.
    private static func seconds(_ word: String) -> Int64? {
        guard let sign = word.first, sign == "+" || sign == "-" else { return nil }
        var rest = word.dropFirst()
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = rest.popLast().flatMap({ units[$0] }), !rest.isEmpty, rest.utf8.count <= 6,
            rest.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(rest)
        else { return nil }
        return (sign == "-" ? -number : number) * unit
    }
}
