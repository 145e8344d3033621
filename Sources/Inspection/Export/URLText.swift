import Store

/// What exports need of an absolute URL (RFC 3986), as text.
struct URLText {
    let scheme: String
    /// With port, without user.
    let authority: String
    /// Without brackets.
    let host: String
    /// Path and query as a request line has them (RFC 9112 3.2.1).
    let target: String
    let query: String?

    /// Nil where there is no scheme or no host.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        let parts = URLParts(bytes, 0..<bytes.count)
        func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        guard let scheme = parts.scheme, let host = parts.host, !scheme.isEmpty, !host.isEmpty else { return nil }
        let path = parts.path.map(part) ?? ""
        query = parts.query.map(part)
        self.scheme = String(decoding: bytes[scheme].map(HeadText.small), as: UTF8.self)
        self.host = part(host)
        let end = bytes[(scheme.upperBound + 3)...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
        let authority = bytes[(scheme.upperBound + 3)..<end]
        let start = authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? authority.startIndex
        self.authority = part(start..<end)
        target = (path.isEmpty ? "/" : path) + (query.map { "?" + $0 } ?? "")
    }
}

/// Names and values of a query or a form (https://url.spec.whatwg.org/#application/x-www-form-urlencoded).
enum FormCoding {
    static func pairs(_ text: String) -> [HeadText.Field] {
        text.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            return HeadText.Field(decoded(pair[..<equals]), decoded(pair[equals...].dropFirst()))
        }
    }

    static func text(_ pairs: [HeadText.Field]) -> String {
        pairs.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
    }

    private static func decoded(_ text: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "+") {
                bytes.append(0x20)
            } else if byte == UInt8(ascii: "%"), let value = UInt8(hex: rest.prefix(2)) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte == 0x20 {
                bytes.append(UInt8(ascii: "+"))
            } else if byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || "*-._".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    /// Two hexadecimal digits.
    fileprivate init?(hex digits: Substring.UTF8View) {
        guard digits.count == 2, digits.allSatisfy({ $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 6 }),
            let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        self = value
    }
}
