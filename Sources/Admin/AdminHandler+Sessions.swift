import Engine
import Profiles
import Reactor

// Sessions are each node's own: what they lay over a profile is in the memory of one Shunt.
extension AdminHandler {
    func listSessions() -> Record<API.Sessions> { Record { $0.sessions = proxy.sessions.list.map(session) } }

    func startSession(_ body: Record<API.SessionWish>, _ call: AdminCall) async throws -> Record<API.Session> {
        var wish = SessionWish()
        (wish.name, wish.profile, wish.user) = (body.name, body.profile, call.caller.user)
        (wish.hasPort, wish.idleSeconds) = (body.hasPort ?? false, body.idleSeconds ?? ClientSession.usualIdle)
        guard ClientSession.allowedIdle.contains(wish.idleSeconds) else {
            throw AdminRefusal(
                400, "\"idleSeconds\" is \(wish.idleSeconds)",
                advice:
                    "Give \(ClientSession.allowedIdle.lowerBound) to \(ClientSession.allowedIdle.upperBound) seconds.")
        }
        guard (wish.name ?? "").utf8.count <= 200 else {
            throw AdminRefusal(400, "\"name\" is too long", advice: "Give up to 200 bytes.")
        }
        if let name = body.network { wish.network = try network(named: name) }
        let status = try await proxy.sessions.start(wish)
        call.note.add(target: status.session.id, after: "over \(status.session.profile)")
        return session(status)
    }

    func showSession(_ call: AdminCall) throws -> Record<API.Session> { session(try own(call)) }

    func endSession(_ call: AdminCall) async throws -> Record<API.EndedSession> {
        let id = try own(call).session.id
        try await proxy.sessions.end(id)
        return Record { $0.ended = id }
    }

    func listSessionRoutes(_ call: AdminCall) throws -> Record<API.SessionRoutes> {
        let id = try own(call).session.id
        return Self.record(try proxy.sessions.routes(of: id))
    }

    func addSessionRoutes(_ call: AdminCall) throws -> Record<API.SessionRoutes> {
        let id = try own(call).session.id
        let routes = try proxy.sessions.addRoutes(call.request.body, to: id, isTrusted: call.caller.may(.admin))
        call.note.add(after: routes.map(\.route.label).joined(separator: ", "))
        return Self.record(routes)
    }

    func removeSessionRoutes(
        _ query: Record<API.SessionRouteName>, _ call: AdminCall
    ) throws -> Record<API.SessionRoutes> {
        let id = try own(call).session.id
        try proxy.sessions.removeRoutes(query.name, of: id)
        call.note.add(after: query.name.map { "without \($0)" } ?? "without routes")
        return try listSessionRoutes(call)
    }

    func addExpectations(_ call: AdminCall) throws -> Record<API.SessionExpectations> {
        let session = try own(call).session
        guard session.expectations.count < ClientSession.routeLimit else {
            throw AdminRefusal(
                409, "the session has \(ClientSession.routeLimit) expectations", advice: "Post several at once.")
        }
        let names: [String]
        do throws(ProfileProblems) {
            names = try actions.readExpectations(call.request.body, call.caller.may(.admin)).get()
        } catch {
            throw AdminRefusal(problems: error, in: "expectations")
        }
        session.expectations.append(call.request.body)
        call.note.add(after: names.joined(separator: ", "))
        return Record { $0.names = names }
    }

    func removeExpectations(_ call: AdminCall) throws -> Record<API.SessionExpectations> {
        try own(call).session.expectations = []
        return Record { $0.names = [] }
    }

    func verify(_ call: AdminCall) async throws -> Record<API.Verification> {
        let session = try own(call).session
        let (actions, expectations) = (actions, session.expectations)
        return try await patiently { desk in
            try await desk.read { try actions.verify($0, expectations, session.id) }
        }
    }

    /// Waits while the store is read by too many: tests that run in parallel end at the same time.
    private func patiently<Value: Sendable>(_ read: (StoreQueries) async throws -> Value) async throws -> Value {
        for _ in 0..<Self.maxTries {
            do { return try await read(try desk()) } catch {
                guard AdminRefusal(error).status == 503, (try? await Task.sleep(for: .milliseconds(20))) != nil else {
                    throw error
                }
            }
        }
        return try await read(try desk())
    }

    /// Some 20 seconds.
    private static let maxTries = 1000

    /// The session that the path names, which only its user and those who may do everything use.
    func own(_ call: AdminCall) throws -> SessionStatus {
        let status = try proxy.sessions.status(of: call.segment)
        guard status.session.user == call.caller.user || call.caller.may(.admin) else {
            throw AdminRefusal(
                403, "the session \(call.segment) is \(status.session.user ?? Caller.ownerName)'s",
                advice: "Start one of your own: `shunt session start`.")
        }
        return status
    }

    private func network(named name: String) throws -> NetworkConditions {
        do throws(UnknownNetwork) { return try UnknownNetwork.find(name) } catch {
            throw AdminRefusal(400, "there is no network “\(name)”", advice: error.advice)
        }
    }

    private func session(_ status: SessionStatus) -> Record<API.Session> {
        let session = status.session
        return Record {
            ($0.id, $0.name, $0.profile, $0.user) = (session.id, session.name, session.profile, session.user)
            ($0.header, $0.cookie) = ("Shunt-Session: \(session.id)", "shunt-session=\(session.id)")
            $0.url = session.address.map { address in
                let scheme = facts.urls.allSatisfy { $0.hasPrefix("https:") } ? "https" : "http"
                return "\(scheme)://localhost:\(address.port)"
            }
            ($0.network, $0.startedAt) = (session.network?.name, Int(session.startedAt))
            ($0.idleSeconds, $0.secondsLeft) = (session.idleSeconds, status.secondsLeft)
            ($0.requests, $0.routes) = (Int(clamping: session.requests), status.routes)
            $0.problem = status.problem
        }
    }

    private static func record(_ routes: [SessionRoute]) -> Record<API.SessionRoutes> {
        Record {
            $0.routes = routes.map { route in
                Record {
                    ($0.name, $0.label) = (route.name, route.route.label)
                    ($0.responder, $0.targets) = route.route.responderName
                    ($0.hits, $0.lastHit) = (Int(clamping: route.hits), route.lastHit.map { Int($0) })
                }
            }
        }
    }
}

extension AdminRefusal {
    init(_ failure: SessionFailure) {
        switch failure {
        case .unknown, .unknownRoute, .noSuchProfile: self.init(404, failure.message, advice: failure.advice)
        case .tooMany, .tooManyRoutes, .proxy: self.init(409, failure.message, advice: failure.advice)
        case .port: self.init(503, failure.message, advice: failure.advice)
        case .routes(let problems):
            self.init(problems: problems, in: "routes")
        }
    }

    fileprivate init(problems: ProfileProblems, in what: String) {
        let first = problems.all.first { $0.line > 0 }
        self.init(
            400, problems.description, advice: "Nothing was added. Mend the \(what), and post them again.",
            line: first?.line, column: first?.column)
    }
}
