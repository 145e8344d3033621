/// A route's rules for cross-origin requests of web pages (the Fetch standard's CORS protocol).
public struct CORSRules: Hashable, Sendable {
    /// Which pages are allowed: `https://app.shop.test`, `https://*.shop.test`, `http://localhost:*`; empty for all.
    public var origins: [String]
    /// Cookies may be sent along.
    public var allowsCredentials: Bool
    /// Empty for all that are requested.
    public var methods: [String]
    /// Empty for all that are requested.
    public var headers: [String]
    /// Fields of responses that pages may read besides the usual ones.
    public var exposedHeaders: [String]
    /// Seconds that a preflight's response is good for.
    public var maxAge: Int

    public init(
        origins: [String] = [], allowsCredentials: Bool = true, methods: [String] = [], headers: [String] = [],
        exposedHeaders: [String] = [], maxAge: Int = 60
    ) {
        self.origins = origins
        self.allowsCredentials = allowsCredentials
        self.methods = methods
        self.headers = headers
        self.exposedHeaders = exposedHeaders
        self.maxAge = maxAge
    }
}
