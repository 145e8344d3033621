import HTTP
import Reactor

/// Responds by the program's own handler, if a proxy has one instead of profiles.
final class HandlerResponder: Responder {
    func isUsed(by shared: Proxy.Shared) -> Bool { if case .handler = shared.source { true } else { false } }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        guard let handler = exchange.state.handler else { return }
        try await Self.handle(exchange, with: handler)
    }

    private static let maxHandledBody = 1 << 20

    /// Lets a handler respond, with the request's body read to its end first.
    static func handle(_ exchange: ClientExchange, with handler: any Handler) async throws(EngineFailure) {
        let (client, request) = (exchange.client, exchange.request)
        try await exchange.body.buffer(
            max: maxHandledBody, within: exchange.state.limits.headTime, exchange.recording)
        guard request.head.framing == .none || exchange.body.isBuffered else {
            throw EngineFailure(.client, .send, status: 413, "the request's body is longer than 1 MiB")
        }
        let handled = HandledRequest(exchange)
        // A client that gave up reports that nothing was changed: nothing may be changed now.
        if !request.head.method.isSafe, client.hasLeft { throw .clientLeft("the client closed the connection") }
        exchange.isHandled = true
        defer { exchange.isHandled = false }
        let response = await handler.response(handled)
        // Refused clients must not occupy connections by reading slowly.
        if response.status >= 400 { exchange.isHandled = false }
        if let tunnel = response.tunnel {
            try await tunnel.carry(exchange, response)
        } else if let stream = response.stream {
            await StreamedResponse(exchange: exchange, handled: response, stream: stream).send()
        } else {
            await exchange.respond(
                LocalResponse(status: response.status, fields: response.fieldLines, body: response.body))
        }
    }
}

extension HandledRequest {
    @inline(never)
    fileprivate init(_ exchange: ClientExchange) {
        let request = exchange.request
        self.init(
            method: request.text(request.head.methodRange), target: request.text(request.head.pathAndQuery),
            authority: request.text(request.head.authority),
            fields: request.head.fields.map { (name: request.text($0.name), value: request.text($0.value)) },
            body: exchange.body.buffered?.bytes ?? [], client: exchange.client.peer,
            isSecure: exchange.client.isSecure)
    }
}
