import Platform
public import Postgres
public import Reactor
import Synchronization

/// A node's part in a cluster: follows the state in the database, and changes it there.
///
/// All that waits for the database happens on one thread of its own. Shared by all threads.
public final class ClusterMember: Sendable {
    typealias Change = @Sendable (inout ClusterState, ClusterMoment) throws(ClusterRefusal) -> Void

    /// What the thread is asked for.
    enum Request: Sendable {
        case change(
            Change, asked: Int64, expires: Instant, CheckedContinuation<Result<ClusterSnapshot, ClusterRefusal>, Never>)
        case nodes(CheckedContinuation<[ClusterNode]?, Never>)
        case takeover(ClusterWait, CheckedContinuation<ClusterTakeover?, Never>)
        case writeLocks(CheckedContinuation<Void, Never>)
        case stop(CheckedContinuation<Void, Never>)
    }

    struct Shared {
        var requests: [Request] = []
        var condition = ClusterCondition()
        var hasBegun = false
        var hasEnded = false
    }

    public let settings: ClusterSettings
    /// Tells this run of this node from all others.
    public let id = ClusterState.randomText()
    /// The state that was read at the start; nil if there was none, or the database was away.
    public let first: ClusterSnapshot?
    let shared = Mutex(Shared())
    let waker = ClusterWaker()
    /// Handed over to the thread, which alone uses it from then on.
    private let start: Mutex<Handover<ClusterDatabase?>?>

    /// Connects and reads the state.
    ///
    /// The other nodes know of this one from then on, so that none believes that all have taken a change over while this
    /// one starts with the state before it. A database that is away is no failure: the node begins with what it knows.
    /// Throws where waiting would not help: an address that is wrong, a library that is missing, a role that is refused.
    public init(_ settings: ClusterSettings, waitingLocks: [String] = []) throws(PostgresFailure) {
        self.settings = settings
        var condition = ClusterCondition()
        condition.waitingLocks = waitingLocks
        do throws(PostgresFailure) {
            let database = try ClusterDatabase(settings)
            try database.tell(
                ClusterNode(
                    id: id, name: settings.node, address: "", version: "", revision: 0, active: "", digest: "",
                    silence: 0))
            if case .other(let snapshot) = try database.read(known: nil) {
                first = snapshot.replacing(snapshot.state.locking(Set(waitingLocks)))
            } else {
                first = nil
            }
            start = Mutex(Handover(value: database))
        } catch {
            guard error.mayPass else { throw error }
            condition.problem = error.message
            condition.lostAt = wallSeconds()
            first = nil
            start = Mutex(Handover(value: nil))
        }
        shared.withLock { [condition] in $0.condition = condition }
    }

    public var condition: ClusterCondition { shared.withLock { $0.condition } }

    /// Begins to follow; returns once the state of the cluster was taken over, or the database turned out to be away.
    /// - Parameter address: where apps reach this node.
    public func begin(_ follower: any ClusterFollower, address: String, version: String) async throws(SystemError) {
        guard
            let taken = start.withLock({ start in
                defer { start = nil }
                return start
            })
        else { return }
        let thread = ClusterThread(
            self, follower, taken.value, address: address, version: version)
        let box = Handover(value: thread)
        let failure: SystemError? = await withCheckedContinuation { continuation in
            do throws(SystemError) {
                try Loop.startThread(name: "cluster") {
                    box.value.run { continuation.resume(returning: nil) }
                }
                shared.withLock { $0.hasBegun = true }
            } catch {
                continuation.resume(returning: error)
            }
        }
        if let failure { throw failure }
    }

    /// Tells the other nodes that this one goes, and ends the thread.
    public func stop() async {
        await withCheckedContinuation { continuation in
            let isRunning = shared.withLock { shared in
                guard shared.hasBegun, !shared.hasEnded else { return false }
                shared.requests.append(.stop(continuation))
                return true
            }
            if isRunning { return waker.wake() }
            // It has not begun.
            let unused = start.withLock { start in
                defer { start = nil }
                return start
            }
            try? unused?.value?.leave(id)
            continuation.resume()
        }
    }
}

/// What one thread has made for another one, which alone uses it from then on: for that reason it can be sent.
private struct Handover<Value>: @unchecked Sendable {
    let value: Value
}

func wallSeconds() -> Int64 { Int64(time(nil)) }
