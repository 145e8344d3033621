import Bytes

/// Takes the references out of text in XML and HTML (XML 1.0, 4.1), byte by byte: the predefined ones, and numbers.
struct MarkupUnescaper {
    private static let longestReference = 10

    /// An ampersand and the bytes behind it, while they may be a reference.
    private var reference: [UInt8] = []

    mutating func feed(_ byte: UInt8, into out: inout [UInt8]) {
        if reference.isEmpty, byte != UInt8(ascii: "&") {
            out.append(byte)
            return
        }
        guard !reference.isEmpty else {
            reference.append(byte)
            return
        }
        if byte == UInt8(ascii: ";") {
            if let meant = meaning { out.append(contentsOf: meant) } else { out.append(contentsOf: reference + [byte]) }
            reference.removeAll(keepingCapacity: true)
        } else if ByteSearch.isAlphanumeric(byte) || byte == UInt8(ascii: "#"), reference.count < Self.longestReference
        {
            reference.append(byte)
        } else {
            finish(into: &out)
            feed(byte, into: &out)
        }
    }

    /// Writes bytes that turned out to be no reference.
    mutating func finish(into out: inout [UInt8]) {
        out.append(contentsOf: reference)
        reference.removeAll(keepingCapacity: true)
    }

    /// How a byte is written in an attribute.
    static func reference(for byte: UInt8) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "&"): Array("&amp;".utf8)
        case UInt8(ascii: "<"): Array("&lt;".utf8)
        case UInt8(ascii: ">"): Array("&gt;".utf8)
        case UInt8(ascii: "\""): Array("&quot;".utf8)
        case UInt8(ascii: "'"): Array("&#39;".utf8)
        default: [byte]
        }
    }

    private var meaning: [UInt8]? {
        reference.withSpan { all in
            let name = all.extracting(1..<all.count)
            if name.spells("amp") { return [UInt8(ascii: "&")] }
            if name.spells("lt") { return [UInt8(ascii: "<")] }
            if name.spells("gt") { return [UInt8(ascii: ">")] }
            if name.spells("quot") { return [UInt8(ascii: "\"")] }
            if name.spells("apos") { return [UInt8(ascii: "'")] }
            guard name.count > 1, name[0] == UInt8(ascii: "#") else { return nil }
            let isHex = name[1] | 0x20 == UInt8(ascii: "x")
            let digits = String(decoding: reference.dropFirst(isHex ? 3 : 2), as: UTF8.self)
            return UInt32(digits, radix: isHex ? 16 : 10).flatMap { Unicode.Scalar($0) }.map { Array(String($0).utf8) }
        }
    }
}
