package import Bytes
import Platform
package import Reactor

/// A connection in memory, whose peer is the code that holds it.
///
/// Tests give it bytes, read what it sends, and decide how much it may send: so the engine can be tested without
/// sockets and without waiting. Confined to its worker, as every channel.
package final class MemoryChannel: Channel {
    private var incoming: [UInt8] = []
    private var incomingOffset = 0
    private var hasPeerEnded = false
    private var isReset = false
    private var reader: Unmanaged<Waiter>?
    private var sent: [UInt8] = []
    /// Is woken when bytes of the peer were read, and when there are bytes for it.
    var writer: Waiter?
    /// Bytes of the peer that were not read yet.
    package var unreadCount: Int { incoming.count - incomingOffset }
    /// How many more bytes the peer takes.
    package private(set) var window: Int
    /// Bytes that one read brings at most.
    package var pieceSize = Int.max
    /// Bytes that it holds of what was sent; further ones are dropped.
    var keptBytes = Int.max
    /// It passes for one with TLS.
    package var passesForSecure = false
    override var isSecure: Bool { passesForSecure }
    /// The peer got the end of the message.
    package private(set) var hasFinishedWriting = false
    /// It was ended so that the peer sees that something was cut off.
    package private(set) var wasAborted = false
    /// How often the engine has acknowledged bytes while it waited for more.
    package private(set) var acknowledgements = 0
    private var isClosed = false

    package init(_ buffers: BufferPool, window: Int = .max) {
        self.window = window
        super.init(buffers)
    }

    // MARK: The peer's end

    /// The peer sends bytes.
    package func receive(_ bytes: some Sequence<UInt8>) {
        incoming.append(contentsOf: bytes)
        wake()
    }

    /// The peer sends no more.
    package func receiveEnd() {
        hasPeerEnded = true
        wake()
    }

    /// The peer breaks the connection.
    package func receiveReset() {
        isReset = true
        wake()
    }

    /// The peer takes that many bytes more.
    package func widen(by count: Int) {
        window = window.addingReportingOverflow(count).overflow ? .max : window + count
        wake()
    }

    /// All that was sent since the last call.
    package func takeSent() -> [UInt8] {
        defer { sent.removeAll() }
        return sent
    }

    private func wake() {
        if isOpen { reader?._withUnsafeGuaranteedRef { $0.wake() } }
    }

    // MARK: The engine's end

    override package func notify(_ waiter: Waiter) { reader = .passUnretained(waiter) }

    override package var isOpen: Bool { !isClosed }

    override var isBroken: Bool { isReset }

    override var isHungUp: Bool { hasPeerEnded }

    override var isFlushed: Bool { output.isEmpty }

    override func isQuiet(sure: Bool) -> Bool {
        isOpen && !isReset && !hasPeerEnded && incomingOffset == incoming.count
    }

    override package func close() { isClosed = true }

    override func abort() {
        output.removeAll()
        wasAborted = true
        isClosed = true
    }

    override func rest() { releaseBuffers() }

    override package func fill(limit: Int) throws(ChannelFailure) -> ReadOutcome {
        if hasEnded { return .end }
        guard isOpen else { return .wouldBlock }
        if isReset { throw .system(SystemError("recv", code: ECONNRESET)) }
        guard incomingOffset < incoming.count else {
            hasEnded = hasPeerEnded
            return hasEnded ? .end : .wouldBlock
        }
        input.reserve(from: buffers)
        input.compact()
        let count = min(limit, pieceSize, input.room, incoming.count - incomingOffset)
        guard count > 0 else { return .wouldBlock }
        incoming.withUnsafeBytes {
            _ = input.append(UnsafeRawBufferPointer(rebasing: $0[incomingOffset..<incomingOffset + count]))
        }
        incomingOffset += count
        if incomingOffset == incoming.count { (incoming, incomingOffset) = ([], 0) }
        writer?.wake()
        return .bytes(count)
    }

    override func acknowledge() { acknowledgements += 1 }

    override func send(_ bytes: UnsafeRawBufferPointer) throws(ChannelFailure) -> Int {
        if isReset { throw .system(SystemError("send", code: EPIPE)) }
        let count = min(window, bytes.count)
        sent.append(contentsOf: bytes[..<min(count, max(0, keptBytes - sent.count))])
        if window != .max { window -= count }
        writer?.wake()
        return count
    }

    override package func flush() throws(ChannelFailure) -> Bool {
        if !output.isEmpty { output.consume(try send(output.unsafeBytes)) }
        return output.isEmpty
    }

    override func finishWriting(_ trailers: [UInt8] = []) {
        sent.append(contentsOf: trailers)
        hasFinishedWriting = true
        writer?.wake()
    }
}
