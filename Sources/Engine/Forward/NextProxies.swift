import Bytes
import Profiles

/// The proxies by which a network is left, such as a company's; chosen by the scheme and host of what is to be reached.
public struct NextProxies: Sendable {
    /// One of them.
    public struct Server: Sendable, Hashable, CustomStringConvertible {
        public enum Kind: Sendable { case http, socks5 }

        public let kind: Kind
        public let host: String
        public let port: UInt16
        /// `user:password`; empty for none.
        let credentials: String
        /// The environment names it, not a route.
        let isOfEnvironment: Bool

        /// The proxy of a route, with its credentials.
        init(_ proxy: OriginProxy.Server, credentials: String) {
            kind = proxy.kind == .http ? .http : .socks5
            (host, port) = (proxy.host, proxy.port)
            (self.credentials, isOfEnvironment) = (credentials, false)
        }

        /// Reads `http://user:password@host:port`, `socks5://…` or `socks5h://…`; without a scheme it is http.
        public init?(_ text: String) {
            var rest = text[...]
            var kind = Kind.http
            if let mark = text.range(of: "://") {
                switch text[..<mark.lowerBound].lowercased() {
                case "http": kind = .http
                case "socks5", "socks5h": kind = .socks5
                default: return nil
                }
                rest = text[mark.upperBound...]
            }
            rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            var credentials = ""
            if let at = rest.lastIndex(of: "@") {
                credentials = String(
                    decoding: FormCoding.decoded(
                        Array(rest[..<at].utf8).flatMap {
                            // A plus is no space here.
                            $0 == UInt8(ascii: "+") ? Array("%2B".utf8) : [$0]
                        }), as: UTF8.self)
                rest = rest[rest.index(after: at)...]
            }
            let usual: UInt16 = kind == .http ? 3128 : 1080
            guard let url = BaseURL("http://\(rest)"), url.path.isEmpty else { return nil }
            (self.kind, host, self.credentials) = (kind, url.named.host, credentials)
            isOfEnvironment = true
            // A written 80 and none look the same in a URL.
            port = url.named.port ?? (rest.hasSuffix(":80") ? 80 : usual)
        }

        /// Without its credentials.
        public var description: String {
            let name = host.contains(":") ? "[\(host)]" : host
            return "\(kind == .http ? "http" : "socks5")://\(name):\(port)"
        }
    }

    /// For https and for tunnels.
    public var https: Server?
    public var http: Server?
    /// Hosts that are reached directly: `shop.test` with all below it, `.shop.test` alike, `shop.test:8443`, an address,
    /// `10.0.0.0/8`, or `*` for all.
    public var exceptions: [String] = []

    public init() {}

    /// The proxy for an origin; nil for none.
    ///
    /// This machine and its loopback names are always reached directly.
    package func server(isTLS: Bool, host: String, port: UInt16) -> Server? {
        guard let server = isTLS ? https : http, !isException(host, port) else { return nil }
        return server
    }

    private func isException(_ host: String, _ port: UInt16) -> Bool {
        if NamedHost(host: host, port: nil).isLoopback { return true }
        return exceptions.contains { exception in
            if exception == "*" { return true }
            if let range = NetworkRange(exception) { return range.contains(host) }
            var name = exception.lowercased()
            if let colon = name.lastIndex(of: ":"), name.firstIndex(of: ":") == colon || name.hasPrefix("["),
                let given = UInt16(name[name.index(after: colon)...])
            {
                guard given == port else { return false }
                name = String(name[..<colon])
            }
            name = name.filter { $0 != "[" && $0 != "]" }
            if name.hasPrefix("*.") { name.removeFirst(2) } else if name.hasPrefix(".") { name.removeFirst() }
            return !name.isEmpty && (host == name || host.hasSuffix("." + name))
        }
    }
}

extension NextProxies.Server {
    /// Where it is named, and how it is not asked.
    var advice: String {
        isOfEnvironment
            ? "HTTPS_PROXY and HTTP_PROXY name it; hosts in NO_PROXY are reached directly."
            : "\"proxy\" in the route names it; \"direct\" there reaches the origin without one."
    }

    /// Where credentials are written.
    var credentialsAdvice: String {
        isOfEnvironment
            ? "It wants credentials: write them into its URL, as \(kind == .http ? "http" : "socks5")://USER:PASSWORD@\(host):\(port)."
            : "It wants credentials: \"credentialsVariable\" beside the proxy's \"url\" names the environment variable that "
                + "holds USER:PASSWORD."
    }
}
