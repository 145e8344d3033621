import Postgres
import Reactor
import Synchronization

/// Talks to the database; confined to its thread.
final class ClusterThread {
    let member: ClusterMember
    let follower: any ClusterFollower
    private let address: String
    private let version: String
    var database: ClusterDatabase?
    /// The state that was taken over last.
    private(set) var known: ClusterSnapshot?
    /// Unlockings that were there and are not any more, the last ones.
    private var ended: [String] = []
    private static let maxEnded = 256
    private var waits: [(wait: ClusterWait, continuation: CheckedContinuation<ClusterTakeover?, Never>)] = []
    private var takeoverPause = ClusterTimes.takeover.lowerBound
    /// As the other nodes know it.
    private var unanswered = 0
    private var unansweredPause = ClusterTimes.unanswered.lowerBound
    private var nextLook: Instant = 0
    /// First when an earlier run of this node is silent.
    private var nextSweep = Instant.now().after(UInt64(ClusterTimes.silence) * 1_000_000)
    private var nextTry: Instant = 0
    private var retryPause = ClusterTimes.retry.lowerBound
    private(set) var ending: CheckedContinuation<Void, Never>?
    /// A statement is under way whose outcome would not be known.
    var isWriting = false

    init(
        _ member: ClusterMember, _ follower: any ClusterFollower, _ database: ClusterDatabase?, address: String,
        version: String
    ) {
        (self.member, self.follower, self.database) = (member, follower, database)
        (self.address, self.version) = (address, version)
        if database == nil { pauseBeforeRetry() }
    }

    /// Follows until it is stopped.
    /// - Parameter didBegin: called once, when the first state was taken over or could not be read.
    func run(_ didBegin: () -> Void) {
        attempt { database throws(PostgresFailure) in
            try self.look(database)
        }
        didBegin()
        while ending == nil {
            if database == nil {
                serve(nil)
                guard ending == nil else { break }
                if Instant.now() >= nextTry { connect() } else { member.waker.wait(milliseconds: left(until: nextTry)) }
                member.waker.drain()
                continue
            }
            attempt { database throws(PostgresFailure) in try self.turn(database) }
        }
        if let database { try? database.leave(member.id) }
        database = nil
        follower.keep(waitingLocks: member.condition.waitingLocks)
        let rest = member.shared.withLock { shared in
            shared.hasEnded = true
            defer { shared.requests = [] }
            return shared.requests
        }
        for request in rest { refuse(request, .stopping) }
        endWaits()
        ending?.resume()
    }

    /// One turn with a connection: requests, a look if it is time, and the wait for a notification.
    private func turn(_ database: ClusterDatabase) throws(PostgresFailure) {
        serve(database)
        guard ending == nil, self.database != nil else { return }
        let now = Instant.now()
        if now >= nextLook {
            try writeLocks(database)
            try look(database)
        }
        if now >= nextSweep {
            nextSweep = now.after(30_000_000_000)
            try database.removeDead(besides: own)
        }
        try checkUnanswered(database)
        try checkWaits(database)
        var pause = left(until: nextLook)
        if !waits.isEmpty { pause = min(pause, takeoverPause) }
        if unanswered > 0 { pause = min(pause, unansweredPause) }
        let hasChanged = try database.waitForChange(milliseconds: max(1, pause), member.waker)
        member.waker.drain()
        if hasChanged { try look(database) }
    }

    private func left(until instant: Instant) -> Int {
        let now = Instant.now()
        return now >= instant ? 0 : Int(clamping: (instant - now) / 1_000_000 + 1)
    }

    // MARK: The connection

    /// Does something with the connection, and gives the connection up if that fails.
    func attempt(_ body: (ClusterDatabase) throws(PostgresFailure) -> Void) {
        guard let database else { return }
        do throws(PostgresFailure) { try body(database) } catch { lose(error) }
    }

    func lose(_ failure: PostgresFailure) {
        database = nil
        endWaits()
        nextTry = 0
        note { condition in
            condition.problem = failure.message
            condition.lostAt = condition.lostAt ?? wallSeconds()
        }
        let pending = member.shared.withLock { shared in
            defer { shared.requests = [] }
            return shared.requests
        }
        for request in pending { refuse(request, .away(failure.message)) }
    }

    private func connect() {
        do throws(PostgresFailure) {
            let database = try ClusterDatabase(member.settings)
            self.database = database
            // Before it reads the state, as at its start.
            try tell(database)
            // It counts as back only when locks that were made without it are written, and its state is taken over.
            try writeLocks(database)
            try look(database)
            retryPause = ClusterTimes.retry.lowerBound
            note { condition in (condition.problem, condition.lostAt) = (nil, nil) }
        } catch {
            database = nil
            note { $0.problem = error.message }
            pauseBeforeRetry()
        }
    }

    /// Each time longer, and by chance, so that the nodes of a cluster do not all come at once.
    private func pauseBeforeRetry() {
        let pause = Int.random(in: retryPause / 2...retryPause)
        nextTry = Instant.now().after(UInt64(pause) * 1_000_000)
        retryPause = min(2 * retryPause, ClusterTimes.retry.upperBound)
    }

    // MARK: The state

    private var own: ClusterNode {
        let presence = follower.presence
        return ClusterNode(
            id: member.id, name: member.settings.node, address: address, version: version,
            revision: member.condition.revision, active: presence.active, digest: presence.digest,
            unanswered: presence.unanswered, silence: 0)
    }

    /// Tells the other nodes of this one.
    func tell(_ database: ClusterDatabase) throws(PostgresFailure) {
        let own = own
        try database.tell(own)
        unanswered = own.unanswered
    }

    /// Tells when no request waits any more for the response of an earlier profile.
    private func checkUnanswered(_ database: ClusterDatabase) throws(PostgresFailure) {
        guard unanswered > 0 else { return }
        unansweredPause = min(2 * unansweredPause, ClusterTimes.unanswered.upperBound)
        guard follower.unanswered() == 0 else { return }
        try tell(database)
        unansweredPause = ClusterTimes.unanswered.lowerBound
    }

    /// Reads the state, takes it over if it is another one, and tells so.
    func look(_ database: ClusterDatabase) throws(PostgresFailure) {
        nextLook = Instant.now().after(UInt64(ClusterTimes.look) * 1_000_000)
        switch try database.read(known: known?.change) {
        case .none:
            try database.seed((known?.state ?? follower.seed()).withoutEnds)
            if case .other(let snapshot) = try database.read(known: nil) { take(snapshot) }
        case .same(let databaseNow, let asked):
            guard let known else { break }
            // The clocks may have moved, and a profile that was missing may be there now.
            take(known.at(databaseNow: databaseNow, asked: asked))
        case .other(let snapshot): take(snapshot)
        case .unreadable(let why): throw PostgresFailure(.statement(state: "XX000"), why)
        }
        try tell(database)
    }

    func take(_ snapshot: ClusterSnapshot) {
        refuseReturned(snapshot)
        let waiting = Set(member.condition.waitingLocks)
        // What was not taken over in time is read again at the next look.
        guard follower.apply(waiting.isEmpty ? snapshot : snapshot.replacing(snapshot.state.locking(waiting))) else {
            return
        }
        let gone = known.map { old in
            old.state.unlocked.map(\.id).filter { id in !snapshot.state.unlocked.contains { $0.id == id } }
        }
        ended = Array((ended + (gone ?? [])).suffix(Self.maxEnded))
        known = snapshot
        note { $0.revision = snapshot.revision }
    }

    /// Locks what is unlocked by an unlocking that had ended: the database was restored from before its end, or a
    /// standby that lagged has taken over.
    private func refuseReturned(_ snapshot: ClusterSnapshot) {
        let known = member.condition.waitingLocks
        let returned = snapshot.state.unlocked.filter { ended.contains($0.id) }.map(\.profile)
        for profile in returned where !known.contains(profile) {
            member.willLock(profile)
            nextLook = 0
        }
        // Its revision, too, is one of the time after that.
        if let old = self.known, snapshot.revision < old.revision { note { $0.revision = 0 } }
    }

    func note(_ body: (inout ClusterCondition) -> Void) {
        let (old, new) = member.shared.withLock { shared in
            let old = shared.condition
            body(&shared.condition)
            return (old, shared.condition)
        }
        if old != new { follower.changed(from: old, to: new) }
    }

    /// Locks on every node what was locked here without the database.
    func writeLocks(_ database: ClusterDatabase) throws(PostgresFailure) {
        let waiting = member.condition.waitingLocks
        guard !waiting.isEmpty else { return }
        if case .failure = try change(
            database, asked: .max,
            { (state, moment) in
                for profile in waiting { state.lock(profile, at: moment) }
            })
        {
            return
        }
        didLock(waiting)
    }

    func didLock(_ profiles: [String]) {
        note { condition in condition.waitingLocks.removeAll { profiles.contains($0) } }
        follower.keep(waitingLocks: member.condition.waitingLocks)
    }

    func end(_ continuation: CheckedContinuation<Void, Never>) {
        if ending == nil { ending = continuation } else { continuation.resume() }
    }

    // MARK: Waits

    func add(_ wait: ClusterWait, _ continuation: CheckedContinuation<ClusterTakeover?, Never>) {
        waits.append((wait, continuation))
        takeoverPause = ClusterTimes.takeover.lowerBound
    }

    private func checkWaits(_ database: ClusterDatabase) throws(PostgresFailure) {
        guard !waits.isEmpty else { return }
        let roster = try database.roster()
        let now = Instant.now()
        waits.removeAll { wait, continuation in
            let takeover = ClusterTakeover(
                roster.nodes, revision: wait.revision, active: wait.active, isStrict: wait.forAll,
                latest: (roster.revision, roster.active))
            guard !takeover.isOpen(forAll: wait.forAll) || now >= wait.end else { return false }
            continuation.resume(returning: takeover)
            return true
        }
        takeoverPause = min(2 * takeoverPause, ClusterTimes.takeover.upperBound)
    }

    private func endWaits() {
        for (_, continuation) in waits { continuation.resume(returning: nil) }
        waits = []
    }
}
