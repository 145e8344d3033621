#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Ports that nobody listens on.
public enum FreePort {
    /// One at 127.0.0.1, for programs that cannot be told 0.
    ///
    /// On Linux it stays taken by a socket of this process until that ends: neither port 0 nor an outgoing connection of
    /// anybody gets it, and a program can listen on it nevertheless, since both sides have set SO_REUSEADDR.
    public static func find() -> UInt16 {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var isReused: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<CInt>.size))
        #else
        // A second socket at the address would need SO_REUSEPORT there, which programs do not set.
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        defer { close(descriptor) }
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                guard bind(descriptor, $0, length) == 0 else { return }
                getsockname(descriptor, $0, &length)
            }
            return UInt16(bigEndian: pointer.pointee.sin_port)
        }
    }
}
