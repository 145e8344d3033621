import Bytes
import HTTP2
import Profiles
import Reactor
import Rewriting
import Synchronization

/// The faults and conditions of a route, made ready for the data path.
final class FaultPlan: Sendable {
    private let faults: [Fault]
    private let profile: String
    /// Of the route as it is written.
    private let content: Int
    private let mocks: Mocks
    let network: NetworkConditions?
    /// The requests so far: chance follows from the seed and the number of the request.
    private let turns = Atomic<UInt64>(0)

    init(_ route: Route, in profile: Profile, _ mocks: Mocks) {
        (self.profile, self.mocks, content) = (profile.name, mocks, route.content)
        faults = route.faults
        network = route.network
    }

    /// What happens to the next request: the first fault that strikes, if one does, and how long its response waits.
    func strike(_ exchange: ClientExchange) -> (fault: Fault?, delay: UInt64) {
        let turn = turns.add(1, ordering: .relaxed).oldValue
        var fault: Fault?
        for (index, one) in faults.enumerated() where fault == nil {
            var chance = MockChance(seed: one.seed, turn: turn)
            guard one.probability >= 1 || chance.fraction() < one.probability else { continue }
            if one.kind != .rateLimit || isOver(one.rateLimit, index, exchange) { fault = one }
        }
        guard let network else { return (fault, 0) }
        var model = LinkModel(network, turn: turn)
        return (fault, model.oneWay() + model.oneWay())
    }
}

extension FaultPlan {
    /// Counts a request and writes the remaining quota into the fields; returns true if the limit is exceeded.
    private func isOver(_ limit: RateLimit, _ index: Int, _ exchange: ClientExchange) -> Bool {
        let key = RateWindows.Key(profile: profile, route: content, index: index)
        let windows = (exchange.request.session?.session.mocks ?? mocks).rateWindows(of: key)
        let left = windows.take(limit.counted(in: exchange), limit, now: exchange.state.core.now)
        exchange.way.rateFields = limit.lines(left, now: exchange.state.clock())
        return left.isOver
    }
}

extension FaultPlan: Wrapper {
    /// The longest that a response can hang.
    private static let longestHang = 600 * Limits.second

    func run(_ exchange: ClientExchange, _ step: ChainStep?, _ next: Next) async throws(EngineFailure) {
        let (fault, delay) = strike(exchange)
        let metrics = exchange.metrics
        if let network {
            exchange.way.network = network.name
            metrics.changes.insert(.network)
        }
        if delay > 0 { try await exchange.client.wait(delay) }
        guard let fault else {
            return try await run(next, in: exchange, step, through: FaultChannel.Plan(rate: network?.down), nil)
        }
        metrics.changes.insert(.fault)
        exchange.way.fault = fault
        switch fault.kind {
        case .hang:
            try await exchange.client.wait(min(fault.time ?? Self.longestHang, Self.longestHang))
            await breakOff(fault, exchange)
        case .goaway: await breakOff(fault, exchange)
        case .dns: throw Self.failure(.resolve, 502, "its name has no address")
        case .connect:
            try await exchange.client.wait(fault.time ?? exchange.state.limits.connectTime)
            throw Self.failure(.connect, 504, "it does not accept a connection")
        case .tls: throw Self.failure(.tls, 502, "the TLS handshake with it fails")
        case .status, .rateLimit: try await respond(with: fault.status, in: exchange, step, next)
        default:
            guard let plan = FaultChannel.Plan(fault) else { return await breakOff(fault, exchange) }
            try await run(next, in: exchange, step, through: plan, fault)
        }
    }

    private static func failure(_ stage: EngineFailure.Stage, _ status: Int, _ what: String) -> EngineFailure {
        EngineFailure(.origin, stage, status: status, "the route's fault says of the origin: \(what)")
    }

    private func respond(
        with status: Int, in exchange: ClientExchange, _ step: ChainStep?, _ next: Next
    ) async throws(EngineFailure) {
        try step.decline(status, of: "the route's fault")
        let response = LocalResponse(
            status, "Cache-Control: no-store\r\nContent-Type: text/plain; charset=utf-8\r\n",
            LocalResponse.mayHaveBody(status) ? "\(status)\nshunt: the route's fault\n" : "")
        await exchange.respond(
            response, extra: exchange.answeredBy(next.route.answeredBy) + exchange.request.corsFields())
    }

    /// Lets the route's responder respond through a channel that limits or changes the body.
    private func run(
        _ next: Next, in exchange: ClientExchange, _ step: ChainStep?, through plan: FaultChannel.Plan, _ fault: Fault?
    ) async throws(EngineFailure) {
        let client = exchange.client
        // Responses to pipelined requests may wait before it.
        guard await client.flush() else { throw .clientLeft("the connection was closed") }
        let channel = FaultChannel(client.channel, plan, client.waiter, exchange.state)
        client.use(channel)
        var failure: EngineFailure?
        do throws(EngineFailure) {
            try await next.run(exchange, step)
        } catch {
            failure = error
        }
        channel.remove()
        client.use(channel.inner)
        if let fault, channel.hasStruck { return await breakOff(fault, exchange) }
        if let failure { throw failure }
    }

    /// Ends the response where it is.
    private func breakOff(_ fault: Fault, _ exchange: ClientExchange) async {
        let client = exchange.client
        exchange.metrics.didFail(EngineFailure(.proxy, .deliver, status: 500, "the route's fault: \(fault.summary)"))
        if let stream = client.channel.base as? StreamChannel { return breakOff(fault, stream) }
        client.mustClose = true
        if fault.place == .inHead {
            client.channel.base.reserveOutput()
            _ = client.channel.base.output.appendWhole("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nContent-Ty")
            _ = await client.flush()
        }
        if fault.kind == .reset || fault.kind == .streamReset { client.channel.abort() }
    }

    private func breakOff(_ fault: Fault, _ stream: StreamChannel) {
        let connection = stream.connection
        // The part of the response that was let through.
        do throws(ChannelFailure) { try connection.push() } catch { return }
        switch fault.kind {
        case .truncate: break
        case .streamReset: stream.abort(.internalError)
        case .goaway: connection.refuseFurther()
        default:
            if fault.place == .inHead { connection.writePartOfHead(stream.stream.id) }
            connection.breakOff(resetting: fault.kind == .reset)
        }
    }
}

extension FaultChannel.Plan {
    /// nil where nothing of the response passes.
    fileprivate init?(_ fault: Fault) {
        switch fault.kind {
        case .corrupt: self.init(corrupts: true)
        case .slow: self.init(rate: fault.rate)
        case .slice: self.init(slices: (fault.size, fault.time ?? 0))
        case .slowClose: self.init(endDelay: fault.time)
        default:
            guard case .after(let limit) = fault.place else { return nil }
            self.init(limit: limit, endsEarly: fault.kind == .truncate)
        }
    }
}
