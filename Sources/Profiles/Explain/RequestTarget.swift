/// A request as one types it: a URL, the same without its scheme, or a path alone.
package struct RequestTarget: Sendable {
    let scheme: String
    /// Normalised; empty when there is none.
    package var host: String
    let port: UInt16
    /// As a client would send it.
    var path: [UInt8]
    /// With its `?`, or empty.
    var query: String

    package init(parsing text: String) throws(Refusal) {
        var rest = text[...]
        var scheme = "https"
        if let mark = text.range(of: "://"), !text.hasPrefix("/") {
            scheme = text[..<mark.lowerBound].lowercased()
            rest = text[mark.upperBound...]
        }
        guard ["http", "https", "ws", "wss"].contains(scheme) else {
            throw Refusal(
                message: "the URL has the scheme \"\(scheme)\"", expected: "https, http, wss or ws",
                hint: "without one, https is meant")
        }
        self.scheme = scheme
        rest = rest.prefix { $0 != "#" }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = rest[..<end]
        if authority.contains("@") {
            throw Refusal(message: "the URL has a user name", expected: "a URL like https://api.shop.test/v1")
        }
        let (name, port) = try splitAuthority(authority)
        host = name.isEmpty && text.hasPrefix("/") ? "" : try normalizedHost(name)
        self.port = port ?? (scheme == "https" || scheme == "wss" ? 443 : 80)
        let tail = rest[end...]
        let mark = tail.firstIndex(of: "?") ?? tail.endIndex
        let path = Array(tail[..<mark].utf8)
        self.path = path.isEmpty ? [UInt8(ascii: "/")] : path
        query = String(tail[mark...])
    }

    package var url: String {
        let isDefault = port == (scheme == "https" || scheme == "wss" ? 443 : 80)
        let name = host.contains(":") ? "[\(host)]" : host
        let authority = host.isEmpty ? "" : "\(scheme)://\(name)" + (isDefault ? "" : ":\(port)")
        return authority + String(decoding: path, as: UTF8.self) + query
    }
}
