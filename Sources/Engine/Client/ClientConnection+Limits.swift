import Reactor

// Limits on the connections of one client.
extension ClientConnection {
    /// Counts it; false if its client has so many that it is closed at once.
    func enter() -> Bool {
        switch state.clientLimits?.enter(peer) ?? .free {
        case .free: return true
        case .over:
            client.connected.isOverLimit = true
            return true
        case .refused: return false
        }
    }

    /// Counts it no more.
    func leave() {
        state.clientLimits?.leave(peer)
        client.program?.leave()
    }

    /// Closes it before anything was read.
    func refuse() {
        channel.socket.resetOnClose()
        discard()
    }
}
