import JSON

/// The keys of one kind of object of a profile.
struct Keys<Target>: KeyTable {
    let name: String
    let noun: String
    let all: [Key<Target>]
    let required: [String]
    let names: [String]
    /// More members of its JSON Schema.
    private let more: String

    /// - Parameters:
    ///   - name: that of its definition in the schema, and of its table in documents.
    ///   - noun: what messages call the object.
    init(_ name: String, _ noun: String, required: [String] = [], more: String = "", _ all: [Key<Target>]) {
        (self.name, self.noun, self.all, self.required, self.more) = (name, noun, all, required, more)
        names = all.map(\.name)
    }

    /// Reads the object under a key into a target; nil where there is none, and after a report.
    @discardableResult
    func read(_ key: String, of outer: Fields, _ what: String? = nil, into target: inout Target) -> Fields? {
        guard let fields = outer.fields(key, self, what) else { return nil }
        read(fields, into: &target)
        return fields
    }

    /// Reads `true`, `false` or an object; nil for `false`, and after a report.
    func read(_ member: JSONMember, of outer: Fields, on: Target) -> Target? {
        if let isOn = member.value.bool { return isOn ? on : nil }
        var target = on
        return read(member.key, of: outer, into: &target).map { _ in target }
    }

    func read(_ fields: Fields, into target: inout Target) {
        for member in fields.members {
            self[member.key]?.read(member, fields, &target)
        }
    }

    subscript(_ name: String) -> Key<Target>? {
        // In place: to copy each line of the table is to count all that it refers to.
        all.indices.first { all[$0].name.isKey(name) }.map { all[$0] }
    }

    func expected(of name: String) -> String? { self[name]?.expected }

    /// Writes the members that hold, for explanations.
    func write(_ target: Target, into writer: inout JSONWriter) { for key in all { key.write(target, &writer) } }

    var rows: [KeyRow] {
        all.map { key in
            KeyRow(
                name: key.name, value: key.expected, meaning: key.meaning, usual: key.usual, see: key.see,
                beside: key.beside.flatMap { $0.responders == [key.name] ? nil : $0.text })
        }
    }

    var schema: String {
        let properties = all.map { key in
            var text = JSONWriter()
            text.value(key.meaning + (key.usual.map { " Without this key: \($0)." } ?? ""))
            return "\"\(key.name)\": { \"description\": \(text.text)\(key.schema.isEmpty ? "" : ", ")\(key.schema) }"
        }
        let required =
            required.isEmpty
            ? "" : ", \"required\": [\(required.map { "\"\($0)\"" }.joined(separator: ", "))]"
        return "\"type\": \"object\", \"additionalProperties\": false\(required)\(more), "
            + "\"properties\": { \(properties.joined(separator: ", ")) }"
    }
}

/// The keys of an object, without the type that they are decoded into.
protocol KeyTable: Sendable {
    var name: String { get }
    var noun: String { get }
    var names: [String] { get }
    var rows: [KeyRow] { get }
    /// What messages expect under a key; nil for no key of it.
    func expected(of name: String) -> String?
    /// The members of its JSON Schema.
    var schema: String { get }
}

/// What documents say of a key.
package struct KeyRow: Sendable {
    package let name: String
    package let value: String
    package let meaning: String
    package let usual: String?
    package let see: String?
    /// The responders beside which alone it may be, in words.
    package let beside: String?
}
