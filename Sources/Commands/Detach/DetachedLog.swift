import Platform
import Reactor

/// `.shunt/PORT.log`: what a server in the background writes to standard error, with one older file beside it.
struct DetachedLog: Sendable {
    private static let maxSize = 8 << 20
    /// Logs of ports that were used once, such as those of `--port 0`.
    private static let maxAge = 7 * 24 * 3600

    let path: String
    private var older: String { path + ".1" }

    /// Where the messages go before the port is known.
    static func beginning(in directory: String) -> String { "\(directory)/start-\(getpid()).log" }

    static func path(of port: UInt16, in directory: String) -> String { "\(directory)/\(port).log" }

    /// The port of a log; nil for that of a start.
    static func port(of path: String) -> UInt16? { UInt16(Path.name(of: path).dropLast(".log".utf8.count)) }

    /// Goes on with the file of a server that has crashed.
    init(path: String) { self.path = path }

    /// Takes over the file of the start, in place of the log of the last run.
    init(_ beginning: String, port: UInt16) {
        let directory = Path.directory(of: beginning)
        path = Self.path(of: port, in: directory)
        Self.removeOld(in: directory)
        rename(path, older)
        rename(beginning, path)
    }

    private static func removeOld(in directory: String) {
        for name in (try? Files.names(in: directory)) ?? [] where name.hasSuffix(".log") || name.hasSuffix(".log.1") {
            var status = stat()
            let file = directory + "/" + name
            guard lstat(file, &status) == 0 else { continue }
            #if canImport(Darwin)
            let age = time(nil) - status.st_mtimespec.tv_sec
            #else
            let age = time(nil) - status.st_mtim.tv_sec
            #endif
            guard age > maxAge else { continue }
            unlink(file)
        }
    }

    /// Looks whether the file is gone, when the system says so, and twice a minute whether it is full, until the task is
    /// cancelled.
    func watch() async {
        let notices = FileNotices()
        defer { notices.end() }
        for await _ in notices.changes {
            renewIfNeeded()
            notices.watch([Path.directory(of: path)])
        }
    }

    private func renewIfNeeded() {
        var status = stat()
        guard fstat(2, &status) == 0, status.st_nlink == 0 || status.st_size > Self.maxSize else { return }
        if status.st_nlink > 0 { rename(path, older) }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        // In one step, so that no line of another thread is lost.
        dup2(descriptor, 2)
        dup2(descriptor, 1)
        close(descriptor)
    }
}
