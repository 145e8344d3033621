extension Profile {
    /// A request in the form that matching uses.
    private struct Request {
        let host: String
        let port: UInt16?
        let path: [UInt8]
        let method: String
        let headers: [(name: String, value: String)]
    }

    /// Says who would answer a request for `url`, and why.
    /// - Parameter headers: names in any case.
    public func explain(
        url: String, method: String = "GET", headers: [(name: String, value: String)] = []
    ) throws(ExplanationError) -> Explanation {
        let (authority, path, query) = try Self.split(url)
        let address: OriginAddress
        do throws(PatternError) {
            address = try OriginAddress(reading: "http://" + authority)
        } catch {
            throw ExplanationError(message: "\"\(url)\" is no URL: expected one such as https://api.shop.test/v1/cart")
        }
        let request = Request(
            host: address.host, port: authority.hasSuffix(":\(address.port)") ? address.port : nil,
            path: PathName.normalised(Array(path.utf8)), method: method, headers: headers)
        let matching = routes.indices.filter { mismatch(routes[$0], request) == nil }
        guard let first = matching.first else {
            return Explanation(
                profile: name, kind: kind, method: method, url: url, route: nil, reason: "no route matches",
                target: nil, trust: nil, policy: nil, nearMisses: near(request))
        }
        let route = routes[first]
        var target: String?
        var rule: TrustRule?
        var policy: TrustPolicy?
        if case .origin(let origin, _) = route.responder {
            target = origin.description + path + query
            if origin.isTLS {
                rule = ProfileLinker.rule(for: origin.host, trust)
                policy = origin.trust
            }
        }
        return Explanation(
            profile: name, kind: kind, method: method, url: url, route: route,
            reason: reason(for: route, before: matching.dropFirst().first.map { routes[$0] }), target: target,
            trust: rule, policy: policy, nearMisses: [])
    }

    /// The routes that came nearest to a request that none matches, as lines for people.
    public func nearMisses(host: String, path: String, method: String) -> [String] {
        let (name, port) = Self.hostAndPort(host)
        let request = Request(
            host: name, port: port, path: PathName.normalised(Array(path.utf8)), method: method, headers: [])
        return near(request).map { "\($0.label): \($0.reason)" }
    }

    private func reason(for route: Route, before runnerUp: Route?) -> String {
        guard let runnerUp else { return "it is the only route that matches" }
        let other = "\(runnerUp.label) (\(runnerUp.place))"
        if route.profile != runnerUp.profile {
            return "\(route.profile) comes before \(runnerUp.profile), which it extends; else it would be \(other)"
        }
        if route.pattern.host.rank != runnerUp.pattern.host.rank {
            return "its host is more specific than that of \(other)"
        }
        let why = route.pattern.precedes(runnerUp.pattern)?.reason ?? "it comes first"
        return "\(why), compared with \(other)"
    }

    /// The first thing that keeps a route from matching, with how far it got; nil when it matches.
    private func mismatch(_ route: Route, _ request: Request) -> (depth: Int, reason: String)? {
        let pattern = route.pattern
        guard pattern.host.matches(request.host) else {
            return (0, "the host \(request.host) is not \(pattern.host.text)")
        }
        if let port = pattern.host.port, port != request.port {
            return (1, "the port \(request.port.map { "\($0)" } ?? "(none named)") is not \(port)")
        }
        if let segment = pattern.path.mismatch(request.path.span) {
            return (2 + segment, "the path differs from \(pattern.path.text) at segment \(segment)")
        }
        if let methods = pattern.methods, !methods.contains(request.method) {
            return (100, "the method \(request.method) is not \(methods.joined(separator: " or "))")
        }
        for (name, value) in pattern.headers {
            let there = request.headers.contains { $0.name.lowercased() == name && (value == nil || $0.value == value) }
            if !there { return (101, "the field \(name)\(value.map { ": \($0)" } ?? "") is not there") }
        }
        return nil
    }

    private func near(_ request: Request) -> [Explanation.NearMiss] {
        routes.compactMap { route in mismatch(route, request).map { (route, $0) } }
            .sorted { $0.1.depth > $1.1.depth }
            .prefix(5)
            .map { Explanation.NearMiss(label: $0.label, place: $0.place, reason: $1.reason) }
    }

    private static func split(_ url: String) throws(ExplanationError) -> (
        authority: String, path: String, query: String
    ) {
        var rest = url[...]
        for scheme in ["https://", "http://", "wss://", "ws://"] where url.lowercased().hasPrefix(scheme) {
            rest = url.dropFirst(scheme.count)
        }
        guard !rest.contains("://") else {
            throw ExplanationError(message: "\"\(url)\" has a scheme other than http, https, ws and wss")
        }
        let authority = String(rest.prefix { !"/?#".contains($0) })
        let tail = rest.dropFirst(authority.count).prefix { $0 != "#" }
        let path = String(tail.prefix { $0 != "?" })
        return (authority, path.isEmpty ? "/" : path, String(tail.drop { $0 != "?" }))
    }

    private static func hostAndPort(_ authority: String) -> (String, UInt16?) {
        guard let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]"),
            let port = UInt16(authority[authority.index(after: colon)...])
        else { return (HostName.normalised(authority) ?? authority, nil) }
        let host = String(authority[..<colon])
        return (HostName.normalised(host) ?? host, port)
    }
}
