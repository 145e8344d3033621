import Exchanges
public import TLS

/// A failure of an exchange: its side, its stage and its message.
public struct EngineFailure: Error, Sendable {
    public enum Side: String, Sendable { case client, origin, proxy }

    /// The stages of an exchange, in their order.
    public enum Stage: String, Sendable {
        case head, route, resolve, connect, tls, send, wait, receive, deliver
    }

    /// One word, since every call of an exchange reserves room for a failure.
    private let facts: Facts

    private final class Facts: Sendable {
        let side: Side
        let stage: Stage
        let status: Int
        let message: String
        let advice: String?
        let fixes: [String]
        let kind: Kind

        init(
            _ side: Side, _ stage: Stage, _ status: Int, _ message: String, _ advice: String?, _ fixes: [String],
            _ kind: Kind
        ) {
            self.side = side
            self.stage = stage
            self.status = status
            self.message = message
            self.advice = advice
            self.fixes = fixes
            self.kind = kind
        }
    }

    public var side: Side { facts.side }
    public var stage: Stage { facts.stage }
    /// The status of the error page, if one can still be sent.
    public var status: Int { facts.status }
    /// Names the cause and what was expected.
    public var message: String { facts.message }
    /// What to do next; nil where nothing useful can be said.
    public var advice: String? {
        guard !facts.fixes.isEmpty else { return facts.advice }
        let list = "What helps, the least permissive first:" + facts.fixes.map { "\n- \($0)" }.joined()
        return list + (facts.advice.map { "\n\($0)" } ?? "")
    }
    /// What makes an origin's certificate pass, the least permissive first.
    public var fixes: [String] { facts.fixes }
    /// The next step as text of one line each: the fixes, or the commands that unlock production for a while.
    var remedies: [String] {
        if case .guarded(let profiles) = kind { Locks.commands(toUnlock: profiles) } else { fixes }
    }

    /// How the engine can react to it.
    var kind: Kind { facts.kind }

    package enum Kind {
        case final
        /// The origin's connection was a pooled one that closed before it sent anything.
        case staleConnection
        /// The origin has not processed the request (RFC 9113 8.7).
        case refused
        /// The connection to the origin broke, or took too long, before TLS was up.
        case connectFailed
        /// The client's network reaches no origin.
        case cutOff
        /// The origin closed the connection without a response, or took too long.
        case noResponse
        /// The origin responded with a status after which the next candidate is asked.
        case declined
        /// The origin has responded with 401 to a token that can be renewed.
        case unauthorized
        /// The origin's program is starting, and a browser is to ask again.
        case starting
        /// No route matches the request.
        case unrouted(NearRoutes)
        /// The origin's certificate was not accepted.
        case untrusted(TLSFailure.Rejection)
        /// It would have changed production; these profiles are locked.
        case guarded(profiles: [String])

        var isStaleConnection: Bool { if case .staleConnection = self { true } else { false } }

        var isRefused: Bool { if case .refused = self { true } else { false } }

        var isUnauthorized: Bool { if case .unauthorized = self { true } else { false } }

        var isDeclined: Bool { if case .declined = self { true } else { false } }

        /// No route fits, and nothing else is wrong.
        var isUnrouted: Bool { if case .unrouted = self { true } else { false } }

        /// It says nothing about the origin, which others can reach.
        var isCutOff: Bool { if case .cutOff = self { true } else { false } }
    }

    package init(
        _ side: Side, _ stage: Stage, status: Int, _ message: String, advice: String? = nil,
        fixes: [String] = [], kind: Kind = .final
    ) {
        facts = Facts(side, stage, status, message, advice, fixes, kind)
    }
}

extension EngineFailure {
    /// Why the origin's certificate was not accepted, if that was it.
    public var rejection: TLSFailure.Rejection? { if case .untrusted(let why) = kind { why } else { nil } }

    /// The same with the candidates that failed before, since the last failure alone would mislead.
    func after(_ attempts: [Exchange.Attempt]) -> EngineFailure {
        if attempts.isEmpty { return self }
        let asked = "Asked before: " + attempts.map { "\($0.origin) (\($0.outcome))" }.joined(separator: "; ") + "."
        return EngineFailure(
            side, stage, status: status, message, advice: facts.advice.map { "\($0)\n\(asked)" } ?? asked, fixes: fixes,
            kind: kind)
    }

    /// The same with more to do next.
    func adding(advice: String) -> EngineFailure {
        EngineFailure(
            side, stage, status: status, message, advice: (facts.advice ?? "") + advice, fixes: fixes, kind: kind)
    }

    /// No connection was made, so that nothing was sent.
    ///
    /// A certificate that is not trusted does not count: asking the next candidate would hide it.
    var hasConnectFailed: Bool {
        if case .connectFailed = kind { return true }
        return stage == .resolve || stage == .connect
    }

    static func clientLeft(_ reason: String) -> EngineFailure {
        EngineFailure(.client, .deliver, status: 499, "the client went away: \(reason)")
    }

    static var clientClosed: EngineFailure {
        EngineFailure(
            .client, .deliver, status: 499, "the client went away: it closed its side before its response was complete",
            advice: "For a client that sends no more and still reads, set \"halfClose\": true in the route or profile.")
    }

    static var bodyWasRead: EngineFailure {
        EngineFailure(.proxy, .route, status: 500, "the request's body was read, and its route cannot be told")
    }

    static var aborted: EngineFailure {
        EngineFailure(.proxy, .deliver, status: 503, "Shunt is shutting down and the time to finish has run out")
    }

    static var switched: EngineFailure {
        EngineFailure(.proxy, .deliver, status: 503, "another profile is active, and its open streams are to end")
    }
}
