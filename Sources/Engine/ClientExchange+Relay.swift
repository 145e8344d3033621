import Bytes
import HTTP
import Profiles
import Reactor
import Rewriting
import Traffic

extension ClientExchange {
    /// Sends the request to an origin and its answer back, on a fresh connection if a pooled one turns out dead.
    ///
    /// With a fallback it throws where the origin declines, and nothing was said to the client then.
    func relay(
        through pool: OriginPool, _ route: RoutePlan, _ use: OriginUse, _ fallback: FallbackSettings?
    ) async throws(EngineFailure) {
        if notes.isObserved { notes.address = pool.plan.address }
        if isLoop { throw loop(pool.plan) }
        // A request that cannot be repeated deserves a last look at the connection it is sent on.
        asksForUpgrade = readUpgrade(to: pool.plan)
        let isRepeatable = request.method.isIdempotent && request.framing == .none && !asksForUpgrade
        var refusals = 0
        var pooled = !asksForUpgrade || pool.speaksHTTP2 == false ? pool.take(sure: !isRepeatable) : nil
        while true {
            let origin = if let pooled { pooled } else { try await open(pool, fallback) }
            do throws(EngineFailure) {
                // The one place that it is called from: it is long, and its memory is every waiting exchange's.
                return try await relay(over: origin, route, use, fallback)
            } catch {
                guard pooled != nil || origin.shared != nil && refusals < Self.mostRefusals,
                    canRepeat(after: error, isRepeatable)
                else { throw error }
                if pooled == nil { refusals += 1 }
                pooled = nil
            }
        }
    }

    /// How often an origin may refuse streams of connections just opened.
    private static let mostRefusals = 2

    private func canRepeat(after failure: EngineFailure, _ isRepeatable: Bool) -> Bool {
        guard hasHead, failure.isRefused || failure.isStaleConnection && isRepeatable else { return false }
        notes.retries += 1
        return true
    }

    private func open(
        _ pool: OriginPool, _ fallback: FallbackSettings?
    ) async throws(EngineFailure) -> OriginConnection {
        do throws(EngineFailure) {
            return try await pool.open(
                state, waiter, from: channel, within: min(state.limits.connectTime, fallback?.timeout ?? .max),
                forTunnel: asksForUpgrade)
        } catch {
            throw state.isAborting ? .aborted : error
        }
    }

    private func relay(
        over origin: OriginConnection, _ route: RoutePlan, _ use: OriginUse, _ fallback: FallbackSettings?
    ) async throws(EngineFailure) {
        notes.use(origin, now: state.core.now)
        origin.channel.waiter = waiter
        origin.channel.reserveOutput(2 * (request.fields.last?.line.upperBound ?? 0) + 4096)
        guard appendRequest(to: &origin.channel.output, origin.pool.plan, use) else {
            origin.close()
            throw EngineFailure(
                .client, .send, status: 431, "the request's head is too long to be sent on",
                advice: "`--head-size` sets the limit.")
        }
        recording?.add(.originRequest, origin.channel.output.unsafeBytes)
        if asksForUpgrade, let stream = origin.channel as? StreamChannel { stream.accept = webSocketAccept }
        origin.channel.didWriteHead(hasContent: request.framing != .none || asksForUpgrade)
        var relay = Relay(self, origin, route, use, fallback)
        defer {
            (notes.bytes.request, notes.bytes.answer) = relay.bytes
            if relay.hasRewrittenBody { notes.changes.insert(.body) }
        }
        do throws(EngineFailure) {
            try await relay.run()
        } catch {
            origin.close()
            throw error
        }
    }

    /// Shunt's own mark, many times over, on a request that it has sent itself: the origin's address leads back here.
    private var isLoop: Bool {
        guard request.names.contains(.via) else { return false }
        let bytes = headBytes
        return request.fields.count { $0.id == .via && String(bytes.extracting($0.value)).hasSuffix(" shunt") } >= 5
    }

    private func loop(_ plan: OriginPlan) -> EngineFailure {
        EngineFailure(
            .proxy, .route, status: 508, "the request has passed through Shunt five times already",
            advice: "The origin \(plan.address) leads back to Shunt itself: give it another address.")
    }
}
