/// A method, of which the conventions know a bounded number.
enum SpanMethod {
    private static let known: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY",
    ]

    static func attributes(_ method: String) -> [(name: String, value: SpanValue?)] {
        known.contains(method)
            ? [("http.request.method", .text(method))]
            : [("http.request.method", .text("_OTHER")), ("http.request.method_original", .text(method))]
    }

    /// For the name of a span.
    static func name(_ method: String) -> String { known.contains(method) ? method : "HTTP" }
}

/// A host and a port, as in `127.0.0.1:80`, `[::1]:80` or `example.com`.
struct HostAndPort {
    let host: String
    let port: Int?

    init(_ text: some StringProtocol) {
        guard let colon = text.lastIndex(of: ":"), !text[colon...].contains("]"),
            let port = Int(text[text.index(after: colon)...])
        else {
            (host, port) = (Self.bare(text), nil)
            return
        }
        (host, self.port) = (Self.bare(text[..<colon]), port)
    }

    private static func bare(_ text: some StringProtocol) -> String {
        text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : String(text)
    }
}

/// The parts of an absolute URL.
struct SpanURL {
    let scheme: String
    let server: HostAndPort
    /// Path and query.
    let target: String
    let path: String
    let query: String?

    init(_ url: String) {
        let mark = url.firstRange(of: "://")
        scheme = mark.map { String(url[..<$0.lowerBound]) } ?? ""
        let rest = url[(mark?.upperBound ?? url.startIndex)...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        server = HostAndPort(authority)
        let target = rest[authority.endIndex...]
        self.target = String(target)
        path = String(target.prefix { $0 != "?" })
        query = target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
    }

    /// The path of a route's pattern; nil for one of a host alone.
    static func route(_ label: String) -> String? {
        label.firstIndex(of: "/").map { String(label[$0...].prefix { $0 != " " }) }
    }

    /// The number in `HTTP/1.1` and `TLSv1.3`.
    static func version(_ text: String?) -> String? {
        text.map { String($0.drop { !$0.isNumber }) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
