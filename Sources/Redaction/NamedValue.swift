import Bytes

/// Follows JSON from a member such as `"name"` on, to know whether the `"value"` beside it is a secret's:
/// `{"name":"password","value":"x"}`.
struct NamedValue {
    private enum State {
        case idle
        /// Before the string that follows the member's colon.
        case colon
        case string
        /// The string is a secret's name.
        case armed
    }

    private static let longest = 64

    private var state = State.idle
    private var level = 0
    private(set) var name: [UInt8] = []
    private var isInString = false
    private var backslashes = 0
    private var depth = 0

    var isActive: Bool { if case .idle = state { false } else { true } }
    var isArmed: Bool { if case .armed = state { !isInString && depth == 0 } else { false } }
    /// The name is the end of a path (JSON Patch, RFC 6902), and the value's member is called `value`.
    private(set) var isPath = false

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

    /// Whether a member holds a name.
    static func isLabel(_ name: Span<UInt8>) -> Bool {
        switch name.count {
        case 1: name.spells("k")
        case 2: name.spells("id")
        case 3: name.spells("key")
        case 4: name.spells("name") || name.spells("path")
        case 5: name.spells("field") || name.spells("label") || name.spells("param")
        case 6: name.spells("header")
        case 8: name.spells("variable") || name.spells("property")
        case 9: name.spells("parameter") || name.spells("fieldname")
        default: false
        }
    }

    /// Whether a member holds the value.
    static func isValue(_ name: Span<UInt8>) -> Bool {
        switch name.count {
        case 1: name.spells("v")
        case 3: name.spells("val")
        case 4: name.spells("data") || name.spells("text")
        case 5: name.spells("value")
        case 6: name.spells("values")
        case 7: name.spells("content")
        default: false
        }
    }

    /// A name, or the last one of a path of names.
    static func lastSegment(_ name: [UInt8]) -> [UInt8] {
        guard name.first == UInt8(ascii: "/"), let slash = name.lastIndex(of: UInt8(ascii: "/")) else { return name }
        return Array(name[(slash + 1)...])
    }

    /// A label and its colon were read, with so many backslashes before their quotes.
    mutating func begin(level: Int) {
        (state, self.level, isInString, backslashes, depth) = (.colon, level, false, 0, 0)
        name.removeAll(keepingCapacity: true)
    }

    mutating func end() { state = .idle }

    mutating func read(_ bytes: Span<UInt8>, _ range: Range<Int>, _ names: SecretNames) {
        for index in range {
            let byte = bytes[index]
            switch state {
            case .idle: return
            case .colon:
                if byte == UInt8(ascii: "\"") {
                    state = .string
                } else if !ByteSearch.isSpace(byte), byte != UInt8(ascii: ":"), byte != UInt8(ascii: "\\") {
                    state = .idle
                }
            case .string:
                if byte == UInt8(ascii: "\"") {
                    while name.last == UInt8(ascii: "\\") { name.removeLast() }
                    isPath = name.first == UInt8(ascii: "/")
                    name = Self.lastSegment(name)
                    state = names.contains(name, in: .member) ? .armed : .idle
                } else {
                    name.append(byte)
                    if name.count > Self.longest { state = .idle }
                }
            case .armed: follow(byte)
            }
        }
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
            if depth < 0 { state = .idle }
        default: break
        }
    }
}
