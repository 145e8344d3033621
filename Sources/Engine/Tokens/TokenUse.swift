import HTTP
import Profiles
import Reactor
import Rewriting

/// How the routes of a profile come by its token.
final class TokenUse: Sendable {
    /// Nanoseconds that a fetch may take, and that requests wait for it.
    static let limit = 30 * Limits.second
    /// Bytes of a body that are held, so that a request can be sent again with another token.
    static let hold = 64 << 10

    let token: ProfileToken
    /// nil where no server is asked.
    let endpoint: OriginPlan?

    /// The parameter that it adds to queries; nil where it stands elsewhere.
    let parameter: [UInt8]?

    init(_ token: ProfileToken, endpoint: OriginPlan?) {
        (self.token, self.endpoint) = (token, endpoint)
        if case .query(let name) = token.settings.place { parameter = Array(name.utf8) } else { parameter = nil }
    }

    /// Gets the token for a request that may leave; it waits while there is none.
    func obtain(for exchange: ClientExchange, _ guardian: OriginGuard?) async throws(EngineFailure) {
        let way = exchange.way
        if !way.guards.isEmpty || way.isReadOnly || guardian?.guarded != nil { try checkProduction() }
        let step = token.next(now: exchange.state.core.now)
        if case .use(let known) = step {
            exchange.way.token = known
        } else {
            exchange.way.token = try await wait(step, on: exchange.client.waiter, exchange.state)
        }
        guard exchange.way.token != nil else { return }
        exchange.metrics.changes.insert(.token)
        if let parameter { exchange.metrics.hide(parameter: parameter) }
    }

    /// The same after a 401.
    func renew(for exchange: ClientExchange) async throws(EngineFailure) {
        exchange.way.isTokenRenewed = true
        exchange.way.token = try await wait(on: exchange.client.waiter, exchange.state)
    }

    /// Production's is fetched under a rule of its own.
    private func checkProduction() throws(EngineFailure) {
        if token.settings.isForProduction { return }
        throw EngineFailure(
            .client, .route, status: 403,
            "the token of profile \(token.settings.profile) is not for production, where this request would arrive",
            advice:
                "Write \"production\": true into the \"token\" of \(token.settings.profile), or \"token\": false into "
                + "the route.")
    }

    /// The token once it is there; nil where none is put in.
    ///
    /// - Parameter first: what the token has said already, which may be that a fetch has to begin.
    func wait(
        _ first: ProfileToken.Step? = nil, on waiter: Waiter, _ state: WorkerState
    ) async throws(EngineFailure) -> FetchedToken? {
        let end = state.core.now.after(Self.limit + 5 * Limits.second)
        var step = first ?? token.next(now: state.core.now)
        while true {
            switch step {
            case .none: return nil
            case .use(let known): return known
            case .useAndRenew(let known):
                state.loop.spawn(TokenFetch(self, state))
                return known
            case .failed(let trouble):
                throw EngineFailure(.proxy, .route, status: 502, trouble.message, advice: trouble.advice)
            case .fetch: state.loop.spawn(TokenFetch(self, state))
            case .wait(let errand):
                waiter.deadline = end
                _ = await errand.value(on: waiter)
                if state.isAborting || waiter.isCancelled { throw .aborted }
                guard waiter.deadline > state.core.now else {
                    throw EngineFailure(
                        .proxy, .route, status: 504, "the token of profile \(token.settings.profile) takes too long",
                        advice: "`shunt status` shows what is known of it.")
                }
            }
            step = token.next(now: state.core.now)
        }
    }
}
