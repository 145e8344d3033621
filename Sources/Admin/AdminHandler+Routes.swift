import Engine
import JSON
import Profiles

// The compiled routes of a profile, and what they would do with a request.
extension AdminHandler {
    func listRoutes(_ call: AdminCall) throws(AdminRefusal) -> HandledResponse {
        let profile = try profile(named: call.text("profile") ?? proxy.profiles?.active ?? "")
        let library = proxy.profiles?.library
        let mocks = proxy.mocks(of: profile)
        return .json(200) { object in
            object.member("profile", profile.name)
            object.member("kind", profile.kind.rawValue)
            object.member("description", profile.description)
            object.array("routes") { array in
                for route in profile.routesInOrder {
                    let responder = route.responderName
                    array.object { object in
                        route.writeMembers(to: &object)
                        object.member("responder", responder.kind)
                        object.member("targets", responder.targets)
                        object.member("unverified", route.isUnverified)
                        object.member("guarded", profile.guardedName(of: route))
                        object.member("allowed", route.guards.allowed)
                        object.member("mock", route.name)
                        let mock = mocks.first { $0.key.name == route.name && $0.route.line == route.line }
                        object.key("on")
                        if let mock { object.value(mock.isOn) } else { object.null() }
                    }
                }
            }
            object.array("exceptions") { array in
                for rule in library?.exceptions ?? [] { array.object(rule.writeMembers) }
            }
        }
    }

    func explain(_ call: AdminCall) async throws(AdminRefusal) -> HandledResponse {
        guard let url = call.text("url"), !url.isEmpty else {
            throw AdminRefusal(400, "the query has no url", advice: "Give one such as https://api.shop.test/v1/cart.")
        }
        let wanted = call.text("profile")
        let profile = try profile(named: wanted ?? proxy.profiles?.active ?? "")
        guard let library = proxy.profiles?.library else { throw AdminRefusal(409, "there are no profiles") }
        let explanation: Explanation
        do throws(ExplainFailure) {
            explanation = try library.explain(
                url: url, method: (call.text("method") ?? "GET").uppercased(), profile: profile,
                isChosen: wanted != nil, live: proxy.liveProfiles)
        } catch {
            throw AdminRefusal(400, error.message, advice: "Give a URL such as https://api.shop.test/v1/cart.")
        }
        guard let judged = try? await proxy.judging(explanation) else {
            throw AdminRefusal(503, "there are no threads or files left to ask the guard", advice: "Try again.")
        }
        return .json(200, judged.toJSON())
    }
}
