import Exchanges
import HTTP
import Profiles
import Rewriting

/// Responds with a mock.
final class MockResponder: RouteResponder {
    private let responses: [PreparedMock]
    private let order: MockOrder
    private let record: MockRecord
    private let route: Route
    private let seed: UInt64
    private let time: Int64?
    private let then: Webhook?
    private let profile: String
    private let sender: LocalSender
    /// As whose response streams are sent; nil without any.
    private let stream: OriginUse?

    private init(_ mock: Mock, of route: Route, in profile: Profile, _ compiler: EnvironmentCompiler) {
        let (cache, readers) = (CacheRules(route, in: profile), route.cors == nil ? [] : CORSRules.responseNames)
        let owner = PreparedCollection.Owner(route: route.mockKey, profile: profile.name, mocks: compiler.mocks)
        responses = mock.responses.map { PreparedMock($0, dropping: readers, cache, owner) }
        (order, record) = (mock.order, compiler.record(of: route) ?? MockRecord())
        self.route = route
        (then, self.profile) = (mock.then, profile.name)
        (seed, time) = (mock.seed ?? compiler.mocks.seed, compiler.mocks.time)
        sender = LocalSender("mock", of: route, in: profile)
        stream = responses.contains { $0.events != nil || $0.call != nil } ? Self.use(of: route, in: profile) : nil
    }

    /// That of an origin without addresses, whose cookies and links stay as the mock has them.
    static func use(of route: Route, in profile: Profile) -> OriginUse {
        var rewriting = RewriteRules.Settings()
        rewriting.cors = route.cors.map { CORSRules($0) }
        let address = OriginAddress(
            isTLS: false, host: "", port: 80, basePath: "", trust: .default(certificateAuthorities: []))
        return OriginUse(
            OriginPlan(address, context: nil), of: route, OriginUse.Names(rules: RewriteRules(rewriting)),
            answeredBy: RoutePlan.answeredBy(route, in: profile, more: "; mock"))
    }

    static func make(
        for route: Route, in profile: Profile, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) -> MockResponder? {
        guard case .local(let mock as Mock) = route.responder else { return nil }
        return MockResponder(mock, of: route, in: profile, compiler)
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        guard let then, exchange.state.webhooks.areSent else { return try await respondAlone(in: exchange, step) }
        if case .template(let template) = then.body, template.needsBody, !exchange.request.lookahead.isBodyRead {
            try await BodyAhead(exchange: exchange).readJSON()
        }
        try await respondAlone(in: exchange, step)
        // One of a webhook would have no end.
        let view = RequestView(exchange.client, exchange.request, scenarios: nil)
        guard view.fields(WebhookCall.field).isEmpty else { return }
        let chance = MockChance(seed: seed, turn: record.takeWebhook())
        exchange.state.loop.spawn(WebhookCall(then, after: exchange, of: profile, chance, time))
    }

    private func respondAlone(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        if responses.count == 1, responses[0].isPlain {
            return try await sender.send(responses[0].head, in: exchange, step, of: "the mock")
        }
        let turn = (exchange.request.session?.record(of: route) ?? record).takeTurn()
        var chance = MockChance(seed: seed, turn: turn)
        let mock =
            responses.count == 1 ? responses[0] : responses[order.index(of: responses.count, turn: turn, &chance)]
        try step.decline(mock.head.status, of: "the mock")
        if let delay = mock.delay, mock.call == nil {
            try await exchange.client.wait(chance.number(from: delay.min, through: delay.max))
        }
        let response = try await mock.response(in: exchange, turn: turn, chance, time)
        guard mock.isStream else { return try await sender.send(response, in: exchange, step, of: "the mock") }
        let renderer = TemplateRenderer(exchange, turn: 0, chance, time)
        if let events = mock.events {
            try sender.begin(response.status, in: exchange, step, of: "the mock")
            try await EventScript(events, renderer).send(response, in: exchange, as: stream)
        } else if let call = mock.call {
            try sender.begin(200, in: exchange, step, of: "the mock")
            try await CallScript.send(call, response, mock.delay, renderer, in: exchange, as: stream)
        } else if let conversation = mock.conversation {
            guard exchange.request.upgrade.isWebSocket else { throw Self.noWebSocket }
            try sender.begin(101, in: exchange, step, of: "the mock")
            var run = ConversationRun(conversation, exchange, renderer)
            await run.run(response.fields + sender.extra(exchange))
        }
    }

    private static let noWebSocket = EngineFailure(
        .client, .route, status: 426, "the mock is a WebSocket, and the request does not ask for one",
        advice:
            "Connect with a WebSocket client; a route with \"match\": { \"headers\": { \"Upgrade\": false } } responds "
            + "to other requests.")
}
