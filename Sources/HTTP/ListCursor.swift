import Bytes

/// The elements of a comma-separated list that has no quoted strings (RFC 9110 5.6.1), without copying.
///
/// A span cannot be kept in an iterator, so each element is a cursor step that is given the bytes.
struct ListCursor {
    private var next: Int
    private let end: Int

    init(_ value: Range<Int>) {
        next = value.lowerBound
        end = value.upperBound
    }

    /// The next element without the white space around it, maybe empty; nil after the last one.
    @inline(__always)
    mutating func element(_ bytes: Span<UInt8>) -> Range<Int>? {
        guard next <= end else { return nil }
        var first = next
        let comma = Scan.byte(0x2C, in: bytes, from: first, to: end)
        var last = comma
        while first < last, ByteSearch.isBlank(bytes[first]) { first &+= 1 }
        while last > first, ByteSearch.isBlank(bytes[last &- 1]) { last &-= 1 }
        next = comma &+ 1
        return first..<last
    }
}
