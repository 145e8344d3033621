import HTTP
import JSON
import Profiles

// Production is read-only until somebody unlocks it.
extension ClientConnection {
    /// GraphQL documents that are longer are not looked at.
    private static let longestQuery = 256 << 10

    /// Throws unless the request may go where the route leads.
    ///
    /// What can change something in production has to be allowed by its route, or production unlocked.
    func admit(_ route: RoutePlan) async throws(EngineFailure) {
        guard let guarded = route.guarded else { return }
        let kind = risk
        let guards = route.route.guards
        switch kind {
        case .none: return
        case .webSocket: if guards.webSocket { return }
        case .grpc: if guards.grpc || guards.methods.contains("POST") { return }
        case .method(let method): if guards.methods.contains(method) { return }
        }
        if state.locks.isUnlocked(guarded) {
            notes.isUnlocked = true
            return
        }
        if case .method("POST") = kind, guards.isGraphQL || pathMeansGraphQL {
            let reason = try await refusalOfGraphQL()
            guard let reason else { return }
            throw .guarded(guarded, reason)
        }
        throw .guarded(guarded, kind.description)
    }

    private enum Risk: CustomStringConvertible {
        case none, webSocket, grpc
        case method(String)

        var description: String {
            switch self {
            case .none: ""
            case .webSocket: "a WebSocket can change anything"
            case .grpc: "a gRPC call can change anything"
            case .method(let method): "\(method) can change something"
            }
        }
    }

    private var risk: Risk {
        let bytes = headBytes
        if request.upgrade { return .webSocket }
        if let type = request.field(.contentType),
            String(bytes.extracting(type.value)).lowercased().hasPrefix("application/grpc")
        {
            return .grpc
        }
        return request.method.isSafe ? .none : .method(String(bytes.extracting(request.methodRange)))
    }

    private var pathMeansGraphQL: Bool {
        let path = String(headBytes.extracting(request.path)).lowercased()
        return path.split(separator: "/").contains { $0 == "graphql" || $0 == "gql" }
    }

    /// Why the request's content is no GraphQL query; nil if it is one.
    private func refusalOfGraphQL() async throws(EngineFailure) -> String? {
        try await hold(most: Self.longestQuery)
        guard let held, held.isComplete else { return "a GraphQL request without a query of at most 256 KiB" }
        let type = request.field(.contentType).map { String(headBytes.extracting($0.value)).lowercased() } ?? ""
        return GraphQLOperation.refusal(of: held.bytes, contentType: type)
    }
}

extension EngineFailure {
    static func guarded(_ profile: String, _ reason: String) -> EngineFailure {
        EngineFailure(
            .client, .route, status: 403, "\(profile) is read-only: \(reason)",
            advice: "To let it through for a while: shunt unlock \(profile) --for 10m --reason \"...\". To let this "
                + "route always do it, name the method under \"allow\" in the profile.",
            kind: .guarded(profile: profile))
    }
}
