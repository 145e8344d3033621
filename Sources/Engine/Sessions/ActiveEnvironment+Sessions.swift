import Profiles
package import Reactor

extension ActiveEnvironment {
    /// Starts a session, from the next request on.
    package func start(_ wish: SessionWish, now: Instant, at time: Int64) throws(SessionFailure) -> ClientSession {
        let old = environment
        let session = ClientSession(
            wish, over: wish.profile ?? old.active.profile.name, mocks, now: now, startedAt: time)
        try changeSessions { (environment, table) throws(SessionFailure) in
            table.expire(now: now)
            guard table.plans.count < ClientSession.limit else { throw .tooMany }
            table.put(try environment.plan(session, []))
        }
        return session
    }

    /// Ends a session with all that belongs to it.
    package func end(_ id: String, _ why: String) throws(SessionFailure) {
        try changeSessions { (_, table) throws(SessionFailure) in
            _ = try table.known(id)
            table.end(id, why)
        }
    }

    /// Ends those whose time is over.
    /// - Returns: their identifiers.
    package func expireSessions(now: Instant) -> [String] {
        guard environment.sessions.plans.values.contains(where: { $0.session.end <= now }) else { return [] }
        var over: [String] = []
        try? changeSessions { (_, table) in over = table.expire(now: now) }
        return over
    }

    /// Lays routes over a session's; they count from the next request on.
    /// - Returns: their names.
    package func add(
        _ bytes: [UInt8], to id: String, isTrusted: Bool, now: Instant
    ) throws(SessionFailure) -> [String] {
        var names: [String] = []
        try changeSessions { (environment, table) throws(SessionFailure) in
            let known = try table.known(id)
            known.session.touch(now: now)
            guard let base = environment.plan(named: known.session.profile)?.profile else {
                throw .routes(ProfileProblems(all: []))
            }
            let new: SessionRoutes
            do throws(ProfileProblems) {
                new = try SessionRoutes(
                    reading: bytes, over: base, taken: Set(known.layers.flatMap(\.names)), isTrusted: isTrusted)
            } catch {
                throw .routes(error)
            }
            let layers = [new] + known.layers.compactMap { $0.replaced(by: new) }
            guard layers.reduce(0, { $0 + $1.names.count }) <= ClientSession.routeLimit else { throw .tooManyRoutes }
            names = new.names
            for name in new.given { known.session.mocks.forget(MockKey(profile: "session-\(id)", name: name)) }
            table.put(try environment.plan(known.session, layers))
        }
        return names
    }

    /// Takes routes of a session away.
    /// - Parameter name: nil for all of them, with the states of scenarios and the turns of sequences.
    package func removeRoutes(_ name: String?, of id: String, now: Instant) throws(SessionFailure) {
        try changeSessions { (environment, table) throws(SessionFailure) in
            let known = try table.known(id)
            known.session.touch(now: now)
            guard let name else {
                known.session.mocks.reset()
                return table.put(try environment.plan(known.session, []))
            }
            let names = known.layers.flatMap(\.names)
            guard names.contains(name) else { throw .unknownRoute(name, known: names) }
            known.session.mocks.forget(MockKey(profile: "session-\(id)", name: name))
            table.put(try environment.plan(known.session, known.layers.compactMap { $0.without([name]) }))
        }
    }

    private func changeSessions(
        _ change: (Environment, inout SessionTable) throws(SessionFailure) -> Void
    ) throws(SessionFailure) {
        _ = try self.change { (old) throws(SessionFailure) in
            try old.changing { (table) throws(SessionFailure) in try change(old, &table) }
        }
    }
}

extension SessionTable {
    func known(_ id: String) throws(SessionFailure) -> SessionPlan {
        guard let plan = self[id] else { throw .unknown(id: id, why: end(of: id)) }
        return plan
    }

    @discardableResult
    fileprivate mutating func expire(now: Instant) -> [String] {
        let over = plans.values.map(\.session).filter { $0.end <= now }
        for session in over { end(session.id, "it was not used for \(session.idleSeconds) seconds") }
        return over.map(\.id)
    }
}

extension SessionFailure {
    package var message: String {
        switch self {
        case .unknown(let id, let why):
            why.map { "the session \(id) has ended: \($0)" } ?? "there is no session “\(id.prefix(64))”"
        case .tooMany: "there are \(ClientSession.limit) sessions already"
        case .tooManyRoutes: "a session has \(ClientSession.routeLimit) routes at most"
        case .noSuchProfile(.noSuchProfile(let name, _, _)): "there is no profile “\(name)”"
        case .noSuchProfile(let error), .proxy(let error): "\(error)"
        case .unknownRoute(let name, _): "the session has no route “\(name)”"
        case .routes(let problems): problems.description
        case .port(let error): "no port can be opened for the session: \(error.reason)"
        }
    }

    package var advice: String? {
        switch self {
        case .unknown:
            "Start one with `shunt session start`, or by POST /v1/sessions of the admin interface."
        case .tooMany: "End some: `shunt session list` shows them."
        case .tooManyRoutes: "Remove some, or write them into a profile."
        case .noSuchProfile(.noSuchProfile(_, let known, let nearest)):
            (nearest.map { "Did you mean “\($0)”? " } ?? "") + "There are: \(known.joined(separator: ", "))."
        case .unknownRoute(_, let known):
            known.isEmpty ? "It has none." : "There are: \(known.joined(separator: ", "))."
        case .noSuchProfile, .routes, .proxy, .port: nil
        }
    }
}
