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
        state.abort()
        for waiter in waiters { waiter.cancel() }
    }

    /// Runs a task that a connection has spawned.
    func runTask() async { await state.runNext() }

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
        let channel = connection.channel
        let origin = connection.pool.plan
        waiter.deadline = state.core.clock().after(Self.limit)
        channel.reserveOutput(origin.basePath.count + origin.hostLine.count + 256)
        let isWhole =
            channel.output.appendWhole("GET ") && channel.output.appendWhole(origin.basePath)
            && channel.output.appendWhole("/ HTTP/1.1\r\n") && channel.output.appendWhole(origin.hostLine)
            && channel.output.appendWhole("User-Agent: shunt\r\nAccept: */*\r\nConnection: close\r\n\r\n")
        channel.didWriteHead(hasBody: false)
        guard isWhole else {
            throw EngineFailure(.proxy, .send, status: 502, "the base path of origin \(origin.address) is too long")
        }
        while try !flush(channel, origin.address) { try await wait(waiter, origin.address) }
        var response = ResponseHead()
        while true {
            if let status = try finalStatus(&response, channel, origin.address) {
                let date = response.field(.date).flatMap { HTTPDate.parse(channel.inputBytes.extracting($0.value)) }
                return (status, date.map { $0 - state.clock() })
            }
            while try !fill(channel, origin.address) { try await wait(waiter, origin.address) }
        }
    }

    /// The status of the first response that is not an interim one; nil while its head is not complete.
    private func finalStatus(
        _ response: inout ResponseHead, _ channel: Channel, _ address: OriginAddress
    ) throws(EngineFailure) -> Int? {
        do throws(HTTPFailure) {
            let limits = HeadLimits(bytes: state.limits.headBytes, fields: state.limits.fields)
            while let length = try response.parse(channel.inputBytes, to: .get, limits: limits) {
                guard response.isInformational else { return response.status }
                channel.input.consume(length)
            }
            return nil
        } catch {
            throw .lost(address, .wait, "sent a faulty response: \(error.reason)")
        }
    }

    private func flush(_ channel: Channel, _ address: OriginAddress) throws(EngineFailure) -> Bool {
        do throws(ChannelFailure) {
            return try channel.flush()
        } catch {
            throw .lost(address, .send, "broke the connection: \(error.message)")
        }
    }

    /// Reads more; false when nothing is there yet.
    private func fill(_ channel: Channel, _ address: OriginAddress) throws(EngineFailure) -> Bool {
        let outcome: ReadOutcome
        do throws(ChannelFailure) {
            outcome = try channel.fill()
        } catch {
            throw .lost(address, .wait, "broke the connection: \(error.message)")
        }
        switch outcome {
        case .bytes: return true
        case .wouldBlock: return false
        case .end: throw .lost(address, .wait, "closed the connection without a response")
        }
    }

    private func wait(_ waiter: Waiter, _ address: OriginAddress) async throws(EngineFailure) {
        if waiter.isExpired {
            throw EngineFailure(
                .origin, .wait, status: 504, "origin \(address) did not respond within \(Self.limit / Limits.second) s",
                advice: "It accepts connections: look into its own log what keeps it.")
        }
        await waiter.park()
    }
}
