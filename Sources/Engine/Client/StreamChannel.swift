import Bytes
import HTTP2
import Reactor
import TLS

/// A stream of a connection that speaks HTTP/2.
///
/// Small writes wait here until the connection is written to next, so that several streams share a write; large ones go
/// into the connection's buffer at once, as far as windows and room allow.
final class StreamChannel: Channel, HTTP2StreamUser {
    /// Bytes of a body that wait here before the writer is told to wait.
    private static let maxWaiting = 2 << 10
    /// Bytes read before the peer's speed is known, or while the peer reads none.
    private static let minimum = Limits.smallBufferSize
    /// Bytes read where a connection has many streams.
    private static let limit = 16 << 10
    /// With up to so many streams on a connection, reads are not limited.
    private static let few = 16

    /// Bytes of interim responses that wait for a slow client.
    private static let maxUnread = 256 << 10

    let connection: HTTP2Connection
    let stream = HTTP2Stream()
    private let session: HTTP2Session
    /// Unretained, since it is woken often; the owner closes the channel before it is released.
    private var owner: Unmanaged<Waiter>?
    /// The text of a head at the front of the output that has not been submitted yet.
    private var headCount = 0
    private var headHasBody = false
    private var use = StreamState()
    private var trailers: [UInt8] = []
    /// The trailers that have come.
    private let received = Box(Buffer())
    private var hasTrailers = false
    /// Body bytes that have come and were not consumed yet.
    private var uncounted = 0
    /// The last large chunk was taken at once.
    private var isFast = false
    /// The bytes of ``send(_:)``, while it runs.
    private var direct: UnsafeRawBufferPointer?
    /// Bytes were received since the input was read last.
    private var hasUnreportedInput = false
    /// It carries a call of gRPC.
    private var isCall = false
    private var isEndHeld = false
    /// Bytes of the body that wait with its end.
    private var heldCount = 0
    var isScheduled = false
    /// The request has no body.
    private(set) var hasEndedWithHead = false

    init(_ connection: HTTP2Connection) {
        self.connection = connection
        session = connection.session
        super.init(connection.loop.buffers, small: connection.loop.smallBuffers)
    }

    deinit { releaseAll() }

    /// Begins with a new stream of the connection and forgets the previous one.
    func begin() {
        use = StreamState()
        (headCount, headHasBody) = (0, false)
        if !trailers.isEmpty { trailers = [] }
        (hasTrailers, uncounted, hasUnreportedInput) = (false, 0, false)
        (isFast, isScheduled, hasEnded, hasEndedWithHead) = (false, false, false, false)
        (isEndHeld, heldCount) = (false, 0)
        session.add(stream, for: self)
    }

    /// It carries a call of gRPC, to its end.
    func beginCall() {
        isCall = true
        connection.calls += 1
    }

    private func endCall() {
        guard isCall else { return }
        isCall = false
        connection.calls -= 1
        // PINGs count again.
        connection.wake()
    }

    /// Neither end uses it any more: another stream can be begun.
    var isOver: Bool { use.isClosed && stream.isClosed }

    /// Once it is over, gives its memory back and itself to the connection for reuse.
    private func settle() {
        guard isOver else { return }
        releaseAll()
        connection.keep(self)
    }

    private func releaseAll() {
        // A waiting head is dropped with the output.
        headCount = 0
        if input.hasMemory { input.release(to: buffers, or: small) }
        if output.hasMemory { output.release(to: buffers, or: small) }
        if received.value.hasMemory { received.value.release(to: buffers, or: small) }
        if stream.text.hasMemory { stream.text.release(to: buffers, or: small) }
    }

    override var isStream: Bool { true }

    override var tls: Session? { connection.channel.tls }

    override var isSecure: Bool { connection.channel.isSecure }

    override var wire: SocketChannel? { connection.channel }

    override func notify(_ waiter: Waiter) { owner = .passUnretained(waiter) }

    /// Ends the owner's wait, and every later one.
    func cancelOwner() { owner?._withUnsafeGuaranteedRef { $0.cancel() } }

    func wakeOwner() { owner?._withUnsafeGuaranteedRef { $0.wake() } }

    override var isFlushed: Bool { use.isComplete || !use.isBlocked && output.count - headCount <= Self.maxWaiting }

    /// It was reset, or the connection is gone.
    override var isBroken: Bool { isGone && !(use.isComplete && hasEnded) }

    override var isHungUp: Bool { connection.channel.isHungUp }

    override var isOpen: Bool { !isGone }

    private var isGone: Bool {
        use.isClosed || stream.isClosed && !(stream.hasEnded && stream.hasSentEnd)
    }

    /// Moves the request's head into `head`, once.
    func takeHead(_ head: inout Buffer) {
        swap(&head, &stream.text)
    }

    /// The `Sec-WebSocket-Accept` for an HTTP/1.1 client's key.
    var accept: [UInt8] {
        get { stream.webSocketAccept }
        set { stream.webSocketAccept = newValue }
    }

    var isHeadTooLong: Bool { stream.isHeadTooLong }

    /// How the peer reset the stream.
    var closeCode: HTTP2ErrorCode { stream.closeCode }

    override var readSizeHint: Int {
        if use.isBlocked || connection.isWriteBlocked { return Self.minimum }
        guard stream.id > 0 else { return Limits.bufferSize }
        guard isFast else { return Self.minimum }
        let limit = session.streamCount > Self.few ? Self.limit : Limits.bufferSize
        return max(Self.minimum, min(limit, stream.remoteWindow))
    }

    // MARK: Ending

    override func close() {
        guard let reading = use.close() else { return }
        owner = nil
        endCall()
        defer { settle() }
        // Finished on both sides, or about to be.
        if use.isComplete && (stream.hasEnded || reading == .stopped) { return }
        if stream.id == 0 { return stream.drop() }
        reset(.cancel)
    }

    override func abort() { abort(.internalError) }

    func abort(_ code: HTTP2ErrorCode) {
        // What came before goes first, as far as the peer takes it: RST_STREAM would overtake it.
        if !isGone, stream.id > 0, !output.isEmpty {
            connection.schedule(self)
            try? connection.push()
        }
        guard use.close() != nil else { return }
        owner = nil
        endCall()
        reset(code)
        settle()
    }

    private func reset(_ code: HTTP2ErrorCode) {
        headCount = 0
        output.removeAll()
        guard !stream.isClosed else { return }
        stream.reset(code)
        connection.wake()
    }

    override func stopReading() {
        guard !stream.hasEnded, use.stopReading() else { return }
        stream.stopAfterEnd()
        releaseEnd()
        input.removeAll()
        connection.wake()
    }

    // MARK: Reading

    override func fill(limit: Int) throws(ChannelFailure) -> ReadOutcome {
        let used = uncounted - min(uncounted, input.count)
        if used > 0 {
            uncounted -= used
            stream.consume(used)
            // Mostly no WINDOW_UPDATE is due yet, and otherwise it is not urgent.
            connection.expectWrite()
        }
        if hasUnreportedInput {
            hasUnreportedInput = false
            return .bytes(0)
        }
        if stream.hasEnded {
            hasEnded = true
            return .end
        }
        if isGone { throw failure }
        return .wouldBlock
    }

    private var failure: ChannelFailure {
        if let reason = connection.ending { return .stream(closeCode, reason) }
        if isHeadTooLong { return .stream(closeCode, "a head longer than \(session.limits.headBytes) bytes") }
        return .stream(closeCode, "the stream was reset (\(closeCode))")
    }

    override func takeTrailers() -> Bool {
        guard hasTrailers else { return false }
        hasTrailers = false
        input.grow(by: received.value.count)
        input.append(received.value.unsafeBytes)
        received.value.removeAll()
        return true
    }

    // MARK: Writing

    override func reserveOutput(_ count: Int = 0) {
        let wanted = min(max(count, 1024), Limits.bufferSize - output.count)
        if wanted <= Limits.smallBufferSize { output.reserve(from: small) }
        if output.room < wanted { output.grow(by: wanted) }
    }

    override var sentRequest: [UInt8]? {
        session.sentRequest(output.unsafeBytes, isSecure: connection.channel.isSecure)
    }

    override func didWriteHead(hasBody: Bool) {
        headCount = output.count
        headHasBody = hasBody
        if !hasBody { use.complete() }
        connection.schedule(self)
    }

    override func didWriteInterimHead() {
        headCount = output.count
        headHasBody = true
        submitHead()
        connection.wake()
    }

    override func send(_ bytes: UnsafeRawBufferPointer) throws(ChannelFailure) -> Int {
        if isGone { throw failure }
        let waiting = output.count - headCount
        if bytes.count + waiting <= Self.maxWaiting {
            output.grow(by: bytes.count)
            output.append(bytes)
            connection.schedule(self)
            return bytes.count
        }
        direct = bytes
        submitHead()
        stream.resume()
        defer { direct = nil }
        try connection.push()
        var left = direct?.count ?? 0
        if left > 0, left <= heldCount {
            output.grow(by: left)
            output.append(UnsafeRawBufferPointer(rebasing: bytes[(bytes.count - left)...]))
            left = 0
        }
        if left > 0 { use.block() } else { _ = use.unblock() }
        isFast = left == 0
        return bytes.count - left
    }

    override func flush() throws(ChannelFailure) -> Bool {
        if isGone { throw failure }
        if output.isEmpty || use.isComplete && output.count - headCount <= Self.maxWaiting { return true }
        if output.count - headCount > Self.maxWaiting {
            submitHead()
            stream.resume()
            try connection.push()
            output.compact()
            if output.count > Self.maxWaiting {
                use.block()
                return false
            }
        }
        connection.schedule(self)
        return true
    }

    override func finishWriting(_ trailers: [UInt8] = []) {
        guard !use.isComplete else { return }
        self.trailers = trailers
        use.complete()
        connection.schedule(self)
    }

    override func holdEnd(hasLength: Bool) {
        isEndHeld = !stream.hasEnded
        heldCount = isEndHeld && hasLength ? 1 : 0
    }

    override var holdsEnd: Bool { isEndHeld }

    private func releaseEnd() {
        guard isEndHeld else { return }
        (isEndHeld, heldCount) = (false, 0)
        if !stream.isClosed { connection.schedule(self) }
    }

    /// The connection is about to be written to.
    func submit() {
        isScheduled = false
        submitHead()
        stream.resume()
    }

    private func submitHead() {
        // A head without a body is a whole response.
        guard headCount > 0, headHasBody || !isEndHeld else { return }
        let head = UnsafeRawBufferPointer(rebasing: output.unsafeBytes[..<headCount])
        let hasBody =
            headHasBody && !(isComplete && output.count == headCount && direct == nil && trailers.isEmpty)
        let count = headCount
        headCount = 0
        do throws(HTTP2Failure) {
            try session.submit(
                head, on: stream, isSecure: connection.channel.isSecure, hasBody: hasBody)
        } catch {
            stream.reset(.internalError)
        }
        output.consume(count)
    }

    // MARK: HTTP2StreamUser

    func didReceive(_ head: HTTP2Stream.Head) {
        guard !use.isClosed else { return }
        switch head {
        case .trailers:
            hasTrailers = true
            swap(&received.value, &stream.text)
        case .message:
            if session.role == .client {
                connection.hasResponded = true
                // Heads have no flow control; interim ones could come without end.
                guard input.count < Self.maxUnread else { return stream.reset(.enhanceYourCalm) }
                hasUnreportedInput = true
                if input.isEmpty {
                    swap(&input, &stream.text)
                } else {
                    input.grow(by: stream.text.count)
                    input.append(stream.text.unsafeBytes)
                }
                stream.text.release(to: buffers, or: small)
            } else {
                hasEndedWithHead = stream.hasEnded
                connection.didReceiveRequest(self)
            }
        }
        wakeOwner()
    }

    func didReceive(_ body: UnsafeRawBufferPointer) {
        guard !use.isClosed, !hasEnded else {
            stream.consume(body.count)
            return
        }
        // Bounded by the window that the peer has.
        input.reserve(from: small)
        input.grow(by: body.count)
        input.append(body)
        uncounted += body.count
        hasUnreportedInput = true
        wakeOwner()
    }

    func didEnd() {
        releaseEnd()
        wakeOwner()
        settle()
    }

    var isComplete: Bool { use.isComplete && !isEndHeld }

    var pending: Int { max(0, output.count - headCount + (direct?.count ?? 0) - heldCount) }

    func takeTrailers() -> [UInt8] { trailers }

    func take(_ count: Int, into sink: inout Buffer) {
        connection.didTakeBody()
        let waiting = min(count, output.count)
        if waiting > 0 {
            sink.append(UnsafeRawBufferPointer(rebasing: output.unsafeBytes[..<waiting]))
            output.consume(waiting)
        }
        if waiting < count, let bytes = direct {
            let used = min(count - waiting, bytes.count)
            sink.append(UnsafeRawBufferPointer(rebasing: bytes[..<used]))
            direct = UnsafeRawBufferPointer(rebasing: bytes[used...])
        }
        if direct == nil { wantsMore() }
    }

    func wantsMore() {
        if use.unblock() { wakeOwner() }
    }

    func hasNoRoom() { connection.awaitRoom(self) }

    func hasRoom() {
        stream.resume()
        wantsMore()
    }
}
