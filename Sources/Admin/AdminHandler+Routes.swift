import Engine
import JSON
import Profiles

// The compiled routes of a profile, and what they would do with a request.
extension AdminHandler {
    func listRoutes(_ query: Record<API.RoutesOf>) throws(AdminRefusal) -> Record<API.Routes> {
        let profile = try profile(named: query.profile ?? proxy.profiles?.active ?? "")
        let mocks = proxy.mocks(of: profile)
        return Record {
            $0.profile = profile.name
            $0.kind = profile.kind.rawValue
            $0.description = profile.description
            $0.routes = profile.routesInOrder.map { route in
                let responder = route.responderName
                return Record {
                    $0.label = route.label
                    $0.profile = route.profile
                    $0.kind = route.kind.rawValue
                    $0.file = route.file
                    $0.line = route.line
                    $0.responder = responder.kind
                    $0.targets = responder.targets
                    $0.isUnverified = route.isUnverified
                    $0.guarded = profile.guardedName(of: route)
                    $0.allowed = route.guards.allowed
                    $0.mock = route.name
                    $0.isOn = mocks.first { $0.key.name == route.name && $0.route.line == route.line }?.isOn
                }
            }
            $0.exceptions = (proxy.profiles?.library.exceptions ?? []).map { .written(by: $0.writeMembers) }
        }
    }

    func explain(_ query: Record<API.Explain>) async throws(AdminRefusal) -> Record<API.Explained> {
        guard !query.url.isEmpty else {
            throw AdminRefusal(400, "the query has no url", advice: "Give one such as https://api.shop.test/v1/cart.")
        }
        let wanted = query.profile
        let profile = try profile(named: wanted ?? proxy.profiles?.active ?? "")
        guard let library = proxy.profiles?.library else { throw AdminRefusal(409, "there are no profiles") }
        let explanation: Explanation
        do throws(ExplainFailure) {
            explanation = try library.explain(
                url: query.url, method: (query.method ?? "GET").uppercased(), profile: profile,
                isChosen: wanted != nil, live: proxy.liveProfiles)
        } catch {
            throw AdminRefusal(400, error.message, advice: "Give a URL such as https://api.shop.test/v1/cart.")
        }
        guard let judged = try? await proxy.judging(explanation) else {
            throw AdminRefusal(503, "there are no threads or files left to ask the guard", advice: "Try again.")
        }
        return Record(json: judged.toJSON()) ?? .blank
    }
}
