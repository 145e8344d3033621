import Reactor

extension ClientLimits {
    /// Counts a request, and refuses it where its client has reached a limit of its own.
    func check(_ request: Request, of client: Client) throws(EngineFailure) {
        // The user that the request's device belongs to is counted instead of the address.
        let user = client.state.devices.isEmpty ? nil : Routing(client: client, request: request).device?.0.user
        var name: String { user ?? client.peer?.unmapped.host ?? "the client" }
        if client.isOver(self) {
            client.mustClose = true
            throw EngineFailure(
                .client, .route, status: 429, "\(name) has more than \(connections ?? 0) connections at once",
                advice: "Close some, or use them again; `shunt serve --client-connections` sets the limit.")
        }
        guard rate != nil, !admits(client.peer, user: user, now: client.state.core.now) else { return }
        throw EngineFailure(
            .client, .route, status: 429, "\(name) has sent more than \(rate ?? 0) requests in a second",
            advice: "Send it again in a second; `shunt serve --client-rate` sets the limit.")
    }
}

extension Client {
    /// Its connection is one too many, and still is.
    fileprivate func isOver(_ limits: ClientLimits) -> Bool {
        guard limits.connections != nil else { return false }
        guard connected.isOverLimit else { return false }
        if limits.isOver(peer) { return true }
        // Others have been closed.
        connected.isOverLimit = false
        return false
    }
}
