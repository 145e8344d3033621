import Exchanges
import JSON
import Profiles
import Reactor

/// A client's message, as conditions and templates see it.
struct ReceivedMessage: Sendable {
    /// nil for a binary message.
    let text: String?
    /// nil for a message that is no JSON.
    let json: JSONValue?
}

/// A mocked WebSocket with one client.
struct ConversationRun {
    /// Bytes of a client's message.
    private static let maxMessage = 1 << 20

    private let plan: PreparedConversation
    private let exchange: ClientExchange
    private let socket: LocalWebSocket
    private var renderer: TemplateRenderer

    init(_ plan: PreparedConversation, _ exchange: ClientExchange, _ renderer: TemplateRenderer) {
        (self.plan, self.exchange, self.renderer) = (plan, exchange, renderer)
        socket = LocalWebSocket("mocked", exchange, maxMessage: Self.maxMessage, keepsMessages: true)
    }

    /// Responds to a request that asks for a WebSocket; the connection is over afterwards.
    ///
    /// - Parameter fields: more lines of the head.
    mutating func run(_ fields: [UInt8]) async {
        let offered = LocalWebSocket.offered(by: exchange)
        let chosen = plan.protocols.map { known in offered.first(where: known.contains) } ?? offered.first
        guard await socket.open(fields, subprotocol: chosen) else { return }
        var isOpen = true
        repeat { isOpen = await play() } while isOpen && plan.end == .loop
        if isOpen {
            if plan.end == .close { await socket.close() } else { await listen() }
        }
        await socket.end()
    }

    /// The script once; false when the connection is over.
    private mutating func play() async -> Bool {
        for (index, step) in plan.script.enumerated() {
            if let delay = step.delay, !(await listen(until: end(of: delay))) { return false }
            if case .receive(let condition) = step.action {
                guard await receive(condition, index) else { return false }
            } else {
                guard await perform(step.action) else { return false }
            }
        }
        return true
    }

    private mutating func end(of delay: MockDelay) -> Instant {
        exchange.state.core.now.after(renderer.chance.number(from: delay.min, through: delay.max))
    }

    /// Replies to messages until a time; false when the connection is over.
    @discardableResult
    private mutating func listen(until end: Instant = .never) async -> Bool {
        while true {
            switch await socket.next(until: end) {
            case .message(let message): guard await reply(to: message) else { return false }
            case .time: return true
            case .ended: return false
            }
        }
    }

    /// Waits for a message that meets a condition, and replies to others; false when the connection is over.
    private mutating func receive(_ condition: MessageCondition, _ index: Int) async -> Bool {
        let wish = "a message that meets the condition of step \(index + 1)"
        while case .message(let message) = await socket.next(wish) {
            guard let (first, received) = await find([condition], message) else { return false }
            renderer.message = received
            if first != nil { return true }
            guard await reply(to: message) else { return false }
        }
        return false
    }

    /// False when the connection is over.
    private mutating func reply(to message: LocalWebSocket.Message) async -> Bool {
        guard !plan.replies.isEmpty else { return true }
        guard let (first, received) = await find(plan.replies.map(\.condition), message) else { return false }
        guard let first else { return true }
        renderer.message = received
        for step in plan.replies[first].steps {
            if let delay = step.delay, !(await socket.pause(until: end(of: delay))) { return false }
            guard await perform(step.action) else { return false }
        }
        return true
    }

    /// The first condition that a message meets; nil after the connection was closed for lack of memory.
    private func find(
        _ conditions: [MessageCondition], _ message: LocalWebSocket.Message
    ) async -> (first: Int?, ReceivedMessage)? {
        let bytes = message.bytes
        let steps = conditions.reduce(bytes.count) { $0 + $1.steps(over: bytes.count) }
        do throws(EngineFailure) {
            let memory = try exchange.state.held.memory(ofTreeOf: bytes)
            return try await exchange.body.perform(size: steps) {
                withExtendedLifetime(memory) {
                    let text = message.isText ? String(decoding: bytes, as: UTF8.self) : nil
                    let json = message.isText ? try? JSONReader.read(bytes, dialect: .strict) : nil
                    return (
                        conditions.firstIndex { $0.isMet(text: text, json: json) },
                        ReceivedMessage(text: text, json: json)
                    )
                }
            }
        } catch {
            await fail(error, 1013)
            return nil
        }
    }

    private func fail(_ failure: EngineFailure, _ code: UInt16) async {
        exchange.metrics.didFail(failure)
        await socket.close(WebSocketFrame.closing(code, ""))
    }

    /// False when the connection is over.
    private mutating func perform(_ action: PreparedConversation.Action?) async -> Bool {
        switch action {
        case .send(let isText, let content):
            do throws(EngineFailure) {
                return await socket.send(isText ? .text : .binary, try await bytes(content))
            } catch {
                await fail(error, 1011)
                return false
            }
        case .ping(let bytes): return await socket.send(.ping, bytes)
        case .close(let code, let reason):
            await socket.close(WebSocketFrame.closing(code, reason))
            return false
        case .receive, nil: return true
        }
    }

    private mutating func bytes(_ content: PreparedConversation.Content) async throws(EngineFailure) -> [UInt8] {
        switch content {
        case .bytes(let bytes): return bytes
        case .template(let template): return render(template)
        case .file(let file):
            let known = try await file.content(for: exchange)
            return known.template.map { render($0) } ?? known.bytes
        }
    }

    private mutating func render(_ template: MockTemplate) -> [UInt8] {
        defer { renderer.turn += 1 }
        return renderer.render(template)
    }
}
