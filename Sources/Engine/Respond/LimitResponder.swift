import Reactor

/// Responds to requests of clients that have reached a limit of their own.
final class LimitResponder: Responder {
    func claims(_ exchange: ClientExchange) -> Bool {
        guard let limits = exchange.state.clientLimits else { return false }
        return exchange.client.isOver(limits) || !exchange.isAdmitted(by: limits)
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        guard let limits = exchange.state.clientLimits else { return }
        let who = exchange.limitedUser ?? exchange.client.peer?.unmapped.host ?? "the client"
        if exchange.client.isOver(limits) {
            exchange.client.mustClose = true
            throw EngineFailure(
                .client, .route, status: 429,
                "\(who) has more than \(limits.connections ?? 0) connections at once",
                advice: "Close some, or use them again; `shunt serve --client-connections` sets the limit.")
        }
        throw EngineFailure(
            .client, .route, status: 429, "\(who) has sent more than \(limits.rate ?? 0) requests in a second",
            advice: "Send it again in a second; `shunt serve --client-rate` sets the limit.")
    }
}

extension ClientExchange {
    /// The user that the request's device belongs to, who is counted instead of the address.
    fileprivate var limitedUser: String? {
        state.devices.isEmpty ? nil : Routing(client, request).device?.0.user
    }

    fileprivate func isAdmitted(by limits: ClientLimits) -> Bool {
        limits.rate == nil || limits.admits(client.peer, user: limitedUser, now: state.core.now)
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
