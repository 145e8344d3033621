public import JSON
import Recordings

extension ProfileLibrary {
    /// Explains the route that a request gets, with the other profiles that matter for it.
    ///
    /// - Parameters:
    ///   - profile: the one that responds.
    ///   - routes: by the profile's name, the index of the request's route; nil where patterns alone are to decide.
    ///   - live: what is known of profiles that respond now, by name; others have all routes on, and begin.
    package func explanation(
        of target: RequestTarget, method: String, headers: [(name: String, value: String)], json: JSONValue?,
        in profile: Profile, routes: [String: Int]?, live: [String: LiveProfile]
    ) -> Explanation {
        let label = environmentLabel(of: ContiguousArray(target.host.utf8).span).map { label in
            (
                environment: profiles[label.profile].name,
                host: String(decoding: target.host.utf8.dropFirst(label.length), as: UTF8.self)
            )
        }
        var seen = target
        if let label { seen.host = label.host }
        let request = ExplainedRequest(seen, method: method, headers: headers, json: json)
        return Explainer(library: self, request: request, routes: routes, live: live)
            .explanation(of: profile, url: target.url, label: label)
    }
}

extension Profile {
    /// Says which route's pattern fits a request, by the same decision as ``match(host:port:path:method:hasField:)``.
    ///
    /// The URL may lack its scheme (https is meant) or be a path alone (a request without a host). What other profiles
    /// of a chain would do is left out.
    ///
    /// - Parameters:
    ///   - states: of scenarios that are not where they begin.
    ///   - selection: the routes that are on; nil for all.
    public func explain(
        url: String, method: String = "GET", headers: [(name: String, value: String)] = [],
        json: JSONValue? = nil, states: [String: String] = [:], among selection: RouteSelection? = nil
    ) throws(Refusal) -> Explanation {
        let target = try RequestTarget(parsing: url)
        let request = ExplainedRequest(target, method: method, headers: headers, json: json)
        let live = LiveProfile(off: selection?.off ?? [], states: states)
        return Explainer(library: nil, request: request, routes: nil, live: [name: live])
            .explanation(of: self, url: target.url, label: nil)
    }
}

extension Profile {
    /// The routes that come nearest to a request that no route matches, at most five, with what keeps them from it.
    ///
    /// The time it takes does not grow with the number of routes.
    /// - Parameter off: indices of routes that are off.
    package func nearest(
        url: String, method: String, headers: [(name: String, value: String)], json: JSONValue?,
        states: [String: String], off: Set<Int>
    ) -> [Explanation.NearMiss] {
        guard let target = try? RequestTarget(parsing: url) else { return [] }
        var request = ExplainedRequest(target, method: method, headers: headers, json: json)
        request.states = states
        return nearest(to: request, off: off)
    }

    /// At most five, by how much of them fits.
    fileprivate func nearest(to request: ExplainedRequest, off: Set<Int>) -> [Explanation.NearMiss] {
        let scored = self.routes(near: request.target.host, request.path).map { at in
            var misses = request.misses(routes[at].pattern)
            // The body of a request is not read for a mock that is off.
            if off.contains(at), misses.allSatisfy({ $0.part == .body }), let name = routes[at].name {
                misses = [(.off, "the mock \(name) is off: `shunt mocks on \(name)`")]
            }
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

/// What is switched in a profile while it responds.
public struct LiveProfile: Sendable {
    /// Indices in ``Profile/routes`` of those that are off.
    public let off: Set<Int>
    /// Of scenarios that are not where they begin.
    public let states: [String: String]

    public init(off: Set<Int>, states: [String: String]) { (self.off, self.states) = (off, states) }

    /// What differs from a Shunt that has just begun; nil if nothing does.
    package func text(of profile: Profile) -> String? {
        let names = off.sorted().compactMap { profile.routes[$0].name }
        let changed = states.filter { profile.scenarios[$0.key] != $0.value }.sorted { $0.key < $1.key }
        let parts =
            (names.isEmpty ? [] : ["off: \(names.joined(separator: ", "))"])
            + changed.map { "state\($0.key.isEmpty ? "" : " of \($0.key)"): \($0.value)" }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}

/// Explains one request.
private struct Explainer {
    /// nil leaves other profiles out.
    let library: ProfileLibrary?
    let request: ExplainedRequest
    /// By the profile's name, where the request's route is; nil where patterns decide.
    let routes: [String: Int]?
    /// By the profile's name.
    let live: [String: LiveProfile]

    func explanation(of profile: Profile, url: String, label: (environment: String, host: String)?) -> Explanation {
        var asked: Set<String> = []
        return Explanation(
            profile: profile.name, method: request.method, url: url,
            path: String(decoding: request.path, as: UTF8.self), label: label, live: live[profile.name],
            outcome: response(of: profile, &asked).map { .withResponse($0) }
                ?? .withoutResponse(profile.nearest(to: self.request(to: profile), off: live[profile.name]?.off ?? [])))
    }

    /// - Parameter asked: profiles whose response is known.
    private func response(of profile: Profile, _ asked: inout Set<String>) -> Explanation.Response? {
        asked.insert(profile.name)
        let request = self.request(to: profile)
        let off = live[profile.name]?.off ?? []
        guard let chosen = routes.map({ $0[profile.name] }) ?? fitting(request, profile.routes(without: off)) else {
            return nil
        }
        let route = profile.routes[chosen]
        let order = profile.ranges.flatMap { level in
            let near = level.filter { $0 == chosen || request.fitsPlace(of: profile.routes[$0].pattern) }
            return RouteTable.sorted(near) { profile.routes[$0].pattern }
        }
        let next = order.first {
            $0 != chosen && !off.contains($0) && request.misses(profile.routes[$0].pattern).isEmpty
        }
        let (why, rule) = reason(route, next.map { profile.routes[$0] })
        return Explanation.Response(
            profile: profile, index: chosen, route: route, why: why, rule: rule,
            runnerUp: next.map { profile.routes[$0] },
            candidates: candidates(of: route, in: profile, &asked),
            recorded: route.recording.map { $0.note(on: request.asked($0.index.rules.headers)) },
            missed: missed(request, before: chosen, order, off, in: profile))
    }

    private func fitting(_ request: ExplainedRequest, _ routes: RouteSelection) -> Int? {
        routes.match(
            host: ContiguousArray(request.target.host.utf8).span, port: request.target.port,
            path: ContiguousArray(request.target.path).span, method: ContiguousArray(request.method.utf8).span,
            hasField: request.hasField, meets: { $0.isMet(by: request) })
    }

    /// What comes before the chosen route and misses the request by one condition.
    private func missed(
        _ request: ExplainedRequest, before chosen: Int, _ order: [Int], _ off: Set<Int>, in profile: Profile
    ) -> [Explanation.NearMiss] {
        let near = order.prefix { $0 != chosen }.lazy.compactMap { at -> Explanation.NearMiss? in
            let misses = request.misses(profile.routes[at].pattern)
            guard !off.contains(at), misses.count == 1, let miss = misses.first, miss.part.isCondition else {
                return nil
            }
            return Explanation.NearMiss(route: profile.routes[at], part: miss.part, reason: miss.reason)
        }
        return Array(near.prefix(3))
    }

    /// With the states that the profile's scenarios begin in, unless others are known.
    private func request(to profile: Profile) -> ExplainedRequest {
        var request = request
        request.states = (live[profile.name]?.states ?? [:]).merging(profile.scenarios) { known, _ in known }
        return request
    }

    private func candidates(of route: Route, in profile: Profile, _ asked: inout Set<String>) -> [Explanation.Candidate]
    {
        zip(route.candidates, route.trustRules).map { candidate, rule in
            switch candidate {
            case .origin(let address):
                let path = request.target(changedBy: route.changes?.request)
                return .origin(
                    Explanation.OriginCandidate(
                        address: address, url: address.description + path, rule: rule.map { profile.trust[$0] }))
            case .profile(let name):
                if asked.contains(name) { return .repeated(name) }
                return .profile(name, library?[name].flatMap { response(of: $0, &asked) })
            }
        }
    }

    private func reason(_ first: Route, _ second: Route?) -> (String, SpecificityRule?) {
        guard let second else { return ("it is the only route that matches", nil) }
        guard first.profile == second.profile else {
            return ("\(first.profile) is asked before \(second.profile), which it extends", .level)
        }
        guard first.file == second.file else { return ("\(first.file) is laid over \(second.file)", .level) }
        let (mine, other) = (first.pattern, second.pattern)
        let rule = RouteRank(mine).precedence(over: RouteRank(other))?.by ?? .order
        let text =
            switch rule {
            case .host: "its host \(mine.host) is more specific than \(other.host)"
            case .path: "its path \(mine.path) is more specific than \(other.path)"
            case .method: "it names the method"
            case .headers: "it asks for more headers, \(mine.fields.count) instead of \(other.fields.count)"
            case .match: "it asks for more of the request"
            case .order, .level: "it comes first in the file"
            }
        return (text, rule)
    }
}

extension Explanation.NearMiss.Part {
    /// It is about the request beside host, path and method, by which most routes are told apart.
    fileprivate var isCondition: Bool {
        switch self {
        case .header, .query, .cookie, .body, .state: true
        case .host, .port, .path, .method, .off: false
        }
    }
}
