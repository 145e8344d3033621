import Bytes
package import Exchanges
import HTTP
package import Profiles
import Reactor
import Synchronization

/// One request that is served in memory with a given response in place of its origin's.
///
/// All between the two ends is what serves every request; only sockets, store and log are missing.
package actor ResponseTrial {
    package struct Result: Sendable {
        /// What the client gets, its body without framing.
        package let response: [UInt8]
        /// The exchange as a log would have it.
        package let exchange: Exchange
        /// The response came from the origin.
        package let hasAskedOrigin: Bool
    }

    private nonisolated let loop: Loop
    private nonisolated let log = Log()
    private let shared: Proxy.Shared
    private let origin: Origin
    private let peer: SocketAddress?
    private(set) lazy var state = WorkerState(loop.core, shared) { [weak self] in
        self?.assumeIsolated { trial in _ = Task { await trial.runNext() } }
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private init(_ shunt: TriedShunt, _ response: [UInt8] = []) throws {
        loop = try Loop(name: "trial")
        origin = Origin(response)
        peer = shunt.peer
        var configuration = shunt.configuration
        configuration.observer = log
        shared = try Proxy.Shared(configuration, .profiles(shunt.active))
    }

    /// Serves a request.
    ///
    /// - Parameters:
    ///   - request: of HTTP/1.0, so that its response has no framing.
    ///   - response: a whole one of HTTP/1.1, which ends with the connection or by its length.
    package static func run(
        _ shunt: TriedShunt, _ request: TriedRequest, response: [UInt8]
    ) async throws -> Result? {
        let trial = try ResponseTrial(shunt, response)
        defer { trial.loop.stop() }
        return await trial.serve(request)
    }

    /// Explains what would become of a request, with the verdict of production's guard as if all were locked.
    ///
    /// It is read, routed and judged as any other; only then it is not sent.
    /// - Returns: nil for what is no request.
    package static func explain(
        _ target: RequestTarget, _ request: TriedRequest, by shunt: TriedShunt
    ) async throws -> RouteTrial.Result? {
        let trial = try ResponseTrial(shunt)
        defer { trial.loop.stop() }
        return await trial.explain(target, request)
    }

    private func explain(_ target: RequestTarget, _ request: TriedRequest) async -> RouteTrial.Result? {
        var result: RouteTrial.Result?
        _ = await exchanging(request) { exchange in
            guard let environment = state.currentEnvironment else { return }
            result = await RouteTrial(exchange, environment).run(target, request)
        }
        return result
    }

    private func runNext() async { await state.loop.tasks.runNext() }

    private func serve(_ request: TriedRequest) async -> Result? {
        state.connector = origin
        state.webhooks.areSent = false
        let channel = await exchanging(request) { await $0.serve() }
        guard let written = log.exchange.withLock({ $0 }) else { return nil }
        return Result(response: channel.takeSent(), exchange: written, hasAskedOrigin: origin.isAsked)
    }

    /// Calls the closure with the exchange of a request, unless it is none that Shunt reads.
    private func exchanging(
        _ request: TriedRequest, _ body: (ClientExchange) async -> Void
    ) async -> MemoryChannel {
        let channel = MemoryChannel(state.loop.buffers)
        channel.receive(request.bytes)
        channel.passesForSecure = request.isSecure
        let waiter = Waiter(loop.core)
        channel.notify(waiter)
        let exchange = ClientExchange(channel, waiter, state, peer: peer)
        exchange.metrics.begin(now: loop.core.now)
        if (try? channel.fill(limit: .max)) != nil, (try? exchange.readHead()) == true { await body(exchange) }
        exchange.release()
        channel.close()
        waiter.retire()
        state.drain()
        await state.idleReaper.run(state)
        return channel
    }

    private final class Log: ExchangeObserver {
        let exchange = Mutex<Exchange?>(nil)
        func exchangeEnded(_ ended: Exchange) { exchange.withLock { $0 = ended } }
    }

    /// Sends its response to each request.
    ///
    /// Confined to the loop.
    private final class Origin: OriginConnector {
        private let response: [UInt8]
        private(set) var isAsked = false

        init(_ response: [UInt8]) { self.response = response }

        func connect(
            _ pool: OriginPool, _ state: WorkerState, _ waiter: Waiter, within limit: UInt64, alpn: [String]?
        ) async throws(EngineFailure) -> OriginConnection {
            isAsked = true
            let channel = MemoryChannel(state.loop.buffers)
            channel.receive(response)
            channel.receiveEnd()
            return OriginConnection(channel, pool, .loopback(.ipv4, port: 80), OriginConnection.ConnectTimings())
        }
    }
}
