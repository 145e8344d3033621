import Exchanges
import Profiles
import Reactor
import Recordings

/// Plays a recorded WebSocket to a client: the server's messages in their order, each after the client's messages that
/// came before it.
struct WebSocketReplay {
    /// Bytes that may come in one message of the client.
    private static let maxMessage = 16 << 20
    /// A round of a recording that begins again takes as long at least, if it waits for no message.
    private static let leastRound = Limits.second

    let messages: [ArchivedMessage]
    /// Sec-WebSocket-Protocol of the recorded response.
    let subprotocol: String?
    /// Pauses are kept.
    let isTimed: Bool
    /// When the exchange began, in microseconds since 1970.
    let started: Int64
    let end: RecordingSettings.End

    /// Responds to a request that asks for a WebSocket; the connection is over afterwards.
    func run(in exchange: ClientExchange, answeredBy: [UInt8]) async {
        let socket = LocalWebSocket("recorded", exchange, maxMessage: Self.maxMessage, keepsMessages: false)
        guard await socket.open(answeredBy, subprotocol: subprotocol) else { return }
        var isOpen = true
        repeat {
            let least = exchange.state.core.now.after(Self.leastRound)
            isOpen = await play(to: socket, in: exchange)
            if isOpen, end == .loop, awaited == 0 { isOpen = await socket.pause(until: least) }
        } while isOpen && end == .loop
        if isOpen {
            if end == .close { await socket.close() } else { await listen(to: socket) }
        }
        await socket.end()
    }

    /// The client's messages that are waited for.
    private var awaited: Int { messages.count { $0.isFromClient && ![8, 9, 10].contains($0.opcode) } }

    /// False when the connection is over.
    private func play(to socket: LocalWebSocket, in exchange: ClientExchange) async -> Bool {
        var (time, count) = (started, 0)
        for message in messages {
            // Pings and pongs are those of the two ends that were recorded.
            guard let kind = Self.kind(message.opcode) else { continue }
            if message.isFromClient {
                if kind == .close { return true }
                count += 1
                let wish = "its client's message \(count) of \(awaited), as it was recorded"
                guard case .message = await socket.next(wish) else { return false }
            } else {
                if kind == .close, end == .open || end == .loop { return true }
                if isTimed, message.time > time, time > 0 {
                    let pause = RecordedPace.pause(from: time, to: message.time)
                    guard await socket.pause(until: exchange.state.core.now.after(pause)) else { return false }
                }
                if kind == .close {
                    await socket.close(message.bytes)
                    return false
                }
                guard await socket.send(kind, message.bytes) else { return false }
            }
            time = max(time, message.time)
        }
        return true
    }

    /// What else the client says gets no response, until it closes.
    private func listen(to socket: LocalWebSocket) async {
        while case .message = await socket.next("its client to close it: it was recorded to here") {}
    }

    private static func kind(_ opcode: Int) -> MessageFacts.Kind? {
        switch opcode {
        case 2: .binary
        case 8: .close
        case 9, 10: nil
        default: .text
        }
    }
}
