import Bytes
import HTTP2
import Profiles
package import Reactor
import TLS

/// The connections to one origin under one trust policy: unused ones that are kept, and shared ones.
///
/// Confined to its worker.
package final class OriginPool {
    /// Exchanges of a worker from which on the flow-control windows of new connections are small.
    private static let many = 256

    let plan: OriginPlan
    /// Sessions to resume; they belong to this origin and its trust policy alone.
    let resumption = ResumptionStore()
    /// Last in, first out: the most recently used connection serves, the others expire.
    private let rested = Box<[OriginConnection]>([])
    private let limit: Int
    /// Chains skip the origin until then, since it could not be reached.
    var restsUntil: Instant = 0
    /// No route leads to this origin any more.
    private(set) var isClosed = false
    /// Connections of which exchanges use a stream each.
    private let ofMany = Box<[SharedOrigin]>([])
    /// Whether the last connection negotiated HTTP/2; nil before the first one.
    var speaksHTTP2: Bool?
    /// Its connections are known to stay open after a response; false before the first one has.
    private var keepsConnections = false
    /// Nanoseconds of silence after which its shared connections send PING; nil for the limit.
    private var silenceTime: UInt64?
    /// The connection that is being opened, and its waiters.
    var opening = OriginOpening()
    /// What its name meant at the last look-up, and when that was; empty for an address.
    private var resolved: (addresses: [SocketAddress], time: Instant) = ([], .never)

    package init(_ plan: OriginPlan, limit: Int) {
        self.plan = plan
        self.limit = limit
    }

    /// New exchanges will use this pool.
    var isKept: Bool { !isClosed && limit > 0 }

    // A pool of a replaced environment still serves the requests of that environment.
    deinit {
        close()
        for origin in shared { origin.connection.didChange = nil }
    }

    private var idle: [OriginConnection] {
        _read { yield rested.value }
        _modify { yield &rested.value }
    }

    private var shared: [SharedOrigin] {
        _read { yield ofMany.value }
        _modify { yield &ofMany.value }
    }

    /// Connections that exchanges share have not ended yet.
    var hasShared: Bool { !shared.isEmpty }

    package var idleCount: Int { idle.count + shared.count }

    /// A connection that is usable as far as known.
    /// - Parameter sure: ask the system once more. Worth a system call if a request could not be sent twice.
    package func take(sure: Bool, now: Instant) -> OriginConnection? {
        if let stream = takeStream() { return stream }
        while let connection = idle.popLast() {
            if connection.isUsable(sure: sure) {
                connection.lease()
                return connection
            }
            didFindClosed(connection, now)
        }
        return nil
    }

    /// A connection for a request that cannot be sent twice.
    ///
    /// An origin that ends each connection after its response, without having said so, would take the request with it.
    /// - Parameter prefersFresh: only a stream will do.
    func takeSure(prefersFresh: Bool, now: Instant) -> OriginConnection? {
        if let stream = takeStream() { return stream }
        return prefersFresh || !keepsConnections ? nil : take(sure: true, now: now)
    }

    /// The origin has closed a connection that rested.
    private func didFindClosed(_ connection: OriginConnection, _ now: Instant) {
        if connection.restsSince.after(Limits.restDelay) > now { keepsConnections = false }
        connection.close()
    }

    /// A stream of a shared connection that allows another one.
    func takeStream() -> OriginConnection? {
        for origin in shared where origin.connection.openable > 0 { return origin.open(self) }
        return nil
    }

    /// APNs lets a single stream be opened until it has seen a good provider token, and takes many connections for an
    /// attack.
    var awaitsFirstResponse: Bool {
        plan.isPush && shared.contains { $0.connection.ending == nil && $0.connection.session.maxStreams <= 1 }
    }

    /// A stream of a connection whose peer lets WebSockets be opened on it (RFC 8441).
    func takeTunnel() -> OriginConnection? {
        for origin in shared where origin.connection.session.allowsTunnels && origin.connection.openable > 0 {
            return origin.open(self)
        }
        return nil
    }

    /// Lets exchanges share a connection.
    func share(_ channel: SocketChannel, _ opened: OriginConnection, _ state: WorkerState) throws(HTTP2Failure) {
        let isAttached = plan.attachment != nil
        let connection = try HTTP2Connection(
            .client, channel, state.loop, idleTime: state.limits.poolTime,
            silenceTime: isAttached ? Attachment.silenceTime : silenceTime, staysOpen: isAttached,
            isNarrow: state.counters.active > Self.many)
        // Unowned, since weak references make counting expensive; the pool clears this before it is released.
        connection.didChange = { [unowned(unsafe) self, unowned(unsafe) connection] in noteChange(connection) }
        shared.append(SharedOrigin(connection, opened))
        state.loop.spawn(connection)
        state.idleReaper.expect(state.core.now)
    }

    /// A shared connection takes new requests, now or once another one is over.
    var isReachable: Bool { shared.contains { $0.connection.ending == nil && !$0.connection.session.isGoingAway } }

    /// Ends its shared connections where they are.
    func breakOff() {
        isClosed = true
        for origin in shared { origin.connection.breakOff(resetting: true) }
    }

    private func noteChange(_ connection: HTTP2Connection) {
        let ended = connection.ending == nil ? nil : shared.firstIndex { $0.connection === connection }
        let origin = ended.map { shared.remove(at: $0) }
        // As gRPC's clients do.
        if origin != nil, connection.session.wantsCalm {
            silenceTime = connection.silenceTime.multipliedReportingOverflow(by: 2).partialValue
        }
        opening.noteChange()
        plan.attachment?.didChange(connection)
        // Last, since its streams may hold the last references to the pool.
        origin?.rest()
    }

    /// Takes a connection back after an exchange that left it clean.
    ///
    /// - Parameter idleTime: how long the origin keeps it, in nanoseconds.
    package func give(_ connection: OriginConnection, _ state: WorkerState, idleTime: UInt64 = .max) {
        if connection.useCount > 0 { keepsConnections = true }
        if isClosed || state.isDraining || idle.count >= limit || idleTime == 0
            || connection.isOld(state)
        {
            connection.close()
            return
        }
        connection.rest(
            from: state.core.now, until: state.core.now.after(min(state.limits.poolTime, idleTime)),
            idleReaper: state.idleReaper.waiter)
        state.idleReaper.expect(state.core.now)
        if idle.count >= Limits.maxAwake { connection.sleep() }
        idle.append(connection)
    }

    /// Closes connections that have expired or were closed by the origin, and frees memory of idle ones; returns when
    /// to check again.
    package func sweep(_ state: WorkerState) -> Instant {
        let now = state.core.now
        var next = Instant.never
        idle.removeAll { connection in
            guard connection.isUsable(sure: false) else {
                didFindClosed(connection, now)
                return true
            }
            guard let expiry = connection.use.expiry, expiry > now else {
                connection.close()
                return true
            }
            if connection.restsSince.after(Limits.restDelay) <= now {
                keepsConnections = true
                connection.sleep()
            }
            next = min(next, connection.use.isAsleep ? expiry : now.after(Limits.restDelay))
            return false
        }
        for origin in shared where !origin.connection.session.isGoingAway {
            let end = origin.timings.connectedAt.after(state.limits.poolAge)
            if end <= now { origin.endSoon() } else { next = min(next, end) }
        }
        guard idleCount > 0, !resolved.addresses.isEmpty else { return next }
        let due = resolved.time.after(state.limits.lookUpTime)
        if due <= now {
            resolved.time = now
            state.loop.spawn(LookUp(self, state))
        }
        return min(next, max(due, now.after(Limits.second)))
    }

    /// Looks the origin's name up again while there are connections to it.
    private final class LookUp: LoopTask {
        private let pool: OriginPool
        private let state: WorkerState

        init(_ pool: OriginPool, _ state: WorkerState) { (self.pool, self.state) = (pool, state) }

        func run() async {
            let waiter = Waiter(state.core)
            defer { waiter.retire() }
            waiter.deadline = state.core.now.after(state.limits.connectTime)
            let address = pool.plan.address
            let server = pool.plan.way.server(
                isTLS: address.isTLS, host: address.host, port: address.port, state.next)
            // A name that cannot be looked up now keeps its connections.
            let found = try? await state.resolver.addresses(of: server?.host ?? address.host, on: waiter)
            if let found { pool.didResolve(found, state) }
        }
    }

    /// The origin's name was looked up: if it has moved, its connections end.
    ///
    /// A name with many addresses may give some of them each time, so that others are no move as long as one is the same.
    func didResolve(_ addresses: [SocketAddress], _ state: WorkerState) {
        let before = resolved.addresses
        resolved = (addresses, state.core.now)
        if !before.isEmpty, !addresses.contains(where: before.contains) { endConnections() }
    }

    /// Ends its connections once the exception that allowed them has ended; returns when to check again.
    ///
    /// Exchanges under way go on to their end, as after a reload.
    @discardableResult
    func endWithException(_ state: WorkerState) -> Instant {
        guard let expiry = plan.address.trustExpiry, !isClosed else { return .never }
        let left = expiry - state.clock()
        if left <= 0 { close() }
        // The clock may be set, and the loop's time stands still while a machine sleeps.
        return idleCount == 0 ? .never : state.core.now.after(UInt64(max(1, min(left, 3600))) * Limits.second)
    }

    /// Closes unused connections; open streams go on to their end.
    package func close() {
        isClosed = true
        endConnections()
    }

    private func endConnections() {
        for connection in idle { connection.close() }
        idle.removeAll()
        for origin in shared { origin.endSoon() }
    }
}
