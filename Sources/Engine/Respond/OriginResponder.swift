import Bytes
import HTTP
import Profiles
import Protobuf
import Reactor
import Store

/// Sends the request to an origin and the response back, on a new connection if a pooled one turns out to be closed.
final class OriginResponder: RouteResponder {
    let use: OriginUse

    /// How often an origin may refuse streams of connections just opened.
    private static let maxRefusals = 2

    init(use: OriginUse) {
        self.use = use
    }

    static func make(
        for route: Route, in profile: Profile, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) -> OriginResponder? {
        guard case .origin(let address, let preserveHost) = route.responder else { return nil }
        return OriginResponder(
            use: try compiler.use(of: address, preserveHost: preserveHost, by: route, in: profile))
    }

    var reachesOrigins: Bool { true }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        if use.guardian != nil || !exchange.way.guards.isEmpty {
            exchange.way.tokenParameter = use.token?.parameter
            try await Admission.admit(exchange, to: use.guardian)
        }
        if let token = use.token {
            try await token.obtain(for: exchange, use.guardian)
        } else {
            exchange.way.token = nil
        }
        if use.translatesWebCalls || exchange.way.webCall != nil { WebCallStep.begin(exchange, to: use) }
        // A body that is not buffered cannot be sent twice.
        let hold = max(step?.hold ?? 0, exchange.way.token == nil ? 0 : TokenUse.hold)
        if hold > 0, Self.isSentFirst(exchange) {
            try await exchange.body.buffer(max: hold, mayStream: true, exchange.recording)
        }
        var body = use.bodyMap == nil ? exchange.way.edits?.body : try await use.mappedBody(of: exchange)
        if exchange.way.webCall == .webText { body = try await WebCallStep.body(exchange, body) }
        if body != nil || exchange.way.sentBody != nil { exchange.way.sentBody = body }
        let pool = exchange.state.pools[use.origin]
        var pooled = try take(from: pool, exchange)
        if exchange.binding.message != nil || pooled == nil && exchange.client.connected.bound != nil {
            pooled = try await takeBound(from: pool, exchange) ?? takeUnbound(from: pool, exchange)
        }
        defer { exchange.binding.endHandshake(exchange.client) }
        var refusals = 0
        while true {
            let wasPooled = pooled != nil
            let origin =
                if let pooled = pooled.take() {
                    pooled
                } else if pool.plan.program == nil {
                    try await open(pool, exchange, step)
                } else {
                    try await openProgram(pool, exchange, step)
                }
            var relay = try send(exchange, to: origin, step, body)
            do throws(EngineFailure) {
                // Called only here, since its frame is part of the memory of every exchange that waits for an origin.
                try await relay.run()
                relay.end()
                if exchange.way.lesson != nil { TokenLesson.finish(in: exchange) }
                return
            } catch {
                if error.kind.isRefused { relay.takeBackBody() }
                relay.end()
                if error.kind.isUnauthorized, let token = use.token {
                    do throws(EngineFailure) { try await token.renew(for: exchange) } catch {
                        relay.origin.close()
                        throw error
                    }
                    await relay.discardResponse(waits: true)
                    exchange.metrics.didRetry()
                    pooled = takeUnbound(from: pool, exchange)
                    continue
                }
                if error.kind.isDeclined { await relay.discardResponse(waits: false) } else { relay.origin.close() }
                guard canRepeat(in: exchange, after: error, wasPooled: wasPooled, relay.origin, &refusals) else {
                    throw error
                }
            }
        }
    }

    @inline(never)
    private func canRepeat(
        in exchange: ClientExchange, after failure: EngineFailure, wasPooled: Bool, _ origin: OriginConnection,
        _ refusals: inout Int
    ) -> Bool {
        guard wasPooled || origin.shared != nil && refusals < Self.maxRefusals,
            !exchange.metrics.hasResponseBegun,
            failure.kind.isRefused || failure.kind.isStaleConnection && Self.isRepeatable(exchange)
        else { return false }
        // An origin that responds to some requests of each connection comes to an end with all.
        if !wasPooled, origin.shared?.hasResponded != true { refusals += 1 }
        exchange.metrics.didRetry()
        if let trace = exchange.metrics.trace {
            exchange.metrics.beginAttempt(at: origin.pool.plan, of: trace, exchange.state)
        }
        return true
    }
}

extension OriginRelay {
    /// Keeps the part of the body that a refused stream has carried, so that it can be sent again.
    fileprivate func takeBackBody() {
        if canRepeatBody { return }
        memory.requestPump.takeBack().map(exchange.body.takeBack)
    }
}

extension Request {
    /// Several `Via` entries of Shunt: the origin's address leads back to this proxy.
    fileprivate var isLoop: Bool {
        guard head.names.contains(.via) else { return false }
        return head.fields.count { $0.id == .via && text($0.value).hasSuffix(" shunt") }
            >= 5
    }
}

extension OriginResponder {
    /// A connection of the pool, or nil if a new one is needed.
    @inline(never)
    private func take(from pool: OriginPool, _ exchange: ClientExchange) throws(EngineFailure) -> OriginConnection? {
        exchange.metrics.willTry(pool.plan.address)
        if let trace = exchange.metrics.trace {
            exchange.metrics.beginAttempt(at: pool.plan, of: trace, exchange.state)
        }
        if exchange.request.isLoop { throw loop(pool.plan) }
        if exchange.way.network != nil, exchange.isCutOff { throw .cutOff(pool.plan.address) }
        exchange.way.asksForUpgrade = exchange.request.upgrade.isAsked(of: pool.plan)
        pool.endWithException(exchange.state)
        exchange.binding = OriginBinding()
        if exchange.sent.head.names.contains(.authorization), exchange.way.token == nil {
            exchange.binding.read(exchange.sent, pool)
        }
        return exchange.client.connected.bound == nil ? takeUnbound(from: pool, exchange) : nil
    }

    /// The same without those that are bound to clients.
    private func takeUnbound(from pool: OriginPool, _ exchange: ClientExchange) -> OriginConnection? {
        if exchange.binding.message != nil { return nil }
        guard !exchange.way.asksForUpgrade || pool.speaksHTTP2 == false else { return nil }
        if Self.isRepeatable(exchange) { return pool.take(sure: false, now: exchange.state.core.now) }
        // A request that cannot be repeated needs a connection that the origin is known to keep, and is checked once
        // more; a client's first one gets one that nothing has happened to yet.
        let connection = exchange.client.channel.wire ?? exchange.client.channel
        let isFirst = !connection.hasSentUnrepeatable
        connection.hasSentUnrepeatable = true
        return pool.takeSure(prefersFresh: isFirst, now: exchange.state.core.now)
    }

    @inline(never)
    private func open(
        _ pool: OriginPool, _ exchange: ClientExchange, _ step: ChainStep?
    ) async throws(EngineFailure) -> OriginConnection {
        exchange.state.counters.connecting += 1
        defer { exchange.state.counters.connecting -= 1 }
        exchange.binding.isBound = exchange.binding.message != nil
        let limit = min(
            exchange.state.limits.connectTime, step?.fallback?.timeout ?? .max,
            step?.patience?.left(now: exchange.state.core.now) ?? .max)
        do throws(EngineFailure) {
            // Streams of HTTP/2 share their connection.
            if exchange.binding.isBound {
                return try await OriginOpener.open(
                    pool, exchange.state, exchange.client.waiter, from: exchange.client.channel, within: limit,
                    alpn: ["http/1.1"])
            }
            return try await pool.open(
                exchange.state, exchange.client.waiter, from: exchange.client.channel, within: limit,
                forTunnel: exchange.way.asksForUpgrade)
        } catch {
            throw exchange.state.isAborting ? .aborted : error
        }
    }

    /// The same for an origin with a program, which is waited for, once more where it has ended meanwhile.
    @inline(never)
    private func openProgram(
        _ pool: OriginPool, _ exchange: ClientExchange, _ step: ChainStep?
    ) async throws(EngineFailure) -> OriginConnection {
        var isFirst = true
        while true {
            try await pool.plan.awaitProgram(for: exchange, step)
            let begin = exchange.state.core.now
            do throws(EngineFailure) {
                return try await open(pool, exchange, step)
            } catch {
                guard isFirst, error.side == .origin, error.hasConnectFailed, !error.kind.isCutOff,
                    exchange.state.connector.launcher != nil,
                    pool.plan.program?.lose(since: begin, now: exchange.state.core.now) == true
                else { throw error }
                isFirst = false
            }
        }
    }

    /// Sends the request's head.
    @inline(never)
    private func send(
        _ exchange: ClientExchange, to origin: consuming OriginConnection, _ step: ChainStep?, _ body: [UInt8]?
    ) throws(EngineFailure) -> OriginRelay {
        exchange.metrics.didConnect(origin, now: exchange.state.core.now)
        let channel = origin.channel
        channel.notify(exchange.client.waiter)
        let length = exchange.request.head.fields.last?.line.upperBound ?? 0
        channel.reserveOutput(2 * length + 1024 + (exchange.way.token?.length ?? 0))
        let outgoing = OutgoingRequest(exchange: exchange, use: use, body: body)
        var fits = outgoing.append(to: &channel.output)
        if !fits, channel.isStream {
            // A stream's output is small at first.
            channel.output.removeAll()
            channel.reserveOutput(Limits.bufferSize)
            fits = outgoing.append(to: &channel.output)
        }
        guard fits else {
            origin.close()
            throw EngineFailure(
                .client, .send, status: 431, "the request's head is too long to be sent on",
                advice: "`--head-size` sets the limit.")
        }
        if let recording = exchange.recording {
            if let token = exchange.way.token {
                let sent = channel.sentRequest ?? Array(channel.output.unsafeBytes)
                recording.add(.originRequest, token.hidden(in: sent).span)
            } else if let sent = channel.sentRequest {
                recording.add(.originRequest, sent.span)
            } else {
                recording.add(.originRequest, channel.output.unsafeBytes)
            }
        }
        if exchange.way.asksForUpgrade, let stream = channel as? StreamChannel {
            stream.accept = exchange.request.upgrade.accept
        }
        if exchange.request.received.isGRPC { (channel as? StreamChannel)?.beginCall() }
        channel.didWriteHead(hasBody: exchange.request.head.framing != .none || exchange.way.asksForUpgrade)
        OriginRelay.beginPumps(exchange, channel.isStream ? .stream : outgoing.encoding, body)
        return OriginRelay(exchange, origin, use, step)
    }

    private func loop(_ plan: OriginPlan) -> EngineFailure {
        EngineFailure(
            .proxy, .route, status: 508, "the request has passed through Shunt five times already",
            advice: "The origin \(plan.address) leads back to Shunt itself: give it another address.")
    }
}

extension OriginResponder {
    /// Whether the client certainly sends all of its request before it expects a response.
    ///
    /// Calls of gRPC need not, and a GET whose body has no length is no usual request.
    static func isSentFirst(_ exchange: ClientExchange) -> Bool {
        if exchange.sent.isGRPC { return false }
        let head = exchange.request.head
        guard head.method == .get || head.method == .head, head.framing == .chunked || head.framing == .stream else {
            return true
        }
        return head.field(.contentLength) != nil
    }

    private static func isRepeatable(_ exchange: ClientExchange) -> Bool {
        let head = exchange.request.head
        return head.method.isIdempotent && head.framing == .none && !exchange.way.asksForUpgrade
    }
}

extension OriginRelay {
    /// Starts the pumps for the request's and the response's body.
    ///
    /// - Parameter mapped: the request's body with its addresses mapped; nil where it goes on as it is.
    static func beginPumps(
        _ exchange: ClientExchange, _ encoding: BodyPump.Encoding, _ mapped: [UInt8]? = nil
    ) {
        let (memory, request) = (exchange.relayMemory, exchange.request)
        // The last origin may have closed in the middle of a head.
        memory.response.restart()
        memory.fault = nil
        memory.responsePump.begin(.none, .identity)
        // Servers that merge trailers into the head would find fields there that the guard has not checked.
        memory.requestPump.dropsTrailers = exchange.way.isReadOnly
        if var buffered = exchange.body.buffered {
            if let mapped { (buffered.bytes, buffered.isChanged) = (mapped, true) }
            memory.requestPump.begin(buffered, encoding)
        } else {
            memory.requestPump.begin(request.head.framing, encoding)
        }
        guard request.head.framing != .none else { return }
        exchange.body.takeOver()
        if let recording = exchange.recording { memory.requestPump.record(.request, to: recording) }
        // Streams may be refused after bytes of the body were sent.
        if encoding == .stream { memory.requestPump.keepMoved(request.head.framing, exchange.state.held) }
    }
}
