/// The keys of an object that is read, so that none comes twice.
///
/// Keys are compared by their bytes: `String` would take two spellings of one accented letter for the same key.
package struct SeenKeys {
    /// Up to here they are compared one by one: most objects are small, and a table for each took longer.
    private static let few = 16

    private var table: [[UInt8]: JSONPosition] = [:]

    package init() {}

    /// Where the key was before; nil for a new one.
    ///
    /// - Parameter members: all members before it.
    package mutating func add(_ key: String, at place: JSONPosition, behind members: [JSONMember]) -> JSONPosition? {
        guard members.count >= Self.few else {
            return members.first { $0.key.isSpelled(as: key) }?.keyPosition
        }
        if members.count == Self.few { for member in members { table[Array(member.key.utf8)] = member.keyPosition } }
        return table.updateValue(place, forKey: Array(key.utf8))
    }
}

extension String {
    /// Whether both have the same bytes: `==` takes two spellings of one accented letter for the same, which JSON does
    /// not (RFC 8259 8.3).
    package func isSpelled(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
