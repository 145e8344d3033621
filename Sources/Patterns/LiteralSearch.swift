/// A search for plain text, ASCII letters in either case, after Knuth, Morris and Pratt.
///
/// It never looks at a byte twice, so neither a long text of the same letter nor text in pieces makes it slow.
struct LiteralSearch: Sendable {
    private let wanted: ContiguousArray<UInt8>
    /// How much is still there when what comes after so many bytes does not fit.
    private let fallbacks: ContiguousArray<Int>

    /// Takes the text in small letters.
    init(_ bytes: [UInt8]) {
        wanted = ContiguousArray(bytes)
        var fallbacks = ContiguousArray(repeating: 0, count: bytes.count)
        var length = 0
        for index in bytes.indices.dropFirst() {
            while length > 0, bytes[index] != bytes[length] { length = fallbacks[length - 1] }
            if bytes[index] == bytes[length] { length += 1 }
            fallbacks[index] = length
        }
        self.fallbacks = fallbacks
    }

    /// Whether it ends in these bytes, where so much of it was there before; that is brought up to date.
    func feed(_ bytes: UnsafeRawBufferPointer, length: inout Int) -> Bool {
        guard length < wanted.count else { return true }
        for byte in bytes {
            let folded = byte.folded
            while length > 0, wanted[length] != folded { length = fallbacks[length - 1] }
            if wanted[length] == folded { length += 1 }
            if length == wanted.count { return true }
        }
        return false
    }
}
