package import Bytes
import Exchanges
import HTTP2
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
    let core: LoopCore
    let shared: Proxy.Shared
    package let limits: Limits
    package let buffers: BufferPool
    /// For heads and small content of streams, of which there are many.
    let smallBuffers: BufferPool
    /// The memory for bodies that are held.
    package let held: HeldBodies
    /// For sessions of HTTP/2.
    let memory = HTTP2Memory()
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
    private let present: PresentEnvironment
    /// Of the present environment.
    var admittedHosts = AdmittedHosts()
    /// The conditions of a connection have cut origins off.
    var hasCuts = false
    let devices: DeviceView
    /// nil where nothing may be held.
    let breakpoints: Breakpoints?
    /// For the note of a crash.
    let recentRequests = RecentRequests()
    let pools: OriginPools
    package let idleReaper: IdleReaper
    let resting: RestingExchanges
    package let tasks: LoopTasks
    private var ownAddresses: Set<[UInt8]> = []
    private(set) var isDraining = false
    /// When connections that are idle while it drains are closed.
    private(set) var drainIdleEnd: UInt64 = 0
    /// The time to drain has run out: every exchange ends where it is.
    private(set) var isAborting = false
    /// Client connections between requests that have kept their memory.
    var idleAwake = 0
    package var counters = Proxy.Status()
    /// Webhooks that are on their way, or wait.
    var webhookCount = 0
    /// Mocks call others; a trial changes nothing.
    var sendsWebhooks = true
    /// WebSockets and event streams that are open at origins.
    var lasting: [ObjectIdentifier: ClientExchange] = [:]
    var acceptedTokens = AcceptedTokens()
    /// Bounds the reports of bridge calls.
    var bridgeRate = BridgeRate()

    package init(_ core: LoopCore, _ shared: Proxy.Shared, _ spawnTask: @escaping @Sendable () -> Void) {
        (self.core, self.shared, tasks) = (core, shared, LoopTasks(spawnTask))
        (limits, held) = (shared.limits, shared.held)
        buffers = BufferPool(size: Limits.bufferSize, limit: 2 * Limits.maxAwake)
        smallBuffers = BufferPool(size: Limits.smallBufferSize, limit: 2048)
        (resting, pools) = (RestingExchanges(buffers), OriginPools(limit: shared.limits.pooledConnections))
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

    /// The present environment; read once for each request, and kept for all its parts.
    package var currentEnvironment: Environment? {
        if let (fresh, old) = present.next() { follow(fresh, old) }
        return present.environment
    }

    @inline(never)
    private func follow(_ fresh: Environment, _ old: Environment?) {
        pools.follow(fresh)
        admittedHosts = AdmittedHosts()
        // An environment of thousands of routes takes long to release.
        if let old { _ = shared.threads.start { withExtendedLifetime(old) {} } }
    }

    /// A request is routed by the present environment; the result is for ``didAnswer(_:)``, and never 0.
    func didRoute() -> UInt64 { present.didRoute() }

    func didAnswer(_ routed: UInt64) { present.didAnswer(routed) }

    /// Requests that were routed by an earlier environment and wait for their response.
    var unansweredEarlier: Int { present.unansweredEarlier }

    /// Profiles are chosen by the programs of this machine.
    var choosesByProgram: Bool { devices.choosesByProgram || currentEnvironment?.choosesByProgram == true }

    /// The profile of a program: the one that was chosen for it, else the one that names it.
    func plan(of program: LocalProgram, _ environment: Environment) -> ProfilePlan? {
        if let name = devices.profile(of: program), let plan = environment.plan(named: name) { return plan }
        return environment.library.profile(of: program.names).map { environment.plans[$0] }
    }

    /// The programs of clients are to be known.
    var wantsPrograms: Bool { self.store != nil || choosesByProgram }

    /// Connections may have to be shaped.
    var shapesNetworks: Bool { present.shapesNetworks || self.networks.isUsed }

    /// The connections to an origin.
    package func pool(of origin: OriginPlan) -> OriginPool { pools[origin] }

    package var idleOriginConnections: Int { pools.open.reduce(0) { $0 + $1.idleCount } }

    /// This machine's addresses may have changed: ends connections from those that it has no more, on which nothing
    /// arrives, with their exchanges.
    package func addressesChanged(to now: Set<[UInt8]>) {
        let gone = ownAddresses.subtracting(now)
        ownAddresses = now
        if !gone.isEmpty { core.breakOff { gone.contains($0.unmapped.bytes) } }
    }

    /// Runs `task` in a task of its own, soon.
    func spawn(_ task: any LoopTask) { tasks.add(task) }

    /// Lets an exchange of its own serve a stream.
    func serve(
        _ stream: StreamChannel, from peer: SocketAddress?, serverName: ContiguousArray<UInt8>?, entry: ClientEntry?
    ) {
        if let exchange = resting.takeExchange() {
            exchange.begin(on: stream, from: peer, serverName: serverName, entry: entry)
            exchange.client.waiter.wake()
        } else {
            let exchange = ClientExchange(resting.nullChannel, Waiter(core), self)
            exchange.begin(on: stream, from: peer, serverName: serverName, entry: entry)
            spawn(exchange)
        }
    }

    /// Keeps an exchange for the next stream; false where there are enough.
    func keep(_ exchange: ClientExchange) -> Bool {
        !isDraining && resting.keep(exchange)
    }

    /// Begins to record an exchange; nil without a store.
    func recording(of client: Client, _ metrics: ExchangeMetrics) -> Recording? {
        guard let store = self.store else { return nil }
        let recording = resting.recording(store)
        recording.begin(client, metrics)
        return recording
    }

    package func drain() {
        isDraining = true
        drainIdleEnd = core.now.after(limits.drainIdleTime)
        idleReaper.waiter.wake()
        resting.drain()
    }

    package func abort() { isAborting = true }
}
