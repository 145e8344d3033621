import Admin
import Engine
import JSON
import Platform
import Profiles
import Reactor
import Synchronization

/// Keeps the files by which commands find this Shunt, and the one with which a server goes on after a crash.
final class FolderKeeper: Sendable {
    private let file: AdminFile
    let record: AdminRecord
    /// nil where this Shunt is in no list.
    private let everyRunning: RunningList?
    private let announcer: Announcer
    private let proxy: Proxy
    /// What was written last; nil before the start has ended, and when the end has begun.
    private let restart = Mutex<(state: RestartState, choices: Choices?)?>(nil)

    /// What is chosen while Shunt runs, and is in no file.
    private struct Choices: Equatable {
        let profile: String
        let unlocked: [Unlocking]
        let mocks: MockSwitches
        let networks: [NetworkChoice]
    }

    init(
        _ file: AdminFile, _ record: AdminRecord, _ everyRunning: RunningList?, _ announcer: Announcer, _ proxy: Proxy
    ) {
        (self.file, self.record, self.everyRunning, self.announcer) = (file, record, everyRunning, announcer)
        self.proxy = proxy
    }

    /// Writes what a crash must not lose, from now on whenever that changes.
    func beginState(pagesPort: UInt16?) throws(FileFailure) {
        let state = RestartState(
            pid: record.pid, port: record.port, adminPort: record.adminPort, pagesPort: pagesPort,
            profile: proxy.profiles?.active ?? "")
        try state.write(to: file.directory)
        restart.withLock { $0 = (state, nil) }
        keepState()
    }

    /// Writes the state if it has changed.
    func keepState() {
        guard let (library, active) = proxy.profiles else { return }
        let choices = Choices(
            profile: active, unlocked: proxy.locks.list(), mocks: proxy.mockSwitches, networks: proxy.networks.choices()
        )
        restart.withLock { restart in
            guard var new = restart, new.choices != choices else { return }
            let now = Int64(time(nil))
            new.choices = choices
            new.state.profile = active
            new.state.digest = choices.unlocked.isEmpty ? "" : ProfilesDigest.make(library)
            new.state.unlocked = choices.unlocked.map {
                RestartState.Unlocked(profile: $0.profile, reason: $0.reason, until: now + Int64($0.secondsLeft()))
            }
            new.state.mocks = choices.mocks
            new.state.networks = choices.networks.map { choice in
                RestartState.Network(
                    name: choice.conditions?.name, device: choice.device,
                    until: choice.secondsLeft().map { now + Int64($0) })
            }
            // The next look tries again.
            if (try? new.state.write(to: file.directory)) != nil { restart = new }
        }
    }

    /// An end that was asked for is no crash.
    func endState() {
        restart.withLock { restart in
            restart?.state.remove(from: file.directory)
            restart = nil
        }
    }

    /// Lets commands in other folders find this Shunt; without that it serves nonetheless.
    func list() {
        do throws(FileFailure) { try everyRunning?.add(record) } catch {
            let text = "`shunt ps` and commands in other folders do not find this Shunt: \(error)"
            announcer.warn(.problem, text, ["message": text])
        }
    }

    /// Not for a project that was deleted, which commands could not use.
    private func restoreEntry() {
        guard let everyRunning, !everyRunning.contains(record),
            Files.isDirectory(Path.directory(of: record.profilesDirectory))
        else { return }
        try? everyRunning.add(record)
    }

    func unlist() { everyRunning?.remove(pid: record.pid) }

    /// Looks after the files when they change, until the task is cancelled.
    func watch() async {
        let notices = FileNotices()
        defer { notices.end() }
        var failed = ""
        for await _ in notices.changes {
            // Who deletes the whole project must be done first: a folder that is made anew would be in the way.
            try? await Task.sleep(for: .milliseconds(500))
            guard !Task.isCancelled else { return }
            restoreEntry()
            keepState()
            failed = keep(failed)
            notices.watch([file.directory] + (everyRunning.map { [$0.directory] } ?? []), often: !failed.isEmpty)
        }
    }

    /// - Parameter failed: the error that was reported last.
    /// - Returns: why it failed; empty if everything is there.
    private func keep(_ failed: String) -> String {
        let missing = file.missing(port: record.port)
        guard !missing.isEmpty else { return "" }
        do throws(FileFailure) {
            try file.write(record)
            let names = missing.map { Path.short($0) }
            let deed = names.count == 1 ? "was deleted and is" : "were deleted and are"
            announcer.warn(.restored, "\(names.joined(separator: " and ")) \(deed) made anew", ["files": names])
            return ""
        } catch {
            let text = "\(error)"
            guard text != failed else { return failed }
            announcer.warn(.problem, "commands do not find this Shunt any more: \(text)", ["message": text])
            return text
        }
    }
}
