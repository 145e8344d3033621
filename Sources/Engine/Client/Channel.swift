package import Bytes
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

/// What one message after the other goes through, each way: a connection of its own, or a stream of a shared one.
///
/// This one leads nowhere; ``SocketChannel`` and ``StreamChannel`` are those that are used. Heads are in the form of
/// HTTP/1.1 whatever the other end speaks. Nothing here blocks. Confined to its worker.
package class Channel {
    package final var input = Buffer()
    package final var output = Buffer()
    /// The peer sends no more.
    final var hasEnded = false
    final let buffers: BufferPool
    /// For as long as a little is enough; ``buffers`` themselves where it never is.
    final let small: BufferPool

    init(_ buffers: BufferPool, small: BufferPool? = nil) {
        self.buffers = buffers
        self.small = small ?? buffers
    }

    deinit {
        // Mostly they have none any more.
        if input.hasMemory { input.release(to: buffers, or: small) }
        if output.hasMemory { output.release(to: buffers, or: small) }
    }

    /// What was read and not used yet; good until the input changes.
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

    /// Lets every change from now on wake `waiter` alone.
    ///
    /// It is not kept.
    package func notify(_ waiter: Waiter) {}

    /// Nothing waits to be written, or what waits will go by itself.
    var isFlushed: Bool { true }

    /// How many bytes wait to be written: it changes as the peer takes them.
    var unsentCount: Int { output.count }

    /// Nothing can go either way any more.
    var isBroken: Bool { false }

    package var isOpen: Bool { false }

    /// Nothing has come behind the last message, so that another one can follow it; never where one is all it carries.
    /// - Parameter sure: ask the system also where the loop has not told of anything.
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

    /// A head is in the output that another one will follow.
    func didWriteInterimHead() {}

    /// Reads what is there into the input, behind what it holds.
    package func fill(limit: Int) throws(ChannelFailure) -> ReadOutcome { .end }

    package final func fill() throws(ChannelFailure) -> ReadOutcome { try fill(limit: .max) }

    /// Puts the trailers of a body that has ended into the input; false where there are none.
    func takeTrailers() -> Bool { false }

    /// Writes what the connection takes of `bytes`, past the output; returns how much that was.
    ///
    /// To be called with an empty output only, or bytes would overtake each other.
    func send(_ bytes: UnsafeRawBufferPointer) throws(ChannelFailure) -> Int { 0 }

    /// Writes the output; true when nothing of it is left that the caller would have to see to.
    package func flush() throws(ChannelFailure) -> Bool { true }

    /// Says that nothing more will be written, and goes on reading.
    /// - Parameter trailers: field lines that end a stream's message.
    func finishWriting(_ trailers: [UInt8] = []) {}
}
