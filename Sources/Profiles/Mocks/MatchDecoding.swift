import JSON

private let tests =
    "the value as a string, { \"regex\": \"…\" }, true where it must be there, or false where it must not"

/// What a route has under `match`, `when` and `scenario`; nil after a report.
func decodeMatch(_ fields: Fields) -> [RequestCondition]? {
    var conditions: [RequestCondition]? = []
    if fields["match"] != nil {
        conditions = fields.fields("match", RequestCondition.keys).flatMap { decodeConditions(of: $0) }
    }
    guard let state = decodeState("when", fields) else { return conditions }
    let scenario = decodeState("scenario", fields) ?? ""
    conditions?.insert(RequestCondition(subject: .state(scenario), test: .equals(state)), at: 0)
    return conditions
}

/// The state that a route's response leads to.
func decodeThen(_ fields: Fields) -> StateChange? {
    if let scenario = fields.member("scenario"), fields["when"] == nil, fields["then"] == nil {
        fields.report(scenario, "\"scenario\" without states", expected: "it beside \"when\" or \"then\"")
    }
    return decodeState("then", fields).map { StateChange(scenario: fields["scenario"]?.string ?? "", state: $0) }
}

/// The scenario of a profile that a route's response leads to another state.
public struct StateChange: Hashable, Sendable {
    /// Empty for the one without a name.
    public let scenario: String
    public let state: String

    static let expected = "a name like \"loggedIn\""
}

private func decodeState(_ key: String, _ fields: Fields) -> String? {
    guard let value = fields[key], let text = fields.string(key) else { return nil }
    if !text.isEmpty { return text }
    return fields.refuse(value, "\"\(key)\" is empty", expected: StateChange.expected)
}

func decodeConditions(of match: Fields) -> [RequestCondition]? {
    let kinds: [(key: String, subject: (String) -> RequestCondition.Subject)] = [
        ("query", { .query($0) }), ("headers", { .header($0.lowercased()) }), ("cookies", { .cookie($0) }),
        ("body", { .member($0.split(separator: ".", omittingEmptySubsequences: false).map(String.init)) }),
    ]
    var conditions: [RequestCondition] = []
    var isComplete = true
    for kind in kinds {
        for member in match.object(kind.key) {
            guard let test = decodeTest(of: member.key, member.value, match.reporter) else {
                isComplete = false
                continue
            }
            if kind.key == "headers", !isToken(member.key) {
                match.report(member, "\"\(member.key)\" is no field name", expected: "a name like X-Beta")
                isComplete = false
            }
            conditions.append(RequestCondition(subject: kind.subject(member.key), test: test))
        }
    }
    if match["graphql"] != nil {
        let calls = match.fields("graphql", RequestCondition.callKeys).flatMap { decodeCalls($0) }
        if calls == nil { isComplete = false }
        conditions += calls ?? []
    }
    if let json = match["json"] {
        conditions.append(RequestCondition(subject: .body, test: .contains(JSONSubset(json))))
    }
    return isComplete ? conditions : nil
}

/// The condition that a member has; nil after a report.
func decodeTest(of name: String, _ value: JSONValue, _ reporter: Reporter) -> RequestCondition.Test? {
    if value.object != nil { return ValuePattern(value, reporter).map { .matches($0) } }
    if let test = decodeTest(value) { return test }
    return reporter.refuse(value, "the condition for \"\(name)\" is \(spelling(value))", expected: tests)
}

func decodeTest(_ value: JSONValue) -> RequestCondition.Test? {
    switch value.kind {
    case .bool(true): .present
    case .bool(false): .absent
    case .string(let text): .equals(text)
    case .number(let number): .equals(number.json)
    default: nil
    }
}
