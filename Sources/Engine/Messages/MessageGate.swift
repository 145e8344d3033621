import Exchanges
import Platform
import Rewriting
import Store

/// Takes the messages of one direction out of a stream, so that they can be edited or held, and puts them back.
///
/// Messages stay in their order; pings and pongs pass those that wait. Confined to its worker.
final class MessageGate: BodyGate {
    /// Bytes of a message that can be edited.
    static let longest = 1 << 20
    /// Messages that may wait.
    private static let maxWaiting = 256
    /// Bytes that may wait for a slow receiver before more are taken.
    private static let maxReady = 64 << 10

    let sender: MessageFacts.Sender
    private let reader: GateReader
    private let recording: Recording?
    private(set) var waiting: [GatedMessage] = []
    private var waitingBytes = 0
    var ready: [UInt8] = []
    /// Something else than what came has gone on.
    private(set) var hasChanged = false
    /// A compressed message did not go on as it was, to which later ones may refer: they go on without compression
    /// (RFC 7692 6 and 7.2.3.2).
    private var isPlain = false
    /// It has closed the stream itself.
    private var isClosed = false

    init(_ reader: WebSocketReader, from sender: MessageFacts.Sender, _ held: HeldBodies, _ recording: Recording?) {
        (self.reader, self.sender, self.recording) = (GateReader(.frames(reader), held), sender, recording)
    }

    init(_ reader: EventStreamReader, _ held: HeldBodies, _ recording: Recording?) {
        (self.reader, sender, self.recording) = (GateReader(.events(reader), held), .origin, recording)
    }

    private var isWebSocket: Bool { reader.isWebSocket }

    /// A message was too long to be edited.
    var hasLong: Bool { reader.hasLong }

    var isFull: Bool {
        waitingBytes > Self.longest || waiting.count >= Self.maxWaiting || ready.count > Self.maxReady
    }
    var isWaiting: Bool { !waiting.isEmpty }

    /// Whether a message, or a control frame, may go on in front of those that wait.
    var isBetweenMessages: Bool { reader.isBetweenMessages && !isClosed && waiting.allSatisfy(\.isWhole) }

    func take(_ bytes: UnsafeRawBufferPointer) {
        if !isClosed { reader.take(bytes, add) }
    }

    func end() {
        reader.end(add) { facts, content in record(facts, nil, content) }
    }

    private func add(_ item: GatedMessage) {
        if item.isUrgent ? isBetweenMessages : waiting.isEmpty && !item.isWhole { return go(item) }
        waiting.append(item)
        waitingBytes += item.raw.count
    }

    // MARK: What becomes of the first one that waits

    /// Something else goes on in place of its content.
    func edit(_ content: [UInt8], isText: Bool) { waiting[0].edited = (isText, content) }

    /// It goes on, as it came or edited.
    func pass() { go(removeFirst()) }

    /// It does not go on.
    func drop() { withhold(removeFirst()) }

    /// A message of Shunt's own goes on in front of those that wait, to be called between messages only.
    func put(_ bytes: [UInt8]) { ready += bytes }

    private func removeFirst() -> GatedMessage {
        let item = waiting.removeFirst()
        waitingBytes -= item.raw.count
        return item
    }

    private func go(_ item: GatedMessage) {
        if isClosed { return }
        if let edited = item.edited {
            withhold(item)
            if var facts = item.facts {
                facts.length = Int64(edited.content.count)
                if isWebSocket { facts.kind = edited.isText ? .text : .binary }
                facts.isEdited = true
                record(facts, item.event, edited.content)
            }
            ready += isWebSocket ? frame(edited.isText, edited.content) : event(item.raw, edited.content)
            return
        }
        if isPlain, item.isCompressed {
            guard item.isWhole else { return close() }
            ready += frame(item.isText, item.content)
        } else {
            ready += item.raw
        }
        if let facts = item.facts { record(facts, item.event, item.content) }
    }

    private func withhold(_ item: GatedMessage) {
        hasChanged = true
        if item.isCompressed { isPlain = true }
        guard var facts = item.facts else { return }
        facts.isWithheld = true
        record(facts, item.event, item.content)
    }

    private func frame(_ isText: Bool, _ content: [UInt8]) -> [UInt8] {
        WebSocketFrame.bytes(
            isText ? .text : .binary, content, key: sender == .client ? .random(in: .min ... .max) : nil)
    }

    /// Too long to go on without its compression, which refers to a message that did not go on (RFC 6455 7.4.1).
    private func close() {
        isClosed = true
        ready += WebSocketFrame.bytes(
            .close, WebSocketFrame.closing(1009, ""), key: sender == .client ? .random(in: .min ... .max) : nil)
        (waiting, waitingBytes) = ([], 0)
        let text = Array(
            "a long compressed message behind one that was edited cannot go on: the stream was closed".utf8)
        record(MessageFacts(time: wallClock(), sender: sender, kind: .error, length: Int64(text.count)), nil, text)
    }

    /// An event with other data; its other fields and comments stay as they are.
    private func event(_ raw: [UInt8], _ data: [UInt8]) -> [UInt8] {
        var (result, hasData) = ([UInt8](), false)
        for line in raw.split(omittingEmptySubsequences: true, whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let name = line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line
            guard name.prefix(while: { $0 != 0x3A }).elementsEqual("data".utf8) else {
                result += line + [0x0A]
                continue
            }
            if !hasData { result += ServerSentEvent.field("data", data, hasLines: true) }
            hasData = true
        }
        return result + [0x0A]
    }

    private func record(_ facts: MessageFacts, _ event: ServerSentEvent?, _ content: [UInt8]) {
        guard let recording else { return }
        if var event {
            event.data = content
            recording.record(.event(facts, event))
        } else {
            content.withUnsafeBytes { recording.record(.message(facts, $0)) }
        }
    }
}
