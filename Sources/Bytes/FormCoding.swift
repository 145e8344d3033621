/// Names and values as forms send them and queries carry them (application/x-www-form-urlencoded, URL Standard 5.1).
public enum FormCoding {
    /// Decodes escapes, and `+` as a space; an invalid escape stays.
    public static func decoded(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var at = 0
        while at < text.count {
            if text[at] == UInt8(ascii: "%"), at + 2 < text.count, let high = ByteSearch.hexDigit(text[at + 1]),
                let low = ByteSearch.hexDigit(text[at + 2])
            {
                result.append(high << 4 | low)
                at += 3
            } else {
                result.append(text[at] == UInt8(ascii: "+") ? 0x20 : text[at])
                at += 1
            }
        }
        return result
    }

    /// Escapes all but letters, digits and `*-._`, with `+` for a space.
    public static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte == 0x20 {
                bytes.append(UInt8(ascii: "+"))
            } else if ByteSearch.isAlphanumeric(byte) || "*-._".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
