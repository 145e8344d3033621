import Bytes

/// Bytes in hexadecimal, sixteen in a line, with the ASCII among them.
enum HexDump {
    static func render(_ bytes: ArraySlice<UInt8>, to sink: LineSink) {
        var offset = 0
        var rest = bytes
        while !rest.isEmpty, !sink.isOver {
            let row = rest.prefix(16)
            rest = rest.dropFirst(16)
            var line = number(offset) + "  "
            for index in 0..<16 {
                line += index < row.count ? Hex.text([row[row.startIndex + index]]) : "  "
                line += index == 7 ? "  " : " "
            }
            sink.add(line + " " + String(decoding: row.map { $0 &- 0x20 < 0x5F ? $0 : 0x2E }, as: UTF8.self))
            offset += row.count
        }
    }

    private static func number(_ offset: Int) -> String {
        let digits = String(offset, radix: 16)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }
}
