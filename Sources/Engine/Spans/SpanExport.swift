public import Profiles

/// Where spans are sent, and how (OTLP over HTTP).
public struct SpanExport: Sendable {
    /// Without its base path, and with the trust under which its certificate is judged.
    public var collector: OriginAddress
    /// The path of its resource for traces.
    public var target: String
    /// Sent with each request; they may hold secrets.
    public var fields: [(name: String, value: String)] = []
    public var isCompressed = false
    /// Nanoseconds for one request, connecting included.
    public var timeout = 10 * Limits.second
    /// Nanoseconds that spans wait for others.
    public var delay = 5 * Limits.second
    /// Nanoseconds for what waits when the proxy ends.
    public var lastTime = 2 * Limits.second
    /// What the spans come from: `service.name` and the like.
    public var resource: [(name: String, value: String)] = []
    public var version = ""
    /// Is told when spans cannot be sent, and when they can again; on a thread of its own.
    public var told: @Sendable (SpanTrouble) -> Void = { _ in }

    public init(collector: OriginAddress, target: String) { (self.collector, self.target) = (collector, target) }
}

/// What has to be told about spans that are sent.
public enum SpanTrouble: Sendable {
    /// They wait, and the newest are dropped when too many do.
    case began(String)
    case ended
    /// The collector does not want them, in words.
    case rejected(String)
}
