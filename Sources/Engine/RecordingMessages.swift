import HTTP
import Rewriting
import Traffic

/// What an answer begins that is to be told message by message.
enum MessageStream {
    /// A WebSocket, with the value of the answer's Sec-WebSocket-Extensions.
    case webSocket(extensions: String)
    /// Server-sent events, with the value of Content-Encoding; empty where there is none.
    case events(contentEncoding: [UInt8])
    /// A tunnel for something else, of which nothing is kept.
    case unknown
}

/// Cuts messages and events out of one exchange's bytes as they pass.
final class MessageCutter {
    private enum Source {
        case webSocket(client: WebSocketReader, origin: WebSocketReader)
        case events
        case nothing
    }

    /// Decoded content beyond this is read only as long as it is no more than so many times the coded one.
    private static let (freeGrowth, mostGrowth): (UInt64, UInt64) = (1 << 20, 32)
    private static let roomSize = 16 << 10

    private var source: Source
    private var events: EventStreamReader
    private var decoder: ContentDecoder?
    private var coded: UInt64 = 0
    private var decoded: UInt64 = 0
    /// The bytes are the exchange's bodies as well.
    let keepsBodies: Bool

    init(_ stream: MessageStream, limit: Int) {
        events = EventStreamReader(limit: limit)
        switch stream {
        case .webSocket(let extensions):
            let deflate = PermessageDeflate(extensions: extensions)
            source = .webSocket(
                client: WebSocketReader(from: .client, deflate: deflate, limit: limit),
                origin: WebSocketReader(from: .origin, deflate: deflate, limit: limit))
            keepsBodies = false
        case .events(let encoding):
            decoder = encoding.withUnsafeBufferPointer {
                ContentDecoder.make(contentEncoding: Span(_unsafeElements: $0))
            }
            // Such a body is told as one that cannot be decoded; of its events nothing is known.
            let isReadable =
                decoder != nil || encoding.isEmpty || String(decoding: encoding, as: UTF8.self) == "identity"
            source = isReadable ? .events : .nothing
            keepsBodies = true
        case .unknown:
            source = .nothing
            keepsBodies = false
        }
    }

    /// Gives the messages that end in these bytes.
    func read(_ side: Recording.Side, _ bytes: UnsafeRawBufferPointer, _ visit: (Message) -> Void) {
        switch (source, side) {
        case (.webSocket(let reader, _), .request), (.webSocket(_, let reader), .answer):
            reader.read(bytes, at: wallClock()) { visit(.message($0, $1)) }
        case (.events, .answer): readEvents(bytes, visit)
        case (.events, .request), (.nothing, _): return
        }
    }

    /// No more bytes will come.
    func finish(_ visit: (Message) -> Void) {
        guard case .webSocket(let client, let origin) = source else { return }
        for reader in [client, origin] { reader.finish(at: wallClock()) { visit(.message($0, $1)) } }
    }

    private func giveUp(_ problem: String, _ time: Int64, _ visit: (Message) -> Void) {
        source = .nothing
        decoder = nil
        let text = Array((problem + "; what follows is not read").utf8)
        let facts = MessageFacts(time: time, sender: .origin, kind: .error, length: Int64(text.count))
        text.withUnsafeBytes { visit(.message(facts, $0)) }
    }

    enum Message {
        case message(MessageFacts, UnsafeRawBufferPointer)
        case event(MessageFacts, ServerSentEvent)
    }

    private func readEvents(_ bytes: UnsafeRawBufferPointer, _ visit: (Message) -> Void) {
        let time = wallClock()
        guard let decoder else { return events.read(bytes, at: time) { visit(.event($0, $1)) } }
        coded &+= UInt64(bytes.count)
        withUnsafeTemporaryAllocation(byteCount: Self.roomSize, alignment: 8) { room in
            var rest = bytes
            while true {
                let step: (taken: Int, given: Int)
                do throws(BodyRewriteFailure) {
                    step = try decoder.step(rest, isLast: false, into: room)
                } catch {
                    return giveUp("content that is not what its coding says: \(error.reason)", time, visit)
                }
                rest = UnsafeRawBufferPointer(rebasing: rest[step.taken...])
                decoded &+= UInt64(step.given)
                events.read(UnsafeRawBufferPointer(rebasing: room[..<step.given]), at: time) { visit(.event($0, $1)) }
                if decoded > Self.freeGrowth, decoded / Self.mostGrowth > coded {
                    return giveUp("content that grows too much when it is decoded", time, visit)
                }
                if step.given < room.count, rest.isEmpty || step.taken + step.given == 0 { return }
            }
        }
    }
}

extension ClientConnection {
    /// What the answer begins whose head was just parsed from `bytes`; nil for an ordinary one.
    func messageStream(_ bytes: Span<UInt8>) -> MessageStream? {
        if answer.framing == .tunnel {
            guard String(bytes.extracting(answer.upgradeRange)).lowercased() == "websocket" else { return .unknown }
            let values = answer.fields.filter {
                String(bytes.extracting($0.name)).lowercased() == "sec-websocket-extensions"
            }.map { String(bytes.extracting($0.value)) }
            return .webSocket(extensions: values.joined(separator: ","))
        }
        guard let type = answer.field(.contentType),
            String(bytes.extracting(type.value)).lowercased().hasPrefix("text/event-stream")
        else { return nil }
        let codings = answer.fields.filter { $0.id == .contentEncoding }
            .map { String(bytes.extracting($0.value)) }
        return .events(contentEncoding: Array(codings.joined(separator: ",").utf8))
    }
}
