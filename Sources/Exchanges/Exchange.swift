/// One request with its response, for logs and the store.
public struct Exchange: Sendable {
    /// Its number in the store; nil before it is there, and without one.
    public var id: Int64?
    /// Microseconds since 1970, UTC.
    public var startedAt: Int64
    public var client: ClientFacts
    public var method: String
    /// Absolute, as the client meant it.
    public var url: String
    /// The response's status; nil when none was sent.
    public var status: Int?
    public var profile: String?
    /// How the profile was chosen: `session`, `header`, `host-label`, `token`, `app`, `address`, `user` or
    /// `active`; nil before one was chosen.
    public var reason: String?
    /// The session that it belongs to; nil for none.
    public var session: String?
    public var route: String?
    /// What it asks for, where several things are asked for under one URL: kind and name of operations of GraphQL
    /// (`query Cart, mutation Pay`), or service and method of gRPC (`shop.Cart/Add`); nil where it is not known.
    public var operation: String?
    /// The errors in a response of GraphQL, whatever its status; nil where that is not known.
    public var graphQLErrors: Int?
    /// The status of a response of gRPC; nil for others, and where it ended without one.
    public var grpcStatus: Int?
    /// The source of the response: `origin`, `mock`, `bridge`, `tunnel` or `shunt`; nil when none was sent.
    public var responder: String?
    /// The attempts that failed before.
    public var attempts: [Attempt] = []
    /// The fields that were rewritten, with a minus in front of those taken out and a plus of those put in.
    public var rewritten: [String] = []
    /// It went to production, which was unlocked for the time being.
    public var isUnlocked = false
    /// The production profiles to whose origin the response sends the client, past Shunt; for the log alone.
    public var redirectedTo: [String] = []
    /// The names of mocks that would have responded if they were not off.
    public var passedMocks: [String] = []
    /// What was wrong with the response's head, which was sent on in its proper form.
    public var originSent: [String] = []
    /// How it differs from the contract of its route.
    public var contract: [String] = []
    /// When it was held at breakpoints.
    public var holds: [Hold] = []
    public var origin: OriginFacts?
    public var timings: Timings
    public var bytes: ByteCounts
    public var failure: Failure?
    /// Attempts on stale pooled connections before the one that counted.
    public var retries: Int
    /// Its place in a distributed trace; nil without tracing.
    public var trace: Trace?

    public init(
        startedAt: Int64, client: ClientFacts, method: String, url: String, status: Int? = nil,
        profile: String? = nil, route: String? = nil, origin: OriginFacts? = nil, timings: Timings = Timings(),
        bytes: ByteCounts = ByteCounts(), failure: Failure? = nil, retries: Int = 0, responder: String? = nil
    ) {
        self.startedAt = startedAt
        self.client = client
        self.method = method
        self.url = url
        self.status = status
        self.profile = profile
        self.route = route
        self.origin = origin
        self.timings = timings
        self.bytes = bytes
        self.failure = failure
        self.retries = retries
        self.responder = responder
    }

    /// A candidate that failed, or whose response led to the next one.
    public struct Attempt: Sendable {
        /// Scheme, host and port, or `profile:NAME`.
        public var origin: String
        /// Why the next one was asked.
        public var outcome: String

        public init(origin: String, outcome: String) {
            self.origin = origin
            self.outcome = outcome
        }
    }

    /// A time for which it waited at a breakpoint.
    public struct Hold: Sendable, Equatable {
        /// `request` or `response`.
        public var phase: String
        public var microseconds: UInt64
        /// What ended it: `continued`, `edited: fields, body`, `time limit` and the like.
        public var outcome: String

        public init(phase: String, microseconds: UInt64, outcome: String) {
            (self.phase, self.microseconds, self.outcome) = (phase, microseconds, outcome)
        }
    }

    /// The client.
    public struct ClientFacts: Sendable {
        public var address: String
        /// `HTTP/1.1`.
        public var version: String
        /// `TLSv1.3`, or nil without TLS.
        public var tls: String?
        /// The program of this machine that it is, with its script: `curl`, `python3 tests.py`; nil where that is not known.
        public var app: String?

        public init(address: String, version: String, tls: String?) {
            self.address = address
            self.version = version
            self.tls = tls
        }
    }

    /// The origin.
    public struct OriginFacts: Sendable {
        /// Scheme, host and port, as in the profile.
        public var url: String
        /// The address that was connected to; nil when none was.
        public var address: String?
        public var isReused: Bool
        public var tls: String?
        public var isResumed: Bool
        /// The trust policy's name; nil without TLS.
        public var trust: String?
        /// How the certificate was judged, in words; nil without TLS or before it was seen.
        public var trustDecision: String?
        /// The profile's rule that gave the policy; nil without TLS, and for a host without a rule.
        public var trustRule: String?
        /// The name of the ``CertificateChain`` that it has shown; nil without TLS.
        public var chain: String?
        /// `HTTP/2` or `HTTP/1.1`, or `HTTP/1.0` where the origin responded in that; nil without a connection.
        public var version: String?

        public init(
            url: String, address: String? = nil, isReused: Bool = false, tls: String? = nil, isResumed: Bool = false,
            trust: String? = nil, trustDecision: String? = nil, version: String? = nil
        ) {
            self.url = url
            self.address = address
            self.isReused = isReused
            self.tls = tls
            self.isResumed = isResumed
            self.trust = trust
            self.trustDecision = trustDecision
            self.version = version
        }
    }

    /// Microseconds per phase; nil where a phase did not happen.
    public struct Timings: Sendable {
        /// From when it was read to when work on it began, or a connection was free.
        public var blocked: UInt64?
        public var dns: UInt64?
        public var connect: UInt64?
        public var tls: UInt64?
        public var send: UInt64?
        public var wait: UInt64?
        public var receive: UInt64?
        public var total: UInt64 = 0

        public init() {}
    }

    /// Bytes of content, without heads and chunk framing, in both directions.
    public struct ByteCounts: Sendable {
        public var request: UInt64 = 0
        public var response: UInt64 = 0
        /// The response's without its coding, where an archive says so; else it follows from what is kept.
        public var decodedResponse: UInt64?

        public init() {}
    }

    /// Why it failed.
    public struct Failure: Sendable {
        /// `client`, `origin` or `proxy`.
        public var side: String
        public var stage: String
        public var message: String
        /// What makes an origin's certificate pass, the least permissive first, or what unlocks production; each in one
        /// line.
        public var fixes: [String]

        public init(side: String, stage: String, message: String, fixes: [String] = []) {
            self.side = side
            self.stage = stage
            self.message = message
            self.fixes = fixes
        }

        /// From ``text``.
        package init(side: String, stage: String, text: String) {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            self.init(side: side, stage: stage, message: lines.first ?? "", fixes: Array(lines.dropFirst()))
        }

        /// The message, and a line for each fix.
        package var text: String { fixes.isEmpty ? message : message + "\n" + fixes.joined(separator: "\n") }
    }
}

/// The numbers of an exchange, which differ each time.
public struct ExchangeFigures: Sendable {
    /// Microseconds since 1970, UTC.
    public var startedAt: Int64
    /// The response's status; nil when none was sent.
    public var status: Int?
    public var retries = 0
    public var timings = Exchange.Timings()
    public var bytes = Exchange.ByteCounts()
    /// The connection to the origin had carried others before.
    public var isReused = false
    /// TLS with the origin went on from an earlier session.
    public var isResumed = false
    public var isUnlocked = false
    public var graphQLErrors: Int?
    public var grpcStatus: Int?

    public init(startedAt: Int64) { self.startedAt = startedAt }
}

extension Exchange {
    /// Its numbers alone.
    public var figures: ExchangeFigures {
        var figures = ExchangeFigures(startedAt: startedAt)
        figures.status = status
        figures.retries = retries
        figures.timings = timings
        figures.bytes = bytes
        figures.isReused = origin?.isReused ?? false
        figures.isResumed = origin?.isResumed ?? false
        figures.isUnlocked = isUnlocked
        (figures.graphQLErrors, figures.grpcStatus) = (graphQLErrors, grpcStatus)
        return figures
    }
}

/// Is called at the end of each exchange, on a worker's thread: it must hand the exchange over and return at once.
public protocol ExchangeObserver: Sendable {
    func exchangeEnded(_ exchange: Exchange)
}
