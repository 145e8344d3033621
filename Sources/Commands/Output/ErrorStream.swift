import Exchanges
import Platform
import Store
import Synchronization

/// Standard error as a server uses it: through its log while that writes there, so that lines stay whole.
final class ErrorStream: Sendable {
    /// Milliseconds that a message waits for a reader that takes nothing.
    private static let patience: CInt = 1000

    private let log = Mutex<LogWriter?>(nil)

    /// Lets a log write all that comes from now on.
    func pass(through log: LogWriter?) { self.log.withLock { $0 = log } }

    /// Writes a message with its line end; drops it where a reader stands still, which must not hold up a server's end.
    func write(_ text: String) {
        if let log = log.withLock({ $0 }), log.write(line: Array(text.utf8)) { return }
        var wanted = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
        if poll(&wanted, 1, Self.patience) == 1 { Terminal.error(text) }
    }
}
