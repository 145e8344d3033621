import HTTP
import JSON
import Profiles

// Production is read-only until somebody unlocks it.
extension ClientExchange {
    /// GraphQL documents that are longer are not looked at.
    private static let longestQuery = 256 << 10

    /// Throws unless the request may go where the route leads.
    ///
    /// What can change something in production has to be allowed by its route, or production unlocked.
    @inline(never)
    func admit(_ route: RoutePlan) async throws(EngineFailure) {
        guard let guarded = route.guarded else { return }
        let guards = route.route.guards
        let risks = risks.filter { !$0.isAllowed(by: guards) }
        guard let first = risks.first else { return }
        if state.locks.isUnlocked(guarded) {
            notes.isUnlocked = true
            return
        }
        if case .method("POST") = first, risks.count == 1, guards.isGraphQL || pathMeansGraphQL {
            let reason = try await refusalOfGraphQL()
            guard let reason else { return }
            throw .guarded(guarded, reason)
        }
        throw .guarded(guarded, first.description)
    }

    private enum Risk: CustomStringConvertible {
        case webSocket, grpc
        case method(String)

        func isAllowed(by guards: GuardSettings) -> Bool {
            switch self {
            case .webSocket: guards.webSocket
            case .grpc: guards.grpc || guards.methods.contains("POST")
            case .method(let method): guards.methods.contains(method)
            }
        }

        var description: String {
            switch self {
            case .webSocket: "a WebSocket can change anything"
            case .grpc: "a gRPC call can change anything"
            case .method(let method): "\(method) can change something"
            }
        }
    }

    /// All that could change something: an origin need not see in a request what it calls itself first.
    private var risks: [Risk] {
        var risks: [Risk] = []
        if readUpgrade() { risks.append(.webSocket) }
        let isCall = isGRPC
        if isCall { risks.append(.grpc) }
        // A call is a POST (gRPC over HTTP/2, requests), and nothing else is one.
        if request.method.isSafe || isCall && request.method == .post { return risks }
        risks.append(.method(String(headBytes.extracting(request.methodRange))))
        if let method = methodOverride { risks.append(.method(method)) }
        return risks
    }

    private var isGRPC: Bool {
        guard let type = request.field(.contentType) else { return false }
        return String(headBytes.extracting(type.value)).lowercased().hasPrefix("application/grpc")
    }

    /// The method that a request's field asks servers to take it for; nil for a safe one.
    private var methodOverride: String? {
        let bytes = headBytes
        for field in request.fields where field.id == .other {
            switch String(bytes.extracting(field.name)).lowercased() {
            case "x-http-method-override", "x-http-method", "x-method-override":
                let method = String(bytes.extracting(field.value)).uppercased()
                if !Method.lookup(ContiguousArray(method.utf8).span).isSafe { return method }
            default: continue
            }
        }
        return nil
    }

    private var pathMeansGraphQL: Bool {
        let path = String(headBytes.extracting(request.path)).lowercased()
        return path.split(separator: "/").contains { $0 == "graphql" || $0 == "gql" }
    }

    /// Why the request's content is no GraphQL query; nil if it is one.
    private func refusalOfGraphQL() async throws(EngineFailure) -> String? {
        if GraphQLOperation.isNamed(inQuery: headBytes.extracting(request.query)) {
            return "a GraphQL request whose URL names an operation, which servers prefer to the content's"
        }
        // Servers do not agree on which of several counts.
        guard request.fields.count(where: { $0.id == .contentType }) < 2 else {
            return "a GraphQL request with several types of content"
        }
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
