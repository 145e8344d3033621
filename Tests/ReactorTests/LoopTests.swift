import Reactor
import Synchronization
import TestSupport
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

    @Test(.timeLimit(.minutes(1)))
    func `a wake-up while others have their turn counts for the next wait`() async throws {
        try await Bench.run { bench in
            let waiter = Waiter(bench.loop.core)
            // Timers fire before those go on who have let others go first.
            waiter.deadline = Instant.now()
            waiter.reschedule()
            await waiter.yield()
            waiter.deadline = .never
            await waiter.park()
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `tasks of one loop wake each other`() async throws {
        let seen = Numbers()
        try await Bench.run { bench in
            let (ping, pong) = (Waiter(bench.loop.core), Waiter(bench.loop.core))
            let other = Task {
                for number in 0..<1000 {
                    await ping.park()
                    if bench.loop.isCurrent { seen.add(number) }
                    pong.wake()
                }
            }
            for _ in 0..<1000 {
                ping.wake()
                await pong.park()
            }
            await other.value
        }
        #expect(seen.all == Array(0..<1000))
    }

    /// One that kept to its first deadline would wait for hours: the limit of time ends it.
    @Test(
        .timeLimit(.minutes(2)),
        arguments: [
            // Scheduled with one deadline and then given another, nearer or farther, in milliseconds.
            (first: 10_000_000, then: 30), (first: 5, then: 60), (first: 20, then: 20), (first: 10_000_000, then: 10),
            (first: 1, then: 100),
        ] as [(first: UInt64, then: UInt64)])
    func `a waiter wakes at its deadline, also at one that moved`(first: UInt64, then: UInt64) async throws {
        let (start, end) = try await Bench.run { bench in
            let waiter = Waiter(bench.loop.core)
            let start = Instant.now()
            waiter.deadline = start.after(first * 1_000_000)
            waiter.reschedule()
            waiter.deadline = start.after(then * 1_000_000)
            // Nobody else wakes it, so that one wait is enough.
            await waiter.park()
            waiter.retire()
            return (start, Instant.now())
        }
        #expect(end - start >= then * 1_000_000)
    }

    @Test func `deadlines are those of the clock that a loop was given`() async throws {
        let clock = VirtualClock()
        let seen = Numbers()
        try await Bench.run(clock: { clock.now }) { bench in
            let pause = Waiter(bench.loop.core)
            let start = bench.loop.core.now
            let waiters = [10, 5, 7].map { seconds in
                let waiter = Waiter(bench.loop.core)
                waiter.deadline = start.after(UInt64(seconds) * 1_000_000_000)
                Task {
                    bench.assertIsolated()
                    await waiter.park()
                    seen.add(seconds)
                }
                return waiter
            }
            for (step, expected) in [
                (4.9, []), (0.1, [5]), (1.9, [5]), (0.1, [5, 7]), (2.9, [5, 7]), (9, [5, 7, 10]),
            ] {
                await pause.yield()
                clock.advance(by: step)
                for _ in 0..<4 { await pause.yield() }
                #expect(seen.all == expected)
            }
            for waiter in waiters + [pause] { waiter.retire() }
        }
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

/// Numbers that several tasks note down.
private final class Numbers: Sendable {
    private let numbers = Mutex<[Int]>([])
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    var all: [Int] { numbers.withLock { $0 } }
}
