import HTTP
import Profiles

/// Has changes to production refused by a route all of whose requests go there: on their way out, after every edit.
final class RouteGuard: Wrapper {
    let guarded: WriteGuard
    let route: Route

    init(_ guarded: WriteGuard, of route: Route) { (self.guarded, self.route) = (guarded, route) }

    func run(_ exchange: ClientExchange, _ step: ChainStep?, _ next: Next) async throws(EngineFailure) {
        guard next.responder.reachesOrigins else { return try await next.run(exchange, step) }
        let outer = exchange.way.guards
        exchange.way.guards = outer + [self]
        do throws(EngineFailure) {
            try await next.run(exchange, step)
        } catch {
            exchange.way.guards = outer
            throw error
        }
    }
}

/// Refuses changes to production at one origin, beside the guards of its routes.
final class OriginGuard: Sendable {
    /// It is production by its name, for an origin of a chain.
    let guarded: WriteGuard?
    /// Watches for production at its address; nil where its name tells.
    private let watch: AddressGuard?
    /// It delivers push notifications to the devices of users.
    let push: OriginAddress?
    let route: Route
    private let preserveHost: Bool

    /// nil where there is nothing to check.
    init?(
        _ guarded: WriteGuard?, _ watch: AddressGuard?, at address: OriginAddress, of route: Route, preserveHost: Bool
    ) {
        push = address.isPushProduction ? address : nil
        if guarded == nil, watch == nil, push == nil { return nil }
        (self.guarded, self.watch, self.route, self.preserveHost) = (guarded, watch, route, preserveHost)
    }

    /// The guard of production's server, if the origin leads there under no name, or under production's in the Host
    /// field; nil also where it is unlocked.
    @inline(never)
    func production(for exchange: ClientExchange) async throws(EngineFailure) -> WriteGuard? {
        guard let watch else { return nil }
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
