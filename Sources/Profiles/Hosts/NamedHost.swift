/// A host as a client's URL names it, with its port where that is not the scheme's.
public struct NamedHost: Hashable, Sendable {
    /// Normalised, IPv6 addresses without brackets.
    public let host: String
    public let port: UInt16?

    public init(host: String, port: UInt16?) { (self.host, self.port) = (host, port) }

    /// `api.shop.test` or `[::1]:8443`.
    public var authority: String { (host.contains(":") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "") }
}

/// A URL that an app is given: scheme, host and path.
public struct BaseURL: Hashable, Sendable {
    public let isTLS: Bool
    public let named: NamedHost
    /// Empty, or with a slash in front and none at the end.
    public let path: String

    /// nil for what is no URL with `http` or `https`.
    public init?(_ text: String) {
        guard let url = try? OriginURL(parsing: text), !url.isHTTP2 else { return nil }
        isTLS = url.isTLS
        named = NamedHost(host: url.host, port: url.port == (url.isTLS ? 443 : 80) ? nil : url.port)
        path = url.basePath
    }
}

extension Profile {
    /// The hosts that routes name as they stand, loopback ones left out, each once in the order of the routes.
    public var namedHosts: [NamedHost] {
        var found: [NamedHost] = []
        for route in routes {
            guard case .exact(let host) = route.pattern.host.scope, !isLoopback(host) else { continue }
            let port = route.pattern.host.port
            let named = NamedHost(host: host, port: port == 443 || port == 80 ? nil : port)
            if !found.contains(named) { found.append(named) }
        }
        return found
    }

    /// Whether any route may respond for a host.
    public func hasRoute(for url: BaseURL) -> Bool {
        let port = url.named.port ?? (url.isTLS ? 443 : 80)
        return routes.contains { $0.pattern.host.covers(host: url.named.host, port: port) }
    }
}
