import HTTP

/// Responds to OPTIONS and TRACE with `Max-Forwards: 0` (RFC 9110 7.6.2).
final class HopLimitResponder: Responder {
    static let allowed = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

    func claims(_ exchange: ClientExchange) -> Bool { exchange.request.maxForwards == 0 }

    var words: String { "Shunt itself, since Max-Forwards is 0" }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        guard exchange.request.head.method == .options else {
            throw EngineFailure(
                .client, .route, status: 405, "TRACE with Max-Forwards: 0 asks Shunt to send back what it was sent",
                advice: "Shunt does not echo requests, which may hold cookies; `shunt show` has what it received.")
        }
        await exchange.respond(LocalResponse(204, "Allow: \(Self.allowed)\r\nShunt-Answered-By: shunt\r\n"))
    }
}
