/// Numbers in few bytes, seven bits in each, the low ones first.
public enum LEB128 {
    @inlinable
    public static func append(_ number: UInt64, to out: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            out.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        out.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Takes a number from the front; nil if it does not end there, or is larger than any length.
    @inlinable
    public static func read(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return Int(number) }
        }
        return nil
    }
}
