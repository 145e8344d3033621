import Exchanges
import HTTP
import Profiles
import Push

/// Refuses notifications for topics that a route to APNs does not name, before they reach APNs.
final class PushTopicResponder: RouteResponder {
    private let topics: [String]
    private let answeredBy: [UInt8]

    private init(_ topics: [String], answeredBy: [UInt8]) { (self.topics, self.answeredBy) = (topics, answeredBy) }

    static func make(
        for route: Route, in profile: Profile, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) -> PushTopicResponder? {
        guard let push = route.first as? PushSettings, !push.rules.topics.isEmpty else { return nil }
        return PushTopicResponder(
            push.rules.topics, answeredBy: RoutePlan.answeredBy(route, in: profile, more: "; push=TopicDisallowed"))
    }

    func claims(_ exchange: ClientExchange) -> Bool {
        let bytes = exchange.headBytes
        var topics: [String] = []
        for field in exchange.request.head.fields where field.id == .other && field.name.count == 10 {
            guard String(bytes.extracting(field.name)).lowercased() == "apns-topic" else { continue }
            topics.append(String(bytes.extracting(field.value)))
        }
        let path = String(bytes.extracting(exchange.request.head.path))
        if case .broadcast(let bundle)? = try? PushTarget(path: path) { topics.append(bundle) }
        return topics.contains { !self.topics.contains($0) && !self.topics.contains(PushType.bundle(of: $0)) }
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        exchange.metrics.willRespond(as: "push")
        let reason = PushReason.topicDisallowed
        await exchange.respond(
            LocalResponse(
                status: reason.status, fields: Array("Content-Type: application/json\r\n".utf8), body: reason.body()),
            extra: exchange.answeredBy(answeredBy))
    }
}
