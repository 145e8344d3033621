import Exchanges
import HTTP
import Profiles
import Push

/// Refuses notifications for topics that a route to APNs does not name, before they reach APNs.
///
/// Paths that APNs does not have are refused, too: it might read a topic in them that cannot be read here.
final class PushTopicResponder: RouteResponder {
    private let topics: [String]
    private let route: Route
    private let profile: Profile

    private init(_ topics: [String], of route: Route, in profile: Profile) {
        (self.topics, self.route, self.profile) = (topics, route, profile)
    }

    static func make(
        for route: Route, in profile: Profile, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) -> PushTopicResponder? {
        guard let push = route.first as? PushSettings, !push.rules.topics.isEmpty else { return nil }
        return PushTopicResponder(push.rules.topics, of: route, in: profile)
    }

    func claims(_ exchange: ClientExchange) -> Bool { refusal(of: exchange) != nil }

    private func refusal(of exchange: ClientExchange) -> PushReason? {
        let bytes = exchange.headBytes
        var topics: [String] = []
        for field in exchange.request.head.fields where field.id == .other && field.name.count == 10 {
            guard String(bytes.extracting(field.name)).lowercased() == "apns-topic" else { continue }
            topics.append(String(bytes.extracting(field.value)))
        }
        do throws(PushReason) {
            let path = String(bytes.extracting(exchange.request.head.pathAndQuery))
            if case .broadcast(let bundle) = try PushTarget(path: path) { topics.append(bundle) }
        } catch {
            return error
        }
        let isAllowed = topics.allSatisfy { self.topics.contains($0) || self.topics.contains(PushType.bundle(of: $0)) }
        return isAllowed ? nil : .topicDisallowed
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        exchange.metrics.willRespond(as: "push")
        let reason = refusal(of: exchange) ?? .topicDisallowed
        await exchange.respond(
            LocalResponse(
                reason.status, "Content-Type: application/json\r\n", String(decoding: reason.body(), as: UTF8.self)),
            extra: exchange.answeredBy(
                RoutePlan.answeredBy(route, in: profile, more: "; push=\(reason.rawValue)")))
    }
}
