import Bytes
import HTTP2
import Reactor
import TLS

/// Stands before a client's channel for one exchange; what it does to the response is up to its subclasses.
class FrontChannel: Channel {
    final let inner: Channel

    init(_ inner: Channel) {
        self.inner = inner
        super.init(inner.buffers, small: inner.small)
        swap(&input, &inner.input)
        allowsHalfClose = inner.allowsHalfClose
    }

    /// Leaves the channel to the next exchange.
    func remove() {
        giveInput()
        inner.allowsHalfClose = allowsHalfClose
    }

    override var base: Channel { inner.base }
    override var isStream: Bool { inner.isStream }
    override var tls: Session? { inner.tls }
    override var isSecure: Bool { inner.isSecure }
    override var wire: SocketChannel? { inner.wire }
    override func notify(_ waiter: Waiter) { inner.notify(waiter) }
    override var isBroken: Bool { inner.isBroken }
    override var isHungUp: Bool { inner.isHungUp }
    override var isOpen: Bool { inner.isOpen }
    override func close() { inner.close() }
    override func abort() { inner.abort() }
    override func stopReading() { inner.stopReading() }
    override func rest() {}
    override func isQuiet(sure: Bool) -> Bool { false }
    override func holdEnd(hasLength: Bool) { inner.holdEnd(hasLength: hasLength) }
    override var holdsEnd: Bool { inner.holdsEnd }
    override var readSizeHint: Int { inner.readSizeHint }

    override func takeTrailers() -> Bool {
        giveInput()
        defer { swap(&input, &inner.input) }
        return inner.takeTrailers()
    }

    /// Puts all that was not used yet into the inner channel: a stream's bytes come there whenever its frames arrive.
    private func giveInput() {
        if inner.input.isEmpty { return swap(&input, &inner.input) }
        guard !input.isEmpty else { return }
        input.grow(by: inner.input.count)
        input.append(inner.input.unsafeBytes)
        inner.input.removeAll()
        swap(&input, &inner.input)
    }

    override func fill(limit: Int) throws(ChannelFailure) -> ReadOutcome {
        giveInput()
        defer { swap(&input, &inner.input) }
        let outcome = try inner.fill(limit: limit)
        hasEnded = inner.hasEnded
        return outcome
    }

    override func didWriteInterimHead() {
        moveHead()
        inner.didWriteInterimHead()
    }

    /// Puts the head that is in the output into that of the inner channel.
    final func moveHead() {
        inner.reserveOutput(output.count)
        inner.output.grow(by: output.count)
        inner.output.append(output.unsafeBytes)
        output.removeAll()
    }

    final func flushInner() throws(ChannelFailure) -> Bool { inner.isFlushed ? true : try inner.flush() }
}
