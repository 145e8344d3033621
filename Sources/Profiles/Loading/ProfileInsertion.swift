import JSON

/// Puts a member into the array or object under a key of a profile's text, whose comments and spellings stay.
enum ProfileInsertion {
    /// - Parameters:
    ///   - brackets: the brackets of the array or object, which is made if it is not there.
    ///   - expected: completes "expected …".
    /// - Throws: where the text is no profile's.
    static func inserting(
        _ text: String, under key: String, _ brackets: (open: String, close: String), expected: String,
        into profile: [UInt8]
    ) throws(JSONFailure) -> [UInt8] {
        let value = try JSONReader.read(profile)
        guard let members = value.object else {
            throw JSONFailure(position: value.position, message: "a profile is an object", expected: "`{`")
        }
        var (outer, inserted, isEmpty) = (
            value, "\"\(key)\": \(brackets.open)\n\(text)\n\(brackets.close)", members.isEmpty
        )
        if let list = value[key] {
            let count = brackets.open == "[" ? list.array?.count : list.object?.count
            guard let count else {
                throw JSONFailure(
                    position: list.position, message: "\"\(key)\" is \(list.kindName)", expected: expected)
            }
            (outer, inserted, isEmpty) = (list, text, count == 0)
        }
        let place = outer.position.offset + 1
        let piece = "\n" + inserted + (isEmpty ? "\n" : ",\n")
        return try JSONFormatter.format(Array(profile[..<place]) + Array(piece.utf8) + Array(profile[place...]))
    }
}
