/// Hexadecimal digits.
public enum Hex {
    /// Two digits for each byte, in small letters.
    public static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that pairs of digits stand for; nil for anything else.
    public static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap(ByteSearch.hexDigit)
        guard digits.count == text.utf8.count, digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x61 + value - 10 }
}
