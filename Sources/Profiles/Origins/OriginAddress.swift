/// Where an origin is reached and how its certificate is judged; connections are shared among equal addresses only.
public struct OriginAddress: Hashable, Sendable, CustomStringConvertible {
    public let isTLS: Bool
    /// `h2c`: HTTP/2 without TLS and without asking first (RFC 9113 3.3).
    public let isHTTP2: Bool
    /// Lower case, IDNA, no brackets.
    public let host: String
    public let port: UInt16
    /// Put before the path of each request: empty, or `/` and more without a `/` at its end.
    public let basePath: String
    /// Means nothing without TLS.
    public let trust: TrustPolicy
    /// Seconds since 1970 from which on an exception, such as `disabled`, holds no more; nil for ever.
    public let trustExpiry: Int64?
    /// How it is reached; nil for what the environment says.
    public let proxy: OriginProxy?
    /// What starts its server; nil where something else does.
    public let program: ProgramSettings?

    public init(
        isTLS: Bool, host: String, port: UInt16, basePath: String, trust: TrustPolicy, trustExpiry: Int64? = nil,
        isHTTP2: Bool = false, proxy: OriginProxy? = nil, program: ProgramSettings? = nil
    ) {
        (self.proxy, self.program) = (proxy, program)
        (self.isTLS, self.isHTTP2, self.host, self.port) = (isTLS, isHTTP2, host, port)
        (self.basePath, self.trust, self.trustExpiry) = (basePath, trust, trustExpiry)
    }

    public var isDefaultPort: Bool { port == (isTLS ? 443 : 80) }

    /// `host` or `host:port`, as a Host field has it.
    public var authority: String { isDefaultPort ? bracketedHost : place }

    /// `host:port`.
    package var place: String { "\(bracketedHost):\(port)" }

    private var bracketedHost: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host }

    public var description: String { "\(isTLS ? "https" : isHTTP2 ? "h2c" : "http")://\(authority)\(basePath)" }
}
