extension ExplainedRequest {
    /// What the guard of production says to this request, as far as it can be told without its content.
    func guarding(by route: Route, in profile: Profile) -> Explanation.Guarding {
        guard let name = profile.guardedName(of: route) else { return .none }
        let allow = route.guards
        if isWebSocket {
            return allow.webSocket ? .passes("\"allow\" names websocket") : .refused("a WebSocket", profile: name)
        }
        if isGRPC, allow.methods.contains("POST") { return .passes("\"allow\" names POST") }
        if isGRPC { return allow.grpc ? .passes("\"allow\" names grpc") : .refused("gRPC", profile: name) }
        // RFC 9110, 9.2.1.
        if ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) { return .passes("\(method) is safe") }
        if allow.methods.contains(method) { return .passes("\"allow\" names \(method)") }
        let isGraphQL = method == "POST" && (allow.isGraphQL || pathMeansGraphQL)
        return .refused(isGraphQL ? "a GraphQL mutation" : method, profile: name)
    }

    private var isWebSocket: Bool {
        target.scheme.hasPrefix("ws") || value(of: "upgrade") != nil
    }

    private var pathMeansGraphQL: Bool {
        let segments = String(decoding: target.path, as: UTF8.self).lowercased().split(separator: "/")
        return segments.contains { $0 == "graphql" || $0 == "gql" }
    }

    private var isGRPC: Bool { value(of: "content-type")?.lowercased().hasPrefix("application/grpc") ?? false }
}
