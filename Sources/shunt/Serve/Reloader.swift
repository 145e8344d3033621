import Admin
import Engine
import JSON
import Profiles

/// Reads the profiles anew, one attempt at a time, whoever asks for it: a signal, a changed file, a command.
actor Reloader {
    private let project: Project
    private let proxy: Proxy
    private let announcer: Announcer
    private var seen: FolderWatch
    /// The active profile whose disappearance kept the old profiles in place.
    private var missing: String?

    init(_ project: Project, _ proxy: Proxy, _ announcer: Announcer, seen: FolderWatch) {
        self.project = project
        self.proxy = proxy
        self.announcer = announcer
        self.seen = seen
    }

    /// Reads the files and takes them over if all are right; says on standard error what came of it.
    func reload() -> ReloadReport {
        seen = FolderWatch(project.profilesDirectory)
        missing = nil
        let report = attempt()
        if !report.problems.isEmpty {
            for problem in report.problems {
                announcer.warn("problem", problem) { $0.member("message", problem) }
            }
            announcer.warn("kept", "the profiles have errors, so the old ones stay") {
                $0.member("problems", report.problems.count)
            }
        } else if report.changes.isEmpty {
            announcer.tell("reloaded", "profiles read again: nothing changed") { $0.member("changes", [String]()) }
        } else {
            announcer.tell("reloaded", "profiles read again: " + report.changes.joined(separator: "; ")) {
                $0.member("changes", report.changes)
            }
        }
        return report
    }

    /// Looks at the files twice a second until the task is cancelled.
    func watch() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(500))
            var now = FolderWatch(project.profilesDirectory)
            let canRecover = missing != nil && proxy.profiles?.active != missing
            guard !Task.isCancelled, now != seen || canRecover else { continue }
            // An editor may be in the middle of its work: wait until the files stand still.
            for _ in 0..<10 {
                try? await Task.sleep(for: .milliseconds(50))
                let next = FolderWatch(project.profilesDirectory)
                if next == now { break }
                now = next
            }
            // Somebody else may have asked in the meantime.
            if !Task.isCancelled, now != seen || canRecover { _ = reload() }
        }
    }

    private func attempt() -> ReloadReport {
        let old = proxy.profiles
        let library: ProfileLibrary
        do throws(ProfileProblems) {
            library = try project.read()
        } catch {
            return ReloadReport(changes: [], problems: error.all.map(\.description))
        }
        do throws(ProxyError) {
            try proxy.replace(with: library)
        } catch {
            if case .noSuchProfile(let name, _, _) = error {
                missing = name
                let problem =
                    "the active profile “\(name)” is gone from \(Path.short(project.profilesDirectory)): put its file "
                    + "back, or make another one active with `shunt use`"
                return ReloadReport(changes: [], problems: [problem])
            }
            return ReloadReport(changes: [], problems: [ErrorText(error).line])
        }
        return ReloadReport(changes: old.map { LibraryChanges.list(from: $0.library, to: library) } ?? [])
    }
}
