import Bytes
package import HTTP
import Reactor
package import Rewriting
import Store

/// Moves one message's body from one connection to another, without blocking and in bounded memory.
///
/// Never copied: it is large, and there is one of it.
package struct BodyPump: ~Copyable {
    /// How content is framed for the receiver.
    package enum Encoding {
        /// As it is: its length was announced, or it ends with the connection.
        case identity
        case chunked
        /// Unchanged; the channel marks its end.
        case stream
        /// Read and dropped.
        case discard
    }

    package enum Step {
        case moved, needsInput, needsOutput, finished
    }

    /// Which side failed.
    package enum Failure: Error {
        case source(ChannelFailure)
        case sink(ChannelFailure)
        /// The source's bytes break the protocol, or end too early.
        case malformed(HTTPFailure)
        /// The body could not be decoded, and so not be rewritten.
        case unreadable(BodyRewriteFailure)
    }

    /// Bytes for the size line, the line end behind a chunk and the last chunk.
    private static let chunkOverhead = 32
    /// Room that a stream's output gets.
    private static let usualRoom = 16 << 10
    /// Bytes that are kept for another attempt.
    private static let maxKept = 64 << 10

    private var decoder: BodyDecoder
    /// Whether lines of chunks may end as RFC 9112 does not have it; to be set after ``begin``.
    var isForgiving: Bool {
        get { decoder.isForgiving }
        set { decoder.isForgiving = newValue }
    }
    /// Such lines were met.
    var isIrregular: Bool { decoder.isIrregular }
    private(set) var encoding = Encoding.identity
    /// Body bytes moved so far.
    package private(set) var count: UInt64 = 0
    package private(set) var isFinished = true
    /// Bytes of the trailer section at the front of the source, until there is space for all of it.
    private var trailerLength = 0
    private var hasTrailers = false
    /// Field lines that end a stream.
    private var trailers: [UInt8] = []
    /// What `grpc-status` says in the trailers.
    private(set) var callStatus: UInt16?
    /// The trailer section is discarded, as RFC 9110 6.5.1 lets proxies do.
    var dropsTrailers = false
    /// A body that was read ahead and comes first.
    private var buffered: [UInt8] = []
    private var bufferedOffset = 0
    /// The trailer section that was read ahead with it, until it is sent.
    private var bufferedTrailers: [UInt8] = []
    /// Fields that tell of the bytes of a body do not count, since it was changed before it came here.
    private var isChanged = false
    /// The bytes that have moved, while they may have to move again; nil once they are too many.
    private var moved: BufferedBody?
    private(set) var recording: Recording?
    private(set) var side = Recording.Side.request
    private var witness: BodyWitness?
    /// Looks at the body, until ``end()``.
    var links: AddressCount?
    /// What changes the body on its way.
    private var rewriter: BodyRewriter?
    /// The rewriter may hold back finished output.
    var needsFlush = false
    var hasFinishedRewriting = false

    /// Makes a pump without a body.
    package init(_ limits: Limits) {
        decoder = BodyDecoder(
            .none,
            trailerLimits: HeadLimits(bytes: min(limits.headBytes, Limits.bufferSize / 2), fields: limits.fields))
    }

    /// Begins with a message's body.
    package mutating func begin(_ framing: BodyFraming, _ encoding: Encoding, rewriter: BodyRewriter? = nil) {
        decoder.restart(framing)
        self.encoding = encoding
        self.rewriter = rewriter
        reset()
        isFinished = framing == .none
    }

    /// Begins with a body that was read ahead, followed by the rest from the source.
    mutating func begin(_ buffered: BufferedBody, _ encoding: Encoding) {
        decoder = buffered.decoder
        self.buffered = buffered.bytes
        self.encoding = encoding
        reset()
        (bufferedTrailers, isChanged) = (buffered.trailers, buffered.isChanged)
        isFinished = false
    }

    private mutating func reset() {
        count = 0
        trailerLength = 0
        (hasTrailers, callStatus) = (false, nil)
        bufferedOffset = 0
        if !bufferedTrailers.isEmpty { bufferedTrailers = [] }
        isChanged = false
        needsFlush = false
        hasFinishedRewriting = false
    }

    /// Releases the message's memory; counts and flags stay.
    mutating func end() {
        (trailers, buffered, bufferedTrailers, moved) = ([], [], [], nil)
        (recording, witness, links, rewriter) = (nil, nil, nil, nil)
    }

    /// Sends the rest of the body through a rewriter.
    mutating func pass(through rewriter: BodyRewriter) { self.rewriter = rewriter }

    var isRewritten: Bool { rewriter != nil }

    /// The body differs from the source's.
    var hasChanged: Bool { rewriter.map { $0.replacements > 0 } ?? false }

    /// What a route edits in the body.
    var editing: BodyEditing? { rewriter?.editing }

    /// HTML was put in.
    var hasInjected: Bool { rewriter?.hasInjected ?? false }

    /// Lets a store have the body as it comes, until ``end()``: the recording serves another exchange then.
    mutating func record(_ side: Recording.Side, to recording: Recording?) {
        self.side = side
        self.recording = recording
    }

    /// Lets something see the body, until ``end()``.
    mutating func show(to witness: BodyWitness?) { self.witness = witness }

    /// Keeps what moves from now on, as long as it is short.
    mutating func keepMoved(_ framing: BodyFraming, _ held: HeldBodies) {
        moved = BufferedBody(framing, held)
        moved?.bytes = buffered
    }

    /// All that has moved is kept.
    var canTakeBack: Bool { moved != nil }

    /// The bytes that have moved, for another attempt; nil where they are not kept.
    mutating func takeBack() -> BufferedBody? {
        guard var body = moved.take() else { return nil }
        (body.decoder, body.isComplete) = (decoder, isFinished)
        return body
    }

    /// Reads and drops the body from here on.
    package mutating func discardRest() {
        encoding = .discard
        rewriter = nil
    }

    /// Moves all bytes that can be moved at once.
    package mutating func step(from source: Channel, to sink: Channel) throws(Failure) -> Step {
        if isFinished { return .finished }
        if trailerLength > 0 {
            if let rewriter, !hasFinishedRewriting {
                if rewriter.isBlocked { return .needsInput }
                return try rewrite(0, isLast: true, from: source, to: sink, with: rewriter)
            }
            return try moveTrailers(from: source, to: sink)
        }
        if bufferedOffset < buffered.count { return try moveBuffered(to: sink) }
        let piece: BodyDecoder.Piece
        do throws(HTTPFailure) { piece = try decoder.next(source.inputBytes) } catch { throw .malformed(error) }
        switch piece {
        case .framing(let length):
            source.input.consume(length)
            return .moved
        case .data(let length):
            if let rewriter {
                if rewriter.isFull { return .needsInput }
                return try rewrite(length, from: source, to: sink, with: rewriter)
            }
            let used = try move(length, from: source, to: sink)
            guard used > 0 else { return .needsOutput }
            use(used, of: source)
            return .moved
        case .trailers(let length):
            // The decoder reports trailers once.
            trailerLength = length
            if let gate = rewriter?.gate as? WebCallGate {
                gate.end(with: [UInt8](source.inputBytes.extracting(0..<length)))
            }
            return try step(from: source, to: sink)
        case .end:
            if let rewriter, !hasFinishedRewriting {
                if rewriter.isBlocked { return .needsInput }
                return try rewrite(0, isLast: true, from: source, to: sink, with: rewriter)
            }
            if !bufferedTrailers.isEmpty {
                let section = bufferedTrailers
                guard try write(trailers: section.span, to: sink) else { return .needsOutput }
                bufferedTrailers = []
            }
            guard try finish(sink) else { return .needsOutput }
            isFinished = true
            return .finished
        case .needMore:
            let step = try fill(source, limit: sink.readSizeHint)
            if case .needsInput = step, let rewriter, needsFlush || rewriter.gate?.ready.isEmpty == false {
                return try rewrite(0, flush: true, from: source, to: sink, with: rewriter)
            }
            return step
        }
    }

    /// That many bytes of content at the front of the source were used.
    mutating func use(_ used: Int, of source: Channel) {
        if rewriter == nil {
            recording?.add(side, UnsafeRawBufferPointer(rebasing: source.input.unsafeBytes[..<used]))
        }
        witness?.add(UnsafeRawBufferPointer(rebasing: source.input.unsafeBytes[..<used]))
        if let count = moved?.bytes.count {
            if count + used <= Self.maxKept, moved?.makeRoom(for: used, max: Self.maxKept) == true {
                moved?.bytes.append(contentsOf: source.input.unsafeBytes[..<used])
            } else {
                moved = nil
            }
        }
        links?.add(UnsafeRawBufferPointer(rebasing: source.input.unsafeBytes[..<used]))
        source.input.consume(used)
        decoder.advance(used)
        count &+= UInt64(used)
    }

    private mutating func fill(_ source: Channel, limit: Int) throws(Failure) -> Step {
        let outcome: ReadOutcome
        do throws(ChannelFailure) { outcome = try source.fill(limit: limit) } catch { throw .source(error) }
        switch outcome {
        case .bytes: return .moved
        case .wouldBlock: return .needsInput
        case .end:
            do throws(HTTPFailure) {
                if source.takeTrailers() { decoder.beginTrailers() } else { try decoder.endOfInput() }
            } catch {
                throw .malformed(error)
            }
            return .moved
        }
    }

    private func move(_ length: Int, from source: Channel, to sink: Channel) throws(Failure) -> Int {
        switch encoding {
        case .discard: return length
        case .stream:
            do throws(ChannelFailure) {
                return try sink.send(UnsafeRawBufferPointer(rebasing: source.input.unsafeBytes[..<length]))
            } catch {
                throw .sink(error)
            }
        case .identity:
            do throws(ChannelFailure) {
                // Behind a waiting head, so that both leave in one TLS record; otherwise past the buffer.
                if !sink.output.isEmpty {
                    let used = sink.output.append(UnsafeRawBufferPointer(rebasing: source.input.unsafeBytes[..<length]))
                    let isFlushed = try sink.flush()
                    // An output that was just flushed takes more, and no event would report that.
                    if used > 0 || !isFlushed { return used }
                }
                return try sink.send(UnsafeRawBufferPointer(rebasing: source.input.unsafeBytes[..<length]))
            } catch {
                throw .sink(error)
            }
        case .chunked:
            let room = try makeRoom(in: sink, for: 1)
            let used = min(length, room)
            guard used > 0, HeadWriter.appendChunkHeader(size: used, to: &sink.output) else { return 0 }
            sink.output.append(UnsafeRawBufferPointer(rebasing: source.input.unsafeBytes[..<used]))
            _ = sink.output.appendWhole("\r\n")
            return used
        }
    }

    private mutating func moveBuffered(to sink: Channel) throws(Failure) -> Step {
        var used = buffered.count - bufferedOffset
        if case .discard = encoding {
        } else {
            used = min(used, try makeRoom(in: sink, for: 1))
            guard used > 0 else { return .needsOutput }
            if case .chunked = encoding { _ = HeadWriter.appendChunkHeader(size: used, to: &sink.output) }
            buffered.withUnsafeBytes {
                _ = sink.output.append(UnsafeRawBufferPointer(rebasing: $0[bufferedOffset..<bufferedOffset + used]))
            }
            if case .chunked = encoding { _ = sink.output.appendWhole("\r\n") }
        }
        bufferedOffset += used
        count &+= UInt64(used)
        return .moved
    }

    /// Body bytes that a chunk could take now; flushes if there are fewer than `minimum`.
    func makeRoom(in sink: Channel, for minimum: Int) throws(Failure) -> Int {
        sink.reserveOutput(max(minimum, Self.usualRoom) + Self.chunkOverhead)
        if sink.output.room - Self.chunkOverhead < minimum {
            do throws(ChannelFailure) { _ = try sink.flush() } catch { throw .sink(error) }
            sink.output.compact()
        }
        return sink.output.room - Self.chunkOverhead
    }

    private mutating func moveTrailers(from source: Channel, to sink: Channel) throws(Failure) -> Step {
        guard try write(trailers: source.inputBytes.extracting(0..<trailerLength), to: sink) else {
            return .needsOutput
        }
        recording?.add(
            side == .request ? .requestTrailers : .responseTrailers, source.inputBytes.extracting(0..<trailerLength))
        source.input.consume(trailerLength)
        trailerLength = 0
        return .moved
    }

    /// Writes the last chunk and the trailer section, both or neither; false where there is no room.
    private mutating func write(trailers section: Span<UInt8>, to sink: Channel) throws(Failure) -> Bool {
        moved = nil
        let dropped = rewriter == nil && !isChanged ? [] : BodyRewriter.droppedFields
        if dropsTrailers || rewriter?.gate is WebCallGate {
            // The body ends without them.
        } else if case .chunked = encoding {
            // At most half a buffer, so that there will be room.
            guard try makeRoom(in: sink, for: section.count) >= section.count else { return false }
            _ = sink.output.appendWhole("0\r\n")
            _ = HeadWriter.appendForwardedFields(
                of: decoder.trailers, from: section, to: &sink.output, dropping: dropped)
            _ = sink.output.appendWhole("\r\n")
            hasTrailers = true
        } else if case .stream = encoding {
            var text = Buffer(capacity: section.count)
            _ = HeadWriter.appendForwardedFields(
                of: decoder.trailers, from: section, to: &text, dropping: dropped)
            trailers = Array(text.unsafeBytes)
        }
        callStatus = Self.callStatus(decoder.trailers, section)
        return true
    }

    /// The status of a gRPC call that trailers name, or the head of a response without a body; nil for none.
    static func callStatus(_ fields: [Field], _ bytes: Span<UInt8>) -> UInt16? {
        guard let field = fields.first(where: { $0.isNamed("grpc-status".utf8, in: bytes) }) else { return nil }
        return UntrustedNumber(digits: [UInt8](bytes.extracting(field.value)))?.clamped()
    }

    private func finish(_ sink: Channel) throws(Failure) -> Bool {
        if case .stream = encoding { sink.finishWriting(trailers) }
        guard case .chunked = encoding, !hasTrailers else { return true }
        guard try makeRoom(in: sink, for: 1) > 0 else { return false }
        return sink.output.appendWhole("0\r\n\r\n")
    }
}
