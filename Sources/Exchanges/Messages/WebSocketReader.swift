/// Reads the messages that one end of a WebSocket sends (RFC 6455), in pieces of any size.
///
/// Messages come whole, out of their fragments, unmasked, and inflated where permessage-deflate says so (RFC 7692);
/// pings, pongs and closes come between them as they did. A message is kept up to a limit and counted beyond it. Bytes
/// that break the protocol are reported once, as a message of the kind `error`, and nothing is read after them.
/// Confined to one thread.
public final class WebSocketReader {
    /// Receives each message with its kept bytes, which are valid during the call.
    public typealias Visit = (MessageFacts, UnsafeRawBufferPointer) -> Void

    private enum State { case head, payload, over }

    /// The buffer for unmasking a compressed payload.
    private static let chunk = 8 << 10

    private let sender: MessageFacts.Sender
    private let deflate: PermessageDeflate.Direction?
    private var inflater: MessageInflater?
    private var state = State.head
    private var frame = WebSocketFrameHead()
    /// Bytes of the frame's payload that came so far.
    private var count: UInt64 = 0
    /// The message under way between control frames; nil outside.
    private var kind: MessageFacts.Kind?
    private var message: MessageAssembly
    private var isCompressed = false
    /// The message is inflated no further, or cannot be at all.
    private var isGivenUp = false
    private var isUndecodable = false
    private var control = MessageAssembly(limit: 125)

    /// - Parameter deflate: nil where no compression was agreed on.
    /// - Parameter limit: bytes that are kept of a message.
    public init(from sender: MessageFacts.Sender, deflate: PermessageDeflate?, limit: Int) {
        self.sender = sender
        self.deflate = sender == .client ? deflate?.client : deflate?.server
        message = MessageAssembly(limit: limit)
    }

    /// The last message is complete, and a frame could follow that is none of this end's.
    public var isBetweenMessages: Bool { state == .head && frame.isEmpty && kind == nil }

    /// Reads the next bytes, and passes on the messages that end in them.
    /// - Parameter time: microseconds since 1970, for all of them.
    public func read(_ bytes: UnsafeRawBufferPointer, at time: Int64, _ visit: Visit) {
        var rest = bytes
        while !rest.isEmpty {
            switch state {
            case .head:
                var used = 0
                var isComplete = false
                while used < rest.count, !isComplete {
                    isComplete = frame.add(rest[used])
                    used += 1
                }
                rest = UnsafeRawBufferPointer(rebasing: rest[used...])
                if isComplete { begin(time, visit) }
            case .payload:
                let used = Int(min(UInt64(rest.count), frame.length - count))
                add(UnsafeRawBufferPointer(rebasing: rest[..<used]), time, visit)
                rest = UnsafeRawBufferPointer(rebasing: rest[used...])
            case .over: return
            }
        }
    }

    /// Passes on the message under way as one that was cut: no more bytes will come.
    public func finish(at time: Int64, _ visit: Visit) {
        guard state != .over, let kind else { return }
        isGivenUp = true
        give(kind, message, time, visit)
        state = .over
    }

    private func begin(_ time: Int64, _ visit: Visit) {
        if let problem = frame.problem(from: sender, isDeflating: deflate != nil, isInMessage: kind != nil) {
            return stop(problem, time, visit)
        }
        if !frame.isControl, !frame.isContinuation {
            kind = frame.kind
            isCompressed = frame.isCompressed
            if isCompressed, inflater == nil { inflater = deflate.flatMap { MessageInflater($0) } }
            isUndecodable = isCompressed && inflater?.isLost != false
            isGivenUp = isUndecodable
        }
        count = 0
        state = .payload
        if frame.length == 0 { endFrame(time, visit) }
    }

    private func add(_ bytes: UnsafeRawBufferPointer, _ time: Int64, _ visit: Visit) {
        if frame.isControl {
            control.add(bytes, key: frame.key, at: count)
        } else if !isCompressed {
            message.add(bytes, key: frame.key, at: count)
        } else if !inflate(bytes) {
            return stop("a message that cannot be inflated (RFC 7692 7.2.2)", time, visit)
        }
        count += UInt64(bytes.count)
        if count == frame.length { endFrame(time, visit) }
    }

    private func endFrame(_ time: Int64, _ visit: Visit) {
        let ended = frame
        frame = WebSocketFrameHead()
        state = .head
        if ended.isControl {
            if let kind = ended.kind { give(kind, control, time, visit) }
            control.removeAll()
            // Nothing may follow (RFC 6455 5.5.1).
            if ended.kind == .close { state = .over }
        } else if ended.isFinal, let kind {
            if isCompressed, !end() { return stop("a message that cannot be inflated (RFC 7692 7.2.2)", time, visit) }
            give(kind, message, time, visit)
            message.removeAll()
            self.kind = nil
            isGivenUp = false
        }
    }

    private func give(_ kind: MessageFacts.Kind, _ body: MessageAssembly, _ time: Int64, _ visit: Visit) {
        var facts = MessageFacts(time: time, sender: sender, kind: kind, length: body.length)
        if kind.isControl {
            body.bytes.withUnsafeBytes { visit(facts, $0) }
            return
        }
        facts.isCut = body.isCut || isGivenUp
        if isUndecodable { facts.isUndecodable = true }
        body.bytes.withUnsafeBytes { visit(facts, $0) }
    }

    private func stop(_ problem: String, _ time: Int64, _ visit: Visit) {
        state = .over
        message = MessageAssembly(limit: 0)
        inflater = nil
        let text = Array((problem + "; what follows is not read").utf8)
        let facts = MessageFacts(time: time, sender: sender, kind: .error, length: Int64(text.count))
        text.withUnsafeBytes { visit(facts, $0) }
    }
}

// Compressed messages.
extension WebSocketReader {
    /// False if the bytes are no compressed message.
    private func inflate(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let inflater, !isUndecodable else {
            message.skip(bytes.count)
            return true
        }
        guard frame.key != 0 else { return note(inflater.inflate(bytes, into: &message)) }
        return withUnsafeTemporaryAllocation(byteCount: min(bytes.count, Self.chunk), alignment: 8) { room in
            var at = 0
            while at < bytes.count {
                let part = UnsafeMutableRawBufferPointer(rebasing: room[..<min(room.count, bytes.count - at)])
                part.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[at..<at + part.count]))
                WebSocketMask.apply(frame.key, at: count + UInt64(at), to: part)
                guard note(inflater.inflate(UnsafeRawBufferPointer(part), into: &message)) else { return false }
                at += part.count
            }
            return true
        }
    }

    private func end() -> Bool {
        guard let inflater, !isUndecodable else { return true }
        return note(inflater.finish(into: &message))
    }

    private func note(_ outcome: MessageInflater.Outcome) -> Bool {
        if outcome == .tooMuch { isGivenUp = true }
        return outcome != .corrupt
    }
}
