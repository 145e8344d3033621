import Exchanges
import Platform
import Rewriting
import Store

/// Cuts messages and events out of one exchange's bytes as they pass.
final class MessageCutter {
    enum Message {
        case message(MessageFacts, UnsafeRawBufferPointer)
        case event(MessageFacts, ServerSentEvent)
    }

    private enum Source {
        case webSocket(client: WebSocketReader, origin: WebSocketReader)
        case events
        case nothing
    }

    /// Limits of decoded content: an initial allowance, a multiple of the coded bytes, and a rate in bytes per
    /// microsecond: 16 MB/s, since repeated messages compress to almost nothing.
    private static let (freeGrowth, growth, pace): (Int64, Int64, Int64) = (4 << 20, 32, 16)
    private static let roomSize = 16 << 10

    private var source: Source
    private var events: EventStreamReader
    private var decoder: ContentDecoder?
    /// Bytes of decoded content that are still allowed.
    private var allowance = freeGrowth
    /// When the allowance was last added to.
    private var time = wallClock()
    /// The bytes are the exchange's bodies as well.
    let keepsBodies: Bool
    /// Gates read the messages, and hand them over.
    var isGated = false

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
            // Such a body is marked as undecodable; its events are unknown.
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
        if isGated { return }
        switch (source, side) {
        case (.webSocket(let reader, _), .request), (.webSocket(_, let reader), .response):
            reader.read(bytes, at: wallClock()) { visit(.message($0, $1)) }
        case (.events, .response): readEvents(bytes, visit)
        case (.events, .request), (.nothing, _): return
        }
    }

    /// Messages can be put in; false for what is compressed as a whole, and for what is not read any more.
    var takesMessages: Bool {
        switch source {
        case .webSocket: true
        case .events: decoder == nil
        case .nothing: false
        }
    }

    /// What reads the messages of one end of a WebSocket; nil for other streams.
    func reader(of sender: MessageFacts.Sender) -> WebSocketReader? {
        guard case .webSocket(let client, let origin) = source else { return nil }
        return sender == .client ? client : origin
    }

    /// What reads events; nil for other streams, and where their bytes are coded.
    var eventReader: EventStreamReader? {
        if case .events = source, decoder == nil { events } else { nil }
    }

    /// Whether the bytes of a side that have passed end with a message.
    func isBetweenMessages(_ side: Recording.Side) -> Bool {
        switch (source, side) {
        case (.webSocket(let reader, _), .request), (.webSocket(_, let reader), .response): reader.isBetweenMessages
        case (.events, .response): decoder == nil && events.isBetweenEvents
        case (.events, .request), (.nothing, _): false
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

    private func readEvents(_ bytes: UnsafeRawBufferPointer, _ visit: (Message) -> Void) {
        let time = wallClock()
        guard let decoder else { return events.read(bytes, at: time) { visit(.event($0, $1)) } }
        allowance += Int64(bytes.count) * Self.growth
        // At most a second's worth: a saved allowance could be spent at once.
        let passed = min(max(0, time - self.time), 1_000_000)
        allowance = min(allowance + passed * Self.pace, Self.freeGrowth * 4)
        self.time = time
        withUnsafeTemporaryAllocation(byteCount: Self.roomSize, alignment: 8) { room in
            var rest = bytes
            while true {
                let step: (taken: Int, given: Int)
                do throws(BodyRewriteFailure) {
                    step = try decoder.step(rest, isLast: false, into: room)
                } catch {
                    return giveUp("a body that is not what its coding says: \(error.reason)", time, visit)
                }
                rest = UnsafeRawBufferPointer(rebasing: rest[step.taken...])
                allowance -= Int64(step.given)
                events.read(UnsafeRawBufferPointer(rebasing: room[..<step.given]), at: time) { visit(.event($0, $1)) }
                if allowance < 0 {
                    return giveUp("a body that grows too much when it is decoded", time, visit)
                }
                if step.given < room.count, rest.isEmpty || step.taken + step.given == 0 { return }
            }
        }
    }
}
