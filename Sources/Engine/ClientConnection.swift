import Bytes
import HTTP
import Reactor
import Rewriting
import TLS
import Traffic

/// One client's connection: reads requests one after the other and sees that each is answered.
///
/// Confined to its worker.
final class ClientConnection {
    let state: WorkerState
    let channel: Channel
    let waiter: Waiter
    var request = RequestHead()
    var answer = AnswerHead()
    /// Bytes of the present request's head, which stay at the front of the input until the head is done with.
    var headLength = 0
    /// The head's bytes once content has taken their place in the input.
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
    var notes = ExchangeNotes()
    /// The present request may become a tunnel.
    var asksForUpgrade = false
    /// The connection ends after the present exchange.
    var mustClose = false
    let peer: SocketAddress?
    /// Made with the first exchange that is written down.
    private(set) lazy var peerText = peer?.description ?? ""
    /// The name that the client asked for when TLS began (SNI).
    private(set) var serverName: ContiguousArray<UInt8>?

    init(_ descriptor: CInt, _ state: WorkerState) throws(SystemError) {
        self.state = state
        let socket = try Socket(descriptor, state.core)
        waiter = Waiter(state.core)
        socket.waiter = waiter
        channel = Channel(socket, state.buffers)
        peer = socket.peerAddress
    }

    /// What the client sent and was not used yet; good until the input changes.
    var inputBytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let channel = self.channel
            return _overrideLifetime(channel.inputBytes, borrowing: self)
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

    /// Begins to record an exchange with the first bytes of the input as its request's head.
    func record(_ length: Int) {
        guard let store = state.store else { return }
        let recording = Recording(store, self)
        recording.add(.clientRequest, inputBytes.extracting(0..<length))
        self.recording = recording
    }

    /// Takes the head out of the input, where its content follows, and keeps its bytes.
    func detachHead() {
        guard headLength > 0 else { return }
        detachedHead.reserve(from: state.buffers)
        detachedHead.append(UnsafeRawBufferPointer(rebasing: channel.input.unsafeBytes[..<headLength]))
        forgetHead()
    }

    var isSecure: Bool { channel.tls != nil }

    /// After so many requests that were there ahead of their turn, other connections get theirs.
    private static let mostAhead = 16

    /// Serves the connection to its end and closes it.
    func serve() async {
        if await begin() {
            var ahead = 0
            while await nextRequest() {
                await exchange()
                if mustClose || state.isAborting { break }
                if channel.input.isEmpty { continue }
                ahead += 1
                // Answers of our own never have to wait, so that one client could keep the worker for itself.
                if ahead % Self.mostAhead == 0 { await waiter.yield() }
            }
        }
        if state.isAborting {
            channel.socket.resetOnClose()
        } else if mustClose && channel.socket.isOpen {
            await linger()
        }
        channel.close()
        detachedHead.release(to: state.buffers)
        waiter.retire()
    }

    /// Finds out whether the client speaks TLS, and if so shakes hands.
    ///
    /// False ends the connection.
    private func begin() async -> Bool {
        waiter.deadline = state.core.now.after(state.limits.headTime)
        guard let context = state.serverContext else { return true }
        do {
            while true {
                if let first = try channel.socket.peek(1).first {
                    // A TLS record of type handshake (RFC 8446 5.1); no HTTP method begins so.
                    guard first == 0x16 else { return true }
                    break
                }
                if channel.socket.readiness.pointee.isReadable || isOver { return false }
                await waiter.park()
            }
            let session = try Session(server: context, readiness: channel.socket.readiness)
            while true {
                switch try session.handshake() {
                case .bytes:
                    channel.secure(with: session)
                    serverName = session.serverName.map { ContiguousArray($0.utf8) }
                    return true
                case .end: return false
                case .wantRead, .wantWrite:
                    if isOver { return false }
                    await waiter.park()
                }
            }
        } catch let failure as TLSFailure {
            note(handshake: failure)
            return false
        } catch {
            return false
        }
    }

    private var isOver: Bool { waiter.isExpired || state.isAborting || state.isDraining }

    /// Reads the next request's head; false when none comes any more.
    private func nextRequest() async -> Bool {
        detachedHead.release(to: state.buffers)
        held = nil
        var isIdle = true
        let idleSince = state.core.now
        // A connection that pauses briefly keeps its memory, for giving and taking it costs; not too many may.
        var isAwake = state.idleAwake < Limits.mostAwake
        if isAwake { state.idleAwake += 1 }
        defer { if isAwake { state.idleAwake -= 1 } }
        waiter.deadline = idleSince.after(isAwake ? min(Limits.restDelay, state.limits.idleTime) : 0)
        while true {
            if !channel.input.isEmpty {
                if isIdle {
                    isIdle = false
                    notes.begin(now: state.core.now)
                    waiter.deadline = state.core.now.after(state.limits.headTime)
                }
                do throws(HTTPFailure) {
                    let limits = HeadLimits(bytes: state.limits.headBytes, fields: state.limits.fields)
                    if let length = try request.parse(inputBytes, limits: limits) {
                        headLength = length
                        isContentSpent = false
                        labelLength = 0
                        cors = nil
                        return true
                    }
                } catch {
                    await refuse(EngineFailure(.client, .head, status: error.status, error.reason))
                    return false
                }
            }
            do throws(ChannelFailure) {
                switch try channel.fill() {
                case .bytes: continue
                case .end: return false
                case .wouldBlock: break
                }
            } catch {
                return false
            }
            if state.isAborting || (isIdle && state.isDraining) { return false }
            if isIdle && waiter.isExpired {
                channel.rest()
                // Their lists of fields go too.
                request = RequestHead()
                answer = AnswerHead()
                if isAwake { state.idleAwake -= 1 }
                isAwake = false
                waiter.deadline = idleSince.after(state.limits.idleTime)
            }
            if waiter.isExpired {
                if !isIdle {
                    await refuse(
                        EngineFailure(
                            .client, .head, status: 408,
                            "the request's head did not arrive within \(state.limits.headTime / Limits.second) s"))
                }
                return false
            }
            if isIdle { channel.releaseBuffers() }
            await waiter.park()
        }
    }

    /// Answers bytes that are no request, after which nothing on the connection can be trusted.
    private func refuse(_ failure: EngineFailure) async {
        mustClose = true
        headLength = 0
        cors = nil
        request = RequestHead()
        if state.isObserved { notes.describeUnreadable(inputBytes) }
        record(inputBytes.count)
        await answerLocally(.failure(failure, wantsHTML: false))
        endExchange(status: failure.status, failure: failure)
    }

    /// Reads and drops what the client still sends, for a while, lest a reset destroy the answer on its way.
    private func linger() async {
        channel.finishWriting()
        waiter.deadline = state.core.now.after(2 * Limits.second)
        var left = state.limits.discardedBody
        while left > 0 {
            channel.input.removeAll()
            do throws(ChannelFailure) {
                switch try channel.fill() {
                case .bytes(let count): left -= count
                case .end: return
                case .wouldBlock:
                    if waiter.isExpired || state.isAborting { return }
                    await waiter.park()
                }
            } catch {
                return
            }
        }
    }
}
