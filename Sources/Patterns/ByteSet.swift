/// Which of the 256 bytes are meant.
struct ByteSet: Hashable, Sendable {
    private var words = SIMD4<UInt64>()

    init() {}

    init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { insert(byte) }
    }

    static let any = ByteSet(0...255)
    static let digits = ByteSet(UInt8(ascii: "0")...UInt8(ascii: "9"))
    static let space = ByteSet([0x20, 0x09, 0x0A, 0x0B, 0x0C, 0x0D])
    static let word = digits.union(
        ByteSet(UInt8(ascii: "a")...UInt8(ascii: "z")).foldingCase.union(ByteSet([UInt8(ascii: "_")])))

    func contains(_ byte: UInt8) -> Bool {
        words[Int(byte >> 6)] & (1 << UInt64(byte & 63)) != 0
    }

    mutating func insert(_ byte: UInt8) {
        words[Int(byte >> 6)] |= 1 << UInt64(byte & 63)
    }

    func union(_ other: ByteSet) -> ByteSet {
        var result = self
        result.words |= other.words
        return result
    }

    var inverted: ByteSet {
        var result = self
        result.words = ~words
        return result
    }

    /// With the other case of every ASCII letter in it.
    var foldingCase: ByteSet {
        var result = self
        for byte in UInt8(ascii: "a")...UInt8(ascii: "z") {
            if contains(byte) { result.insert(byte & ~0x20) }
            if contains(byte & ~0x20) { result.insert(byte) }
        }
        return result
    }
}

extension UInt8 {
    /// An ASCII capital as its small letter, any other byte as it is.
    package var folded: UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self
    }
}
