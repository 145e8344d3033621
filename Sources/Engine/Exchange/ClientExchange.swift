import Bytes
import HTTP
import Reactor
import Rewriting
import TLS
import Traffic

/// One client's request with its answer, and what the next one on the same channel begins with.
///
/// Confined to its worker.
final class ClientExchange {
    let state: WorkerState
    /// A connection of its own, or a stream.
    private(set) var channel: Channel
    /// What stands in for the channel between streams.
    private let nowhere: Channel
    let waiter: Waiter
    var request = RequestHead()
    var answer = AnswerHead()
    /// Bytes of the present request's head, which stay at the front of the input until the head is done with.
    var headLength = 0
    /// The head's bytes where they do not lie in the input.
    private var detachedHead = Buffer()
    /// Content of the present request that was read before it could be sent, and can be sent again.
    var held: HeldContent?
    /// What the store is to have of the present exchange; nil without a store.
    var recording: Recording?
    /// Some of the present request's content is gone: it cannot be sent a second time.
    var isContentSpent = false
    /// Who may read the present request's answer, as the route says that the request came to, whoever answers then.
    var cors: CORSRules?
    /// Bytes of the environment's label in front of the present request's host.
    var labelLength = 0
    /// What moves the request's content, and what moves the answer's.
    var up: BodyPump
    var down: BodyPump
    var notes = ExchangeNotes()
    /// The present request may become a tunnel.
    var asksForUpgrade = false
    /// The connection ends after the present exchange.
    var mustClose = false
    /// A handler answers the present request, or what it answered is on its way.
    private(set) var isHandled = false
    private(set) var peer: SocketAddress? { didSet { peerText = nil } }
    private var peerText: String?
    /// The name that the client asked for when TLS began (SNI).
    var serverName: ContiguousArray<UInt8>?

    init(_ channel: Channel, _ waiter: Waiter, _ state: WorkerState, peer: SocketAddress? = nil) {
        self.state = state
        self.channel = channel
        nowhere = channel
        self.waiter = waiter
        self.peer = peer
        up = BodyPump(state.limits)
        down = BodyPump(state.limits)
    }

    /// The client's address in words, made with the first exchange that is written down.
    var peerName: String {
        if let peerText { return peerText }
        let text = peer?.description ?? ""
        peerText = text
        return text
    }

    /// What the client sent and was not used yet; good until the input changes.
    var inputBytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            // Not through the channel's own, for which it would have to be kept alive.
            let elements = channel.input.unsafeBytes.assumingMemoryBound(to: UInt8.self)
            return _overrideLifetime(Span(_unsafeElements: elements), borrowing: self)
        }
    }

    /// The present request's head: what the ranges in ``request`` count in.
    var headBytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            guard detachedHead.hasMemory else { return inputBytes }
            let elements = detachedHead.unsafeBytes.assumingMemoryBound(to: UInt8.self)
            return _overrideLifetime(Span(_unsafeElements: elements), borrowing: self)
        }
    }

    private var headLimits: HeadLimits { HeadLimits(bytes: state.limits.headBytes, fields: state.limits.fields) }

    /// Reads the next request's head, if all of it lies in the input.
    func readHead() throws(HTTPFailure) -> Bool {
        guard let length = try request.parse(inputBytes, limits: headLimits) else { return false }
        headLength = length
        isContentSpent = false
        labelLength = 0
        cors = nil
        return true
    }

    /// The input can only be the connection preface of HTTP/2.
    var beginsWithPreface: Bool { inputBytes.begins(withPrefaceOf: 4) }

    /// The head is at hand: the request can be sent.
    var hasHead: Bool { headLength > 0 || detachedHead.hasMemory }

    var isSecure: Bool { channel.isSecure }

    /// Begins to record an exchange with its request's head.
    func record(_ head: Span<UInt8>) {
        guard let recording = state.recording(of: self) else { return }
        recording.add(.clientRequest, head)
        self.recording = recording
    }

    /// Takes the head out of the input, where its content follows, and keeps its bytes.
    func detachHead() {
        guard headLength > 0 else { return }
        detachedHead.reserve(from: state.buffers)
        detachedHead.append(UnsafeRawBufferPointer(rebasing: channel.input.unsafeBytes[..<headLength]))
        forgetHead()
    }

    /// The last request is over.
    @inline(never)
    func releaseHead() {
        releaseDetachedHead()
        if held != nil { held = nil }
    }

    /// The head is needed no more; one that lies in the input stays there.
    func releaseDetachedHead() {
        if detachedHead.hasMemory { detachedHead.release(to: state.buffers, or: state.smallBuffers) }
    }

    /// Says whether a handler has to do with the present request: then its connection does not make room for others.
    func setHandled(_ isHandled: Bool) {
        guard self.isHandled != isHandled else { return }
        self.isHandled = isHandled
        (channel as? StreamChannel)?.connection.handled += isHandled ? 1 : -1
    }

    /// Gives back the memory of a connection that idles.
    func rest() {
        request = RequestHead()
        answer = AnswerHead()
    }
}

// A stream of HTTP/2 has an exchange of its own, which serves another one when it is over.
extension ClientExchange: LoopTask {
    func begin(on stream: StreamChannel, from peer: SocketAddress?, serverName: ContiguousArray<UInt8>?) {
        channel = stream
        stream.notify(waiter)
        stream.connection.users += 1
        // Streams of one client follow each other, mostly.
        if self.peer != peer { self.peer = peer }
        self.serverName = serverName
        mustClose = false
        isContentSpent = false
        labelLength = 0
        cors = nil
        notes.begin(now: state.core.now)
        stream.takeHead(&detachedHead)
    }

    func run() async {
        repeat {
            guard let stream = channel as? StreamChannel else { break }
            await serve(stream)
            stream.close()
            stream.connection.users -= 1
            if stream.connection.users == 0 { stream.connection.wake() }
            channel = nowhere
            releaseHead()
        } while await nextStream()
        waiter.retire()
    }

    private func nextStream() async -> Bool {
        guard state.keep(self) else { return false }
        while !channel.isStream {
            waiter.deadline = .never
            await waiter.park()
            if state.isDraining || state.isAborting { return channel.isStream }
        }
        return true
    }

    private func serve(_ stream: StreamChannel) async {
        do throws(HTTPFailure) {
            let length = try request.parse(headBytes, limits: headLimits)
            if length != nil, !stream.isHeadTooLong {
                try request.isCarried(byStream: stream.hasEndedWithHead)
                return await exchange()
            }
        } catch {
            return await refuse(EngineFailure(.client, .head, status: error.status, error.reason))
        }
        await refuse(
            EngineFailure(
                .client, .head, status: 431,
                "a head of more than \(state.limits.headBytes) bytes: that is the limit set",
                advice: "`--head-size` sets the limit."))
    }

    /// Answers bytes that are no request.
    func refuse(_ failure: EngineFailure) async {
        mustClose = true
        headLength = 0
        cors = nil
        request = RequestHead()
        if state.isObserved { notes.describeUnreadable(headBytes, isStream: channel.isStream) }
        record(headBytes)
        await answerLocally(.failure(failure, wantsHTML: false))
        endExchange(status: failure.status, failure: failure)
    }
}

extension Span<UInt8> {
    /// Whether the bytes can only be the connection preface of HTTP/2: no method begins so.
    fileprivate func begins(withPrefaceOf count: Int) -> Bool {
        let preface: StaticString = "PRI * HTTP/2.0"
        guard self.count >= count else { return false }
        for index in 0..<count where self[index] != preface.utf8Start[index] { return false }
        return true
    }
}
