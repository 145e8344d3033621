#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Ports that nobody listens on.
public enum FreePort {
    /// One that is free at 127.0.0.1 and at ::1, for programs that cannot be told 0.
    ///
    /// On Linux it stays taken by sockets of this process until that ends: neither port 0 nor an outgoing connection of
    /// anybody gets it, and a program can listen on it nevertheless, since both sides have set SO_REUSEADDR.
    public static func find() -> UInt16 {
        while true {
            guard let first = Bound(port: 0, isLoopback6: false) else { return 0 }
            #if !canImport(Glibc)
            // A second socket at the address would need SO_REUSEPORT there, which programs do not set.
            defer { close(first.descriptor) }
            #endif
            // Clients of `localhost` would reach whoever has it there.
            if let second = Bound(port: first.port, isLoopback6: true) {
                #if !canImport(Glibc)
                close(second.descriptor)
                #endif
                return first.port
            }
            if errno != EADDRINUSE { return first.port }
        }
    }
}

/// A socket that is bound to a loopback address.
private struct Bound {
    let descriptor: CInt
    let port: UInt16

    init?(port: UInt16, isLoopback6: Bool) {
        let family = isLoopback6 ? AF_INET6 : AF_INET
        #if canImport(Glibc)
        descriptor = socket(family, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var isReused: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<CInt>.size))
        #else
        descriptor = socket(family, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return nil }
        var found: UInt16 = 0
        let isBound: Bool
        if isLoopback6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(family)
            address.sin6_addr = in6addr_loopback
            address.sin6_port = port.bigEndian
            isBound = Self.bind(descriptor, &address)
            found = UInt16(bigEndian: address.sin6_port)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(family)
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            address.sin_port = port.bigEndian
            isBound = Self.bind(descriptor, &address)
            found = UInt16(bigEndian: address.sin_port)
        }
        guard isBound else {
            let reason = errno
            close(descriptor)
            errno = reason
            return nil
        }
        self.port = found
    }

    /// Binds, and stores the address that was given.
    private static func bind<Address>(_ descriptor: CInt, _ address: inout Address) -> Bool {
        var length = socklen_t(MemoryLayout<Address>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                #if canImport(Glibc)
                let result = Glibc.bind(descriptor, $0, length)
                #else
                let result = Darwin.bind(descriptor, $0, length)
                #endif
                return result == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
    }
}
