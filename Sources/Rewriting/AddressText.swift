import Bytes

/// Comparisons of bytes that lie in two places.
///
/// All ranges must lie within their bytes.
enum AddressText {
    /// Whether both are equal, ignoring the case of ASCII letters (RFC 3986 6.2.2.1).
    @inline(__always)
    static func isSame(_ bytes: Span<UInt8>, _ range: Range<Int>, _ other: Span<UInt8>, _ known: Range<Int>) -> Bool {
        // Nearly always both are spelled alike.
        matches(bytes, range, other, known) { $0 == $1 || TextWords.small($0) == TextWords.small($1) }
    }

    /// Whether both are equal, by the word; the last one overlaps the one in front of it.
    @inline(__always)
    private static func matches(
        _ bytes: Span<UInt8>, _ range: Range<Int>, _ other: Span<UInt8>, _ known: Range<Int>,
        _ isAlike: (UInt64, UInt64) -> Bool
    ) -> Bool {
        let (one, two) = (range.lowerBound, known.lowerBound)
        let count = range.upperBound &- one
        guard count == known.upperBound &- two, one >= 0, range.upperBound <= bytes.count, two >= 0,
            known.upperBound <= other.count
        else { return false }
        guard count >= 8 else {
            let mask = TextWords.mask(count)
            return isAlike(bytes.word(at: one) & mask, other.word(at: two) & mask)
        }
        var index = 0
        while index < count &- 8 {
            guard isAlike(bytes.uncheckedWord(at: one &+ index), other.uncheckedWord(at: two &+ index)) else {
                return false
            }
            index &+= 8
        }
        let last = count &- 8
        return isAlike(bytes.uncheckedWord(at: one &+ last), other.uncheckedWord(at: two &+ last))
    }

    /// Whether both are equal.
    @inline(__always)
    static func isEqual(_ bytes: Span<UInt8>, _ range: Range<Int>, _ other: Span<UInt8>, _ known: Range<Int>) -> Bool {
        matches(bytes, range, other, known) { $0 == $1 }
    }

    /// Whether `range` begins with `text`, which is written in small letters, ignoring case.
    @inline(__always)
    static func hasPrefix(_ bytes: Span<UInt8>, _ range: Range<Int>, _ text: StaticString) -> Bool {
        range.count >= text.utf8CodeUnitCount && TextWords.stands(text, bytes, range.lowerBound)
    }

    /// Whether `range` spells `text`, which is written in small letters, ignoring case.
    @inline(__always)
    static func spells(_ bytes: Span<UInt8>, _ range: Range<Int>, _ text: StaticString) -> Bool {
        range.count == text.utf8CodeUnitCount && hasPrefix(bytes, range, text)
    }

    /// The first place of `wanted`, or the range's end.
    @inline(__always)
    static func first(_ wanted: UInt8, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        TextWords.first(wanted, bytes, range)
    }

    /// The first space or tab, or the range's end.
    @inline(__always)
    static func firstBlank(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        TextWords.first(bytes, range) { ByteSearch.firstEqual($0, 0x20) | ByteSearch.firstEqual($0, 0x09) }
    }

    /// The first place that is neither space nor tab, or the range's end.
    @inline(__always)
    static func skipBlanks(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index < range.upperBound, ByteSearch.isBlank(bytes[index]) { index &+= 1 }
        return index
    }
}
