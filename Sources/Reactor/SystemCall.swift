import Platform

#if canImport(Glibc)
import CSystem
#endif

/// The few calls and constants that the systems spell differently.
enum SystemCall {
    #if canImport(Glibc)
    static let peek = CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)
    static let streamType = CInt(SOCK_STREAM.rawValue)
    #else
    static let peek = MSG_PEEK | MSG_DONTWAIT
    static let streamType = SOCK_STREAM
    #endif

    static func close(_ descriptor: CInt) {
        _ = Platform.close(descriptor)
    }

    static func receive(_ descriptor: CInt, _ room: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Glibc)
        shunt_recv(descriptor, room.baseAddress, UInt(room.count))
        #else
        recv(descriptor, room.baseAddress, room.count, 0)
        #endif
    }

    /// A broken connection raises no signal: a flag prevents it on Linux, SO_NOSIGPIPE on Darwin.
    static func send(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        shunt_send(descriptor, bytes.baseAddress, UInt(bytes.count))
        #else
        Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
        #endif
    }

    /// A new stream socket that does not block and is not inherited by child processes.
    static func makeSocket(domain: CInt) throws(SystemError) -> CInt {
        #if canImport(Glibc)
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(domain, type, 0)
        if descriptor < 0 { throw .last("socket") }
        #else
        let descriptor = socket(domain, SOCK_STREAM, 0)
        if descriptor < 0 { throw .last("socket") }
        prepare(descriptor)
        #endif
        guard DescriptorReserve.spares(descriptor) else {
            close(descriptor)
            throw SystemError("socket", code: EMFILE)
        }
        return descriptor
    }

    /// Two connected sockets that do not block and are not inherited by child processes.
    static func makePair() throws(SystemError) -> (CInt, CInt) {
        var pair: [CInt] = [-1, -1]
        #if canImport(Glibc)
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        if socketpair(AF_UNIX, type, 0, &pair) != 0 { throw .last("socketpair") }
        #else
        if socketpair(AF_UNIX, SOCK_STREAM, 0, &pair) != 0 { throw .last("socketpair") }
        for descriptor in pair { prepare(descriptor) }
        #endif
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
            #if canImport(Glibc)
            let descriptor = accept4(
                listener, nil, nil, CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue))
            #else
            let descriptor = Darwin.accept(listener, nil, nil)
            #endif
            if descriptor >= 0 {
                #if !canImport(Glibc)
                prepare(descriptor)
                #endif
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

    #if !canImport(Glibc)
    /// Sets the properties that Linux takes as flags of socket(2), and SO_NOSIGPIPE where MSG_NOSIGNAL does not exist.
    private static func prepare(_ descriptor: CInt) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        setOption(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
    }
    #endif

    static func setNoDelay(_ descriptor: CInt) { setOption(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, 1) }

    /// Sends the acknowledgement that the system holds back for some 40 ms, to send it along with other bytes.
    ///
    /// Darwin has no way to ask for it.
    static func acknowledge(_ descriptor: CInt) {
        #if canImport(Glibc)
        setOption(descriptor, CInt(IPPROTO_TCP), TCP_QUICKACK, 1)
        #endif
    }

    @discardableResult
    static func setOption(_ descriptor: CInt, _ level: CInt, _ name: CInt, _ value: CInt) -> Bool {
        var value = value
        return setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<CInt>.size)) == 0
    }
}
