import HTTP
import Profiles
import Rewriting

/// Sends the client to another URL.
final class RedirectResponder: RouteResponder {
    let response: LocalResponse
    let answeredBy: [UInt8]

    init(response: LocalResponse, answeredBy: [UInt8]) {
        self.response = response
        self.answeredBy = answeredBy
    }

    static func make(
        for route: Route, in profile: Profile, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) -> RedirectResponder? {
        guard case .local(let redirect as Redirect) = route.responder else { return nil }
        return RedirectResponder(
            response: LocalResponse(
                status: redirect.status, fields: Array("Location: \(redirect.location)\r\n".utf8), body: []
            ).marked(by: CacheRules(route, in: profile)),
            answeredBy: RoutePlan.answeredBy(route, in: profile, more: "; redirect"))
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        let cors = exchange.request.corsFields()
        await exchange.respond(response, extra: exchange.answeredBy(answeredBy) + cors)
    }
}
