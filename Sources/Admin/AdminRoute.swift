import Bytes
import Engine
import JSON

/// A route of the admin interface; `docs/openapi.json` describes each.
package struct AdminRoute: Sendable {
    package let method: String
    /// A segment in braces matches any.
    package let path: String
    /// What a user must be allowed to do.
    package let permissions: [Permission]
    /// Its requests, which differ by a member of the body.
    package let forms: [AdminForm]
    /// The allowed query parameters.
    package let query: [String]

    init(_ method: String, _ path: String, _ permission: Permission, also: [Permission] = [], _ forms: [AdminForm]) {
        permissions = [permission] + also
        (self.method, self.path, self.forms) = (method, path, forms)
        query = forms.flatMap { $0.query }
    }

    /// One whose response is made of no table, or has other statuses than 200.
    init<Body, Reply>(
        _ request: AdminEndpoint<Body, Reply>, _ permission: Permission,
        responding response: @escaping @Sendable (AdminHandler, Record<Body>, AdminCall) async throws -> HandledResponse
    ) {
        self.init(request.method, request.path, permission, [AdminForm(request, responding: response)])
    }

    init<Body, Reply>(
        _ request: AdminEndpoint<Body, Reply>, _ permission: Permission, also: [Permission] = [],
        _ reply: @escaping @Sendable (AdminHandler, Record<Body>, AdminCall) async throws -> Record<Reply>
    ) {
        self.init(request.method, request.path, permission, also: also, [AdminForm(request, reply)])
    }

    func respond(_ handler: AdminHandler, _ call: AdminCall) async throws(AdminRefusal) -> HandledResponse {
        do {
            let body = forms.count > 1 ? try? JSONReader.read(call.request.body, dialect: .strict) : nil
            let chosen = forms.first { form in form.mark.map { !(body?[$0]?.isNull ?? true) } ?? true }
            guard let form = chosen else { throw AdminRefusal(400, "the body has too little") }
            let others = forms.flatMap(\.members).filter { !form.members.contains($0) }
            return try await form.response(handler, call, others)
        } catch {
            throw AdminRefusal(error)
        }
    }

    /// Something is different afterwards, so that the audit trail has it.
    package var isChange: Bool { method != "GET" && !path.hasPrefix("/v1/inspector/") || path == Self.login }

    /// It names profiles, their routes or mocks, so that files have to be read that were written before it.
    ///
    /// What the inspector asks each second, such as held exchanges, is not among these: a recording that grows would be
    /// read as often.
    package var readsProfiles: Bool { Self.ofProfiles.contains(path) }
    private static let ofProfiles: Set<String> = [
        API.use.path, API.useMine.path, API.routes.path, API.explain.path, API.origins.path, API.unlock.path,
        API.login.path, API.mocks.path, API.switchMocks.path, API.startSession.path, API.sessionRoutes.path,
        API.addSessionRoutes.path,
    ]

    /// Its name in the audit trail: `use`, `store/unlock`, `traffic/clear`.
    package var action: String {
        let words = path.split(separator: "/").dropFirst().filter { !$0.hasPrefix("{") }
        return words.joined(separator: "/") + (method == "DELETE" ? "/clear" : "")
    }

    /// The one route without the token that changes something.
    static let login = API.logIn.path
    /// Routes that say nothing but that Shunt runs.
    static let open: Set<String> = [API.health.path, API.readiness.path, login]
    /// Also opened by a token of its own.
    static let metrics = API.metrics.path

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
        let asked = Array(path.utf8.prefix(100))
        let ranked = all.map { (route: $0, distance: editDistance(Array($0.path.utf8), asked)) }
            .sorted { $0.distance < $1.distance }
        let near = ranked.prefix(3).map { "\($0.route.method) \($0.route.path)" }.joined(separator: ", ")
        throw AdminRefusal(
            404, "the admin interface has no \(path)",
            advice: "The nearest are \(near). `GET /openapi.json` describes all.")
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
