import Bytes

/// A field's name of at least eight bytes, as its first and its last eight: few are left to compare then.
struct FieldWords {
    let start: Int
    let count: Int
    private let front: UInt64
    private let back: UInt64

    /// - Parameter name: at least eight bytes, which lie within the others.
    @inline(__always)
    init(_ bytes: Span<UInt8>, _ name: Range<Int>) {
        self.init(bytes, name, front: bytes.word(at: name.lowerBound))
    }

    /// The same, where the first word is at hand.
    @inline(__always)
    init(_ bytes: Span<UInt8>, _ name: Range<Int>, front: UInt64) {
        start = name.lowerBound
        count = name.count
        self.front = Self.folded(front)
        back = Self.folded(bytes.uncheckedWord(at: name.upperBound &- 8))
    }

    /// Whether it is `text`, which is written in small letters and as long; of more than sixteen bytes only the ends
    /// are compared.
    @inline(__always)
    func spells(_ text: StaticString) -> Bool {
        let known = UnsafeRawPointer(text.utf8Start)
        return front == known.littleWord(at: 0) && back == known.littleWord(at: count &- 8)
    }

    /// Capital letters as small ones.
    ///
    /// Digits and `-` stay, and nothing else becomes a letter, a digit or a `-`, so that only names are taken for names.
    @inline(__always)
    static func folded(_ word: UInt64) -> UInt64 { word | ((word & 0x4040_4040_4040_4040) &>> 1) }
}
