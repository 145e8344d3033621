extension JSONReader {
    /// Reads a text without a tree of it, and calls `body` for each member of its outermost object.
    ///
    /// The text is checked as by ``read(_:dialect:sizeLimit:)``, but for keys that come twice.
    /// - Parameter body: gets the value where it is a string, else nil.
    public static func eachMember(
        of bytes: [UInt8], _ body: (_ key: String, _ value: String?) -> Void
    ) throws(JSONFailure) {
        var reader = JSONReader(bytes, .strict)
        try reader.whole { (reader) throws(JSONFailure) in try reader.skip(body, isOuter: true) }
    }

    private mutating func skip(
        _ body: (_ key: String, _ value: String?) -> Void, isOuter: Bool = false
    ) throws(JSONFailure) {
        try skipSpace()
        let start = at
        switch peek {
        case UInt8(ascii: "["):
            try descend()
            try skipSpace()
            if peek != UInt8(ascii: "]") {
                repeat { try skip(body) } while try separator(closing: UInt8(ascii: "]"), opened: start, "array")
            }
            ascend()
        case UInt8(ascii: "{"):
            try descend()
            try skipSpace()
            if peek != UInt8(ascii: "}") {
                repeat {
                    try skipMember(body, isOuter)
                } while try separator(closing: UInt8(ascii: "}"), opened: start, "object")
            }
            ascend()
        default: _ = try scalar()
        }
    }

    private mutating func skipMember(
        _ body: (_ key: String, _ value: String?) -> Void, _ isOuter: Bool
    ) throws(JSONFailure) {
        try skipSpace()
        let name = try key()
        try skipSpace()
        guard peek == UInt8(ascii: ":") else {
            throw failure(at, "\(found(at)) after the key \"\(name)\"", expected: "`:`")
        }
        at += 1
        try skipSpace()
        let value = peek == UInt8(ascii: "\"") ? try string() : nil
        if value == nil { try skip(body) }
        if isOuter { body(name, value) }
    }
}
