import Bytes
import HTTP
import Profiles
import Reactor
import TLS

// Connections of hosts whose certificates clients pin: the name in the first message of TLS is read, and nothing else.
extension ClientConnection {
    /// Far above any hello, those with keys of post-quantum groups among them.
    private static let maxHello = 32 << 10

    /// Whether the connection goes to a route's origin unread; if so, a CONNECT stands in its place.
    ///
    /// Bytes of the hello stay in the socket.
    func passThrough() async throws(SystemError) -> Bool {
        guard let name = try await helloName(), let host = normalHost(name), !host.isEmpty,
            let environment = state.currentEnvironment
        else { return false }
        let label = environment.library.environmentLabel(of: ContiguousArray(host.utf8).span)
        if state.choosesByProgram {
            // Its requests are refused, too.
            do throws(EngineFailure) { try await client.learnProgram() } catch { return false }
        }
        let program = client.program?.found.flatMap { state.devices.plan(of: $0, environment) }
        let device = state.devices.isEmpty ? nil : state.devices.device(at: peer)?.profile
        let plan =
            label.map { environment.plans[$0.profile] } ?? program ?? device.flatMap { environment.plan(named: $0) }
            ?? environment.active
        let bare = Array(host.utf8.dropFirst(label?.length ?? 0))
        guard plan.passthrough(of: bare) != nil else { return false }
        channel.input.reserve(from: state.loop.buffers)
        client.proxying.passesThrough = channel.input.appendWhole(
            Array("CONNECT \(host):443 HTTP/1.1\r\nHost: \(host):443\r\n\r\n".utf8))
        return client.proxying.passesThrough
    }

    /// The name that the client asks for; nil if it names none, sends no hello, or does not send it in time.
    private func helloName() async throws(SystemError) -> String? {
        while true {
            let bytes = try channel.socket.peek(Self.maxHello)
            let readiness = channel.socket.readiness
            switch ClientHello.serverName(in: bytes) {
            case .found(let name):
                readiness.pointee.isReadable = true
                return name
            case .none:
                readiness.pointee.isReadable = true
                return nil
            case .incomplete:
                if bytes.count == Self.maxHello || readiness.pointee.isHungUp || isOver { return nil }
                // The next bytes will be reported, though these stay where they are.
                readiness.pointee.isReadable = false
                await client.waiter.park()
            }
        }
    }
}

extension ProfilePlan {
    /// The route by which connections of a host pass through: the one of the request for its root.
    func passthrough(of host: [UInt8]) -> RoutePlan? {
        let (path, method) = ([UInt8(ascii: "/")], Array("GET".utf8))
        let index = selection.match(
            host: host.span, port: 443, path: path.span, method: method.span, hasField: { _, _ in false })
        guard let index, routes[index].route.isPassthrough else { return nil }
        return routes[index]
    }
}

extension ConnectResponder {
    /// Where a connection goes that is not read.
    static func wayThrough(_ exchange: ClientExchange) throws(EngineFailure) -> TunnelWay {
        let plan = try RouteChoice(exchange: exchange).profile()
        let request = exchange.request
        let name = request.array(request.head.host)
        let route = plan.passthrough(of: Array(name.dropFirst(request.labelLength)))
        guard let route, case .origin(let address, _) = route.route.responder else { throw .bodyWasRead }
        exchange.metrics.didChoose(route)
        let tunnels = TunnelGuard(exchange: exchange)
        let unlocked = try tunnels.admit(by: route.guarded)
        // A server of several hosts goes by the name in the hello, which may be production's.
        let named = String(decoding: name, as: UTF8.self)
        return TunnelWay(
            target: ForwardTarget(host: address.host, port: address.port), names: [address.host, named],
            unlocked: unlocked + (try tunnels.admit(to: named, port: address.port)))
    }

    /// Ends a connection that was to pass through by an alert of TLS, since its client expects no HTTP.
    static func refuseThrough(_ exchange: ClientExchange, _ failure: EngineFailure) async {
        exchange.metrics.didFail(failure)
        exchange.state.counters.failures += 1
        exchange.client.mustClose = true
        // A fatal access_denied where it was refused, else internal_error (RFC 8446 6.2).
        _ = await exchange.client.say([0x15, 0x03, 0x03, 0, 2, 2, failure.status == 403 ? 49 : 80])
    }
}

/// Refuses requests for a host whose connections pass through, and which came another way.
final class PassthroughResponder: RouteResponder {
    private let host: String

    private init(_ host: String) { self.host = host }

    static func make(
        for route: Route, in profile: Profile, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) -> PassthroughResponder? {
        guard route.isPassthrough, case .exact(let host) = route.pattern.host.scope else { return nil }
        return PassthroughResponder(host)
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        throw EngineFailure(
            .client, .route, status: 421,
            "TLS connections of \(host) pass through unread, and this request came in one of another name or without TLS",
            advice: "Open a TLS connection that names the host (SNI), or take \"tls\" out of the route.")
    }
}
