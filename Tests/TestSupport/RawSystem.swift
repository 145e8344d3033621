#if canImport(Glibc)
import Glibc

let streamType = CInt(SOCK_STREAM.rawValue)
func systemSend(_ fd: CInt, _ p: UnsafeRawPointer, _ n: Int, _ flags: CInt = 0) -> Int {
    Glibc.send(fd, p, n, CInt(MSG_NOSIGNAL) | flags)
}
func systemConnect(_ fd: CInt, _ a: UnsafePointer<sockaddr>, _ n: socklen_t) -> CInt { Glibc.connect(fd, a, n) }
func systemClose(_ fd: CInt) { Glibc.close(fd) }
#else
import Darwin

let streamType = SOCK_STREAM
func systemSend(_ fd: CInt, _ p: UnsafeRawPointer, _ n: Int, _ flags: CInt = 0) -> Int {
    Darwin.send(fd, p, n, flags)
}
func systemConnect(_ fd: CInt, _ a: UnsafePointer<sockaddr>, _ n: socklen_t) -> CInt { Darwin.connect(fd, a, n) }
func systemClose(_ fd: CInt) { Darwin.close(fd) }
#endif

func makeSocket() -> CInt {
    let descriptor = socket(AF_INET, streamType, 0)
    #if canImport(Darwin)
    var one: CInt = 1
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<CInt>.size))
    #endif
    return descriptor
}

func withLoopback<R>(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    withAddress([127, 0, 0, 1], port, body)
}

func withAddress<R>(_ host: [UInt8], _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: host) }
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
}
