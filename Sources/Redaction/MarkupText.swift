import Bytes

/// Text in XML and HTML (XML 1.0, 4.1): the predefined references, and numbers.
enum MarkupText {
    private static let longestReference = 10
    private static let names: [(name: StaticString, byte: UInt8)] = [
        ("amp", UInt8(ascii: "&")), ("lt", UInt8(ascii: "<")), ("gt", UInt8(ascii: ">")),
        ("quot", UInt8(ascii: "\"")), ("apos", UInt8(ascii: "'")),
    ]

    /// A text without its references.
    static func plain(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        var text: [UInt8] = []
        var index = range.lowerBound
        while index < range.upperBound {
            let stop = ByteSearch.byte(UInt8(ascii: "&"), in: bytes, from: index, to: range.upperBound)
            text.append(bytes, index..<stop)
            guard stop < range.upperBound else { break }
            let limit = min(range.upperBound, stop + 1 + longestReference)
            let end = ByteSearch.byte(UInt8(ascii: ";"), in: bytes, from: stop, to: limit)
            if end < limit, let meant = meaning(bytes.extracting(stop + 1..<end)) {
                text += meant
                index = end + 1
            } else {
                text.append(UInt8(ascii: "&"))
                index = stop + 1
            }
        }
        return text
    }

    /// How a byte is written in an attribute.
    static func reference(for byte: UInt8) -> [UInt8] {
        if byte == UInt8(ascii: "'") { return Array("&#39;".utf8) }
        guard let name = names.first(where: { $0.byte == byte })?.name else { return [byte] }
        return Array("&\(name);".utf8)
    }

    private static func meaning(_ name: Span<UInt8>) -> [UInt8]? {
        for (known, byte) in names where name.spells(known) { return [byte] }
        guard name.count > 1, name[0] == UInt8(ascii: "#") else { return nil }
        let isHex = name[1] | 0x20 == UInt8(ascii: "x")
        let digits = name.extracting((isHex ? 2 : 1)..<name.count).withUnsafeBytes {
            String(decoding: $0, as: UTF8.self)
        }
        return UInt32(digits, radix: isHex ? 16 : 10).flatMap { Unicode.Scalar($0) }.map { Array(String($0).utf8) }
    }
}
