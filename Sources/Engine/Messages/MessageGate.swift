import Exchanges
import Platform
import Rewriting
import Store

/// Takes the messages of one direction out of a stream, so that they can be edited or held, and puts them back.
///
/// Messages stay in their order; pings and pongs pass those that wait. Confined to its worker.
final class MessageGate: BodyGate {
    /// A message that waits, or bytes that are none.
    struct Item {
        var facts: MessageFacts?
        var event: ServerSentEvent?
        var content: [UInt8] = []
        /// As it came.
        let raw: [UInt8]
        var isCompressed = false
        /// It is a message with all of its content; others go on as they came.
        var isWhole = false
        var memory: HeldMemory?
        /// What goes on in its place.
        var edited: (isText: Bool, content: [UInt8])?

        var isText: Bool { facts?.kind != .binary }
    }

    /// Bytes of a message that can be edited.
    static let longest = 1 << 20
    /// Messages that may wait.
    private static let maxWaiting = 256
    /// Bytes that may wait for a slow receiver before more are taken.
    private static let maxReady = 64 << 10
    /// Below this a message takes no part of the memory for held bodies.
    private static let small = 4 << 10

    let sender: MessageFacts.Sender
    /// nil for events.
    private let frames: WebSocketReader?
    private var events: EventStreamReader
    private let held: HeldBodies
    private let recording: Recording?
    private(set) var waiting: [Item] = []
    private var waitingBytes = 0
    var ready: [UInt8] = []
    /// Something else than what came has gone on.
    private(set) var hasChanged = false
    /// A message was too long to be edited.
    private(set) var hasLong = false

    /// What came of the message under way, and its memory.
    private var raw: [UInt8] = []
    private var memory: HeldMemory?
    /// The frame under way: its head, its bytes, and how many of its payload are to come; nil in its head.
    private var head = WebSocketFrameHead()
    private var frame: [UInt8] = []
    private var left: UInt64?
    private var isCompressed = false
    /// The message under way is too long, and goes on as it comes.
    private var isPassing = false
    /// What comes is no sequence of messages any more, and goes on as it is.
    private var isOver = false
    /// A compressed message did not go on as it was, to which later ones may refer: they go on without compression
    /// (RFC 7692 6 and 7.2.3.2).
    private var isPlain = false
    /// It has closed the stream itself.
    private var isClosed = false

    init(_ reader: WebSocketReader, from sender: MessageFacts.Sender, _ held: HeldBodies, _ recording: Recording?) {
        (frames, events) = (reader, EventStreamReader(limit: 0))
        (self.sender, self.held, self.recording) = (sender, held, recording)
    }

    init(_ reader: EventStreamReader, _ held: HeldBodies, _ recording: Recording?) {
        (frames, events, sender, self.held, self.recording) = (nil, reader, .origin, held, recording)
    }

    private var isWebSocket: Bool { frames != nil }

    var isFull: Bool {
        waitingBytes > Self.longest || waiting.count >= Self.maxWaiting || ready.count > Self.maxReady
    }
    var isWaiting: Bool { !waiting.isEmpty }

    /// Whether a message, or a control frame, may go on in front of those that wait.
    var isBetweenMessages: Bool { !isPassing && !isOver && !isClosed && waiting.allSatisfy(\.isWhole) }

    func take(_ bytes: UnsafeRawBufferPointer) {
        guard !isClosed else { return }
        if isWebSocket { takeFrames(bytes) } else { takeEvents(bytes) }
    }

    func end() {
        let rest = raw + frame
        if !frame.isEmpty { _ = frame.withUnsafeBytes { read($0) } }
        if !rest.isEmpty { add(Item(raw: rest)) }
        (raw, frame) = ([], [])
        frames?.finish(at: wallClock()) { facts, content in
            record(facts, nil, Array(content))
        }
    }

    private func add(_ item: Item) {
        if waiting.isEmpty, !item.isWhole { return go(item) }
        waiting.append(item)
        waitingBytes += item.raw.count
    }

    /// Lets bytes be read; the message that ends in them.
    private func read(_ bytes: UnsafeRawBufferPointer) -> Item? {
        var item: Item?
        if let frames {
            frames.read(bytes, at: wallClock()) { item = Item(facts: $0, content: Array($1), raw: []) }
        } else {
            events.read(bytes, at: wallClock()) { item = Item(facts: $0, event: $1, content: $1.data, raw: []) }
        }
        return item
    }

    // MARK: Frames

    private func takeFrames(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while !rest.isEmpty {
            if isOver { return add(Item(raw: Array(rest))) }
            guard let left else {
                frame.append(rest[0])
                if head.add(rest[0]) { beginFrame() }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
                continue
            }
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(min(left, UInt64(rest.count)))))
            frame += part
            self.left = left - UInt64(part.count)
            rest = UnsafeRawBufferPointer(rebasing: rest[part.count...])
            if self.left == 0 { endFrame() } else if isPassing, !head.isControl { passPart() }
        }
    }

    private func beginFrame() {
        left = head.length
        if head.isControl {
            // Such a frame breaks the protocol (RFC 6455 5.5).
            if head.length > 125 { return giveUp() }
        } else {
            if !head.isContinuation { isCompressed = head.isCompressed }
            let count = raw.count + frame.count
            if !isPassing, head.length > UInt64(Self.longest - min(count, Self.longest)) || !holds(Int(head.length)) {
                passLong()
            }
        }
        if head.length == 0 { endFrame() } else if isPassing, !head.isControl { passPart() }
    }

    private func holds(_ count: Int) -> Bool {
        guard raw.count + count > Self.small else { return true }
        let memory = memory ?? HeldMemory(held)
        self.memory = memory
        return memory.grow(by: 2 * count)
    }

    private func passLong() {
        (isPassing, hasLong) = (true, true)
        if !raw.isEmpty { add(Item(raw: raw, isCompressed: isCompressed)) }
        (raw, memory) = ([], nil)
    }

    /// What came of a long message goes on.
    private func passPart() {
        _ = frame.withUnsafeBytes { read($0) }
        add(Item(raw: frame, isCompressed: isCompressed))
        frame = []
    }

    private func endFrame() {
        let (head, message) = (self.head, frame.withUnsafeBytes { read($0) })
        let bytes = frame
        (self.head, frame, left) = (WebSocketFrameHead(), [], nil)
        if message?.facts?.kind == .error {
            isOver = true
            return add(Item(facts: message?.facts, content: message?.content ?? [], raw: raw + bytes))
        }
        if head.isControl {
            let item = Item(facts: message?.facts, content: message?.content ?? [], raw: bytes)
            // A close is the last message; others answer at once.
            if message?.facts?.kind != .close, isBetweenMessages { go(item) } else { add(item) }
        } else if isPassing {
            add(Item(facts: message?.facts, content: message?.content ?? [], raw: bytes, isCompressed: isCompressed))
            if head.isFinal { isPassing = false }
        } else {
            raw += bytes
            guard head.isFinal, var item = message else { return }
            item = Item(
                facts: item.facts, content: item.content, raw: raw, isCompressed: isCompressed,
                isWhole: item.facts.map { !$0.isCut && !$0.isUndecodable } ?? false, memory: memory)
            (raw, memory) = ([], nil)
            add(item)
        }
    }

    private func giveUp() {
        isOver = true
        let message = frame.withUnsafeBytes { read($0) }
        add(Item(facts: message?.facts, content: message?.content ?? [], raw: raw + frame))
        (raw, frame) = ([], [])
    }

    // MARK: Events

    private func takeEvents(_ bytes: UnsafeRawBufferPointer) {
        var at = 0
        while at < bytes.count {
            let start = at
            while at < bytes.count, bytes[at] != 0x0A, bytes[at] != 0x0D { at += 1 }
            if at < bytes.count {
                at += bytes[at] == 0x0D && at + 1 < bytes.count && bytes[at + 1] == 0x0A ? 2 : 1
            }
            takeLine(UnsafeRawBufferPointer(rebasing: bytes[start..<at]))
        }
    }

    /// A line, or a part of one.
    private func takeLine(_ line: UnsafeRawBufferPointer) {
        let event = read(line)
        if !isPassing, raw.count + line.count > Self.longest || !holds(line.count) { passLong() }
        raw += line
        let isComplete = events.isBetweenEvents
        guard isComplete || isPassing else { return }
        let isWhole = !isPassing && event.map { $0.facts?.isCut == false } ?? false
        add(
            Item(
                facts: event?.facts, event: event?.event, content: event?.content ?? [], raw: raw, isWhole: isWhole,
                memory: memory))
        (raw, memory) = ([], nil)
        if isComplete { isPassing = false }
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

    private func removeFirst() -> Item {
        let item = waiting.removeFirst()
        waitingBytes -= item.raw.count
        return item
    }

    private func go(_ item: Item) {
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

    private func withhold(_ item: Item) {
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
