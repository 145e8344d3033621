import Reactor

/// Wakes a waiter at a time of its own, beside the deadline that the waiter has.
final class Alarm: LoopTask {
    private let target: Waiter
    private let waiter: Waiter

    init(_ target: Waiter, _ loop: LoopState) {
        (self.target, waiter) = (target, Waiter(loop.core))
        loop.spawn(self)
    }

    func set(to time: Instant) {
        waiter.deadline = time
        waiter.wake()
    }

    func end() { waiter.cancel() }

    func run() async {
        while !waiter.isCancelled {
            if waiter.isExpired {
                waiter.deadline = .never
                target.wake()
            }
            await waiter.park()
        }
        waiter.retire()
    }
}
