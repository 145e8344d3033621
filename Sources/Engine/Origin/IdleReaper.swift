import Reactor

/// Closes idle connections of one worker as they expire, and gives freed memory back.
///
/// Confined to its worker.
package final class IdleReaper {
    let waiter: Waiter
    private var freed = FreedMemory()

    init(_ waiter: Waiter) { self.waiter = waiter }

    /// Closes resting connections as they expire or are closed by their origins, until the worker ends.
    package func run(_ state: WorkerState) async {
        waiter.note("the end of idle connections")
        while !state.isDraining {
            waiter.deadline = .never
            for pool in state.pools.open {
                waiter.deadline = min(waiter.deadline, pool.sweep(state))
                waiter.deadline = min(waiter.deadline, pool.endWithException(state))
            }
            let freed = freed.look(at: state.core.now)
            if freed.isDue { _ = state.threads.start { releaseFreeMemory() } }
            waiter.deadline = min(waiter.deadline, freed.next)
            await waiter.park()
        }
        for pool in state.pools.open { pool.close() }
        waiter.retire()
    }

    /// A client's connection is closed.
    func connectionEnded(_ now: Instant) {
        if freed.connectionEnded(at: now) { expect(now) }
    }

    /// A connection became idle: it has to be closed later.
    func expect(_ now: Instant) {
        guard waiter.deadline == .never else { return }
        waiter.deadline = now.after(Limits.restDelay)
        waiter.reschedule()
    }
}
