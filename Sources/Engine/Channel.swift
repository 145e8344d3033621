import Bytes
import Reactor
import TLS

/// Why a connection can be used no more.
enum ChannelFailure: Error {
    case system(SystemError)
    case tls(TLSFailure)

    var message: String {
        switch self {
        case .system(let error): error.reason
        case .tls(let failure): failure.message
        }
    }
}

/// One connection: a socket, TLS on it or not, and a buffer each way.
///
/// Nothing here blocks. Confined to its worker.
final class Channel {
    let socket: Socket
    private(set) var tls: Session?
    var input = Buffer()
    var output = Buffer()
    /// The peer sends no more.
    private(set) var hasEnded = false
    private var hasFinishedWriting = false
    private let buffers: BufferPool

    init(_ socket: Socket, _ buffers: BufferPool) {
        self.socket = socket
        self.buffers = buffers
    }

    /// What was read and not used yet; good until the input changes.
    var inputBytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let elements = input.unsafeBytes.assumingMemoryBound(to: UInt8.self)
            return _overrideLifetime(Span(_unsafeElements: elements), borrowing: self)
        }
    }

    deinit {
        input.release(to: buffers)
        output.release(to: buffers)
    }

    /// Nothing waits to be written, here or in the TLS layer.
    var isFlushed: Bool { output.isEmpty && !(tls?.hasPendingOutput ?? false) }

    func secure(with session: Session) { tls = session }

    func close() {
        guard socket.isOpen else { return }
        tls?.shutdown()
        socket.close()
    }

    /// Gives empty buffers back, so that whoever is served next has warm memory.
    func releaseBuffers() {
        if input.isEmpty { input.release(to: buffers) }
        if output.isEmpty { output.release(to: buffers) }
    }

    /// Gives back all memory that an idle connection does not need; taking it again costs.
    func rest() {
        tls?.rest()
        releaseBuffers()
    }

    /// Memory for the output; to be called before appending to it.
    func reserveOutput() { output.reserve(from: buffers) }

    /// Reads what is there into the input, behind what it holds.
    func fill() throws(ChannelFailure) -> ReadOutcome {
        if hasEnded { return .end }
        guard tls?.hasPendingPlaintext ?? false || socket.readiness.pointee.isReadable else { return .wouldBlock }
        input.reserve(from: buffers)
        // Moved only when room is short: a move costs what a copy costs.
        if input.room < 16 << 10 { input.compact() }
        guard input.room > 0 else { return .wouldBlock }
        let outcome: ReadOutcome
        if let tls {
            outcome = try read(tls)
        } else {
            do throws(SystemError) {
                outcome = try socket.read(into: input.unsafeRoom)
            } catch {
                throw .system(error)
            }
        }
        switch outcome {
        case .bytes(let count): input.didFill(count)
        case .end: hasEnded = true
        case .wouldBlock: break
        }
        return outcome
    }

    private func read(_ tls: Session) throws(ChannelFailure) -> ReadOutcome {
        do throws(TLSFailure) {
            switch try tls.read(into: input.unsafeRoom) {
            case .bytes(let count): return .bytes(count)
            case .wantRead, .wantWrite: return .wouldBlock
            // Also without close_notify: many servers end so, and lengths and chunks tell what was cut off.
            case .end: return .end
            }
        } catch {
            throw .tls(error)
        }
    }

    /// Writes what the connection takes of `bytes`, past the output; returns how much that was.
    ///
    /// To be called with an empty output only, or bytes would overtake each other.
    func send(_ bytes: UnsafeRawBufferPointer) throws(ChannelFailure) -> Int {
        guard let tls else {
            do throws(SystemError) { return try socket.write(bytes) } catch { throw .system(error) }
        }
        var sent = 0
        while sent < bytes.count {
            do throws(TLSFailure) {
                switch try tls.write(UnsafeRawBufferPointer(rebasing: bytes[sent...])) {
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

    /// Writes the output; true when nothing is left of it.
    func flush() throws(ChannelFailure) -> Bool {
        if !output.isEmpty { output.consume(try send(output.unsafeBytes)) }
        guard output.isEmpty, let tls else { return output.isEmpty }
        do throws(TLSFailure) {
            if case .bytes = try tls.flush() { return true }
            return false
        } catch {
            throw .tls(error)
        }
    }

    /// Says that nothing more will be written, and goes on reading.
    func finishWriting() {
        guard !hasFinishedWriting else { return }
        hasFinishedWriting = true
        tls?.shutdown()
        socket.shutdownWrite()
    }
}
