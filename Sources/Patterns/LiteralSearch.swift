/// A search for plain text after Knuth, Morris and Pratt.
///
/// It never looks at a byte twice, so neither a long text of the same letter nor text in pieces makes it slow.
public struct LiteralSearch: Sendable {
    private let wanted: ContiguousArray<UInt8>
    private let isFolding: Bool
    private let fallbacks: ContiguousArray<Int>

    /// - Parameters:
    ///   - bytes: the text; in small letters, if case does not matter.
    ///   - isFolding: ASCII letters may be in either case.
    public init(_ bytes: [UInt8], isFolding: Bool = true) {
        wanted = ContiguousArray(bytes)
        self.isFolding = isFolding
        fallbacks = Self.fallbacks(of: bytes)
    }

    /// How much of a text is still there when what comes after so many bytes of it does not fit.
    static func fallbacks(of bytes: [UInt8]) -> ContiguousArray<Int> {
        var fallbacks = ContiguousArray(repeating: 0, count: bytes.count)
        var length = 0
        for index in bytes.indices.dropFirst() {
            while length > 0, bytes[index] != bytes[length] { length = fallbacks[length - 1] }
            if bytes[index] == bytes[length] { length += 1 }
            fallbacks[index] = length
        }
        return fallbacks
    }

    /// Whether it ends in these bytes, where so much of it was there before; that is brought up to date.
    func feed(_ bytes: UnsafeRawBufferPointer, length: inout Int) -> Bool {
        guard length < wanted.count else { return true }
        for byte in bytes where take(byte, &length) { return true }
        return false
    }

    /// Whether it ends with this byte.
    @inline(__always)
    private func take(_ byte: UInt8, _ length: inout Int) -> Bool {
        let folded = isFolding ? byte.folded : byte
        while length > 0, wanted[length] != folded { length = fallbacks[length - 1] }
        if wanted[length] == folded { length += 1 }
        return length == wanted.count
    }

    /// Where it stands first, at or behind an offset.
    public func first(in bytes: [UInt8], from start: Int = 0) -> Range<Int>? {
        var length = 0
        for index in start..<max(start, bytes.count) where take(bytes[index], &length) {
            return (index + 1 - wanted.count)..<(index + 1)
        }
        return nil
    }
}
