import JSON

/// One text of a ``RunSettings``, taken apart.
struct RunSetting {
    enum Subject: String, CaseIterable { case routes, trust }

    let subject: Subject
    /// What stands between the subject and the `=`.
    private let pattern: Substring
    private let value: Substring
    private let text: String
    private let line: Int

    init?(_ text: String, line: Int, example: String, _ reporter: Reporter) {
        let place = JSONPosition(offset: 0, line: line, column: 1)
        guard let subject = Subject.allCases.first(where: { text.hasPrefix("\($0.rawValue).") }) else {
            let name = String(text.prefix { $0 != "." && $0 != "=" })
            reporter.report(
                place, "\"\(name)\" cannot be set", expected: "routes.PATTERN=RESPONDER or trust.HOST=POLICY",
                hint: didYouMean(name, among: Subject.allCases.map(\.rawValue)) ?? "for example \(example)")
            return nil
        }
        let rest = text.dropFirst(subject.rawValue.count + 1)
        guard let equals = Self.separator(rest, subject) else {
            reporter.report(
                place, "there is no `=`", expected: "routes.PATTERN=RESPONDER or trust.HOST=POLICY",
                hint: "for example \(example)")
            return nil
        }
        (self.subject, self.text, self.line) = (subject, text, line)
        pattern = rest[..<equals]
        value = rest[rest.index(after: equals)...].drop { $0 == " " }
    }

    /// Paths may contain `=`, and so may origins: it is the first one that something follows which can respond.
    private static func separator(_ text: Substring, _ subject: Subject) -> Substring.Index? {
        if subject == .trust { return text.firstIndex(of: "=") }
        let starts = ["https://", "http://", OriginCandidate.prefix, "{", "["]
        var at = text.startIndex
        while let equals = text[at...].firstIndex(of: "=") {
            at = text.index(after: equals)
            let value = text[at...].drop { $0 == " " }.prefix(8).lowercased()
            if starts.contains(where: { value.hasPrefix($0) }) { return equals }
        }
        return text.lastIndex(of: "=")
    }

    /// The route as an object of a profile has it; nil after a report.
    func route(_ reporter: Reporter) -> JSONValue? {
        guard let value = tree(reporter, opening: ["{", "["]) else { return nil }
        let slash = pattern.firstIndex(of: "/") ?? pattern.endIndex
        var members = [("host", pattern[..<slash]), ("path", pattern[slash...])].filter { !$0.1.isEmpty }
            .map { key, text in string(text, as: key) }
        if members.isEmpty {
            return reporter.refuse(
                place(pattern), "the route has no pattern",
                expected: "a host, a path, or both, like api.shop.test/v1/*", hint: "`*` stands for every host")
        }
        for member in value.object ?? [JSONMember(key: "origin", keyPosition: value.position, value: value)] {
            if member.key == "host" || member.key == "path" {
                reporter.report(member, "\"\(member.key)\" within the response", expected: "it in front of the `=`")
            } else {
                members.append(member)
            }
        }
        return JSONValue(kind: .object(members), position: place(pattern))
    }

    /// The rule as a member of `trust`; nil after a report.
    func rule(_ reporter: Reporter) -> JSONMember? {
        tree(reporter, opening: ["{"]).map { JSONMember(key: String(pattern), keyPosition: place(pattern), value: $0) }
    }

    private func string(_ text: Substring, as key: String) -> JSONMember {
        let value = JSONValue(kind: .string(String(text)), position: place(text))
        return JSONMember(key: key, keyPosition: place(text), value: value)
    }

    /// The value: JSON5 if it begins as that, else a text.
    private func tree(_ reporter: Reporter, opening: [Character]) -> JSONValue? {
        guard let first = value.first, opening.contains(first) else {
            return JSONValue(kind: .string(String(value)), position: place(value))
        }
        do throws(JSONFailure) {
            return moved(try JSONReader.read(String(value)))
        } catch { return reporter.refuse(moved(error.position), error.message, expected: error.expected) }
    }

    private func place(_ piece: Substring) -> JSONPosition {
        let before = text[..<piece.startIndex]
        return JSONPosition(offset: before.utf8.count, line: line, column: before.unicodeScalars.count + 1)
    }

    private func moved(_ place: JSONPosition) -> JSONPosition {
        let start = self.place(value)
        return JSONPosition(
            offset: start.offset + place.offset, line: line,
            column: place.line == 1 ? start.column + place.column - 1 : place.column)
    }

    /// The same value with its places in the whole text; the reader has bounded its depth.
    private func moved(_ value: JSONValue) -> JSONValue {
        let kind: JSONValue.Kind =
            switch value.kind {
            case .array(let items): .array(items.map { moved($0) })
            case .object(let members):
                .object(
                    members.map {
                        JSONMember(key: $0.key, keyPosition: moved($0.keyPosition), value: moved($0.value))
                    })
            default: value.kind
            }
        return JSONValue(kind: kind, position: moved(value.position))
    }
}
