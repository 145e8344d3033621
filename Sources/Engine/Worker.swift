import Platform
import Reactor
import Synchronization

/// One thread's share of a proxy: it accepts connections and serves them, all on its own loop.
actor Worker {
    private nonisolated let loop: Loop
    private let shared: Proxy.Shared
    /// Made on the loop's thread, by the first call that comes in.
    private lazy var state = WorkerState(loop.core, shared, spawner)
    private let connections = ClientConnections()
    private var listening: [Entrance] = []
    private var probes: [Int: ProbeRound] = [:]
    private var lastProbe = 0
    /// What asks servers for their schemas.
    private var reflecting: ReflectionRound?
    private var addressWatch: AddressWatch?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ loop: Loop, _ shared: Proxy.Shared) {
        self.loop = loop
        self.shared = shared
    }

    /// A port at which it accepts.
    private final class Entrance {
        let socket: Socket
        let waiter: Waiter
        /// The session whose port it is; nil for the proxy's own.
        let session: String?
        var isClosed = false

        init(_ socket: Socket, _ waiter: Waiter, session: String?) {
            (self.socket, self.waiter, self.session) = (socket, waiter, session)
        }
    }

    /// Begins to accept at a port more.
    func listen(_ listener: Listener, session: String?) throws(SystemError) {
        let entrance = Entrance(try listener.attach(to: state.core), Waiter(state.core), session: session)
        entrance.socket.notify(entrance.waiter)
        listening.append(entrance)
        let id = ObjectIdentifier(entrance)
        Task { await self.accept(id) }
    }

    /// Closes the port of a session; requests on connections that it has accepted are refused with the session.
    func stopListening(for session: String) {
        for entrance in listening where entrance.session == session {
            entrance.isClosed = true
            entrance.waiter.wake()
        }
    }

    /// Begins to accept.
    func start(_ listeners: [Listener]) throws(SystemError) {
        for listener in listeners { try listen(listener, session: nil) }
        Task { await state.idleReaper.run(state) }
        Task { await self.watchAddresses() }
    }

    /// Follows the addresses of this machine, where the system lets it.
    private func watchAddresses() async {
        guard let watch = try? AddressWatch(state.core) else { return }
        addressWatch = watch
        repeat {
            state.addressesChanged(to: Set(NetworkInterface.all().map(\.address.bytes)))
        } while await watch.change()
    }

    /// The worker owns the state, which keeps this closure: it must not retain the worker.
    private nonisolated var spawner: @Sendable () -> Void {
        { [weak self] in
            self?.assumeIsolated { worker in _ = Task { await worker.runNext() } }
        }
    }

    private func runNext() async { await state.loop.tasks.runNext() }

    private func accept(_ id: ObjectIdentifier) async {
        guard let entrance = listening.first(where: { ObjectIdentifier($0) == id }) else { return }
        let (socket, waiter) = (entrance.socket, entrance.waiter)
        while !state.isDraining, !entrance.isClosed {
            waiter.deadline = .never
            do throws(SystemError) {
                while let room = connections.room(beside: shared.connections, state.limits),
                    let descriptor = try socket.accept()
                {
                    if case .insteadOf(let connection) = room { connection.cancel() }
                    shared.connections.add(1, ordering: .relaxed)
                    state.counters.connections += 1
                    let session = entrance.session
                    Task { await self.serve(descriptor, session) }
                }
                if shared.connections.load(ordering: .relaxed) >= state.limits.connections {
                    waiter.deadline = state.core.now.after(Limits.second / 10)
                }
            } catch {
                // Out of descriptors or memory: new connections stay in the system's queue until others are closed.
                waiter.deadline = state.core.now.after(Limits.second / 10)
            }
            await waiter.park()
        }
        socket.close()
        waiter.retire()
        listening.removeAll { $0 === entrance }
    }

    private func serve(_ descriptor: CInt, _ session: String?) async {
        do throws(SystemError) {
            let connection = try ClientConnection(descriptor, connections.nextNumber(), state)
            connection.client.connected.sessionID = session
            await serve(connection)
        } catch {}
        shared.connections.subtract(1, ordering: .relaxed)
        state.counters.connections -= 1
        state.idleReaper.connectionEnded(state.core.now)
        connections.noteEmpty()
    }

    private func serve(_ connection: ClientConnection) async {
        guard connection.enter() else { return connection.refuse() }
        connections.add(connection)
        await connection.serve()
        await connection.settle()
        connections.remove(connection)
        connection.leave()
    }

    // MARK: Attached machines

    /// Serves the requests that a gateway sends on a connection that is opened here.
    /// - Parameter didConnect: the gateway has accepted it.
    func serve(_ door: GatewayDoor, _ didConnect: @Sendable () -> Void) async throws(GatewayFailure) {
        let connection = try await door.connect(connections.nextNumber(), state)
        didConnect()
        if state.isDraining { return connection.discard() }
        await serve(connection)
        connections.noteEmpty()
    }

    /// Lets requests be sent to the machine of a user, on a connection that it has opened.
    func attach(_ descriptor: CInt, _ attachment: Attachment) throws(SystemError) {
        guard attachment.begin() else {
            close(descriptor)
            throw SystemError("attach", code: ECANCELED)
        }
        do throws(SystemError) { try state.pools.attach(descriptor, attachment, state) } catch {
            attachment.end("no connection can be taken over: \(error.reason)")
            throw error
        }
    }

    func detach(_ attachment: Attachment) { state.pools.detach(attachment) }

    /// Accepts no more, lets exchanges in flight finish, and returns when the last connection is closed.
    func drain() async {
        state.drain()
        endProbes()
        for entrance in listening { entrance.waiter.wake() }
        for connection in connections.all { connection.drain() }
        await connections.waitForEnd()
        addressWatch?.end()
        if connections.isEmpty { await state.pools.settle(state.idleReaper.waiter) }
    }

    /// Takes over the present environment, and counts the requests that wait for the response of an earlier one.
    func takeOver() -> Int {
        _ = state.currentEnvironment
        if state.counters.openTunnels > 0 { for connection in connections.all { connection.wake() } }
        return state.present.unansweredEarlier
    }

    /// The exchanges that last, as ``WorkerState/lasting`` has them.
    var lasting: [ClientExchange] { Array(state.lasting.values) }

    /// Puts a message into the stream whose pieces have that number; false where it is not on this worker.
    func inject(_ message: InjectedMessage, into piece: UInt64) async throws(EngineFailure) -> Bool {
        guard let exchange = lasting.first(where: { $0.recording?.id == piece }) else { return false }
        let result: Result<Void, EngineFailure> = await withCheckedContinuation { continuation in
            exchange.messages.inject(message) { continuation.resume(returning: $0) }
        }
        try result.get()
        return true
    }

    /// The choice of conditions for networks has changed.
    func networksChanged() {
        for connection in connections.all { connection.networksChanged() }
    }

    /// Ends every exchange where it is.
    func abort() {
        state.loop.abort()
        endProbes()
        for connection in connections.all { connection.cancel() }
    }

    /// Asks origins, a bounded number of them at once; results are in the order of the targets.
    func probe(_ targets: [ProbeTarget]) async -> [ProbeResult] {
        guard !state.isDraining && !state.isAborting else { return [] }
        var configuration = Proxy.Configuration(addresses: [])
        configuration.limits = ProbeRound.limits(state.limits)
        configuration.next = state.next
        // Without certificates of its own it cannot fail.
        guard let apart = try? Proxy.Shared(configuration, shared.source) else { return [] }
        lastProbe += 1
        let number = lastProbe
        let round = ProbeRound(targets, state.core, apart) {
            self.assumeIsolated { worker in _ = Task { await worker.runProbeTask(number) } }
        }
        probes[number] = round
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<min(ProbeRound.width, targets.count) {
                group.addTask { await self.runProbe(number) }
            }
        }
        probes[number] = nil
        return round.results
    }

    /// Waits for the token of a profile, as a request does.
    func fetch(_ use: TokenUse) async throws(EngineFailure) {
        let waiter = Waiter(state.core)
        defer { waiter.retire() }
        _ = try await use.wait(on: waiter, state)
    }

    /// Starts an origin's program where it does not run.
    func start(_ plan: OriginPlan) {
        guard let program = plan.program, let launcher = state.connector.launcher, !state.isDraining,
            case .begin = program.next(now: state.core.now)
        else { return }
        state.loop.spawn(ProgramTask(program, plan, launcher, state))
    }

    /// Asks servers for their schemas, until this worker ends.
    ///
    /// - Parameter once: until all have been asked.
    func reflect(once: Bool = false) async {
        guard !state.isDraining, !state.isAborting, reflecting == nil,
            state.currentEnvironment?.reflections.isEmpty == false,
            // Without certificates of its own it cannot fail.
            let round = try? ReflectionRound(
                state, { self.assumeIsolated { worker in _ = Task { await worker.runReflectingTask() } } })
        else { return }
        reflecting = round
        await round.run(once: once)
        reflecting = nil
    }

    /// There may be servers to be asked.
    func wakeReflecting() async { if let reflecting { reflecting.wake() } else { await reflect() } }

    private func runReflectingTask() async { await reflecting?.runTask() }

    private func runProbeTask(_ number: Int) async { await probes[number]?.runTask() }

    private func runProbe(_ number: Int) async { await probes[number]?.run() }

    private func endProbes() {
        for round in probes.values { round.cancel() }
        reflecting?.end()
    }

    func status() -> Proxy.Status {
        var status = state.counters
        (status.workers, status.idleOriginConnections) = (1, state.pools.idleCount)
        return status
    }
}
