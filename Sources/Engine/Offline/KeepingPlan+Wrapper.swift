import Bytes
import Exchanges
import HTTP
import Profiles
import Reactor

extension KeepingPlan: Wrapper {
    /// Lets a route respond, or what was kept of it where its origin cannot be reached.
    func run(_ exchange: ClientExchange, _ step: ChainStep?, _ next: Next) async throws(EngineFailure) {
        guard let key = key(of: exchange) else { return try await next.run(exchange, step) }
        // A candidate that comes next is better than what is old.
        let kept = step?.fallback == nil ? kept(key, for: exchange) : nil
        let outer = exchange.keeper
        exchange.keeper = ResponseKeeper(self, key, isHead: exchange.request.head.method == .head)
        var failure: EngineFailure?
        do throws(EngineFailure) {
            try await next.run(exchange, kept == nil ? step : patientStep(step, now: exchange.state.core.now))
            exchange.keeper?.finish(in: exchange.state.kept)
        } catch {
            failure = error
        }
        exchange.keeper = outer
        guard let failure else { return }
        guard let kept, let use = use(of: kept.origin), failure.meansNoResponse, !exchange.metrics.hasResponseBegun
        else { throw failure }
        try await respond(with: kept, use, in: exchange, next, insteadOf: failure)
    }

    private func kept(_ key: KeptKey, for exchange: ClientExchange) -> KeptResponse? {
        let view = RequestView(exchange.client, exchange.request, scenarios: nil)
        let isHead = exchange.request.head.method == .head
        return exchange.state.kept.find(key, maxSize: settings.maxSize) { response in
            (isHead || !response.isHead) && use(of: response.origin) != nil
                && response.varied.allSatisfy { view.fields($0.name) == $0.values }
        }
    }

    /// The same step with the time that the origin has, as there is a response that can take the place of its own.
    private func patientStep(_ step: ChainStep?, now: Instant) -> ChainStep? {
        guard let limit = settings.slowerThan else { return step }
        return ChainStep(
            fallback: step?.fallback, depth: step?.depth ?? 0,
            patience: ChainStep.Patience(limit: limit, until: now.after(limit)))
    }

    /// Sends a kept response on the way that the origin's own would take, so that the same is changed in it.
    @inline(never)
    private func respond(
        with kept: KeptResponse, _ use: OriginUse, in exchange: ClientExchange, _ next: Next,
        insteadOf failure: EngineFailure
    ) async throws(EngineFailure) {
        let (metrics, request) = (exchange.metrics, exchange.request)
        metrics.didFail(
            Exchange.Attempt(origin: metrics.address?.description ?? kept.origin.description, outcome: failure.message))
        metrics.willRespondStale()
        let age = kept.age(now: exchange.state.clock())
        request.pass(stale: age)
        if let edits = next.route.edits { request.apply(try edits.applied(to: exchange, for: next)) }
        try await exchange.relay(kept.message(to: request.head, request.bytes, age: age, use.cache), as: use)
    }
}

extension EngineFailure {
    /// The origin could not be reached, or sent no response.
    ///
    /// A faulty response or certificate does not count: it would stay hidden.
    fileprivate var meansNoResponse: Bool {
        guard side == .origin else { return false }
        if case .noResponse = kind { return true }
        return hasConnectFailed || isStaleConnection || isRefused
    }
}
