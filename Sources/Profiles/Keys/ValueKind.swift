import JSON

/// A value that is one scalar: how it is read, and what messages, editors and documents say of it.
struct ValueKind<Value>: Sendable {
    /// Completes "expected …".
    var expected: String
    /// The members of its JSON Schema.
    let schema: String
    /// nil for what does not fit.
    let parse: @Sendable (JSONValue) -> Value?
    /// The next step for what does not fit.
    var hint: @Sendable (JSONValue) -> String? = { _ in nil }
    /// As a profile has it.
    let text: @Sendable (Value) -> String
    /// As explanations have it: times in milliseconds.
    let write: @Sendable (Value, inout JSONWriter) -> Void

    /// The same with other words for what is expected.
    func expecting(_ expected: String) -> ValueKind {
        var kind = self
        kind.expected = expected
        return kind
    }

    /// The value under a key; nil after a report.
    func read(_ member: JSONMember, _ fields: Fields) -> Value? {
        if let value = parse(member.value) { return value }
        return fields.refuse(
            member.value, "\"\(member.key)\" is \(spelling(member.value))", expected: expected,
            hint: hint(member.value))
    }
}

/// A value as it is in the file, for messages: in one line, and not too long.
func spelling(_ value: JSONValue) -> String {
    guard let text = value.string else { return value.number?.text ?? value.bool.map { "\($0)" } ?? value.kindName }
    return JSONWriter.text(of: text.count > 80 ? text.prefix(80) + "…" : text)
}

/// Members of JSON Schemas.
enum Schema {
    static let text = #""type": "string""#
    static let fullText = #""type": "string", "minLength": 1"#
    static let flag = #""type": "boolean""#
    static let time = pattern("^[0-9.]+(ms|s|m|h)$")
    static let size = pattern("^[0-9]+[kKmMgG]?[bB]?$")
    static let status = whole(200...599)
    static let names = list(fullText)
    /// One text, or several.
    static let texts = any(text, list(text))
    /// One time, or the shortest and the longest.
    static let times = any(time, list(time, min: 1, max: 2))
    static let url = pattern("^[hH][tT][tT][pP][sS]?://")

    static func pattern(_ regex: String) -> String { #""type": "string", "pattern": "\#(regex)""# }

    static func whole(_ range: ClosedRange<Int>) -> String {
        #""type": "integer", "minimum": \#(range.lowerBound)"#
            + (range.upperBound == .max ? "" : #", "maximum": \#(range.upperBound)"#)
    }

    static func one(of names: [String]) -> String {
        #""enum": [\#(names.map { "\"\($0)\"" }.joined(separator: ", "))]"#
    }

    static func list(_ item: String, min: Int = 0, max: Int? = nil) -> String {
        #""type": "array", "items": { \#(item) }"# + (min > 0 ? #", "minItems": \#(min)"# : "")
            + (max.map { #", "maxItems": \#($0)"# } ?? "")
    }

    static func oneOrMore(_ item: String) -> String { any(item, list(item, min: 1)) }

    /// An object whose members have names of their own.
    static func map(_ value: String) -> String { #""type": "object", "additionalProperties": { \#(value) }"# }

    static func any(_ schemas: String...) -> String {
        #""anyOf": [\#(schemas.map { "{ \($0) }" }.joined(separator: ", "))]"#
    }

    static func object(_ table: String) -> String { ##""$ref": "#/$defs/\##(table)""## }
}
