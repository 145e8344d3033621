import Bytes
package import Reactor

/// The client of one exchange after the other: its channel and its address.
///
/// Confined to its worker.
package final class Client {
    let state: WorkerState
    package let waiter: Waiter
    /// A connection of its own, or a stream of a shared one.
    private(set) var channel: Channel
    /// Stands in for the channel between two streams.
    private let nullChannel: Channel
    /// Who it is; the streams of a connection have this in common.
    private(set) var connected: ConnectedClient
    /// How it uses Shunt as its proxy.
    var proxying = ProxyUse()
    private let ends = Cell(false)

    init(_ channel: Channel, _ waiter: Waiter, _ state: WorkerState, peer: SocketAddress?) {
        self.channel = channel
        nullChannel = channel
        self.waiter = waiter
        self.state = state
        connected = ConnectedClient(peer)
    }

    /// The connection ends after the present exchange.
    package var mustClose: Bool {
        get { ends.value }
        set { ends.value = newValue }
    }

    var peer: SocketAddress? { connected.peer }

    package var program: ClientProgram? {
        get { connected.program }
        set { connected.program = newValue }
    }

    var isSecure: Bool { channel.isSecure }

    // MARK: Interception

    /// Whether what follows is for another host.
    func enter() -> Bool {
        guard let next = proxying.enter() else { return false }
        connected.entry = next
        return true
    }

    // MARK: Streams

    /// Takes the next stream, whose head is complete.
    func begin(_ stream: StreamChannel, of connected: ConnectedClient) {
        channel = stream
        stream.notify(waiter)
        // Mostly the streams of one client follow each other.
        if self.connected !== connected { self.connected = connected }
        mustClose = false
    }

    /// Puts a channel before the present one, or takes it away.
    func use(_ channel: Channel) { self.channel = channel }

    /// The stream is over.
    func endStream() { channel = nullChannel }

    /// Bytes that the client sent and that were not used yet; valid until the input changes.
    var inputBytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            // Not through the channel's own property, which would retain the channel.
            let elements = channel.input.unsafeBytes.assumingMemoryBound(to: UInt8.self)
            return _overrideLifetime(Span(_unsafeElements: elements), borrowing: self)
        }
    }

    // MARK: Writing

    /// Writes all of `bytes` behind the output; false when the client is gone.
    func deliver(_ bytes: [UInt8]) async -> Bool {
        var sent = 0
        while sent < bytes.count {
            channel.reserveOutput(min(bytes.count - sent, 16 << 10))
            let moved = bytes.withUnsafeBytes {
                channel.output.append(UnsafeRawBufferPointer(rebasing: $0[sent...]))
            }
            sent += moved
            if sent < bytes.count {
                guard await flush() else { return false }
            }
        }
        return true
    }

    /// Writes the output to the end; false when the client is gone or too slow.
    /// - Parameter effects: what the response that ends with it brings about.
    func flush(ending effects: [RouteEffects] = []) async -> Bool {
        var unsent = 0
        do throws(ChannelFailure) {
            while try !(effects.isEmpty ? channel.flush() : Scenarios.change(by: effects, when: channel.flush)) {
                // Bytes from the client may wake this, too, which is no progress.
                if channel.unsentCount != unsent {
                    unsent = channel.unsentCount
                    waiter.deadline = channel.isHeld ? .never : state.core.now.after(state.limits.bodyTime)
                }
                await waiter.park()
                if waiter.isExpired || state.isAborting {
                    mustClose = true
                    return false
                }
            }
            return true
        } catch {
            mustClose = true
            return false
        }
    }

    /// Tells the client to send the body that it holds back (RFC 9110 15.2.1); false when the client is gone.
    func inviteBody() async -> Bool {
        channel.reserveOutput()
        guard channel.output.appendWhole("HTTP/1.1 100 Continue\r\n\r\n") else { return false }
        channel.didWriteInterimHead()
        return await flush()
    }

    /// Whether the client has left, as far as this can be known without waiting.
    var hasLeft: Bool {
        if channel.isStream || channel.allowsHalfClose { return channel.hasPeerLeft }
        // An end that arrived together with the last bytes is not reported yet.
        (channel.base as? SocketChannel)?.socket.readiness.pointee.isReadable = true
        while let hasMore = channel.poll() {
            if !hasMore { return channel.hasPeerLeft }
        }
        return true
    }
}

extension Client {
    /// Waits before its response; ends early where it leaves or Shunt stops.
    func wait(_ nanoseconds: UInt64) async throws(EngineFailure) {
        let end = state.core.now.after(nanoseconds)
        // The client may also wake this by sending bytes.
        while state.core.now < end {
            if state.isAborting || waiter.isCancelled { throw .aborted }
            if hasLeft { throw .clientClosed }
            waiter.deadline = end
            await waiter.park()
        }
    }

    /// How long a thread may take, with its wait for other work.
    private static let threadTime = 30 * Limits.second

    /// The result of work that reads files or takes long, which must not hold the loop.
    @inline(never)
    func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws(EngineFailure) -> Value {
        try await onThread { waiter in await state.threads.result(on: waiter, of: body) }
    }

    /// The result of such work that other exchanges may wait for as well.
    @inline(never)
    func onThread<Value>(_ result: (Waiter) async -> Value?) async throws(EngineFailure) -> Value {
        waiter.deadline = state.core.now.after(Self.threadTime)
        if let value = await result(waiter) { return value }
        if state.isAborting || waiter.isCancelled { throw .aborted }
        throw EngineFailure(
            .proxy, .route, status: 503, "files of this machine are read for too many requests at once",
            advice: "Send the request again.")
    }
}
