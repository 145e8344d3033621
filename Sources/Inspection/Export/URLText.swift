import Bytes
import Exchanges
import Store

/// The parts of an absolute URL (RFC 3986) for exports, as text.
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
        self.scheme = String(decoding: bytes[scheme].map(ByteSearch.lowercased), as: UTF8.self)
        self.host = part(host)
        let end = bytes[(scheme.upperBound + 3)...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
        let authority = bytes[(scheme.upperBound + 3)..<end]
        let start = authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? authority.startIndex
        self.authority = part(start..<end)
        target = (path.isEmpty ? "/" : path) + (query.map { "?" + $0 } ?? "")
    }
}

/// Names and values of a query or a form (https://url.spec.whatwg.org/#application/x-www-form-urlencoded).
enum FormFields {
    static func pairs(_ text: String) -> [HeadText.Field] {
        text.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            return HeadText.Field(decoded(pair[..<equals]), decoded(pair[equals...].dropFirst()))
        }
    }

    static func text(_ pairs: [HeadText.Field]) -> String {
        pairs.map { "\(FormCoding.encoded($0.name))=\(FormCoding.encoded($0.value))" }.joined(separator: "&")
    }

    private static func decoded(_ text: Substring.UTF8View) -> String {
        String(decoding: FormCoding.decoded(Array(text)), as: UTF8.self)
    }
}
