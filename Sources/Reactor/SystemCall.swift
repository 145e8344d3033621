import Platform

#if canImport(Glibc)
import CSystem
#endif

/// The few calls and constants that the systems spell differently.
enum SystemCall {
    static let peek = CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)
    #if canImport(Glibc)
    static let (streamType, datagramType) = (CInt(SOCK_STREAM.rawValue), CInt(SOCK_DGRAM.rawValue))
    #else
    static let (streamType, datagramType) = (SOCK_STREAM, SOCK_DGRAM)
    #endif

    static func close(_ descriptor: CInt) {
        _ = Platform.close(descriptor)
    }

    /// A new stream socket that does not block and is not inherited by child processes.
    static func makeSocket(domain: CInt) throws(SystemError) -> CInt {
        let descriptor = newSocket(domain)
        if descriptor < 0 { throw .last("socket") }
        guard DescriptorReserve.spares(descriptor) else {
            close(descriptor)
            throw SystemError("socket", code: EMFILE)
        }
        return descriptor
    }

    /// Two connected sockets that do not block and are not inherited by child processes.
    static func makePair() throws(SystemError) -> (CInt, CInt) {
        var pair: [CInt] = [-1, -1]
        if newPair(&pair) != 0 { throw .last("socketpair") }
        guard DescriptorReserve.spares(max(pair[0], pair[1])) else {
            for descriptor in pair { close(descriptor) }
            throw SystemError("socketpair", code: EMFILE)
        }
        return (pair[0], pair[1])
    }

    /// Accepts one connection as a non-blocking socket; nil when none waits.
    static func accept(_ listener: CInt) throws(SystemError) -> CInt? {
        if DescriptorReserve.isNear { throw SystemError("accept", code: EMFILE) }
        while true {
            let descriptor = newConnection(listener)
            if descriptor >= 0 {
                setNoDelay(descriptor)
                _ = DescriptorReserve.spares(descriptor)
                return descriptor
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EAGAIN: return nil
            default: throw .last("accept")
            }
        }
    }

    /// Begins to connect; true when that is done already.
    ///
    /// The descriptor is closed when this throws.
    static func connect(_ descriptor: CInt, to address: SocketAddress) throws(SystemError) -> Bool {
        let result = address.withSockaddr { Platform.connect(descriptor, $0, $1) }
        if result == 0 { return true }
        if errno == EINPROGRESS { return false }
        let error = SystemError.last("connect")
        close(descriptor)
        throw error
    }

    static func setNoDelay(_ descriptor: CInt) { setOption(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, 1) }

    @discardableResult
    static func setOption(_ descriptor: CInt, _ level: CInt, _ name: CInt, _ value: CInt) -> Bool {
        var value = value
        return setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<CInt>.size)) == 0
    }
}
