import HTTP
import Profiles
import Reactor
import Rewriting
import TLS
import Traffic

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension ClientExchange {
    /// Everything that is known of the present exchange, as values that others may keep.
    ///
    /// Read from where it is: a copy of the notes would count what they refer to.
    func facts(status: Int, _ failure: EngineFailure?) -> Exchange {
        let figures = figures(status: failure?.side == .client && failure?.stage == .deliver ? nil : status)
        var exchange = blankFacts(figures.startedAt)
        exchange.status = figures.status
        exchange.timings = figures.timings
        exchange.bytes = figures.bytes
        exchange.retries = figures.retries
        exchange.profile = notes.route?.profileName ?? notes.profile
        exchange.route = notes.route?.route.label
        exchange.reason = notes.reason?.rawValue
        exchange.responder = responder
        exchange.hops = notes.hops
        if !notes.changes.isEmpty { exchange.rewritten = notes.changes.names }
        exchange.isUnlocked = notes.isUnlocked
        exchange.redirectedTo = notes.redirected
        exchange.failure = failure.map {
            Exchange.Failure(side: $0.side.rawValue, stage: $0.stage.rawValue, message: $0.message)
        }
        if let origin = notes.origin {
            exchange.origin = facts(origin)
        } else if let address = notes.address {
            exchange.origin = Exchange.OriginFacts(
                url: address.description, trust: address.isTLS ? address.trust.name : nil)
        }
        return exchange
    }

    /// Puts down what is known of the present exchange, which an origin has answered as it should.
    ///
    /// False for one that is out of the ordinary: its ``facts(status:_:)`` say more.
    func describe(status: Int, in piece: inout RecordedPiece) -> Bool {
        guard let origin = notes.origin, origin.shared == nil, notes.hops.isEmpty else { return false }
        let tls = channel.tls?.version
        var figures = figures(status: status)
        if let known = origin.context, isAsBefore(known, tls) {
            figures.isResumed = known.isResumed
            piece.describe(figures, client: peerName, url: notes.url, known.context)
        } else {
            let exchange = facts(status: status, nil)
            origin.context = KnownContext(notes, exchange, answer.version)
            piece.describe(exchange)
        }
        return true
    }

    /// Field by field, too.
    private func isAsBefore(_ known: KnownContext, _ tls: String?) -> Bool {
        notes.route === known.route && notes.method == known.method && notes.version == known.version
            && notes.reason == known.reason && notes.changes == known.changes && notes.profile == known.profile
            && tls == known.tls && answer.version == known.originVersion
    }

    private func figures(status: Int?) -> ExchangeFigures {
        let now = state.core.now
        let total = (max(now, notes.start) - notes.start) / 1000
        var figures = ExchangeFigures(startedAt: Self.wallClock() - Int64(total))
        figures.status = status
        figures.retries = notes.retries
        figures.bytes = notes.bytes
        figures.isReused = notes.isReused
        figures.isUnlocked = notes.isUnlocked
        figures.timings.total = total
        if let origin = notes.origin, !notes.isReused {
            figures.timings.dns = origin.timings.resolve / 1000
            figures.timings.connect = origin.timings.connect / 1000
            if origin.pool.plan.context != nil { figures.timings.tls = origin.timings.tls / 1000 }
        }
        if notes.sendEnd > 0 {
            figures.timings.send = (max(notes.sendEnd, notes.sendStart) - notes.sendStart) / 1000
        }
        let firstByte = notes.firstByte
        if firstByte > 0 {
            figures.timings.wait = (firstByte - max(min(notes.sendEnd, firstByte), notes.start)) / 1000
            figures.timings.receive = (max(now, firstByte) - firstByte) / 1000
        }
        return figures
    }

    private var responder: String {
        if notes.origin != nil { return "origin" }
        if case .mock = notes.route?.answer { return "mock" }
        return "shunt"
    }

    func facts(handshake failure: any Error) -> Exchange {
        let figures = figures(status: nil)
        var exchange = blankFacts(figures.startedAt)
        exchange.timings.total = figures.timings.total
        exchange.method = "-"
        exchange.failure = Exchange.Failure(
            side: "client", stage: "tls",
            message: "TLS handshake with \(peer?.description ?? "the client") failed: \(failure)")
        return exchange
    }

    /// Microseconds since 1970.
    private static func wallClock() -> Int64 {
        var time = timeval()
        gettimeofday(&time, nil)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_usec)
    }

    private func blankFacts(_ startedAt: Int64) -> Exchange {
        Exchange(
            startedAt: startedAt,
            client: Exchange.ClientFacts(
                address: peerName, version: notes.version, tls: channel.tls?.version),
            method: notes.method, url: notes.url)
    }

    private func facts(_ origin: OriginConnection) -> Exchange.OriginFacts {
        if var facts = origin.facts {
            facts.isReused = notes.isReused
            facts.version = version(of: origin)
            return facts
        }
        var facts = Exchange.OriginFacts(
            url: origin.pool.plan.address.description, address: origin.address.description,
            isReused: notes.isReused, version: version(of: origin))
        if let tls = origin.channel.tls {
            facts.tls = tls.version
            facts.isResumed = tls.wasResumed
            facts.trust = origin.pool.plan.address.trust.name
            facts.trustDecision = origin.decision(tls)
        }
        origin.facts = facts
        return facts
    }

    /// What a request is sent in, or the lower version that the origin answered in.
    private func version(of origin: OriginConnection) -> String {
        if origin.shared != nil { return "HTTP/2" }
        return answer.version == .http10 ? "HTTP/1.0" : "HTTP/1.1"
    }
}

/// What is written down of nearly all exchanges that a connection to an origin carries.
final class KnownContext {
    let context: ExchangeContext
    let isResumed: Bool
    let version: String
    let tls: String?
    let method: String
    let profile: String?
    let reason: ProfileChoice.Source?
    let route: RoutePlan?
    let changes: RewriteChanges
    let originVersion: HTTPVersion

    init(_ notes: borrowing ExchangeNotes, _ exchange: borrowing Exchange, _ originVersion: HTTPVersion) {
        self.originVersion = originVersion
        context = ExchangeContext(exchange)
        isResumed = exchange.origin?.isResumed ?? false
        (version, tls, method) = (exchange.client.version, exchange.client.tls, exchange.method)
        (profile, reason, route, changes) = (notes.profile, notes.reason, notes.route, notes.changes)
    }
}
