import Bytes

/// Searches and comparisons in the bytes of cookies; a range always lies within its bytes.
enum CookieText {
    /// The first byte equal to `wanted`, or the end of the range.
    ///
    /// Eight bytes at a time: most of a cookie is skipped.
    @inline(__always)
    static func first(_ wanted: UInt8, in bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        TextWords.first(wanted, bytes, range)
    }

    /// The range without the white space at both ends.
    @inline(__always)
    static func trimmed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var first = range.lowerBound
        var last = range.upperBound
        while first < last, ByteSearch.isBlank(bytes[first]) { first &+= 1 }
        while last > first, ByteSearch.isBlank(bytes[last &- 1]) { last &-= 1 }
        return first..<last
    }

    /// Whether the range begins with `text`, byte for byte.
    @inline(__always)
    static func begins(_ bytes: Span<UInt8>, _ range: Range<Int>, with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard range.count >= count else { return false }
        for offset in 0..<count where bytes[range.lowerBound &+ offset] != text.utf8Start[offset] { return false }
        return true
    }

    /// Whether the range begins with `text`, which is in small letters, ignoring case.
    @inline(__always)
    static func beginsInAnyCase(_ bytes: Span<UInt8>, _ range: Range<Int>, with text: StaticString) -> Bool {
        range.count >= text.utf8CodeUnitCount && TextWords.stands(text, bytes, range.lowerBound)
    }

    /// Whether the range is `text`, which is in small letters, ignoring case.
    @inline(__always)
    static func spells(_ bytes: Span<UInt8>, _ range: Range<Int>, _ text: StaticString) -> Bool {
        range.count == text.utf8CodeUnitCount && beginsInAnyCase(bytes, range, with: text)
    }

    /// Whether two ranges of the same bytes hold the same.
    @inline(__always)
    static func areEqual(_ bytes: Span<UInt8>, _ one: Range<Int>, _ other: Range<Int>) -> Bool {
        guard one.count == other.count else { return false }
        for offset in 0..<one.count where bytes[one.lowerBound &+ offset] != bytes[other.lowerBound &+ offset] {
            return false
        }
        return true
    }

    /// Whether the range holds the same as `text`.
    static func isEqual(_ bytes: Span<UInt8>, _ range: Range<Int>, _ text: String) -> Bool {
        guard range.count == text.utf8.count else { return false }
        var text = text
        // In place, or on the stack for a short text.
        return text.withUTF8 { text in
            for offset in 0..<text.count where bytes[range.lowerBound &+ offset] != text[offset] { return false }
            return true
        }
    }
}
