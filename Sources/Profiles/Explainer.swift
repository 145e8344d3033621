extension Profile {
    /// Says which route would answer a request, by the same decision as ``match(host:port:path:method:hasField:)``.
    ///
    /// The URL may lack its scheme (https is meant) or be a path alone (a request without a host).
    public func explain(
        url: String, method: String = "GET", headers: [(name: String, value: String)] = []
    ) throws(ExplainFailure) -> Explanation {
        let target: RequestTarget
        do throws(Refusal) {
            target = try RequestTarget(parsing: url)
        } catch {
            throw ExplainFailure(message: error.message, expected: error.expected, hint: error.hint)
        }
        let request = ExplainedRequest(target, method: method, headers: headers)
        let chosen = match(
            host: ContiguousArray(target.host.utf8).span, port: target.port, path: ContiguousArray(target.path).span,
            method: ContiguousArray(method.utf8).span, hasField: request.hasField)
        return Explanation(
            profile: name, method: method, url: target.url, path: String(decoding: request.path, as: UTF8.self),
            outcome: chosen.map { .answered(answer($0, to: request)) } ?? .unanswered(nearest(to: request)))
    }

    private func answer(_ index: Int, to request: ExplainedRequest) -> Explanation.Answer {
        let route = routes[index]
        let order = ranges.flatMap { RouteTable.sorted($0, routes.map(\.pattern)) }
        let next = order.first { $0 != index && request.misses(routes[$0].pattern).isEmpty }
        var origin: String?
        if case .origin(let address, _) = route.responder {
            origin = address.description + String(decoding: request.target.path, as: UTF8.self) + request.target.query
        }
        let (why, rule) = reason(index, next)
        return Explanation.Answer(
            index: index, route: route, why: why, rule: rule, runnerUp: next.map { routes[$0] }, origin: origin,
            trustRule: route.trustRule.map { trust[$0] })
    }

    private func reason(_ index: Int, _ next: Int?) -> (String, SpecificityRule?) {
        guard let next else { return ("it is the only route that matches", nil) }
        let (first, second) = (routes[index], routes[next])
        guard first.profile == second.profile else {
            return ("\(first.profile) is asked before \(second.profile), which it extends", .level)
        }
        let (mine, other) = (first.pattern, second.pattern)
        let rule = mine.precedence(over: other)?.by ?? .order
        let text =
            switch rule {
            case .host: "its host \(mine.host) is more specific than \(other.host)"
            case .path: "its path \(mine.path) is more specific than \(other.path)"
            case .method: "it names the method"
            case .headers: "it asks for more headers, \(mine.fields.count) instead of \(other.fields.count)"
            case .order, .level: "it comes first in the file"
            }
        return (text, rule)
    }

    /// At most five, by how much of them fits.
    private func nearest(to request: ExplainedRequest) -> [Explanation.NearMiss] {
        let scored = routes.indices.map { at in
            let misses = request.misses(routes[at].pattern)
            let cost = misses.reduce(0) { $0 + ($1.part == .host ? 3 : 1) }
            return (at: at, misses: misses, cost: cost, common: request.commonSegments(routes[at].pattern.path))
        }
        let sorted = scored.sorted { ($0.cost, -$0.common, $0.at) < ($1.cost, -$1.common, $1.at) }
        return sorted.prefix(5).compactMap { entry in
            entry.misses.first.map {
                Explanation.NearMiss(route: routes[entry.at], part: $0.part, reason: $0.reason)
            }
        }
    }
}
