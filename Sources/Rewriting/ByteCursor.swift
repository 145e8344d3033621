import Bytes

/// The places of one byte in a range, one after another, eight bytes at a time: a cursor that is given the bytes.
struct ByteCursor {
    /// A high bit for each place that was found and not returned yet.
    private var hits: UInt64 = 0
    /// Where the word begins that they lie in.
    private var start: Int
    private let end: Int
    /// Where the last whole word begins.
    private let last: Int
    private let pattern: UInt64

    /// - Parameter range: it lies within the bytes.
    @inline(__always)
    init(_ wanted: UInt8, _ range: Range<Int>, of bytes: Span<UInt8>) {
        last = bytes.count &- 8
        start = range.lowerBound &- 8
        end = range.upperBound
        pattern = 0x0101_0101_0101_0101 &* UInt64(wanted)
    }

    /// The next place, or the range's end, then and ever after.
    @inline(__always)
    mutating func next(_ bytes: Span<UInt8>) -> Int {
        while hits == 0 {
            guard start < end &- 8 else { return end }
            start &+= 8
            // Exact for all eight bytes: no carry leaves its own.
            let word = start <= last ? bytes.uncheckedWord(at: start) : bytes.word(at: start)
            let difference = word ^ pattern
            hits =
                ~((difference & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F_7F7F | difference)
                & 0x8080_8080_8080_8080
        }
        let place = start &+ hits.trailingZeroBitCount &>> 3
        hits &= hits &- 1
        return min(place, end)
    }
}
