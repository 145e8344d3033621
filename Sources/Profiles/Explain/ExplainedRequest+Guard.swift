extension ExplainedRequest {
    /// The decision of production's guard on this request, as far as it can be made without its body.
    ///
    /// - Parameter library: the other profiles; nil leaves them out.
    func guarding(by route: Route, in profile: Profile, of library: ProfileLibrary?) -> Explanation.Guarding {
        guard let guarded = writeGuard(of: route, in: profile, library) else { return .none }
        let allow = route.guards
        func refused(_ what: String) -> Explanation.Guarding {
            .refused(what, profiles: guarded.profiles, reason: guarded.reason)
        }
        if isWebSocket, !allow.webSocket { return refused("a WebSocket") }
        let isCall = isGRPC
        if isCall, !allow.grpc, !allow.methods.contains("POST") { return refused("gRPC") }
        let isSafe = ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method)
        let isAllowed = isSafe || allow.methods.contains(method) || isCall && method == "POST"
        let asksByURL = ["GET", "HEAD"].contains(method) && target.query.count > 1 && !allow.methods.contains("POST")
        let isGraphQL =
            (method == "POST" || asksByURL) && (allow.isGraphQL || route.responder.isGraphQL(target.path))
        if !isAllowed && !isGraphQL { return refused(method) }
        if let other = overrides.first(where: { !allow.methods.contains($0) }) {
            return refused("\(method) that asks to be taken for \(other)")
        }
        if !isAllowed || asksByURL && isGraphQL { return refused("a GraphQL mutation") }
        if !isSafe || isWebSocket || isCall || !overrides.isEmpty {
            if mayLeadElsewhere(target.path) {
                return refused("\(method), by a path that servers may read as another one,")
            }
            if headers.contains(where: { TargetOverride.isNamed($0.name) }) {
                return refused("\(method), with a field that may name another path,")
            }
        }
        if isWebSocket { return .passes("\"allow\" names websocket") }
        if isCall { return .passes("\"allow\" names \(allow.methods.contains("POST") ? "POST" : "grpc")") }
        return .passes(isSafe ? "\(method) is safe" : "\"allow\" names \(method)")
    }

    /// The guards of a route and of all its origins as one.
    private func writeGuard(of route: Route, in profile: Profile, _ library: ProfileLibrary?) -> WriteGuard? {
        guard let library else {
            return profile.guardedName(of: route).map { WriteGuard(profiles: [$0], reason: nil) }
        }
        let all =
            [library.writeGuard(of: route, in: profile)]
            + route.responder.addresses.map { library.writeGuard(of: $0, askedBy: route, in: profile) }
        var profiles: [String] = []
        for name in all.flatMap({ $0?.profiles ?? [] }) where !profiles.contains(name) { profiles.append(name) }
        return profiles.isEmpty
            ? nil : WriteGuard(profiles: profiles, reason: all.lazy.compactMap { $0?.reason }.first)
    }

    private var overrides: [String] {
        headers.flatMap { MethodOverride.methods(named: $0.name, value: $0.value) }
            + MethodOverride.methods(inQuery: Array(target.query.utf8.dropFirst()))
    }

    private var isWebSocket: Bool {
        target.scheme.hasPrefix("ws") || value(of: "upgrade") != nil
    }

    private var isGRPC: Bool { value(of: "content-type")?.lowercased().hasPrefix("application/grpc") ?? false }
}

extension ResponderSettings {
    /// Whether a request's path is that of GraphQL at every origin that is asked, with what the origin puts in front.
    package func isGraphQL(_ path: [UInt8]) -> Bool {
        addresses.allSatisfy { isGraphQLPath(Array($0.basePath.utf8) + path) } && isGraphQLPath(path)
    }
}
