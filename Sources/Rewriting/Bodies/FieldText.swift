import Bytes

/// The members of a comma-separated list without quoted strings (RFC 9110 5.6.1).
///
/// A span cannot be kept in an iterator, so each step is given the bytes.
struct ListMembers {
    private var position = 0

    /// The next member without the white space around it, maybe empty; nil after the last one.
    mutating func next(_ value: Span<UInt8>, separator: UInt8 = 0x2C) -> Range<Int>? {
        guard position <= value.count else { return nil }
        let start = position
        var end = start
        while end < value.count, value[end] != separator { end += 1 }
        position = end + 1
        return value.trimmed(start..<end)
    }
}

extension Span where Element == UInt8 {
    /// The range without blanks at either end.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var first = range.lowerBound
        var last = range.upperBound
        while first < last, self[first] == 0x20 || self[first] == 0x09 { first += 1 }
        while last > first, self[last - 1] == 0x20 || self[last - 1] == 0x09 { last -= 1 }
        return first..<last
    }

    /// Whether the range spells `text`, which is written in small letters, ignoring case.
    func isText(_ text: StaticString, in range: Range<Int>) -> Bool {
        range.count == text.utf8CodeUnitCount && hasText(text, in: range)
    }

    /// Whether the range begins with `text`, which is written in small letters, ignoring case.
    func hasText(_ text: StaticString, in range: Range<Int>) -> Bool {
        let length = text.utf8CodeUnitCount
        guard range.count >= length else { return false }
        for offset in 0..<length where ByteSearch.lowercased(self[range.lowerBound + offset]) != text.utf8Start[offset]
        { return false }
        return true
    }
}
