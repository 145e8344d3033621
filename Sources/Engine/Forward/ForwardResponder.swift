import HTTP
import Profiles
import Reactor
import Rewriting
import TLS

/// Sends a proxy's client's request on to the host that it names: one in absolute form, or one in a connection that was
/// intercepted for a host without a route.
final class ForwardResponder: Responder {
    func isUsed(by shared: Proxy.Shared) -> Bool { shared.forward != nil }

    func claims(_ exchange: ClientExchange) -> Bool {
        let isAbsolute = exchange.request.head.targetForm == .absolute
        guard isAbsolute || exchange.client.connected.entry?.isNamed == false else { return false }
        return Self.isForwarded(exchange)
    }

    /// Hosts that routes name, and Shunt's own address, are routed as ever.
    @inline(never)
    private static func isForwarded(_ exchange: ClientExchange) -> Bool {
        // What fails here fails again where it is routed, which says so.
        guard let environment = exchange.state.currentEnvironment,
            let plan = try? Routing(client: exchange.client, request: exchange.request).choosePlan(environment).plan,
            let target = try? ForwardTarget(
                exchange.request, environment, port: exchange.request.forwardedPort(exchange.client))
        else { return false }
        return !plan.profile.names(host: target.host, port: target.port) && !exchange.client.isOwn(target)
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        try await exchange.respond(by: try await route(exchange), nil)
    }
}

extension Request {
    /// It names https in absolute form, or came through TLS.
    fileprivate func isForwardedSecurely(_ client: Client) -> Bool {
        guard head.targetForm == .absolute else { return client.isSecure }
        // Schemes have no case (RFC 9110 4.2.3).
        let start = head.target.lowerBound
        let isWebSocket = bytes[start] | 0x20 == UInt8(ascii: "w")
        return bytes[start + (isWebSocket ? 2 : 4)] | 0x20 == UInt8(ascii: "s")
    }

    fileprivate func forwardedPort(_ client: Client) -> UInt16 {
        head.port ?? (isForwardedSecurely(client) ? 443 : 80)
    }
}

extension ForwardResponder {
    @inline(never)
    private func route(_ exchange: ClientExchange) async throws(EngineFailure) -> RoutePlan {
        let plan = try RouteChoice(exchange: exchange).profile()
        let (client, request) = (exchange.client, exchange.request)
        guard let forward = exchange.state.forward, let environment = request.environment else { throw .bodyWasRead }
        let target = try ForwardTarget(request, environment, port: request.forwardedPort(client))
        if let entry = client.connected.entry {
            guard entry.target == target else {
                throw EngineFailure(
                    .client, .route, status: 421,
                    "the connection was opened for \(entry.target.authority), the request is for \(target.authority)",
                    advice: "Open a connection of its own for each host.")
            }
        } else {
            try forward.check(request, of: client)
        }
        return try await Self.plan(
            for: target, isTLS: request.isForwardedSecurely(client), in: plan, exchange, isPublicOnly: !client.isLocal)
    }

    /// The route to a host that a request names itself, with the guard of what is there.
    @inline(never)
    static func plan(
        for target: ForwardTarget, isTLS: Bool, in plan: ProfilePlan, _ exchange: ClientExchange,
        isPublicOnly: Bool = false, label: String = "forward"
    ) async throws(EngineFailure) -> RoutePlan {
        guard let environment = exchange.request.environment else { throw .bodyWasRead }
        let library = environment.library
        var guarded = library.forwardGuard(host: target.host, port: target.port)
        var judged: [SocketAddress] = []
        if guarded == nil {
            (guarded, judged) = try await TunnelGuard(exchange: exchange).productionGuard(of: target, isTLS: isTLS)
        }
        let productionTrust = library.productionTrust(host: target.host, port: target.port)
        let route = plan.profile.forwarding(
            isTLS: isTLS, host: target.host, port: target.port,
            verified: guarded == nil ? nil : productionTrust ?? plan.profile.trustWithoutRule, label: label)
        guard case .origin(let address, _) = route.responder else { throw .bodyWasRead }
        var settings = RewriteRules.Settings()
        settings.rewritesCookies = false
        settings.removesPins = false
        let origin = OriginPlan(
            address, context: try await context(address, environment, exchange),
            reach: OriginReach(isPublicOnly: isPublicOnly, judged: judged))
        let use = OriginUse(
            origin, of: route, OriginUse.Names(preserveHost: true, rules: RewriteRules(settings)),
            OriginUse.Guards(
                guardian: OriginGuard(nil, nil, at: address, of: route, preserveHost: true),
                redirects: library.redirectGuard(of: route)),
            answeredBy: RoutePlan.answeredBy(route, in: plan.profile), isForwarded: true)
        return RoutePlan(
            route, in: plan.profile, responders: [OriginResponder(use: use)],
            wrappers: guarded.map { [RouteGuard($0, of: route)] } ?? [], guarded: guarded)
    }

    private static func context(
        _ address: OriginAddress, _ environment: Environment, _ exchange: ClientExchange
    ) async throws(EngineFailure) -> ClientContext? {
        guard address.isTLS else { return nil }
        let (contexts, policy) = (environment.contexts, address.trust)
        if let known = contexts.known(policy) { return known }
        let made = try await exchange.client.onThread { () -> Result<ClientContext, TLSFailure> in
            do throws(TLSFailure) { return .success(try contexts.context(policy)) } catch { return .failure(error) }
        }
        do throws(TLSFailure) {
            return try made.get()
        } catch {
            throw EngineFailure(
                .proxy, .tls, status: 502, "the trust rule for \(address) cannot be used: \(error.message)",
                advice: "Check the files that \"certificateAuthorities\" name.")
        }
    }
}
