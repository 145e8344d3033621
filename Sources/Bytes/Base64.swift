/// Base64 (RFC 4648 4), in pieces.
public struct Base64Encoder {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private var held: [UInt8] = []

    public init() {}

    public static func text(_ bytes: [UInt8]) -> String {
        var encoder = Base64Encoder()
        return String(decoding: encoder.encode(bytes[...]) + encoder.finish(), as: UTF8.self)
    }

    public mutating func encode(_ piece: ArraySlice<UInt8>) -> [UInt8] {
        let bytes = held + piece
        let whole = bytes.count / 3 * 3
        held = Array(bytes[whole...])
        var text: [UInt8] = []
        text.reserveCapacity(whole / 3 * 4)
        for at in stride(from: 0, to: whole, by: 3) {
            Self.append(bytes[at], bytes[at + 1], bytes[at + 2], to: &text)
        }
        return text
    }

    public mutating func finish() -> [UInt8] {
        guard let first = held.first else { return [] }
        var text: [UInt8] = []
        Self.append(first, held.count > 1 ? held[1] : 0, 0, to: &text)
        for index in (held.count + 1)..<4 { text[index] = UInt8(ascii: "=") }
        held = []
        return text
    }

    private static func append(_ one: UInt8, _ two: UInt8, _ three: UInt8, to text: inout [UInt8]) {
        text.append(alphabet[Int(one >> 2)])
        text.append(alphabet[Int((one & 3) << 4 | two >> 4)])
        text.append(alphabet[Int((two & 15) << 2 | three >> 6)])
        text.append(alphabet[Int(three & 63)])
    }
}

/// The way back.
public enum Base64Decoder {
    /// Takes the URL-safe alphabet, too, line breaks, and padding that is missing; nil for what is no Base64.
    public static func bytes(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 4 * 3)
        var (bits, count, padding): (UInt32, Int, Int) = (0, 0, 0)
        for byte in text.utf8 {
            if byte == 0x0D || byte == 0x0A || byte == 0x20 || byte == 0x09 { continue }
            if byte == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let value = value(of: byte) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 1
            guard count == 4 else { continue }
            for shift in [16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(shift))) }
            (bits, count) = (0, 0)
        }
        guard count != 1, padding <= 2 else { return nil }
        if count > 1 { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count * 6 - 8))) }
        if count > 2 { bytes.append(UInt8(truncatingIfNeeded: bits >> 2)) }
        return bytes
    }

    private static func value(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - 0x41
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 0x61 + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 0x30 + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
