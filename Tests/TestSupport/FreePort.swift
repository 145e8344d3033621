#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Ports that nobody listens on.
public enum FreePort {
    /// One at 127.0.0.1 that was free a moment ago; where a program can be told 0, prefer that.
    public static func find() -> UInt16 {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(descriptor) }
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
