import Platform
public import Reactor

/// A blocking connection to a port of 127.0.0.1: for a command that sends one request.
public struct LoopbackConnection: ~Copyable {
    public let descriptor: CInt

    /// Connects; each later wait is limited by `seconds`.
    public init(port: UInt16, seconds: Int) throws(SystemError) {
        descriptor = try Self.connected(port: port, seconds: seconds)
    }

    private static func connected(port: UInt16, seconds: Int) throws(SystemError) -> CInt {
        #if canImport(Glibc)
        let made = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        #else
        let made = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard made >= 0 else { throw SystemError("socket", code: errno) }
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        var address = sockaddr_in()
        #if canImport(Darwin)
        var one: CInt = 1
        setsockopt(made, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<CInt>.size))
        _ = fcntl(made, F_SETFD, FD_CLOEXEC)
        address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
        #endif
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(made, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let error = SystemError("connect", code: errno)
            close(made)
            throw error
        }
        return made
    }

    deinit { close(descriptor) }

    public borrowing func sendAll(_ bytes: [UInt8]) throws(SystemError) {
        #if canImport(Glibc)
        let flags = CInt(MSG_NOSIGNAL)
        #else
        let flags: CInt = 0
        #endif
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, flags)
            }
            if count > 0 { sent += count } else if errno != EINTR { throw SystemError("send", code: errno) }
        }
    }

    /// Everything up to the peer's end of the connection, at most `limit` bytes.
    public borrowing func receiveAll(limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while bytes.count < limit {
            let count = chunk.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count == 0 { break }
            if count > 0 {
                bytes.append(contentsOf: chunk[..<count])
            } else if errno != EINTR {
                throw SystemError("recv", code: errno)
            }
        }
        return bytes
    }
}
