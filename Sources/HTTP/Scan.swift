import Bytes

/// Byte classes and searches.
///
/// All of them stop at `end`, which lies within the bytes.
enum Scan {
    /// RFC 9110 5.6.2.
    ///
    /// Two words of bits instead of a table: a table would be a lazily made global.
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        let bits: UInt64 = byte & 0x40 == 0 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return byte < 0x80 && (bits &>> UInt64(byte & 0x3F)) & 1 == 1
    }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    /// The first byte that no field value may hold (RFC 9110 5.5): a control but HTAB; or `end`.
    @inline(__always)
    static func control(in bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var index = start
        while true {
            index = first(in: bytes, from: index, to: end) { word in
                let low = word & 0x7F7F_7F7F_7F7F_7F7F
                return (~(low &+ 0x6060_6060_6060_6060) | (low &+ 0x0101_0101_0101_0101)) & ~word
            } byte: {
                $0 < 0x20 || $0 == 0x7F
            }
            guard index < end, bytes[index] == 0x09 else { return index }
            index &+= 1
        }
    }

    /// The first byte equal to `wanted`, or `end`.
    @inline(__always)
    static func byte(_ wanted: UInt8, in bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        first(in: bytes, from: start, to: end) {
            ByteSearch.firstEqual($0, wanted)
        } byte: {
            $0 == wanted
        }
    }

    /// The first byte that ends a path or must not be in one; or `end`.
    @inline(__always)
    static func pathStop(in bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        first(in: bytes, from: start, to: end) {
            invisible($0) | ByteSearch.firstEqual($0, 0x23) | ByteSearch.firstEqual($0, 0x3F)
        } byte: {
            $0 <= 0x20 || $0 == 0x7F || $0 == 0x23 || $0 == 0x3F
        }
    }

    /// The first byte that ends a query or must not be in one; or `end`.
    @inline(__always)
    static func queryStop(in bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        first(in: bytes, from: start, to: end) {
            invisible($0) | ByteSearch.firstEqual($0, 0x23)
        } byte: {
            $0 <= 0x20 || $0 == 0x7F || $0 == 0x23
        }
    }

    /// The first byte that ``ByteSearch/odd(_:)`` tells of, or one of the last seven; or `end`.
    @inline(__always)
    static func skipPlain(in bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var index = start
        while index < end, index &+ 8 <= bytes.count {
            let found = ByteSearch.odd(bytes.uncheckedWord(at: index))
            if found != 0 { return min(index &+ found.trailingZeroBitCount &>> 3, end) }
            index &+= 8
        }
        return min(index, end)
    }

    /// A text of up to eight bytes as a word, with zeros behind them: a constant, once it is compiled.
    @inline(__always)
    static func word(of text: StaticString) -> UInt64 {
        byte(0, text) | byte(1, text) | byte(2, text) | byte(3, text) | byte(4, text) | byte(5, text) | byte(6, text)
            | byte(7, text)
    }

    @inline(__always)
    private static func byte(_ index: Int, _ text: StaticString) -> UInt64 {
        index < text.utf8CodeUnitCount ? UInt64(text.utf8Start[index]) &<< (8 &* UInt64(index)) : 0
    }

    /// High bits for the bytes up to space and for DEL.
    ///
    /// Not for those from 0x80 on, which browsers, curl and Android's clients send as they are.
    @inline(__always)
    private static func invisible(_ word: UInt64) -> UInt64 {
        let low = word & 0x7F7F_7F7F_7F7F_7F7F
        return (~(low &+ 0x5F5F_5F5F_5F5F_5F5F) | (low &+ 0x0101_0101_0101_0101)) & ~word
    }

    /// Eight bytes at a time, `hits` giving high bits of which the lowest counts.
    ///
    /// In words, as comparing SIMD vectors makes code that goes lane by lane (Swift 6.3: twenty times slower).
    @inline(__always)
    private static func first(
        in bytes: Span<UInt8>, from start: Int, to end: Int, hits: (UInt64) -> UInt64, byte: (UInt8) -> Bool
    ) -> Int {
        var index = start
        while index &+ 8 <= end {
            let found = hits(bytes.word(at: index)) & 0x8080_8080_8080_8080
            if found != 0 { return index &+ found.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < end, !byte(bytes[index]) { index &+= 1 }
        return index
    }
}
