import CPostgres
import Platform

/// What a NOTIFY has sent.
public struct PostgresNotification: Sendable, Equatable {
    public let channel: String
    public let payload: String
    /// The server's number of the connection that sent it.
    public let sender: Int
}

extension PostgresConnection {
    /// Asks for the notifications of a channel.
    ///
    /// - Parameter channel: small letters, digits and `_`.
    public func listen(_ channel: String) throws(PostgresFailure) { try run("LISTEN \(channel)") }

    /// Waits for notifications; empty when the time is over, or when `waker` can be read.
    ///
    /// - Parameter waker: a descriptor by which another thread ends the wait; -1 for none.
    public func notifications(
        until deadline: PostgresDeadline, waker: CInt = -1
    ) throws(PostgresFailure) -> [PostgresNotification] {
        while true {
            guard library.consumeInput(handle) == 1 else { throw failure() }
            let found = take()
            guard found.isEmpty else { return found }
            var sockets = [
                pollfd(fd: library.socket(handle), events: Int16(POLLIN), revents: 0),
                pollfd(fd: waker, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&sockets, nfds_t(sockets.count), deadline.pollTime)
            if count < 0, errno == EINTR { continue }
            if count <= 0 || sockets[1].revents != 0 { return [] }
        }
    }

    private func take() -> [PostgresNotification] {
        var found: [PostgresNotification] = []
        while let next = library.notifies(handle) {
            defer { library.freemem(next) }
            found.append(
                PostgresNotification(
                    channel: String(cString: next.pointee.relname), payload: String(cString: next.pointee.extra),
                    sender: Int(next.pointee.be_pid)))
        }
        return found
    }
}
