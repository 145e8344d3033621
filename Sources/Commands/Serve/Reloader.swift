import Admin
import Engine
import JSON
import Platform
import Profiles
import Reactor

/// Reads the profiles anew, one attempt at a time, on a signal, a changed file or a command.
actor Reloader {
    private let project: Project
    private let proxy: Proxy
    private let announcer: Announcer
    private var seen: FolderWatch
    /// The active profile whose disappearance kept the old profiles in place.
    private var missing: String?
    /// Of the last attempt; while there are any, the profiles before it serve.
    private var problems: [String] = []
    /// Traffic is recorded, and not sealed.
    private let recordsInClear: Bool
    private let wake: AsyncStream<Void>.Continuation?

    init(
        _ project: Project, _ proxy: Proxy, _ announcer: Announcer, seen: FolderWatch,
        wake: AsyncStream<Void>.Continuation?, recordsInClear: Bool
    ) {
        (self.wake, self.recordsInClear) = (wake, recordsInClear)
        var project = project
        // An exception that ends meanwhile is refused where it is used; the rest of its file still counts.
        project.now = Int64(time(nil))
        (self.project, self.proxy, self.announcer, self.seen) = (project, proxy, announcer, seen)
        self.seen.look(at: Self.named(by: proxy))
    }

    /// The folder and the files that its profiles name.
    private func look() -> FolderWatch { FolderWatch(project.watchedDirectory, Self.named(by: proxy)) }

    /// Files that profiles name, such as CAs and contracts, without those in the folder, which are watched anyway.
    private static func named(by proxy: Proxy) -> [String] {
        guard let library = proxy.profiles?.library else { return [] }
        let directory = library.directory.map { Path.absolute($0) }
        let named = library.files.filter { file in
            !file.hasSuffix(".json") && !file.hasSuffix(".json5")
                || Path.directory(of: Path.absolute(file)) != directory
        }
        return named + library.reflected
    }

    /// Reads the files and takes them over if all are right; says on standard error what came of it.
    ///
    /// - Parameter isAsked: by a person or a script; where a file has merely changed, what was production stays so.
    func reload(isAsked: Bool = true) -> ReloadReport {
        let before = Self.named(by: proxy)
        seen = look()
        missing = nil
        let report = attempt(isAsked: isAsked)
        problems = report.problems
        wake?.yield()
        let after = Self.named(by: proxy)
        if after != before { seen.look(at: after) }
        if !report.problems.isEmpty {
            for problem in report.problems {
                announcer.warn(.problem, problem, ["message": problem])
            }
            announcer.warn(
                .kept, "the profiles have errors, so the old ones stay",
                ["problems": report.problems.count])
        } else if report.changes.isEmpty {
            announcer.tell(.reloaded, "profiles read again: nothing changed", ["changes": [String]()])
        } else {
            announcer.tell(
                .reloaded, "profiles read again: " + report.changes.joined(separator: "; "),
                ["changes": report.changes])
        }
        return report
    }

    /// Reads what has changed and was not read yet, so that a command sees the files that were written before it.
    ///
    /// - Returns: `file:line:column: message` of each problem; the old profiles serve where there is any.
    func catchUp() -> [String] {
        if look() != seen { _ = reload(isAsked: false) }
        return problems
    }

    /// How many looks a recording has to stand still before it is read again, and how many it waits for that at most.
    private static let (stillLooks, maxLooks) = (4, 20)

    /// Reads the files again when they change, until the task is cancelled.
    func watch() async {
        let notices = FileNotices()
        defer { notices.end() }
        for await _ in notices.changes {
            await takeChanges()
            let folder = project.watchedDirectory.map { [$0] } ?? []
            // What servers say of themselves is seen when it comes for the first time.
            let folders = Set(proxy.profiles?.library.reflected.map(Path.directory) ?? [])
            // A recording that is made by use is not there at first.
            notices.watch(folder + seen.files + Self.named(by: proxy) + folders, often: missing != nil)
        }
    }

    private func takeChanges() async {
        let canRecover = missing != nil && proxy.profiles?.active != missing
        var now = look()
        guard now != seen || canRecover else { return }
        // One that is being written grows all the time.
        var (still, waited) = (0, 0)
        while !canRecover, now.differsByRecordings(from: seen), still < Self.stillLooks, waited < Self.maxLooks {
            try? await Task.sleep(for: .milliseconds(500))
            let next = look()
            (still, waited) = (next == now ? still + 1 : 0, waited + 1)
            now = next
        }
        // An editor may be in the middle of its work: wait until the files stand still.
        for _ in 0..<10 {
            try? await Task.sleep(for: .milliseconds(50))
            let next = look()
            if next == now { break }
            now = next
        }
        // Another request may have reloaded in the meantime.
        if !Task.isCancelled, now != seen || canRecover { _ = reload(isAsked: false) }
    }

    private func attempt(isAsked: Bool) -> ReloadReport {
        let old = proxy.profiles
        var library: ProfileLibrary
        do throws(ProfileProblems) { library = try project.read() } catch {
            return ReloadReport(changes: [], problems: error.all.map(\.description))
        }
        if !isAsked, let old {
            library = library.keepingProduction(of: old.library)
            let unverified = library.unverifiedKeptProduction
            if !unverified.isEmpty { return ReloadReport(changes: [], problems: unverified) }
        }
        if recordsInClear, library.sealing != nil {
            let problem =
                "a profile says \"seal\" under \"store\" now, and this Shunt records in the clear: start it again"
            return ReloadReport(changes: [], problems: [problem])
        }
        do throws(ProxyError) {
            for entry in try proxy.replace(with: library) {
                announcer.tellLocked(entry, "its origins have changed")
            }
        } catch {
            if case .noSuchProfile(let name, _, _) = error {
                missing = name
                let problem =
                    "the active profile “\(name)” is gone from \(Path.short(project.profilesDirectory)): put its file "
                    + "back, or make another one active with `shunt use`"
                return ReloadReport(changes: [], problems: [problem])
            }
            return ReloadReport(changes: [], problems: [CommandFailure(error, option: "--port").line])
        }
        let changes = old.map { LibraryChanges.list(from: $0.library, to: library) } ?? []
        return ReloadReport(changes: changes + proxy.changedTrustFiles.map { "\(Path.short($0)) has other content" })
    }
}
