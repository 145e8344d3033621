public import Engine
import JSON
import Profiles
import Synchronization

/// Responds to requests to the admin interface; ``AdminRoute`` lists them.
///
/// It refuses all requests until ``listens(on:)`` told it the port that requests must name.
public final class AdminHandler: Handler {
    let proxy: Proxy
    let actions: AdminActions
    private let token: AdminToken
    let facts: AdminFacts
    private let storeDesk: StoreQueries?
    /// nil without an inspector.
    let inspector: InspectorLogin?
    let port = Mutex<UInt16?>(nil)

    public init(proxy: Proxy, token: AdminToken, facts: AdminFacts, actions: AdminActions) {
        self.proxy = proxy
        self.token = token
        self.facts = facts
        self.actions = actions
        storeDesk = facts.store.map(StoreQueries.init)
        inspector = facts.inspector.map(InspectorLogin.init)
    }

    /// The port is known only once the listener is there.
    public func listens(on port: UInt16) { self.port.withLock { $0 = port } }

    public func response(_ request: HandledRequest) async -> HandledResponse {
        do throws(AdminRefusal) {
            guard let port = port.withLock({ $0 }) else { throw AdminRefusal(503, "the admin interface is starting") }
            let gate = AdminGate(token: token, port: port, inspector: inspector)
            try gate.admitPlace(of: request)
            let path = request.target.prefix { $0 != "?" }
            if let inspector, let page = InspectorPages(login: inspector, port: port).response(request, path) {
                return page
            }
            if !AdminRoute.open.contains(String(path)), !mayReadMetrics(request, path) { try gate.admit(request) }
            let (route, segment) = try AdminRoute.find(method: request.method, path: path)
            if route.method == "POST" { try gate.admitBody(of: request) }
            if route.method != "GET" { try AdminDeadline.admit(request) }
            return try await route.response(self, try AdminCall(request, route, segment: segment))
        } catch {
            return .refusal(error)
        }
    }

    private func mayReadMetrics(_ request: HandledRequest, _ path: Substring) -> Bool {
        path == AdminRoute.metrics && facts.monitoring?.token.isCarried(by: request.field("Authorization")) == true
    }

    /// Ends all reads of the store.
    func close() { storeDesk?.close() }

    /// The threads that read the store.
    func desk() throws(AdminRefusal) -> StoreQueries {
        guard let storeDesk else { throw .noStore }
        return storeDesk
    }
}

// What runs.
extension AdminHandler {
    func status() async -> HandledResponse {
        let counts = await proxy.status()
        let (library, active) = proxy.profiles.map { ($0.library.profiles, $0.active) } ?? ([], "")
        let mocks = library.first { $0.name == active }.map { proxy.mocks(of: $0) } ?? []
        let status = AdminStatus(
            facts: facts, active: active,
            profiles: library.map {
                AdminStatus.Profile(name: $0.name, kind: $0.kind.rawValue, routes: $0.routes.count)
            },
            counts: counts, devices: proxy.devices.list.count, unlocked: proxy.locks.list(), mocks: mocks,
            networks: proxy.networks)
        return .json(200, status.json)
    }

    func probe() async -> HandledResponse { .json(200, ProbeReport.json(await proxy.probe())) }

    func reload() async -> HandledResponse {
        let report = await actions.reload()
        let members: (inout JSONWriter) -> Void = { object in
            object.member("changes", report.changes)
            object.member("problems", report.problems)
        }
        guard report.problems.isEmpty else {
            let refusal = AdminRefusal(
                422, "the profiles have errors, so the old ones stay",
                advice: "Correct the files; they are read again as soon as they change.")
            return .refusal(refusal, members)
        }
        return .json(200, members)
    }
}
