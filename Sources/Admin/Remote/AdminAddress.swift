/// Where an admin interface is that is not found by its file.
public struct AdminAddress: Sendable, Equatable {
    public let host: String
    public let port: UInt16
    /// HTTPS; plain HTTP is spoken with loopback addresses alone.
    public let isSecure: Bool
    /// A PEM file with the authority of its certificate, beside those of the system.
    public var authority: String?

    /// Reads `https://HOST[:PORT]`, or `http://` with a loopback address; nil for anything else.
    public init?(url: String) {
        let scheme = ["https://", "http://"].first { url.lowercased().hasPrefix($0) }
        guard let scheme else { return nil }
        isSecure = scheme == "https://"
        var rest = url.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest.removeLast() }
        let allowed = rest.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x7a).contains($0 | 0x20) || ".-:[]_".utf8.contains($0)
        }
        guard allowed, !rest.isEmpty else { return nil }
        let behindAddress = rest.lastIndex(of: "]") ?? rest.startIndex
        if let colon = rest[behindAddress...].lastIndex(of: ":") {
            guard let port = UInt16(rest[rest.index(after: colon)...]), port > 0 else { return nil }
            self.port = port
            host = String(rest[..<colon])
        } else {
            port = isSecure ? 443 : 80
            host = String(rest)
        }
        guard !host.isEmpty else { return nil }
        guard isSecure || ["127.0.0.1", "localhost", "[::1]"].contains(host.lowercased()) else { return nil }
    }

    /// As `Host` has it.
    var field: String { port == (isSecure ? 443 : 80) ? host : "\(host):\(port)" }

    public var url: String { "\(isSecure ? "https" : "http")://\(field)" }

    /// The host without the brackets of an IPv6 address.
    var bareHost: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }
}
