import HTTP
import Profiles

/// The check of a request to production, which is read-only until it is unlocked.
///
/// The request is checked as it would arrive, with the route's changes.
struct Admission {
    let exchange: ClientExchange
    private let route: Route
    /// The request as it would arrive.
    let sent: OwnedHead

    private init(_ exchange: ClientExchange, _ route: Route) {
        (self.exchange, self.route, sent) = (exchange, route, exchange.sent)
    }

    /// Throws unless the request may go to an origin: everything that can change something in production must be allowed
    /// by the route, or production must be unlocked.
    ///
    /// The only check, after every edit and before the way out.
    @inline(never)
    static func admit(_ exchange: ClientExchange, to origin: OriginGuard?) async throws(EngineFailure) {
        for outer in exchange.way.guards { try await Admission(exchange, outer.route).check(by: outer.guarded) }
        guard let origin else { return }
        if let push = origin.push { try OriginGuard.admitToPush(push, exchange.request) }
        let admission = Admission(exchange, origin.route)
        if let guarded = origin.guarded { try await admission.check(by: guarded) }
        if let guarded = try await origin.production(for: exchange) { try await admission.check(by: guarded) }
    }

    private func check(by guarded: WriteGuard) async throws(EngineFailure) {
        let locked = guarded.profiles.filter { !exchange.state.locks.isUnlocked($0) }
        guard !locked.isEmpty else {
            if risks.contains(where: { !$0.isAllowed(by: route.guards) }) {
                exchange.metrics.incidents.isUnlocked = true
            }
            return
        }
        exchange.way.isReadOnly = true
        if let reason = try await refusal() { throw .guarded(locked: locked, reason, guarded.reason) }
    }

    /// Why the request may change something that its route does not allow; nil where it passes.
    private func refusal() async throws(EngineFailure) -> String? {
        let isGraphQL = meansGraphQL
        let all = risks
        let risks = all.filter { !$0.isAllowed(by: route.guards) }
        var reason: String?
        switch risks.first {
        case .method("POST") where risks.count == 1 && isGraphQL: reason = try await refusalOfGraphQL()
        case let first?: reason = first.description
        case nil where isGraphQL && !exchange.request.upgrade.isAsked: reason = try await refusalOfGraphQL()
        case nil: reason = try await refusalOfBody(route.guards)
        }
        return reason ?? (all.isEmpty ? nil : refusalOfTarget)
    }

    /// What the guard says of a request that is explained.
    static func explain(
        _ exchange: ClientExchange, by guarded: WriteGuard, of route: Route
    ) async throws(EngineFailure) -> Explanation.Guarding {
        let admission = Admission(exchange, route)
        if let reason = try await admission.refusal() {
            return .refused(reason, profiles: guarded.profiles, cause: guarded.reason)
        }
        let risks = admission.risks
        guard risks.allSatisfy({ $0.isAllowed(by: route.guards) }) else { return .passes("it is a GraphQL query") }
        guard !risks.isEmpty else {
            return .passes("\(admission.sent.text(admission.sent.head.methodRange)) is safe")
        }
        return .passes("\"allow\" names \(risks.map { $0.name(in: route.guards) }.joined(separator: " and "))")
    }

    private enum Risk: CustomStringConvertible {
        case webSocket, grpc
        case method(String)
        case override(String)

        func isAllowed(by guards: GuardSettings) -> Bool {
            switch self {
            case .webSocket: guards.webSocket
            case .grpc: guards.grpc || guards.methods.contains("POST")
            case .method(let method), .override(let method): guards.methods.contains(method)
            }
        }

        /// As `allow` has it.
        func name(in guards: GuardSettings) -> String {
            switch self {
            case .webSocket: "websocket"
            case .grpc: guards.grpc ? "grpc" : "POST"
            case .method(let method), .override(let method): method
            }
        }

        var description: String {
            switch self {
            case .webSocket: "a WebSocket can change anything"
            case .grpc: "a gRPC call can change anything"
            case .method(let method): "\(method) can change something"
            case .override(let method): "a request that asks to be taken for \(method.prefix(40)) can change something"
            }
        }
    }

    /// Everything in the head that could change something: origins may read another risk than the first one.
    private var risks: [Risk] {
        var risks: [Risk] = []
        if exchange.request.upgrade.isAsked { risks.append(.webSocket) }
        let isCall = sent.isGRPC
        if isCall { risks.append(.grpc) }
        // A gRPC call is a POST; with other methods it is no call.
        if !sent.head.method.isSafe && !(isCall && sent.head.method == .post) {
            risks.append(.method(sent.text(sent.head.methodRange)))
        }
        // Servers take overrides on safe methods, too.
        return risks + overrides.map { .override($0) }
    }

    /// The methods that fields and parameters ask servers to take the request for.
    private var overrides: [String] {
        var methods: [String] = []
        for field in sent.head.fields where field.id == .other {
            guard let demand = MethodOverride.demand(of: sent.array(field.name)) else { continue }
            methods += MethodOverride.methods(in: sent.array(field.value), demand)
        }
        return methods + MethodOverride.methods(inQuery: sent.array(sent.head.query))
    }

    /// Why a request that its route lets through may reach another path than the route's.
    private var refusalOfTarget: String? {
        if mayLeadElsewhere(sent.array(sent.head.path)) {
            return "a path that servers may read as another one can lead past what the route allows"
        }
        let field = sent.head.fields.first {
            $0.id == .other && TargetOverride.isNamed(sent.array($0.name))
        }
        return field.map { "the field \(sent.text($0.name).prefix(40)) may name another path" }
    }

    /// Whether a GET, HEAD or POST is GraphQL, whose operation decides; no route allows all of them.
    private var meansGraphQL: Bool {
        guard sent.head.method == .get || sent.head.method == .head || sent.head.method == .post,
            !route.guards.methods.contains("POST")
        else { return false }
        return route.guards.isGraphQL || route.responder.isGraphQL(sent.array(sent.head.path))
    }
}

extension EngineFailure {
    /// - Parameter cause: why it is production, if that is not obvious.
    static func guarded(locked: [String], _ reason: String, _ cause: String?) -> EngineFailure {
        let names = locked.joined(separator: " and ")
        let commands = Locks.commands(toUnlock: locked)
        return EngineFailure(
            .client, .route, status: 403,
            "\(names) \(locked.count == 1 ? "is" : "are") read-only: \(reason)"
                + (cause.map { "; \($0)" } ?? ""),
            advice:
                "To let it through for a while: \(commands.joined(separator: "; ")). To let this route always do it, "
                + "name the method under \"allow\" in the profile.",
            kind: .guarded(profiles: locked))
    }
}
