import Bytes
import Engine
import Exchanges
import Profiles
import Reactor
import TestSupport
import Testing

/// One worker without sockets, on a clock that its test moves: clients and origins are connections in memory.
///
/// A test's body runs on the worker's loop, so that nothing happens between two of its lines but what it waits for.
actor MemoryWorker {
    nonisolated let loop: Loop
    private nonisolated let clock: VirtualClock
    nonisolated let log = Harness.Log()
    private nonisolated let stalls = Kept<[String]>([])
    /// What was said of exchanges that come near to a limit.
    nonisolated var stalled: [String] { stalls.value }
    private let limits: Limits
    nonisolated let active: ActiveEnvironment
    private nonisolated let mocks: Mocks
    private let pages: (any Handler)?
    private let resolver: Resolver
    private(set) lazy var state = makeState()
    /// What the worker connects to.
    let origins: MemoryOrigins
    private lazy var pause = Waiter(loop.core)

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private init(
        _ limits: Limits, _ library: ProfileLibrary, _ pages: (any Handler)?, _ resolver: Resolver
    ) throws {
        let clock = VirtualClock()
        self.clock = clock
        origins = MemoryOrigins(clock)
        self.limits = limits
        mocks = Mocks()
        active = ActiveEnvironment(try Environment(library, active: "only", mocks), mocks)
        self.pages = pages
        self.resolver = resolver
        loop = try Loop(name: "memory") { clock.now }
    }

    /// Runs a test's body on a worker with one profile.
    static func run<R: Sendable>(
        _ limits: Limits = Limits(), profile: String = Harness.origin("http://origin.test", kind: "staging"),
        resolver: Resolver = Resolver(), _ body: @escaping @Sendable (isolated MemoryWorker) async throws -> R
    ) async throws -> R {
        try await run(limits, library: try Harness.library(["only": profile]), resolver: resolver, body)
    }

    /// The same with all profiles of a library, of which `only` is the active one.
    /// - Parameter pages: responds under `/__shunt`.
    static func run<R: Sendable>(
        _ limits: Limits = Limits(), library: ProfileLibrary, pages: (any Handler)? = nil,
        resolver: Resolver = Resolver(), _ body: @escaping @Sendable (isolated MemoryWorker) async throws -> R
    ) async throws -> R {
        let worker = try MemoryWorker(limits, library, pages, resolver)
        defer { worker.loop.stop() }
        return try await Task {
            let result = try await body(worker)
            await worker.end()
            return result
        }.value
    }

    private func makeState() -> WorkerState {
        var configuration = Proxy.Configuration(addresses: [], limits: limits)
        configuration.observer = log
        configuration.clock = { [clock] in 1_800_000_000 + Int64(clock.now / 1_000_000_000) }
        configuration.pages = pages
        configuration.resolver = resolver
        configuration.didStall = { [stalls] exchange in
            stalls.change { $0.append(exchange.failure?.message ?? "") }
        }
        guard let shared = try? Proxy.Shared(configuration, .profiles(active)) else {
            preconditionFailure("the profiles cannot be compiled")
        }
        let state = WorkerState(loop.core, shared) { [weak self] in
            self?.assumeIsolated { worker in _ = Task { await worker.runNext() } }
        }
        sockets = state.connector
        state.connector = origins
        return state
    }

    /// What connects where a test does not want its origins in memory.
    private var sockets: (any OriginConnector)?

    func connectBySockets() {
        let state = state
        if let sockets { state.connector = sockets }
    }

    /// Waits for something that happens on sockets or threads.
    func wait(until condition: (isolated MemoryWorker) -> Bool) async -> Bool {
        let end = ContinuousClock.now + .seconds(60)
        while !condition(self), ContinuousClock.now < end { await settle() }
        return condition(self)
    }

    /// Waits for a response that comes by way of a socket, and takes it.
    func response(to client: MemoryChannel) async -> String {
        var text = client.text
        let end = ContinuousClock.now + .seconds(60)
        while !text.contains("\r\n\r\n"), ContinuousClock.now < end {
            await settle()
            text += client.text
        }
        return text
    }

    /// The pool of the profile's only origin.
    var pool: OriginPool {
        guard let plan = state.currentEnvironment?.origins.first ?? nil else {
            preconditionFailure("there is no origin")
        }
        return state.pools[plan]
    }

    /// Lets the worker see to its idle connections, until it ends.
    func reapIdleConnections() {
        isReaping = true
        Task { await self.reap() }
    }

    private var isReaping = false

    private func reap() async { await state.idleReaper.run(state) }

    private func runNext() async { await state.loop.tasks.runNext() }

    /// Lets everything happen that needs no more bytes and no more time.
    func settle() async {
        // Each turn of the loop runs what is ready and what follows from it; few exchanges take more than three.
        for _ in 0..<16 { await pause.yield() }
    }

    /// Lets time pass at once, and then everything happen that follows from it.
    func advance(by seconds: Double) async {
        clock.advance(by: seconds)
        await settle()
    }

    // MARK: Clients

    private var clients: [MemoryChannel] = []
    private var waiters: [ObjectIdentifier: Waiter] = [:]

    /// Ends the waits of the task that serves a client, as where a stream is reset.
    func cancel(_ client: MemoryChannel) { waiters[ObjectIdentifier(client)]?.cancel() }

    /// A client connects, and sends `bytes`.
    /// - Parameters:
    ///   - program: the program that it is; nil for none of this machine.
    ///   - more: what it does besides before it is served.
    func connect(
        _ bytes: String = "", window: Int = .max, program: LocalProgram? = nil, more: (MemoryChannel) -> Void = { _ in }
    ) async -> MemoryChannel {
        let channel = MemoryChannel(state.loop.buffers, window: window)
        channel.receive(bytes.utf8)
        more(channel)
        clients.append(channel)
        let waiter = Waiter(loop.core)
        channel.notify(waiter)
        waiters[ObjectIdentifier(channel)] = waiter
        let exchange = ClientExchange(channel, waiter, state)
        exchange.client.program = ClientProgram(program)
        Task { await self.serve(exchange, channel, waiter) }
        await settle()
        return channel
    }

    /// What ``ClientConnection`` does on a socket, without its limits.
    private func serve(_ exchange: ClientExchange, _ channel: MemoryChannel, _ waiter: Waiter) async {
        serving: while true {
            exchange.release()
            var isIdle = true
            do {
                reading: while true {
                    if !channel.waiting.input.isEmpty {
                        if isIdle { exchange.metrics.begin(now: loop.core.now) }
                        isIdle = false
                        if try exchange.readHead() { break reading }
                    }
                    switch try channel.fill() {
                    case .bytes: continue
                    case .end: break serving
                    case .wouldBlock: await waiter.park()
                    }
                    if waiter.isCancelled || isEnding { break serving }
                }
            } catch {
                break
            }
            await exchange.serve()
            if exchange.client.mustClose || isEnding { break }
        }
        exchange.release()
        channel.close()
        waiter.retire()
    }

    private var isEnding = false

    /// Ends what still runs, so that nothing outlives the loop.
    private func end() async {
        isEnding = true
        state.loop.abort()
        state.drain()
        origins.areHeld = false
        // Their tasks wait for them, and would hold the worker.
        mocks.programs.stop(now: clock.now)
        // What ends may have opened another connection.
        for _ in 0..<2 {
            for channel in clients + origins.channels { channel.receiveReset() }
            await settle()
        }
        // Otherwise idle connections and their pool hold each other, and the loop's timers what waits for them.
        if !isReaping { await reap() }
        pause.retire()
    }
}

/// The origins of a worker in memory: each connection that it opens is a channel here.
///
/// Confined to the worker.
final class MemoryOrigins: OriginConnector {
    private let clock: VirtualClock
    private(set) var channels: [MemoryChannel] = []

    init(_ clock: VirtualClock) { self.clock = clock }

    func channel(_ number: Int) throws -> MemoryChannel {
        try #require(number < channels.count ? channels[number] : nil, "the worker did not connect to its origin")
    }

    /// How many bytes a new connection takes at first.
    var window = Int.max
    /// Connections are not opened until this is false.
    var areHeld = false { didSet { for waiter in held { waiter.wake() } } }
    /// Connecting fails with it.
    var failure: EngineFailure?
    /// What starts the programs of origins; nil where none are started.
    var launcher: (any ProgramLauncher)?
    private var held: [Waiter] = []
    /// How many connections were begun.
    private(set) var attempts = 0

    func connect(
        _ pool: OriginPool, _ state: WorkerState, _ waiter: Waiter, within limit: UInt64, alpn: [String]?
    ) async throws(EngineFailure) -> OriginConnection {
        attempts += 1
        held.append(waiter)
        waiter.deadline = clock.now.after(limit)
        while areHeld, !waiter.isExpired { await waiter.park() }
        held.removeAll { $0 === waiter }
        if areHeld { throw EngineFailure(.origin, .connect, status: 504, "origin in memory took too long") }
        if let failure { throw failure }
        let channel = MemoryChannel(state.loop.buffers, window: window)
        channels.append(channel)
        var timings = OriginConnection.ConnectTimings()
        timings.connectedAt = clock.now
        return OriginConnection(channel, pool, .loopback(.ipv4, port: 80), timings)
    }
}

extension MemoryChannel {
    /// All that was sent since the last look, as text.
    var text: String { String(decoding: takeSent(), as: UTF8.self) }

    func receive(_ text: String) { receive(text.utf8) }
}
