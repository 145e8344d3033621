import CYAML
import JSON

/// A scalar of YAML, whose kind the core schema of YAML 1.2 tells.
struct YAMLScalar {
    static let prefix = "tag:yaml.org,2002:"

    let text: String
    /// Without quotes, and without a tag.
    let isPlain: Bool
    private let tag: String?

    init(_ event: yaml_event_t) {
        let scalar = event.data.scalar
        text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
        tag = scalar.tag.map { String(cString: $0) }
        isPlain = scalar.plain_implicit != 0 && scalar.style == YAML_PLAIN_SCALAR_STYLE
    }

    func kind(at place: JSONPosition) throws(JSONFailure) -> JSONValue.Kind {
        guard let tag else { return isPlain ? try plain(place) : .string(text) }
        guard tag.hasPrefix(Self.prefix) else { throw unknown(tag, place) }
        let name = String(tag.dropFirst(Self.prefix.count))
        if name == "str" { return .string(text) }
        let kind = try plain(place)
        switch (name, kind) {
        case ("null", .null), ("bool", .bool), ("float", .number): return kind
        case ("int", .number(let number)) where number.int64 != nil: return kind
        case ("int", _), ("float", _), ("bool", _), ("null", _):
            throw JSONFailure(position: place, message: "`\(text)` is no !!\(name)", expected: "a value of that kind")
        default: throw unknown(tag, place)
        }
    }

    private func unknown(_ tag: String, _ place: JSONPosition) -> JSONFailure {
        JSONFailure(
            position: place, message: "the tag \(tag) is unknown",
            expected: "!!str, !!int, !!float, !!bool, !!null, or no tag")
    }

    private func plain(_ place: JSONPosition) throws(JSONFailure) -> JSONValue.Kind {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF", ".nan", ".NaN", ".NAN":
            throw JSONFailure(
                position: place, message: "`\(text)` is no number of JSON", expected: "a finite number, or quotes")
        default: return number.map { .number($0) } ?? .string(text)
        }
    }

    /// The number that it spells; nil if it spells none.
    private var number: JSONNumber? {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, first &- 0x30 < 10 || [0x2B, 0x2D, 0x2E].contains(first) else { return nil }
        for (prefix, radix) in [("0x", 16), ("0o", 8)] where text.hasPrefix(prefix) {
            let digits = text.dropFirst(2)
            guard digits.first != "+", digits.first != "-", let value = UInt64(digits, radix: radix) else { return nil }
            return JSONNumber(text: text, json: String(value))
        }
        var rest = bytes[...]
        var json = ""
        if rest.first == 0x2B || rest.first == 0x2D {
            if rest.removeFirst() == 0x2D { json = "-" }
        }
        func digits() -> String {
            let run = rest.prefix { $0 &- 0x30 < 10 }
            rest = rest.dropFirst(run.count)
            return String(decoding: run, as: UTF8.self)
        }
        let whole = digits()
        var fraction = ""
        if rest.first == 0x2E {
            rest.removeFirst()
            fraction = digits()
        }
        guard !(whole.isEmpty && fraction.isEmpty) else { return nil }
        let significant = whole.drop { $0 == "0" }
        json += significant.isEmpty ? "0" : significant
        if !fraction.isEmpty { json += "." + fraction }
        if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            json += "e"
            if rest.first == 0x2B || rest.first == 0x2D { json += rest.removeFirst() == 0x2D ? "-" : "+" }
            let power = digits()
            guard !power.isEmpty else { return nil }
            json += power
        }
        return rest.isEmpty ? JSONNumber(text: text, json: json) : nil
    }
}
