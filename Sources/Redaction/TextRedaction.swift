import Bytes

/// Replaces the secrets of a text that may quote any bytes: a failure's message, a reason, a line that was no request.
///
/// Word by word: user and password of URLs and of intended hosts, also where the quotation was cut off before the `@`,
/// secret parameters, and text behind the name of a secret field. Doubtful text is replaced.
struct TextRedaction {
    let core: RedactionCore
    /// It was cut off somewhere, perhaps in the middle of a password.
    var isCut = false
    /// It is in the place of a field line: a name may lack its colon.
    var isFieldLine = false

    func redact(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        var words: [UInt8] = []
        words.reserveCapacity(range.count + 64)
        var index = range.lowerBound
        while index < range.upperBound {
            if bytes[index] <= 0x20 {
                words.append(bytes[index])
                index += 1
                continue
            }
            var end = index
            while end < range.upperBound, bytes[end] > 0x20 { end += 1 }
            if let (name, value) = credentials(bytes, index..<end, to: range.upperBound) {
                words.append(bytes, index..<value.lowerBound)
                FieldRedaction(core: core).redactCredentials(bytes, value, name: name, into: &words)
                index = value.upperBound
            } else {
                redactWord(bytes, index..<end, isLast: end == range.upperBound, into: &words)
                index = end
            }
        }
        // Tokens go over several words, and JSON may be quoted, too.
        out += core.json(words)
    }

    /// The text behind the name of a secret field, as in `"Authorization Basic dTpw"` or `Cookie: a=1`, to the closing
    /// quote or the end; nil if the word is no such name.
    private func credentials(
        _ bytes: Span<UInt8>, _ word: Range<Int>, to limit: Int
    ) -> (name: Range<Int>, value: Range<Int>)? {
        let colon = ByteSearch.byte(UInt8(ascii: ":"), in: bytes, from: word.lowerBound, to: word.upperBound)
        let name = trimmedName(bytes, word.lowerBound..<colon, hasColon: colon < word.upperBound)
        guard !name.isEmpty, isName(bytes.extracting(name)), core.names.contains(bytes.extracting(name), in: .field)
        else { return nil }
        // Without a colon it is a field line only as a quotation that goes on.
        let isQuoted = name.lowerBound > word.lowerBound
        guard colon < word.upperBound || (name.upperBound == word.upperBound && (isQuoted || isFieldLine))
        else { return nil }
        var start = min(colon + 1, word.upperBound)
        while start < limit, ByteSearch.isSpace(bytes[start]) { start += 1 }
        var end = limit
        while end > start, bytes[end - 1] != UInt8(ascii: "\"") { end -= 1 }
        if end <= start + 1 { end = limit } else { end -= 1 }
        while end > start, ByteSearch.isSpace(bytes[end - 1]) { end -= 1 }
        return start < end && !isReplacement(bytes, start) ? (name, start..<end) : nil
    }

    private func isReplacement(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
        start + 10 <= bytes.count && bytes.extracting(start..<start + 10).spells("<redacted:")
    }

    /// Without quotes, brackets and similar bytes around a name.
    private func trimmedName(_ bytes: Span<UInt8>, _ range: Range<Int>, hasColon: Bool) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, !ByteSearch.isAlphanumeric(bytes[start]) { start += 1 }
        while hasColon, end > start, !ByteSearch.isAlphanumeric(bytes[end - 1]) { end -= 1 }
        return start..<end
    }

    private func isName(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where !ByteSearch.isAlphanumeric(text[index]) {
            guard text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "_") else { return false }
        }
        return true
    }

    private func redactWord(_ bytes: Span<UInt8>, _ word: Range<Int>, isLast: Bool, into out: inout [UInt8]) {
        var start = word.lowerBound
        while start < word.upperBound, isOpening(bytes[start]) || bytes[start] >= 0x80 { start += 1 }
        if start > word.lowerBound {
            var end = word.upperBound
            while end > start, isClosing(bytes[end - 1]) || bytes[end - 1] >= 0x80 { end -= 1 }
            // A quoted name that is none of those that were expected.
            if ValueLook.isStray(bytes.extracting(start..<end)) {
                out.append(bytes, word.lowerBound..<start)
                core.replace(bytes.extracting(start..<end), name: "name", into: &out)
                return out.append(bytes, end..<word.upperBound)
            }
            start = word.lowerBound
            while start < word.upperBound, isOpening(bytes[start]) { start += 1 }
        }
        var text = [UInt8]()
        text.append(bytes, start..<word.upperBound)
        let begin = endOfScheme(text)
        let hasScheme = begin > 0
        var authority = text[begin...].prefix {
            !UserinfoRedaction.isSlash($0) && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        }
        while let last = authority.last, isClosing(last) { authority.removeLast() }
        let isQuotationCut = text.suffix(4).elementsEqual("...\"".utf8) || (isCut && isLast)
        var end = begin
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            end = at
        } else if UserinfoRedaction.hasFalsePort(authority.span) {
            if let at = text.lastIndex(of: UInt8(ascii: "@")), at > begin {
                end = at
            } else if hasScheme || isQuotationCut || isHost(bytes, word, authority) {
                end = authority.endIndex
            }
        }
        out.append(bytes, word.lowerBound..<start)
        out += text[..<begin]
        if end > begin, text[begin] != UInt8(ascii: "<") {
            core.replace(text.span.extracting(begin..<end), name: "userinfo", into: &out)
        } else {
            end = begin
        }
        text.withSpan { URLRedaction(core: core).redactWithoutAuthority($0, end..<$0.count, into: &out) }
    }

    /// Whether a quotation is of a host, as far as one can tell: no JSON, and no profile's name.
    private func isHost(_ bytes: Span<UInt8>, _ word: Range<Int>, _ authority: ArraySlice<UInt8>) -> Bool {
        bytes[word.lowerBound] == UInt8(ascii: "\"") && !authority.contains(UInt8(ascii: "\""))
            && !authority.starts(with: "profile:".utf8)
    }

    /// The place behind `://`, or 0.
    private func endOfScheme(_ text: [UInt8]) -> Int {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return 0 }
        let slashes = text[(colon + 1)...].prefix { UserinfoRedaction.isSlash($0) }
        return slashes.count >= 2 ? slashes.endIndex : 0
    }

    private func isOpening(_ byte: UInt8) -> Bool { byte.isOne(of: "\"'(`?{\\") }

    private func isClosing(_ byte: UInt8) -> Bool { byte.isOne(of: ".,;:)}") || isOpening(byte) }
}
