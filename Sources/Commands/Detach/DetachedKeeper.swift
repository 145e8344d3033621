import Admin
import Engine
import JSON
import Platform
import Reactor

/// The process that `serve --detach` leaves in the background: it starts the server, and starts it again when that has
/// crashed or was killed.
struct DetachedKeeper {
    /// Names the file of the log to the new process.
    static let variable = "SHUNT_DETACHED_KEEPER"

    private enum Event: Sendable {
        case signal(CInt)
        /// With the status that waitpid(2) gives.
        case ended(CInt)
        case pauseIsOver
    }

    private let beginning: String

    /// nil in a process that was not started by ``DetachedStart``.
    init?() {
        guard let log = DetachedProcess.takeLog(Self.variable) else { return nil }
        beginning = log
    }

    /// - Returns: the exit status of the server.
    func run(_ settings: ServeSettings, _ signals: AsyncStream<CInt>) async throws -> CInt {
        let (events, feed) = AsyncStream.makeStream(of: Event.self)
        Task { for await signal in signals { feed.yield(.signal(signal)) } }
        let directory = Path.directory(of: beginning)
        var log = beginning
        var crashes = CrashCount()
        var isEnding = false
        var port: UInt16?
        let ready = DetachedProcess.raised(fcntl(DetachedProcess.telling, F_DUPFD_CLOEXEC, 0))
        close(DetachedProcess.telling)
        var pid: pid_t? = try start(log, ready, feed)
        for await event in events {
            switch event {
            case .signal(let number):
                isEnding = isEnding || number != SIGHUP
                if let pid { kill(pid, number) } else if isEnding { return 128 + number }
            case .ended(let status):
                let state = pid.flatMap { RestartState.left(by: $0, in: directory) }
                pid = nil
                port = state?.port ?? port
                // A server that has not come to listen has no state, and one that ends has removed it.
                guard let signal = DetachedProcess.signal(status), let port, !isEnding,
                    let state = RestartState.left(port: port, in: directory)
                else { return DetachedProcess.code(status) }
                log = DetachedLog.path(of: port, in: directory)
                redirect(to: log)
                guard let pause = crashes.pause() else {
                    settings.announcer.warn(
                        .crashed,
                        "\(Self.name(of: signal)) ended Shunt again; after \(CrashCount.most) restarts it stays down",
                        ["signal": Self.name(of: signal)])
                    state.remove(from: directory)
                    return DetachedProcess.code(status)
                }
                settings.announcer.warn(
                    .crashed, "\(Self.name(of: signal)) ended Shunt; it is started again in \(pause) ms",
                    ["signal": Self.name(of: signal), "pauseMilliseconds": pause])
                Task {
                    try? await Task.sleep(for: .milliseconds(pause))
                    feed.yield(.pauseIsOver)
                }
            case .pauseIsOver:
                pid = try start(log, DetachedProcess.raised(open("/dev/null", O_WRONLY | O_CLOEXEC)), feed)
            }
        }
        return 1
    }

    private func start(_ log: String, _ ready: CInt, _ feed: AsyncStream<Event>.Continuation) throws -> pid_t {
        let output = DetachedProcess.raised(fcntl(2, F_DUPFD_CLOEXEC, 0))
        defer {
            close(output)
            close(ready)
        }
        let pid = try DetachedProcess.start(
            DetachedServer.variable, log: log, output: output, ready: ready, leads: false)
        do throws(SystemError) {
            try Loop.startThread(name: "keeper") { feed.yield(.ended(DetachedProcess.wait(for: pid))) }
        } catch {
            kill(pid, SIGKILL)
            throw CommandFailure(ProxyError.system(error), option: "")
        }
        return pid
    }

    /// The log may have been renewed, or removed.
    private func redirect(to log: String) {
        let descriptor = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        dup2(descriptor, 2)
        dup2(descriptor, 1)
        close(descriptor)
    }

    private static func name(of signal: CInt) -> String {
        let names = [
            SIGSEGV: "SIGSEGV", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS",
            SIGFPE: "SIGFPE", SIGKILL: "SIGKILL",
        ]
        return names[signal] ?? "signal \(signal)"
    }
}

/// Restarts of a server that crashes again and again: a few, after pauses that grow.
struct CrashCount {
    /// Restarts in a row.
    static let most = 5
    /// A server that has run for so long begins a new row.
    private static let stableTime = Duration.seconds(60)
    private static let firstPause = 100

    private var count = 0
    private var last: ContinuousClock.Instant?

    /// Milliseconds to wait before the next start; nil where there are no more.
    mutating func pause(now: ContinuousClock.Instant = .now) -> Int? {
        if let last, last.duration(to: now) > Self.stableTime { count = 0 }
        last = now
        count += 1
        return count > Self.most ? nil : Self.firstPause << (count - 1)
    }
}
