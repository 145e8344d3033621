import Bytes
import HTTP
import HTTP2
import Reactor
import TLS

/// A connection that speaks HTTP/2, of a client or to an origin, with a task of its own that reads and writes it.
///
/// Confined to its worker.
final class HTTP2Connection: LoopTask, HTTP2Acceptor {
    /// Reads in a row before other connections get their turn.
    private static let maxReads = 4

    /// Streams of an origin's connection from which on windows are small.
    private static let manyStreams = 128
    private static let narrowWindow = 5 << 10

    /// Bytes that are read from a peer that is to read the end.
    private static let maxUnread = 1 << 20

    let loop: LoopState
    let channel: SocketChannel
    let waiter: Waiter
    let session: HTTP2Session
    /// Why it ended; nil while it is open.
    private(set) var ending: String?
    /// The peer has not taken all bytes that were written.
    private(set) var isWriteBlocked = false
    /// Called when streams can be opened on it that could not before, and when it has ended.
    var didChange: (() -> Void)?
    /// Makes the exchange of a stream that a client has opened.
    var didReceiveRequest: (StreamChannel) -> Void = { _ in }
    /// Called when it has ended, before exchanges have left it.
    var didEnd: (() -> Void)?
    /// What GOAWAY tells the client of the reason.
    var farewell: () -> [UInt8] = { [] }
    /// Exchanges that use it.
    var users = 0
    /// Streams that carry calls of gRPC, whose servers take a second PING within five minutes for an attack.
    var calls = 0
    /// The peer has responded to a request.
    var hasResponded = false
    /// Streams it has carried so far.
    private(set) var streamCount = 0
    private let idleTime: UInt64
    /// After so much silence PING is sent.
    let silenceTime: UInt64
    /// It is never idle: without streams, too, PING shows that the peer is there.
    private let staysOpen: Bool
    /// Streams that have something to send.
    private let scheduled = Box<[StreamChannel]>([])
    /// Streams that are being submitted.
    private let submitting = Box<[StreamChannel]>([])
    /// Streams for which the buffer had no space.
    private let withoutRoom = Box<[StreamChannel]>([])
    /// Channels of a client's finished streams.
    private let spare = FreeList<StreamChannel>(limit: 128)
    private var lastHeard: Instant
    private var lastMoved: Instant
    /// When the peer last took a part of a body, or when there was none to take.
    private var lastTaken: Instant
    private var idleSince: Instant
    private var isResting = false
    /// A fault ends it.
    private var isBrokenOff = false
    /// When a client that got GOAWAY must have opened its last stream.
    private var roundTripEnd: Instant?

    /// - Parameters:
    ///   - idleTime: nanoseconds that it stays open without a stream.
    ///   - silenceTime: nanoseconds after which PING is sent; nil for the limit.
    ///   - staysOpen: without streams as well, as long as the peer responds to PING.
    ///   - isNarrow: its streams have small flow-control windows from the first on: an origin's bytes wait here when its
    ///     client is slow, and with many exchanges each has little room.
    init(
        _ role: HTTP2Session.Role, _ channel: SocketChannel, _ loop: LoopState, idleTime: UInt64,
        silenceTime: UInt64? = nil, staysOpen: Bool = false, isNarrow: Bool = false
    ) throws(HTTP2Failure) {
        self.staysOpen = staysOpen
        self.loop = loop
        self.channel = channel
        self.idleTime = idleTime
        self.silenceTime = silenceTime ?? loop.limits.silenceTime
        var limits = HTTP2Limits()
        limits.headBytes = role == .client ? loop.limits.ofResponses.bytes : loop.limits.headBytes
        if isNarrow {
            limits.window = Self.narrowWindow
            limits.allWindows = Self.manyStreams * Self.narrowWindow
        }
        session = try HTTP2Session(role, limits: limits, buffers: loop.smallBuffers, memory: loop.memory)
        waiter = Waiter(loop.core)
        let now = loop.core.now
        (lastHeard, lastMoved, lastTaken, idleSince) = (now, now, now, now)
        channel.notify(waiter)
        session.acceptor = self
    }

    // MARK: Streams

    /// How many more streams can be opened on it now.
    var openable: Int { ending == nil ? session.openable : 0 }

    /// Begins a new stream, on a channel that has served before if there is one.
    func open(on old: StreamChannel? = nil) -> StreamChannel {
        streamCount += 1
        if session.streamCount > Self.manyStreams { session.narrow(to: Self.narrowWindow) }
        let stream = old ?? StreamChannel(self)
        stream.begin()
        return stream
    }

    func accept(on session: HTTP2Session) -> HTTP2Stream? {
        // Streams that were opened before the client could know of the end are served.
        guard session.role == .server, !session.isGoingAway || session.awaitsRoundTrip else { return nil }
        let stream = spare.take() ?? StreamChannel(self)
        stream.begin()
        return stream.stream
    }

    /// Keeps a finished channel of a client for another stream; ``SharedOrigin`` keeps the channels of an origin.
    func keep(_ stream: StreamChannel) { if session.role == .server, ending == nil { spare.keep(stream) } }

    /// A stream has something to send: it is sent soon, together with that of other streams.
    func schedule(_ stream: StreamChannel) {
        guard ending == nil, !stream.isScheduled else { return }
        stream.isScheduled = true
        scheduled.value.append(stream)
        waiter.wake()
    }

    func awaitRoom(_ stream: StreamChannel) { if ending == nil { withoutRoom.value.append(stream) } }

    func wake() { waiter.wake() }

    func didTakeBody() { lastTaken = loop.core.now }

    /// The session may have frames of its own to write.
    func expectWrite() { if session.wantsWrite { waiter.wake() } }

    /// Ends every stream where it is.
    func cancel() {
        waiter.cancel()
        for stream in session.streams { (stream.user as? StreamChannel)?.cancelOwner() }
    }

    /// Lets every stream's exchange look at what has changed.
    func wakeStreams() {
        for stream in session.streams { (stream.user as? StreamChannel)?.wakeOwner() }
    }

    // MARK: Faults

    /// Ends the connection where it is.
    func breakOff(resetting: Bool) {
        isBrokenOff = true
        if resetting { channel.abort() }
        waiter.wake()
    }

    /// Ends the connection with GOAWAY, and its streams with it.
    func refuseFurther() {
        session.terminate()
        waiter.wake()
    }

    /// Writes the beginning of a HEADERS frame (RFC 9113 4.1), whose rest never comes.
    func writePartOfHead(_ stream: Int32) {
        channel.reserveOutput()
        let id = (0..<4).map { UInt8(truncatingIfNeeded: stream >> (24 - 8 * $0)) }
        _ = channel.output.appendWhole([0, 0, 64, 1, 4] + id + [0x88])
        _ = try? channel.flush()
    }

    // MARK: Running

    /// Reads and writes until the connection is over.
    func run() async {
        waiter.note("a connection of HTTP/2")
        let reason = await work()
        ending = loop.isAborting ? reason : session.closeReason ?? reason
        session.abandon()
        // They retain the connection.
        spare.removeAll()
        if loop.isAborting { channel.abort() } else { channel.close() }
        didChange?()
        didChange = nil
        didEnd?()
        didEnd = nil
        while users > 0 {
            waiter.deadline = .never
            await waiter.park()
            if waiter.isCancelled { break }
        }
        // They retain the connection.
        scheduled.value.removeAll()
        withoutRoom.value.removeAll()
        waiter.retire()
    }

    private func work() async -> String {
        var reads = 0
        while true {
            if isBrokenOff {
                if channel.isOpen { await letRead() }
                return "the fault of a route ended the connection"
            }
            do throws(ChannelFailure) {
                let hasMoved = try receive()
                // Exchanges that have begun may still need streams of their origins.
                if loop.isDraining && session.role == .server || roundTripEnd != nil { announceEnd() }
                try push()
                if session.isGoingAway && !session.awaitsRoundTrip && session.streamCount == 0 && users == 0 {
                    session.terminate()
                    try push()
                }
                if let failure = session.failure { return await endByFailure(failure) }
                if session.isOver {
                    if loop.isDraining, session.role == .server { await letRead() }
                    return "the connection was closed in good order"
                }
                if hasMoved {
                    reads += 1
                    if reads % Self.maxReads == 0 { await waiter.yield() }
                    if loop.isAborting { return "Shunt is shutting down" }
                    continue
                }
            } catch {
                return error.message
            }
            if channel.hasEnded { return "the connection was closed" }
            if let reason = keepTime() { return reason }
            if let end = roundTripEnd, session.awaitsRoundTrip { waiter.deadline = min(waiter.deadline, end) }
            // Other connections use memory that is still in the caches.
            channel.releaseBuffers()
            await waiter.park()
            if loop.isAborting { return "Shunt is shutting down" }
            if waiter.isCancelled { return "the connection made room for another" }
        }
    }

    /// Sends GOAWAY, and the second GOAWAY after a round trip or a second (RFC 9113 6.8).
    private func announceEnd() {
        let now = loop.core.now
        if roundTripEnd == nil {
            session.announceEnd(debugData: farewell())
            roundTripEnd = now.after(Limits.second)
        } else if let end = roundTripEnd, end <= now {
            session.finishEnd()
        }
    }

    /// Writes GOAWAY with the failure's code and lets the peer read it.
    private func endByFailure(_ failure: HTTP2Failure) async -> String {
        waiter.deadline = loop.core.now.after(Limits.second)
        do throws(ChannelFailure) {
            try push()
            while isWriteBlocked, !waiter.isExpired {
                await waiter.park()
                try push()
            }
            ending = failure.reason
            session.abandon()
            await letRead()
        } catch {}
        return failure.reason
    }

    /// Waits a second for the peer to close: a socket that is closed with input unread resets the connection, and what
    /// the peer has not read yet is lost.
    private func letRead() async {
        await channel.linger(waiter, loop, bytes: Self.maxUnread, time: Limits.second, pause: Limits.second)
    }

    private func receive() throws(ChannelFailure) -> Bool {
        // Bytes that were read before HTTP/2 was detected are in the input already.
        if channel.input.isEmpty { guard case .bytes = try channel.fill() else { return false } }
        lastHeard = loop.core.now
        isResting = false
        do throws(HTTP2Failure) {
            try session.receive(channel.input.unsafeBytes, now: loop.core.now)
        } catch {
            // The next push sends the GOAWAY.
        }
        channel.input.removeAll()
        didChange?()
        return true
    }

    /// Writes pending frames, as far as the socket takes them.
    func push() throws(ChannelFailure) {
        if !scheduled.value.isEmpty {
            swap(&scheduled.value, &submitting.value)
            for stream in submitting.value { stream.submit() }
            submitting.value.removeAll(keepingCapacity: true)
        }
        while true {
            channel.reserveOutput()
            channel.output.compact()
            let hasMore: Bool
            do throws(HTTP2Failure) {
                hasMore = try session.send(into: &channel.output)
            } catch {
                waiter.wake()
                throw .stream(error.code, error.reason)
            }
            let (count, wasWriteBlocked) = (channel.output.count, isWriteBlocked)
            isWriteBlocked = !(try channel.flush())
            if channel.output.count < count || isWriteBlocked && !wasWriteBlocked { lastMoved = loop.core.now }
            if isWriteBlocked { return }
            if !withoutRoom.value.isEmpty {
                swap(&withoutRoom.value, &submitting.value)
                for stream in submitting.value { stream.hasRoom() }
                submitting.value.removeAll(keepingCapacity: true)
                continue
            }
            if !hasMore { return }
        }
    }

    /// Sets the deadline; says why the connection is over if it is.
    private func keepTime() -> String? {
        let now = loop.core.now
        if let since = session.headSince, since.after(loop.limits.headTime) <= now {
            return "a head was not sent to its end within \(loop.limits.headTime / Limits.second) s"
        }
        if isWriteBlocked {
            waiter.deadline = lastMoved.after(loop.limits.bodyTime)
            return waiter.deadline <= now ? "the peer took nothing for \(loop.limits.bodyTime / Limits.second) s" : nil
        }
        if session.streamCount == 0, !staysOpen {
            if users > 0 { idleSince = now }
            let end = max(idleSince, lastHeard).after(idleTime)
            if end <= now {
                waiter.deadline = now.after(Limits.second)
                if session.role == .server, roundTripEnd == nil {
                    // A request that is on its way is still served.
                    announceEnd()
                    waiter.wake()
                }
                if session.awaitsRoundTrip { return nil }
                session.terminate()
                return session.wantsWrite ? nil : "the connection was idle"
            }
            if !isResting && lastHeard.after(Limits.restDelay) <= now {
                isResting = true
                channel.rest()
                spare.removeAll()
            }
            waiter.deadline = isResting ? end : min(end, lastHeard.after(Limits.restDelay))
            return nil
        }
        idleSince = now
        if users > 0 || session.role == .client { lastTaken = now }
        // The rest of bodies whose exchanges have ended.
        let end = lastTaken.after(loop.limits.bodyTime)
        if end <= now { return "the peer took nothing for \(loop.limits.bodyTime / Limits.second) s" }
        waiter.deadline = end
        if session.awaitsPing {
            let end = lastHeard.after(silenceTime).after(loop.limits.pingTime)
            waiter.deadline = min(waiter.deadline, end)
            return end <= now ? "the peer did not respond to a PING" : nil
        }
        if calls == 0 {
            if lastHeard.after(silenceTime) <= now {
                session.ping()
                waiter.wake()
            }
            waiter.deadline = min(waiter.deadline, lastHeard.after(silenceTime))
        }
        if let since = session.headSince { waiter.deadline = min(waiter.deadline, since.after(loop.limits.headTime)) }
        return nil
    }
}
