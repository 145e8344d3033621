/// Something that goes wrong with a share of a route's requests.
public struct Fault: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The connection is reset (RST).
        case reset
        /// The connection is closed in good order.
        case close
        /// The body ends too early.
        case truncate
        /// Bytes of the body are changed.
        case corrupt
        /// The body comes slowly.
        case slow
        /// The body comes in small pieces.
        case slice
        /// No response comes.
        case hang
        /// The end of the response comes late.
        case slowClose = "slow-close"
        /// As if the origin's name had no address.
        case dns
        /// As if the origin did not accept a connection.
        case connect
        /// As if the TLS handshake with the origin had failed.
        case tls
        /// HTTP/2: the connection ends with GOAWAY.
        case goaway
        /// HTTP/2: the stream is reset.
        case streamReset = "stream-reset"
        /// Shunt responds with a status.
        case status
        /// Shunt responds with 429 to what is too much.
        case rateLimit = "rate-limit"
    }

    /// Where in the response it happens.
    public enum Place: Hashable, Sendable {
        case beforeHead, inHead
        /// After so many bytes of the body.
        case after(Int)
    }

    public var kind: Kind
    /// The share of requests, above 0 and at most 1.
    public var probability = 1.0
    public var seed: UInt64 = 1
    public var place = Place.beforeHead
    /// Bits per second.
    public var rate: UInt64 = 8000
    /// Bytes of a piece.
    public var size = 64
    /// Nanoseconds; nil for as long as the client waits.
    public var time: UInt64?
    public var status = 503
    public var rateLimit = RateLimit()

    public init(_ kind: Kind) {
        self.kind = kind
        switch kind {
        case .truncate, .streamReset: place = .after(16)
        case .slice: time = 100_000_000
        case .slowClose: time = 5_000_000_000
        case .rateLimit: status = 429
        default: break
        }
    }

    /// In a few words, for logs and explanations.
    public var summary: String { kind == .status ? "status \(status)" : kind.rawValue }
}
