import Exchanges
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
    private let time: Int64?
    let answeredBy: [UInt8]
    let cors: CORSRules?

    private init(
        _ mock: Mock, _ record: MockRecord, seed: UInt64, time: Int64?, answeredBy: [UInt8], cors: CORSRules?,
        cache: CacheRules?
    ) {
        responses = mock.responses.map { PreparedMock($0, dropping: cors == nil ? [] : CORSRules.responseNames, cache) }
        sequence = responses.count > 1 ? MockSequence(count: responses.count, order: mock.order) : nil
        self.record = record
        self.seed = mock.seed ?? seed
        self.time = time
        self.answeredBy = answeredBy
        self.cors = cors
    }

    static func make(
        for route: Route, in profile: Profile, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) -> MockResponder? {
        guard case .local(let mock as Mock) = route.responder else { return nil }
        return MockResponder(
            mock, compiler.record(of: route) ?? MockRecord(), seed: compiler.seed, time: compiler.time,
            answeredBy: RoutePlan.answeredBy(route, in: profile, more: "; mock"),
            cors: route.cors.map { CORSRules($0) },
            cache: CacheRules(route, in: profile))
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        if sequence == nil, responses[0].isPlain { return try await send(responses[0].head, in: exchange, step) }
        let turn = record.takeTurn()
        var chance = MockChance(seed: seed, turn: turn)
        let mock = responses[sequence?.index(turn: turn, &chance) ?? 0]
        try step.decline(mock.head.status, of: "the mock")
        if let delay = mock.delay { try await exchange.client.wait(chance.number(from: delay.min, through: delay.max)) }
        try await send(try await mock.response(in: exchange, turn: turn, chance, time), in: exchange, step)
    }

    private func send(
        _ response: LocalResponse, in exchange: ClientExchange, _ step: ChainStep?
    ) async throws(EngineFailure) {
        try step.decline(response.status, of: "the mock")
        exchange.metrics.willRespond(as: "mock")
        if let buffered = exchange.body.buffered { exchange.metrics.bytes.request = UInt64(buffered.bytes.count) }
        let readers = response.namesReaders ? [] : exchange.request.corsFields(or: cors)
        await exchange.respond(response, extra: exchange.answeredBy(answeredBy) + readers)
    }
}
