import Bytes
import HTTP
import Platform
import Profiles
import Reactor
import TLS

/// Probes origins side by side, each by a request on a connection of its own.
///
/// Confined to a worker's loop; it shares nothing with the traffic there.
final class ProbeRound {
    /// Origins that are probed at once.
    static let width = 16
    /// Nanoseconds for connecting, and again for responding.
    private static let limit = 5 * Limits.second

    private let targets: [ProbeTarget]
    private let state: WorkerState
    private var next = 0
    private var found: [ProbeResult?]
    private var waiters: [Waiter] = []
    private var contexts: [TrustPolicy: ClientContext] = [:]

    init(
        _ targets: [ProbeTarget], _ core: LoopCore, _ shared: Proxy.Shared, _ spawnTask: @escaping @Sendable () -> Void
    ) {
        self.targets = targets
        state = WorkerState(core, shared, spawnTask)
        found = [ProbeResult?](repeating: nil, count: targets.count)
    }

    /// Limits for the connections of a round.
    static func limits(_ limits: Limits) -> Limits {
        var limits = limits
        limits.connectTime = min(limits.connectTime, limit)
        return limits
    }

    var results: [ProbeResult] { found.compactMap(\.self) }

    /// Ends the round: origins that have not responded by now have failed.
    func cancel() {
        state.loop.abort()
        for waiter in waiters { waiter.cancel() }
    }

    /// Runs a task that a connection has spawned.
    func runTask() async { await state.loop.tasks.runNext() }

    /// Probes one origin after the other.
    func run() async {
        let waiter = Waiter(state.core)
        waiters.append(waiter)
        while next < targets.count {
            let index = next
            next += 1
            found[index] = await ask(targets[index], waiter)
        }
        waiter.retire()
    }

    private func ask(_ target: ProbeTarget, _ waiter: Waiter) async -> ProbeResult {
        var result = ProbeResult(target)
        let start = state.core.clock()
        do throws(EngineFailure) {
            if state.isAborting { throw .aborted }
            let pool = OriginPool(try plan(target.address), limit: 0)
            let opened = try await OriginConnection.open(pool, state, waiter, within: state.limits.connectTime)
            let connection = try pool.adopt(opened, state)
            connection.channel.notify(waiter)
            defer {
                connection.close()
                pool.close()
            }
            result.address = "\(connection.address)"
            result.timings.resolve = connection.timings.resolve
            result.timings.connect = connection.timings.connect
            if let session = connection.channel.tls {
                result.timings.tls = connection.timings.tls
                result.decision = connection.judgement(session).decision
                if !target.sendsRequest {
                    result.sight = CertificateSight(
                        chain: session.verification.chain, pem: session.chainPEM, version: session.version,
                        cipher: session.cipher, lacksClientCertificate: session.lacksCertificate)
                }
            }
            guard target.sendsRequest else {
                result.timings.total = state.core.clock() - start
                return result
            }
            let sent = state.core.clock()
            (result.status, result.clockOffset) = try await response(of: connection, waiter)
            result.timings.response = state.core.clock() - sent
        } catch {
            result.failure = state.isAborting ? .aborted : error
        }
        result.timings.total = state.core.clock() - start
        return result
    }

    private func plan(_ address: OriginAddress) throws(EngineFailure) -> OriginPlan {
        let way = try way(to: address)
        guard address.isTLS else { return OriginPlan(address, context: nil, way: way) }
        if let context = contexts[address.trust] { return OriginPlan(address, context: context, way: way) }
        do throws(TLSFailure) {
            let context = try ClientContext(address.trust)
            contexts[address.trust] = context
            return OriginPlan(address, context: context, way: way)
        } catch {
            throw EngineFailure(
                .proxy, .tls, status: 502, "the trust rule for origin \(address) cannot be used: \(error.message)",
                advice: "Check the files that the rule names.")
        }
    }

    /// That of its route.
    private func way(to address: OriginAddress) throws(EngineFailure) -> OriginWay {
        do throws(ProxyError) {
            return try OriginWay(address.proxy, in: "")
        } catch {
            let reason = if case .proxy(_, let reason) = error { reason } else { "\(error)" }
            throw EngineFailure(
                .proxy, .connect, status: 502, "origin \(address) cannot be reached: \(reason)",
                advice: "Set it to USER:PASSWORD before Shunt starts.")
        }
    }

    /// Sends a GET for the base path and reads the response's head.
    private func response(
        of connection: OriginConnection, _ waiter: Waiter
    ) async throws(EngineFailure) -> (status: Int?, clockOffset: Int64?) {
        let origin = connection.pool.plan
        waiter.deadline = state.core.clock().after(Self.limit)
        var lines = Array("GET ".utf8) + origin.basePath + "/ HTTP/1.1\r\n".utf8 + origin.hostLine
        lines += "User-Agent: shunt\r\nAccept: */*\r\nConnection: close\r\n\r\n".utf8
        var exchange = SmallExchange(connection.channel, waiter)
        do throws(SmallExchange.Failure) {
            try await exchange.ask(lines, limits: state.limits.ofRequests)
        } catch {
            guard error.isLate else { throw .lost(origin.address, .wait, error.reason) }
            throw EngineFailure(
                .origin, .wait, status: 504,
                "origin \(origin.address) did not respond within \(Self.limit / Limits.second) s",
                advice: "It accepts connections: look into its own log what keeps it.")
        }
        let date = exchange.value(.date).flatMap { HTTPDate.parse($0.span) }
        return (exchange.head.status, date.map { $0 - state.clock() })
    }
}
