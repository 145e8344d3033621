import Bytes
import Exchanges
import Platform
import Profiles
package import Reactor
import Store
import Synchronization
import TLS

/// State that all connections of one worker share, and what all workers share.
///
/// Confined to the worker's loop.
@dynamicMemberLookup
package final class WorkerState {
    package let loop: LoopState
    let shared: Proxy.Shared
    /// The memory for bodies that are held.
    package let held: HeldBodies
    var productionAddresses = ProductionAddresses()
    package var connector: any OriginConnector = SocketConnector()
    /// Exchanges are logged or recorded.
    let isObserved: Bool
    /// Requests belong to traces.
    let traces: Bool
    var traceNumbers: TraceNumbers
    /// Responds to all requests; nil if profiles do.
    let handler: (any Handler)?
    /// Those without a route that may be used.
    let responders: [any Responder]
    let present: PresentEnvironment
    /// The conditions of a connection have cut origins off.
    var hasCuts = false
    let devices: DeviceView
    /// nil where nothing may be held.
    let breakpoints: Breakpoints?
    /// For the note of a crash.
    let recentRequests = RecentRequests()
    package let pools: OriginPools
    package let idleReaper: IdleReaper
    let resting: RestingExchanges
    private var ownAddresses: Set<[UInt8]> = []
    /// Client connections between requests that have kept their memory.
    var idleAwake = 0
    private let counts = Box(Proxy.Status())
    var webhooks = Webhooks()
    /// WebSockets and event streams that are open at origins.
    var lasting: [ObjectIdentifier: ClientExchange] = [:]
    var acceptedTokens = AcceptedTokens()
    /// Bounds the reports of bridge calls.
    var bridgeRate = BridgeRate()

    package init(_ core: LoopCore, _ shared: Proxy.Shared, _ spawnTask: @escaping @Sendable () -> Void) {
        loop = LoopState(core, shared.limits, spawnTask)
        (self.shared, held) = (shared, shared.held)
        (resting, pools) = (RestingExchanges(loop.buffers), OriginPools(limit: shared.limits.pooledConnections))
        traces = shared.tracing != nil
        traceNumbers = TraceNumbers(shared.tracing ?? TraceSampling())
        isObserved = shared.observer != nil || shared.store != nil
        switch shared.source {
        case .handler(let handler): (self.handler, present) = (handler, PresentEnvironment(nil))
        case .profiles(let active): (handler, present) = (nil, PresentEnvironment(active))
        }
        responders = Responders.withoutRoute.filter { $0.isUsed(by: shared) }
        devices = DeviceView(shared.devices)
        breakpoints = shared.breakpoints
        idleReaper = IdleReaper(Waiter(core))
    }

    package subscript<Value>(dynamicMember key: KeyPath<Proxy.Shared, Value>) -> Value { shared[keyPath: key] }

    package subscript<Value>(dynamicMember key: KeyPath<Proxy.Configuration, Value>) -> Value {
        shared.configuration[keyPath: key]
    }

    package var counters: Proxy.Status {
        _read { yield counts.value }
        _modify { yield &counts.value }
    }

    var core: LoopCore { loop.core }

    package var limits: Limits { loop.limits }

    var isDraining: Bool { loop.isDraining }

    var isAborting: Bool { loop.isAborting }

    /// The present environment; read once for each request, and kept for all its parts.
    package var currentEnvironment: Environment? {
        if let (fresh, old) = present.next() { follow(fresh, old) }
        return present.environment
    }

    @inline(never)
    private func follow(_ fresh: Environment, _ old: Environment?) {
        pools.follow(fresh)
        // An environment of thousands of routes takes long to release.
        if let old { _ = shared.threads.start { withExtendedLifetime(old) {} } }
    }

    /// Profiles are chosen by the programs of this machine.
    var choosesByProgram: Bool { devices.choosesByProgram || currentEnvironment?.choosesByProgram == true }

    /// This machine's addresses may have changed: ends connections from those that it has no more, on which nothing
    /// arrives, with their exchanges.
    package func addressesChanged(to now: Set<[UInt8]>) {
        let gone = ownAddresses.subtracting(now)
        ownAddresses = now
        if !gone.isEmpty { core.breakOff { gone.contains($0.unmapped.bytes) } }
    }

    /// Lets an exchange of its own serve a stream.
    func serve(_ stream: StreamChannel, of client: ConnectedClient) {
        if let exchange = resting.takeExchange() {
            exchange.begin(on: stream, of: client)
            exchange.client.waiter.wake()
        } else {
            let exchange = ClientExchange(resting.nullChannel, Waiter(core), self)
            exchange.begin(on: stream, of: client)
            loop.spawn(exchange)
        }
    }

    package func drain() {
        loop.drain()
        idleReaper.waiter.wake()
        resting.drain()
    }
}
