/// The keys of a route that mean the same in every profile that takes it over.
public struct RouteSettings: Sendable {
    package internal(set) var pattern: RoutePattern
    /// A hash of what the file says, so that a reload can tell changes.
    package internal(set) var content = 0
    /// By which it is switched on and off, unique in its file; nil where an origin responds.
    public internal(set) var name: String?
    /// What is looked for first; the responder has the rest.
    public internal(set) var first: (any LocalSettings)?
    public internal(set) var rewrite = RewriteSettings()
    /// nil leaves cross-origin requests to the origin.
    public internal(set) var cors: CORSSettings?
    public internal(set) var guards = GuardSettings()
    /// nil where requests and responses pass as they are.
    public internal(set) var changes: RouteChanges?
    /// The state that a response of it leads to.
    public internal(set) var then: StateChange?
    /// What goes wrong with its responses, in the order in which chance is asked.
    public internal(set) var faults: [Fault] = []
    /// Conditions of its responses alone.
    public internal(set) var network: NetworkConditions?
    /// TLS connections that name its host go to the origin unread.
    public internal(set) var isPassthrough = false
    public internal(set) var relay = RelaySettings()
    /// The messages of gRPC calls; nil where they are not known.
    public internal(set) var grpc: GRPCSettings?
    /// The server that describes them itself; nil where files do.
    package internal(set) var reflected: OriginAddress?
    /// Whether the profile's token is put into requests; nil leaves it to the token.
    package internal(set) var token: Bool?
    /// nil leaves it to the profile, as long as the route has none.
    package internal(set) var contractUse: ContractUse?
}

/// What a route rewrites.
///
/// Everything is on but bodies, and `Clear-Site-Data` stays.
public struct RewriteSettings: Hashable, Sendable {
    /// `Location`, `Link`, `Origin`, `Referer` and the like.
    public var addresses = true
    public var cookies = true
    /// Takes out what would pin a client to an address: HSTS, Alt-Svc, report endpoints and the like.
    public var pins = true
    public var clearSiteData = false
    /// Absolute URLs within text, of responses and of requests.
    public var bodies = false

    public init() {}

    public static let none = RewriteSettings(addresses: false, cookies: false, pins: false)

    private init(addresses: Bool, cookies: Bool, pins: Bool) {
        (self.addresses, self.cookies, self.pins) = (addresses, cookies, pins)
    }
}

/// How a route responds to cross-origin requests of web pages.
public struct CORSSettings: Hashable, Sendable {
    /// Which pages may ask; empty for all.
    public var origins: [String] = []
    public var credentials = true
    /// Empty for all that are requested.
    public var methods: [String] = []
    /// Empty for all that are requested.
    public var headers: [String] = []
    public var exposedHeaders: [String] = []
    /// Seconds.
    public var maxAge = 60

    public init() {}
}

/// Several that may respond, asked in their order until one does.
public struct OriginChain: Sendable {
    public enum Candidate: Hashable, Sendable {
        case origin(OriginAddress)
        /// The route of that profile that matches the request.
        case profile(String)
    }

    /// At least two; a profile alone only by ``RunSettings``.
    public let candidates: [Candidate]
    public let preserveHost: Bool
    public let fallback: FallbackSettings

    public init(candidates: [Candidate], preserveHost: Bool, fallback: FallbackSettings) {
        (self.candidates, self.preserveHost, self.fallback) = (candidates, preserveHost, fallback)
    }
}

/// When the next of a chain is asked.
public struct FallbackSettings: Hashable, Sendable {
    /// Statuses that mean "not me"; beside them what failed before a response came.
    public var statuses: [Int] = []
    /// Nanoseconds that each but the last may take to begin its response; nil leaves it to the limits.
    public var timeout: UInt64?
    /// Nanoseconds that one which could not be reached is passed over.
    public var remember: UInt64 = 5_000_000_000
    /// Bytes of a request's body that are held so that they can be sent again.
    public var hold = 65_536

    public init() {}
}

/// What a route lets through to production without it being unlocked.
public struct GuardSettings: Hashable, Sendable {
    /// Methods that are not safe, in upper case.
    public var methods: [String] = []
    public var webSocket = false
    public var grpc = false
    /// Requests to it are GraphQL whatever its path, so that queries pass and mutations do not.
    public var isGraphQL = false

    public init() {}
}
