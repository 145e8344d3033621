import Bytes
import HTTP
import Profiles
import Reactor
import Rewriting
import Traffic

extension ClientConnection {
    /// Sends the request to an origin and its answer back, on a fresh connection if a pooled one turns out dead.
    ///
    /// With a fallback it throws where the origin declines, and nothing was said to the client then.
    func relay(
        through pool: OriginPool, _ route: RoutePlan, _ use: OriginUse, _ fallback: FallbackSettings?
    ) async throws(EngineFailure) {
        if notes.isObserved { notes.address = pool.plan.address }
        if isLoop { throw loop(pool.plan) }
        // A request that cannot be repeated deserves a last look at the connection it is sent on.
        asksForUpgrade = readUpgrade()
        let isRepeatable = request.method.isIdempotent && request.framing == .none && !asksForUpgrade
        if let pooled = pool.take(sure: !isRepeatable) {
            do throws(EngineFailure) {
                return try await relay(over: pooled, route, use, fallback)
            } catch {
                guard error.isStaleConnection && isRepeatable && headLength > 0 else { throw error }
                notes.retries += 1
            }
        }
        let fresh: OriginConnection
        do throws(EngineFailure) {
            fresh = try await OriginConnection.open(
                pool, state, waiter, within: min(state.limits.connectTime, fallback?.timeout ?? .max))
        } catch {
            throw state.isAborting ? .aborted : error
        }
        try await relay(over: fresh, route, use, fallback)
    }

    private func relay(
        over origin: OriginConnection, _ route: RoutePlan, _ use: OriginUse, _ fallback: FallbackSettings?
    ) async throws(EngineFailure) {
        notes.use(origin, now: state.core.now)
        origin.channel.socket.waiter = waiter
        origin.channel.reserveOutput()
        guard appendRequest(to: &origin.channel.output, origin.pool.plan, use) else {
            origin.close()
            throw EngineFailure(
                .client, .send, status: 431, "the request's head is too long to be sent on",
                advice: "`--head-size` sets the limit.")
        }
        recording?.add(.originRequest, origin.channel.output.unsafeBytes)
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
        guard request.field(.via) != nil else { return false }
        let bytes = headBytes
        return request.fields.count { $0.id == .via && String(bytes.extracting($0.value)) == "1.1 shunt" } >= 5
    }

    private func loop(_ plan: OriginPlan) -> EngineFailure {
        EngineFailure(
            .proxy, .route, status: 508, "the request has passed through Shunt five times already",
            advice: "The origin \(plan.address) leads back to Shunt itself: give it another address.")
    }
}
