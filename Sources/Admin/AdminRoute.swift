import Engine
import Store

/// A route of the admin interface; `docs/openapi.json` describes each.
package struct AdminRoute: Sendable {
    typealias Response = @Sendable (AdminHandler, AdminCall) async throws(AdminRefusal) -> HandledResponse

    package let method: String
    /// A segment in braces matches any.
    package let path: String
    /// The allowed query parameters.
    package let query: [String]
    /// What a user must be allowed to do.
    package let permissions: [Permission]
    let response: Response

    init(
        _ method: String, _ path: String, _ permission: Permission, also: [Permission] = [], query: [String] = [],
        _ response: @escaping Response
    ) {
        permissions = [permission] + also
        self.method = method
        self.path = path
        self.query = query
        self.response = response
    }

    /// Something is different afterwards, so that the audit trail has it.
    package var isChange: Bool { method != "GET" && !path.hasPrefix("/v1/inspector/") || path == Self.login }

    /// Its name in the audit trail: `use`, `store/unlock`, `traffic/clear`.
    package var action: String {
        let words = path.split(separator: "/").dropFirst().filter { !$0.hasPrefix("{") }
        return words.joined(separator: "/") + (method == "DELETE" ? "/clear" : "")
    }

    /// The one route without the token that changes something.
    static let login = "/v1/inspector/login"
    /// Routes that say nothing but that Shunt runs.
    static let open: Set<String> = ["/healthz", "/readyz", login]
    /// Also opened by a token of its own.
    static let metrics = "/metrics"

    package static let all = [
        AdminRoute("GET", "/openapi.json", .status) { _, _ in OpenAPI.response },

        AdminRoute("GET", "/healthz", .status) { handler, _ in handler.health() },
        AdminRoute("GET", "/readyz", .status) { handler, _ in handler.readiness() },
        AdminRoute("GET", metrics, .status) { (handler, _) throws(AdminRefusal) in try await handler.metrics() },

        AdminRoute("GET", "/v1/status", .status) { handler, _ in await handler.status() },
        AdminRoute("GET", "/v1/cluster", .status) { (handler, _) throws(AdminRefusal) in
            try await handler.showCluster()
        },
        AdminRoute("GET", "/v1/probe", .use) { handler, _ in await handler.probe() },
        AdminRoute("POST", "/v1/reload", .use) { (handler, call) throws(AdminRefusal) in
            _ = try call.body()
            return await handler.reload()
        },
        AdminRoute("POST", "/v1/use", .use) { (handler, call) throws(AdminRefusal) in try await handler.use(call) },

        AdminRoute("POST", "/v1/use/mine", .status) { (handler, call) throws(AdminRefusal) in
            try await handler.useMine(call)
        },

        AdminRoute("GET", "/v1/devices", .devices) { handler, _ in handler.listDevices() },
        AdminRoute("POST", "/v1/devices/forget", .devices) { (handler, call) throws(AdminRefusal) in
            try await handler.forgetDevices(call)
        },
        AdminRoute("POST", "/v1/pair", .devices) { (handler, call) throws(AdminRefusal) in
            try await handler.pair(call)
        },

        AdminRoute("GET", "/v1/mocks", .status, query: ["profile", "device"]) { (handler, call) throws(AdminRefusal) in
            try handler.listMocks(call)
        },
        AdminRoute("POST", "/v1/mocks", .mocks) { (handler, call) throws(AdminRefusal) in
            try await handler.switchMocks(call)
        },

        AdminRoute("GET", "/v1/push/received", .logs, query: ["after", "limit"]) {
            (handler, call) throws(AdminRefusal) in
            try handler.listPushes(call)
        },
        AdminRoute("DELETE", "/v1/push/received", .clear) { handler, _ in handler.forgetPushes() },

        AdminRoute("GET", "/v1/network", .status) { handler, _ in handler.showNetworks() },
        AdminRoute("POST", "/v1/network", .network) { (handler, call) throws(AdminRefusal) in
            try await handler.chooseNetwork(call)
        },

        AdminRoute("GET", "/v1/routes", .status, query: ["profile"]) { (handler, call) throws(AdminRefusal) in
            try handler.listRoutes(call)
        },
        AdminRoute("GET", "/v1/explain", .status, query: ["url", "method", "profile"]) {
            (handler, call) throws(AdminRefusal) in try await handler.explain(call)
        },

        AdminRoute("GET", "/v1/origins", .status) { (handler, _) throws(AdminRefusal) in try handler.listOrigins() },

        AdminRoute("POST", "/v1/unlock", .unlock) { (handler, call) throws(AdminRefusal) in
            try await handler.unlock(call)
        },
        AdminRoute("POST", "/v1/lock", .unlock) { (handler, call) throws(AdminRefusal) in try await handler.lock(call)
        },

        AdminRoute("POST", "/v1/store/unlock", .admin) { (handler, call) throws(AdminRefusal) in
            try await handler.unlockStore(call)
        },
        AdminRoute("POST", "/v1/store/lock", .admin) { (handler, call) throws(AdminRefusal) in
            _ = try call.body()
            return try handler.lockStore()
        },

        AdminRoute("POST", "/v1/inspector/link", .status) { (handler, call) throws(AdminRefusal) in
            try handler.makeInspectorLink(call)
        },
        AdminRoute("POST", login, .status) { (handler, call) throws(AdminRefusal) in try handler.logIn(call) },

        AdminRoute("GET", "/v1/tokens", .admin) { (handler, _) throws(AdminRefusal) in try handler.listTokens() },
        AdminRoute("POST", "/v1/tokens", .admin) { (handler, call) throws(AdminRefusal) in
            try handler.makeToken(call)
        },
        AdminRoute("POST", "/v1/tokens/revoke", .admin) { (handler, call) throws(AdminRefusal) in
            try handler.revokeTokens(call)
        },
        AdminRoute("GET", "/v1/audit", .audit, query: ["since", "user", "limit"]) {
            (handler, call) throws(AdminRefusal) in try handler.listAudit(call)
        },

        AdminRoute("GET", "/v1/traffic", .logs, query: ["filter", "limit", "order", "cursor"]) {
            (handler, call) throws(AdminRefusal) in try await handler.listTraffic(call)
        },
        AdminRoute("DELETE", "/v1/traffic", .clear, query: ["filter"]) { (handler, call) throws(AdminRefusal) in
            try await handler.removeTraffic(call)
        },
        AdminRoute("GET", "/v1/traffic/newest", .logs) { (handler, _) throws(AdminRefusal) in
            try await handler.newestTraffic()
        },
        AdminRoute("GET", "/v1/traffic/stats", .logs, query: ["filter", "by", "limit"]) {
            (handler, call) throws(AdminRefusal) in try await handler.countTraffic(call)
        },
        AdminRoute("GET", "/v1/traffic/events", .logs, query: ["filter", "form"]) {
            (handler, call) throws(AdminRefusal) in
            try await handler.followTraffic(call)
        },
        AdminRoute("GET", "/v1/traffic/export", .logs, query: ["filter", "format"]) {
            (handler, call) throws(AdminRefusal) in
            try await handler.exportTraffic(call)
        },
        AdminRoute("GET", "/v1/operators", .status) { handler, _ in handler.listOperators() },
        AdminRoute("GET", "/v1/traffic/{id}", .logs, query: ["after", "bodies"]) {
            (handler, call) throws(AdminRefusal) in
            try await handler.showExchange(call)
        },
        AdminRoute("GET", "/v1/traffic/{id}/request/body", .logs) { (handler, call) throws(AdminRefusal) in
            try await handler.sendBody(call, .request)
        },
        AdminRoute("GET", "/v1/traffic/{id}/response/body", .logs) { (handler, call) throws(AdminRefusal) in
            try await handler.sendBody(call, .response)
        },
        AdminRoute("GET", "/v1/traffic/{id}/request/text", .logs) { (handler, call) throws(AdminRefusal) in
            try await handler.showBody(call, .request)
        },
        AdminRoute("GET", "/v1/traffic/{id}/response/text", .logs) { (handler, call) throws(AdminRefusal) in
            try await handler.showBody(call, .response)
        },
        AdminRoute("GET", "/v1/traffic/{id}/changes", .logs) { (handler, call) throws(AdminRefusal) in
            try await handler.showChanges(call)
        },
        AdminRoute("GET", "/v1/traffic/{id}/code", .logs, query: ["as"]) { (handler, call) throws(AdminRefusal) in
            try await handler.showCode(call)
        },
        AdminRoute("POST", "/v1/requests", .replay, also: [.logs]) { (handler, call) throws(AdminRefusal) in
            try await handler.sendRequest(call)
        },
        AdminRoute("POST", "/v1/traffic/{id}/replay", .replay, also: [.logs]) { (handler, call) throws(AdminRefusal) in
            try await handler.replay(call)
        },
        AdminRoute("POST", "/v1/traffic/{id}/mock", .mocks, also: [.logs]) { (handler, call) throws(AdminRefusal) in
            try await handler.makeMock(call)
        },
    ]

    /// The route that a request line names, and the value of its segment in braces.
    static func find(method: String, path: some StringProtocol) throws(AdminRefusal) -> (AdminRoute, String) {
        let candidates = all.compactMap { route in route.segment(of: path).map { (route, $0) } }
        let wanted = method == "HEAD" ? "GET" : method
        if let found = candidates.first(where: { $0.0.method == wanted }) { return found }
        guard candidates.isEmpty else {
            let allowed = candidates.map(\.0.method).map { $0 == "GET" ? "GET, HEAD" : $0 }.joined(separator: ", ")
            throw AdminRefusal(
                405, "\(method) is not allowed on \(path)", advice: "Use \(allowed).", fields: [("Allow", allowed)])
        }
        let known = all.map { "\($0.method) \($0.path)" }.joined(separator: ", ")
        throw AdminRefusal(404, "the admin interface has no \(path)", advice: "It has \(known).")
    }

    /// The value of the segment in braces, empty if there is none; nil if the path is another one.
    private func segment(of path: some StringProtocol) -> String? {
        let own = self.path.split(separator: "/", omittingEmptySubsequences: false)
        let given = path.split(separator: "/", omittingEmptySubsequences: false)
        guard own.count == given.count else { return nil }
        var found = ""
        for (own, given) in zip(own, given) where own != given {
            // A reserved name is no exchange's.
            guard own.hasPrefix("{"), given.first?.isNumber ?? false else { return nil }
            found = String(given)
        }
        return found
    }
}
