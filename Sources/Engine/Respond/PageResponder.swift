import HTTP

/// Responds under `/__shunt`, a path of Shunt's own on every host.
final class PageResponder: Responder {
    private static let path: StaticString = "/__shunt"

    func isUsed(by shared: Proxy.Shared) -> Bool { shared.pages != nil }

    func claims(_ exchange: ClientExchange) -> Bool {
        let (bytes, path) = (exchange.headBytes, exchange.request.head.path)
        let length = Self.path.utf8CodeUnitCount
        guard bytes.extracting(path).starts(with: Self.path) else { return false }
        return (path.count == length || bytes[path.lowerBound + length] == UInt8(ascii: "/"))
            && HostAdmission(request: exchange.request, state: exchange.state).isKnown
    }

    var words: String { "a page of Shunt" }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        guard let pages = exchange.state.pages else { return }
        exchange.ignore()
        try await HandlerResponder.handle(exchange, with: pages)
    }
}
