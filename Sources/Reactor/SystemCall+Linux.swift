#if os(Linux) && !SHUNT_KQUEUE
import CSystem
import Platform

extension SystemCall {
    private static let plain = CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)

    static func newSocket(_ domain: CInt) -> CInt { socket(domain, streamType | plain, 0) }

    static func newPair(_ pair: inout [CInt]) -> CInt { socketpair(AF_UNIX, streamType | plain, 0, &pair) }

    static func newConnection(_ listener: CInt) -> CInt { accept4(listener, nil, nil, plain) }

    static func receive(_ descriptor: CInt, _ room: UnsafeMutableRawBufferPointer) -> Int {
        shunt_recv(descriptor, room.baseAddress, UInt(room.count))
    }

    /// A flag keeps a broken connection from raising a signal.
    static func send(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
        shunt_send(descriptor, bytes.baseAddress, UInt(bytes.count))
    }

    /// Sends the acknowledgement that the system holds back for some 40 ms, to send it along with other bytes.
    static func acknowledge(_ descriptor: CInt) { setOption(descriptor, CInt(IPPROTO_TCP), TCP_QUICKACK, 1) }
}
#endif
