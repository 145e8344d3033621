/// Reads JSON text into a tree with positions.
///
/// No input makes it trap: nesting and size are bounded, numbers stay text, invalid UTF-8 is reported with its place.
public struct JSONReader {
    public enum Dialect: Sendable {
        /// JSON5: comments, trailing commas, single quotes, unquoted keys, hexadecimal and signed numbers.
        /// `Infinity` and `NaN` are refused, and so are escapes in unquoted keys.
        case json5
        /// RFC 8259, with unique keys and without lone surrogates.
        case strict
    }

    let bytes: [UInt8]
    let dialect: Dialect
    var at = 0
    private var depth = 0
    private var mark: JSONPosition

    init(_ bytes: [UInt8], _ dialect: Dialect) {
        self.bytes = bytes
        self.dialect = dialect
        // A byte order mark is not something one sees: columns start behind it.
        at = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        mark = JSONPosition(offset: at, line: 1, column: 1)
    }

    /// Reads one value and nothing behind it.
    public static func read(
        _ bytes: [UInt8], dialect: Dialect = .json5, sizeLimit: Int = 16 << 20
    ) throws(JSONFailure) -> JSONValue {
        var reader = JSONReader(bytes, dialect)
        guard bytes.count <= sizeLimit else {
            throw JSONFailure(
                position: reader.position(0), message: "the text has \(bytes.count) bytes",
                expected: "at most \(sizeLimit)")
        }
        return try reader.whole { (reader) throws(JSONFailure) in try reader.value() }
    }

    /// Reads a text that has to be UTF-8 and has nothing behind its value.
    mutating func whole<Value>(
        _ read: (inout JSONReader) throws(JSONFailure) -> Value
    ) throws(JSONFailure) -> Value {
        if let offset = firstInvalidUTF8(bytes) {
            throw failure(offset, "byte 0x\(hex(bytes[offset])) is not valid UTF-8", expected: "UTF-8 text")
        }
        let value = try read(&self)
        try skipSpace()
        guard at == bytes.count else {
            throw failure(at, "\(found(at)) after the value", expected: "the end of the text")
        }
        return value
    }

    /// Reads the UTF-8 of a string.
    public static func read(_ text: String, dialect: Dialect = .json5) throws(JSONFailure) -> JSONValue {
        try read(Array(text.utf8), dialect: dialect)
    }

    /// The offset behind a value of a text in JSON5 that has been read.
    public static func end(ofValueAt offset: Int, in bytes: [UInt8]) throws(JSONFailure) -> Int {
        var reader = JSONReader(bytes, .json5)
        reader.at = offset
        _ = try reader.value()
        return reader.at
    }

    mutating func value() throws(JSONFailure) -> JSONValue {
        try skipSpace()
        let place = position(at)
        let kind: JSONValue.Kind
        switch peek ?? 0 {
        case UInt8(ascii: "{"): kind = .object(try object())
        case UInt8(ascii: "["): kind = .array(try array())
        default: kind = try scalar()
        }
        return JSONValue(kind: kind, position: place)
    }

    /// Any value but an array or an object.
    mutating func scalar() throws(JSONFailure) -> JSONValue.Kind {
        switch peek ?? 0 {
        case UInt8(ascii: "\""): .string(try string())
        case UInt8(ascii: "'") where dialect == .json5: .string(try string())
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
            .number(try number())
        default: try word()
        }
    }

    private mutating func array() throws(JSONFailure) -> [JSONValue] {
        let start = at
        try descend()
        var items: [JSONValue] = []
        while true {
            try skipSpace()
            if peek == UInt8(ascii: "]"), items.isEmpty || dialect == .json5 { break }
            items.append(try value())
            guard try separator(closing: UInt8(ascii: "]"), opened: start, "array") else { break }
        }
        ascend()
        return items
    }

    private mutating func object() throws(JSONFailure) -> [JSONMember] {
        let start = at
        try descend()
        var members: [JSONMember] = []
        // One allocation instead of three for most objects.
        members.reserveCapacity(4)
        var seen = SeenKeys()
        while true {
            try skipSpace()
            if peek == UInt8(ascii: "}"), members.isEmpty || dialect == .json5 { break }
            let place = position(at)
            let name = try key()
            if let first = seen.add(name, at: place, behind: members) {
                throw JSONFailure(
                    position: place, message: "the key \"\(name)\" is already there, at \(first)",
                    expected: "each key once")
            }
            try skipSpace()
            guard peek == UInt8(ascii: ":") else {
                throw failure(at, "\(found(at)) after the key \"\(name)\"", expected: "`:`")
            }
            at += 1
            members.append(JSONMember(key: name, keyPosition: place, value: try value()))
            guard try separator(closing: UInt8(ascii: "}"), opened: start, "object") else { break }
        }
        ascend()
        return members
    }

    mutating func key() throws(JSONFailure) -> String {
        switch peek {
        case UInt8(ascii: "\""): return try string()
        case UInt8(ascii: "'") where dialect == .json5: return try string()
        default:
            let start = at
            if dialect == .json5, let name = identifier() { return name }
            throw failure(start, "\(found(start)) where a key should be", expected: "a key in double quotes or `}`")
        }
    }

    /// Steps over `,` and returns true, or stops before the closing bracket and returns false.
    mutating func separator(
        closing: UInt8, opened: Int, _ what: String
    ) throws(JSONFailure) -> Bool {
        try skipSpace()
        if peek == closing { return false }
        guard peek == UInt8(ascii: ",") else {
            let start = position(opened)
            throw failure(
                at, "\(found(at)) in the \(what) that starts at \(start)",
                expected: "`,` or `\(Character(Unicode.Scalar(closing)))`")
        }
        at += 1
        return true
    }

    mutating func descend() throws(JSONFailure) {
        depth += 1
        if depth > NestingLimit.values {
            throw failure(at, "arrays and objects nest too deep", expected: "at most \(NestingLimit.values) levels")
        }
        at += 1
    }

    mutating func ascend() {
        depth -= 1
        at += 1
    }
}

extension JSONReader {
    var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

    /// Line and column of a byte; cheap when asked for in rising order.
    mutating func position(_ offset: Int) -> JSONPosition {
        var (from, line, column) = (mark.offset, mark.line, mark.column)
        if offset < from {
            (from, line, column) = (min(offset, bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0), 1, 1)
        }
        while from < offset {
            let byte = bytes[from]
            let isReturnOfPair =
                byte == UInt8(ascii: "\r") && from + 1 < bytes.count && bytes[from + 1] == UInt8(ascii: "\n")
            if byte == UInt8(ascii: "\n") || (byte == UInt8(ascii: "\r") && !isReturnOfPair) {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
            from += 1
        }
        let place = JSONPosition(offset: offset, line: line, column: column)
        if offset >= mark.offset { mark = place }
        return place
    }

    mutating func failure(_ offset: Int, _ message: String, expected: String? = nil) -> JSONFailure {
        JSONFailure(position: position(offset), message: message, expected: expected)
    }

    /// What stands at an offset, for messages.
    func found(_ offset: Int) -> String {
        guard let scalar = scalar(at: offset) else { return "the end of the text" }
        switch scalar {
        case "\n", "\r": return "a line break"
        case _ where scalar.value < 0x20 || scalar.value == 0x7F || scalar.properties.isDefaultIgnorableCodePoint:
            return "the character U+\(hex(scalar.value, digits: 4))"
        default: return "`\(scalar)`"
        }
    }

    /// The scalar that starts at an offset; the text is known to be valid UTF-8 by then.
    func scalar(at offset: Int) -> Unicode.Scalar? {
        guard offset < bytes.count else { return nil }
        return String(decoding: bytes[offset..<min(offset + 4, bytes.count)], as: UTF8.self).unicodeScalars.first
    }
}
