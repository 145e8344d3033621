import Reactor
import Synchronization

// Changes and questions, from every thread.
extension ClusterMember {
    /// Changes the state of the cluster, and takes it over here.
    ///
    /// `body` may be called several times, if other nodes change it at the same time; it has no effects of its own.
    /// Refused at once while the database is away.
    public func change(
        _ body: @escaping @Sendable (inout ClusterState, ClusterMoment) throws(ClusterRefusal) -> Void
    ) async throws(ClusterRefusal) -> ClusterSnapshot {
        let result: Result<ClusterSnapshot, ClusterRefusal> = await withCheckedContinuation { continuation in
            let refusal: ClusterRefusal? = shared.withLock { shared in
                guard shared.hasBegun, !shared.hasEnded else { return .stopping }
                if let problem = shared.condition.problem { return .away(problem) }
                shared.requests.append(
                    .change(
                        body, asked: shared.condition.revision,
                        expires: Instant.now().after(UInt64(ClusterTimes.change) * 1_000_000), continuation))
                return nil
            }
            if let refusal { continuation.resume(returning: .failure(refusal)) } else { waker.wake() }
        }
        return try result.get()
    }

    /// Announces that a profile is locked here; from now on no state unlocks it, until all nodes have it locked.
    public func willLock(_ profile: String) {
        shared.withLock { shared in
            if !shared.condition.waitingLocks.contains(profile) { shared.condition.waitingLocks.append(profile) }
        }
    }

    /// Locks a profile on every node, after ``willLock(_:)``.
    ///
    /// Without the database it is locked here alone, and on the others as soon as the database is back: nil then.
    public func lock(_ profile: String) async throws(ClusterRefusal) -> ClusterSnapshot? {
        do throws(ClusterRefusal) {
            let snapshot = try await change { (state, moment) in state.lock(profile, at: moment) }
            shared.withLock { shared in shared.condition.waitingLocks.removeAll { $0 == profile } }
            return snapshot
        } catch {
            switch error {
            case .away, .unknown, .busy:
                await withCheckedContinuation { continuation in
                    let isThere = shared.withLock { shared in
                        guard !shared.hasEnded else { return false }
                        shared.requests.append(.writeLocks(continuation))
                        return true
                    }
                    if isThere { waker.wake() } else { continuation.resume() }
                }
                return nil
            default: throw error
            }
        }
    }

    /// All nodes that the database knows; nil while it is away.
    public func nodes() async -> [ClusterNode]? {
        await withCheckedContinuation { continuation in
            ask(.nodes(continuation)) { continuation.resume(returning: nil) }
        }
    }

    /// Which nodes have taken a revision over: at once if all have, else when the time is over.
    /// - Parameters:
    ///   - active: the profile that has to be active; nil for any.
    ///   - forAll: also nodes that are silent are waited for.
    /// - Returns: nil if the database was lost meanwhile.
    public func takeover(
        of revision: Int64, active: String?, milliseconds: Int, forAll: Bool
    ) async -> ClusterTakeover? {
        let end = Instant.now().after(UInt64(max(0, milliseconds)) * 1_000_000)
        let wait = ClusterWait(revision: revision, active: active, end: end, forAll: forAll)
        return await withCheckedContinuation { continuation in
            ask(.takeover(wait, continuation)) { continuation.resume(returning: nil) }
        }
    }

    private func ask(_ request: Request, else refuse: () -> Void) {
        let isThere = shared.withLock { shared in
            guard shared.hasBegun, !shared.hasEnded, !shared.condition.isAway else { return false }
            shared.requests.append(request)
            return true
        }
        if isThere { waker.wake() } else { refuse() }
    }
}

/// What a command waits for.
struct ClusterWait: Sendable {
    let revision: Int64
    let active: String?
    let end: Instant
    let forAll: Bool
}
