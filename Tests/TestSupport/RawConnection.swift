#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A blocking TCP connection for tests, which say byte for byte what is sent and what came.
///
/// Every wait ends after a minute with an error, so that a test fails instead of hanging.
public final class RawConnection: @unchecked Sendable {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
        init(_ text: String) { description = text }
    }

    public let descriptor: CInt
    private var pending: [UInt8] = []
    private var isOpen = true

    init(_ descriptor: CInt) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var one: CInt = 1
        setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
    }

    deinit { close() }

    /// Connects to a port of this machine.
    /// - Parameter host: the four bytes of one of its addresses.
    public static func connect(
        _ port: UInt16, host: [UInt8] = [127, 0, 0, 1], receiveBuffer: CInt? = nil
    ) throws -> RawConnection {
        let descriptor = makeSocket()
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
        }
        let result = withAddress(host, port) { systemConnect(descriptor, $0, $1) }
        guard result == 0 else { throw Failure("connect to port \(port): \(String(cString: strerror(errno)))") }
        return RawConnection(descriptor)
    }

    /// The port of this end, of this machine.
    public var localPort: UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    public func send(_ text: String) throws { try send(Array(text.utf8)) }

    public func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                all.baseAddress.map { systemSend(descriptor, $0 + sent, bytes.count - sent) } ?? 0
            }
            guard count > 0 else { throw Failure("send: \(String(cString: strerror(errno)))") }
            sent += count
        }
    }

    private var pendingText: String { String(decoding: pending, as: UTF8.self).debugDescription }

    /// Reads more into what is pending; false at the end of the connection.
    private func fill() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        if count < 0 {
            throw Failure(
                "recv: \(String(cString: strerror(errno))), having \(String(decoding: pending, as: UTF8.self).debugDescription)"
            )
        }
        pending.append(contentsOf: chunk.prefix(count))
        return count > 0
    }

    /// All up to and with `marker`.
    public func read(until marker: String) throws -> String {
        let wanted = Array(marker.utf8)
        var from = 0
        while true {
            if pending.count >= wanted.count {
                for start in from...(pending.count - wanted.count)
                where pending[start..<(start + wanted.count)].elementsEqual(wanted) {
                    defer { pending.removeFirst(start + wanted.count) }
                    return String(decoding: pending.prefix(start + wanted.count), as: UTF8.self)
                }
                from = pending.count - wanted.count + 1
            }
            guard try fill() else {
                throw Failure(
                    "ended before \(marker.debugDescription), having \(String(decoding: pending, as: UTF8.self).debugDescription)"
                )
            }
        }
    }

    /// A head with its empty line.
    public func readHead() throws -> String { try read(until: "\r\n\r\n") }

    public func read(count: Int) throws -> String { String(decoding: try readBytes(count), as: UTF8.self) }

    public func readBytes(_ count: Int) throws -> [UInt8] {
        while pending.count < count {
            guard try fill() else { throw Failure("ended \(count - pending.count) bytes early") }
        }
        defer { pending.removeFirst(count) }
        return Array(pending.prefix(count))
    }

    /// What is there, waiting for the first byte of it; nothing at the end of the connection.
    public func readSome() throws -> [UInt8] {
        if pending.isEmpty { _ = try fill() }
        defer { pending.removeAll() }
        return pending
    }

    /// All until the peer closes.
    public func readToEnd() throws -> String {
        while try fill() {}
        defer { pending.removeAll() }
        return String(decoding: pending, as: UTF8.self)
    }

    /// Counts and drops all until the peer closes.
    public func drain() throws -> Int {
        var total = pending.count
        pending.removeAll()
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0 { throw Failure("recv: \(String(cString: strerror(errno)))") }
            if count == 0 { return total }
            total += count
        }
    }

    /// Counts and drops exactly this many bytes.
    public func drain(_ size: UInt64) throws -> UInt64 {
        var total = UInt64(pending.count)
        pending.removeAll()
        var chunk = [UInt8](repeating: 0, count: 262_144)
        while total < size {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { throw Failure("ended after \(total) of \(size) bytes") }
            total += UInt64(count)
        }
        return total
    }

    /// Sends until the peer has taken nothing for half a second; returns how many bytes it took.
    public func sendUntilBlocked() -> Int {
        let chunk = [UInt8](repeating: 0x78, count: 65536)
        var total = 0
        while true {
            var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&wanted, 1, 500) == 1 else { return total }
            let count = sendSome(chunk)
            guard count > 0 else { return total }
            total += count
        }
    }

    /// Waits until the peer says something or the time is over; whether it said something.
    public func waitForInput(milliseconds: CInt) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, milliseconds) == 1
    }

    private func sendSome(_ chunk: [UInt8]) -> Int {
        chunk.withUnsafeBytes { bytes in
            bytes.baseAddress.map { systemSend(descriptor, $0, bytes.count, CInt(MSG_DONTWAIT)) } ?? 0
        }
    }

    /// Whether the connection was ended by a reset.
    public func isReset() -> Bool {
        do {
            while try fill() {}
            return false
        } catch {
            return errno == ECONNRESET
        }
    }

    public func shutdownWrite() { shutdown(descriptor, CInt(SHUT_WR)) }

    /// Closes with a reset instead of an orderly end.
    public func reset() {
        guard isOpen else { return }
        var lingering = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    public func close() {
        guard isOpen else { return }
        isOpen = false
        systemClose(descriptor)
    }
}
