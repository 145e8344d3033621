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
        if let push { try Self.admitToPush(push, exchange.request) }
        if let guarded { try await Admission.check(exchange, by: guarded, of: route) }
        if let watch, let guarded = try await production(behind: watch, for: exchange) {
            try await Admission.check(exchange, by: guarded, of: route)
        }
    }

    /// The guard of production's server, if the origin leads there under no name, or under production's in the Host
    /// field; nil also where it is unlocked.
    @inline(never)
    private func production(
        behind watch: AddressGuard, for exchange: ClientExchange
    ) async throws(EngineFailure) -> WriteGuard? {
        let host = preserveHost ? exchange.request.namedHost : nil
        let production = watch.candidates(host: host)
        let locks = exchange.state.locks
        guard production.contains(where: { !$0.profiles.allSatisfy { locks.isUnlocked($0) } }) else { return nil }
        let key = ProductionAddresses.Key(watch, host: host)
        return try await ProductionLookUp(client: exchange.client).verdict(on: watch, key, production).guarded.get()
    }

    /// Throws unless the profile that was chosen is production's, and one of its routes leads there.
    ///
    /// Any way leads here: a chain, a forward proxy's client, a field that names a profile.
    @inline(never)
    static func admitToPush(_ address: OriginAddress, _ request: Request) throws(EngineFailure) {
        let library = request.environment?.library
        if request.profileKind == .production, library?.isProduction(origin: address.description) == true { return }
        throw EngineFailure(
            .client, .route, status: 403,
            "\(address.authority) delivers push notifications to the devices of users, and "
                + (request.profileKind == .production
                    ? "no route of a production profile leads there" : "the profile is not production's"),
            advice:
                "Use the sandbox, \(PushHost.sandbox), or a route with \"push\" in a profile of the kind production.")
    }
}
