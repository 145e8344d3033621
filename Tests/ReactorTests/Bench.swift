import Reactor

/// An actor on a loop of its own, on which a test's body runs.
actor Bench {
    nonisolated let loop: Loop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init() throws { loop = try Loop(name: "test") }

    /// Runs `body` on the loop, as a task of its own.
    static func run<R: Sendable>(_ body: @escaping @Sendable (isolated Bench) async throws -> R) async throws -> R {
        let bench = try Bench()
        defer { bench.loop.stop() }
        return try await Task { try await body(bench) }.value
    }
}
