import Exchanges
import HTTP
import Profiles
import Reactor

/// Connects a client that uses Shunt as its proxy: to Shunt itself for hosts that are intercepted, else to the host
/// (RFC 9110 9.3.6).
final class ConnectResponder: Responder {
    func claims(_ exchange: ClientExchange) -> Bool { exchange.request.head.method == .connect }

    var words: String { "a tunnel to the host, as CONNECT asks for" }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        do throws(EngineFailure) {
            try await connect(exchange)
        } catch {
            // A client that did not wait for the response has sent bytes for the host, which are no request
            // (RFC 9931 3).
            if !exchange.client.channel.isStream { exchange.client.mustClose = true }
            if exchange.client.proxying.passesThrough, !exchange.metrics.hasResponseBegun {
                return await Self.refuseThrough(exchange, error)
            }
            guard exchange.client.proxying.speaksSOCKS, !exchange.metrics.hasResponseBegun else { throw error }
            exchange.metrics.didFail(error)
            await exchange.client.refuseSOCKS(error)
        }
    }

    private func connect(_ exchange: ClientExchange) async throws(EngineFailure) {
        if exchange.client.proxying.passesThrough {
            return try await carry(exchange, to: try Self.wayThrough(exchange))
        }
        guard let forward = exchange.state.forward else {
            throw EngineFailure(
                .client, .route, status: 501, "CONNECT asks for a forward proxy, and Shunt is a reverse proxy here",
                advice: "Use Shunt's address as the base URL of the client, or start it without `--no-proxy`.")
        }
        guard let way = try wayOfTunnel(exchange, forward) else { return await acceptInterception(exchange) }
        try await carry(exchange, to: way)
    }

    private func carry(_ exchange: ClientExchange, to way: TunnelWay) async throws(EngineFailure) {
        var way = way
        let opened = try await openTunnel(exchange, by: &way)
        let far = SocketChannel(opened, exchange.state.loop.buffers)
        defer { far.close() }
        guard await acceptTunnel(exchange) else { throw .clientLeft("it closed the connection") }
        exchange.client.mustClose = true
        exchange.state.counters.tunnels += 1
        exchange.state.counters.openTunnels += 1
        defer { exchange.state.counters.openTunnels -= 1 }
        var tunnel = Tunnel(exchange, far, way)
        var failure: EngineFailure?
        do throws(EngineFailure) { try await tunnel.run() } catch { failure = error }
        (exchange.metrics.bytes.request, exchange.metrics.bytes.response) = tunnel.bytes
        if let failure { throw failure }
    }
}

/// The host that a tunnel leads to.
struct TunnelWay {
    let target: ForwardTarget
    /// The hosts that it may reach by their names.
    let names: [String]
    /// Where it may reach production whatever its name says.
    var judged: [SocketAddress] = []
    /// The production profiles behind it, which were unlocked when it was judged.
    var unlocked: [String]
}

extension ConnectResponder {
    /// Where a tunnel leads; nil if its requests are to be read here.
    @inline(never)
    private func wayOfTunnel(_ exchange: ClientExchange, _ forward: ForwardProxy) throws(EngineFailure) -> TunnelWay? {
        let (client, request) = (exchange.client, exchange.request)
        guard !client.channel.isStream, client.connected.entry == nil else {
            throw EngineFailure(
                .client, .route, status: 501, "CONNECT works on connections of HTTP/1.1 to the proxy itself alone",
                advice: "Give the client the proxy's URL with http://.")
        }
        try forward.check(request, of: client)
        let plan = try RouteChoice(exchange: exchange).profile()
        guard let environment = request.environment, let port = request.head.port else { return nil }
        let target = try ForwardTarget(request, environment, port: port)
        let isNamed = plan.profile.names(host: target.host, port: target.port)
        if isNamed || forward.intercepts(target) {
            guard !client.isSecure else {
                throw EngineFailure(
                    .client, .route, status: 501,
                    "\(target.authority) is intercepted, which works where the proxy's own URL is http:// alone",
                    advice: "Give the client the proxy's URL with http://: what it sends to the host is sealed anyway.")
            }
            client.proxying.willEnter(ClientEntry(target: target, isNamed: isNamed))
            return nil
        }
        return TunnelWay(
            target: target, names: [target.host],
            unlocked: try TunnelGuard(exchange: exchange).admit(to: target.host, port: target.port))
    }

    /// Opens the connection that a tunnel leads to.
    private func openTunnel(
        _ exchange: ClientExchange, by way: inout TunnelWay
    ) async throws(EngineFailure) -> Socket {
        let (client, state, target) = (exchange.client, exchange.state, way.target)
        let tunnels = TunnelGuard(exchange: exchange)
        exchange.metrics.willRespond(as: "tunnel")
        if exchange.isCutOff { throw .cutOff(.plain(host: target.host, port: target.port)) }
        let literal = SocketAddress(literal: target.host, port: target.port)
        let server = state.next.server(isTLS: true, host: target.host, port: target.port)
        let isIndirect = server != nil
        if literal != nil || isIndirect {
            // Where another proxy opens the connection, its address says nothing.
            let found = try await tunnels.productionGuard(of: target, isTLS: true)
            way.unlocked += try tunnels.admit(by: found.guarded)
            way.judged = target.isAddress ? found.addresses : found.addresses.filter { !$0.isPublic }
        }
        client.waiter.deadline = state.core.clock().after(state.limits.connectTime)
        let opened = try await OutgoingConnection.open(
            to: .plain(host: target.host, port: target.port), by: server,
            // A route's origin may be anywhere.
            reach: OriginReach(isPublicOnly: !client.isLocal && !client.proxying.passesThrough), state, client.waiter,
            limit: state.limits.connectTime)
        // Other names of public servers may share production's address, as those behind one gateway do.
        if literal == nil, !isIndirect, target.isAddress || !opened.address.isPublic {
            way.judged = [opened.address]
            do throws(EngineFailure) {
                way.unlocked += try tunnels.admit(
                    by: await tunnels.productionGuard(at: [opened.address], port: target.port))
            } catch {
                opened.socket.close()
                throw error
            }
        }
        return opened.socket
    }

    /// Tells the client that its bytes go to the host from now on.
    private func acceptTunnel(_ exchange: ClientExchange) async -> Bool {
        exchange.metrics.didRespond(200)
        exchange.didAnswer()
        return await exchange.client.announceTunnel()
    }

    /// Tells the client the same, and leaves its next bytes to its connection.
    private func acceptInterception(_ exchange: ClientExchange) async {
        // Its requests are exchanges of their own.
        exchange.ignore()
        exchange.didAnswer()
        // A CONNECT of HTTP/1.0 asks for no further request to the proxy; what follows is for the host.
        exchange.client.mustClose = !(await exchange.client.announceTunnel()) || exchange.state.isDraining
    }
}

extension Client {
    fileprivate func announceTunnel() async -> Bool {
        if proxying.passesThrough { return true }
        return await say(
            proxying.speaksSOCKS
                ? SOCKSReply.succeeded.bytes : Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8))
    }

    /// Writes bytes to their end; false when the client is gone.
    func say(_ bytes: [UInt8]) async -> Bool {
        guard await deliver(bytes) else { return false }
        return await flush()
    }
}
