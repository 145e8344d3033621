import Reactor

extension ClientExchange {
    /// Counts the request, and refuses it where its client has reached a limit of its own.
    func admit(by limits: ClientLimits) throws(EngineFailure) {
        if client.isOver(limits) {
            client.mustClose = true
            throw EngineFailure(
                .client, .route, status: 429,
                "\(limitedName) has more than \(limits.connections ?? 0) connections at once",
                advice: "Close some, or use them again; `shunt serve --client-connections` sets the limit.")
        }
        guard limits.rate != nil, !limits.admits(client.peer, user: limitedUser, now: state.core.now) else { return }
        throw EngineFailure(
            .client, .route, status: 429, "\(limitedName) has sent more than \(limits.rate ?? 0) requests in a second",
            advice: "Send it again in a second; `shunt serve --client-rate` sets the limit.")
    }

    private var limitedName: String { limitedUser ?? client.peer?.unmapped.host ?? "the client" }

    /// The user that the request's device belongs to, who is counted instead of the address.
    private var limitedUser: String? {
        state.devices.isEmpty ? nil : Routing(client, request).device?.0.user
    }
}

extension Client {
    /// Its connection is one too many, and still is.
    fileprivate func isOver(_ limits: ClientLimits) -> Bool {
        guard limits.connections != nil else { return false }
        let stream = channel.base as? StreamChannel
        guard isOverLimit || stream?.connection.isOverLimit == true else { return false }
        if limits.isOver(peer) { return true }
        // Others have been closed.
        isOverLimit = false
        stream?.connection.isOverLimit = false
        return false
    }
}
