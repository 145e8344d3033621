import Bytes

/// A field line of the usual kind, read eight bytes at a time.
///
/// All other lines (incomplete, with a name that has unusual characters, with a value that is not ASCII, or with more
/// than one leading space) are not read here but byte by byte, with the same result for lines that both can read.
struct FieldLine {
    let id: FieldName
    let colon: Int
    let value: Range<Int>
    /// Behind its CRLF.
    let end: Int

    /// Reads what begins at `start`; `end` must lie within the bytes.
    @inline(__always)
    init?(_ bytes: Span<UInt8>, from start: Int, to end: Int) {
        guard start &+ 8 <= end else { return nil }
        let front = bytes.uncheckedWord(at: start)
        let hits = Self.colons(front)
        if hits != 0 {
            let length = hits.trailingZeroBitCount &>> 3
            // The bytes up to the lowest hit.
            let mask = hits ^ (hits &- 1)
            id = .lookup(FieldWords.folded(front & mask))
            colon = start &+ length
            if id == .other {
                // Any letter will do for those that are not the name's.
                let name = front & (mask &>> 8) | 0x6161_6161_6161_6161 & ~(mask &>> 8)
                guard length > 0, ByteSearch.odd(name) == 0 else { return nil }
            }
        } else {
            guard let colon = Self.colon(bytes, from: start &+ 8, to: end) else { return nil }
            self.colon = colon
            let name = Range(uncheckedBounds: (start, colon))
            id = .lookup(FieldWords(bytes, name, front: front), in: bytes)
            if id == .other, !Self.isName(bytes, name) { return nil }
        }
        guard let stop = Self.endOfText(bytes, from: colon &+ 1, to: end), stop &+ 1 < end,
            bytes.uncheckedPair(at: stop) == 0x0A0D
        else { return nil }
        // What ends the text is no space, so that none is looked for behind it.
        let first = bytes[unchecked: colon &+ 1] == 0x20 ? colon &+ 2 : colon &+ 1
        guard bytes[unchecked: first] != 0x20, bytes[unchecked: stop &- 1] != 0x20 else { return nil }
        value = Range(uncheckedBounds: (first, stop))
        self.end = stop &+ 2
    }

    /// High bits for colons, of which the lowest counts.
    @inline(__always)
    private static func colons(_ word: UInt64) -> UInt64 {
        let difference = word ^ 0x3A3A_3A3A_3A3A_3A3A
        return (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
    }

    @inline(__always)
    private static func colon(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int? {
        var index = start
        while index &+ 8 <= end {
            let hits = colons(bytes.uncheckedWord(at: index))
            if hits != 0 { return index &+ hits.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        return index < end ? lastColon(bytes, from: index, to: end) : nil
    }

    @inline(never)
    private static func lastColon(_ bytes: Span<UInt8>, from index: Int, to end: Int) -> Int? {
        let hits = colons(lastWord(bytes, at: index, to: end))
        return hits != 0 ? index &+ hits.trailingZeroBitCount &>> 3 : nil
    }

    /// The first byte that is not visible ASCII or a space; nil if there is none.
    @inline(__always)
    private static func endOfText(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int? {
        var index = start
        while index &+ 16 <= end {
            let (one, two) = (bytes.uncheckedWord(at: index), bytes.uncheckedWord(at: index &+ 8))
            let (first, second) = (invisible(one), invisible(two))
            if (first | second) & 0x8080_8080_8080_8080 != 0 {
                let hits = first & 0x8080_8080_8080_8080
                if hits != 0 { return index &+ hits.trailingZeroBitCount &>> 3 }
                return index &+ 8 &+ (second & 0x8080_8080_8080_8080).trailingZeroBitCount &>> 3
            }
            index &+= 16
        }
        return index < end ? lastEndOfText(bytes, from: index, to: end) : nil
    }

    /// The same for the last fifteen bytes.
    @inline(never)
    private static func lastEndOfText(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int? {
        var index = start
        if index &+ 8 <= end {
            let hits = invisible(bytes.uncheckedWord(at: index)) & 0x8080_8080_8080_8080
            if hits != 0 { return index &+ hits.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        guard index < end else { return nil }
        // The zeros behind the end are found, too.
        let hits = invisible(lastWord(bytes, at: index, to: end)) & 0x8080_8080_8080_8080
        return index &+ hits.trailingZeroBitCount &>> 3
    }

    /// Up to seven bytes in front of the end, and zeros for those behind it; there are eight in front of it.
    @inline(__always)
    private static func lastWord(_ bytes: Span<UInt8>, at index: Int, to end: Int) -> UInt64 {
        bytes.uncheckedWord(at: end &- 8) &>> (8 &* UInt64(truncatingIfNeeded: index &+ 8 &- end))
    }

    /// High bits for what is below the space or above the tilde, of which the lowest counts.
    @inline(__always)
    private static func invisible(_ word: UInt64) -> UInt64 {
        (word &- 0x2020_2020_2020_2020) | (word &+ 0x0101_0101_0101_0101)
    }

    /// Whether all are such as names are made of.
    @inline(__always)
    private static func isName(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Bool {
        var index = name.lowerBound
        while index &+ 8 < name.upperBound {
            guard ByteSearch.odd(bytes.uncheckedWord(at: index)) == 0 else { return false }
            index &+= 8
        }
        return ByteSearch.odd(bytes.uncheckedWord(at: name.upperBound &- 8)) == 0
    }
}
