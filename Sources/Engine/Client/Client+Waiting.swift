import Reactor

extension Client {
    /// Waits before its response; ends early where it leaves or Shunt stops.
    func wait(_ nanoseconds: UInt64) async throws(EngineFailure) {
        let end = state.core.now.after(nanoseconds)
        // The client may also wake this by sending bytes.
        while state.core.now < end {
            if state.isAborting || waiter.isCancelled { throw .aborted }
            if hasLeft { throw .clientClosed }
            waiter.deadline = end
            await waiter.park()
        }
    }

    /// How long a thread may take, with its wait for other work.
    private static let threadTime = 30 * Limits.second

    /// The result of work that reads files or takes long, which must not hold the loop.
    @inline(never)
    func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws(EngineFailure) -> Value {
        try await onThread { waiter in await state.threads.result(on: waiter, of: body) }
    }

    /// The result of such work that other exchanges may wait for as well.
    @inline(never)
    func onThread<Value>(_ result: (Waiter) async -> Value?) async throws(EngineFailure) -> Value {
        waiter.deadline = state.core.now.after(Self.threadTime)
        if let value = await result(waiter) { return value }
        if state.isAborting || waiter.isCancelled { throw .aborted }
        throw EngineFailure(
            .proxy, .route, status: 503, "files of this machine are read for too many requests at once",
            advice: "Send the request again.")
    }
}
