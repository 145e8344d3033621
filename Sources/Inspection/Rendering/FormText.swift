import Bytes

/// `application/x-www-form-urlencoded` as a table of names and values (URL Standard, section 5.1).
enum FormText {
    /// Names longer than this do not move the values of the others.
    private static let widest = 32

    static func render(_ body: Content, to sink: LineSink) -> Bool {
        guard body.isPlain else { return false }
        var pairs: [(name: String, value: String)] = []
        var width = 0
        // A limit, since longer lists are not read.
        for pair in body.bytes.split(separator: UInt8(ascii: "&"), maxSplits: 10_000) {
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
        PlainText.line(FormCoding.decoded(Array(bytes)))
    }
}
