import Synchronization

/// What a mock has done since Shunt started; a reload keeps it.
///
/// Shared by all threads.
final class MockRecord: Sendable {
    private let count = Atomic<UInt64>(0)
    private let lastHitAt = Atomic<Int64>(0)
    private let turns = Atomic<UInt64>(0)
    private let webhooks = Atomic<UInt64>(0)
    /// Of a recording's groups of entries, by their numbers.
    private let groups = Mutex<[Int: Int]>([:])

    var hits: UInt64 { count.load(ordering: .relaxed) }

    /// Seconds since 1970; nil before the first.
    var lastHit: Int64? {
        let time = lastHitAt.load(ordering: .relaxed)
        return time == 0 ? nil : time
    }

    /// - Parameter now: seconds since 1970.
    func hit(now: Int64) {
        count.add(1, ordering: .relaxed)
        // Workers share the line of memory, so the time is written once a second at most.
        if lastHitAt.load(ordering: .relaxed) != now { lastHitAt.store(now, ordering: .relaxed) }
    }

    /// The number of the next response of this mock, from 0.
    func takeTurn() -> UInt64 { turns.add(1, ordering: .relaxed).oldValue }

    /// The number of the next webhook of this mock, from 0.
    func takeWebhook() -> UInt64 { webhooks.add(1, ordering: .relaxed).oldValue }

    /// The next response is the first again.
    func restart() {
        turns.store(0, ordering: .relaxed)
        groups.withLock { $0.removeAll() }
    }

    /// The number of the next response of a group, from 0.
    func takeTurn(ofGroup group: Int) -> Int {
        groups.withLock { groups in
            let turn = groups[group, default: 0]
            groups[group] = turn + 1
            return turn
        }
    }
}
