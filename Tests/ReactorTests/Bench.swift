import Reactor

/// An actor on a loop of its own, on which a test's body runs.
actor Bench {
    nonisolated let loop: Loop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private init(_ clock: @escaping @Sendable () -> Instant) throws { loop = try Loop(name: "test", clock: clock) }

    /// Runs `body` on the loop, as a task of its own.
    static func run<R: Sendable>(
        clock: @escaping @Sendable () -> Instant = { .now() },
        _ body: @escaping @Sendable (isolated Bench) async throws -> R
    ) async throws -> R {
        let bench = try Bench(clock)
        defer { bench.loop.stop() }
        return try await Task { try await body(bench) }.value
    }
}
