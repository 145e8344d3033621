import Bytes
import HTTP
import Profiles
import Reactor
import Rewriting
import Traffic

extension ClientExchange {
    /// Sends the request to an origin and its answer back, on a fresh connection if a pooled one turns out dead.
    ///
    /// In a chain it throws where the origin declines, and nothing was said to the client then.
    func relay(
        through pool: OriginPool, _ use: OriginUse, _ turn: Turn?
    ) async throws(EngineFailure) {
        var pooled = try take(from: pool)
        var refusals = 0
        while true {
            let wasPooled = pooled != nil
            var relay =
                if let origin = pooled.take() {
                    try send(to: origin, use, turn)
                } else {
                    try send(to: try await open(pool, turn), use, turn)
                }
            do throws(EngineFailure) {
                // The one place that it is called from: its memory is every waiting exchange's.
                try await relay.run()
                return relay.end()
            } catch {
                relay.end()
                relay.origin.close()
                guard canRepeat(after: error, wasPooled: wasPooled, relay.origin, &refusals) else { throw error }
            }
        }
    }

    /// A connection of the pool, or nil where a new one is needed.
    @inline(never)
    private func take(from pool: OriginPool) throws(EngineFailure) -> OriginConnection? {
        if notes.isObserved { notes.address = pool.plan.address }
        if isLoop { throw loop(pool.plan) }
        asksForUpgrade = readUpgrade(to: pool.plan)
        pool.endWithException(state)
        // A request that cannot be repeated deserves a last look at the connection it is sent on.
        return !asksForUpgrade || pool.speaksHTTP2 == false ? pool.take(sure: !isRepeatable) : nil
    }

    private var isRepeatable: Bool { request.method.isIdempotent && request.framing == .none && !asksForUpgrade }

    /// How often an origin may refuse streams of connections just opened.
    private static let mostRefusals = 2

    @inline(never)
    private func canRepeat(
        after failure: EngineFailure, wasPooled: Bool, _ origin: OriginConnection, _ refusals: inout Int
    ) -> Bool {
        guard wasPooled || origin.shared != nil && refusals < Self.mostRefusals, hasHead,
            failure.isRefused || failure.isStaleConnection && isRepeatable
        else { return false }
        if !wasPooled { refusals += 1 }
        notes.retries += 1
        return true
    }

    @inline(never)
    private func open(_ pool: OriginPool, _ turn: Turn?) async throws(EngineFailure) -> OriginConnection {
        do throws(EngineFailure) {
            return try await pool.open(
                state, waiter, from: channel, within: min(state.limits.connectTime, turn?.fallback?.timeout ?? .max),
                forTunnel: asksForUpgrade)
        } catch {
            throw state.isAborting ? .aborted : error
        }
    }

    /// Sends the request's head.
    @inline(never)
    private func send(
        to origin: consuming OriginConnection, _ use: OriginUse, _ turn: Turn?
    ) throws(EngineFailure) -> Relay {
        notes.use(origin, now: state.core.now)
        let far = origin.channel
        far.notify(waiter)
        far.reserveOutput(2 * (request.fields.last?.line.upperBound ?? 0) + 1024)
        var fits = appendRequest(to: &far.output, origin.pool.plan, use)
        if !fits, far.isStream {
            // What is usual was too little.
            far.output.removeAll()
            far.reserveOutput(Limits.bufferSize)
            fits = appendRequest(to: &far.output, origin.pool.plan, use)
        }
        guard fits else {
            origin.close()
            throw EngineFailure(
                .client, .send, status: 431, "the request's head is too long to be sent on",
                advice: "`--head-size` sets the limit.")
        }
        if let recording {
            if let sent = far.sentRequest {
                recording.add(.originRequest, sent.span)
            } else {
                recording.add(.originRequest, far.output.unsafeBytes)
            }
        }
        if asksForUpgrade, let stream = far as? StreamChannel { stream.accept = webSocketAccept }
        far.didWriteHead(hasContent: request.framing != .none || asksForUpgrade)
        beginPumps(toStream: far.isStream)
        return Relay(self, origin, far, use, turn)
    }

    /// Lets the pumps begin with what is to be sent and with what is to come.
    private func beginPumps(toStream: Bool) {
        // The last origin may have gone away in the middle of a head.
        answer.restart()
        down.begin(.none, .identity)
        let encoding: BodyPump.Encoding = toStream ? .stream : requestEncoding
        if let held {
            up.begin(held, encoding)
            return
        }
        up.begin(request.framing, encoding)
        if request.framing != .none { detachHead() }
        if let recording { up.record(.request, to: recording) }
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
