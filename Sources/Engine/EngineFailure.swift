/// What went wrong in an exchange: whose fault, at which stage, and what can be told about it.
public struct EngineFailure: Error, Sendable {
    public enum Side: String, Sendable { case client, origin, proxy }

    /// The stages of an exchange, in their order.
    public enum Stage: String, Sendable {
        case head, route, resolve, connect, tls, send, wait, receive, deliver
    }

    public let side: Side
    public let stage: Stage
    /// The status of the answer that tells of it, where an answer can still be sent.
    public let status: Int
    /// Names the thing and what was expected.
    public let message: String
    /// What to do next; nil where nothing useful can be said.
    public let advice: String?
    /// The origin connection was a pooled one that died before it said anything.
    public let isStaleConnection: Bool

    init(
        _ side: Side, _ stage: Stage, status: Int, _ message: String, advice: String? = nil,
        isStaleConnection: Bool = false
    ) {
        self.side = side
        self.stage = stage
        self.status = status
        self.message = message
        self.advice = advice
        self.isStaleConnection = isStaleConnection
    }
}

extension EngineFailure {
    static var aborted: EngineFailure {
        EngineFailure(.proxy, .deliver, status: 503, "Shunt is shutting down and the time to finish has run out")
    }
}
