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
        var index = 0
        while index < count {
            let (word, known) = (bytes.word(at: one &+ index), other.word(at: two &+ index))
            let mask = TextWords.mask(count &- index)
            // Nearly always both are spelled alike.
            guard (word ^ known) & mask == 0 || (TextWords.small(word) ^ TextWords.small(known)) & mask == 0 else {
                return false
            }
            index &+= 8
        }
        return true
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
    @inline(__always)
    static func isEqual(_ bytes: Span<UInt8>, _ range: Range<Int>, _ other: Span<UInt8>, _ known: Range<Int>) -> Bool {
        let count = range.count
        guard count == known.count else { return false }
        let (one, two) = (range.lowerBound, known.lowerBound)
        var index = 0
        while index < count {
            let difference = bytes.word(at: one &+ index) ^ other.word(at: two &+ index)
            guard difference & TextWords.mask(count &- index) == 0 else { return false }
            index &+= 8
        }
        return true
    }

    /// Whether `range` begins with `text`, which is written in small letters, in whatever case.
    @inline(__always)
    static func hasPrefix(_ bytes: Span<UInt8>, _ range: Range<Int>, _ text: StaticString) -> Bool {
        range.count >= text.utf8CodeUnitCount && TextWords.stands(text, bytes, range.lowerBound)
    }

    /// Whether `range` spells `text`, which is written in small letters, in whatever case.
    @inline(__always)
    static func spells(_ bytes: Span<UInt8>, _ range: Range<Int>, _ text: StaticString) -> Bool {
        range.count == text.utf8CodeUnitCount && hasPrefix(bytes, range, text)
    }

    /// The first place of `wanted`, or the range's end.
    @inline(__always)
    static func first(_ wanted: UInt8, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        TextWords.first(wanted, bytes, range)
    }

    /// The first space or tab, or the range's end.
    @inline(__always)
    static func firstBlank(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        TextWords.first(bytes, range) { TextWords.equal($0, 0x20) | TextWords.equal($0, 0x09) }
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
}
