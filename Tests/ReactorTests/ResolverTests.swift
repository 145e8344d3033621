import Foundation
import Reactor
import Synchronization
import TestSupport
import Testing

#if SHUNT_KQUEUE
import CSystem
#endif

/// Many look-ups at once, slow ones and ones that never end.
@Suite struct ResolverTests {
    private static let here: Result<[SocketAddress], ResolutionError> = .success([.loopback(.ipv4, port: 0)])

    /// A system whose look-ups wait until a test opens its gate, and that counts them.
    private final class System: Sendable {
        private let asked = Mutex<[String: Int]>([:])
        private let isOpen = Mutex(false)

        func open() { isOpen.withLock { $0 = true } }

        /// - Parameter isHeld: the name's look-up waits for the gate.
        func resolver(holding isHeld: @escaping @Sendable (String) -> Bool) -> Resolver {
            Resolver { name in
                self.asked.withLock { $0[name, default: 0] += 1 }
                if isHeld(name) { _ = eventually { self.isOpen.withLock { $0 } } }
                return ResolverTests.here
            }
        }

        var count: Int { asked.withLock { $0.values.reduce(0, +) } }
        func count(of name: String) -> Int { asked.withLock { $0[name] ?? 0 } }
    }

    /// Looks names up at once, a task each; returns how many have an address.
    private static func lookUp(
        _ names: [String], _ resolver: Resolver, whenAsked: @escaping @Sendable () -> Void = {}
    ) async throws -> Int {
        try await Bench.run { bench in
            var tasks: [Task<Bool, Never>] = []
            for name in names {
                tasks.append(
                    Task {
                        let waiter = Waiter(bench.loop.core)
                        waiter.deadline = Instant.now().after(60_000_000_000)
                        defer { waiter.retire() }
                        return (try? await resolver.addresses(of: name, on: waiter)) != nil
                    })
            }
            let pause = Waiter(bench.loop.core)
            for _ in 0..<8 { await pause.yield() }
            whenAsked()
            var count = 0
            for task in tasks {
                if await task.value { count += 1 }
            }
            return count
        }
    }

    @Test(arguments: [1, 200])
    func `two hundred requests at once wait for a slow name server, and all get an address`(names: Int) async throws {
        let system = System()
        let all = (0..<200).map { "host-\($0 % names).test" }
        let found = try await Self.lookUp(all, system.resolver { _ in true }) { system.open() }
        #expect(found == 200)
        #expect(system.count == names)
    }

    @Test func `names whose server does not respond do not hold up others`() async throws {
        let system = System()
        defer { system.open() }
        let resolver = system.resolver { $0.hasSuffix(".dead.test") }
        let found = try await Bench.run { bench in
            for number in 0..<200 {
                Task {
                    let waiter = Waiter(bench.loop.core)
                    waiter.deadline = 1
                    _ = try? await resolver.addresses(of: "host-\(number).dead.test", on: waiter)
                }
            }
            let waiter = Waiter(bench.loop.core)
            waiter.deadline = Instant.now().after(60_000_000_000)
            for _ in 0..<8 { await waiter.yield() }
            defer { waiter.retire() }
            return try await resolver.addresses(of: "alive.test", on: waiter)
        }
        #expect(found == [.loopback(.ipv4, port: 0)])
    }

    @Test func `an address is kept for two seconds, a failure for half a second`() async throws {
        let (clock, count) = (VirtualClock(), Kept(0))
        let resolver = Resolver(
            lookUp: { name in
                count.change { $0 += 1 }
                return name == "gone.test" ? .failure(.failed("none")) : Self.here
            }, clock: { clock.now })
        func ask(_ name: String) async throws -> Int {
            _ = try await Self.lookUp([name], resolver)
            return count.value
        }
        #expect(try await ask("here.test") == 1)
        clock.advance(by: 1.9)
        #expect(try await ask("here.test") == 1)
        clock.advance(by: 0.2)
        #expect(try await ask("here.test") == 2)
        #expect(try await ask("gone.test") == 3)
        clock.advance(by: 0.4)
        #expect(try await ask("gone.test") == 3)
        clock.advance(by: 0.2)
        #expect(try await ask("gone.test") == 4)
    }
}

/// Work that loops leave to threads.
@Suite struct ThreadTests {
    @Test(arguments: [1, 2])
    func `as many threads run as the limit says, and the rest waits in order`(limit: Int) {
        let threads = Threads(name: "test", limit: limit, maxWaiting: 5 - limit)
        let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let done = DispatchSemaphore(value: 0)
        let (running, most, order) = (Kept(0), Kept(0), Kept<[Int]>([]))
        func start(_ number: Int) -> Bool {
            threads.start {
                running.change { $0 += 1 }
                most.change { $0 = max($0, running.value) }
                begun.signal()
                gate.wait()
                order.change { $0.append(number) }
                running.change { $0 -= 1 }
                done.signal()
            }
        }
        #expect((0..<5).map(start) == [true, true, true, true, true])
        #expect(!start(5))
        // A thread that begins late would leave its work to the other one.
        for _ in 0..<limit { begun.wait() }
        for _ in 0..<5 {
            gate.signal()
            done.wait()
        }
        #expect(most.value == limit && order.value.count == 5)
        if limit == 1 { #expect(order.value == [0, 1, 2, 3, 4]) }
    }

    @Test func `a value wakes all that wait for it, and no task waits beyond its deadline`() async throws {
        let errand = Errand<Int>()
        let values = try await Bench.run { bench in
            let tasks = (0..<3).map { number in
                Task {
                    let waiter = Waiter(bench.loop.core)
                    waiter.deadline = number == 2 ? 1 : .never
                    return await errand.value(on: waiter)
                }
            }
            let pause = Waiter(bench.loop.core)
            for _ in 0..<8 { await pause.yield() }
            errand.finish(7)
            errand.finish(8)
            var values: [Int?] = []
            for task in tasks { values.append(await task.value) }
            return values
        }
        #expect(values == [7, 7, nil])
    }

    @Test func `a queue that never runs empty takes memory for what waits alone`() {
        var ready = ReadySockets()
        for token in 0..<40 { ready.append(UInt64(token)) }
        var (next, most, isInOrder): (UInt64, Int, Bool) = (40, 0, true)
        for expected in 0..<100_000 {
            if ready.popFirst() != UInt64(expected) { isInOrder = false }
            ready.append(next)
            next += 1
            most = max(most, ready.held)
        }
        #expect(most <= 128 && isInOrder)
    }

    #if DEBUG
    @Test func `a job that holds its loop is named`() async throws {
        try await Bench.run { bench in
            let waiter = Waiter(bench.loop.core)
            waiter.note("sums")
            await waiter.yield()
            var time = timespec()
            let start = bench.threadTime(&time)
            // Until it has used so much of the processor, however busy that is.
            while bench.threadTime(&time) - start < 30_000_000 {}
            await waiter.yield()
        }
        #expect(Watchdog.holds.contains { $0.activity == "sums" && $0.milliseconds >= 29 })
    }
    #endif
}

extension Bench {
    nonisolated func threadTime(_ time: inout timespec) -> Int {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
