import Exchanges
import HTTP
import Profiles
import Reactor

/// Connects a client that uses Shunt as its proxy: to Shunt itself for hosts that are intercepted, else to the host
/// (RFC 9110 9.3.6).
final class ConnectResponder: Responder {
    func claims(_ exchange: ClientExchange) -> Bool { exchange.request.head.method == .connect }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        do throws(EngineFailure) {
            try await connect(exchange)
        } catch {
            // A client that did not wait for the response has sent bytes for the host, which are no request
            // (RFC 9931 3).
            if !exchange.client.channel.isStream { exchange.client.mustClose = true }
            if exchange.client.passesThrough, !exchange.metrics.hasResponseBegun {
                return await exchange.refuseThrough(error)
            }
            guard exchange.client.speaksSOCKS, !exchange.metrics.hasResponseBegun else { throw error }
            await exchange.refuseSOCKS(error)
        }
    }

    private func connect(_ exchange: ClientExchange) async throws(EngineFailure) {
        if exchange.client.passesThrough {
            return try await carry(exchange, to: try exchange.wayThrough())
        }
        guard let forward = exchange.state.forward else {
            throw EngineFailure(
                .client, .route, status: 501, "CONNECT asks for a forward proxy, and Shunt is a reverse proxy here",
                advice: "Use Shunt's address as the base URL of the client, or start it without `--no-proxy`.")
        }
        guard let way = try exchange.wayOfTunnel(forward) else { return await exchange.acceptInterception() }
        try await carry(exchange, to: way)
    }

    private func carry(_ exchange: ClientExchange, to way: TunnelWay) async throws(EngineFailure) {
        var way = way
        let opened = try await exchange.openTunnel(by: &way)
        let far = SocketChannel(opened, exchange.state.buffers)
        defer { far.close() }
        guard await exchange.acceptTunnel() else { throw .clientLeft("it closed the connection") }
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

extension ClientExchange {
    /// Where a tunnel leads; nil if its requests are to be read here.
    @inline(never)
    fileprivate func wayOfTunnel(_ forward: ForwardProxy) throws(EngineFailure) -> TunnelWay? {
        guard !client.channel.isStream, client.entry == nil else {
            throw EngineFailure(
                .client, .route, status: 501, "CONNECT works on connections of HTTP/1.1 to the proxy itself alone",
                advice: "Give the client the proxy's URL with http://.")
        }
        try admit(to: forward)
        let plan = try chooseProfile()
        guard let environment = request.environment, let port = request.head.port else { return nil }
        let target = try forwardTarget(environment, port: port)
        let isNamed = plan.profile.names(host: target.host, port: target.port)
        if isNamed || forward.intercepts(target) {
            guard !client.isSecure else {
                throw EngineFailure(
                    .client, .route, status: 501,
                    "\(target.authority) is intercepted, which works where the proxy's own URL is http:// alone",
                    advice: "Give the client the proxy's URL with http://: what it sends to the host is sealed anyway.")
            }
            client.willEnter(ClientEntry(target: target, isNamed: isNamed))
            return nil
        }
        return TunnelWay(
            target: target, names: [target.host], unlocked: try admitTunnel(to: target.host, port: target.port))
    }

    /// Throws if a tunnel that is open leads to production by the present profiles, and that is locked.
    func admitAgain(_ way: inout TunnelWay, _ environment: Environment) async throws(EngineFailure) {
        request.choose(environment)
        way.unlocked = []
        for name in way.names { way.unlocked += try admitTunnel(to: name, port: way.target.port) }
        way.unlocked += try admitTunnel(by: await productionGuard(at: way.judged, port: way.target.port))
    }

    /// Throws if a tunnel to a host would reach production that is locked; returns the profiles that are unlocked there.
    func admitTunnel(to host: String, port: UInt16) throws(EngineFailure) -> [String] {
        if PushHost.isProduction(host) { try admitToPush(.plain(host: host, port: port)) }
        return try admitTunnel(by: request.environment?.library.forwardGuard(host: host, port: port))
    }

    /// Throws if a tunnel would reach production that is locked: what it carries cannot be judged.
    ///
    /// - Returns: the profiles that are unlocked, without which it must not go on.
    func admitTunnel(by guarded: WriteGuard?) throws(EngineFailure) -> [String] {
        guard let guarded else { return [] }
        let locked = guarded.profiles.filter { !state.locks.isUnlocked($0) }
        guard locked.isEmpty else {
            throw .guarded(locked: locked, "a tunnel can carry anything, and Shunt does not read it", guarded.reason)
        }
        metrics.isUnlocked = true
        return guarded.profiles
    }

    /// Opens the connection that a tunnel leads to.
    fileprivate func openTunnel(by way: inout TunnelWay) async throws(EngineFailure) -> Socket {
        let target = way.target
        metrics.willRespond(as: "tunnel")
        if isCutOff { throw .cutOff(.plain(host: target.host, port: target.port)) }
        let literal = SocketAddress(literal: target.host, port: target.port)
        let isIndirect = state.next.server(isTLS: true, host: target.host, port: target.port) != nil
        if literal != nil || isIndirect {
            // Where another proxy opens the connection, its address says nothing.
            let found = try await productionGuard(of: target, isTLS: true)
            way.unlocked += try admitTunnel(by: found.guarded)
            way.judged = target.isAddress ? found.addresses : found.addresses.filter { !$0.isPublic }
        }
        client.waiter.deadline = state.core.clock().after(state.limits.connectTime)
        let opened = try await OutgoingConnection.open(
            to: .plain(host: target.host, port: target.port), isTLS: true,
            // A route's origin may be anywhere.
            isPublicOnly: !client.isLocal && !client.passesThrough, state, client.waiter,
            limit: state.limits.connectTime)
        // Other names of public servers may share production's address, as those behind one gateway do.
        if literal == nil, !isIndirect, target.isAddress || !opened.address.isPublic {
            way.judged = [opened.address]
            do throws(EngineFailure) {
                way.unlocked += try admitTunnel(by: await productionGuard(at: [opened.address], port: target.port))
            } catch {
                opened.socket.close()
                throw error
            }
        }
        return opened.socket
    }

    /// Tells the client that its bytes go to the host from now on.
    fileprivate func acceptTunnel() async -> Bool {
        metrics.didRespond(200)
        didAnswer()
        return await client.announceTunnel()
    }

    /// Tells the client the same, and leaves its next bytes to its connection.
    fileprivate func acceptInterception() async {
        // Its requests are exchanges of their own.
        ignore()
        didAnswer()
        // A CONNECT of HTTP/1.0 asks for no further request to the proxy; what follows is for the host.
        client.mustClose = !(await client.announceTunnel()) || state.isDraining
    }
}

extension Client {
    fileprivate func announceTunnel() async -> Bool {
        if passesThrough { return true }
        return await say(
            speaksSOCKS ? SOCKSReply.succeeded.bytes : Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8))
    }

    /// Writes bytes to their end; false when the client is gone.
    func say(_ bytes: [UInt8]) async -> Bool {
        guard await deliver(bytes) else { return false }
        return await flush()
    }
}
