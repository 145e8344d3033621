public import Engine
import Reactor
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
    /// The listener of this machine.
    private let door = Mutex<AdminDoor?>(nil)
    /// What users read, with the identifiers of their tokens.
    let streams = Mutex<[(stream: HandledStream, token: String)]>([])
    let departed = Mutex(DepartedUsers())
    /// Tells when the file of users' tokens changes; nil for a Shunt without users.
    let tokenNotices: FileNotices?
    let rooms = WaitingRooms()
    /// How often what clients without a token try is written down: six times a minute.
    let strangers = Mutex(RateMeter<Bool>(interval: 10 * Limits.second, size: 10, capacity: 1))

    public init(proxy: Proxy, token: AdminToken, facts: AdminFacts, actions: AdminActions) {
        (self.proxy, self.token, self.facts, self.actions) = (proxy, token, facts, actions)
        storeDesk = facts.store.map { StoreQueries($0, proxy) }
        inspector = facts.inspector.map(InspectorLogin.init)
        tokenNotices = facts.users.map { _ in FileNotices() }
        proxy.attachments.onEnd { [weak self] attachment, reason in Task { self?.didEnd(attachment, reason) } }
    }

    /// The port is known only once the listener is there.
    public func listens(on port: UInt16) { door.withLock { $0 = .loopback(port: port) } }

    public func response(_ request: HandledRequest) async -> HandledResponse {
        guard let door = door.withLock({ $0 }) else {
            return .refusal(AdminRefusal(503, "the admin interface is starting"))
        }
        return await response(request, through: door)
    }

    /// The response to a request that came through one of the listeners.
    func response(_ request: HandledRequest, through door: AdminDoor) async -> HandledResponse {
        let gate = AdminGate(token: token, users: facts.users, door: door, inspector: inspector)
        do throws(AdminRefusal) {
            try gate.admitPlace(of: request)
            let path = request.target.prefix { $0 != "?" }
            if let inspector, let page = InspectorPages(login: inspector, door: door).response(request, path) {
                return page
            }
            let caller = try caller(of: request, path, gate)
            let (route, segment) = try AdminRoute.find(method: request.method, path: path)
            guard route.isChange else {
                let response = try await response(request, route, segment, caller, gate, AuditNote())
                keep(response, of: caller)
                return response
            }
            return try await change(request, route, segment, caller, gate)
        } catch {
            return .refusal(error)
        }
    }

    private func caller(
        of request: HandledRequest, _ path: Substring, _ gate: AdminGate
    ) throws(AdminRefusal) -> Caller {
        if AdminRoute.open.contains(String(path)) || mayReadMetrics(request, path) { return .nobody }
        do throws(AdminRefusal) { return try gate.caller(of: request) } catch {
            if let (route, _) = try? AdminRoute.find(method: request.method, path: path), route.isChange {
                writeStranger(request, route, error)
            }
            throw error
        }
    }

    private func response(
        _ request: HandledRequest, _ route: AdminRoute, _ segment: String, _ caller: Caller, _ gate: AdminGate,
        _ note: AuditNote
    ) async throws(AdminRefusal) -> HandledResponse {
        for permission in route.permissions { try caller.require(permission) }
        if route.method == "POST" { try gate.admitBody(of: request) }
        if route.method != "GET" { try AdminDeadline.admit(request) }
        let call = try AdminCall(request, route, segment: segment, caller, gate, note)
        guard route.readsProfiles else { return try await route.respond(self, call) }
        let problems = await actions.catchUp()
        do throws(AdminRefusal) { return try await route.respond(self, call) } catch {
            throw error.explained(by: problems)
        }
    }

    /// The same for a change, which is written down, as are attempts that are refused.
    private func change(
        _ request: HandledRequest, _ route: AdminRoute, _ segment: String, _ caller: Caller, _ gate: AdminGate
    ) async throws(AdminRefusal) -> HandledResponse {
        let note = AuditNote()
        if !segment.isEmpty { note.add(target: segment) }
        do throws(AdminRefusal) {
            let response = try await response(request, route, segment, caller, gate, note)
            if !note.facts.isWritten { write(entry(request, route.action, note.caller ?? caller, note.facts)) }
            return response
        } catch {
            if caller.name.isEmpty {
                writeStranger(request, route, error)
            } else {
                write(entry(request, route.action, caller, note.facts, refused: error.message))
            }
            throw error
        }
    }

    private func mayReadMetrics(_ request: HandledRequest, _ path: Substring) -> Bool {
        path == AdminRoute.metrics && facts.monitoring?.token.isCarried(by: request.field("Authorization")) == true
    }

    /// Ends all reads of the store.
    func close() {
        tokenNotices?.end()
        storeDesk?.close()
    }

    /// The threads that read the store.
    func desk() throws(AdminRefusal) -> StoreQueries {
        guard let storeDesk else { throw .noStore }
        return storeDesk
    }
}
