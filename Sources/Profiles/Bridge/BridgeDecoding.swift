import JSON
import Platform

private let sizeLimit = 1 << 20

/// What a route has under `bridge`; nil without it, and after a report.
func decodeBridge(_ route: Fields) -> BridgeContract? {
    guard let value = route["bridge"] else { return nil }
    guard let name = value.string, !name.isEmpty else {
        return route.refuse(
            value, "\"bridge\" is \(value.string == nil ? value.kindName : "empty")",
            expected: "a file like \"bridge.json\"")
    }
    let file = route.reporter.absolute(name)
    route.reporter.problems.add(contract: file)
    let expected = "a file like \"bridge.json\""
    let bytes = route.reporter.bytes(of: name, at: value.position, limit: sizeLimit + 1, expected: expected)
    guard let bytes else { return nil }
    let reporter = Reporter(file: file, problems: route.reporter.problems)
    let tree = reporter.reading { () throws(JSONFailure) in try JSONReader.read(bytes, sizeLimit: sizeLimit) }
    guard let tree, let fields = Fields(tree, BridgeContract.keys, reporter) else { return nil }
    var decoder = BridgeDecoder(reporter)
    let json = decoder.contract(fields)
    return BridgeContract(
        name: name, file: file, handlers: decoder.handlers, records: fields["record"]?.bool == true, json: json)
}

/// Turns a contract into the JSON that the script in pages reads.
struct BridgeDecoder {
    /// How pages call a handler.
    enum Style {
        case webkit, android, prompt

        var noun: String {
            switch self {
            case .webkit: "a handler"
            case .android: "a method"
            case .prompt: "a prompt"
            }
        }

        /// The page waits for the reply without a promise.
        var isSynchronous: Bool { self != .webkit }
    }

    private let reporter: Reporter
    private(set) var handlers: [String] = []

    init(_ reporter: Reporter) { self.reporter = reporter }

    mutating func contract(_ fields: Fields) -> [UInt8] {
        return JSONWriter.object {
            $0.member("record", fields.bool("record") ?? false)
            $0.object("webkit") { writer in
                for member in fields.object("webkit") {
                    handlers.append("webkit.\(member.key)")
                    writer.key(member.key)
                    cases(member.value, .webkit, into: &writer)
                }
            }
            $0.object("android") { android(fields, into: &$0) }
            $0.array("prompt") { prompts(fields, into: &$0) }
            $0.key("events")
            events(fields, isTemplate: false, into: &$0)
        }
    }

    private mutating func android(_ fields: Fields, into writer: inout JSONWriter) {
        for object in fields.object("android") {
            guard Self.isName(object.key) else {
                reporter.report(
                    object, "\"\(object.key)\" cannot be the name of an object in pages", expected: "a name like Bank",
                    hint: "pages see it as window.\(object.key)")
                continue
            }
            guard let methods = object.value.object else {
                reporter.report(
                    object.value, "the object \"\(object.key)\" is \(object.value.kindName)",
                    expected: "its methods, like { \"version\": { \"reply\": \"7.2\" } }")
                continue
            }
            writer.object(object.key) {
                for method in methods {
                    handlers.append("\(object.key).\(method.key)()")
                    $0.key(method.key)
                    cases(method.value, .android, into: &$0)
                }
            }
        }
    }

    /// The longest beginning first, so that the most specific one responds.
    private mutating func prompts(_ fields: Fields, into writer: inout JSONWriter) {
        let members = fields.object("prompt")
        for member in members.sorted(by: { $0.key.utf8.count > $1.key.utf8.count }) {
            handlers.append("prompt \(member.key)")
            writer.array {
                $0.value(member.key)
                cases(member.value, .prompt, into: &$0)
            }
        }
    }

    // MARK: Cases

    private func cases(_ value: JSONValue, _ style: Style, into writer: inout JSONWriter) {
        if value.array?.isEmpty == true {
            reporter.report(value, "\(style.noun) has no case", expected: "at least one, like { \"reply\": 1 }")
        }
        writer.array {
            for item in value.array ?? [value] {
                guard let fields = Fields(item, BridgeContract.caseKeys, what: "\(style.noun) of the bridge", reporter)
                else { continue }
                $0.object { write(fields, style, into: &$0) }
            }
        }
    }

    private func write(_ fields: Fields, _ style: Style, into writer: inout JSONWriter) {
        let isTemplate = fields.bool("template") ?? false
        if let match = fields["match"] { writer.member("match", match) }
        if let reply = fields["reply"] {
            writer.key("reply")
            BridgeValue(reporter, isTemplate: isTemplate).write(reply, into: &writer)
        }
        if let error = fields.member("error") {
            if style == .prompt || fields["reply"] != nil {
                reporter.report(
                    error.keyPosition, "\"error\" \(style == .prompt ? "in a prompt" : "beside \"reply\"")",
                    expected: style == .prompt ? "\"reply\": null, which a cancelled prompt gives" : "one of them")
            } else if fields.string("error") != nil {
                writer.key("error")
                BridgeValue(reporter, isTemplate: isTemplate).write(error.value, into: &writer)
            }
        }
        if let delay = decodeDelay(fields) {
            if style.isSynchronous, delay.max > 10_000_000_000 {
                reporter.report(
                    fields["delay"], "\"delay\" is longer than 10s",
                    expected: "at most 10s: the page stands still while it waits for \(style.noun)")
            }
            writer.key("delay")
            Self.write(delay, into: &writer)
        }
        if fields["events"] != nil {
            writer.key("events")
            events(fields, isTemplate: isTemplate, into: &writer)
        }
    }

    /// In milliseconds.
    private static func write(_ delay: MockDelay, into writer: inout JSONWriter) {
        writer.array { for time in [delay.min, delay.max] { $0.value(Int(time / 1_000_000)) } }
    }

    // MARK: Events

    private func events(_ fields: Fields, isTemplate: Bool, into writer: inout JSONWriter) {
        writer.array {
            for item in fields.array("events") {
                guard let event = Fields(item, BridgeContract.eventKeys, reporter) else { continue }
                $0.object { write(event, isTemplate, into: &$0) }
            }
        }
    }

    private func write(_ event: Fields, _ isTemplate: Bool, into writer: inout JSONWriter) {
        let kinds = ["call", "dispatch", "post"].compactMap { event.member($0) }
        guard kinds.count == 1, let kind = kinds.first else {
            reporter.report(
                kinds.last?.keyPosition ?? event.place,
                kinds.isEmpty ? "the event does nothing" : "the event has \"\(kinds[0].key)\" and \"\(kinds[1].key)\"",
                expected: "one of \"call\" (a function of the page), \"dispatch\" (an event) and \"post\" (a message)")
            return
        }
        for (key, owner) in [("with", "call"), ("detail", "dispatch"), ("target", "dispatch")] where owner != kind.key {
            guard let member = event.member(key) else { continue }
            reporter.report(member, "\"\(key)\" beside \"\(kind.key)\"", expected: "it beside \"\(owner)\"")
        }
        if kind.key != "post", kind.value.string?.isEmpty ?? true {
            reporter.report(
                kind.value, "\"\(kind.key)\" is \(spelling(kind.value))",
                expected: BridgeContract.eventKeys.expected(of: kind.key))
        }
        if let target = event["target"], target.string != "window", target.string != "document" {
            reporter.report(
                target, "\"target\" is \(spelling(target))", expected: BridgeContract.eventKeys.expected(of: "target"))
        }
        if let with = event["with"], with.array == nil { event.wrongKind("with", with) }
        if let after = decodeDelay(event, "after") {
            writer.key("after")
            Self.write(after, into: &writer)
        }
        let value = BridgeValue(reporter, isTemplate: isTemplate)
        for key in ["call", "with", "dispatch", "detail", "post"] {
            guard let member = event[key] else { continue }
            writer.key(key)
            value.write(member, into: &writer)
        }
        if let target = event["target"] { writer.member("target", target) }
    }

    /// An identifier that is no part of every window.
    private static func isName(_ name: String) -> Bool {
        let isWord = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"):
                true
            default: false
            }
        }
        return isWord && name.utf8.first.map { $0 >= 0x40 || $0 == UInt8(ascii: "$") } == true
            && !["window", "document", "location", "top", "self", "webkit", "prompt"].contains(name)
    }
}
