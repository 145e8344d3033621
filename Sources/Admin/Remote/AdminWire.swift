import Bytes
import Platform
import Reactor
import TLS

/// Why an admin interface elsewhere could not be asked.
struct AdminWireFailure: Error {
    let reason: String
}

/// One request by TLS to an admin interface that is not found by its file; blocks until its response is there.
struct AdminWire {
    private static let maxResponse = 4 << 20
    let address: AdminAddress
    /// For each wait.
    let seconds: Int

    /// Sends a request whose response ends with the connection.
    func exchange(_ request: [UInt8]) throws(AdminWireFailure) -> [UInt8] {
        let descriptor = try connected()
        defer { close(descriptor) }
        let readiness = UnsafeMutablePointer<Readiness>.allocate(capacity: 1)
        readiness.initialize(to: Readiness(descriptor: descriptor))
        defer { readiness.deallocate() }
        do {
            let context = try ClientContext(policy: .standard(extraAuthorities: address.authority.map { [$0] } ?? []))
            let session = try Session(client: context, readiness: readiness, host: address.bareHost, resumption: nil)
            while try session.handshake() != .bytes(0) { try wait(readiness) }
            return try exchange(request, session, readiness)
        } catch let failure as TLSFailure {
            if case .certificateRejected(_, let reason, _) = failure.kind {
                throw AdminWireFailure(reason: "its certificate is not trusted: \(reason)")
            }
            throw AdminWireFailure(reason: failure.message)
        } catch {
            throw AdminWireFailure(reason: "\(error)")
        }
    }

    private func exchange(
        _ request: [UInt8], _ session: Session, _ readiness: UnsafeMutablePointer<Readiness>
    ) throws -> [UInt8] {
        var sent = 0
        while sent < request.count {
            let outcome = try request.withUnsafeBytes {
                try session.write(UnsafeRawBufferPointer(rebasing: $0[sent...]))
            }
            if case .bytes(let count) = outcome { sent += count } else { try wait(readiness) }
        }
        while try session.flush() != .bytes(0) { try wait(readiness) }
        var response: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while response.count < Self.maxResponse {
            switch try chunk.withUnsafeMutableBytes({ try session.read(into: $0) }) {
            case .bytes(let count): response.append(contentsOf: chunk[..<count])
            case .end: return response
            case .wantRead, .wantWrite: try wait(readiness)
            }
        }
        return response
    }

    private static let late = TLSFailure(.truncated, "it did not respond in time")

    /// Until the socket can do what it could not.
    private func wait(_ readiness: UnsafeMutablePointer<Readiness>) throws(TLSFailure) {
        let events = CShort(POLLIN) | (readiness.pointee.isWritable ? 0 : CShort(POLLOUT))
        var entry = pollfd(fd: readiness.pointee.descriptor, events: events, revents: 0)
        var count = poll(&entry, 1, CInt(seconds) * 1000)
        while count < 0, errno == EINTR { count = poll(&entry, 1, CInt(seconds) * 1000) }
        guard count > 0 else { throw Self.late }
        readiness.pointee.isReadable = true
        readiness.pointee.isWritable = true
    }

    /// A connection that does not block, to the first address of the host that takes one.
    private func connected() throws(AdminWireFailure) -> CInt {
        var hints = addrinfo()
        hints.ai_socktype = Self.stream
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(address.bareHost, "\(address.port)", &hints, &list)
        guard code == 0 else {
            throw AdminWireFailure(reason: "the name is not known: \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(list) }
        var reason = "it has no address"
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
            if connect(made, entry.ai_addr, entry.ai_addrlen) == 0 { return made }
            var error = errno
            if error == EINPROGRESS {
                error = ETIMEDOUT
                var wait = pollfd(fd: made, events: CShort(POLLOUT), revents: 0)
                if poll(&wait, 1, CInt(seconds) * 1000) > 0 {
                    var size = socklen_t(MemoryLayout<CInt>.size)
                    getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &size)
                }
                if error == 0 { return made }
            }
            reason = SystemError("connect", code: error).reason
            close(made)
        }
        throw AdminWireFailure(reason: reason)
    }

    private static var stream: CInt {
        #if canImport(Glibc)
        CInt(SOCK_STREAM.rawValue)
        #else
        SOCK_STREAM
        #endif
    }
}
