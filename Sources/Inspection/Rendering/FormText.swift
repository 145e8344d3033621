import Bytes

/// `application/x-www-form-urlencoded` as a table of names and values (URL Standard, section 5.1).
enum FormText {
    /// Names longer than this do not move the values of the others.
    private static let widest = 32

    static func render(_ content: Content, to sink: LineSink) -> Bool {
        guard content.isPlain else { return false }
        var pairs: [(name: String, value: String)] = []
        var width = 0
        // So many are more than anybody reads, and than a list of them should hold.
        for pair in content.bytes.split(separator: UInt8(ascii: "&"), maxSplits: 10_000) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let name = decoded(pair[..<equals])
            pairs.append((name, decoded(pair[min(equals + 1, pair.endIndex)...])))
            if name.count <= widest { width = max(width, name.count) }
        }
        for (name, value) in pairs where !sink.isOver {
            sink.add(name + String(repeating: " ", count: max(0, width - name.count)) + "  " + value)
        }
        return true
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        var at = bytes.startIndex
        while at < bytes.endIndex {
            let byte = bytes[at]
            if byte == UInt8(ascii: "%"), at + 2 < bytes.endIndex, let high = ByteSearch.hexDigit(bytes[at + 1]),
                let low = ByteSearch.hexDigit(bytes[at + 2])
            {
                result.append(high << 4 | low)
                at += 3
            } else {
                result.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
                at += 1
            }
        }
        return PlainText.line(result)
    }
}
