import HTTP
import Profiles
import Reactor

/// The machine of a user, as one worker reaches it.
///
/// Confined to its worker.
final class AttachedOrigin {
    let attachment: Attachment
    let plan: OriginPlan
    let pool: OriginPool
    /// By the route in whose place it responds; of one environment.
    private var routes: [ObjectIdentifier: AttachedRoute] = [:]
    private var environment: Environment?

    init(_ attachment: Attachment) {
        self.attachment = attachment
        plan = OriginPlan(attachment.origin, context: nil, index: .max, server: .attached(attachment))
        pool = OriginPool(plan, limit: 1)
    }

    /// How it responds in place of a route.
    func route(inPlaceOf route: RoutePlan, _ environment: Environment, _ mocks: Mocks) -> AttachedRoute {
        if environment !== self.environment { (self.environment, routes) = (environment, [:]) }
        if let known = routes[ObjectIdentifier(route)] { return known }
        var compiler = EnvironmentCompiler(environment.library, mocks, after: nil)
        let use = compiler.use(of: plan, inPlaceOf: route, more: "; attached=\(attachment.user)")
        let made = AttachedRoute(attachment, OriginResponder(use: use), route)
        routes[ObjectIdentifier(route)] = made
        return made
    }

    /// A machine is attached to this worker, or the request names one.
    static func mayRespond(in exchange: ClientExchange) -> Bool {
        !exchange.state.pools.attached.isEmpty || exchange.request.head.names.contains(.shuntAttach)
    }

    /// The machine of a user that responds in place of a route, for devices of that user and requests that name it.
    ///
    /// What production responds is not replaced before production is unlocked.
    @inline(never)
    static func route(
        inPlaceOf route: RoutePlan, for exchange: ClientExchange, _ step: ChainStep?
    ) throws(EngineFailure) -> AttachedRoute? {
        let (state, request) = (exchange.state, exchange.request)
        guard step?.depth ?? 0 == 0, !route.isForwarding, let environment = request.environment else { return nil }
        let named = request.head.names.contains(.shuntAttach) ? request.head.field(.shuntAttach)?.value : nil
        let key = named.map { request.array($0) }
        let user = Routing(client: exchange.client, request: request).device?.0.user
        guard key != nil || user != nil else { return nil }
        let path = request.head.targetForm == .asterisk ? [] : request.array(request.head.path)
        let found = state.pools.attached.last { origin in
            let attachment = origin.attachment
            return (key.map(attachment.isNamed) ?? (attachment.user == user)) && attachment.pattern.isFor(path)
                && origin.pool.isReachable && attachment.isUp
        }
        guard !isLocked(route, for: exchange) else { return nil }
        if found == nil, let other = key.flatMap(state.attachments.otherNode) {
            throw EngineFailure(
                .client, .route, status: 421,
                "the machine that Shunt-Attach names is attached to another node, \(other)",
                advice: "Send the request to that node, or attach the machine to this one, too.")
        }
        return found?.route(inPlaceOf: route, environment, state.mocks)
    }

    private static func isLocked(_ route: RoutePlan, for exchange: ClientExchange) -> Bool {
        let production =
            route.guarded?.profiles
            ?? (exchange.request.profileKind == .production ? [route.profileName] : [])
        return production.contains { !exchange.state.locks.isUnlocked($0) }
    }
}
