import Bytes
import Exchanges
import HTTP
import Profiles
import Reactor

// Routes whose last good responses are kept.
extension ClientExchange {
    /// Lets a route respond, or what was kept of it where its origin cannot be reached.
    func respond(
        by route: RoutePlan, _ plan: KeepingPlan, _ step: ChainStep?
    ) async throws(EngineFailure) {
        guard let key = plan.key(of: self) else { return try await respondWithFaults(by: route, step) }
        // A candidate that comes next is better than what is old.
        let kept = step?.fallback == nil ? kept(key, plan) : nil
        let outer = keeper
        keeper = ResponseKeeper(plan, key, isHead: request.head.method == .head)
        var failure: EngineFailure?
        do throws(EngineFailure) {
            try await respondWithFaults(by: route, kept == nil ? step : patientStep(plan.settings, step))
            keeper?.finish(in: state.kept)
        } catch {
            failure = error
        }
        keeper = outer
        guard let failure else { return }
        guard let kept, let use = plan.use(of: kept.origin), failure.meansNoResponse, !metrics.hasResponseBegun else {
            throw failure
        }
        try await respond(with: kept, use, by: route, insteadOf: failure)
    }

    private func kept(_ key: KeptKey, _ plan: KeepingPlan) -> KeptResponse? {
        let view = RequestView(client, request, scenarios: nil)
        let isHead = request.head.method == .head
        return state.kept.find(key, maxSize: plan.settings.maxSize) { response in
            (isHead || !response.isHead) && plan.use(of: response.origin) != nil
                && response.varied.allSatisfy { view.fields($0.name) == $0.values }
        }
    }

    /// The same step with the time that the origin has, as there is a response that can take the place of its own.
    private func patientStep(_ settings: OfflineSettings, _ step: ChainStep?) -> ChainStep? {
        guard let limit = settings.slowerThan else { return step }
        return ChainStep(
            fallback: step?.fallback, depth: step?.depth ?? 0,
            patience: ChainStep.Patience(limit: limit, until: state.core.now.after(limit)))
    }

    /// Sends a kept response on the way that the origin's own would take, so that the same is changed in it.
    @inline(never)
    private func respond(
        with kept: KeptResponse, _ use: OriginUse, by route: RoutePlan, insteadOf failure: EngineFailure
    ) async throws(EngineFailure) {
        metrics.didFail(
            Exchange.Attempt(origin: metrics.address?.description ?? kept.origin.description, outcome: failure.message))
        metrics.willRespondStale()
        let age = kept.age(now: state.clock())
        request.pass(stale: age)
        if route.edits != nil { request.apply(try edits(of: route, for: route.responder(to: self))) }
        try await relay(kept.message(to: request.head, headBytes, age: age, use.cache), as: use)
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
