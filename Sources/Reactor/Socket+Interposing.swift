import Platform

extension Socket {
    /// Takes the connection out of this socket, which gets one end of a pair in its place.
    ///
    /// The descriptor's number stays, and with it what OpenSSL and others know of the socket: they write to the pair,
    /// and what arrives at its other end can be held back before it goes to the connection.
    /// - Parameter room: bytes that each end of the pair holds, about.
    /// - Returns: the connection, and the other end of the pair, both for sockets of the same loop.
    public func interpose(room: Int) throws(SystemError) -> (connection: Socket, pair: Socket) {
        let (own, other) = try SystemCall.makePair()
        for end in [own, other] { SystemCall.setOption(end, SOL_SOCKET, SO_SNDBUF, CInt(clamping: room)) }
        let connection = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard connection >= 0 else {
            let error = SystemError.last("fcntl")
            SystemCall.close(own)
            SystemCall.close(other)
            throw error
        }
        try replaceDescriptor(by: own)
        return (try Socket(connection, core), try Socket(other, core))
    }
}
