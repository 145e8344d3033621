#if os(Linux)
import Platform

extension AddressWatch {
    /// A socket that gets a message for each change of links and addresses; rtnetlink(7).
    static func open() throws(SystemError) -> CInt {
        let type = CInt(SOCK_RAW.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_NETLINK, type, 0)
        guard descriptor >= 0 else { throw .last("socket") }
        // struct sockaddr_nl: the family, padding, a port that the kernel chooses, and RTMGRP_LINK, RTMGRP_IPV4_IFADDR
        // and RTMGRP_IPV6_IFADDR.
        var address: (UInt16, UInt16, UInt32, UInt32) = (UInt16(AF_NETLINK), 0, 0, 0x111)
        let result = withUnsafeBytes(of: &address) {
            bind(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        guard result == 0 else {
            let error = SystemError.last("bind")
            SystemCall.close(descriptor)
            throw error
        }
        return descriptor
    }
}
#endif
