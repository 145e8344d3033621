import Profiles
import Reactor

/// Looks the name of an origin up again while there are connections to it.
final class OriginLookUp: LoopTask {
    private let pool: OriginPool
    private let state: WorkerState

    init(_ pool: OriginPool, _ state: WorkerState) {
        self.pool = pool
        self.state = state
    }

    func run() async {
        let waiter = Waiter(state.core)
        defer { waiter.retire() }
        waiter.deadline = state.core.now.after(state.limits.connectTime)
        let address = pool.plan.address
        let server = pool.plan.way.server(
            isTLS: address.isTLS, host: address.host, port: address.port, state.next)
        // A name that cannot be looked up now keeps its connections.
        guard let found = try? await state.resolver.addresses(of: server?.host ?? address.host, on: waiter) else {
            return
        }
        pool.didResolve(found, state)
    }
}
