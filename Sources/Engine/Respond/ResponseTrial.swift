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

    fileprivate init(_ active: ActiveEnvironment, _ response: [UInt8] = []) throws {
        loop = try Loop(name: "trial")
        origin = Origin(response)
        var configuration = Proxy.Configuration(addresses: [])
        configuration.observer = log
        shared = try Proxy.Shared(configuration, .profiles(active))
    }

    /// Serves a request.
    ///
    /// - Parameters:
    ///   - request: of HTTP/1.0, so that its response has no framing.
    ///   - response: a whole one of HTTP/1.1, which ends with the connection or by its length.
    package static func run(
        _ library: ProfileLibrary, active: String, _ request: TriedRequest, response: [UInt8]
    ) async throws -> Result? {
        let trial = try ResponseTrial(try ActiveEnvironment(library, active: active), response)
        defer { trial.loop.stop() }
        return await trial.serve(request)
    }

    private func runNext() async { await state.runNext() }

    private func serve(_ request: TriedRequest) async -> Result? {
        state.connector = origin
        state.sendsWebhooks = false
        let channel = await exchanging(request) { await $0.serve() }
        guard let written = log.exchange.withLock({ $0 }) else { return nil }
        return Result(response: channel.takeSent(), exchange: written, hasAskedOrigin: origin.isAsked)
    }

    /// Calls the closure with the exchange of a request, unless it is none that Shunt reads.
    private func exchanging(
        _ request: TriedRequest, _ body: (ClientExchange) async -> Void
    ) async -> MemoryChannel {
        let channel = MemoryChannel(state.buffers)
        channel.receive(request.bytes)
        channel.passesForSecure = request.isSecure
        let waiter = Waiter(loop.core)
        channel.notify(waiter)
        let exchange = ClientExchange(channel, waiter, state)
        exchange.metrics.begin(now: loop.core.now)
        if (try? channel.fill(limit: .max)) != nil, (try? exchange.readHead()) == true { await body(exchange) }
        exchange.release()
        channel.close()
        waiter.retire()
        state.drain()
        await state.reapIdleConnections()
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
            let channel = MemoryChannel(state.buffers)
            channel.receive(response)
            channel.receiveEnd()
            return OriginConnection(channel, pool, .loopback(.ipv4, port: 80), OriginConnection.ConnectTimings())
        }
    }
}

/// A request that is tried, as people name it.
package struct TriedRequest: Sendable {
    let bytes: [UInt8]
    /// It comes over TLS.
    let isSecure: Bool

    /// - Parameters:
    ///   - url: as ``Explanation/url`` has it; one of a WebSocket asks for one.
    ///   - profile: the one that the request names itself.
    package init(
        _ method: String, _ url: String, version: String = "1.1", headers: [(name: String, value: String)],
        body: [UInt8] = [], profile: String? = nil
    ) {
        let (scheme, rest) =
            url.firstRange(of: "://").map { (url[..<$0.lowerBound], url[$0.upperBound...]) } ?? ("https", url[...])
        let authority = rest.prefix { !"/?".contains($0) }
        let target = rest.dropFirst(authority.count)
        var head =
            "\(method) \(target.hasPrefix("/") ? "" : "/")\(target) HTTP/\(authority.isEmpty ? "1.0" : version)\r\n"
        func add(_ name: String, _ value: some StringProtocol) {
            guard !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) else { return }
            head += "\(name): \(value)\r\n"
        }
        if !authority.isEmpty { add("Host", authority) }
        if let profile { head += "Shunt-Profile: \(profile)\r\n" }
        add("Accept", "text/html, */*")
        if scheme.hasPrefix("ws") || headers.contains(where: { $0.name.lowercased() == "upgrade" }) {
            add("Connection", "Upgrade")
            add("Upgrade", "websocket")
        }
        if !body.isEmpty {
            add("Content-Type", "application/json")
            add("Content-Length", "\(body.count)")
        }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        bytes = Array((head + "\r\n").utf8) + body
        isSecure = scheme != "http" && scheme != "ws"
    }
}

// What production's guard says of a request that is not sent.
extension ResponseTrial {
    /// The explanation with the verdict of production's guard on each route that would respond, as if all were locked.
    package static func judge(
        _ explanation: Explanation, _ library: ProfileLibrary, _ request: TriedRequest
    ) async throws -> Explanation {
        try await judge(explanation, ActiveEnvironment(library, active: explanation.profile), request)
    }

    static func judge(
        _ explanation: Explanation, _ active: ActiveEnvironment, _ request: TriedRequest
    ) async throws -> Explanation {
        let trial = try ResponseTrial(active)
        defer { trial.loop.stop() }
        return await trial.judge(explanation, active.environment, request)
    }

    private func judge(
        _ explanation: Explanation, _ environment: Environment, _ request: TriedRequest
    ) async -> Explanation {
        var judged = explanation
        _ = await exchanging(request) { exchange in
            exchange.body.begin()
            exchange.request.choose(environment)
            judged = await explanation.judged { response in
                await self.guarding(exchange, response, environment)
            }
        }
        return judged
    }

    private func guarding(
        _ exchange: ClientExchange, _ response: Explanation.Response, _ environment: Environment
    ) async -> Explanation.Guarding {
        let (library, route, profile) = (environment.library, response.route, response.profile)
        let guards =
            [library.writeGuard(of: route, in: profile)]
            + route.responder.addresses.map { library.writeGuard(of: $0, askedBy: route, in: profile) }
        guard let guarded = WriteGuard(guards.compactMap(\.self)),
            let plan = environment.plan(named: profile.name)?.routes[response.index]
        else { return .none }
        do throws(EngineFailure) {
            let next = Next(plan, plan.responder(to: exchange))
            exchange.way.edits = try plan.edits?.applied(to: exchange, for: next)
            try await plan.edits?.editBody(of: exchange)
            // The query gets it before the guard judges.
            if case .query(let name)? = profile.token(of: route)?.place {
                exchange.way.tokenParameter = Array(name.utf8)
            }
            return try await Admission.explain(exchange, by: guarded, of: route)
        } catch {
            return .refused(error.message, profiles: guarded.profiles, cause: guarded.reason)
        }
    }
}

extension ResponseTrial {
    /// A request's body with the edits of the route that responds, as an origin gets it; nil where it stays as it is.
    package static func edited(
        _ explanation: Explanation, _ library: ProfileLibrary, _ request: TriedRequest
    ) async throws -> [UInt8]? {
        guard case .withResponse(let response) = explanation.outcome else { return nil }
        let active = try ActiveEnvironment(library, active: explanation.profile)
        let trial = try ResponseTrial(active)
        defer { trial.loop.stop() }
        return await trial.edited(response, active.environment, request)
    }

    private func edited(
        _ response: Explanation.Response, _ environment: Environment, _ request: TriedRequest
    ) async -> [UInt8]? {
        guard let plan = environment.plan(named: response.profile.name)?.routes[response.index] else { return nil }
        var edited: [UInt8]?
        _ = await exchanging(request) { exchange in
            exchange.body.begin()
            exchange.request.choose(environment)
            let next = Next(plan, plan.responder(to: exchange))
            exchange.way.edits = try? plan.edits?.applied(to: exchange, for: next)
            try? await plan.edits?.editBody(of: exchange)
            edited = exchange.way.edits?.body
        }
        return edited
    }
}

extension Proxy {
    /// An explanation with what production's guard would say, if all were locked.
    package func judging(_ explanation: Explanation) async throws -> Explanation {
        guard case .profiles(let active) = source else { return explanation }
        return try await ResponseTrial.judge(
            explanation, active, TriedRequest(explanation.method, explanation.url, headers: []))
    }
}

extension ActiveEnvironment {
    /// For a trial: all mocks are on.
    fileprivate convenience init(_ library: ProfileLibrary, active: String) throws(ProxyError) {
        let mocks = Mocks()
        self.init(try Environment(library, active: active, mocks), mocks)
    }
}
