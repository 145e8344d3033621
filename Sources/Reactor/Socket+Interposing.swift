import Platform

extension Socket {
    /// Two connected descriptors, for sockets of two loops: what is written to one is read from the other.
    public static func pair() throws(SystemError) -> (CInt, CInt) { try SystemCall.makePair() }

    /// Takes the connection out of this socket, which gets one end of a pair in its place.
    ///
    /// The descriptor's number stays, and with it what OpenSSL and others know of the socket: they write to the pair,
    /// and what arrives at its other end can be held back before it goes to the connection.
    /// - Parameter room: bytes that each end of the pair holds, about.
    /// - Returns: the connection, and the other end of the pair, both for sockets of the same loop.
    public func interpose(room: Int) throws(SystemError) -> (connection: Socket, pair: Socket) {
        let (own, other) = try SystemCall.makePair()
        for end in [own, other] { SystemCall.setOption(end, SOL_SOCKET, SO_SNDBUF, CInt(clamping: room)) }
        // Those that nothing else closes where a step fails.
        var loose = [other, own]
        do throws(SystemError) {
            let connection = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            if connection < 0 { throw .last("fcntl") }
            loose = [other, connection]
            try replaceDescriptor(by: own)
            loose = [other]
            let socket = try Socket(connection, core)
            loose = []
            return (socket, try Socket(other, core))
        } catch {
            for descriptor in loose { SystemCall.close(descriptor) }
            throw error
        }
    }
}
