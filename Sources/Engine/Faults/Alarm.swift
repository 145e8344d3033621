import Reactor

/// Wakes a waiter at a time of its own, beside the deadline that the waiter has.
final class Alarm: LoopTask {
    private let target: Waiter
    private let waiter: Waiter

    init(_ target: Waiter, _ state: WorkerState) {
        self.target = target
        waiter = Waiter(state.core)
        state.spawn(self)
    }

    private var isOver = false

    func set(to time: Instant) {
        waiter.deadline = time
        waiter.wake()
    }

    func end() {
        isOver = true
        waiter.wake()
    }

    func run() async {
        while !isOver {
            if waiter.isExpired {
                waiter.deadline = .never
                target.wake()
            }
            await waiter.park()
        }
        waiter.retire()
    }
}
