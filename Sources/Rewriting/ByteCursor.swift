/// The places of one byte in a range, one after another, eight bytes at a time: a cursor that is given the bytes.
struct ByteCursor {
    /// A high bit for each place that was seen and not told yet.
    private var hits: UInt64 = 0
    /// Where the word begins that they lie in.
    private var start: Int
    private let end: Int
    private let pattern: UInt64

    @inline(__always)
    init(_ wanted: UInt8, _ range: Range<Int>) {
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
            let difference = bytes.word(at: start) ^ pattern
            hits =
                ~((difference & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F_7F7F | difference)
                & 0x8080_8080_8080_8080
        }
        let place = start &+ hits.trailingZeroBitCount &>> 3
        hits &= hits &- 1
        return min(place, end)
    }
}
