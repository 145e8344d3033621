import HTTP
import Profiles
import Rewriting

/// Sends the client to another URL.
final class RedirectResponder: RouteResponder {
    private let response: LocalResponse
    private let sender: LocalSender

    private init(_ response: LocalResponse, _ sender: LocalSender) { (self.response, self.sender) = (response, sender) }

    static func make(
        for route: Route, in profile: Profile, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) -> RedirectResponder? {
        guard case .local(let redirect as Redirect) = route.responder else { return nil }
        let response = LocalResponse(redirect.status, "Location: \(redirect.location)\r\n")
        return RedirectResponder(
            response.marked(by: CacheRules(route, in: profile)), LocalSender("redirect", of: route, in: profile))
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        await exchange.respond(response, extra: sender.extra(exchange))
    }
}
