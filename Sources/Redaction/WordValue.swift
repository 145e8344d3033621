import Bytes

/// The value of one secret that stands without quotes.
///
/// A scheme in front of a credential stays (`Authorization: Basic dTpw`). A bracket, a comma or an apostrophe ends it
/// only where nothing but the end of a word follows.
struct WordValue {
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
        /// A quote as some write it in JSON in a string: `\u0022`.
        case escapedQuote
    }

    let secret: SecretValue
    var end: End
    /// Whether a backslash begins an escape, and thereby ends the value unless it stands for a slash.
    let hasEscapes: Bool
    /// Whether a word of small letters is prose (`token: expected`) and stays.
    var isProse: Bool
    /// Whether only what looks like a credential is one.
    var isLikely = false

    /// Whether a value may begin so.
    static func canBegin(_ byte: UInt8) -> Bool { !isHardEnd(byte) && !byte.isOne(of: ",)]}") }

    /// Writes what stands in its place; gives where what follows it begins.
    mutating func write(_ bytes: Span<UInt8>, from first: Int, into out: inout [UInt8]) -> Int {
        if end == .escapedQuote { return writeQuoted(bytes, from: first, into: &out) }
        var (start, index) = (first, first)
        while index < bytes.count {
            let byte = bytes[index]
            if ByteSearch.isBlank(byte), FieldRedaction.isScheme(bytes.extracting(start..<index)) {
                let scheme = bytes.extracting(start..<index)
                // Several parameters follow such as `Digest`, one word the others.
                if end != .line { end = FieldRedaction.hasParameters(scheme: scheme) ? .field : .word }
                isProse = isProse && !secret.isAuthorization
                while index < bytes.count, ByteSearch.isBlank(bytes[index]) { index &+= 1 }
                out.append(bytes, start..<index)
                start = index
                continue
            }
            if hasEscapes, byte == UInt8(ascii: "\\") {
                guard index &+ 1 < bytes.count, bytes[index &+ 1] == UInt8(ascii: "/") else { break }
                index &+= 1
            } else if isEnd(byte) {
                break
            }
            index &+= 1
        }
        let stop = index
        while index > start, stop &- index < 64, mayFollow(bytes[index &- 1]) { index &-= 1 }
        writeValue(bytes, start..<index, into: &out)
        out.append(bytes, index..<stop)
        return stop
    }

    private func writeValue(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        var value = secret
        value.append(bytes.extracting(range))
        let text = bytes.extracting(range)
        let stays =
            isLikely
            ? !ValueLook.isLikely(text)
            : end == .field && isProse
                ? ByteSearch.byte(UInt8(ascii: "="), in: text, from: 0, to: text.count) == text.count
                : end != .member && isProse && isSmallWord(text)
        if stays {
            out.append(bytes, range)
        } else if end == .member {
            value.finishWord(level: 0, into: &out)
        } else {
            value.finish(.plain, into: &out)
        }
    }

    private func isSmallWord(_ text: Span<UInt8>) -> Bool {
        for index in 0..<text.count where (index == 0 ? text[0] | 0x20 : text[index]) &- 0x61 >= 26 { return false }
        return true
    }

    /// The rest of the first quote, and all up to the last one.
    private func writeQuoted(_ bytes: Span<UInt8>, from start: Int, into out: inout [UInt8]) -> Int {
        let first = min(start + 5, bytes.count)
        var index = first
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            let isQuote =
                bytes[index] == UInt8(ascii: "\\") && index + 6 <= bytes.count
                && bytes.extracting(index + 1..<index + 6).spells("u0022")
            if isQuote { break }
            index += 1
        }
        out.append(bytes, start..<first)
        var value = secret
        value.append(bytes.extracting(first..<index))
        value.finish(.plain, into: &out)
        return index
    }

    private func isEnd(_ byte: UInt8) -> Bool {
        switch end {
        case .line: byte == 0x0A || byte == 0x0D || byte == 0
        case .field: byte == UInt8(ascii: "'") || byte.isOne(of: "\"`<>\n\r\0")
        case .number, .member: Self.isHardEnd(byte) || byte == UInt8(ascii: ",")
        case .word, .escapedQuote: Self.isHardEnd(byte)
        }
    }

    private func mayFollow(_ byte: UInt8) -> Bool {
        byte.isOne(of: ",)]}'") || byte.isOne(of: " \t;") && (end == .line || end == .field)
    }

    static func isHardEnd(_ byte: UInt8) -> Bool { byte <= 0x20 || byte.isOne(of: "\"`<>&;") }
}
