import JSON
import Platform

/// The process that `serve --detach` has started: tells that it listens, and keeps its log within bounds.
struct DetachedServer {
    /// Names the file of the log to the new process.
    static let variable = "SHUNT_DETACHED_LOG"
    /// The descriptor on which it tells that it listens.
    private static let telling: CInt = 3

    private let beginning: String

    /// nil in a process that was not started by ``DetachedStart``.
    init?() {
        guard let path = Terminal.variable(Self.variable), fcntl(Self.telling, F_GETFD) >= 0 else { return nil }
        beginning = path
        // Programs that this one starts are no such servers.
        unsetenv(Self.variable)
        _ = fcntl(Self.telling, F_SETFD, FD_CLOEXEC)
    }

    /// Says where it listens and what it writes to; ends this process if the command that started it is gone, since
    /// that has said that nothing runs.
    func tell(_ started: Started) -> DetachedLog {
        let log = DetachedLog(beginning, port: started.port)
        var writer = JSONWriter()
        writer.object { object in
            object.member("port", started.port)
            object.member("log", log.path)
        }
        if !Files.writeAll(writer.bytes + [UInt8(ascii: "\n")], to: Self.telling) { kill(getpid(), SIGTERM) }
        close(Self.telling)
        return log
    }
}
