public import Bytes
import Platform

/// The result of a non-blocking read.
public enum ReadOutcome {
    case bytes(Int)
    case wouldBlock
    /// The peer sends no more.
    case end
}

/// A non-blocking stream socket, registered once with its loop's poller.
///
/// Confined to that loop.
public final class Socket {
    /// Memory with a stable address, since the TLS layer works on the same socket and updates the same flags.
    public let readiness: UnsafeMutablePointer<Readiness>
    private let reader = Cell<Unmanaged<Waiter>?>(nil)
    let core: LoopCore
    private let slot = Cell(-1)
    /// Its changes are reported before those of other sockets.
    let goesFirst: Bool
    /// A change has not been reported to its waiter yet.
    private let hasUnreportedInput = Cell(false)
    /// A poller has told of it.
    private let hasEndedWriting = Cell(false)

    /// Takes over `descriptor`, which must be non-blocking; it is closed also when this throws.
    public convenience init(_ descriptor: CInt, _ core: LoopCore) throws(SystemError) {
        try self.init(descriptor, core, goesFirst: false)
    }

    init(_ descriptor: CInt, _ core: LoopCore, goesFirst: Bool) throws(SystemError) {
        self.goesFirst = goesFirst
        readiness = .allocate(capacity: 1)
        readiness.initialize(to: Readiness(descriptor: descriptor))
        self.core = core
        do throws(SystemError) {
            slot.value = try core.register(self)
        } catch {
            SystemCall.close(descriptor)
            throw error
        }
    }

    deinit {
        close()
        readiness.deallocate()
    }

    public var descriptor: CInt { readiness.pointee.descriptor }
    public var isOpen: Bool { slot.value >= 0 }

    /// Lets every change from now on wake `waiter` alone.
    ///
    /// It is unretained: it must live as long as the socket is open, or until another one is set.
    public func notify(_ waiter: Waiter) { reader.value = .passUnretained(waiter) }

    /// Closes the socket; a second call does nothing.
    public func close() {
        guard slot.value >= 0 else { return }
        core.unregister(slot: slot.value)
        slot.value = -1
        SystemCall.close(descriptor)
        // The system may reuse the number at once, also on another thread.
        readiness.pointee = Readiness(descriptor: -1, isReadable: false, isWritable: false)
    }

    /// Lets the descriptor's number mean what `other` means, which is closed.
    func replaceDescriptor(by other: CInt) throws(SystemError) {
        core.forget(descriptor)
        let result = dup2(other, descriptor)
        SystemCall.close(other)
        guard result >= 0 else { throw .last("dup2") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        readiness.pointee = Readiness(descriptor: descriptor)
        hasEndedWriting.value = false
        try core.renew(descriptor, slot: slot.value)
    }

    /// Called instead of what ``resetOnClose()`` does, where the connection is somewhere else.
    public var didReset: (() -> Void)?

    /// Makes ``close()`` end the connection with a reset, so that the peer notices the truncation.
    public func resetOnClose() {
        guard slot.value >= 0 else { return }
        if let didReset { return didReset() }
        var lingering = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
    }

    /// Ends the connection with a reset under the task that uses it, which notices it as a reset by the peer.
    public func breakOff() {
        guard slot.value >= 0 else { return }
        resetOnClose()
        close()
        // So that each call fails instead of being waited for.
        readiness.pointee = Readiness(descriptor: -1)
        readiness.pointee.isHungUp = true
        readiness.pointee.isBroken = true
        tell()
    }

    /// Notes an event of the poller; true if the waiter has to be woken and is not queued already.
    func didChange(_ event: PollerEvent) -> Bool {
        if event.isReadable { readiness.pointee.isReadable = true }
        if event.isWritable { readiness.pointee.isWritable = true }
        if event.isHungUp { readiness.pointee.isHungUp = true }
        if event.hasEndedWriting { hasEndedWriting.value = true }
        if event.isBroken || hasEndedWriting.value && readiness.pointee.isHungUp { readiness.pointee.isBroken = true }
        defer { hasUnreportedInput.value = true }
        return !hasUnreportedInput.value
    }

    /// Wakes the waiter.
    func tell() {
        hasUnreportedInput.value = false
        reader.value?._withUnsafeGuaranteedRef { $0.wake() }
    }

    /// Reads what is there.
    public func read(into room: UnsafeMutableRawBufferPointer) throws(SystemError) -> ReadOutcome {
        guard readiness.pointee.isReadable else { return .wouldBlock }
        while true {
            let count = SystemCall.receive(descriptor, room)
            if count > 0 {
                if count < room.count && !readiness.pointee.isHungUp { readiness.pointee.isReadable = false }
                return .bytes(count)
            }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                readiness.pointee.isReadable = false
                return .wouldBlock
            default: throw .last("recv")
            }
        }
    }

    /// Acknowledges at once what has arrived, as far as the system can be asked to.
    public func acknowledge() { SystemCall.acknowledge(descriptor) }

    /// Writes what the system takes and returns how much that was.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
        var sent = 0
        while sent < bytes.count {
            guard readiness.pointee.isWritable else { break }
            let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
            let count = SystemCall.send(descriptor, rest)
            if count >= 0 {
                sent += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: readiness.pointee.isWritable = false
            default: throw .last("send")
            }
        }
        return sent
    }

    /// The first bytes that wait to be read, without taking them; an empty result means none or the end.
    public func peek(_ count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = recv(descriptor, &bytes, count, SystemCall.peek)
        if got > 0 { return Array(bytes.prefix(got)) }
        if got < 0 && errno != EAGAIN && errno != EINTR { throw .last("recv") }
        if got < 0 { readiness.pointee.isReadable = false }
        return []
    }

    /// Whether an idle connection is still good: nothing waits to be read, not even the end of the stream.
    ///
    /// Asks the system.
    public var isQuiet: Bool {
        var byte: UInt8 = 0
        let got = recv(descriptor, &byte, 1, SystemCall.peek)
        return got < 0 && errno == EAGAIN
    }

    /// Says that nothing more will be written.
    public func shutdownWrite() { _ = shutdown(descriptor, CInt(SHUT_WR)) }

    public var localAddress: SocketAddress? { SocketAddress.read(descriptor, getsockname) }
    public var peerAddress: SocketAddress? { SocketAddress.read(descriptor, getpeername) }
}
