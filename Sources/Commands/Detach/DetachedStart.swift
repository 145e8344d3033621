import Admin
import Engine
import JSON
import Platform
import Reactor

/// `serve --detach`: starts a ``DetachedKeeper`` in a session of its own, and waits until its server listens or has
/// failed.
struct DetachedStart {
    private enum Event: Sendable {
        /// It listens, and this is what it says of itself.
        case listens(JSONValue)
        /// With the status that waitpid(2) gives.
        case ended(CInt)
        case signal(CInt)
    }

    /// How long a start that is broken off may take to end.
    private static let patience = Duration.seconds(2)

    private let settings: ServeSettings
    private let file: AdminFile
    /// The messages of the start.
    private let log: String

    init(_ settings: ServeSettings, _ project: Project) {
        self.settings = settings
        file = AdminFile(profilesDirectory: project.profilesDirectory)
        log = DetachedLog.beginning(in: file.directory)
    }

    /// - Returns: the exit status: that of the server where it does not come to listen.
    func run(_ signals: AsyncStream<CInt>) async throws -> CInt {
        let (events, feed) = AsyncStream.makeStream(of: Event.self)
        Task { for await signal in signals { feed.yield(.signal(signal)) } }
        try CommandFailure.of(advice: "Shunt needs to write there; check the folder's permissions.") {
            try file.makeDirectory()
        }
        // Of two that start at once the second one sees the first.
        let turn = open(file.directory, O_RDONLY | O_CLOEXEC)
        defer { if turn >= 0 { close(turn) } }
        while turn >= 0, flock(turn, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            try? await Task.sleep(for: .milliseconds(20))
        }
        try refuseSecond()
        let pid = try start(feed)
        return await follow(events, pid)
    }

    private func refuseSecond() throws {
        let running = file.running() + RunningShunt.all
        guard settings.port != 0, let other = running.first(where: { $0.port == settings.port }) else { return }
        throw CommandFailure(
            "a Shunt runs on port \(other.port) already: pid \(other.pid), in "
                + Path.short(Path.directory(of: other.profilesDirectory)),
            advice: "`shunt stop -p \(other.port)` ends it. For another one beside it: --port N, or --port 0 for any.")
    }

    private func follow(_ events: AsyncStream<Event>, _ pid: pid_t) async -> CInt {
        var ending: CInt?
        for await event in events {
            switch event {
            case .signal(let number):
                // It leads a group, to which the server belongs.
                kill(-pid, ending == nil ? SIGTERM : SIGKILL)
                guard ending == nil else { continue }
                ending = number
                // A start that waits for a file or a name takes no signal.
                Task {
                    try? await Task.sleep(for: Self.patience)
                    kill(-pid, SIGKILL)
                }
            case .listens(let started):
                guard ending == nil else { continue }
                tell(started)
                return 0
            case .ended(let status):
                // What it had to say is in the way of its log.
                if let bytes = try? Files.read(log) { Terminal.write(bytes, to: 2) }
                unlink(log)
                // Removes the entries of one that was killed.
                _ = file.running() + RunningShunt.all
                if let ending { return 128 + ending }
                let code = DetachedProcess.code(status)
                return code == 0 ? 1 : code
            }
        }
        return 1
    }

    /// What the server has printed, and how to end it.
    private func tell(_ started: JSONValue) {
        let log = started["log"]?.string ?? ""
        if let bytes = try? Files.read(log) { Terminal.write(bytes, to: 2) }
        let (port, pid) = (started["port"]?.number?.int64 ?? 0, started["pid"]?.number?.int64 ?? 0)
        settings.announcer.block(
            .detached,
            "shunt: runs in the background (pid \(pid)); `shunt stop -p \(port)` ends it, its messages are in "
                + Path.short(log)
        ) { object in
            object.members(["pid": Int(pid), "port": Int(port), "log": log])
        }
    }

    // MARK: The other process

    private func start(_ feed: AsyncStream<Event>.Continuation) throws -> pid_t {
        var ends: [CInt] = [-1, -1]
        unlink(log)
        let output = DetachedProcess.raised(open(log, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600))
        guard output >= 0, pipe(&ends) == 0 else {
            throw CommandFailure("\(FileFailure(log, "written"))", advice: "Check the folder's permissions.")
        }
        let (ready, telling) = (DetachedProcess.raised(ends[0]), DetachedProcess.raised(ends[1]))
        let pid: pid_t
        do {
            defer {
                close(output)
                close(telling)
            }
            pid = try DetachedProcess.start(
                DetachedKeeper.variable, log: log, output: output, ready: telling, leads: true)
        } catch {
            unlink(log)
            throw error
        }
        do throws(SystemError) { try Loop.startThread(name: "start") { Self.wait(for: pid, ready, feed) } } catch {
            kill(-pid, SIGKILL)
            unlink(log)
            throw CommandFailure(ProxyError.system(error), option: "")
        }
        return pid
    }

    private static func wait(for pid: pid_t, _ ready: CInt, _ feed: AsyncStream<Event>.Continuation) {
        var told: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 4096)
        while told.last != UInt8(ascii: "\n") {
            let count = read(ready, &room, room.count)
            if count > 0 { told += room[..<count] } else if count == 0 || errno != EINTR { break }
        }
        close(ready)
        if let value = try? JSONReader.read(told, dialect: .strict) { feed.yield(.listens(value)) }
        feed.yield(.ended(DetachedProcess.wait(for: pid)))
    }
}
