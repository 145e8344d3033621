import Reactor
import TLS

/// The unused kept-alive connections to one origin under one trust policy.
///
/// Confined to its worker.
final class OriginPool {
    let plan: OriginPlan
    /// Sessions to resume; they belong to this origin and its trust policy alone.
    let resumption = ResumptionStore()
    /// Last in, first out: the warmest connection serves, the coldest ones expire.
    private var idle: [OriginConnection] = []
    private let most: Int
    /// Chains pass the origin over until then, for it could not be reached.
    var restsUntil: Instant = 0
    /// No route leads here any more.
    private(set) var isClosed = false

    init(_ plan: OriginPlan, most: Int) {
        self.plan = plan
        self.most = most
    }

    var idleCount: Int { idle.count }

    /// A connection that is good as far as can be told.
    /// - Parameter sure: ask the system once more. Worth a call where a request could not be sent twice.
    func take(sure: Bool) -> OriginConnection? {
        while let connection = idle.popLast() {
            if connection.isUsable(sure: sure) { return connection }
            connection.close()
        }
        return nil
    }

    /// Takes a connection back after an exchange that left it clean.
    func give(_ connection: OriginConnection, _ state: WorkerState) {
        if isClosed || state.isDraining || idle.count >= most {
            connection.close()
            return
        }
        connection.rest(until: state.core.now.after(state.limits.poolTime), janitor: state.janitor)
        state.expectJanitor()
        if idle.count >= Limits.mostAwake { connection.sleep() }
        idle.append(connection)
    }

    /// Closes what has expired or was closed by the origin, takes memory from what is at rest; returns when to look
    /// again.
    func sweep(now: Instant, poolTime: UInt64) -> Instant {
        var next = Instant.never
        idle.removeAll { connection in
            if connection.expiry <= now || !connection.isUsable(sure: false) {
                connection.close()
                return true
            }
            if connection.isAsleep {
                next = min(next, connection.expiry)
            } else if connection.expiry <= now.after(poolTime - min(Limits.restDelay, poolTime)) {
                connection.sleep()
                next = min(next, connection.expiry)
            } else {
                next = min(next, now.after(Limits.restDelay))
            }
            return false
        }
        return next
    }

    func close() {
        isClosed = true
        for connection in idle { connection.close() }
        idle.removeAll()
    }
}
