import Bytes
package import HTTP2
package import Reactor
package import TLS

/// Why a connection can be used no more.
package enum ChannelFailure: Error {
    case system(SystemError)
    case tls(TLSFailure)
    /// The stream was reset, or its connection ended (RFC 9113 5.4).
    case stream(HTTP2ErrorCode, String)

    var message: String {
        switch self {
        case .system(let error): error.reason
        case .tls(let failure): failure.message
        case .stream(_, let reason): reason
        }
    }

    /// The code with which the peer reset the stream.
    var code: HTTP2ErrorCode? { if case .stream(let code, _) = self { code } else { nil } }
}

/// Carries messages in both directions, one after the other: a connection of its own, or a stream of a shared one.
///
/// The class itself is a null channel; ``SocketChannel`` and ``StreamChannel`` are used for connections. Heads are in
/// the form of HTTP/1.1, also where the peer speaks HTTP/2. No method blocks. Confined to its worker.
package class Channel {
    private final var arrived = Buffer()
    private final var leaving = Buffer()
    /// The peer sends no more.
    final var hasEnded = false
    final let buffers: BufferPool
    /// Pool of small buffers, used until a body needs a large one; the same as ``buffers`` where small ones never
    /// suffice.
    final let small: BufferPool

    init(_ buffers: BufferPool, small: BufferPool? = nil) {
        self.buffers = buffers
        self.small = small ?? buffers
    }

    deinit {
        // Mostly they have none any more.
        if arrived.hasMemory { input.release(to: buffers, or: small) }
        if leaving.hasMemory { output.release(to: buffers, or: small) }
    }

    /// Bytes that have come and were not used yet.
    ///
    /// A change takes them out meanwhile: then no access to the stored property lasts, and the compiler need not have
    /// the runtime check each of them, with 63 instructions, some sixty times a request.
    final var input: Buffer {
        _read { yield arrived }
        _modify {
            var taken = Buffer()
            swap(&taken, &arrived)
            defer { Self.putBack(&taken, &arrived) }
            yield &taken
        }
    }

    /// Bytes that have to leave; changed as ``input`` is.
    final var output: Buffer {
        _read { yield leaving }
        _modify {
            var taken = Buffer()
            swap(&taken, &leaving)
            defer { Self.putBack(&taken, &leaving) }
            yield &taken
        }
    }

    @inline(__always)
    private static func putBack(_ taken: inout Buffer, _ place: inout Buffer) {
        precondition(!place.hasMemory, "a buffer was filled while another change to it was under way")
        swap(&taken, &place)
    }

    /// What waits in the input and in the output.
    package final var waiting: (input: [UInt8], output: [UInt8]) {
        (Array(arrived.unsafeBytes), Array(leaving.unsafeBytes))
    }

    /// Bytes that were read and not consumed yet; valid until the input changes.
    final var inputBytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let elements = input.unsafeBytes.assumingMemoryBound(to: UInt8.self)
            return _overrideLifetime(Span(_unsafeElements: elements), borrowing: self)
        }
    }

    /// Gives empty or nearly empty buffers back, so that the next exchange gets memory that is still in the caches.
    final func releaseBuffers() {
        if input.hasMemory {
            if input.isEmpty {
                input.release(to: buffers, or: small)
            } else {
                input.move(to: small, from: buffers)
            }
        }
        if output.hasMemory, output.isEmpty { output.release(to: buffers, or: small) }
    }

    /// Messages are framed by the channel, which ends with them.
    var isStream: Bool { false }

    /// The session that seals the connection; nil for plain text.
    var tls: Session? { nil }

    var isSecure: Bool { false }

    /// The channel behind those that stand before it.
    var base: Channel { self }

    /// The connection that carries it; nil without one.
    var wire: SocketChannel? { nil }

    /// Lets every change from now on wake `waiter` alone.
    ///
    /// It is not kept.
    package func notify(_ waiter: Waiter) {}

    /// No bytes wait to be written, or they will be written without the caller.
    var isFlushed: Bool { true }

    /// How many bytes wait to be written: it changes as the peer takes them.
    var unsentCount: Int { output.count }

    /// The response waits at a breakpoint, for as long as that lets it.
    var isHeld: Bool { false }

    /// Nothing can go either way any more.
    var isBroken: Bool { false }

    /// The peer sends no more, though it may still read.
    var isHungUp: Bool { false }

    /// Its peer has sent a request that may not be sent to an origin twice.
    final var hasSentUnrepeatable = false

    /// A peer that sends no more still gets what it has asked for.
    final var allowsHalfClose = false

    /// Nothing is worth producing for the peer any more.
    final var hasPeerLeft: Bool { isBroken || isHungUp && !allowsHalfClose }

    package var isOpen: Bool { false }

    /// No bytes have come after the last message, so that another one can follow; always false for a channel with a
    /// single message.
    /// - Parameter sure: ask the system even if the loop has not reported anything.
    func isQuiet(sure: Bool) -> Bool { false }

    /// As many bytes as are worth reading for this channel to send.
    var readSizeHint: Int { Limits.bufferSize }

    /// Closes it in good order, as far as that is possible at once.
    package func close() {}

    /// Ends it so that the peer sees that something was cut off.
    func abort() {}

    /// The request's body is of no use any more; its response is.
    func stopReading() {}

    /// Gives back all memory that an idle connection does not need; taking it again costs.
    func rest() {}

    /// Memory for the output, for `count` bytes at least; to be called before appending to it.
    func reserveOutput(_ count: Int = 0) { output.reserve(from: buffers) }

    /// The request's head that is in the output as it will be sent, where that is not as it stands there.
    var sentRequest: [UInt8]? { nil }

    /// A head is in the output, and nothing else.
    func didWriteHead(hasBody: Bool) {}

    /// Sends the end of the message that follows only when the peer has sent its own, or after ``stopReading()``.
    ///
    /// - Parameter hasLength: the message says where it ends, so that its last byte has to wait as well.
    func holdEnd(hasLength: Bool) {}

    var holdsEnd: Bool { false }

    /// A head is in the output that another one will follow.
    func didWriteInterimHead() {}

    /// Reads available bytes and appends them to the input.
    package func fill(limit: Int) throws(ChannelFailure) -> ReadOutcome { .end }

    package final func fill() throws(ChannelFailure) -> ReadOutcome { try fill(limit: .max) }

    /// The same where it does not matter why a peer sends no more: whether bytes have come, or nil at the end.
    final func poll(limit: Int = .max) -> Bool? {
        guard let outcome = try? fill(limit: limit) else { return nil }
        switch outcome {
        case .bytes: return true
        case .wouldBlock: return false
        case .end: return nil
        }
    }

    /// Tells the peer's system at once what has arrived: it may hold the rest back until then (Nagle, RFC 896).
    func acknowledge() {}

    /// Puts the trailers of a body that has ended into the input; false where there are none.
    func takeTrailers() -> Bool { false }

    /// Writes as much of `bytes` as the connection takes, bypassing the output; returns how much that was.
    ///
    /// To be called with an empty output only, because bytes would overtake each other otherwise.
    func send(_ bytes: UnsafeRawBufferPointer) throws(ChannelFailure) -> Int { 0 }

    /// Writes the output; true when nothing of it is left that the caller would have to see to.
    package func flush() throws(ChannelFailure) -> Bool { true }

    /// Ends writing; reading continues.
    /// - Parameter trailers: field lines that end a stream's message.
    func finishWriting(_ trailers: [UInt8] = []) {}
}
