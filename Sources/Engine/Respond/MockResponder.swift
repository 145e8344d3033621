import Exchanges
import HTTP
import Profiles
import Rewriting

/// Responds with a mock.
final class MockResponder: RouteResponder {
    private let responses: [PreparedMock]
    private let order: MockOrder
    private let record: MockRecord
    private let seed: UInt64
    private let time: Int64?
    private let sender: LocalSender

    private init(_ mock: Mock, of route: Route, in profile: Profile, _ compiler: EnvironmentCompiler) {
        let (cache, readers) = (CacheRules(route, in: profile), route.cors == nil ? [] : CORSRules.responseNames)
        responses = mock.responses.map { PreparedMock($0, dropping: readers, cache) }
        (order, record) = (mock.order, compiler.record(of: route) ?? MockRecord())
        (seed, time) = (mock.seed ?? compiler.mocks.seed, compiler.mocks.time)
        sender = LocalSender("mock", of: route, in: profile)
    }

    static func make(
        for route: Route, in profile: Profile, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) -> MockResponder? {
        guard case .local(let mock as Mock) = route.responder else { return nil }
        return MockResponder(mock, of: route, in: profile, compiler)
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        if responses.count == 1, responses[0].isPlain {
            return try await sender.send(responses[0].head, in: exchange, step, of: "the mock")
        }
        let turn = record.takeTurn()
        var chance = MockChance(seed: seed, turn: turn)
        let mock =
            responses.count == 1 ? responses[0] : responses[order.index(of: responses.count, turn: turn, &chance)]
        try step.decline(mock.head.status, of: "the mock")
        if let delay = mock.delay { try await exchange.client.wait(chance.number(from: delay.min, through: delay.max)) }
        try await sender.send(
            try await mock.response(in: exchange, turn: turn, chance, time), in: exchange, step, of: "the mock")
    }
}
