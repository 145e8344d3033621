import Bytes

/// A secret's name in a member such as `"name"`: follows JSON from there on, to know whether the `"value"` is beside it:
/// `{"name":"password","value":"x"}`.
struct NamedValue {
    private static let longest = 64

    /// What a member has to do with such names.
    enum Role {
        case label, value
    }

    let name: [UInt8]
    /// The name is the end of a path (JSON Patch, RFC 6902), and the value's member is called `value`.
    let isPath: Bool
    private let level: Int
    /// How much was read behind the name.
    private var place: Int
    private var isInString = false
    private var backslashes = 0
    private var depth = 0
    /// The object has ended.
    private var isOver = false

    /// The secret's name behind the colon of a label, whose quotes have so many backslashes before them; nil for others.
    init?(_ bytes: Span<UInt8>, from start: Int, level: Int, _ names: SecretNames, _ isOpen: inout Bool) {
        var index = start
        while index < bytes.count, ByteSearch.isSpace(bytes[index]) || bytes[index] == UInt8(ascii: "\\") { index += 1 }
        let limit = min(bytes.count, index + Self.longest + 2)
        guard index < limit, bytes[index] == UInt8(ascii: "\"") else {
            isOpen = isOpen || index == bytes.count
            return nil
        }
        let end = ByteSearch.byte(UInt8(ascii: "\""), in: bytes, from: index + 1, to: limit)
        guard end < limit else {
            isOpen = isOpen || end == bytes.count
            return nil
        }
        var text = bytes.extracting(index + 1..<end).withUnsafeBytes { Array($0) }
        while text.last == UInt8(ascii: "\\") { text.removeLast() }
        (name, isPath) = (Self.lastSegment(text), text.first == UInt8(ascii: "/"))
        (self.level, place) = (level, end + 1)
        guard names.contains(name, in: .member) else { return nil }
    }

    /// Whether the next member is of the same object.
    var isArmed: Bool { !isInString && depth == 0 && !isOver }

    /// Bytes in front will be missing from now on.
    mutating func drop(_ count: Int) { place -= count }

    /// A value was read by another reader.
    mutating func pass(to end: Int) { place = end }

    mutating func read(_ bytes: Span<UInt8>, to end: Int) {
        guard place < end else { return }
        for index in place..<end { follow(bytes[index]) }
        place = end
    }

    /// Whether a member may be the secret part of a key (RFC 7518 6).
    static func isKey(_ name: Span<UInt8>) -> Bool {
        switch name.count {
        case 1: name.spells("k") || name.spells("d") || isPrime(name)
        case 2: name.spells("dp") || name.spells("dq") || name.spells("qi")
        default: false
        }
    }

    /// Whether a member may be a prime of an RSA key, and else is a page or a search.
    static func isPrime(_ name: Span<UInt8>) -> Bool { name.spells("p") || name.spells("q") }

    /// A name, or the last one of a path of names.
    static func lastSegment(_ name: [UInt8]) -> [UInt8] {
        guard name.first == UInt8(ascii: "/"), let slash = name.lastIndex(of: UInt8(ascii: "/")) else { return name }
        return Array(name[(slash + 1)...])
    }

    private mutating func follow(_ byte: UInt8) {
        if byte == UInt8(ascii: "\\") {
            backslashes += 1
            return
        }
        let before = backslashes
        backslashes = 0
        switch byte {
        case UInt8(ascii: "\"") where level == 0 ? before % 2 == 0 : before == level: isInString.toggle()
        case UInt8(ascii: "{") where !isInString, UInt8(ascii: "[") where !isInString: depth += 1
        case UInt8(ascii: "}") where !isInString, UInt8(ascii: "]") where !isInString:
            depth -= 1
            if depth < 0 { isOver = true }
        default: break
        }
    }
}
