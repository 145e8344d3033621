import Bytes
import HTTP
import HTTP2
import Push
import Reactor
import Rewriting
import TLS

/// One client's connection: detects its protocol and serves each request.
///
/// Confined to its worker.
final class ClientConnection {
    let state: WorkerState
    let channel: SocketChannel
    private let waiter: Waiter
    /// The exchange for HTTP/1.1, which has one at a time.
    private let exchange: ClientExchange
    private(set) var shared: HTTP2Connection?
    let peer: SocketAddress?
    var client: Client { exchange.client }
    /// When it began, in the order of its worker's connections.
    let number: Int

    convenience init(_ descriptor: CInt, _ number: Int, _ state: WorkerState) throws(SystemError) {
        self.init(SocketChannel(try Socket(descriptor, state.core), state.loop.buffers), number, state)
    }

    init(_ channel: SocketChannel, _ number: Int, _ state: WorkerState) {
        self.state = state
        self.number = number
        self.channel = channel
        waiter = Waiter(state.core)
        channel.notify(waiter)
        peer = channel.socket.peerAddress
        exchange = ClientExchange(channel, waiter, state, peer: peer)
    }

    /// Lets it serve the requests that have arrived, also those that the poller has not reported yet, and no later
    /// ones.
    func drain() {
        channel.socket.readiness.pointee.isReadable = channel.isOpen
        if let shared { shared.wake() } else { waiter.wake() }
    }

    /// Ends everything on it where it is.
    func cancel() {
        isCancelled = true
        ClientNetwork.of(channel)?.shaper?.cancel()
        waiter.cancel()
        shared?.cancel()
    }

    private(set) var isCancelled = false

    /// Closes it without having served it.
    func discard() {
        channel.close()
        exchange.release()
        waiter.retire()
    }

    /// Lets its exchange look at what has changed.
    func wake() { waiter.wake() }

    func note(_ failure: EngineFailure) { exchange.note(connection: failure) }

    /// A handler is producing a response on it, or that response is being sent.
    var isInUse: Bool { client.connected.handled > 0 }

    /// Pipelined requests that are served in a row before other connections get their turn.
    private static let maxAhead = 16

    /// Serves the connection to its end and closes it.
    func serve() async {
        waiter.note("the beginning of a connection")
        client.seekProgramIfWanted()
        if applyNetwork(), await begin() {
            if channel.tls?.alpn == "h2" { return await serveStreams() }
            var ahead = 0
            while await nextRequest() {
                await exchange.serve()
                if exchange.client.mustClose || state.isAborting { break }
                if exchange.client.enter() {
                    guard await beginIntercepted() else { break }
                    if channel.tls?.alpn == "h2" { return await serveStreams() }
                }
                if channel.input.isEmpty { continue }
                ahead += 1
                // Local responses never wait, so that one client could occupy the worker.
                if ahead % Self.maxAhead == 0 { await waiter.yield() }
            }
        }
        if speaksHTTP2 { return await serveStreams() }
        client.connected.bound?.close()
        if state.isAborting {
            channel.socket.resetOnClose()
        } else if exchange.client.mustClose && channel.isOpen {
            let limits = state.limits
            await channel.linger(
                waiter, state.loop, bytes: limits.discardedBody, time: limits.discardTime, pause: limits.discardPause)
        }
        channel.close()
        exchange.release()
        waiter.retire()
    }

    /// The client began with the preface of HTTP/2, with prior knowledge (RFC 9113 3.3).
    private var speaksHTTP2 = false

    private func serveStreams() async {
        waiter.retire()
        let connection: HTTP2Connection
        do throws(HTTP2Failure) {
            connection = try HTTP2Connection(.server, channel, state.loop, idleTime: state.limits.idleTime)
        } catch {
            return channel.close()
        }
        let connected = client.connected
        connection.didReceiveRequest = { [state] in state.serve($0, of: connected) }
        connection.farewell = { [state] in
            guard connected.provider != nil else { return [] }
            return (state.isDraining ? PushReason.shutdown : PushReason.idleTimeout).body()
        }
        connection.didEnd = { connected.bound?.close() }
        shared = connection
        await connection.run()
        connected.bound?.close()
    }

    /// A client in a connection that is intercepted begins as one that has just connected.
    private func beginIntercepted() async -> Bool {
        hasServed = false
        // TLS is spoken on the socket itself, and takes no bytes that were read before.
        guard channel.input.isEmpty || state.serverContext == nil || channel.input.unsafeBytes[0] != 0x16 else {
            note(
                EngineFailure(
                    .client, .tls, status: 400,
                    "\(peer?.description ?? "the client") began TLS before the response to its CONNECT"))
            return false
        }
        return channel.input.isEmpty ? await begin() : true
    }

    /// Finds out whether the client speaks TLS or SOCKS, and if so shakes hands.
    ///
    /// Returns false if the connection has to end.
    private func begin() async -> Bool {
        waiter.deadline = state.core.now.after(state.limits.headTime)
        if state.serverContext == nil && state.forward == nil { return true }
        do {
            while true {
                if let first = try channel.socket.peek(1).first {
                    // A TLS record of type handshake (RFC 8446 5.1); no HTTP method begins so.
                    guard first == 0x16, state.serverContext != nil else {
                        if state.serverContext?.wantsCertificates == true {
                            await exchange.refuse(
                                EngineFailure(
                                    .client, .tls, status: 400,
                                    "this port speaks TLS alone, with clients that show a certificate of `--client-ca`",
                                    advice:
                                        "Use https:// and the client's certificate, such as by curl's --cert and --key."
                                ))
                            return false
                        }
                        let isSOCKS =
                            SOCKSGreeting.begins(with: first) && client.connected.entry == nil && state.handler == nil
                        return isSOCKS ? await SOCKSGreeting(connection: self).run(version: first) : true
                    }
                    if channel.network?.refusesTLS == true {
                        refuseTLS()
                        exchange.client.mustClose = true
                        return false
                    }
                    break
                }
                if channel.socket.readiness.pointee.isReadable || isOver { return false }
                await waiter.park()
            }
            if state.serverContext?.wantsCertificates != true, state.currentEnvironment?.passesThrough == true,
                try await passThrough()
            {
                return true
            }
            guard let context = state.serverContext else { return true }
            let session = try Session(server: context, readiness: channel.socket.readiness)
            while true {
                switch try session.handshake() {
                case .bytes:
                    channel.secure(with: session)
                    exchange.client.connected.serverName = session.serverName.map { ContiguousArray($0.utf8) }
                    return true
                case .end: return false
                case .wantRead, .wantWrite:
                    if isOver { return false }
                    await waiter.park()
                }
            }
        } catch let failure as TLSFailure {
            // A CA that is not trusted is the most frequent problem.
            note(
                EngineFailure(
                    .client, .tls, status: 400,
                    "TLS handshake with \(peer?.description ?? "the client") failed: \(failure)"))
            return false
        } catch {
            return false
        }
    }

    var isOver: Bool { waiter.isExpired || state.isAborting || state.isDraining }

    /// The input can only be the connection preface of HTTP/2 (RFC 9113 3.4): no method begins so.
    private var beginsWithPreface: Bool {
        let preface: StaticString = "PRI "
        let input = channel.input.unsafeBytes
        guard input.count >= preface.utf8CodeUnitCount else { return false }
        return input.prefix(preface.utf8CodeUnitCount)
            .elementsEqual(UnsafeBufferPointer(start: preface.utf8Start, count: preface.utf8CodeUnitCount))
    }

    /// The first request was read.
    private var hasServed = false

    /// Reads the next request's head; false when none comes any more.
    private func nextRequest() async -> Bool {
        waiter.note("the head of a request")
        exchange.release()
        var isIdle = true
        let idleSince = state.core.now
        let idleTime = hasServed ? state.limits.idleTime : min(state.limits.silentTime, state.limits.idleTime)
        // A connection that pauses briefly keeps its memory, since returning and allocating it costs time; the number
        // of such connections is limited.
        var isAwake = state.idleAwake < Limits.maxAwake
        if isAwake { state.idleAwake += 1 }
        defer { if isAwake { state.idleAwake -= 1 } }
        waiter.deadline = idleSince.after(isAwake ? min(Limits.restDelay, idleTime) : 0)
        while true {
            do throws(HTTPFailure) {
                switch try readHead(&isIdle) {
                case .whole: return true
                case .otherProtocol: return false
                case .partial: break
                }
            } catch {
                await refuse(error)
                return false
            }
            guard let hasMore = channel.poll() else { return false }
            if hasMore { continue }
            if state.isAborting || (isIdle && state.isDraining && state.core.now >= state.loop.drainIdleEnd) {
                return false
            }
            if isIdle && waiter.isExpired {
                channel.rest()
                // Their lists of fields go too.
                exchange.rest()
                if isAwake { state.idleAwake -= 1 }
                isAwake = false
                waiter.deadline = idleSince.after(idleTime)
            }
            if waiter.isExpired {
                if !isIdle && !isCancelled { await refuseLate() }
                return false
            }
            if isIdle {
                channel.releaseBuffers()
                if state.isDraining { waiter.deadline = min(waiter.deadline, state.loop.drainIdleEnd) }
            }
            await waiter.park()
        }
    }

    private enum HeadOutcome {
        case whole, partial
        /// The client speaks HTTP/2.
        case otherProtocol
    }

    /// Reads as much of a head as has come.
    ///
    /// Not inlined, as what follows: each local would add to the memory of every idle connection.
    @inline(never)
    private func readHead(_ isIdle: inout Bool) throws(HTTPFailure) -> HeadOutcome {
        if channel.input.isEmpty { return .partial }
        if isIdle {
            isIdle = false
            exchange.metrics.begin(now: state.core.now)
            waiter.deadline = state.core.now.after(state.limits.headTime)
        }
        if !hasServed && beginsWithPreface {
            speaksHTTP2 = true
            return .otherProtocol
        }
        guard try exchange.readHead() else { return .partial }
        hasServed = true
        return .whole
    }

    @inline(never)
    private func refuse(_ failure: HTTPFailure) async { await exchange.refuse(.unreadable(failure, state.limits)) }

    @inline(never)
    private func refuseLate() async {
        await exchange.refuse(
            EngineFailure(
                .client, .head, status: 408,
                "the request's head did not arrive within \(state.limits.headTime / Limits.second) s"))
    }
}
