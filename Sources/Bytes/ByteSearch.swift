/// Searches that go eight bytes at a time, and byte classes.
public enum ByteSearch {
    @inlinable
    public static var ones: UInt64 { 0x0101_0101_0101_0101 }
    @inlinable
    public static var highs: UInt64 { 0x8080_8080_8080_8080 }

    /// A high bit for each byte that equals `byte`, and for no other.
    @inlinable
    @inline(__always)
    public static func equal(_ word: UInt64, _ byte: UInt8) -> UInt64 {
        let difference = word ^ (ones &* UInt64(byte))
        return ~(((difference & ~highs) &+ ~highs) | difference | ~highs)
    }

    /// A high bit for the lowest byte that equals `byte`; those above it may be wrong.
    @inlinable
    @inline(__always)
    public static func firstEqual(_ word: UInt64, _ byte: UInt8) -> UInt64 {
        let difference = word ^ (ones &* UInt64(byte))
        return (difference &- ones) & ~difference
    }

    /// High bits for all but letters, digits, `-`, `.` and `_`: other bytes are rare in names and hosts.
    @inlinable
    @inline(__always)
    public static func odd(_ word: UInt64) -> UInt64 {
        let low = word & 0x7F7F_7F7F_7F7F_7F7F
        let small = low | 0x2020_2020_2020_2020
        let isLetter = (small &+ 0x1F1F_1F1F_1F1F_1F1F) & ~(small &+ 0x0505_0505_0505_0505)
        // From the minus to the 9, without the slash between them.
        let isDigit =
            (low &+ 0x5353_5353_5353_5353) & ~(low &+ 0x4646_4646_4646_4646)
            & ((low ^ 0x2F2F_2F2F_2F2F_2F2F) &+ 0x7F7F_7F7F_7F7F_7F7F)
        let isNoLine = (low ^ 0x5F5F_5F5F_5F5F_5F5F) &+ 0x7F7F_7F7F_7F7F_7F7F
        return (~(isLetter | isDigit | ~isNoLine) | word) & highs
    }

    /// The first byte equal to `wanted`, or `end`.
    @inlinable
    @inline(__always)
    public static func byte(_ wanted: UInt8, in bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        either(wanted, wanted, in: bytes, from: start, to: end)
    }

    /// The first byte equal to one of two, or `end`.
    @inlinable
    @inline(__always)
    public static func either(_ one: UInt8, _ other: UInt8, in bytes: Span<UInt8>, from start: Int, to end: Int) -> Int
    {
        var index = start
        while index &+ 8 <= end {
            let word = bytes.word(at: index)
            let hits = one == other ? equal(word, one) : equal(word, one) | equal(word, other)
            if hits != 0 { return index &+ hits.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < end, bytes[index] != one, bytes[index] != other { index &+= 1 }
        return index
    }

    @inlinable
    @inline(__always)
    public static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// RFC 8259 2.
    @inlinable
    @inline(__always)
    public static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    @inlinable
    @inline(__always)
    public static func isAlphanumeric(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 }

    @inlinable
    @inline(__always)
    public static func hexDigit(_ byte: UInt8) -> UInt8? {
        if byte &- 0x30 < 10 { return byte &- 0x30 }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    /// A capital letter as a small one, all else as it is.
    @inlinable
    @inline(__always)
    public static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}

extension Span where Element == UInt8 {
    /// Eight bytes, the first of them lowest; the caller knows that they are there.
    @inlinable
    @inline(__always)
    public func word(at index: Int) -> UInt64 {
        UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// The same without a check that they are there.
    @inlinable
    @inline(__always)
    public func uncheckedWord(at index: Int) -> UInt64 {
        UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
    }

    /// Whether the bytes spell `text`, which is written in small letters, in whatever case.
    @inlinable
    @inline(__always)
    public func spells(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count {
            let wanted = text.utf8Start[index]
            guard self[index] | ((wanted & 0x40) &>> 1) == wanted else { return false }
        }
        return true
    }

    /// Whether the bytes begin with `text`, which is written in small letters, in whatever case.
    public func begins(with text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount && extracting(0..<text.utf8CodeUnitCount).spells(text)
    }

    /// The same bytes without blanks at the ends.
    @inlinable
    public func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, ByteSearch.isSpace(self[start]) { start += 1 }
        while end > start, ByteSearch.isSpace(self[end - 1]) { end -= 1 }
        return start..<end
    }
}

extension [UInt8] {
    /// The bytes as a span, which macOS has of arrays from version 26 on.
    @inlinable
    @inline(__always)
    public func withSpan<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let slice = self[...]
        return try body(slice.span)
    }

    @inlinable
    @inline(__always)
    public mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        bytes.extracting(range).withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}
