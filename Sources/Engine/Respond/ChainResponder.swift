import Exchanges
import HTTP
import Profiles
import Reactor
import Rewriting
import Store

/// One step of a chain.
final class ChainStep {
    /// When the next candidate is to be asked; nil for the last one.
    let fallback: FallbackSettings?
    /// How many chains lead here.
    let depth: Int
    /// Bytes of the request's body that are held, so that it can be sent again.
    let hold: Int
    /// nil where the origin is waited for as long as ever.
    let patience: Patience?

    /// How long a response may take to begin until a kept one is sent instead.
    struct Patience {
        /// Nanoseconds.
        let limit: UInt64
        let until: Instant

        func left(now: Instant) -> UInt64 { now < until ? until - now : 0 }
    }

    init(fallback: FallbackSettings?, depth: Int, hold: Int, patience: Patience?) {
        (self.fallback, self.depth, self.hold, self.patience) = (fallback, depth, hold, patience)
    }
}

extension ChainStep? {
    /// Leaves the request to the chain's next candidate, if that is for responses with this status.
    func decline(_ status: Int, of responder: String) throws(EngineFailure) {
        guard let fallback = self?.fallback, fallback.statuses.contains(status) else { return }
        throw EngineFailure(
            .origin, .wait, status: status, "\(responder) responded \(status)", kind: .declined)
    }
}

/// Asks one candidate after the other until one responds.
final class ChainResponder: RouteResponder {
    enum Candidate: Sendable {
        case origin(OriginResponder)
        /// The route of that profile that fits the request.
        case profile(String)

        var name: String {
            switch self {
            case .origin(let responder): responder.use.origin.address.description
            case .profile(let name): "profile:\(name)"
            }
        }
    }

    /// Chains may lead into chains, of other profiles too, up to this depth.
    private static let maxDepth = 8

    let route: Route
    let candidates: [Candidate]
    let fallback: FallbackSettings

    init(route: Route, candidates: [Candidate], fallback: FallbackSettings) {
        self.route = route
        self.candidates = candidates
        self.fallback = fallback
    }

    static func make(
        for route: Route, in profile: Profile, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) -> ChainResponder? {
        guard case .chain(let chain) = route.responder else { return nil }
        var candidates: [Candidate] = []
        for candidate in chain.candidates {
            switch candidate {
            case .profile(let name): candidates.append(.profile(name))
            case .origin(let address):
                let use = try compiler.use(of: address, preserveHost: chain.preserveHost, by: route, in: profile)
                candidates.append(.origin(OriginResponder(use: use)))
            }
        }
        return ChainResponder(route: route, candidates: candidates, fallback: chain.fallback)
    }

    var reachesOrigins: Bool { true }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        let depth = step?.depth ?? 0
        guard depth < Self.maxDepth else {
            throw EngineFailure(
                .proxy, .route, status: 508, "profiles leave \(route.label) to each other in a circle",
                advice: "Let the last one's route name an origin.")
        }
        for (index, candidate) in candidates.enumerated() {
            let isLast = index == candidates.count - 1
            // The response of the last one is final, unless this chain is itself a candidate.
            let rule = isLast ? step?.fallback : fallback
            do throws(EngineFailure) {
                let next = ChainStep(
                    fallback: rule, depth: depth + 1, hold: fallback.hold, patience: step?.patience)
                return try await ask(candidate, in: exchange, next)
            } catch {
                guard rule != nil, canAskAnother(than: error, in: exchange), !isLast else { throw error }
                exchange.metrics.incidents = exchange.metrics.incidents.adding(
                    Exchange.Attempt(origin: candidate.name, outcome: error.message))
                exchange.metrics.trace?.endAttempt(
                    after: exchange.metrics.clock.elapsed(exchange.state.core.now), failure: error.place)
            }
        }
    }

    private func ask(
        _ candidate: Candidate, in exchange: ClientExchange, _ step: ChainStep
    ) async throws(EngineFailure) {
        switch candidate {
        case .origin(let responder): try await ask(responder, in: exchange, step)
        case .profile(let name):
            // The changes of this chain's route are not those of the other profile's.
            let outer = exchange.way.edits
            exchange.way.edits = nil
            do throws(EngineFailure) {
                try await exchange.respond(by: try await Self.route(ofProfile: name, for: exchange), step)
            } catch {
                exchange.way.edits = outer
                throw error
            }
        }
    }

    private func ask(
        _ responder: OriginResponder, in exchange: ClientExchange, _ step: ChainStep
    ) async throws(EngineFailure) {
        let (pool, core) = (exchange.state.pools[responder.use.origin], exchange.state.core)
        if step.fallback != nil && pool.restsUntil > core.now {
            throw EngineFailure(.origin, .connect, status: 502, "passed over, for it could not be reached a moment ago")
        }
        do throws(EngineFailure) {
            try await responder.respond(in: exchange, step)
        } catch {
            if let fallback = step.fallback, error.side == .origin, error.hasConnectFailed, !error.kind.isCutOff {
                pool.restsUntil = core.now.after(fallback.remember)
            }
            throw error
        }
    }
}

extension ChainResponder {
    /// Whether the request can go to another candidate after this.
    ///
    /// Once it was sent completely, only a request with an idempotent method is sent again (RFC 9110 9.2.2); a status
    /// of the list means that the origin did nothing. A certificate that is not trusted is no reason, since the failure
    /// would stay hidden.
    private func canAskAnother(than failure: EngineFailure, in exchange: ClientExchange) -> Bool {
        guard !exchange.metrics.hasResponseBegun, !exchange.body.isSpent else { return false }
        if failure.kind.isDeclined { return true }
        if failure.side == .client { return failure.stage == .route && failure.status == 404 }
        guard failure.side == .origin else { return false }
        return failure.hasConnectFailed
            || (failure.stage == .send || failure.stage == .wait) && exchange.request.head.method.isIdempotent
    }

    static func route(
        ofProfile name: String, for exchange: ClientExchange
    ) async throws(EngineFailure) -> RoutePlan {
        guard let plan = exchange.request.environment?.plan(named: name) else {
            throw EngineFailure(.proxy, .route, status: 502, "there is no profile \(name)")
        }
        while true {
            if let route = try Routing(client: exchange.client, request: exchange.request).chooseRoute(plan) {
                exchange.request.lookahead.didChooseRoute()
                return route
            }
            try await RouteChoice(exchange: exchange).learn()
        }
    }
}

extension ClientExchange {
    /// A `Shunt-Answered-By` field line with the attempts that failed before, behind what the browser is to forget.
    func answeredBy(_ line: [UInt8]) -> [UInt8] {
        var answered = request.visit.map { $0.line + line } ?? line
        if !way.rateFields.isEmpty { answered = way.rateFields + answered }
        guard !metrics.incidents.attempts.isEmpty || !metrics.changes.isDisjoint(with: [.network, .fault, .stale])
        else {
            return answered
        }
        var line = Array(answered.dropLast(2))
        if let network = way.network { line += "; network=\(network)".utf8 }
        if let fault = way.fault { line += "; fault=\(fault.kind.rawValue)".utf8 }
        if let age = way.staleAge { line += "; stale=\(age)".utf8 }
        guard !metrics.incidents.attempts.isEmpty else { return line + "\r\n".utf8 }
        line += "; tried=\"".utf8
        // Without the bytes that a quoted-string cannot hold (RFC 9110 5.6.4), and cut to a readable length.
        let tried = metrics.incidents.attempts.map {
            "\($0.origin) \(FailureClause.text($0.outcome, origin: $0.origin))"
        }
        .joined(separator: ", ")
        for byte in tried.utf8.prefix(1024) {
            let isPlain = byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            line.append(isPlain ? byte : UInt8(ascii: "?"))
        }
        return line + "\"\r\n".utf8
    }
}
