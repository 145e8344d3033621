#if canImport(Darwin) || SHUNT_KQUEUE
import Platform

#if SHUNT_KQUEUE
import CKqueue
#endif

extension SystemCall {
    static func newSocket(_ domain: CInt) -> CInt { prepared(socket(domain, streamType, 0)) }

    static func newPair(_ pair: inout [CInt]) -> CInt {
        let result = socketpair(AF_UNIX, streamType, 0, &pair)
        if result == 0 { pair = pair.map(prepared) }
        return result
    }

    static func newConnection(_ listener: CInt) -> CInt { prepared(Platform.accept(listener, nil, nil)) }

    /// Sets the properties that Linux takes as flags of socket(2), and SO_NOSIGPIPE where MSG_NOSIGNAL does not exist.
    ///
    /// A connection that the client has reset already takes no option; it has SO_NOSIGPIPE of its listener.
    private static func prepared(_ descriptor: CInt) -> CInt {
        guard descriptor >= 0 else { return descriptor }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        setOption(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
        return descriptor
    }

    static func receive(_ descriptor: CInt, _ room: UnsafeMutableRawBufferPointer) -> Int {
        recv(descriptor, room.baseAddress, room.count, 0)
    }

    /// A property of the socket keeps a broken connection from raising a signal.
    static func send(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
        Platform.send(descriptor, bytes.baseAddress, bytes.count, 0)
    }

    /// There is no way to ask for the acknowledgement that the system holds back.
    static func acknowledge(_ descriptor: CInt) {}
}
#endif
