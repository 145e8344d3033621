import Bytes
import TLS

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Two non-blocking sockets joined to one another, closed in the end.
final class Sockets {
    let left: CInt
    let right: CInt
    private var isOpen = [true, true]

    init(buffer: CInt? = nil) {
        var pair: [CInt] = [-1, -1]
        #if canImport(Glibc)
        let stream = CInt(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        precondition(socketpair(AF_UNIX, stream, 0, &pair) == 0)
        (left, right) = (pair[0], pair[1])
        for socket in pair {
            precondition(fcntl(socket, F_SETFL, O_NONBLOCK) == 0)
            #if canImport(Darwin)
            var on: CInt = 1
            setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<CInt>.size))
            #endif
            guard var size = buffer else { continue }
            setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<CInt>.size))
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
        }
    }

    /// What has arrived at the right end.
    func takeRight() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = max(0, recv(right, &bytes, bytes.count, 0))
        return Array(bytes.prefix(count))
    }

    func closeLeft() { end(0, left) }
    func closeRight() { end(1, right) }

    /// A process that another test starts just now holds the socket open a little longer: closing it is not enough.
    private func end(_ side: Int, _ socket: CInt) {
        guard isOpen[side] else { return }
        isOpen[side] = false
        shutdown(socket, CInt(SHUT_RDWR))
        close(socket)
    }

    deinit {
        closeLeft()
        closeRight()
    }
}

/// One end: a session and the readiness it works with, which stays at one place.
final class End {
    let readiness: UnsafeMutablePointer<Readiness>
    private(set) var session: Session

    init(_ descriptor: CInt, _ make: (UnsafeMutablePointer<Readiness>) throws -> Session) throws {
        let pointer = UnsafeMutablePointer<Readiness>.allocate(capacity: 1)
        pointer.initialize(to: Readiness(descriptor: descriptor))
        readiness = pointer
        do { session = try make(pointer) } catch {
            pointer.deallocate()
            throw error
        }
    }

    deinit { readiness.deallocate() }

    /// What a poller would say, level-triggered: the pump is not about saving calls.
    func wake() {
        readiness.pointee.isReadable = true
        readiness.pointee.isWritable = true
    }

    func write(_ text: String) throws -> SessionOutcome {
        var text = text
        return try text.withUTF8 { try session.write(UnsafeRawBufferPointer($0)) }
    }

    func read(_ limit: Int = 64 * 1024) throws -> (outcome: SessionOutcome, bytes: [UInt8]) {
        var bytes = [UInt8](repeating: 0, count: limit)
        let outcome = try bytes.withUnsafeMutableBytes { try session.read(into: $0) }
        guard case .bytes(let count) = outcome else { return (outcome, []) }
        return (outcome, Array(bytes.prefix(count)))
    }

    func readText() throws -> String {
        wake()
        return String(decoding: try read().bytes, as: UTF8.self)
    }
}

/// A client and a server over one pair of sockets.
struct Wired {
    let sockets: Sockets
    let client: End
    let server: End

    init(
        _ clientContext: ClientContext, _ serverContext: ServerContext, host: String = "shop.test",
        store: ResumptionStore? = nil, buffer: CInt? = nil
    ) throws {
        sockets = Sockets(buffer: buffer)
        client = try End(sockets.left) {
            try Session(client: clientContext, readiness: $0, host: host, resumption: store)
        }
        server = try End(sockets.right) { try Session(server: serverContext, readiness: $0) }
    }

    /// Both handshakes, in turns, until both are done; what either throws is what this throws, the client's first.
    func shakeHands() throws {
        var isClientDone = false
        var isServerDone = false
        var serverFailure: (any Error)?
        for _ in 0..<10_000 {
            client.wake()
            server.wake()
            if !isClientDone { isClientDone = try client.session.handshake() == .bytes(0) }
            if !isServerDone, serverFailure == nil {
                do { isServerDone = try server.session.handshake() == .bytes(0) } catch {
                    serverFailure = error
                    sockets.closeRight()
                }
            }
            if isClientDone, let serverFailure { throw serverFailure }
            if isClientDone && isServerDone { return }
        }
        throw Stuck()
    }

    struct Stuck: Error {}
}
