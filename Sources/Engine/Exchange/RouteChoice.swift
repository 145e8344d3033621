import Profiles
import Reactor
import Rewriting

/// The choice of a profile and of its route for a request.
struct RouteChoice {
    let exchange: ClientExchange
    private var request: Request { exchange.request }

    /// The responder that claims the request without a route, if there is one.
    var responder: (any Responder)? { exchange.state.responders.first { $0.claims(exchange) } }

    /// The same where the choice of the route takes the request's body, or long work.
    @inline(never)
    func routeByMore() async throws(EngineFailure) -> RoutePlan {
        while true {
            try await learn()
            guard let route = try route() else { continue }
            request.lookahead.didChooseRoute()
            return route
        }
    }

    /// Learns what the choice of a route has asked for.
    func learn() async throws(EngineFailure) {
        if request.lookahead.wantsBody {
            if let message = request.lookahead.wantedMessage {
                return try await BodyAhead(exchange: exchange).readMessage(message.type)
            }
            return try await BodyAhead(exchange: exchange).readJSON()
        }
        let questions = request.lookahead.takeQuestions()
        guard !questions.isEmpty else { throw .bodyWasRead }
        let answers = try await exchange.body.perform(size: .max) { questions.map { $0.condition.isMet(by: $0) } }
        request.lookahead.know(Dictionary(zip(questions.map(\.condition), answers)) { first, _ in first })
    }

    /// Chooses the profile.
    func profile() throws(EngineFailure) -> ProfilePlan {
        guard let environment = exchange.state.currentEnvironment else {
            throw EngineFailure(.proxy, .route, status: 503, "there are no profiles")
        }
        request.choose(environment)
        exchange.didRoute()
        let routing = Routing(client: exchange.client, request: request)
        let choice = try routing.choosePlan(environment)
        request.choose(choice)
        if environment.clearsOnSwitch { request.note(SiteVisit(request, of: exchange.client, choice.plan.profile)) }
        exchange.metrics.didChoose(choice)
        let state = exchange.state
        if state.present.shapesNetworks || state.networks.isUsed { applyNetwork(of: choice.plan, routing.device?.0) }
        exchange.recording?.use(choice.session?.redaction ?? choice.plan.redaction)
        return choice.plan
    }

    /// Applies the conditions of the profile that responds, and notes them.
    @inline(never)
    private func applyNetwork(of plan: ProfilePlan, _ device: Device?) {
        let known = (profile: request.session?.session.network ?? plan.profile.network, device: device)
        guard let channel = exchange.client.channel.wire,
            let conditions = ClientNetwork.shape(
                channel, as: exchange.client.peer, known, exchange.state, isNew: false)
        else { return }
        exchange.way.network = conditions.name
        exchange.metrics.changes.insert(.network)
    }

    /// Chooses the profile and its route; nil where something has to be learnt first.
    @inline(never)
    func route() throws(EngineFailure) -> RoutePlan? {
        let plan = try profile()
        defer { if !request.passedMocks.isEmpty { exchange.metrics.incidents.passedMocks = request.passedMocks } }
        let routing = Routing(client: exchange.client, request: request)
        if let route = try routing.chooseDescription(plan) {
            request.choose(route)
            return route
        }
        if request.session != nil {
            if let route = try routing.chooseSessionRoute() {
                request.choose(route)
                if let recording = exchange.recording, let contract = routing.contract(of: route, over: plan) {
                    recording.compare(with: contract)
                }
                return route
            }
            if request.lookahead.isOpen { return nil }
        }
        guard let route = try routing.chooseRoute(plan) else { return nil }
        request.choose(route)
        return route
    }
}
