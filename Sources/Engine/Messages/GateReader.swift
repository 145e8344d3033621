import Exchanges
import Platform
import Rewriting
import Store

/// A message that came to a gate, or bytes that are none.
struct GatedMessage {
    var facts: MessageFacts?
    var event: ServerSentEvent?
    var content: [UInt8] = []
    /// As it came.
    let raw: [UInt8]
    var isCompressed = false
    /// It is a message with all of its content; others go on as they came.
    var isWhole = false
    /// A control frame between two messages, which answers at once: it passes those that wait.
    var isUrgent = false
    var memory: HeldMemory?
    /// What goes on in its place.
    var edited: (isText: Bool, content: [UInt8])?

    var isText: Bool { facts?.kind != .binary }
}

/// Cuts the bytes of one direction of a stream into the messages that come to a ``MessageGate``.
///
/// What is no message that can be edited, such as a part of a long one, comes as bytes that go on as they are. Confined
/// to its worker.
final class GateReader {
    enum Source {
        case frames(WebSocketReader)
        case events(EventStreamReader)
    }

    /// Below this a message takes no part of the memory for held bodies.
    private static let small = 4 << 10

    private let frames: WebSocketReader?
    private var events: EventStreamReader
    private let held: HeldBodies
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

    init(_ source: Source, _ held: HeldBodies) {
        switch source {
        case .frames(let reader): (frames, events) = (reader, EventStreamReader(limit: 0))
        case .events(let reader): (frames, events) = (nil, reader)
        }
        self.held = held
    }

    var isWebSocket: Bool { frames != nil }

    /// All bytes so far belong to messages that have ended, or will be given as whole ones.
    var isBetweenMessages: Bool { !isPassing && !isOver }

    /// Gives the messages that end in `bytes`.
    func take(_ bytes: UnsafeRawBufferPointer, _ give: (GatedMessage) -> Void) {
        if isWebSocket { takeFrames(bytes, give) } else { takeEvents(bytes, give) }
    }

    /// Ends the stream: gives the bytes of a message that has not ended.
    ///
    /// - Parameter note: gets the facts and the content of a WebSocket message that was cut off, as it is recorded.
    func end(_ give: (GatedMessage) -> Void, note: (MessageFacts, [UInt8]) -> Void) {
        let rest = raw + frame
        if !frame.isEmpty { _ = frame.withUnsafeBytes { read($0) } }
        if !rest.isEmpty { give(GatedMessage(raw: rest)) }
        (raw, frame) = ([], [])
        frames?.finish(at: wallClock()) { facts, content in note(facts, Array(content)) }
    }

    /// Lets bytes be read; the message that ends in them.
    private func read(_ bytes: UnsafeRawBufferPointer) -> GatedMessage? {
        var item: GatedMessage?
        if let frames {
            frames.read(bytes, at: wallClock()) { item = GatedMessage(facts: $0, content: Array($1), raw: []) }
        } else {
            events.read(bytes, at: wallClock()) { item = GatedMessage(facts: $0, event: $1, content: $1.data, raw: []) }
        }
        return item
    }

    // MARK: Frames

    private func takeFrames(_ bytes: UnsafeRawBufferPointer, _ give: (GatedMessage) -> Void) {
        var rest = bytes
        while !rest.isEmpty {
            if isOver { return give(GatedMessage(raw: Array(rest))) }
            guard let left else {
                frame.append(rest[0])
                if head.add(rest[0]) { beginFrame(give) }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
                continue
            }
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(min(left, UInt64(rest.count)))))
            frame += part
            self.left = left - UInt64(part.count)
            rest = UnsafeRawBufferPointer(rebasing: rest[part.count...])
            if self.left == 0 { endFrame(give) } else if isPassing, !head.isControl { passPart(give) }
        }
    }

    private func beginFrame(_ give: (GatedMessage) -> Void) {
        left = head.length
        if head.isControl {
            // Such a frame breaks the protocol (RFC 6455 5.5).
            if head.length > 125 { return giveUp(give) }
        } else {
            if !head.isContinuation { isCompressed = head.isCompressed }
            let count = raw.count + frame.count
            if !isPassing,
                head.length > UInt64(MessageGate.longest - min(count, MessageGate.longest)) || !holds(Int(head.length))
            {
                passLong(give)
            }
        }
        if head.length == 0 { endFrame(give) } else if isPassing, !head.isControl { passPart(give) }
    }

    private func holds(_ count: Int) -> Bool {
        guard raw.count + count > Self.small else { return true }
        let memory = memory ?? HeldMemory(held)
        self.memory = memory
        return memory.grow(by: 2 * count)
    }

    private func passLong(_ give: (GatedMessage) -> Void) {
        (isPassing, hasLong) = (true, true)
        if !raw.isEmpty { give(GatedMessage(raw: raw, isCompressed: isCompressed)) }
        (raw, memory) = ([], nil)
    }

    /// What came of a long message goes on.
    private func passPart(_ give: (GatedMessage) -> Void) {
        _ = frame.withUnsafeBytes { read($0) }
        give(GatedMessage(raw: frame, isCompressed: isCompressed))
        frame = []
    }

    private func endFrame(_ give: (GatedMessage) -> Void) {
        let (head, message) = (self.head, frame.withUnsafeBytes { read($0) })
        let bytes = frame
        (self.head, frame, left) = (WebSocketFrameHead(), [], nil)
        if message?.facts?.kind == .error {
            isOver = true
            return give(GatedMessage(facts: message?.facts, content: message?.content ?? [], raw: raw + bytes))
        }
        if head.isControl {
            var item = GatedMessage(facts: message?.facts, content: message?.content ?? [], raw: bytes)
            // A close is the last message.
            item.isUrgent = message?.facts?.kind != .close && isBetweenMessages
            give(item)
        } else if isPassing {
            give(
                GatedMessage(
                    facts: message?.facts, content: message?.content ?? [], raw: bytes, isCompressed: isCompressed))
            if head.isFinal { isPassing = false }
        } else {
            raw += bytes
            guard head.isFinal, var item = message else { return }
            item = GatedMessage(
                facts: item.facts, content: item.content, raw: raw, isCompressed: isCompressed,
                isWhole: item.facts.map { !$0.isCut && !$0.isUndecodable } ?? false, memory: memory)
            (raw, memory) = ([], nil)
            give(item)
        }
    }

    private func giveUp(_ give: (GatedMessage) -> Void) {
        isOver = true
        let message = frame.withUnsafeBytes { read($0) }
        give(GatedMessage(facts: message?.facts, content: message?.content ?? [], raw: raw + frame))
        (raw, frame) = ([], [])
    }

    // MARK: Events

    private func takeEvents(_ bytes: UnsafeRawBufferPointer, _ give: (GatedMessage) -> Void) {
        var at = 0
        while at < bytes.count {
            let start = at
            while at < bytes.count, bytes[at] != 0x0A, bytes[at] != 0x0D { at += 1 }
            if at < bytes.count {
                at += bytes[at] == 0x0D && at + 1 < bytes.count && bytes[at + 1] == 0x0A ? 2 : 1
            }
            takeLine(UnsafeRawBufferPointer(rebasing: bytes[start..<at]), give)
        }
    }

    /// A line, or a part of one.
    private func takeLine(_ line: UnsafeRawBufferPointer, _ give: (GatedMessage) -> Void) {
        let event = read(line)
        if !isPassing, raw.count + line.count > MessageGate.longest || !holds(line.count) { passLong(give) }
        raw += line
        let isComplete = events.isBetweenEvents
        guard isComplete || isPassing else { return }
        let isWhole = !isPassing && event.map { $0.facts?.isCut == false } ?? false
        give(
            GatedMessage(
                facts: event?.facts, event: event?.event, content: event?.content ?? [], raw: raw, isWhole: isWhole,
                memory: memory))
        (raw, memory) = ([], nil)
        if isComplete { isPassing = false }
    }
}
