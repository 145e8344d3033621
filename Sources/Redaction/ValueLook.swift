import Bytes

/// Judges values by their looks, where a name alone does not say enough.
enum ValueLook {
    /// Longer ones are content.
    static let longest = 4096

    /// Whether a text looks like a password, a key or a code: neither a word nor a label, an address or an expression.
    ///
    /// A scheme in front, as in `Basic dTpw`, does not count.
    static func isLikely(_ text: Span<UInt8>) -> Bool {
        let start = FieldRedaction.endOfScheme(text)
        guard start < text.count else { return false }
        return isLikely(text.extracting(start..<text.count), afterScheme: start > 0)
    }

    private static func isLikely(_ text: Span<UInt8>, afterScheme: Bool) -> Bool {
        guard text.count >= 4, text.count <= longest, !isSelector(text) else { return false }
        var (digits, letters, symbols, caseTurns, others) = (0, 0, 0, 0, 0)
        /// Words of the text with letters and digits, other than such as `sha256` and `oauth2`.
        var mixedWords = 0
        var (wordLetters, wordDigits, isLetterBehindDigit) = (0, 0, false)
        var last: UInt8 = 0
        for index in 0...text.count {
            let byte = index < text.count ? text[index] : UInt8(ascii: "-")
            if byte &- 0x30 < 10 {
                digits += 1
                wordDigits += 1
            } else if (byte | 0x20) &- 0x61 < 26 || byte >= 0x80 {
                letters += 1
                wordLetters += 1
                if wordDigits > 0 { isLetterBehindDigit = true }
                if (byte ^ last) & 0x60 == 0x20, (last | 0x20) &- 0x61 < 26 { caseTurns += 1 }
            } else {
                let isOrdinary = !isLetterBehindDigit && wordLetters <= 5 && wordDigits <= 3
                if wordLetters > 0, wordDigits > 0, !isOrdinary { mixedWords += 1 }
                (wordLetters, wordDigits, isLetterBehindDigit) = (0, 0, false)
                switch byte {
                case _ where byte.isOne(of: "!@$^*+~#"): symbols += 1
                case _ where byte.isOne(of: "-_./:"): others += 1
                case UInt8(ascii: "="):
                    // Padding.
                    guard index + 2 >= text.count else { return false }
                default: return false
                }
            }
            last = byte
        }
        if letters == 0 { return digits >= 4 && others == 1 && symbols == 0 }
        if text.count >= 6, mixedWords > 0 { return true }
        if text.count >= 6, symbols > 0 { return digits > 0 || !isAddress(text) }
        return letters >= (afterScheme ? 8 : 16) && caseTurns * 3 >= letters
    }

    /// Whether a text that should be a name of a known few is none, and looks like a credential.
    static func isStray(_ text: Span<UInt8>) -> Bool {
        text.count >= shortestStray && isLikely(text) && (0..<text.count).contains { (text[$0] | 0x20) &- 0x61 < 26 }
    }

    private static let shortestStray = 12

    /// `#id`, `.class`, `/path`, `$variable`, `%s`, `--option`, or an address of a page or of a person.
    private static func isSelector(_ text: Span<UInt8>) -> Bool {
        if text[0].isOne(of: "#./:$%@&?[") || text[0] == 0x2D && text[1] == 0x2D { return true }
        for index in 2..<text.count where text[index] == UInt8(ascii: "/") {
            if text[index - 1] == UInt8(ascii: "/"), text[index - 2] == UInt8(ascii: ":") { return true }
        }
        return false
    }

    private static func isAddress(_ text: Span<UInt8>) -> Bool {
        let at = ByteSearch.byte(UInt8(ascii: "@"), in: text, from: 0, to: text.count)
        return ByteSearch.byte(UInt8(ascii: "."), in: text, from: at, to: text.count) < text.count
    }

    /// Whether a text is made of words, as messages about a value are: `is too short (minimum is 8 characters)`.
    static func isSentence(_ text: [UInt8]) -> Bool {
        guard text.count <= 1024, text.contains(0x20) else { return false }
        return text.split(separator: 0x20).allSatisfy { word in
            let marks = ".,:;!?()'\"’".utf8
            let core = word.drop { marks.contains($0) }.reversed().drop { marks.contains($0) }
            let digits = core.count { $0 &- 0x30 < 10 }
            if digits > 0 { return digits == core.count && digits <= 4 }
            return core.count <= 24
                && core.allSatisfy { ($0 | 0x20) &- 0x61 < 26 || $0 >= 0x80 || $0.isOne(of: "-_/'") }
        }
    }

    /// Whether a text may be the bytes of a key as JSON has them (RFC 7518): long, in base64url, and no date.
    /// - Parameter isPrime: of RSA, where 64 bytes are the least.
    static func isKey(_ text: Span<UInt8>, isPrime: Bool) -> Bool {
        guard text.count >= (isPrime ? 86 : 15) else { return false }
        var (hasDigit, hasSmall) = (false, false)
        for index in 0..<text.count {
            guard JWT.isBase64URL(text[index]) else { return false }
            if text[index] &- 0x30 < 10 { hasDigit = true }
            if text[index] &- 0x61 < 26 { hasSmall = true }
        }
        return hasDigit && hasSmall
    }
}
