import HTTP
import Profiles

/// A response of a mock, made ready to be sent.
final class PreparedMock: Sendable {
    /// What is sent instead of the head's own body.
    private enum Source {
        case none
        case template(MockTemplate)
        case file(MockFileBody)
    }

    /// Without its body, where that is made for each request.
    let head: LocalResponse
    let delay: MockDelay?
    private let source: Source

    /// - Parameter names: fields that a step writes.
    init(_ response: MockResponse, dropping names: FieldNameSet) {
        delay = response.delay
        var bytes: [UInt8] = []
        switch response.body {
        case .bytes(let all): (bytes, source) = (all, .none)
        case .template(let template): source = .template(template)
        case .file(let file): source = .file(MockFileBody(file))
        }
        head = LocalResponse(response, body: bytes, dropping: names)
    }

    /// Every request gets the same at once.
    var isPlain: Bool {
        if case .none = source { return delay == nil }
        return false
    }

    func response(
        in exchange: ClientExchange, turn: UInt64, _ chance: MockChance
    ) async throws(EngineFailure) -> LocalResponse {
        let template: MockTemplate?
        switch source {
        case .none: return head
        case .template(let own): template = own
        case .file(let file):
            let body = try file.body()
            if body.template == nil { return LocalResponse(head, body: body.bytes) }
            template = body.template
        }
        guard let template else { return head }
        if template.needsBody, !exchange.request.isBodyRead { try await exchange.readBodyAhead() }
        var renderer = TemplateRenderer(exchange, turn: turn, chance)
        return LocalResponse(head, body: renderer.render(template))
    }
}
