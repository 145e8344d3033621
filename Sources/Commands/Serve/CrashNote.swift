import Admin
import CSystem
import JSON
import Platform

/// `.shunt/PORT.crash`: what a server that a signal has ended leaves; the next start tells of it, and keeps it as
/// `PORT.crash.txt`.
enum CrashNote {
    private static let (suffix, toldSuffix) = (".crash", ".crash.txt")

    /// Lets this process leave a note.
    static func install(port: UInt16, in directory: String) {
        let commit = String(cString: shunt_commit())
        let begin = "Shunt \(Tool.version)\(commit.isEmpty ? "" : " (commit \(commit))"), pid \(getpid()), ended by "
        let end = """
            This is a bug of Shunt. Please report it with this note, the first lines of `shunt version`, the last lines
            of its log and, if you can, the request that leads to it. Look them through for secrets first.

            """
        shunt_crash_install("\(directory)/\(port)\(suffix)", begin, end)
    }

    /// Says of each note that no start has told of yet where it is.
    static func tell(in directory: String, _ announcer: Announcer) {
        for name in (try? Files.names(in: directory)) ?? [] where name.hasSuffix(suffix) {
            let port = name.dropLast(suffix.utf8.count)
            let kept = "\(directory)/\(port)\(toldSuffix)"
            guard rename("\(directory)/\(name)", kept) == 0 else { continue }
            announcer.warn(
                .crash, "the last Shunt on port \(port) crashed; please report it with \(Path.short(kept))",
                ["port": String(port), "note": kept])
        }
    }

    /// The notes of the folder.
    static func all(in directory: String) -> [String] {
        let names = (try? Files.names(in: directory)) ?? []
        return names.filter { $0.hasSuffix(suffix) || $0.hasSuffix(toldSuffix) }.sorted().map { "\(directory)/\($0)" }
    }
}
