package import JSON

/// The members of one object of a profile, checked against the keys it may have.
package struct Fields {
    let place: JSONPosition
    let reporter: Reporter
    let members: [JSONMember]
    private let table: (any KeyTable)?

    /// Reports unknown keys; nil when the value is no object at all, which is reported too.
    package init?(_ value: JSONValue, _ what: String, keys: [String], _ reporter: Reporter) {
        self.init(value, what, keys, nil, reporter)
    }

    /// - Parameter what: what messages call it, if that is not the table's noun.
    init?(_ value: JSONValue, _ table: any KeyTable, what: String? = nil, _ reporter: Reporter) {
        self.init(value, what ?? table.noun, table.names, table, reporter)
    }

    private init?(
        _ value: JSONValue, _ what: String, _ keys: [String], _ table: (any KeyTable)?, _ reporter: Reporter
    ) {
        guard let members = value.object else {
            reporter.report(value, "\(value.kindName) where \(what) should be", expected: "an object")
            return nil
        }
        for member in members where !keys.contains(where: { $0.isKey(member.key) }) {
            reporter.report(
                member, "unknown key \"\(member.key)\" in \(what)", expected: "one of \(keys.joined(separator: ", "))",
                hint: didYouMean(member.key, among: keys))
        }
        (self.members, self.reporter, self.table, place) = (members, reporter, table, value.position)
    }

    package subscript(_ key: String) -> JSONValue? { member(key)?.value }

    package func member(_ key: String) -> JSONMember? {
        // In place: a route is asked for some fifty keys and has three.
        for at in members.indices where key.isKey(members[at].key) { return members[at] }
        return nil
    }

    /// The object under a key; nil where there is none, and after a report.
    func fields(_ key: String, _ table: any KeyTable, _ what: String? = nil) -> Fields? {
        guard let value = self[key] else { return nil }
        guard value.object != nil else {
            wrongKind(key, value)
            return nil
        }
        return Fields(value, table, what: what, reporter)
    }

    /// The text under a key; anything but a string is reported.
    package func string(_ key: String, expected: String? = nil) -> String? {
        guard let value = self[key] else { return nil }
        if value.string == nil { wrongKind(key, value, expected) }
        return value.string
    }

    func bool(_ key: String) -> Bool? { member(key).flatMap { ValueKind<Bool>.flag.read($0, self) } }

    /// The list under a key, empty when there is none.
    package func array(_ key: String, expected: String? = nil) -> [JSONValue] {
        guard let value = self[key] else { return [] }
        if value.array == nil { wrongKind(key, value, expected) }
        return value.array ?? []
    }

    /// The texts of the list under a key with their places; items of another kind are reported.
    func texts(_ key: String, one: String) -> [(text: String, place: JSONPosition)] {
        array(key).compactMap { item in
            guard let text = item.string else {
                return reporter.refuse(item, "\(spelling(item)) under \"\(key)\"", expected: one)
            }
            return (text, item.position)
        }
    }

    /// The members under a key, empty when there are none.
    package func object(_ key: String, expected: String? = nil) -> [JSONMember] {
        guard let value = self[key] else { return [] }
        if value.object == nil { wrongKind(key, value, expected) }
        return value.object ?? []
    }

    func report(_ place: (any Placed)?, _ message: String, expected: String? = nil, hint: String? = nil) {
        reporter.report(place, message, expected: expected, hint: hint)
    }

    /// Reports a problem in place of a value.
    func refuse<Value>(
        _ place: (any Placed)?, _ message: String, expected: String? = nil, hint: String? = nil
    ) -> Value? {
        reporter.refuse(place, message, expected: expected, hint: hint)
    }

    /// What the key's declaration says.
    func expected(of key: String) -> String? { table?.expected(of: key) }

    /// - Parameter expected: nil for what the key's declaration says.
    func wrongKind(_ key: String, _ value: JSONValue, _ expected: String? = nil) {
        reporter.report(value, "\"\(key)\" is \(value.kindName)", expected: expected ?? self.expected(of: key))
    }
}

extension String {
    /// This key, which is ASCII, is the one that stands in a file; the lengths alone tell most from it.
    func isKey(_ other: String) -> Bool { utf8.count == other.utf8.count && self == other }
}
