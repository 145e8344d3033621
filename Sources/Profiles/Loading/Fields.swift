package import JSON

/// The members of one object of a profile, checked against the keys it may have.
package struct Fields {
    let place: JSONPosition
    let reporter: Reporter
    private let members: [JSONMember]

    /// Reports unknown keys; nil when the value is no object at all, which is reported too.
    package init?(_ value: JSONValue, _ what: String, keys: [String], _ reporter: Reporter) {
        guard let members = value.object else {
            reporter.report(value.position, "\(value.kindName) where \(what) should be", expected: "an object")
            return nil
        }
        for member in members where !keys.contains(where: { $0.isKey(member.key) }) {
            reporter.report(
                member.keyPosition, "unknown key \"\(member.key)\" in \(what)",
                expected: "one of \(keys.joined(separator: ", "))", hint: didYouMean(member.key, among: keys))
        }
        self.members = members
        self.reporter = reporter
        place = value.position
    }

    var count: Int { members.count }

    package subscript(_ key: String) -> JSONValue? { member(key)?.value }

    package func member(_ key: String) -> JSONMember? {
        // In place: a route is asked for some fifty keys and has three.
        for at in members.indices where key.isKey(members[at].key) { return members[at] }
        return nil
    }

    /// The text under a key; anything but a string is reported.
    package func string(_ key: String, expected: String = "a string") -> String? {
        guard let value = self[key] else { return nil }
        if value.string == nil { wrongKind(key, value, expected) }
        return value.string
    }

    func bool(_ key: String) -> Bool? {
        guard let value = self[key] else { return nil }
        if value.bool == nil { wrongKind(key, value, "true or false") }
        return value.bool
    }

    /// The list under a key, empty when there is none.
    package func array(_ key: String, expected: String) -> [JSONValue] {
        guard let value = self[key] else { return [] }
        if value.array == nil { wrongKind(key, value, expected) }
        return value.array ?? []
    }

    /// The texts of the list under a key with their places; items of another kind are reported.
    func texts(_ key: String, _ expected: String, one: String) -> [(text: String, place: JSONPosition)] {
        array(key, expected: expected).compactMap { item in
            guard let text = item.string else {
                reporter.report(item.position, "\(item.kindName) under \"\(key)\"", expected: one)
                return nil
            }
            return (text, item.position)
        }
    }

    /// The members under a key, empty when there are none.
    package func object(_ key: String, expected: String) -> [JSONMember] {
        guard let value = self[key] else { return [] }
        if value.object == nil { wrongKind(key, value, expected) }
        return value.object ?? []
    }

    func wrongKind(_ key: String, _ value: JSONValue, _ expected: String) {
        reporter.report(value.position, "\"\(key)\" is \(value.kindName)", expected: expected)
    }
}

extension String {
    /// This key, which is ASCII, is the one that stands in a file; the lengths alone tell most from it.
    fileprivate func isKey(_ other: String) -> Bool { utf8.count == other.utf8.count && self == other }
}
