import Bytes

extension Span<UInt8> {
    /// Eight bytes, the first of them lowest, and zeros for those that lie behind the end.
    @inline(__always)
    func word(at index: Int) -> UInt64 {
        guard index <= count &- 8, index >= 0 else { return tail(at: index) }
        return uncheckedWord(at: index)
    }

    @inline(never)
    private func tail(at start: Int) -> UInt64 {
        guard start < count, start >= 0 else { return 0 }
        if count >= 8 { return word(at: count &- 8) &>> (8 &* UInt64(start &+ 8 &- count)) }
        var word: UInt64 = 0
        for index in start..<count { word |= UInt64(self[index]) &<< (8 &* UInt64(index &- start)) }
        return word
    }
}

/// Questions about the eight bytes of a word at once; what is found is told by the high bits of its bytes.
enum TextWords {
    /// The first byte equal to `wanted`, or the end of the range.
    ///
    /// - Parameter wanted: not 0.
    @inline(__always)
    static func first(_ wanted: UInt8, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        first(bytes, range) { ByteSearch.firstEqual($0, wanted) }
    }

    /// The first byte that `find` finds, or the end of the range; of what it finds only the lowest byte counts.
    @inline(__always)
    static func first(_ bytes: Span<UInt8>, _ range: Range<Int>, _ find: (UInt64) -> UInt64) -> Int {
        var index = range.lowerBound
        while index < range.upperBound, index &+ 16 <= bytes.count {
            let (one, two) = (find(bytes.uncheckedWord(at: index)), find(bytes.uncheckedWord(at: index &+ 8)))
            if (one | two) & 0x8080_8080_8080_8080 != 0 {
                let found = one & 0x8080_8080_8080_8080
                let offset =
                    found != 0
                    ? found.trailingZeroBitCount : 64 &+ (two & 0x8080_8080_8080_8080).trailingZeroBitCount
                return min(index &+ offset &>> 3, range.upperBound)
            }
            index &+= 16
        }
        while index < range.upperBound {
            let found = find(bytes.word(at: index)) & 0x8080_8080_8080_8080
            if found != 0 { return min(index &+ found.trailingZeroBitCount &>> 3, range.upperBound) }
            index &+= 8
        }
        return range.upperBound
    }

    /// Letters as small ones: the carries into the high bits tell what lies from A to Z.
    @inline(__always)
    static func small(_ word: UInt64) -> UInt64 {
        let low = word & 0x7F7F_7F7F_7F7F_7F7F
        let fromA = low &+ 0x3F3F_3F3F_3F3F_3F3F
        let beyondZ = low &+ 0x2525_2525_2525_2525
        return word | (((fromA ^ beyondZ) & ~word & 0x8080_8080_8080_8080) &>> 2)
    }

    /// Whether `text`, which is written in small letters, is there, ignoring case.
    ///
    /// The caller has seen that there is room for it.
    @inline(__always)
    static func stands(_ text: StaticString, _ bytes: Span<UInt8>, _ start: Int) -> Bool {
        let count = text.utf8CodeUnitCount
        if count <= 8 {
            // Nearly always it is in small letters.
            let found = bytes.word(at: start) & mask(count)
            return found == word(of: text) || small(found) == word(of: text)
        }
        var offset = 0
        while offset &+ 8 < count {
            guard isSame(text, bytes, start, offset) else { return false }
            offset &+= 8
        }
        return isSame(text, bytes, start, count &- 8)
    }

    @inline(__always)
    private static func isSame(_ text: StaticString, _ bytes: Span<UInt8>, _ start: Int, _ offset: Int) -> Bool {
        let known = UnsafeRawPointer(text.utf8Start).loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        let found = bytes.word(at: start &+ offset)
        return found == UInt64(littleEndian: known) || small(found) == UInt64(littleEndian: known)
    }

    /// The bits of so many bytes.
    @inline(__always)
    static func mask(_ count: Int) -> UInt64 { count >= 8 ? .max : (1 &<< (8 &* UInt64(count))) &- 1 }

    /// A text of at most eight bytes as a word: a constant, once it is compiled.
    @inline(__always)
    static func word(of text: StaticString) -> UInt64 {
        byte(0, text) | byte(1, text) | byte(2, text) | byte(3, text) | byte(4, text) | byte(5, text) | byte(6, text)
            | byte(7, text)
    }

    @inline(__always)
    private static func byte(_ index: Int, _ text: StaticString) -> UInt64 {
        index < text.utf8CodeUnitCount ? UInt64(text.utf8Start[index]) &<< (8 &* UInt64(index)) : 0
    }
}
