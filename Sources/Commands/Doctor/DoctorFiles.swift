import Admin
import Engine
import Platform
import Profiles
import Store

/// Checks of a project's files.
enum DoctorFiles {
    /// Free room on the disk below which recording will soon fail.
    private static let leastRoom: Int64 = 256 << 20

    /// The library is nil where nothing can be read.
    static func profiles(_ project: Project) -> (checks: [DoctorCheck], library: ProfileLibrary?) {
        guard project.hasFiles else {
            if let running = AdminFile(profilesDirectory: project.profilesDirectory).running().first {
                let text = "the Shunt at port \(running.port) has those of --origin, in no file"
                return ([.ok(.profiles, text)], nil)
            }
            let check = DoctorCheck.warning(
                .profiles, "there is no folder Profiles here or further up",
                fix: "shunt init writes one; shunt doctor --profiles DIR names another")
            return ([check], nil)
        }
        let library: ProfileLibrary
        do throws(ProfileProblems) { library = try project.read() } catch {
            return (error.all.map { .wrong(.profiles, place($0) + $0.message, fix: fix($0)) }, nil)
        }
        var checks: [DoctorCheck] = []
        do throws(ProxyError) {
            try Proxy.check(library)
            let names = library.profiles.map(\.name).joined(separator: ", ")
            checks.append(.ok(.profiles, "\(Path.short(project.profilesDirectory)): \(names)"))
        } catch {
            let text = CommandFailure(error, option: "--port")
            checks.append(.wrong(.profiles, text.message, fix: text.advice ?? "correct it, then: shunt validate"))
        }
        for rule in library.exceptions {
            checks.append(
                .warning(
                    .trust, "certificates are not checked for \(rule.exceptionText)",
                    fix: "take the rule out; shunt trust explain HOST:PORT shows less permissive ones"))
        }
        return (checks, library)
    }

    private static func place(_ problem: ProfileProblem) -> String {
        problem.file + [problem.line, problem.column].prefix { $0 > 0 }.map { ":\($0)" }.joined() + ": "
    }

    private static func fix(_ problem: ProfileProblem) -> String {
        let parts = [problem.expected.map { "write \($0)" }, problem.hint].compactMap(\.self)
        return parts.isEmpty ? "correct it, then: shunt validate" : parts.joined(separator: "; ")
    }

    /// The notes of crashes, which are bugs to be reported.
    static func crashes(_ project: Project) -> [DoctorCheck] {
        CrashNote.all(in: AdminFile(profilesDirectory: project.profilesDirectory).directory).map { note in
            .warning(
                .crash, "a Shunt crashed: \(Path.short(note))", fix: "report it with that note, then remove the file")
        }
    }

    /// Recorded traffic: whether it can be written, and the room for more.
    static func traffic(_ project: Project) -> [DoctorCheck] {
        let state = AdminFile(profilesDirectory: project.profilesDirectory)
        let directory = state.directory
        let servers = Set(state.running().compactMap(\.store)).filter { PostgresStores.isAddress($0) }
        guard servers.isEmpty else { return servers.sorted().map(server) }
        let path = StoredTraffic.usual(directory)
        let parent = Files.isDirectory(directory) ? directory : project.root
        guard Files.isDirectory(parent) else { return [] }
        let short = Path.short(path)
        guard access(parent, W_OK) == 0, !Files.exists(path) || access(path, W_OK) == 0 else {
            return [
                .wrong(
                    .traffic, "\(short) cannot be written by this user",
                    fix: "sudo chown -R $USER \(Path.quoted(parent)), or shunt serve --store FILE")
            ]
        }
        var (disk, file) = (statvfs(), stat())
        let size = stat(path, &file) == 0 ? Int64(file.st_size) : 0
        guard statvfs(parent, &disk) == 0 else { return [.ok(.traffic, short)] }
        let free = Int64(
            clamping: UInt64(disk.f_bavail).multipliedReportingOverflow(by: UInt64(disk.f_frsize)).partialValue)
        let sizes = "\(short) has \(size >> 20) MB, and the disk \(free >> 20) MB for more"
        guard free >= leastRoom else {
            return [.wrong(.traffic, sizes, fix: "shunt clear, or shunt serve --store-size 100m, or make room")]
        }
        return [.ok(.traffic, sizes)]
    }

    /// A database into which a Shunt of the project records.
    private static func server(_ path: String) -> DoctorCheck {
        do throws(StoreFailure) {
            _ = try TrafficReader(path)
            return .ok(.traffic, "\(PostgresStores.words(path)) can be read")
        } catch {
            let fix =
                switch error.kind {
                case .missing: "start `shunt serve --store` with it once: the first one makes the tables"
                case .earlierVersion: "start `shunt serve --store` with it once, which sets the earlier tables aside"
                case .otherVersion: "bring all Shunts that use it to one version"
                case .readOnly: "give the role the rights of a reader: docs/postgres.md"
                default: "see that the server runs and can be reached from here"
                }
            return .wrong(.traffic, "\(error)", fix: CommandFailure.refusal(error) ?? fix)
        }
    }
}
