import Bytes

/// The parts of an absolute URL by which requests are compared; nil for what is no URL of HTTP.
struct RecordedURL {
    /// In small letters, without a port.
    let host: String
    /// As it stands, with its port.
    let authority: String
    let isTLS: Bool
    /// At least `/`.
    let path: String
    /// Behind the question mark.
    let query: String

    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            return nil
        }
        let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
        guard ["http", "https", "ws", "wss"].contains(scheme) else { return nil }
        isTLS = scheme == "https" || scheme == "wss"
        let rest = bytes[(colon + 3)...].prefix { $0 != UInt8(ascii: "#") }
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        authority = String(decoding: rest[..<end], as: UTF8.self)
        host = Self.host(ofAuthority: rest[..<end])
        let mark = rest[end...].firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        path = mark == end ? "/" : String(decoding: rest[end..<mark], as: UTF8.self)
        query = String(decoding: rest[mark...].dropFirst(), as: UTF8.self)
    }

    var port: UInt16 {
        let text = authority[(authority.lastIndex(of: "]") ?? authority.startIndex)...]
        return text.lastIndex(of: ":").flatMap { UInt16(text[text.index(after: $0)...]) } ?? (isTLS ? 443 : 80)
    }

    /// Without userinfo and port, in small letters.
    static func host(ofAuthority authority: ArraySlice<UInt8>) -> String {
        var host = authority
        if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[(at + 1)...] }
        let bracket = host.lastIndex(of: UInt8(ascii: "]")) ?? host.startIndex
        if let colon = host[bracket...].lastIndex(of: UInt8(ascii: ":")) { host = host[..<colon] }
        return String(decoding: host.map { ByteSearch.lowercased($0) }, as: UTF8.self)
    }
}
