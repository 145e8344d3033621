import Bytes
import Platform
package import Reactor
package import TLS

/// Why a host has no address.
struct NameFailure: Error {
    let reason: String
}

/// A connection of a command, in the clear or by TLS: it blocks, and each wait is limited.
package final class BlockingConnection {
    package let descriptor: CInt
    private let seconds: Int
    private let readiness: UnsafeMutablePointer<Readiness>
    private var session: Session?

    private init(_ descriptor: CInt, seconds: Int) {
        (self.descriptor, self.seconds) = (descriptor, seconds)
        readiness = .allocate(capacity: 1)
        readiness.initialize(to: Readiness(descriptor: descriptor))
    }

    deinit {
        session = nil
        readiness.deallocate()
        close(descriptor)
    }

    /// One in the clear to a port of 127.0.0.1.
    package convenience init(port: UInt16, seconds: Int) throws(SystemError) {
        do {
            self.init(try Self.connected("127.0.0.1", port, seconds), seconds: seconds)
        } catch {
            throw error as? SystemError ?? SystemError("connect", code: EADDRNOTAVAIL)
        }
    }

    /// One by TLS.
    package convenience init(host: String, port: UInt16, seconds: Int, tls context: ClientContext) throws {
        self.init(try Self.connected(host, port, seconds), seconds: seconds)
        let session = try Session(client: context, readiness: readiness, host: host, resumption: nil)
        self.session = session
        while try session.handshake() != .bytes(0) { try wait() }
    }

    package func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let outcome = try bytes.withUnsafeBytes { try write(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
            if case .bytes(let count) = outcome { sent += count } else { try wait() }
        }
        while let session, try session.flush() != .bytes(0) { try wait() }
    }

    /// What has come, at most `limit` bytes; empty at the end of the connection.
    package func receive(limit: Int = 16 << 10) throws -> [UInt8] {
        while true {
            var end = false
            let bytes = try [UInt8](unsafeUninitializedCapacity: limit) { room, count in
                switch try read(UnsafeMutableRawBufferPointer(room)) {
                case .bytes(let read): count = read
                case .end: end = true
                case .wantRead, .wantWrite: break
                }
            }
            if end || !bytes.isEmpty { return bytes }
            try wait()
        }
    }

    /// Everything up to the peer's end of the connection, at most `limit` bytes.
    package func receiveAll(limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit, case let piece = try receive(), !piece.isEmpty { bytes += piece }
        return bytes
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws -> SessionOutcome {
        if let session { return try session.write(bytes) }
        #if canImport(Glibc)
        let count = Platform.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
        #else
        let count = Platform.send(descriptor, bytes.baseAddress, bytes.count, 0)
        #endif
        if count >= 0 { return .bytes(count) }
        guard [EAGAIN, EINTR].contains(errno) else { throw SystemError("send", code: errno) }
        readiness.pointee.isWritable = false
        return .wantWrite
    }

    private func read(_ room: UnsafeMutableRawBufferPointer) throws -> SessionOutcome {
        if let session { return try session.read(into: room) }
        let count = recv(descriptor, room.baseAddress, room.count, 0)
        if count >= 0 { return count == 0 ? .end(clean: true) : .bytes(count) }
        guard [EAGAIN, EINTR].contains(errno) else { throw SystemError("recv", code: errno) }
        return .wantRead
    }

    /// Until the socket can do what it could not.
    private func wait() throws(SystemError) {
        let events = CShort(POLLIN) | (readiness.pointee.isWritable ? 0 : CShort(POLLOUT))
        guard Self.poll(descriptor, events, seconds) else { throw SystemError("poll", code: EAGAIN) }
        readiness.pointee.isReadable = true
        readiness.pointee.isWritable = true
    }

    private static func poll(_ descriptor: CInt, _ events: CShort, _ seconds: Int) -> Bool {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        var count: CInt
        repeat { count = Platform.poll(&entry, 1, CInt(seconds) * 1000) } while count < 0 && errno == EINTR
        return count > 0
    }

    /// To the first address of the host that takes it; reads and writes do not block.
    private static func connected(_ host: String, _ port: UInt16, _ seconds: Int) throws -> CInt {
        var hints = addrinfo()
        #if canImport(Glibc)
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "\(port)", &hints, &list)
        guard code == 0 else {
            throw NameFailure(reason: "the name is not known: \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(list) }
        var failure: any Error = NameFailure(reason: "it has no address")
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            let made = socket(entry.ai_family, entry.ai_socktype, 0)
            guard made >= 0 else { continue }
            _ = fcntl(made, F_SETFD, FD_CLOEXEC)
            _ = fcntl(made, F_SETFL, fcntl(made, F_GETFL) | O_NONBLOCK)
            #if canImport(Darwin)
            var one: CInt = 1
            setsockopt(made, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<CInt>.size))
            #endif
            var error = connect(made, entry.ai_addr, entry.ai_addrlen) == 0 ? 0 : errno
            if error == EINPROGRESS {
                error = ETIMEDOUT
                var size = socklen_t(MemoryLayout<CInt>.size)
                if poll(made, CShort(POLLOUT), seconds) { getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &size) }
            }
            if error == 0 { return made }
            failure = SystemError("connect", code: error)
            close(made)
        }
        throw failure
    }
}
