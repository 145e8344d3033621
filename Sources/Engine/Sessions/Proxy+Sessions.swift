import Platform
public import Profiles
package import Reactor
import Synchronization

/// A session as it is now.
public struct SessionStatus: Sendable {
    public let session: ClientSession
    public let routes: Int
    /// Seconds until it ends unless it is used.
    public let secondsLeft: Int
    /// Why it cannot respond since the profiles were read anew; nil where it can.
    public let problem: String?
}

/// A route of a session as it is now.
public struct SessionRoute: Sendable {
    public let name: String
    public let route: Route
    public let hits: UInt64
    /// Seconds since 1970; nil before the first.
    public let lastHit: Int64?
}

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
    fileprivate func known(_ id: String) throws(SessionFailure) -> SessionPlan {
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

extension Proxy {
    /// All sessions, the oldest first.
    public var sessions: [SessionStatus] {
        guard case .profiles(let active) = source else { return [] }
        let now = loopClock()
        return active.environment.sessions.plans.values.filter { $0.session.end > now }.map { Self.status($0, now) }
            .sorted { ($0.session.startedAt, $0.session.id) < ($1.session.startedAt, $1.session.id) }
    }

    public func session(_ id: String) throws(SessionFailure) -> SessionStatus {
        Self.status(try known(id), loopClock())
    }

    /// Starts a session, from the next request on; it ends by itself when it is not used.
    public func startSession(_ wish: SessionWish) async throws(SessionFailure) -> SessionStatus {
        guard case .profiles(let active) = source else { throw .tooMany }
        let session = try active.start(wish, now: loopClock(), at: wallClock() / 1_000_000)
        if wish.hasPort {
            do throws(SystemError) {
                session.address = try await openPort(of: session.id)
            } catch {
                try await endSession(session.id)
                throw .port(error)
            }
        }
        Task { [weak self] in
            while self != nil, session.end > Instant.now() {
                try? await Task.sleep(for: .nanoseconds(Int64(clamping: session.end - min(.now(), session.end))))
            }
            await self?.expireSessions()
        }
        return try self.session(session.id)
    }

    public func endSession(_ id: String) async throws(SessionFailure) {
        guard case .profiles(let active) = source else { return }
        try active.end(id, "it was ended")
        for worker in workers { await worker.stopListening(for: id) }
    }

    private func expireSessions() async {
        guard case .profiles(let active) = source else { return }
        for id in active.expireSessions(now: loopClock()) {
            for worker in workers { await worker.stopListening(for: id) }
        }
    }

    /// Listens at a port that the system chooses, at the address of the proxy.
    private func openPort(of id: String) async throws(SystemError) -> SocketAddress? {
        guard let own = addresses.first else { return nil }
        let listeners = try Listener.several(
            SocketAddress(family: own.family, bytes: own.bytes, port: 0, scope: own.scope), loops: workers.count)
        for (worker, listener) in zip(workers, listeners) { try await worker.listen(listener, session: id) }
        return listeners.first?.address
    }

    /// Lays routes over a session's, as JSON; returns them.
    /// - Parameter isTrusted: see ``SessionRoutes``.
    public func addRoutes(
        _ bytes: [UInt8], toSession id: String, isTrusted: Bool
    ) throws(SessionFailure) -> [SessionRoute] {
        guard case .profiles(let active) = source else { return [] }
        let names = try active.add(bytes, to: id, isTrusted: isTrusted, now: loopClock())
        return try routes(ofSession: id).filter { names.contains($0.name) }
    }

    public func removeRoutes(_ name: String?, ofSession id: String) throws(SessionFailure) {
        guard case .profiles(let active) = source else { return }
        try active.removeRoutes(name, of: id, now: loopClock())
    }

    /// The routes of a session; those that were posted last come first.
    public func routes(ofSession id: String) throws(SessionFailure) -> [SessionRoute] {
        let plan = try known(id)
        return (plan.overlay?.profile.routes ?? []).map { route in
            let record = plan.record(of: route)
            return SessionRoute(
                name: route.name ?? "", route: route, hits: record?.hits ?? 0, lastHit: record?.lastHit)
        }
    }

    private func known(_ id: String) throws(SessionFailure) -> SessionPlan {
        guard case .profiles(let active) = source else { throw .unknown(id: id, why: nil) }
        return try active.environment.sessions.known(id)
    }

    private static func status(_ plan: SessionPlan, _ now: Instant) -> SessionStatus {
        let end = plan.session.end
        return SessionStatus(
            session: plan.session, routes: plan.routeCount,
            secondsLeft: end <= now ? 0 : Int(clamping: (end - now - 1) / 1_000_000_000 + 1), problem: plan.problem)
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
