/// An event of a stream (WHATWG HTML 9.2.6).
public struct ServerSentEvent: Sendable {
    /// Its type; empty for `message`.
    public var type: [UInt8]
    /// The last event ID as the client knows it now; empty if there is none.
    public var id: [UInt8]
    /// The kept part of its data, lines joined by LF.
    public var data: [UInt8]
}
