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
    private lazy var state = WorkerState(loop.core, shared) { [weak self] in
        self?.assumeIsolated { trial in _ = Task { await trial.runNext() } }
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private init(_ library: ProfileLibrary, active: String, _ response: [UInt8]) throws {
        loop = try Loop(name: "trial")
        origin = Origin(response)
        var configuration = Proxy.Configuration(addresses: [])
        configuration.observer = log
        let mocks = Mocks()
        shared = try Proxy.Shared(
            configuration, .profiles(ActiveEnvironment(try Environment(library, active: active, mocks), mocks)))
    }

    /// Serves a request.
    ///
    /// - Parameters:
    ///   - request: a whole one of HTTP/1.0, so that its response has no framing.
    ///   - isSecure: it comes over TLS.
    ///   - response: a whole one of HTTP/1.1, which ends with the connection or by its length.
    package static func run(
        _ library: ProfileLibrary, active: String, request: [UInt8], isSecure: Bool, response: [UInt8]
    ) async throws -> Result? {
        let trial = try ResponseTrial(library, active: active, response)
        defer { trial.loop.stop() }
        return await trial.serve(request, isSecure: isSecure)
    }

    private func runNext() async { await state.runNext() }

    private func serve(_ request: [UInt8], isSecure: Bool) async -> Result? {
        state.connector = origin
        let channel = MemoryChannel(state.buffers)
        channel.receive(request)
        channel.passesForSecure = isSecure
        let waiter = Waiter(loop.core)
        channel.notify(waiter)
        let exchange = ClientExchange(channel, waiter, state)
        exchange.metrics.begin(now: loop.core.now)
        if (try? channel.fill(limit: .max)) != nil, (try? exchange.readHead()) == true { await exchange.serve() }
        exchange.release()
        channel.close()
        waiter.retire()
        state.drain()
        await state.reapIdleConnections()
        guard let written = log.exchange.withLock({ $0 }) else { return nil }
        return Result(response: channel.takeSent(), exchange: written, hasAskedOrigin: origin.isAsked)
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
            let channel = MemoryChannel(state.buffers)
            channel.receive(response)
            channel.receiveEnd()
            return OriginConnection(channel, pool, .loopback(.ipv4, port: 80), OriginConnection.ConnectTimings())
        }
    }
}
