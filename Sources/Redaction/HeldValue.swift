import Bytes
import JSON

/// A value that is held back until it is known whether it is a secret.
struct HeldValue {
    enum Question {
        /// Whether a secret's name follows in the same object: `{"value":"x","name":"password"}`.
        case name(ofStructure: Bool)
        /// Whether a text in quotes, whose name is a secret's, looks like a credential.
        case look(SecretValue)
        /// Whether a text in quotes has the form of a key, or of a prime (RFC 7518); its name may be many things.
        case key(SecretValue, Bool)
        /// Whether an array begins with a secret's name and a value: `["password","x"]`.
        case pair
        /// Whether the line behind this one has a secret's name, as in a list of YAML: `value: x`, then `name: PASSWORD`.
        case line
    }

    /// A body's limit in the store; longer values are replaced, since they cannot be held back.
    private static let longest = 1 << 20
    /// The same for an object or an array.
    private static let longestStructure = 65_536
    private static let longestName = 64
    /// The same for two lines.
    private static let longestLines = 1024

    private let question: Question
    /// All bytes that were read.
    private(set) var text: [UInt8] = []
    /// The secret, once it is known, and where in `text` it begins.
    private(set) var secret: SecretValue?
    private(set) var start = 0
    private(set) var isOver = false
    private var depth = 0
    private var hasStructure = false
    private var quote: UInt8?
    private var lastString = 0..<0
    /// A label and its colon were read.
    private var isNamed = false

    init(_ question: Question) { self.question = question }

    /// Reads on; returns the place behind it.
    mutating func read(_ bytes: Span<UInt8>, from first: Int, _ core: RedactionCore) -> Int {
        var index = first
        while index < bytes.count, !isOver {
            if text.count >= limit {
                endTooLong(core)
                return index
            }
            if isLine {
                index = readLines(bytes, from: index, core)
            } else if let quote {
                index = readString(bytes, from: index, quote, core)
            } else {
                guard readStructure(bytes[index], core) else { return index }
                index += 1
            }
        }
        return index
    }

    private var limit: Int {
        switch question {
        case .name: hasStructure ? Self.longestStructure : Self.longest
        case .look, .key: ValueLook.longest
        case .pair: ValueLook.longest
        case .line: Self.longestLines
        }
    }

    // MARK: Lines

    var isLine: Bool { if case .line = question { true } else { false } }

    private mutating func readLines(_ bytes: Span<UInt8>, from start: Int, _ core: RedactionCore) -> Int {
        var index = start
        while index < bytes.count, text.count < Self.longestLines {
            let byte = bytes[index]
            // A second line break, which belongs to the text behind.
            if byte == 0x0A, text.contains(0x0A) {
                finish(core)
                return index
            }
            text.append(byte)
            index += 1
        }
        return index
    }

    /// Decides about lines that the text ends with.
    mutating func finish(_ core: RedactionCore) {
        guard isLine, !isOver else { return }
        isOver = true
        let lines = text.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
        guard lines.count == 2, lines[0].contains(where: { !ByteSearch.isSpace($0) }) else { return }
        let words = lines[1].split(separator: UInt8(ascii: ":"), maxSplits: 1).map { part in
            let marks = " \t\r\"'".utf8
            return Array(part.drop { marks.contains($0) }.reversed().drop { marks.contains($0) }.reversed())
        }
        guard words.count == 2, words[0].elementsEqual("name".utf8) || words[0].elementsEqual("key".utf8),
            words[1].count <= Self.longestName, core.names.contains(words[1], in: .member)
        else { return }
        secret = SecretValue(name: words[1], core: core)
    }

    private mutating func endTooLong(_ core: RedactionCore) {
        isOver = true
        switch question {
        // A list, and no value.
        case .name where hasStructure: break
        case .name: secret = SecretValue(name: Array("value".utf8), core: core)
        case .look(let value): if isAllOfOneWord { secret = value }
        case .key, .pair: break
        case .line: finish(core)
        }
    }

    /// Whether a text that is too long to be judged may be a key in base64.
    private var isAllOfOneWord: Bool {
        text.dropFirst().allSatisfy { CredentialLook.isWordByte($0) || $0 == UInt8(ascii: "=") }
    }

    private mutating func readString(_ bytes: Span<UInt8>, from index: Int, _ quote: UInt8, _ core: RedactionCore)
        -> Int
    {
        let end = min(bytes.count, index + limit - text.count)
        let stop = ByteSearch.byte(quote, in: bytes, from: index, to: end)
        text.append(bytes, index..<min(stop + 1, end))
        guard stop < end else { return end }
        if !isEscaped { endString(core) }
        return stop + 1
    }

    /// Whether backslashes in front of the last byte make it a part of the string.
    private var isEscaped: Bool {
        var count = 0
        while text.count - 2 - count >= lastString.lowerBound, text[text.count - 2 - count] == UInt8(ascii: "\\") {
            count += 1
        }
        return count % 2 == 1
    }

    private mutating func endString(_ core: RedactionCore) {
        quote = nil
        lastString = lastString.lowerBound..<text.count - 1
        switch question {
        case .name:
            guard isNamed, depth == 0 else { return }
            isNamed = false
            let name = NamedValue.lastSegment(Array(text[lastString].prefix(Self.longestName + 1)))
            guard name.count <= Self.longestName, core.names.contains(name, in: .member) else { return }
            (secret, isOver) = (SecretValue(name: name, core: core), true)
        case .look(let value):
            isOver = true
            if ValueLook.isLikely(text[lastString].span) { secret = value }
        case .key(let value, let isPrime):
            isOver = true
            if ValueLook.isKey(Array(text[lastString]), isPrime: isPrime) { secret = value }
        case .pair: endItem(core)
        case .line: break
        }
    }

    /// A string of an array: the first one has to be a name, the second one a value.
    private mutating func endItem(_ core: RedactionCore) {
        let item = Array(text[lastString])
        if let value = pairValue {
            isOver = true
            if ValueLook.isLikely(item.span) { (secret, start) = (value, lastString.lowerBound - 1) }
            return
        }
        let isName =
            item.count <= Self.longestName
            && item.allSatisfy { ByteSearch.isAlphanumeric($0) || $0 >= 0x80 || "-_.".utf8.contains($0) }
        guard isName, core.names.contains(item, in: .member) else {
            isOver = true
            return
        }
        pairValue = SecretValue(name: item, core: core)
    }

    private var pairValue: SecretValue?

    /// False for a byte that ends it and is not a part of it.
    private mutating func readStructure(_ byte: UInt8, _ core: RedactionCore) -> Bool {
        switch byte {
        case UInt8(ascii: "\""):
            quote = byte
            lastString = text.count + 1..<text.count + 1
        case UInt8(ascii: "'"), UInt8(ascii: "`"):
            if case .look = question {
                quote = byte
                lastString = text.count + 1..<text.count + 1
            }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard case .name(true) = question, depth < NestingLimit.bodies else { return end() }
            (depth, hasStructure) = (depth + 1, true)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            guard depth > 0 else { return end() }
            depth -= 1
        case UInt8(ascii: ":"):
            guard case .name = question else { return end() }
            guard depth == 0 else { break }
            let last = text[lastString]
            isNamed = NamedValue.isLabel(last.span)
            // The next one is held back separately.
            if NamedValue.isValue(last.span) { isOver = true }
        case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D: break
        default:
            if case .name = question { break }
            return end()
        }
        text.append(byte)
        return true
    }

    private mutating func end() -> Bool {
        isOver = true
        return false
    }
}
