public import Engine
import JSON
import Profiles
import Synchronization

/// Answers the admin interface: `GET /v1/status`, `POST /v1/use`, `POST /v1/reload`.
///
/// It refuses everything until ``listens(on:)`` told it the port that requests must name.
public final class AdminHandler: Handler {
    private let proxy: Proxy
    private let token: AdminToken
    private let facts: AdminFacts
    private let actions: AdminActions
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
            switch try AdminEndpoint.find(method: request.method, target: request.target) {
            case .status: return .json(200, await status().json)
            case .use:
                try gate.admitContent(of: request)
                return try use(request.body)
            case .reload:
                try gate.admitContent(of: request)
                return await reload()
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
            counts: counts)
    }

    private func use(_ body: [UInt8]) throws(AdminRefusal) -> HandledAnswer {
        let wanted: String?
        do throws(JSONFailure) {
            wanted = try JSONReader.read(body, dialect: .strict)["profile"]?.string
        } catch {
            throw AdminRefusal(400, "the content is not JSON: \(error)", advice: "Send {\"profile\": \"NAME\"}.")
        }
        guard let wanted else {
            throw AdminRefusal(400, "the content has no text \"profile\"", advice: "Send {\"profile\": \"NAME\"}.")
        }
        let old = proxy.profiles?.active ?? ""
        do throws(ProxyError) {
            try proxy.use(wanted)
        } catch {
            throw .cannotUse(wanted, error)
        }
        if old != wanted { actions.didUse(old, wanted) }
        return .json(200) { object in
            object.member("active", wanted)
            object.member("previous", old)
        }
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
