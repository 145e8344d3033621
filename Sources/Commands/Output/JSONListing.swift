import JSON

/// An object whose list is written element by element, and which is printed at its end.
struct JSONListing {
    private(set) var json = JSONWriter(style: .pretty)

    /// - Parameter list: the key of the list, behind `members`.
    init(_ members: JSONMembers, list: String) {
        json.beginObject()
        json.members(members)
        json.key(list)
        json.beginArray()
    }

    mutating func add(_ members: (_ object: inout JSONWriter) -> Void) { json.object(members) }

    /// - Parameter members: behind the list.
    mutating func finish(_ members: (_ object: inout JSONWriter) -> Void) {
        json.endArray()
        members(&json)
        json.endObject()
        Terminal.out(json.text + "\n")
    }
}
