import Platform
public import Profiles
import Reactor
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

extension Proxy {
    /// The sessions over its profiles.
    public var sessions: ProxySessions { ProxySessions(proxy: self) }
}

/// The sessions over the profiles of a proxy.
public struct ProxySessions: Sendable {
    let proxy: Proxy

    /// All of them, the oldest first.
    public var list: [SessionStatus] {
        guard case .profiles(let active) = proxy.source else { return [] }
        let now = proxy.loopClock()
        return active.environment.sessions.plans.values.filter { $0.session.end > now }.map { Self.status($0, now) }
            .sorted { ($0.session.startedAt, $0.session.id) < ($1.session.startedAt, $1.session.id) }
    }

    public func status(of id: String) throws(SessionFailure) -> SessionStatus {
        Self.status(try known(id), proxy.loopClock())
    }

    /// Starts a session, from the next request on; it ends by itself when it is not used.
    public func start(_ wish: SessionWish) async throws(SessionFailure) -> SessionStatus {
        guard case .profiles(let active) = proxy.source else { throw .tooMany }
        let session = try active.start(wish, now: proxy.loopClock(), at: wallClock() / 1_000_000)
        if wish.hasPort {
            do throws(SystemError) {
                session.address = try await openPort(of: session.id)
            } catch {
                try await end(session.id)
                throw .port(error)
            }
        }
        Task { [weak proxy] in
            while proxy != nil, session.end > Instant.now() {
                try? await Task.sleep(for: .nanoseconds(Int64(clamping: session.end - min(.now(), session.end))))
            }
            await proxy?.sessions.expire()
        }
        return try status(of: session.id)
    }

    public func end(_ id: String) async throws(SessionFailure) {
        guard case .profiles(let active) = proxy.source else { return }
        try active.end(id, "it was ended")
        for worker in proxy.workers { await worker.stopListening(for: id) }
    }

    private func expire() async {
        guard case .profiles(let active) = proxy.source else { return }
        for id in active.expireSessions(now: proxy.loopClock()) {
            for worker in proxy.workers { await worker.stopListening(for: id) }
        }
    }

    /// Listens at a port that the system chooses, at the address of the proxy.
    private func openPort(of id: String) async throws(SystemError) -> SocketAddress? {
        guard let own = proxy.addresses.first else { return nil }
        let listeners = try Listener.several(
            SocketAddress(family: own.family, bytes: own.bytes, port: 0, scope: own.scope), loops: proxy.workers.count)
        for (worker, listener) in zip(proxy.workers, listeners) { try await worker.listen(listener, session: id) }
        return listeners.first?.address
    }

    /// Lays routes over a session's, as JSON; returns them.
    /// - Parameter isTrusted: see ``SessionRoutes``.
    public func addRoutes(
        _ bytes: [UInt8], to id: String, isTrusted: Bool
    ) throws(SessionFailure) -> [SessionRoute] {
        guard case .profiles(let active) = proxy.source else { return [] }
        let names = try active.add(bytes, to: id, isTrusted: isTrusted, now: proxy.loopClock())
        return try routes(of: id).filter { names.contains($0.name) }
    }

    public func removeRoutes(_ name: String?, of id: String) throws(SessionFailure) {
        guard case .profiles(let active) = proxy.source else { return }
        try active.removeRoutes(name, of: id, now: proxy.loopClock())
    }

    /// The routes of a session; those that were posted last come first.
    public func routes(of id: String) throws(SessionFailure) -> [SessionRoute] {
        let plan = try known(id)
        return (plan.overlay?.profile.routes ?? []).map { route in
            let record = plan.record(of: route)
            return SessionRoute(
                name: route.name ?? "", route: route, hits: record?.hits ?? 0, lastHit: record?.lastHit)
        }
    }

    private func known(_ id: String) throws(SessionFailure) -> SessionPlan {
        guard case .profiles(let active) = proxy.source else { throw .unknown(id: id, why: nil) }
        return try active.environment.sessions.known(id)
    }

    private static func status(_ plan: SessionPlan, _ now: Instant) -> SessionStatus {
        let end = plan.session.end
        return SessionStatus(
            session: plan.session, routes: plan.routeCount,
            secondsLeft: end <= now ? 0 : Int(clamping: (end - now - 1) / 1_000_000_000 + 1), problem: plan.problem)
    }
}
