/// The limits of a connection, and the settings that it sends.
public struct HTTP2Limits: Sendable {
    /// Bytes of a message's head as text; a longer one sets ``HTTP2Stream/isHeadTooLong``.
    public var headBytes = 32 << 10
    /// Streams that the peer may have open at once.
    public var streams = 128
    /// The initial window of a stream.
    public var window = 64 << 10
    /// The largest window of a stream whose receiver keeps up.
    public var largestWindow = 1 << 20
    /// The largest sum of the windows of a connection's streams.
    public var allWindows = 2 << 20

    public init() {}

    /// Bytes of a head, decoded, above which the connection is ended: it comes from an HPACK bomb.
    var bombBytes: Int { 16 * headBytes }
}
