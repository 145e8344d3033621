import Reactor

extension RequestBody {
    /// What may be done on the loop at once: about a millisecond for 64 KiB.
    static let shortWork = 64 << 10

    /// Does work whose time depends on what a client has sent: on a thread of its own if it is long, so that the other
    /// clients of this worker need not wait.
    ///
    /// - Parameter size: bytes to go through, times how often.
    func perform<Result: Sendable>(
        size: Int, _ work: @escaping @Sendable () -> Result
    ) async throws(EngineFailure) -> Result {
        guard size > Self.shortWork else { return work() }
        let state = client.state
        // The exchange may end before the work does, which still uses the body's memory.
        let memory = buffered?.memory
        let deadline = client.waiter.deadline
        defer { client.waiter.deadline = deadline }
        client.waiter.deadline = .never
        let result = await state.threads.result(on: client.waiter) { withExtendedLifetime(memory, work) }
        if let result { return result }
        if state.isAborting { throw .aborted }
        if client.waiter.isCancelled { throw .clientLeft("the connection was closed while its request was examined") }
        throw EngineFailure(
            .proxy, .route, status: 503, "too many long requests wait to be examined",
            advice: "Send it again when others are through.")
    }
}
