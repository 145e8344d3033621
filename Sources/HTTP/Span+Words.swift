import Bytes

extension Span where Element == UInt8 {
    /// Two bytes, the first of them lower, where the caller has seen that both are there.
    @inline(__always)
    func uncheckedPair(at index: Int) -> UInt16 {
        UInt16(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt16.self))
    }

    /// Whether `range` spells `text`, which is written in small letters, in whatever case.
    @inline(__always)
    func spells(_ text: StaticString, in range: Range<Int>) -> Bool {
        range.count == text.utf8CodeUnitCount && hasPrefix(text, at: range.lowerBound)
    }

    /// The same for what begins at `start`; the bytes must reach that far.
    ///
    /// Only letters are folded: bit 6 is set in a small letter and clear in digits and "-", so that CR, which
    /// folding would make a "-", stays what it is.
    @inline(__always)
    func hasPrefix(_ text: StaticString, at start: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        let known = UnsafeRawPointer(text.utf8Start)
        if length >= 8 {
            var index = 0
            while index &+ 8 <= length {
                guard folded(word(at: start &+ index), as: known.littleWord(at: index)) else { return false }
                index &+= 8
            }
            return folded(word(at: start &+ length &- 8), as: known.littleWord(at: length &- 8))
        }
        var index = 0
        while index < length {
            let wanted = text.utf8Start[index]
            guard self[start &+ index] | ((wanted & 0x40) &>> 1) == wanted else { return false }
            index &+= 1
        }
        return true
    }

    @inline(__always)
    private func folded(_ word: UInt64, as known: UInt64) -> Bool {
        word | ((known & 0x4040_4040_4040_4040) &>> 1) == known
    }

    /// Whether two names are equal whatever their case (RFC 9110 5.1).
    func isSame(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
        guard one.count == other.count else { return false }
        for offset in 0..<one.count
        where small(self[one.lowerBound &+ offset]) != small(self[other.lowerBound &+ offset]) { return false }
        return true
    }

    @inline(__always)
    private func small(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}

extension UnsafeRawPointer {
    @inline(__always)
    func littleWord(at offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
