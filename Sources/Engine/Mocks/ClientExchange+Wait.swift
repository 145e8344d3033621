import Reactor

extension ClientExchange {
    /// Holds a response back; ends early where the client leaves or Shunt stops.
    func wait(_ nanoseconds: UInt64) async throws(EngineFailure) {
        let end = state.core.now.after(nanoseconds)
        // The client may also wake this by sending bytes.
        while state.core.now < end {
            if state.isAborting || client.waiter.isCancelled { throw .aborted }
            if client.hasLeft { throw .clientClosed }
            client.waiter.deadline = end
            await client.waiter.park()
        }
    }
}
