import JSON

/// Objects under `messages`, at most.
private let maxRules = 32

/// What a route has under `messages`.
func decodeMessageChanges(_ route: Fields) -> [MessageChange] {
    guard let value = route["messages"] else { return [] }
    let items = route.array("messages")
    guard items.count <= maxRules else {
        route.report(value, "\(items.count) objects under \"messages\"", expected: "at most \(maxRules)")
        return []
    }
    return items.compactMap { item in
        guard let fields = Fields(item, MessageChange.keys, route.reporter) else { return nil }
        let sender = fields.member("from").flatMap { ValueKind<MessageChange.Sender>.choice.read($0, fields) }
        let condition = fields["receive"].map { decodeMessageCondition($0, of: fields) } ?? MessageCondition.any
        let body = decodeBodyChanges(fields)
        if body == nil, fields.members.allSatisfy({ $0.key == "from" || $0.key == "receive" }) {
            fields.report(
                fields.place, "an object under \"messages\" that changes nothing",
                expected: "merge, json, text or regex")
        }
        guard let condition, let body else { return nil }
        return MessageChange(sender: sender, condition: condition, body: body)
    }
}

/// The condition on a message; nil after a report.
func decodeMessageCondition(_ value: JSONValue, of one: Fields) -> MessageCondition? {
    if value.bool == true { return .any }
    let reporter = one.reporter
    guard value.object != nil, let fields = Fields(value, MessageCondition.keys, reporter) else {
        if value.object == nil { one.wrongKind("receive", value) }
        return nil
    }
    var test: RequestCondition.Test?
    if let text = fields["text"] {
        test =
            text.object != nil
            ? ValuePattern(text, reporter).map { .matches($0) } : text.bool == false ? nil : decodeTest(text)
        if test == nil, text.object == nil {
            reporter.report(
                text, "the condition for \"text\" is \(spelling(text))", expected: MessageCondition.textTests)
        }
        if test == nil { return nil }
    }
    return decodeConditions(of: fields).map { MessageCondition(text: test, parts: $0) }
}
