import Engine
import JSON
import Profiles

// The compiled routes of a profile, and what they would do with a request.
extension AdminHandler {
    func listRoutes(_ query: Record<API.RoutesOf>) throws -> Record<API.Routes> {
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

    func explain(_ query: Record<API.Explain>) async throws -> Record<API.Explained> {
        guard !query.url.isEmpty else {
            throw AdminRefusal(400, "the query has no url", advice: "Give one such as https://api.shop.test/v1/cart.")
        }
        if let name = query.profile { _ = try profile(named: name) }
        guard var shunt = proxy.tried else { throw AdminRefusal(409, "there are no profiles") }
        if let name = query.device {
            let device = try knownDevice(name)
            shunt = shunt.serving(
                device.name, profile: device.profile ?? device.user.flatMap { proxy.devices.choices[$0] })
        }
        let target: RequestTarget
        do throws(Refusal) { target = try RequestTarget(parsing: query.url) } catch {
            throw AdminRefusal(400, error.message, advice: "Give a URL such as https://api.shop.test/v1/cart.")
        }
        let method = (query.method ?? "GET").uppercased()
        let result: RouteTrial.Result?
        do {
            result = try await ResponseTrial.explain(
                target, TriedRequest(method, target.url, headers: [], profile: query.profile), by: shunt)
        } catch {
            throw AdminRefusal(503, "there are no threads or files left to try the request", advice: "Try again.")
        }
        guard let result else { throw AdminRefusal(400, "\(method) \(target.url) is no request that Shunt reads") }
        let explanation = result.explanation
        let shown = proxy.profiles?.library[explanation.profile]
        var writer = JSONWriter()
        explanation.write(to: &writer) { writer in
            let text = shown.map { ExplanationText(explanation, $0, active: proxy.profiles?.active).text }
            writer.member("text", text ?? "")
        }
        return Record(json: writer.bytes) ?? .blank
    }
}
