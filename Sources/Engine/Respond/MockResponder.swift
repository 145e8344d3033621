import HTTP
import Profiles
import Rewriting

/// Responds with a mock.
final class MockResponder: RouteResponder {
    private let responses: [PreparedMock]
    /// nil where there is one response.
    private let sequence: MockSequence?
    private let record: MockRecord
    private let seed: UInt64
    let answeredBy: [UInt8]
    let cors: CORSRules?

    private init(
        _ mock: Mock, _ record: MockRecord, seed: UInt64, answeredBy: [UInt8], cors: CORSRules?
    ) {
        responses = mock.responses.map { PreparedMock($0, dropping: cors == nil ? [] : CORSRules.responseNames) }
        sequence = responses.count > 1 ? MockSequence(count: responses.count, order: mock.order) : nil
        self.record = record
        self.seed = mock.seed ?? seed
        self.answeredBy = answeredBy
        self.cors = cors
    }

    static func make(
        for route: Route, in profile: Profile, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) -> MockResponder? {
        guard case .local(let mock as Mock) = route.responder else { return nil }
        return MockResponder(
            mock, compiler.record(of: route) ?? MockRecord(), seed: compiler.seed,
            answeredBy: RoutePlan.answeredBy(route, in: profile, more: "; mock"), cors: route.cors.map { CORSRules($0) }
        )
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        let (mock, delay) = choose()
        if let fallback = step?.fallback, fallback.statuses.contains(mock.head.status) {
            throw EngineFailure(
                .origin, .wait, status: mock.head.status, "the mock responded \(mock.head.status)", kind: .declined)
        }
        exchange.metrics.willRespond(as: "mock")
        if delay > 0 { try await exchange.wait(delay) }
        let response = try mock.response()
        let readers = response.namesReaders ? nil : exchange.request.cors ?? cors
        await exchange.respond(
            response, extra: exchange.answeredBy(answeredBy) + (readers.map { exchange.corsFields($0) } ?? []))
    }

    /// The response of this turn, and how many nanoseconds it waits.
    private func choose() -> (PreparedMock, UInt64) {
        guard sequence != nil || responses[0].delay != nil else { return (responses[0], 0) }
        let turn = record.takeTurn()
        var chance = MockChance(seed: seed, turn: turn)
        let mock = responses[sequence?.index(turn: turn, &chance) ?? 0]
        return (mock, mock.delay.map { chance.number(from: $0.min, through: $0.max) } ?? 0)
    }
}
