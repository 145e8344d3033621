import Exchanges
import HTTP
import Platform
import Profiles
import Reactor
import Rewriting
import Store
import TLS

/// The exchange under way as log and store get it, made of its metrics and its client.
struct ExchangeReport {
    let metrics: ExchangeMetrics
    let client: Client

    /// It as a value, with all that is known of it.
    var exchange: Exchange {
        let figures = figures
        var exchange = blankExchange(figures.startedAt)
        exchange.status = figures.status
        exchange.timings = figures.timings
        exchange.bytes = figures.bytes
        exchange.grpcStatus = figures.grpcStatus
        exchange.retries = figures.retries
        exchange.profile = metrics.route?.profileName ?? metrics.profile
        exchange.route = metrics.route?.route.label
        exchange.reason = metrics.reason?.rawValue
        exchange.session = metrics.session?.id
        exchange.responder = metrics.responder
        if !metrics.changes.isEmpty { exchange.rewritten = metrics.changes.names }
        let incidents = metrics.incidents
        exchange.attempts = incidents.attempts
        exchange.isUnlocked = incidents.isUnlocked
        exchange.redirectedTo = incidents.redirectedTo
        exchange.passedMocks = incidents.passedMocks
        exchange.originSent = incidents.originSent
        exchange.holds = incidents.holds
        exchange.failure = metrics.failure.map {
            Exchange.Failure(
                side: $0.side.rawValue, stage: $0.stage.rawValue, message: $0.message, fixes: $0.remedies)
        }
        if let trace = metrics.trace {
            exchange.trace = trace.facts(after: figures.timings.total, failure: metrics.failure)
        }
        if let origin = metrics.origin {
            exchange.origin = facts(origin)
        } else if let address = metrics.address {
            exchange.origin = Exchange.OriginFacts(
                url: address.description, trust: address.isTLS ? address.trust.name : nil)
        }
        return exchange
    }

    /// Describes an exchange with the same facts as the last one on the origin's connection, in few bytes.
    ///
    /// Returns false if the facts differ: ``exchange`` has all of them.
    func describe(in piece: inout RecordedPiece) -> Bool {
        guard metrics.failure == nil, let origin = metrics.origin, origin.shared == nil, metrics.trace == nil,
            metrics.incidents.isOrdinary
        else { return false }
        let tls = client.channel.tls?.clientFacts
        var figures = figures
        if let known = origin.context, isAsBefore(known, tls, client.program?.found) {
            figures.isResumed = known.isResumed
            piece.describe(figures, client: client.connected.name, url: metrics.request.url, known.context)
        } else {
            let exchange = exchange
            origin.context = KnownContext(metrics, exchange, client.program?.found)
            piece.describe(exchange)
        }
        return true
    }

    /// Field by field: building a value to compare would cost more.
    private func isAsBefore(_ known: KnownContext, _ tls: String?, _ program: LocalProgram?) -> Bool {
        metrics.route === known.route && program == known.program && metrics.request.method == known.method
            && metrics.request.version == known.version && metrics.reason == known.reason
            && metrics.session === known.session && metrics.changes == known.changes
            && metrics.profile == known.profile && tls == known.tls && metrics.responseVersion == known.originVersion
    }

    private var figures: ExchangeFigures {
        let now = client.state.core.now
        var figures = ExchangeFigures(startedAt: wallClock() - Int64(metrics.clock.elapsed(now)))
        // A client that left did not see the status.
        let failure = metrics.failure
        figures.status = failure?.side == .client && failure?.stage == .deliver ? nil : metrics.status
        figures.retries = metrics.retries
        figures.bytes = metrics.bytes
        figures.grpcStatus = metrics.callStatus.map(Int.init)
        figures.isReused = metrics.isReused
        figures.isUnlocked = metrics.incidents.isUnlocked
        metrics.clock.measure(&figures.timings, now: now)
        if let origin = metrics.origin, !metrics.isReused {
            figures.timings.dns = origin.timings.resolve / 1000
            figures.timings.connect = origin.timings.connect / 1000
            if origin.pool.plan.context != nil { figures.timings.tls = origin.timings.tls / 1000 }
        }
        return figures
    }

    /// A connection that failed, as an exchange without a request.
    func exchange(ofConnection failure: EngineFailure) -> Exchange {
        let figures = figures
        var exchange = blankExchange(figures.startedAt)
        exchange.timings.total = figures.timings.total
        exchange.method = "-"
        exchange.failure = Exchange.Failure(
            side: failure.side.rawValue, stage: failure.stage.rawValue, message: failure.message)
        return exchange
    }

    private func blankExchange(_ startedAt: Int64) -> Exchange {
        var exchange = Exchange(
            startedAt: startedAt,
            client: Exchange.ClientFacts(
                address: client.connected.name, version: metrics.request.version, tls: client.channel.tls?.clientFacts),
            method: metrics.request.method, url: metrics.request.url)
        exchange.client.app = client.program?.found?.label
        return exchange
    }

    private func facts(_ origin: OriginConnection) -> Exchange.OriginFacts {
        if var facts = origin.facts, origin.factsRoute === metrics.route {
            facts.isReused = metrics.isReused
            facts.version = version(of: origin)
            return facts
        }
        let address = origin.pool.plan.address
        var facts = Exchange.OriginFacts(
            url: address.description, address: origin.address.description,
            isReused: metrics.isReused, version: version(of: origin))
        if let tls = origin.channel.tls {
            let judgement = origin.judgement(tls)
            facts.tls = tls.version
            facts.isResumed = tls.wasResumed
            facts.trust = address.trust.name
            facts.trustDecision = judgement.decision
            facts.trustRule = metrics.route?.trustRule(of: address)
            facts.chain = judgement.chain?.name
            if let chain = judgement.chain { client.state.store?.know(chain) }
        }
        origin.facts = facts
        origin.factsRoute = metrics.route
        return facts
    }

    /// The version of the request, or the lower version of the origin's response.
    private func version(of origin: OriginConnection) -> String {
        if origin.shared != nil { return "HTTP/2" }
        return metrics.responseVersion == .http10 ? "HTTP/1.0" : "HTTP/1.1"
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
