import HTTP
import Profiles
import Rewriting

/// Responds with a mock.
final class MockResponder: RouteResponder {
    let response: LocalResponse
    let answeredBy: [UInt8]
    let cors: CORSRules?

    init(response: LocalResponse, answeredBy: [UInt8], cors: CORSRules?) {
        self.response = response
        self.answeredBy = answeredBy
        self.cors = cors
    }

    static func make(
        for route: Route, in profile: Profile, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) -> MockResponder? {
        guard case .local(let mock as Mock) = route.responder else { return nil }
        let cors = route.cors.map { CORSRules($0) }
        return MockResponder(
            response: LocalResponse(mock, dropping: cors == nil ? [] : CORSRules.responseNames),
            answeredBy: RoutePlan.answeredBy(route, in: profile, more: "; mock"), cors: cors)
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        if let fallback = step?.fallback, fallback.statuses.contains(response.status) {
            throw EngineFailure(
                .origin, .wait, status: response.status, "the mock responded \(response.status)", kind: .declined)
        }
        exchange.metrics.willRespond(as: "mock")
        let readers = response.namesReaders ? nil : exchange.request.cors ?? cors
        await exchange.respond(
            response, extra: exchange.answeredBy(answeredBy) + (readers.map { exchange.corsFields($0) } ?? []))
    }
}
