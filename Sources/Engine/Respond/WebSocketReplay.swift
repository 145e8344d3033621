import Bytes
import Exchanges
import HTTP
import Reactor
import Recordings
import Store
import TLS

/// Plays a recorded WebSocket to a client: the server's messages in their order, each after the client's messages that
/// came before it.
struct WebSocketReplay {
    /// Bytes that may come in one message of the client.
    private static let maxMessage = 16 << 20
    /// How long a client may say nothing before the log tells what is waited for.
    private static let patience = 10 * Limits.second

    let messages: [ArchivedMessage]
    /// Sec-WebSocket-Protocol of the recorded response.
    let subprotocol: String?
    /// Pauses are kept.
    let isTimed: Bool
    /// When the exchange began, in microseconds since 1970.
    let started: Int64

    /// Responds to a request that asks for a WebSocket; the connection is over afterwards.
    func run(in exchange: ClientExchange, answeredBy: [UInt8]) async {
        let client = exchange.client
        guard writeHead(in: exchange, answeredBy),
            await client.flush(ending: exchange.way.effects.take(now: exchange.state.clock()))
        else {
            client.mustClose = true
            return
        }
        var (time, reader) = (started, ClientMessages(limit: Self.maxMessage))
        let awaited = messages.count { $0.isFromClient && ![8, 9, 10].contains($0.opcode) }
        var count = 0
        for message in messages {
            // Pings and pongs are those of the two ends that were recorded.
            guard ![9, 10].contains(message.opcode) else { continue }
            if message.isFromClient {
                if message.opcode == 8 { break }
                count += 1
                let wish = "its client's message \(count) of \(awaited), as it was recorded"
                guard await next(&reader, in: exchange, wish) else { return await end(in: exchange) }
            } else {
                if isTimed, message.time > time, time > 0 {
                    let pause = RecordedPace.pause(from: time, to: message.time)
                    do throws(EngineFailure) { try await exchange.client.wait(pause) } catch {
                        return await end(in: exchange)
                    }
                }
                guard await send(message.opcode, message.bytes, in: exchange) else { return }
                if message.opcode == 8 { return await end(in: exchange) }
            }
            time = max(time, message.time)
        }
        // What else the client says gets no response, until it closes.
        while await next(&reader, in: exchange, "its client to close it: it was recorded to here") {}
        await end(in: exchange)
    }

    private func writeHead(in exchange: ClientExchange, _ answeredBy: [UInt8]) -> Bool {
        let (client, channel) = (exchange.client, exchange.client.channel)
        let accept = exchange.request.webSocketAccept
        var head = Array("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n".utf8)
        if !accept.isEmpty { head += Array("Sec-WebSocket-Accept: ".utf8) + accept + [0x0D, 0x0A] }
        if let subprotocol { head += Array("Sec-WebSocket-Protocol: \(subprotocol)\r\n".utf8) }
        channel.reserveOutput(head.count + answeredBy.count + 2)
        guard channel.output.appendWhole(head + answeredBy + [0x0D, 0x0A]) else { return false }
        exchange.metrics.didRespond(101)
        exchange.isWebSocket = true
        if let recording = exchange.recording {
            recording.add(.clientResponse, channel.output.unsafeBytes)
            recording.beginMessages(.webSocket(extensions: ""))
        }
        channel.didWriteHead(hasBody: true)
        client.mustClose = true
        return true
    }

    /// Waits for the client's next message; false when it closes or leaves.
    ///
    /// - Parameter wish: what it waits for, for the log.
    private func next(_ reader: inout ClientMessages, in exchange: ClientExchange, _ wish: String) async -> Bool {
        let (client, state) = (exchange.client, exchange.state)
        guard await client.flush() else { return false }
        var end = state.core.now.after(state.limits.tunnelTime)
        var warning = state.core.now.after(Self.patience)
        while true {
            if let message = reader.take() {
                switch message.kind {
                case .text, .binary: return true
                case .close:
                    _ = await send(8, message.bytes, in: exchange)
                    return false
                case .ping:
                    guard await send(10, message.bytes, in: exchange), await client.flush() else { return false }
                case .error: return false
                case .pong, .event: break
                }
                continue
            }
            guard let hasMore = client.channel.poll() else { return false }
            if hasMore {
                end = state.core.now.after(state.limits.tunnelTime)
                let bytes = client.channel.input.unsafeBytes
                exchange.metrics.bytes.request &+= UInt64(bytes.count)
                exchange.recording?.add(.request, bytes)
                reader.read(bytes)
                client.channel.input.consume(bytes.count)
                continue
            }
            if client.channel.isBroken || state.isDraining { return false }
            client.waiter.deadline = min(end, warning)
            await client.waiter.park()
            if state.isAborting || state.core.now >= end { return false }
            if state.core.now >= warning {
                warning = .never
                tell(wish, in: exchange)
            }
        }
    }

    private func tell(_ wish: String, in exchange: ClientExchange) {
        var running = exchange.metrics.exchange(with: exchange.client)
        running.failure = Exchange.Failure(
            side: "client", stage: "receive",
            message: "the recorded WebSocket has waited \(Self.patience / Limits.second) s for \(wish)")
        exchange.state.didStall?(running)
    }

    private func send(_ opcode: Int, _ bytes: [UInt8], in exchange: ClientExchange) async -> Bool {
        var frame = [0x80 | UInt8(opcode & 0x0F)]
        switch bytes.count {
        case ..<126: frame.append(UInt8(bytes.count))
        case ..<65_536: frame += [126, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
        default: frame += [127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) }
        }
        frame += bytes
        exchange.metrics.bytes.response &+= UInt64(frame.count)
        frame.withUnsafeBytes { exchange.recording?.add(.response, $0) }
        guard await exchange.client.deliver(frame) else { return false }
        return await exchange.client.flush()
    }

    private func end(in exchange: ClientExchange) async {
        if exchange.client.channel.isStream { exchange.client.channel.finishWriting() }
        _ = await exchange.client.flush()
    }
}

/// The messages of a client, out of bytes in any pieces.
private struct ClientMessages {
    private let reader: WebSocketReader
    private var waiting: [(kind: MessageFacts.Kind, bytes: [UInt8])] = []

    init(limit: Int) { reader = WebSocketReader(from: .client, deflate: nil, limit: limit) }

    mutating func read(_ bytes: UnsafeRawBufferPointer) {
        var found: [(kind: MessageFacts.Kind, bytes: [UInt8])] = []
        // What is sent back is short; what messages say does not matter.
        reader.read(bytes, at: 0) { found.append(($0.kind, $0.kind == .ping || $0.kind == .close ? Array($1) : [])) }
        waiting += found
    }

    mutating func take() -> (kind: MessageFacts.Kind, bytes: [UInt8])? { waiting.isEmpty ? nil : waiting.removeFirst() }
}
