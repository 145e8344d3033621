import HTTP
import Profiles
import Reactor

extension OriginPlan {
    /// Waits until the origin's program is ready; starts it where it does not run.
    func awaitProgram(
        for exchange: ClientExchange, _ step: ChainStep?
    ) async throws(EngineFailure) {
        guard let program, let launcher = exchange.state.connector.launcher else { return }
        let (state, waiter) = (exchange.state, exchange.client.waiter)
        let begin = state.core.now
        let limit = min(
            program.settings.within, step?.fallback?.timeout ?? .max, step?.patience?.left(now: begin) ?? .max)
        // A browser shows the response as a page.
        let request = exchange.request
        let isNavigation = request.head.method == .get && request.wantsHTML && !exchange.way.asksForUpgrade
        let showsPage = isNavigation && step?.fallback == nil
        let time = showsPage ? min(limit, Limits.second) : limit
        while true {
            switch program.next(now: state.core.now) {
            case .ready: return
            case .failed: throw program.failure(address, now: state.core.now)
            case .begin: state.loop.spawn(ProgramTask(program, self, launcher, state))
            case .wait(let change):
                waiter.note("the program of an origin")
                waiter.deadline = begin.after(time)
                let client = exchange.client.channel
                let isChanged = await change.value(
                    on: waiter, unless: { client.hasPeerLeft || state.isAborting || exchange.isCutOff })
                if state.isAborting || waiter.isCancelled { throw .aborted }
                if client.hasPeerLeft { throw .clientClosed }
                if exchange.isCutOff { throw .cutOff(address) }
                guard isChanged == nil, state.core.now >= begin.after(time) else { continue }
                throw showsPage && time < limit
                    ? program.starting(address, now: state.core.now) : program.slow(address, limit, now: state.core.now)
            }
        }
    }
}

extension OriginProgram {
    /// It has ended, and is not started again yet.
    func failure(_ address: OriginAddress, now: Instant) -> EngineFailure {
        EngineFailure(
            .origin, .connect, status: 502, "origin \(address) does not run: \(describe(now: now).text)",
            advice: lastLines("Run it in \(settings.directory) to see why."))
    }

    fileprivate func slow(_ address: OriginAddress, _ limit: UInt64, now: Instant) -> EngineFailure {
        let sign = settings.ready.map { "respond to GET \($0) with a status from 200 to 399" } ?? "accept connections"
        return EngineFailure(
            .origin, .connect, status: 504,
            "origin \(address) was not ready within \(Quantity.durationText(limit)): \(describe(now: now).text), and does "
                + "not \(sign)",
            advice: lastLines("\"within\" beside \"run\" sets the limit."))
    }

    /// For a browser, which asks again.
    fileprivate func starting(_ address: OriginAddress, now: Instant) -> EngineFailure {
        EngineFailure(
            .proxy, .wait, status: 503, "origin \(address) is starting: \(describe(now: now).text)",
            advice: lastLines("This page reloads until it is ready."), kind: .starting)
    }

    private func lastLines(_ advice: String) -> String {
        let lines = output.lines(limit: 10).lines
        let last = lines.isEmpty ? "It has written nothing." : "Its last lines:\n" + lines.joined(separator: "\n")
        return "\(advice) `shunt logs --origin \(name)` shows its output.\n\(last)"
    }
}
