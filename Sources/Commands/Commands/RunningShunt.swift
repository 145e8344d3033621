import Admin
import Platform

/// Finds the running Shunt that a command means.
enum RunningShunt {
    /// Every one of this user.
    static var all: [AdminRecord] { RunningList()?.running() ?? [] }

    /// The one at `--port`; else the only one of the project, or outside of a project the only one that runs.
    ///
    /// With `--admin` or `SHUNT_ADMIN` it is one elsewhere. The token of `--token-file` takes the place of the owner's.
    static func find(_ arguments: Arguments) throws -> AdminRecord {
        if let remote = try RemoteShunt.find(arguments) { return remote }
        var record = try findHere(arguments)
        if let token = try RemoteShunt.token(arguments) { record.token = token }
        return record
    }

    /// The project of the Shunt at `--port`; without that option the one that ``Project/find(_:)`` finds, or outside of a
    /// project that of the only Shunt that runs.
    static func project(_ arguments: Arguments) throws -> Project {
        if !arguments.has("port"), let project = try? Project.find(arguments),
            project.hasFiles || Project.named(arguments) != nil || isRunning(project) || all.isEmpty
        {
            return project
        }
        return Project(profilesDirectory: try findHere(arguments).profilesDirectory)
    }

    private static func isRunning(_ project: Project) -> Bool {
        !AdminFile(profilesDirectory: project.profilesDirectory).running().isEmpty
    }

    private static func findHere(_ arguments: Arguments) throws -> AdminRecord {
        let wanted = try arguments.port("port")
        let project: Project
        do {
            project = try Project.find(arguments)
        } catch {
            let running = all
            guard wanted != nil || !running.isEmpty else { throw error }
            return try choose(wanted, of: running, "")
        }
        let own = AdminFile(profilesDirectory: project.profilesDirectory).running()
        let isElsewhere = wanted != nil && !own.contains { $0.port == wanted } || own.isEmpty && !project.hasFiles
        // A folder that is named says which project is meant.
        let running = isElsewhere && Project.named(arguments) == nil ? all : own
        return try choose(wanted, of: running, "with the profiles in \(Path.short(project.profilesDirectory))")
    }

    private static func choose(_ wanted: UInt16?, of running: [AdminRecord], _ place: String) throws -> AdminRecord {
        let list = running.map { "\($0.port) (\(Path.short(Path.directory(of: $0.profilesDirectory))))" }
            .joined(separator: ", ")
        if let wanted {
            if let record = running.first(where: { $0.port == wanted }) { return record }
            throw CommandFailure(
                "no Shunt of yours listens on port \(wanted)",
                advice: running.isEmpty ? "Start one with `shunt serve`." : "Running on: \(list).")
        }
        guard let first = running.first else {
            throw CommandFailure(
                "no Shunt runs \(place)",
                advice: "Start one with `shunt serve`. `shunt ps` lists those of other folders.")
        }
        guard running.count == 1 else {
            throw CommandFailure("several Shunts run", advice: "Say which with -p PORT: \(list).")
        }
        return first
    }

    /// Fails unless the running Shunt has all these profiles; to be asked before anything is sent to one of them.
    static func check(_ names: [String], in running: AdminRecord) throws {
        let known = try AdminClient(running).ask(API.status).profiles.map(\.name)
        for name in names where !known.contains(name) { throw CommandFailure.noProfile(name, among: known) }
    }

    /// The only one that runs with the project's profiles; nil if none does.
    static func only(_ project: Project) throws -> AdminRecord? {
        let running = AdminFile(profilesDirectory: project.profilesDirectory).running()
        return running.isEmpty ? nil : try choose(nil, of: running, "")
    }

    /// The active profile, if it responds.
    static func activeProfile(_ running: AdminRecord) -> String? { try? AdminClient(running).ask(API.status).active }
}
