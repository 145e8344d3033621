/// Limits on sizes, times and counts that apply to peers.
///
/// Times are in nanoseconds.
public struct Limits: Sendable {
    /// Bytes of a message's head, and of a trailer section; at most ``bufferSize``.
    public var headBytes = 32 << 10
    public var fields = 200
    /// From a connection's or a head's first byte to the head's end, TLS handshake included.
    public var headTime: UInt64 = 15 * second
    /// How long a client's connection may stay open between requests.
    public var idleTime: UInt64 = 75 * second
    /// How long a new connection may wait with its first byte; never longer than ``idleTime``.
    public var silentTime: UInt64 = .max
    /// How long connections of HTTP/1.1 that are idle stay open while the proxy drains.
    ///
    /// A load balancer may be sending a request over one that it has not yet seen closed.
    public var drainIdleTime: UInt64 = 0
    /// For name look-up, connection and TLS handshake together.
    public var connectTime: UInt64 = 10 * second
    /// From the end of the request to the head of the response.
    ///
    /// Generous, since the origin may have stopped at a breakpoint.
    public var responseTime: UInt64 = 120 * second { didSet { localResponseTime = responseTime } }
    /// The same for routes of local profiles: without end, unless a limit was set.
    public private(set) var localResponseTime = UInt64.max
    /// How long a body may make no progress, on either side.
    public var bodyTime: UInt64 = 300 * second { didSet { localBodyTime = bodyTime } }
    /// The same for event streams, gRPC and routes of local profiles: without end, unless a limit was set.
    public private(set) var localBodyTime = UInt64.max
    /// How long an upgraded connection may be silent.
    public var tunnelTime: UInt64 = 3600 * second
    /// After so much silence on an HTTP/2 connection with open streams, PING is sent.
    public var silenceTime: UInt64 = 30 * second
    /// How long the response to PING may take.
    public var pingTime: UInt64 = 15 * second
    /// How long an unused origin connection is kept.
    public var poolTime: UInt64 = 60 * second
    /// How old an origin's connection may be that another request is sent on: one that is always in use would stay with
    /// an address that its name has no more.
    public var poolAge: UInt64 = 600 * second
    /// How often the name of an origin with connections is looked up again.
    public var lookUpTime: UInt64 = 10 * second
    /// Unused connections kept per origin and worker.
    public var pooledConnections = 1024
    /// Client connections in all.
    public var connections = 16_384
    /// Connections of one client at once; nil for no limit, see ``ClientLimits``.
    public var clientConnections: Int?
    /// Requests of one client per second; nil for no limit.
    public var clientRate: Int?
    /// Whether a connection that a handler does nothing for, the oldest first, is ended for a new one when there are
    /// ``connections`` already.
    public var makesRoom = false
    /// Bytes of memory for bodies of requests that are held, see ``HeldBodies``.
    public var heldBodies = 256 << 20
    /// Bytes of a request's body that are read and dropped after its response: a connection that is closed with input
    /// unread is reset, and its client may lose the response (RFC 9112 9.6).
    public var discardedBody = 256 << 20
    /// How long that may take.
    public var discardTime: UInt64 = 300 * second
    /// How long the body may stand still meanwhile.
    public var discardPause: UInt64 = 5 * second

    /// Bytes of the head of an origin's response: Chromium's limit, or that of requests if it is larger.
    static let responseHeadBytes = 256 << 10
    static let responseFields = 1000
    /// Bytes per buffer; a connection in use has two.
    public static let bufferSize = 64 << 10
    /// Size of a stream's first buffer.
    static let smallBufferSize = 3 << 10
    /// How long a connection is idle before its memory is given back.
    static let restDelay = second
    /// How many connections of a worker may be idle without having given their memory back.
    static let maxAwake = 64
    public static let second: UInt64 = 1_000_000_000

    public init() {}
}
