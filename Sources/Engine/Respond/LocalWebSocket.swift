import Bytes
import Exchanges
import HTTP
import Platform
import Reactor
import Rewriting
import Store

/// The server's end of a WebSocket that Shunt itself plays (RFC 6455).
///
/// It responds to pings and to the client's close, does not agree on compression, and hands over the client's messages
/// in their order. Confined to its worker.
final class LocalWebSocket {
    /// A message of the client.
    struct Message: Sendable {
        let isText: Bool
        /// Empty where messages are not kept.
        let bytes: [UInt8]
        fileprivate let memory: HeldMemory?
    }

    enum Next {
        case message(Message)
        /// The time has come.
        case time
        /// The connection is over.
        case ended
    }

    private enum Item {
        case message(Message)
        case close([UInt8])
        /// What the client has sent cannot be used; the code says why (RFC 6455 7.4.1).
        case failure(UInt16)
    }

    /// How long a client may say nothing before the log tells what is waited for.
    private static let patience = 10 * Limits.second
    /// How long a client may take to close its end.
    private static let farewell = Limits.second
    /// Messages in a row before other connections get their turn.
    private static let maxInARow = 16
    /// Below this a message takes no part of the memory for held bodies.
    private static let small = 4 << 10

    private let kind: String
    private let exchange: ClientExchange
    private let reader: WebSocketReader
    private let maxMessage: Int
    private let keepsMessages: Bool
    private var waiting: [Item] = []
    private var waitingBytes = 0
    private var inARow = 0
    /// Close frames of the two ends.
    private var (hasSentClose, hasReceivedClose) = (false, false)

    /// - Parameters:
    ///   - kind: what it is, for the log.
    ///   - keepsMessages: what messages say matters; those that are longer than `maxMessage` end the connection.
    init(_ kind: String, _ exchange: ClientExchange, maxMessage: Int, keepsMessages: Bool) {
        (self.kind, self.exchange, self.maxMessage, self.keepsMessages) = (kind, exchange, maxMessage, keepsMessages)
        reader = WebSocketReader(from: .client, deflate: nil, limit: maxMessage)
    }

    private var client: Client { exchange.client }

    /// The subprotocols that the client offers, in its order (RFC 6455 4.1).
    static func offered(by exchange: ClientExchange) -> [String] {
        RequestView(exchange.client, exchange.request, scenarios: nil).fields("sec-websocket-protocol")
            .flatMap { $0.split(separator: ",") }
            .map { String($0.filter { $0 != " " && $0 != "\t" }) }.filter { !$0.isEmpty }
    }

    /// Responds to a request that asks for a WebSocket; false where the client is gone.
    ///
    /// The connection is over afterwards.
    ///
    /// - Parameter fields: more lines of the head.
    func open(_ fields: [UInt8], subprotocol: String?) async -> Bool {
        guard writeHead(fields, subprotocol),
            await client.flush(ending: exchange.effects.take(now: exchange.state.clock()))
        else {
            client.mustClose = true
            return false
        }
        return true
    }

    private func writeHead(_ fields: [UInt8], _ subprotocol: String?) -> Bool {
        let channel = client.channel
        let accept = exchange.request.upgrade.accept
        var head = Array("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n".utf8)
        if !accept.isEmpty { head += Array("Sec-WebSocket-Accept: ".utf8) + accept + [0x0D, 0x0A] }
        if let subprotocol { head += Array("Sec-WebSocket-Protocol: \(subprotocol)\r\n".utf8) }
        channel.reserveOutput(head.count + fields.count + 2)
        guard channel.output.appendWhole(head + fields + [0x0D, 0x0A]) else { return false }
        exchange.metrics.didRespond(101)
        (exchange.isWebSocket, exchange.isLasting) = (true, true)
        if let recording = exchange.recording {
            recording.add(.clientResponse, channel.output.unsafeBytes)
            recording.beginMessages(.webSocket(extensions: ""))
        }
        channel.didWriteHead(hasBody: true)
        client.mustClose = true
        return true
    }

    // MARK: The client's messages

    /// The client's next message.
    ///
    /// - Parameters:
    ///   - wish: what is waited for, for the log; nil where nothing is.
    ///   - end: when to stop waiting.
    func next(_ wish: String? = nil, until end: Instant = .never) async -> Next {
        let state = exchange.state
        var warning = wish == nil ? .never : state.core.now.after(Self.patience)
        var idleEnd = state.core.now.after(state.limits.tunnelTime)
        while true {
            if let item = takeFirst() { return await outcome(of: item) }
            guard let isNew = await read() else { return .ended }
            if isNew {
                idleEnd = state.core.now.after(state.limits.tunnelTime)
                continue
            }
            guard await stays() else { return .ended }
            if state.core.now >= end { return .time }
            client.waiter.deadline = min(end, warning, end == .never ? idleEnd : .never)
            await client.waiter.park()
            guard await putIn() else { return .ended }
            if state.isAborting || client.waiter.isCancelled || end == .never && state.core.now >= idleEnd {
                return .ended
            }
            if let wish, state.core.now >= warning {
                warning = .never
                tell(wish)
            }
        }
    }

    /// Waits without taking messages; false when the connection is over.
    func pause(until end: Instant) async -> Bool {
        let state = exchange.state
        while state.core.now < end {
            // A client that closes waits for no more.
            if let last = waiting.last {
                if case .message = last {
                } else {
                    _ = await outcome(of: last)
                    return false
                }
            }
            // What a client sends too early stays with its system.
            if waitingBytes <= maxMessage, waiting.count < Self.maxInARow {
                guard let isNew = await read() else { return false }
                if isNew { continue }
            }
            guard await stays() else { return false }
            client.waiter.deadline = end
            await client.waiter.park()
            guard await putIn() else { return false }
            if state.isAborting || client.waiter.isCancelled { return false }
        }
        return true
    }

    private func stays() async -> Bool {
        if client.channel.isBroken { return false }
        guard exchange.state.isDraining || exchange.isEnded else { return true }
        await close(WebSocketFrame.closing(1001, ""))
        return false
    }

    private func takeFirst() -> Item? {
        guard !waiting.isEmpty else { return nil }
        let item = waiting.removeFirst()
        if case .message(let message) = item { waitingBytes -= message.bytes.count }
        return item
    }

    private func outcome(of item: Item) async -> Next {
        switch item {
        case .message(let message):
            inARow += 1
            if inARow % Self.maxInARow == 0 { await client.waiter.yield() }
            return .message(message)
        case .close(let payload):
            hasReceivedClose = true
            _ = await send(.close, payload)
            return .ended
        case .failure(let code):
            await close(WebSocketFrame.closing(code, ""))
            return .ended
        }
    }

    /// Takes what has come; nil at the end of the connection.
    private func read() async -> Bool? {
        guard let hasMore = client.channel.poll() else { return nil }
        guard hasMore else { return false }
        var pings: [[UInt8]] = []
        let bytes = client.channel.input.unsafeBytes
        exchange.metrics.bytes.request &+= UInt64(bytes.count)
        exchange.recording?.add(.request, bytes)
        reader.read(bytes, at: 0) { facts, body in
            switch facts.kind {
            case .ping: if !hasSentClose { pings.append(Array(body)) }
            case .close: waiting.append(.close(Array(body)))
            case .error: waiting.append(.failure(1002))
            case .text, .binary: waiting.append(item(facts, body))
            case .pong, .event: break
            }
        }
        client.channel.input.consume(bytes.count)
        for ping in pings { guard await send(.pong, ping) else { return nil } }
        return true
    }

    private func item(_ facts: MessageFacts, _ body: UnsafeRawBufferPointer) -> Item {
        let isText = facts.kind == .text
        guard keepsMessages else { return .message(Message(isText: isText, bytes: [], memory: nil)) }
        if facts.isCut { return .failure(1009) }
        var memory: HeldMemory?
        if body.count > Self.small {
            let taken = HeldMemory(exchange.state.held)
            guard taken.grow(by: body.count) else { return .failure(1013) }
            memory = taken
        }
        waitingBytes += body.count
        return .message(Message(isText: isText, bytes: Array(body), memory: memory))
    }

    private func tell(_ wish: String) {
        var running = ExchangeReport(metrics: exchange.metrics, client: client).exchange
        running.failure = Exchange.Failure(
            side: "client", stage: "receive",
            message: "the \(kind) WebSocket has waited \(Self.patience / Limits.second) s for \(wish)")
        exchange.state.didStall?(running)
    }

    // MARK: Sending

    /// Sends a message, a ping or a pong; false when the client is gone.
    func send(_ kind: MessageFacts.Kind, _ bytes: [UInt8]) async -> Bool {
        if kind == .text, let edited = exchange.way.edits?.plan.messages?.edited(bytes, from: .origin) {
            exchange.metrics.changes.insert(.originMessages)
            return await sendEdited(edited, insteadOf: bytes)
        }
        let frame = WebSocketFrame.bytes(kind, bytes)
        exchange.metrics.bytes.response &+= UInt64(frame.count)
        frame.withUnsafeBytes { exchange.recording?.add(.response, $0) }
        guard await client.deliver(frame) else { return false }
        return await client.flush()
    }

    private func sendEdited(_ edited: [UInt8], insteadOf bytes: [UInt8]) async -> Bool {
        for (content, isEdited) in [(bytes, false), (edited, true)] {
            var facts = MessageFacts(time: wallClock(), sender: .origin, kind: .text, length: Int64(content.count))
            (facts.isWithheld, facts.isEdited) = (!isEdited, isEdited)
            content.withUnsafeBytes { exchange.recording?.record(.message(facts, $0)) }
        }
        let frame = WebSocketFrame.bytes(.text, edited)
        exchange.metrics.bytes.response &+= UInt64(frame.count)
        guard await client.deliver(frame) else { return false }
        return await client.flush()
    }

    /// Sends the messages that are put in; false when the client is gone.
    private func putIn() async -> Bool {
        while let message = exchange.injection?.takeLocal() {
            let frame = message.frame
            exchange.metrics.bytes.response &+= UInt64(frame.count)
            message.record(in: exchange.recording, isEvent: false)
            guard await client.deliver(frame), await client.flush() else { return false }
        }
        return true
    }

    /// Sends a close frame; nothing is sent afterwards.
    func close(_ payload: [UInt8] = WebSocketFrame.closing(1000, "")) async {
        hasSentClose = await send(.close, payload)
    }

    /// The last byte was sent: waits for the client's close frame, so that a connection that ends too early does not
    /// take ours with it (RFC 6455 7.1.1).
    func end() async {
        let state = exchange.state
        let end = state.core.now.after(Self.farewell)
        while hasSentClose, !hasReceivedClose, !state.isAborting, !client.waiter.isCancelled, state.core.now < end {
            guard let isNew = await read() else { break }
            waiting = waiting.filter { if case .close = $0 { true } else { false } }
            if !waiting.isEmpty { break }
            if isNew { continue }
            if client.channel.isBroken { break }
            client.waiter.deadline = end
            await client.waiter.park()
        }
        if client.channel.isStream { client.channel.finishWriting() }
        _ = await client.flush()
    }
}
