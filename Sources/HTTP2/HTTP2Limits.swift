/// What a connection puts up with, and what it tells its peer.
public struct HTTP2Limits: Sendable {
    /// Bytes of a message's head as text; a longer one is told by ``HTTP2Stream/isHeadTooLong``.
    public var headBytes = 32 << 10
    /// Streams that the peer may have open at once.
    public var streams = 128
    /// Bytes of a body that a stream's receiver lets come before it has used any.
    public var window = 64 << 10
    /// What a stream's window grows to while its receiver keeps up.
    public var largestWindow = 1 << 20
    /// What the windows of all streams of a connection grow to together.
    public var allWindows = 2 << 20

    public init() {}

    /// Bytes of a head, decoded, after which a connection is given up: it comes from an HPACK bomb.
    var bombBytes: Int { 16 * headBytes }
}
