import JSON
import Platform

/// The server that ``DetachedKeeper`` has started: tells that it listens, and keeps its log within bounds.
struct DetachedServer {
    /// Names the file of the log to the new process.
    static let variable = "SHUNT_DETACHED_LOG"

    private let log: String

    /// nil in a process that was not started by ``DetachedKeeper``.
    init?() {
        guard let log = DetachedProcess.takeLog(Self.variable) else { return nil }
        self.log = log
    }

    /// The port of the server whose place it takes; nil for the first one.
    var formerPort: UInt16? { DetachedLog.port(of: log) }

    /// Says where it listens and what it writes to; ends this process if the command that started it is gone, since
    /// that has said that nothing runs.
    func tell(_ started: Started) -> DetachedLog {
        let log = formerPort == nil ? DetachedLog(log, port: started.port) : DetachedLog(path: log)
        let json = JSONWriter.object(["pid": Int(getpid()), "port": started.port, "log": log.path])
        if !Files.writeAll(json + [UInt8(ascii: "\n")], to: DetachedProcess.telling) { kill(getpid(), SIGTERM) }
        close(DetachedProcess.telling)
        return log
    }
}
