import JSON
package import Profiles

/// The way of a request to its route and past production's guard, which is not sent.
///
/// Confined to the worker of its exchange.
package final class RouteTrial {
    /// What would become of a request.
    package struct Result: Sendable {
        package let explanation: Explanation
        /// The body as its route changes it; nil where it stays as it is.
        package let body: [UInt8]?
    }

    private let exchange: ClientExchange
    private let environment: Environment
    /// The route that matches the request in its profile, and in each profile that its chain asks, by profile name.
    private var routes: [String: (plan: RoutePlan, index: Int)] = [:]
    private var body: [UInt8]?

    init(_ exchange: ClientExchange, _ environment: Environment) {
        (self.exchange, self.environment) = (exchange, environment)
    }

    func run(_ target: RequestTarget, _ request: TriedRequest) async -> Result {
        var refusal: Explanation.Refusal?
        let own = exchange.begin()
        if own == nil {
            do throws(EngineFailure) {
                let choice = RouteChoice(exchange: exchange)
                var route = try choice.route()
                if route == nil { route = try await choice.routeByMore() }
                if let route { await add(route) }
            } catch {
                // The nearest routes say why none fits.
                if !error.kind.isUnrouted {
                    refusal = Explanation.Refusal(status: error.status, reason: error.message, advice: error.advice)
                }
            }
        }
        var explanation = explanation(of: request, to: target)
        explanation.chosenBy = exchange.metrics.reason?.rawValue
        explanation.refusal = refusal
        // Where no profile was chosen, its routes do not matter.
        if exchange.metrics.profile == nil { explanation.outcome = .withoutResponse([]) }
        if let own { explanation.outcome = .withoutRoute(own.words) }
        return Result(explanation: await explanation.judged { await self.guarding($0) }, body: body)
    }

    private func explanation(of request: TriedRequest, to target: RequestTarget) -> Explanation {
        let routing = Routing(client: exchange.client, request: exchange.request)
        let name = exchange.metrics.profile ?? environment.active.profile.name
        let live = plans.map { plan in
            let states = Dictionary(routing.scenarios(of: plan).list) { first, _ in first }
            return (plan.profile.name, LiveProfile(off: routing.selection(plan).off, states: states))
        }
        return environment.library.explanation(
            of: target, method: request.method, headers: request.headers,
            json: try? JSONReader.read(request.body, dialect: .strict),
            in: routes[name]?.plan.profile ?? environment.library[name] ?? environment.active.profile,
            routes: routes.mapValues(\.index), live: Dictionary(live) { first, _ in first })
    }

    /// All profiles, and what the request's session lays over one of them.
    private var plans: [ProfilePlan] {
        (exchange.request.session?.overlay.map { [$0] } ?? []) + environment.plans
    }

    private func add(_ route: RoutePlan) async {
        guard let index = plans.lazy.compactMap({ $0.routes.firstIndex { $0 === route } }).first else { return }
        routes[route.profileName] = (route, index)
        guard case .chain(let chain) = route.route.responder else { return }
        for case .profile(let name) in chain.candidates where routes[name] == nil {
            if let next = try? await ChainResponder.route(ofProfile: name, for: exchange) { await add(next) }
        }
    }

    /// What production's guard says of a response's request, changed as its route does.
    private func guarding(_ response: Explanation.Response) async -> Explanation.Guarding {
        let (library, route, profile) = (environment.library, response.route, response.profile)
        guard let plan = routes[profile.name]?.plan else { return .none }
        let guarded = WriteGuard(
            ([library.writeGuard(of: route, in: profile)]
                + route.responder.addresses.map { library.writeGuard(of: $0, askedBy: route, in: profile) })
                .compactMap(\.self))
        do throws(EngineFailure) {
            let next = Next(plan, plan.responder(to: exchange))
            exchange.way.edits = try plan.edits?.applied(to: exchange, for: next)
            try await plan.edits?.editBody(of: exchange)
            if body == nil { body = exchange.way.edits?.body }
            guard let guarded else { return .none }
            // The query gets it before the guard judges.
            if case .query(let name)? = profile.token(of: route)?.place {
                exchange.way.tokenParameter = Array(name.utf8)
            }
            return try await Admission.explain(exchange, by: guarded, of: route)
        } catch {
            guard let guarded else { return .none }
            return .refused(error.message, profiles: guarded.profiles, cause: guarded.reason)
        }
    }
}
