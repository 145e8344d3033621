import Exchanges
import HTTP
import Platform
import Profiles
import Reactor
import Rewriting
import Store
import TLS

extension ExchangeMetrics {
    /// The present exchange as a value, with all that is known of it.
    func exchange(with client: Client) -> Exchange {
        let figures = figures(now: client.state.core.now)
        var exchange = blankExchange(figures.startedAt, client)
        exchange.status = figures.status
        exchange.timings = figures.timings
        exchange.bytes = figures.bytes
        exchange.grpcStatus = figures.grpcStatus
        exchange.retries = figures.retries
        exchange.profile = route?.profileName ?? profile
        exchange.route = route?.route.label
        exchange.reason = reason?.rawValue
        exchange.session = session?.id
        exchange.responder = responder
        exchange.attempts = attempts
        if !changes.isEmpty { exchange.rewritten = changes.names }
        exchange.isUnlocked = isUnlocked
        exchange.redirectedTo = redirectedTo
        exchange.passedMocks = passedMocks
        exchange.originSent = originSent
        exchange.holds = holds
        exchange.failure = failure.map {
            Exchange.Failure(
                side: $0.side.rawValue, stage: $0.stage.rawValue, message: $0.message, fixes: $0.remedies)
        }
        if let trace { exchange.trace = trace.facts(after: figures.timings.total, failure: failure) }
        if let origin {
            exchange.origin = facts(origin, client.state.store)
        } else if let address {
            exchange.origin = Exchange.OriginFacts(
                url: address.description, trust: address.isTLS ? address.trust.name : nil)
        }
        return exchange
    }

    /// Describes an exchange with the same facts as the last one on the origin's connection, in few bytes.
    ///
    /// Returns false if the facts differ: ``exchange(with:)`` has all of them.
    func describe(in piece: inout RecordedPiece, with client: Client) -> Bool {
        guard failure == nil, let origin, origin.shared == nil, attempts.isEmpty, passedMocks.isEmpty, trace == nil,
            redirectedTo.isEmpty, originSent.isEmpty, holds.isEmpty
        else {
            return false
        }
        let tls = client.channel.tls?.clientFacts
        var figures = figures(now: client.state.core.now)
        if let known = origin.context, isAsBefore(known, tls, client.program?.found) {
            figures.isResumed = known.isResumed
            piece.describe(figures, client: client.connected.name, url: url, known.context)
        } else {
            let exchange = exchange(with: client)
            origin.context = KnownContext(self, exchange, client.program?.found)
            piece.describe(exchange)
        }
        return true
    }

    /// Field by field: building a value to compare would cost more.
    private func isAsBefore(_ known: KnownContext, _ tls: String?, _ program: LocalProgram?) -> Bool {
        route === known.route && program == known.program && method == known.method && version == known.version
            && reason == known.reason && session === known.session
            && changes == known.changes && profile == known.profile && tls == known.tls
            && responseVersion == known.originVersion
    }

    private func figures(now: Instant) -> ExchangeFigures {
        let total = (max(now, start) - start) / 1000
        var figures = ExchangeFigures(startedAt: wallClock() - Int64(total))
        // A client that left did not see the status.
        figures.status = failure?.side == .client && failure?.stage == .deliver ? nil : status
        figures.retries = retries
        figures.bytes = bytes
        figures.grpcStatus = callStatus.map(Int.init)
        figures.isReused = isReused
        figures.isUnlocked = isUnlocked
        figures.timings.total = total
        if let origin, !isReused {
            figures.timings.dns = origin.timings.resolve / 1000
            figures.timings.connect = origin.timings.connect / 1000
            if origin.pool.plan.context != nil { figures.timings.tls = origin.timings.tls / 1000 }
        }
        if sendStart > 0, sendEnd > 0 { figures.timings.send = (max(sendEnd, sendStart) - sendStart) / 1000 }
        if firstByte > 0 {
            figures.timings.wait = (firstByte - max(min(sendEnd, firstByte), start)) / 1000
            figures.timings.receive = (max(now, firstByte) - firstByte) / 1000
        }
        return figures
    }

    /// A connection that failed, as an exchange without a request.
    func exchange(connection failure: EngineFailure, with client: Client) -> Exchange {
        let figures = figures(now: client.state.core.now)
        var exchange = blankExchange(figures.startedAt, client)
        exchange.timings.total = figures.timings.total
        exchange.method = "-"
        exchange.failure = Exchange.Failure(
            side: failure.side.rawValue, stage: failure.stage.rawValue, message: failure.message)
        return exchange
    }

    private func blankExchange(_ startedAt: Int64, _ client: Client) -> Exchange {
        var exchange = Exchange(
            startedAt: startedAt,
            client: Exchange.ClientFacts(
                address: client.connected.name, version: version, tls: client.channel.tls?.clientFacts),
            method: method, url: url)
        exchange.client.app = client.program?.found?.label
        return exchange
    }

    private func facts(_ origin: OriginConnection, _ store: TrafficStore?) -> Exchange.OriginFacts {
        if var facts = origin.facts, origin.factsRoute === route {
            facts.isReused = isReused
            facts.version = version(of: origin)
            return facts
        }
        let address = origin.pool.plan.address
        var facts = Exchange.OriginFacts(
            url: address.description, address: origin.address.description,
            isReused: isReused, version: version(of: origin))
        if let tls = origin.channel.tls {
            let judgement = origin.judgement(tls)
            facts.tls = tls.version
            facts.isResumed = tls.wasResumed
            facts.trust = address.trust.name
            facts.trustDecision = judgement.decision
            facts.trustRule = route?.trustRule(of: address)
            facts.chain = judgement.chain?.name
            if let chain = judgement.chain { store?.know(chain) }
        }
        origin.facts = facts
        origin.factsRoute = route
        return facts
    }

    /// The version of the request, or the lower version of the origin's response.
    private func version(of origin: OriginConnection) -> String {
        if origin.shared != nil { return "HTTP/2" }
        return responseVersion == .http10 ? "HTTP/1.0" : "HTTP/1.1"
    }
}

/// Facts that nearly all exchanges of an origin's connection share.
final class KnownContext {
    let context: ExchangeContext
    let isResumed: Bool
    let version: String
    let tls: String?
    let method: String
    let profile: String?
    let reason: ProfileChoice.Source?
    let session: ClientSession?
    let route: RoutePlan?
    let program: LocalProgram?
    let changes: RewriteChanges
    let originVersion: HTTPVersion

    init(_ metrics: ExchangeMetrics, _ exchange: borrowing Exchange, _ program: LocalProgram?) {
        (self.program, session) = (program, metrics.session)
        originVersion = metrics.responseVersion
        context = ExchangeContext(exchange)
        isResumed = exchange.origin?.isResumed ?? false
        (version, tls, method) = (exchange.client.version, exchange.client.tls, exchange.method)
        (profile, reason, route, changes) = (
            metrics.profile, metrics.reason, metrics.route, metrics.changes
        )
    }
}
