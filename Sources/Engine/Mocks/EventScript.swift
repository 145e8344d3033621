import Exchanges
import HTTP
import Profiles

/// The events of a mock on their way to one client, each rendered when its time comes.
///
/// Confined to its worker.
final class EventScript: PieceSource {
    private let events: MockEvents
    private var renderer: TemplateRenderer
    private var at = 0
    private var hasEnded = false

    init(_ events: MockEvents, _ renderer: TemplateRenderer) {
        (self.events, self.renderer) = (events, renderer)
    }

    var staysOpen: Bool { events.end == .open }

    /// Sends the head of a response with the events behind it, on the way of an origin's response.
    func send(_ response: LocalResponse, in exchange: ClientExchange, as use: OriginUse?) async throws(EngineFailure) {
        guard let use else { return }
        let request = exchange.request
        let field = request.head.fields.first { $0.isNamed("last-event-id".utf8, in: request.bytes) }
        if let field { at = events.start(behind: request.text(field.value)) }
        var head = Array("HTTP/1.1 \(response.status) \r\n".utf8) + response.fields
        head += "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n".utf8
        exchange.effects.count(now: exchange.state.clock())
        try await MessageRelay(exchange: exchange, use: use).send(head, request.head.method == .head ? nil : self)
    }

    func next() -> PacedPiece? {
        if at == events.script.count {
            if events.end == .loop { at = 0 } else { return last() }
        }
        let event = events.script[at]
        at += 1
        let wait = event.delay.map { renderer.chance.number(from: $0.min, through: $0.max) } ?? 0
        return PacedPiece(wait: wait, bytes: text(event)[...]).asChunk
    }

    private func last() -> PacedPiece? {
        defer { hasEnded = true }
        return hasEnded || staysOpen ? nil : .lastChunk
    }

    private func text(_ event: MockEvents.Event) -> [UInt8] {
        var text: [UInt8] = []
        func add(_ name: String, _ template: MockTemplate?, hasLines: Bool = false) {
            guard let template else { return }
            text += ServerSentEvent.field(name, renderer.render(template), hasLines: hasLines)
        }
        add("", event.comment, hasLines: true)
        add("event", event.type)
        add("id", event.id)
        if let retry = event.retry { text += "retry: \(retry)\n".utf8 }
        add("data", event.data, hasLines: true)
        guard !text.isEmpty else { return [] }
        renderer.turn += 1
        return text + [0x0A]
    }
}
