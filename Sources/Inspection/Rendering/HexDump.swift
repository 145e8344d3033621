import Bytes

/// Bytes in hexadecimal, sixteen in a line, with the ASCII among them.
enum HexDump {
    /// - Parameter start: the place of these bytes among others.
    static func render(_ bytes: ArraySlice<UInt8>, from start: Int = 0, to sink: LineSink) {
        var offset = start
        var rest = bytes
        while !rest.isEmpty, !sink.isOver {
            let row = rest.prefix(16)
            rest = rest.dropFirst(16)
            sink.add(number(offset) + "  " + self.row(row))
            offset += row.count
        }
    }

    /// At most sixteen bytes, and the ASCII among them.
    static func row(_ bytes: ArraySlice<UInt8>) -> String {
        var line = ""
        for index in 0..<16 {
            line += index < bytes.count ? Hex.text([bytes[bytes.startIndex + index]]) : "  "
            line += index == 7 ? "  " : " "
        }
        return line + " " + String(decoding: bytes.map { $0 &- 0x20 < 0x5F ? $0 : 0x2E }, as: UTF8.self)
    }

    private static func number(_ offset: Int) -> String {
        let digits = String(offset, radix: 16)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }
}
