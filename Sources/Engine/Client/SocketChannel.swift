import Bytes
import Reactor
import TLS

/// A connection of its own: a socket, with TLS on it or not.
final class SocketChannel: Channel {
    let socket: Socket
    private var session: Session?
    private var hasFinishedWriting = false
    /// The network that its client seems to have; nil while that is the one that there is.
    var network: (any ChannelNetwork)?

    init(_ socket: Socket, _ buffers: BufferPool, small: BufferPool? = nil) {
        self.socket = socket
        super.init(buffers, small: small)
    }

    func secure(with session: Session) { self.session = session }

    override var tls: Session? { session }

    override var isSecure: Bool { session != nil }

    override var wire: SocketChannel? { self }

    override func notify(_ waiter: Waiter) { socket.notify(waiter) }

    override var isFlushed: Bool {
        output.isEmpty && session?.hasPendingOutput != true
    }

    override var unsentCount: Int { output.count + (session?.pendingOutputCount ?? 0) }

    override var isBroken: Bool { socket.readiness.pointee.isBroken }

    override var isHungUp: Bool { socket.readiness.pointee.isHungUp }

    override var isOpen: Bool { socket.isOpen }

    override func close() {
        guard socket.isOpen else { return }
        session?.shutdown()
        socket.close()
    }

    override func abort() {
        output.removeAll()
        socket.resetOnClose()
        socket.close()
    }

    override func rest() {
        session?.rest()
        releaseBuffers()
    }

    override func isQuiet(sure: Bool) -> Bool {
        let readiness = socket.readiness
        if readiness.pointee.isHungUp { return false }
        if sure && !readiness.pointee.isReadable && !socket.isQuiet { readiness.pointee.isReadable = true }
        guard readiness.pointee.isReadable || hasPendingInput else { return true }
        do throws(ChannelFailure) {
            // A TLS peer may send whole records without application data: session tickets and key updates.
            guard case .wouldBlock = try fill(limit: 1) else { return false }
            releaseBuffers()
            return !readiness.pointee.isReadable && !hasPendingInput
        } catch {
            return false
        }
    }

    /// The session holds bytes of the peer that the socket no longer reports.
    var hasPendingInput: Bool { session?.hasPendingInput == true }

    override func fill(limit: Int) throws(ChannelFailure) -> ReadOutcome {
        if hasEnded { return .end }
        guard session?.hasPendingPlaintext == true || socket.readiness.pointee.isReadable else { return .wouldBlock }
        reserveInput(limit)
        // Compacted only when room is short, since moving costs as much as copying.
        if input.room < 16 << 10 { input.compact() }
        var room = input.unsafeRoom
        guard room.count > 0 else { return .wouldBlock }
        if limit < room.count { room = UnsafeMutableRawBufferPointer(rebasing: room[..<limit]) }
        let outcome: ReadOutcome
        if let session {
            outcome = try read(session, into: room)
        } else {
            do throws(SystemError) { outcome = try socket.read(into: room) } catch { throw .system(error) }
        }
        switch outcome {
        case .bytes(let count): input.didFill(count)
        case .end: hasEnded = true
        case .wouldBlock: break
        }
        return outcome
    }

    /// A small buffer, as long as `limit` fits into it.
    private func reserveInput(_ limit: Int) {
        if !input.hasMemory {
            if limit > small.size { input.reserve(from: buffers) } else { input.reserve(from: small) }
        } else if limit > small.size || input.count == small.size {
            input.move(to: buffers, from: small)
        }
    }

    private func read(
        _ session: Session, into room: UnsafeMutableRawBufferPointer
    ) throws(ChannelFailure) -> ReadOutcome {
        do throws(TLSFailure) {
            switch try session.read(into: room) {
            case .bytes(let count): return .bytes(count)
            case .wantRead, .wantWrite: return .wouldBlock
            // Also without close_notify: many servers end so, and lengths and chunks show truncation.
            case .end: return .end
            }
        } catch {
            throw .tls(error)
        }
    }

    override func acknowledge() { socket.acknowledge() }

    override func send(_ bytes: UnsafeRawBufferPointer) throws(ChannelFailure) -> Int {
        guard let session else {
            do throws(SystemError) { return try socket.write(bytes) } catch { throw .system(error) }
        }
        var sent = 0
        while sent < bytes.count {
            do throws(TLSFailure) {
                switch try session.write(UnsafeRawBufferPointer(rebasing: bytes[sent...])) {
                case .bytes(let count): sent += count
                case .wantRead, .wantWrite: return sent
                case .end: throw TLSFailure(.truncated, "the connection is closed")
                }
            } catch {
                throw .tls(error)
            }
        }
        return sent
    }

    override func flush() throws(ChannelFailure) -> Bool {
        if !output.isEmpty { output.consume(try send(output.unsafeBytes)) }
        guard output.isEmpty, let session else { return output.isEmpty }
        do throws(TLSFailure) {
            if case .bytes = try session.flush() { return true }
            return false
        } catch {
            throw .tls(error)
        }
    }

    override func finishWriting(_ trailers: [UInt8] = []) {
        guard !hasFinishedWriting else { return }
        hasFinishedWriting = true
        session?.shutdown()
        socket.shutdownWrite()
    }
}
