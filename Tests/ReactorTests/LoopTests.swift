import Reactor
import Synchronization
import Testing

@Suite struct LoopTests {
    @Test func `a task stays on its loop through every suspension`() async throws {
        let stayed = try await Bench.run { bench in
            let waiter = Waiter(bench.loop.core)
            var isThere = [bench.loop.isCurrent]
            waiter.deadline = Instant.now().after(1_000_000)
            await waiter.park()
            isThere.append(bench.loop.isCurrent)
            await waiter.yield()
            isThere.append(bench.loop.isCurrent)
            waiter.retire()
            return isThere
        }
        #expect(stayed == [true, true, true])
    }

    @Test func `a wake-up before the wait is not lost`() async throws {
        try await Bench.run { bench in
            let waiter = Waiter(bench.loop.core)
            waiter.wake()
            await waiter.park()
        }
    }

    @Test func `waiters wake in the order of their deadlines, also of those that moved`() async throws {
        // Each is scheduled with one deadline and then given another, nearer or farther, in milliseconds.
        let plan: [(first: UInt64, then: UInt64)] = [(500, 300), (50, 600), (200, 200), (400, 100), (450, 500)]
        let order = Numbers()
        let bench = try Bench()
        let start = Instant.now()
        await withTaskGroup(of: Void.self) { group in
            for (index, times) in plan.enumerated() {
                group.addTask(executorPreference: bench.loop) {
                    await bench.wait(start.after(times.first * 1_000_000), start.after(times.then * 1_000_000))
                    order.add(index)
                }
            }
        }
        bench.loop.stop()
        #expect(order.all == [3, 2, 0, 4, 1])
    }

    @Test func `posts run on the loop, in their order`() async throws {
        let seen = Numbers()
        try await Bench.run { bench in
            let waiter = Waiter(bench.loop.core)
            await withCheckedContinuation { continuation in
                for number in 0..<100 { bench.loop.post { _ in seen.add(number) } }
                bench.loop.post { _ in continuation.resume() }
            }
            waiter.retire()
        }
        #expect(seen.all == Array(0..<100))
    }
}

extension Bench {
    func wait(_ first: Instant, _ then: Instant) async {
        let waiter = Waiter(loop.core)
        waiter.deadline = first
        waiter.reschedule()
        waiter.deadline = then
        while !(waiter.deadline <= Instant.now()) { await waiter.park() }
        waiter.retire()
    }
}

/// Numbers that several tasks note down.
private final class Numbers: Sendable {
    private let numbers = Mutex<[Int]>([])
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    var all: [Int] { numbers.withLock { $0 } }
}
