public import Engine
import JSON
import Profiles
import Synchronization

/// Answers the admin interface; ``AdminEndpoint`` lists what it can be asked for.
///
/// It refuses everything until ``listens(on:)`` told it the port that requests must name.
public final class AdminHandler: Handler {
    let proxy: Proxy
    let actions: AdminActions
    private let token: AdminToken
    private let facts: AdminFacts
    private let port = Mutex<UInt16?>(nil)

    public init(proxy: Proxy, token: AdminToken, facts: AdminFacts, actions: AdminActions) {
        self.proxy = proxy
        self.token = token
        self.facts = facts
        self.actions = actions
    }

    /// The port is known only once the listener is there.
    public func listens(on port: UInt16) { self.port.withLock { $0 = port } }

    public func answer(_ request: HandledRequest) async -> HandledAnswer {
        do throws(AdminRefusal) {
            guard let port = port.withLock({ $0 }) else { throw AdminRefusal(503, "the admin interface is starting") }
            let gate = AdminGate(token: token, port: port)
            try gate.admit(request)
            let endpoint = try AdminEndpoint.find(method: request.method, target: request.target)
            if endpoint.method == "POST" { try gate.admitContent(of: request) }
            switch endpoint {
            case .status: return .json(200, await status().json)
            case .probe: return .json(200, ProbeReport.json(await proxy.probe()))
            case .devices: return listDevices()
            case .use: return try use(try AdminContent(request.body))
            case .reload: return await reload()
            case .pair: return try pair(try AdminContent(request.body))
            case .forgetDevices: return try forgetDevices(try AdminContent(request.body))
            case .unlock: return try unlock(try AdminContent(request.body))
            case .lock: return try lock(try AdminContent(request.body))
            }
        } catch {
            return .refusal(error)
        }
    }

    private func status() async -> AdminStatus {
        let counts = await proxy.status()
        let (library, active) = proxy.profiles.map { ($0.library.profiles, $0.active) } ?? ([], "")
        return AdminStatus(
            facts: facts, active: active,
            profiles: library.map {
                AdminStatus.Profile(name: $0.name, kind: $0.kind.rawValue, routes: $0.routes.count)
            },
            counts: counts, devices: proxy.devices.list.count, unlocked: proxy.locks.list())
    }

    private func reload() async -> HandledAnswer {
        let report = await actions.reload()
        return .json(report.problems.isEmpty ? 200 : 422) { object in
            if !report.problems.isEmpty {
                object.object("error") { error in
                    error.member("message", "the profiles have errors, so the old ones stay")
                    error.member("advice", "Correct the files; they are read again as soon as they change.")
                }
            }
            object.member("changes", report.changes)
            object.member("problems", report.problems)
        }
    }
}
