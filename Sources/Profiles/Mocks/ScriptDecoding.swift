import Bytes
import HTTP
import JSON

/// Reads the scripts of streams under `events` and `webSocket`.
struct ScriptDecoder {
    /// Steps of a script, with an event for each token.
    private static let maxSteps = 10_000
    /// A shorter pause would not keep a loop from occupying a processor.
    private static let leastPause: UInt64 = 1_000_000

    private let path: PathPattern
    /// Places of templates are filled.
    private let fills: Bool
    private let fields: Fields
    private var reporter: Reporter { fields.reporter }

    init(_ path: PathPattern, fills: Bool, _ fields: Fields) {
        (self.path, self.fills, self.fields) = (path, fills, fields)
    }

    /// The steps in the array under a key; what is behind the most that there may be is left out after a report.
    private func items(_ key: String, of fields: Fields) -> [JSONValue] {
        let items = fields.array(key)
        guard items.count > Self.maxSteps else { return items }
        reporter.report(
            items[Self.maxSteps], "\"\(key)\" has \(items.count) steps", expected: "at most \(Self.maxSteps)")
        return Array(items.prefix(Self.maxSteps))
    }

    private func end(_ usual: ScriptEnd, hasPause: Bool, hasSteps: Bool) -> ScriptEnd {
        guard let member = fields.member("end"), let end = ValueKind<ScriptEnd>.choice.read(member, fields) else {
            return usual
        }
        if end == .loop, !hasPause {
            reporter.report(
                member.value,
                hasSteps ? "the script begins again without a pause" : "there is no script that could begin again",
                expected: "a \"delay\" of at least 1ms in one of its steps")
        }
        return end
    }

    private func template(_ text: String, at place: JSONPosition, _ scope: TemplateParser.Scope) -> MockTemplate {
        guard fills else { return MockTemplate(parts: [.text(Array(text.utf8))]) }
        let parser = TemplateParser(path: path, form: .plain, scope: scope)
        return parser.template(text, at: place, reporter) ?? MockTemplate(parts: [])
    }

    private func json(_ value: JSONValue, _ scope: TemplateParser.Scope) -> MockTemplate {
        if fills {
            return TemplateJSON.template(value, TemplateParser(path: path, form: .jsonText, scope: scope), reporter)
        }
        return MockTemplate(parts: [.text(JSONWriter.bytes(of: value))])
    }

    private func isPause(_ delay: MockDelay?) -> Bool { (delay?.min ?? 0) >= Self.leastPause }
}

// MARK: Events

extension ScriptDecoder {
    /// nil after a report.
    func events() -> MockEvents? {
        guard fields["script"] != nil else {
            return reporter.refuse(
                fields.place, "\"events\" without \"script\"", expected: fields.expected(of: "script"))
        }
        let items = items("script", of: fields)
        if items.isEmpty, let script = fields["script"], script.array != nil {
            reporter.report(script, "\"script\" is empty", expected: "at least one event")
        }
        var script: [MockEvents.Event] = []
        for item in items { script += events(item) }
        let end = end(.close, hasPause: script.contains { isPause($0.delay) }, hasSteps: true)
        return MockEvents(script: script, end: end)
    }

    /// An event, or one for each of its tokens.
    private func events(_ item: JSONValue) -> [MockEvents.Event] {
        guard let one = Fields(item, MockEvents.eventKeys, reporter) else { return [] }
        guard !one.members.isEmpty else {
            reporter.report(item, "the event is empty", expected: "an object like { \"data\": \"hello\" }")
            return []
        }
        guard let tokens = one.member("tokens"), let text = one.string("tokens") else {
            return [event(one, one["data"])]
        }
        let words = Self.words(text)
        guard words.count <= Self.maxSteps else {
            reporter.report(tokens.value, "\"tokens\" has \(words.count) words", expected: "at most \(Self.maxSteps)")
            return []
        }
        let data = one["data"] ?? JSONValue(kind: .string("{{token}}"), position: tokens.value.position)
        return words.map { event(one, data.replacing("{{token}}", with: $0)) }
    }

    private func event(_ one: Fields, _ data: JSONValue?) -> MockEvents.Event {
        let text = { (key: String) in
            one.string(key).flatMap { text in one[key].map { template(text, at: $0.position, .request) } }
        }
        var id: MockTemplate?
        if let value = one["id"] {
            id = value.number.map { template($0.text, at: value.position, .request) } ?? text("id")
        }
        let retry = one.member("retry").flatMap { MockEvents.retry.read($0, one) }
        return MockEvents.Event(
            delay: decodeDelay(one), type: text("event"), id: id, retry: retry.map { Int($0 / 1_000_000) },
            data: data.map { value in
                value.string.map { template($0, at: value.position, .request) } ?? json(value, .request)
            }, comment: text("comment"))
    }

    /// The words of a text, each with the space before it.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var hasLetter = false
        for character in text {
            if words.isEmpty || character.isWhitespace && hasLetter {
                words.append("")
                hasLetter = false
            }
            hasLetter = hasLetter || !character.isWhitespace
            words[words.count - 1].append(character)
        }
        return words
    }
}

extension JSONValue {
    /// The same with another text in the place of one in all its strings.
    fileprivate func replacing(_ place: String, with text: String) -> JSONValue {
        switch kind {
        case .string(let own): JSONValue(kind: .string(own.replacing(place, with: text)), position: position)
        case .array(let items):
            JSONValue(kind: .array(items.map { $0.replacing(place, with: text) }), position: position)
        case .object(let members):
            JSONValue(
                kind: .object(
                    members.map {
                        JSONMember(
                            key: $0.key, keyPosition: $0.keyPosition, value: $0.value.replacing(place, with: text))
                    }), position: position)
        default: self
        }
    }
}

// MARK: WebSockets

extension ScriptDecoder {
    /// nil after a report.
    func conversation() -> MockConversation? {
        let script = items("script", of: fields).compactMap { step($0, mayReceive: true) }
        check(script, "script", of: fields)
        let hasPause = script.contains { step in
            if case .receive = step.action { true } else { isPause(step.delay) }
        }
        let protocols = fields["protocols"].map { _ in
            fields.texts("protocols", one: "a name like \"graphql-transport-ws\"").filter { name in
                if isToken(name.text) { return true }
                reporter.report(
                    name.place, "the subprotocol \"\(name.text)\" cannot be sent",
                    expected: "a name like \"graphql-transport-ws\" (RFC 6455 4.1)")
                return false
            }.map(\.text)
        }
        return MockConversation(
            protocols: protocols, script: script, replies: items("replies", of: fields).compactMap(reply),
            end: end(.open, hasPause: hasPause, hasSteps: !script.isEmpty))
    }

    private func reply(_ item: JSONValue) -> MockConversation.Reply? {
        guard let one = Fields(item, MockConversation.replyKeys, reporter) else { return nil }
        guard one["send"] != nil else {
            return reporter.refuse(one.place, "the reply sends nothing", expected: one.expected(of: "send"))
        }
        let steps = items("send", of: one).compactMap { step($0, mayReceive: false) }
        check(steps, "send", of: one)
        guard let value = one["receive"] else {
            return MockConversation.Reply(condition: MessageCondition.any, steps: steps)
        }
        return decodeMessageCondition(value, of: one).map { MockConversation.Reply(condition: $0, steps: steps) }
    }

    /// Nothing is sent behind a close frame.
    private func check(_ steps: [MockConversation.Step], _ key: String, of fields: Fields) {
        let close = steps.firstIndex { if case .close = $0.action { true } else { false } }
        guard let close, close + 1 < steps.count, let items = fields[key]?.array, close + 1 < items.count else {
            return
        }
        reporter.report(
            items[close + 1].position, "a step behind \"close\"", expected: "\"close\" in the last step alone")
    }

    private func step(_ item: JSONValue, mayReceive: Bool) -> MockConversation.Step? {
        guard let one = Fields(item, MockConversation.stepKeys, reporter) else { return nil }
        let given = ["text", "json", "base64", "file", "ping", "receive", "close"].compactMap { one.member($0) }
        if given.count > 1 {
            reporter.report(
                given[1], "the step has \"\(given[0].key)\" and \"\(given[1].key)\"",
                expected: "one of them in each step")
        }
        if let reason = one.member("reason"), one["close"] == nil {
            reporter.report(reason, "\"reason\" without \"close\"", expected: "it beside a code")
        }
        guard let first = given.first else {
            guard one["delay"] != nil else {
                return reporter.refuse(
                    item, "the step does nothing", expected: "an object like { \"text\": \"hello\" }")
            }
            return MockConversation.Step(delay: decodeDelay(one), action: nil)
        }
        if first.key == "receive", !mayReceive {
            return reporter.refuse(first, "a reply that waits for a message", expected: "\"receive\" in \"script\"")
        }
        return action(first, one).map { MockConversation.Step(delay: decodeDelay(one), action: $0) }
    }

    /// nil after a report.
    private func action(_ member: JSONMember, _ one: Fields) -> MockConversation.Action? {
        let value = member.value
        switch member.key {
        case "json": return .send(isText: true, body(json(value, .message)))
        case "receive": return decodeMessageCondition(value, of: one).map { .receive($0) }
        case "file": return file(one)
        case "close":
            let reason = text("reason", of: one, max: 123)
            guard let code = MockConversation.closeCode.read(member, one) else { return nil }
            // Those that stand for what no frame says (RFC 6455 7.4.1), and those that nobody has registered.
            guard ![1004, 1005, 1006, 1015].contains(code), code < 1016 || code >= 3000 else {
                return reporter.refuse(
                    value, "the code \(code) is never sent",
                    expected: "1000 to 1003, 1007 to 1014, or 3000 to 4999 (RFC 6455 7.4)")
            }
            return .close(code: UInt16(code), reason: reason ?? "")
        case "ping": return text("ping", of: one, max: 125).map { .ping(Array($0.utf8)) }
        case "base64":
            guard let text = one.string("base64") else { return nil }
            guard let bytes = Base64Decoder.bytes(text) else {
                return reporter.refuse(value, "\"base64\" is no Base64", expected: "binary data like \"AAEC\"")
            }
            return .send(isText: false, .bytes(bytes))
        default:
            return one.string("text").map { .send(isText: true, body(template($0, at: value.position, .message))) }
        }
    }

    private func body(_ template: MockTemplate) -> MockBody {
        if case .text(let bytes)? = template.parts.first, template.parts.count == 1 { return .bytes(bytes) }
        return template.parts.isEmpty ? .bytes([]) : .template(template)
    }

    private func file(_ one: Fields) -> MockConversation.Action? {
        guard let name = one.string("file") else { return nil }
        let type = MediaTypes.type(ofFile: name)
        let form = TemplateForm.of(type: type)
        let isText = form != .plain || type.hasPrefix("text/")
        let parser = isText && fills ? TemplateParser(path: path, form: form, scope: .message) : nil
        return decodeMockFile(one, "file", parser).map { .send(isText: isText, .file($0)) }
    }

    private func text(_ key: String, of one: Fields, max: Int) -> String? {
        guard let value = one[key], let text = one.string(key) else { return nil }
        if text.utf8.count <= max { return text }
        return reporter.refuse(
            value, "\"\(key)\" has \(text.utf8.count) bytes", expected: "at most \(max) (RFC 6455 5.5)")
    }
}
