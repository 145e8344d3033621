import HTTP

/// Refuses CONNECT.
final class ConnectResponder: Responder {
    func claims(_ exchange: ClientExchange) -> Bool { exchange.request.head.method == .connect }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        throw EngineFailure(
            .client, .route, status: 501, "CONNECT asks for a forward proxy, and Shunt is a reverse proxy",
            advice: "Use Shunt's address as the base URL of the client, not as its proxy.")
    }
}
