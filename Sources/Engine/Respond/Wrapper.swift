import Profiles

/// Surrounds the responder of a route: a request passes it on its way there, and a failure on its way back.
///
/// A new one is a case of ``RouteWrapper``, which has the order, one file here, and its line in
/// ``EnvironmentCompiler``. A route has only those that it uses.
protocol Wrapper: AnyObject, Sendable {
    /// - Parameter next: what is further inside; it runs once at most.
    func run(_ exchange: ClientExchange, _ step: ChainStep?, _ next: Next) async throws(EngineFailure)
}

/// The rest of a request's way through its route.
struct Next {
    let route: RoutePlan
    /// It is at the end of the way.
    let responder: any Responder
    private var index = 0

    init(_ route: RoutePlan, _ responder: any Responder) { (self.route, self.responder) = (route, responder) }

    /// The responder is the route's; a preflight, for example, is about another request.
    var isOwn: Bool { route.isOwn(responder) }

    func run(_ exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        guard index < route.wrappers.count else {
            if AttachedOrigin.mayRespond(in: exchange), isOwn,
                let attached = try AttachedOrigin.route(inPlaceOf: route, for: exchange, step)
            {
                return try await attached.respond(in: exchange, step, else: responder)
            }
            return try await responder.respond(in: exchange, step)
        }
        var next = self
        next.index += 1
        try await route.wrappers[index].run(exchange, step, next)
    }
}
