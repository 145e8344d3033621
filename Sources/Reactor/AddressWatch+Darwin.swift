#if canImport(Darwin)
import Platform

extension AddressWatch {
    /// A socket that gets a message for each change of interfaces, addresses and routes; route(4).
    static func open() throws(SystemError) -> CInt {
        let descriptor = socket(PF_ROUTE, SOCK_RAW, AF_UNSPEC)
        guard descriptor >= 0 else { throw .last("socket") }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }
}
#endif
