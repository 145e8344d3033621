import Bytes

/// Strings of JSON as their bytes.
///
/// Unlike the reader of the JSON module it accepts halves of surrogate pairs, which browsers write where a body has
/// such.
enum JSONText {
    static func text(_ literal: [UInt8]) -> String { String(decoding: bytes(literal), as: UTF8.self) }

    /// - Parameter literal: with its quotes.
    static func bytes(_ literal: [UInt8]) -> [UInt8] {
        guard literal.count >= 2 else { return [] }
        let end = literal.count - 1
        var at = literal.withSpan { ByteSearch.byte(UInt8(ascii: "\\"), in: $0, from: 1, to: end) }
        if at == end { return Array(literal[1..<end]) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(literal.count)
        var start = 1
        while at < end {
            bytes += literal[start..<at]
            at = unescape(literal, at, into: &bytes)
            start = at
            at = literal.withSpan { ByteSearch.byte(UInt8(ascii: "\\"), in: $0, from: start, to: end) }
        }
        if start < end { bytes += literal[start..<end] }
        return bytes
    }

    /// Returns where the escape ends.
    private static func unescape(_ literal: [UInt8], _ at: Int, into bytes: inout [UInt8]) -> Int {
        let byte = literal[at + 1]
        switch byte {
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"):
            guard let unit = unit(literal, at) else {
                bytes.append(byte)
                return at + 2
            }
            if unit & 0xFC00 == 0xD800, let low = self.unit(literal, at + 6), low & 0xFC00 == 0xDC00 {
                let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
                bytes += String(Character(scalar ?? "\u{FFFD}")).utf8
                return at + 12
            }
            bytes += String(Character(Unicode.Scalar(unit) ?? "\u{FFFD}")).utf8
            return at + 6
        default: bytes.append(byte)
        }
        return at + 2
    }

    private static func unit(_ literal: [UInt8], _ at: Int) -> UInt32? {
        guard at + 6 <= literal.count, literal[at] == UInt8(ascii: "\\"), literal[at + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var unit: UInt32 = 0
        for byte in literal[(at + 2)..<(at + 6)] {
            guard let digit = ByteSearch.hexDigit(byte) else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }
}
