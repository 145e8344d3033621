/// Reads the value of one secret that stands without quotes, to its end and not beyond.
///
/// A bracket, a comma or an apostrophe ends it only where nothing but the end of a word follows.
struct WordScan {
    enum End {
        /// White space, a quote, or what separates parameters and settings.
        case word
        /// A comma, too.
        case number
        /// The end of the line.
        case line
        /// A quote as some write it in JSON in a string: `\u0022`. The first one, behind its backslash, is read, too.
        case escapedQuote
    }

    private static let escapedQuote = Array(#"\u0022"#.utf8)

    private let end: End
    /// Whether a backslash begins an escape, and thereby ends the value unless it stands for a slash.
    private let hasEscapes: Bool
    /// Whether a word of small letters is prose (`token: expected`) and stays.
    private let isProse: Bool
    private var secret: SecretValue
    /// What may stand behind the value.
    private var held: [UInt8] = []
    /// How much of the first quote was read.
    private var opened = 1
    private(set) var isOver = false
    /// Whether the backslash of an escape was read as well.
    private(set) var endsInEscape = false

    init(_ secret: SecretValue, to end: End, hasEscapes: Bool, isProse: Bool) {
        (self.secret, self.end, self.hasEscapes, self.isProse) = (secret, end, hasEscapes, isProse)
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

    mutating func finish(into out: inout [UInt8]) {
        if isProse, !secret.isLong, secret.text.dropFirst().allSatisfy({ $0 &- 0x61 < 26 }),
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
        if hasEscapes, held.last == UInt8(ascii: "\\") { return byte != UInt8(ascii: "/") }
        return Self.isHardEnd(byte) || end == .number && byte == UInt8(ascii: ",")
    }

    private func mayFollow(_ byte: UInt8) -> Bool {
        if end == .escapedQuote {
            return held.isEmpty ? byte == UInt8(ascii: "\\") : byte == Self.escapedQuote[held.count]
        }
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "'"): return true
        case UInt8(ascii: "\\"): return hasEscapes
        case 0x20, 0x09, UInt8(ascii: ";"): return end == .line
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
