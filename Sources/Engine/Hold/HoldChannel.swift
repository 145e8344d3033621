import Bytes
import Filter
import HTTP
import HTTP2
import Reactor

/// Stands before a client's channel while there are breakpoints for responses, and takes in a response that one of them
/// holds.
///
/// A response that fits is held as a whole: what made it is done, and ``ClientExchange`` sends it. Of a longer one the
/// head and the first bytes are held here, and what makes it has to wait.
final class HoldChannel: FrontChannel {
    private enum Phase {
        /// No head has come yet.
        case idle
        case collecting
        /// It is too long.
        case held(HeldExchange)
        case passing
    }

    private unowned let exchange: ClientExchange
    private var points: HoldPoints { HoldPoints(exchange: exchange) }
    private let subject: HoldSubject
    private let alarm: Alarm
    private var phase = Phase.idle
    private var breakpoint: Breakpoint?
    private var parsed = ResponseHead()
    private(set) var head: [UInt8] = []
    private(set) var hasBody = false
    /// Bytes behind the head, as they would be sent.
    private(set) var body: [UInt8] = []
    private var sentCount = 0
    private(set) var trailers: [UInt8]?
    private let memory: HeldMemory
    /// It was dropped while it was held here.
    private(set) var wasDropped = false

    init(_ exchange: ClientExchange, _ subject: HoldSubject) {
        (self.exchange, self.subject) = (exchange, subject)
        alarm = Alarm(exchange.client.waiter, exchange.state.loop)
        memory = HeldMemory(exchange.state.held)
        super.init(exchange.client.channel)
    }

    override func remove() {
        super.remove()
        alarm.end()
        if case .held(let held) = phase { points.end(held, nil) }
    }

    /// The response, complete, that its breakpoint holds; nil if it was sent on already.
    var whole: (breakpoint: Breakpoint, message: HeldMessage, subject: HoldSubject)? {
        guard case .collecting = phase, let breakpoint else { return nil }
        let (content, trailers) = contentAndTrailers
        return (
            breakpoint, message(content: content, trailers: trailers),
            subject.with(response: parsed, head, exchange.metrics)
        )
    }

    // MARK: What is written

    override var isHeld: Bool { if case .held = phase { true } else { false } }

    override var isFlushed: Bool {
        switch phase {
        case .idle: output.isEmpty && inner.isFlushed
        case .collecting: output.isEmpty
        case .held: false
        case .passing: output.isEmpty && sentCount == body.count && trailers == nil && inner.isFlushed
        }
    }

    override var unsentCount: Int { output.count + body.count - sentCount + inner.unsentCount }

    override func didWriteHead(hasBody: Bool) {
        self.hasBody = hasBody
        head = Array(output.unsafeBytes)
        parsed = ResponseHead()
        // A tunnel, events and calls last: they are no single response.
        if isReadable, !lasts {
            breakpoint = points.breakpoint(
                at: .response, subject.with(response: parsed, head, exchange.metrics))
        }
        guard breakpoint != nil else {
            phase = .passing
            moveHead()
            return inner.didWriteHead(hasBody: hasBody)
        }
        output.removeAll()
        phase = .collecting
        exchange.recording?.holdResponse()
        if hasBody, case .length(let length) = parsed.framing, length > UInt64(RequestBody.longestHeld) { holdHead() }
    }

    private var isReadable: Bool {
        let limits = HeadLimits(bytes: head.count + 1, fields: exchange.state.limits.fields * 2)
        return (try? parsed.parse(head.span, to: exchange.request.head.method, limits: limits)) == head.count
    }

    private var lasts: Bool {
        guard parsed.status >= 200, parsed.framing != .tunnel else { return true }
        guard let type = parsed.field(.contentType) else { return false }
        let value = Array(head[type.value])
        return MessageStream.isEventStream(value.span) || value.span.begins(with: "application/grpc")
    }

    override func finishWriting(_ trailers: [UInt8] = []) { self.trailers = trailers }

    override func send(_ bytes: UnsafeRawBufferPointer) throws(ChannelFailure) -> Int {
        if case .collecting = phase { return take(bytes) }
        guard try flush() else { return 0 }
        return try inner.send(bytes)
    }

    override func flush() throws(ChannelFailure) -> Bool {
        switch phase {
        case .idle: return try flushInner()
        case .collecting:
            output.consume(take(output.unsafeBytes))
            if case .held = phase { return try flush() }
            return true
        case .held(let held):
            if hasPeerLeft || exchange.state.isAborting {
                throw .stream(.cancel, "the client went away while its response was held")
            }
            guard let decision = held.decision ?? points.expiry(of: held) else { return false }
            points.end(held, decision)
            phase = .passing
            guard case .drop = decision else {
                pass(decision)
                return try flush()
            }
            wasDropped = true
            throw .stream(.cancel, "the response was dropped at a breakpoint")
        case .passing:
            guard try flushInner() else { return false }
            while sentCount < body.count {
                let sent: Result<Int, ChannelFailure> = body.withUnsafeBytes { bytes in
                    let rest = UnsafeRawBufferPointer(rebasing: bytes[sentCount...])
                    do throws(ChannelFailure) { return .success(try inner.send(rest)) } catch { return .failure(error) }
                }
                let used = try sent.get()
                guard used > 0 else { return false }
                sentCount += used
            }
            while !output.isEmpty {
                let used = try inner.send(output.unsafeBytes)
                guard used > 0 else { return false }
                output.consume(used)
            }
            output.compact()
            guard try flushInner() else { return false }
            guard let trailers = trailers.take() else { return true }
            inner.finishWriting(trailers)
            return try inner.flush()
        }
    }

    /// Takes bytes of a body in, as long as it is not too long.
    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        let fits = body.count + bytes.count <= RequestBody.longestHeld + Limits.bufferSize
        guard fits, memory.grow(by: bytes.count) else {
            holdHead()
            return 0
        }
        body.append(contentsOf: bytes)
        return bytes.count
    }

    // MARK: A response that is too long

    private func holdHead() {
        guard let breakpoint else { return }
        let held = points.hold(
            breakpoint, subject.with(response: parsed, head, exchange.metrics), message(content: nil))
        guard let held else {
            phase = .passing
            return pass(.goOn(.asked))
        }
        phase = .held(held)
        alarm.set(to: points.end(of: held))
    }

    /// Lets what has come of a response pass that broke off, so that its client sees where; false if none has begun.
    func passBroken() -> Bool {
        guard case .collecting = phase else { return false }
        phase = .passing
        pass(.goOn(.asked))
        return true
    }

    private func pass(_ decision: HoldDecision) {
        exchange.recording?.letGo(nil)
        if case .edited(let edited) = decision {
            head = edited.head
            points.didEditResponse(edited)
        }
        inner.reserveOutput(head.count)
        inner.output.grow(by: head.count)
        _ = inner.output.appendWhole(head)
        inner.didWriteHead(hasBody: hasBody)
    }

    private func message(content: [UInt8]?, trailers: [UInt8] = []) -> HeldMessage {
        var length: UInt64?
        if case .length(let known) = parsed.framing { length = known }
        var message = HeldMessage(
            isRequest: false, method: exchange.request.head.method, head: head, content: content, length: length,
            isStream: isStream, hasContent: hasBody,
            limits: HeadLimits(bytes: Limits.responseHeadBytes, fields: exchange.state.limits.fields * 2),
            memory: memory)
        message.trailers = trailers
        return message
    }

    /// The body without its framing, and the field lines that end it.
    private var contentAndTrailers: ([UInt8], trailers: [UInt8]) {
        guard !isStream, parsed.framing == .chunked else { return (body, trailers ?? []) }
        var decoder = BodyDecoder(
            .chunked, trailerLimits: HeadLimits(bytes: Limits.bufferSize, fields: .max), isResponse: true)
        var (content, trailers, at) = ([UInt8](), [UInt8](), 0)
        while at < body.count, let piece = try? decoder.next(body.span.extracting(at..<body.count)) {
            switch piece {
            case .framing(let count): at += count
            case .trailers(let count):
                trailers = Array(body[at..<at + count - 2])
                at += count
            case .data(let count):
                content += body[at..<at + count]
                decoder.advance(count)
                at += count
            case .end, .needMore: return (content, trailers)
            }
        }
        return (content, trailers)
    }
}
