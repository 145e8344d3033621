import HTTP
import Reactor

/// Responds by the program's own handler, if a proxy has one instead of profiles.
final class HandlerResponder: Responder {
    func claims(_ exchange: ClientExchange) -> Bool { exchange.state.handler != nil }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        guard let handler = exchange.state.handler else { return }
        try await exchange.handle(with: handler)
    }
}

extension ClientExchange {
    private static let maxHandledBody = 1 << 20

    /// Lets a handler respond, with the request's body read to its end first.
    func handle(with handler: any Handler) async throws(EngineFailure) {
        try await body.buffer(max: Self.maxHandledBody, within: state.limits.headTime, recording)
        guard request.head.framing == .none || body.isBuffered else {
            throw EngineFailure(.client, .send, status: 413, "the request's body is longer than 1 MiB")
        }
        let handled = handledRequest
        // A client that gave up reports that nothing was changed: nothing may be changed now.
        if !request.head.method.isSafe, client.hasLeft { throw .clientLeft("the client closed the connection") }
        setHandled(true)
        defer { setHandled(false) }
        let response = await handler.response(handled)
        // Refused clients must not occupy connections by reading slowly.
        if response.status >= 400 { setHandled(false) }
        if let stream = response.stream {
            await send(response, stream)
        } else {
            await respond(
                LocalResponse(status: response.status, fields: response.fieldLines, body: response.body))
        }
    }

    @inline(never)
    private var handledRequest: HandledRequest {
        let bytes = headBytes
        return HandledRequest(
            method: String(bytes.extracting(request.head.methodRange)),
            target: String(bytes.extracting(request.head.pathAndQuery)),
            authority: String(bytes.extracting(request.head.authority)),
            fields: request.head.fields.map {
                (name: String(bytes.extracting($0.name)), value: String(bytes.extracting($0.value)))
            },
            body: body.buffered?.bytes ?? [], client: client.peer, isSecure: client.isSecure)
    }
}
