public import Reactor

// Machines of users in place of origins, and this machine in place of a gateway's.
extension Proxy {
    /// How many connections an attached machine opens.
    public var connectionsOfAttachment: Int { workers.count }

    /// Takes one more connection of a user's machine over; nil where each worker has one.
    ///
    /// - Returns: where the bytes of the connection go.
    public func connect(_ attachment: Attachment) async throws(SystemError) -> HandledTunnel? {
        guard let place = attachment.place(among: workers.count) else { return nil }
        let (near, far) = try Socket.pair()
        let tunnel = HandledTunnel(near)
        try await workers[place].attach(far, attachment)
        return tunnel
    }

    /// Opens a connection to a gateway, and serves the requests that come on it until it ends.
    ///
    /// - Parameter didConnect: called when the gateway sends requests on it, or may.
    public func serve(
        _ door: GatewayDoor, didConnect: @escaping @Sendable () -> Void
    ) async throws(GatewayFailure) {
        try await workers[0].serve(door, didConnect)
    }
}
