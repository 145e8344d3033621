import Reactor

extension ClientExchange {
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
        // The exchange may end before the work does, which still uses the body's memory.
        let memory = body.buffered?.memory
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

    /// Takes memory for what is made of a body for as long as it is used.
    func memory(of count: Int) throws(EngineFailure) -> HeldMemory {
        let memory = HeldMemory(state.held)
        guard memory.grow(by: count) else { throw .heldTooMuch(state.held) }
        return memory
    }

    /// The same for the tree of a JSON text, which takes many times the memory of the text.
    func memory(ofTreeOf json: [UInt8]) throws(EngineFailure) -> HeldMemory {
        // A value with its position, and where it is a member its name.
        let perValue = 128
        let values = json.count { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
        return try memory(of: json.count + perValue * values)
    }
}
