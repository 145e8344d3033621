import CSystem
import JSON

extension Command {
    static let version = Command(
        name: "version",
        summary: "Show the version, and the commit that a package was built from.",
        usage: "version [options]",
        options: [.json]
    ) { arguments in
        let commit = String(cString: shunt_commit())
        return CommandResult("shunt \(Tool.version)" + (commit.isEmpty ? "" : " (commit \(commit))") + "\n") {
            $0.member("version", Tool.version)
            if !commit.isEmpty { $0.member("commit", commit) }
        }.show(arguments)
    }
}
