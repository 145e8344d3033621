import HTTP
import Profiles

/// Refuses changes to production by a route, where all of its requests go there.
final class RouteGuard: Wrapper {
    private let guarded: WriteGuard
    private let route: Route

    init(_ guarded: WriteGuard, of route: Route) { (self.guarded, self.route) = (guarded, route) }

    func run(_ exchange: ClientExchange, _ step: ChainStep?, _ next: Next) async throws(EngineFailure) {
        if next.responder.reachesOrigins { try await Admission.check(exchange, by: guarded, of: route) }
        try await next.run(exchange, step)
    }
}

/// Refuses changes to production at one origin, beside the guard of its route: the last check before a request leaves.
final class OriginGuard: Sendable {
    /// It is production by its name, for an origin of a chain.
    private let guarded: WriteGuard?
    /// Watches for production at its address; nil where its name tells.
    private let watch: AddressGuard?
    /// It delivers push notifications to the devices of users.
    private let push: OriginAddress?
    private let route: Route
    private let preserveHost: Bool

    /// nil where there is nothing to check.
    init?(
        _ guarded: WriteGuard?, _ watch: AddressGuard?, at address: OriginAddress, of route: Route, preserveHost: Bool
    ) {
        push = address.isPushProduction ? address : nil
        if guarded == nil, watch == nil, push == nil { return nil }
        (self.guarded, self.watch, self.route, self.preserveHost) = (guarded, watch, route, preserveHost)
    }

    func admit(_ exchange: ClientExchange) async throws(EngineFailure) {
        if let push { try exchange.admitToPush(push) }
        if let guarded { try await Admission.check(exchange, by: guarded, of: route) }
        if let watch { try await exchange.admit(by: watch, preserveHost: preserveHost) }
    }
}
