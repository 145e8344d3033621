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
    private let activeEnvironment: ActiveEnvironment?
    /// Of the present environment.
    var admittedHosts = AdmittedHosts()
    /// The conditions of a connection have cut origins off.
    var hasCuts = false
    /// A profile has conditions for networks.
    private var profilesShape = false
    let devices: DeviceView
    /// nil where nothing may be held.
    let breakpoints: Breakpoints?
    /// For the note of a crash.
    let recentRequests = RecentRequests()
    /// Wakes the task that closes idle connections that have expired.
    let idleReaper: Waiter
    private(set) var environment: Environment?
    private var generation: UInt64 = 0
    /// Requests that wait for their response, of the present environment and of earlier ones.
    private var unanswered = (present: 0, earlier: 0)
    /// By ``OriginPlan/index``; nil where no request has led to the origin yet.
    private var pools: [OriginPool?] = []
    /// Machines of users that respond in place of origins.
    private(set) var attached: [AttachedOrigin] = []
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
    private var freed = FreedMemory()
    var acceptedTokens = AcceptedTokens()
    /// Bounds the reports of bridge calls.
    var bridgeRate = BridgeRate()

    /// Objects that wait for a task to run them.
    private var tasks: [any LoopTask] = []
    /// Makes a task that calls ``runNext()``.
    private let spawnTask: @Sendable () -> Void
    /// Finished exchanges of streams, kept for reuse together with their tasks.
    private var restingExchanges: [ClientExchange] = []
    /// The channel of a stream's exchange between two streams.
    private let nullChannel: Channel
    private static let maxResting = 256
    /// Recordings of finished exchanges, kept for reuse with their memory.
    private var restingRecordings: [Recording] = []
    private static let maxRecordings = 128

    package init(_ core: LoopCore, _ shared: Proxy.Shared, _ spawnTask: @escaping @Sendable () -> Void) {
        (self.core, self.shared, self.spawnTask) = (core, shared, spawnTask)
        (limits, held) = (shared.limits, shared.held)
        buffers = BufferPool(size: Limits.bufferSize, limit: 2 * Limits.maxAwake)
        smallBuffers = BufferPool(size: Limits.smallBufferSize, limit: 2048)
        nullChannel = Channel(buffers)
        traces = shared.tracing != nil
        traceNumbers = TraceNumbers(shared.tracing ?? TraceSampling())
        isObserved = shared.observer != nil || shared.store != nil
        switch shared.source {
        case .handler(let handler): (self.handler, activeEnvironment) = (handler, nil)
        case .profiles(let activeEnvironment): (handler, self.activeEnvironment) = (nil, activeEnvironment)
        }
        responders = Responders.withoutRoute.filter { $0.isUsed(by: shared) }
        devices = DeviceView(shared.devices)
        breakpoints = shared.breakpoints
        idleReaper = Waiter(core)
    }

    package subscript<Value>(dynamicMember key: KeyPath<Proxy.Shared, Value>) -> Value { shared[keyPath: key] }

    package subscript<Value>(dynamicMember key: KeyPath<Proxy.Configuration, Value>) -> Value {
        shared.configuration[keyPath: key]
    }

    /// The present environment; read once for each request, and kept for all its parts.
    package var currentEnvironment: Environment? {
        guard let latest = activeEnvironment?.generation.load(ordering: .acquiring) else { return nil }
        if latest == generation { return environment }
        return renewEnvironment(latest)
    }

    @inline(never)
    private func renewEnvironment(_ latest: UInt64) -> Environment? {
        guard let activeEnvironment else { return nil }
        let fresh = activeEnvironment.environment
        for (index, pool) in pools.enumerated() {
            guard let pool, index >= fresh.origins.count || pool.plan !== fresh.origins[index] else { continue }
            pool.close()
            pools[index] = nil
        }
        let more = fresh.origins.count - pools.count
        if more > 0 { pools += [OriginPool?](repeating: nil, count: more) } else { pools.removeLast(-more) }
        // An environment of thousands of routes takes long to release.
        if let old = environment { _ = shared.threads.start { withExtendedLifetime(old) {} } }
        environment = fresh
        unanswered = (0, unanswered.earlier + unanswered.present)
        admittedHosts = AdmittedHosts()
        generation = latest
        profilesShape = fresh.shapesNetworks
        return fresh
    }

    /// A request is routed by the present environment; the result is for ``didAnswer(_:)``, and never 0.
    func didRoute() -> UInt64 {
        unanswered.present += 1
        return generation
    }

    func didAnswer(_ routed: UInt64) {
        if routed == generation { unanswered.present -= 1 } else { unanswered.earlier -= 1 }
    }

    /// Requests that were routed by an earlier environment and wait for their response.
    var unansweredEarlier: Int { unanswered.earlier }

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
    var shapesNetworks: Bool { profilesShape || self.networks.isUsed }

    /// The connections to an origin; a pool of an origin that a reload has replaced meanwhile is not kept.
    package func pool(of origin: OriginPlan) -> OriginPool {
        if origin.index < pools.count, let pool = pools[origin.index], pool.plan === origin { return pool }
        return newPool(of: origin)
    }

    @inline(never)
    private func newPool(of origin: OriginPlan) -> OriginPool {
        if origin.attachment != nil, let known = attached.first(where: { $0.plan === origin }) { return known.pool }
        let isPresent = origin.index < pools.count && environment?.origins[origin.index] === origin
        let pool = OriginPool(origin, limit: isPresent ? limits.pooledConnections : 0)
        if isPresent { pools[origin.index] = pool }
        return pool
    }

    /// Lets requests be sent to the machine of a user on a connection that it has opened.
    func attach(_ descriptor: CInt, _ attachment: Attachment) throws(SystemError) {
        let channel = SocketChannel(try Socket(descriptor, core), buffers, small: smallBuffers)
        let origin = AttachedOrigin(attachment)
        var timings = OriginConnection.ConnectTimings()
        timings.connectedAt = core.now
        let address = attachment.client ?? .loopback(.ipv4, port: 0)
        do throws(HTTP2Failure) {
            try origin.pool.share(channel, OriginConnection(channel, origin.pool, address, timings), self)
        } catch {
            channel.close()
            throw SystemError("nghttp2_session_client_new", code: ENOMEM)
        }
        attached.append(origin)
    }

    /// Ends the connection of a user's machine where it is, if it is still there.
    func detach(_ attachment: Attachment) {
        for origin in attached where origin.attachment === attachment { origin.pool.breakOff() }
        attached.removeAll { $0.attachment === attachment }
    }

    private var openPools: some Sequence<OriginPool> { pools.lazy.compactMap(\.self) }

    package var idleOriginConnections: Int { openPools.reduce(0) { $0 + $1.idleCount } }

    /// This machine's addresses may have changed: ends connections from those that it has no more, on which nothing
    /// arrives, with their exchanges.
    package func addressesChanged(to now: Set<[UInt8]>) {
        let gone = ownAddresses.subtracting(now)
        ownAddresses = now
        if !gone.isEmpty { core.breakOff { gone.contains($0.unmapped.bytes) } }
    }

    /// Closes resting connections as they expire or are closed by their origins, until the worker ends.
    package func reapIdleConnections() async {
        idleReaper.note("the end of idle connections")
        while !isDraining {
            idleReaper.deadline = .never
            for pool in openPools {
                idleReaper.deadline = min(idleReaper.deadline, pool.sweep(self))
                idleReaper.deadline = min(idleReaper.deadline, pool.endWithException(self))
            }
            let freed = freed.look(at: core.now)
            if freed.isDue { _ = shared.threads.start { releaseFreeMemory() } }
            idleReaper.deadline = min(idleReaper.deadline, freed.next)
            await idleReaper.park()
        }
        for pool in openPools { pool.close() }
        idleReaper.retire()
    }

    /// A client's connection is closed.
    func connectionEnded() {
        counters.connections -= 1
        if freed.connectionEnded(at: core.now) { expectIdleReaper() }
    }

    /// A connection became idle: it has to be closed later.
    func expectIdleReaper() {
        guard idleReaper.deadline == .never else { return }
        idleReaper.deadline = core.now.after(Limits.restDelay)
        idleReaper.reschedule()
    }

    // MARK: Tasks

    /// Runs `task` in a task of its own, soon.
    func spawn(_ task: any LoopTask) {
        tasks.append(task)
        spawnTask()
    }

    package func runNext() async {
        guard !tasks.isEmpty else { return }
        await tasks.removeFirst().run()
    }

    /// Lets an exchange of its own serve a stream.
    func serve(
        _ stream: StreamChannel, from peer: SocketAddress?, serverName: ContiguousArray<UInt8>?, entry: ClientEntry?
    ) {
        if let exchange = restingExchanges.popLast() {
            exchange.begin(on: stream, from: peer, serverName: serverName, entry: entry)
            exchange.client.waiter.wake()
        } else {
            let exchange = ClientExchange(nullChannel, Waiter(core), self)
            exchange.begin(on: stream, from: peer, serverName: serverName, entry: entry)
            spawn(exchange)
        }
    }

    /// Keeps an exchange for the next stream; false where there are enough.
    func keep(_ exchange: ClientExchange) -> Bool {
        guard !isDraining, restingExchanges.count < Self.maxResting else { return false }
        restingExchanges.append(exchange)
        return true
    }

    /// Begins to record an exchange; nil without a store.
    func recording(of client: Client, _ metrics: ExchangeMetrics) -> Recording? {
        guard let store = self.store else { return nil }
        let recording = restingRecordings.popLast() ?? Recording(store)
        recording.begin(client, metrics)
        return recording
    }

    /// Keeps a recording's memory for the next exchange.
    func keep(_ recording: Recording) {
        guard recording.isSmall, restingRecordings.count < Self.maxRecordings else { return }
        restingRecordings.append(recording)
    }

    package func drain() {
        isDraining = true
        drainIdleEnd = core.now.after(limits.drainIdleTime)
        idleReaper.wake()
        for exchange in restingExchanges { exchange.client.waiter.wake() }
        restingExchanges.removeAll()
    }

    package func abort() { isAborting = true }

    /// Gives unused connections the few turns that they need for GOAWAY and their end.
    func settle() async {
        let pools = openPools.map(\.self) + attached.map(\.pool)
        for pool in pools { pool.close() }
        for _ in 0..<64 where pools.contains(where: \.hasShared) { await idleReaper.yield() }
    }
}
