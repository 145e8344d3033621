import Bytes
import HTTP
import Profiles
import Rewriting

/// Responds to CORS preflights of routes that have `cors`, instead of the origin.
final class PreflightResponder: RouteResponder {
    let cors: CORSRules
    let answeredBy: [UInt8]

    init(cors: CORSRules, answeredBy: [UInt8]) {
        self.cors = cors
        self.answeredBy = answeredBy
    }

    static func make(
        for route: Route, in profile: Profile, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) -> PreflightResponder? {
        guard let settings = route.cors else { return nil }
        return PreflightResponder(
            cors: CORSRules(settings), answeredBy: RoutePlan.answeredBy(route, in: profile))
    }

    func claims(_ exchange: ClientExchange) -> Bool {
        CORSRules.isPreflight(method: exchange.request.head.method, names: exchange.request.head.names)
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        exchange.metrics.changes.insert(.cors)
        var fields = Buffer(capacity: 16 << 10)
        let fits = cors.appendPreflight(
            requestFields: exchange.request.head.fields, from: exchange.headBytes, to: &fields)
        guard fits else {
            throw EngineFailure(
                .client, .route, status: 431, "the preflight asks for more fields than fit into its response",
                advice: "Name the ones that pages may send under \"headers\" of the route's \"cors\".")
        }
        await exchange.respond(LocalResponse(status: 204, fields: Array(fields.unsafeBytes)), extra: answeredBy)
    }
}
