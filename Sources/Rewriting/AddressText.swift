/// Comparisons of bytes that lie in two places.
///
/// All ranges must lie within their bytes.
enum AddressText {
    /// Whether both are equal, whatever the case of ASCII letters (RFC 3986 6.2.2.1).
    @inline(__always)
    static func isSame(_ bytes: Span<UInt8>, _ range: Range<Int>, _ other: Span<UInt8>, _ known: Range<Int>) -> Bool {
        let count = range.count
        guard count == known.count else { return false }
        let (one, two) = (range.lowerBound, known.lowerBound)
        guard count >= 8 else {
            var index = 0
            while index < count {
                guard small(bytes[one &+ index]) == small(other[two &+ index]) else { return false }
                index &+= 1
            }
            return true
        }
        var index = 0
        while index &+ 8 <= count {
            guard small(word(bytes, one &+ index)) == small(word(other, two &+ index)) else { return false }
            index &+= 8
        }
        let last = count &- 8
        return small(word(bytes, one &+ last)) == small(word(other, two &+ last))
    }

    /// A number that is equal for equal hosts, whatever their case, and seldom for others.
    @inline(__always)
    static func key(_ bytes: Span<UInt8>, _ host: Range<Int>) -> UInt32 {
        let count = host.count
        guard count > 1 else { return 0 }
        let ends = UInt32(small(bytes[host.lowerBound])) &<< 8 | UInt32(small(bytes[host.upperBound &- 1]))
        return ends | UInt32(small(bytes[host.lowerBound &+ 1])) &<< 16 | UInt32(count & 0xFF) &<< 24
    }

    /// Whether both are equal.
    static func isEqual(_ bytes: Span<UInt8>, _ range: Range<Int>, _ other: Span<UInt8>, _ known: Range<Int>) -> Bool {
        guard range.count == known.count else { return false }
        var (one, two) = (range.lowerBound, known.lowerBound)
        while one &+ 8 <= range.upperBound {
            guard word(bytes, one) == word(other, two) else { return false }
            one &+= 8
            two &+= 8
        }
        while one < range.upperBound {
            guard bytes[one] == other[two] else { return false }
            one &+= 1
            two &+= 1
        }
        return true
    }

    /// Whether `range` begins with `text`, which is written in small letters, in whatever case.
    @inline(__always)
    static func hasPrefix(_ bytes: Span<UInt8>, _ range: Range<Int>, _ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard range.count >= count else { return false }
        var index = 0
        while index < count {
            guard small(bytes[range.lowerBound &+ index]) == text.utf8Start[index] else { return false }
            index &+= 1
        }
        return true
    }

    /// Whether `range` spells `text`, which is written in small letters, in whatever case.
    @inline(__always)
    static func spells(_ bytes: Span<UInt8>, _ range: Range<Int>, _ text: StaticString) -> Bool {
        range.count == text.utf8CodeUnitCount && hasPrefix(bytes, range, text)
    }

    /// The first place of `wanted`, or the range's end.
    @inline(__always)
    static func first(_ wanted: UInt8, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index &+ 8 <= range.upperBound {
            let found = equal(word(bytes, index), wanted) & 0x8080_8080_8080_8080
            if found != 0 { return index &+ found.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < range.upperBound, bytes[index] != wanted { index &+= 1 }
        return index
    }

    /// The first space or tab, or the range's end.
    @inline(__always)
    static func firstBlank(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index &+ 8 <= range.upperBound {
            let eight = word(bytes, index)
            let found = (equal(eight, 0x20) | equal(eight, 0x09)) & 0x8080_8080_8080_8080
            if found != 0 { return index &+ found.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < range.upperBound, !isBlank(bytes[index]) { index &+= 1 }
        return index
    }

    /// The first place that is neither space nor tab, or the range's end.
    @inline(__always)
    static func skipBlanks(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index < range.upperBound, isBlank(bytes[index]) { index &+= 1 }
        return index
    }

    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    @inline(__always)
    static func small(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    /// Eight bytes, the first of them lowest.
    @inline(__always)
    private static func word(_ bytes: Span<UInt8>, _ index: Int) -> UInt64 {
        UInt64(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// A high bit for the lowest byte that is equal; those above it may be wrong.
    @inline(__always)
    private static func equal(_ word: UInt64, _ byte: UInt8) -> UInt64 {
        let difference = word ^ (0x0101_0101_0101_0101 &* UInt64(byte))
        return (difference &- 0x0101_0101_0101_0101) & ~difference
    }

    /// The same for eight bytes at once: the carries into the high bits tell what lies from A to Z.
    @inline(__always)
    private static func small(_ word: UInt64) -> UInt64 {
        let low = word & 0x7F7F_7F7F_7F7F_7F7F
        let fromA = low &+ 0x3F3F_3F3F_3F3F_3F3F
        let beyondZ = low &+ 0x2525_2525_2525_2525
        return word | (((fromA ^ beyondZ) & ~word & 0x8080_8080_8080_8080) &>> 2)
    }
}
