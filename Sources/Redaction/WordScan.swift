import Bytes

/// Reads the value of one secret that stands without quotes, to its end and not beyond.
///
/// A scheme in front of a credential stays (`Authorization: Basic dTpw`). A bracket, a comma or an apostrophe ends it
/// only where nothing but the end of a word follows.
struct WordScan {
    enum End {
        /// White space, a quote, or what separates parameters and settings.
        case word
        /// A comma, too.
        case number
        /// The same for a member of JSON5, whose type stays.
        case member
        /// The end of the line, or of a text in quotes around it.
        case field
        /// The end of the line.
        case line
        /// A quote as some write it in JSON in a string: `\u0022`. The first one, behind its backslash, is read, too.
        case escapedQuote
    }

    private static let escapedQuote = Array(#"\u0022"#.utf8)

    private var end: End
    /// Whether a backslash begins an escape, and thereby ends the value unless it stands for a slash.
    private let hasEscapes: Bool
    /// Whether a word of small letters is prose (`token: expected`) and stays.
    private var isProse: Bool
    /// Whether only what looks like a credential is one.
    private let isLikely: Bool
    private var secret: SecretValue
    private let empty: SecretValue
    /// What may stand behind the value.
    private var held: [UInt8] = []
    /// How much of the first quote was read.
    private var opened = 1
    private(set) var isOver = false
    /// Whether the backslash of an escape was read as well.
    private(set) var endsInEscape = false
    /// Blanks behind a scheme.
    private var isAfterScheme = false

    init(_ secret: SecretValue, to end: End, hasEscapes: Bool, isProse: Bool, isLikely: Bool = false) {
        (self.secret, self.end, self.hasEscapes) = (secret, end, hasEscapes)
        (empty, self.isProse, self.isLikely) = (secret, isProse, isLikely)
    }

    /// Whether a value may begin so.
    static func canBegin(_ byte: UInt8) -> Bool { !isHardEnd(byte) && !",)]}".utf8.contains(byte) }

    /// Reads on; gives where what follows the value begins.
    mutating func read(_ bytes: Span<UInt8>, from start: Int, into out: inout [UInt8]) -> Int {
        for index in start..<bytes.count {
            let byte = bytes[index]
            if end == .escapedQuote, opened < Self.escapedQuote.count {
                out.append(byte)
                opened += 1
                continue
            }
            if end == .escapedQuote, held.count == Self.escapedQuote.count || byte == UInt8(ascii: "\"") {
                finish(into: &out)
                return index
            }
            if ByteSearch.isBlank(byte), isAfterScheme || passScheme(into: &out) {
                out.append(byte)
                continue
            }
            isAfterScheme = false
            if isEnd(byte) {
                finish(into: &out)
                return index
            }
            if mayFollow(byte), held.count < 64 {
                held.append(byte)
            } else {
                secret.append(held)
                held.removeAll(keepingCapacity: true)
                if end == .escapedQuote, byte == UInt8(ascii: "\\") { held.append(byte) } else { secret.append(byte) }
            }
        }
        return bytes.count
    }

    /// Writes a scheme that has been read, behind which the credential begins.
    private mutating func passScheme(into out: inout [UInt8]) -> Bool {
        guard held.isEmpty, end != .escapedQuote, !secret.isLong, FieldRedaction.isScheme(secret.text.span) else {
            return false
        }
        out.append(contentsOf: secret.text)
        // Several parameters follow such as `Digest`, one word the others.
        if end != .line { end = FieldRedaction.hasParameters(scheme: secret.text.span) ? .field : .word }
        (secret, isAfterScheme, isProse) = (empty, true, isProse && !empty.isAuthorization)
        return true
    }

    mutating func finish(into out: inout [UInt8]) {
        if isLikely, !secret.isLong, !ValueLook.isLikely(secret.text.span) {
            out.append(contentsOf: secret.text)
        } else if end == .field, isProse, !secret.isLong, !secret.text.contains(UInt8(ascii: "=")) {
            out.append(contentsOf: secret.text)
        } else if end == .member {
            secret.finishWord(level: 0, into: &out)
        } else if isProse, !secret.isLong, secret.text.dropFirst().allSatisfy({ $0 &- 0x61 < 26 }),
            secret.text.first.map({ ($0 | 0x20) &- 0x61 < 26 }) ?? true
        {
            out.append(contentsOf: secret.text)
        } else {
            secret.finish(.plain, into: &out)
        }
        out.append(contentsOf: held)
        endsInEscape = held.last == UInt8(ascii: "\\")
        held.removeAll()
        isOver = true
    }

    private func isEnd(_ byte: UInt8) -> Bool {
        if end == .escapedQuote { return false }
        if end == .line { return byte == 0x0A || byte == 0x0D || byte == 0 }
        if end == .field, byte == UInt8(ascii: "'") || "\"`<>\n\r\0".utf8.contains(byte) { return true }
        if hasEscapes, held.last == UInt8(ascii: "\\") { return byte != UInt8(ascii: "/") }
        if end == .field { return false }
        return Self.isHardEnd(byte) || (end == .number || end == .member) && byte == UInt8(ascii: ",")
    }

    private func mayFollow(_ byte: UInt8) -> Bool {
        if end == .escapedQuote {
            return held.isEmpty ? byte == UInt8(ascii: "\\") : byte == Self.escapedQuote[held.count]
        }
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "'"): return true
        case UInt8(ascii: "\\"): return hasEscapes
        case 0x20, 0x09, UInt8(ascii: ";"): return end == .line || end == .field
        default: return false
        }
    }

    private static func isHardEnd(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "<"), UInt8(ascii: ">"),
            UInt8(ascii: "&"), UInt8(ascii: ";"):
            true
        default: false
        }
    }
}
