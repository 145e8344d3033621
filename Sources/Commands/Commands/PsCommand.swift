import Admin
import JSON
import Platform

extension Command {
    static let list = Command(
        name: "ps",
        summary: "List every running Shunt of this user.",
        usage: "ps [options]",
        details: [
            "Commands for a running Shunt accept its port in any folder: `shunt status -p PORT`. Without -p they use "
                + "the one of this project, and outside of a project the only one that runs."
        ],
        options: [.json],
        examples: [
            ("Which ones run, and where", "shunt ps"), ("Their ports, for a script", "shunt ps --json | jq '.[].port'"),
        ],
        run: PsCommand.run)
}

/// What `shunt ps` does.
enum PsCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        let running = RunningShunt.all.map { record in (record, try? AdminClient(record).ask(API.status)) }
        let rows = running.map { record, status in
            [
                "\(record.port)", status?.active ?? "does not respond", "\(record.pid)",
                status.map { Words.span(Words.seconds(since: $0.startedAt)) } ?? "",
                Path.directory(of: record.profilesDirectory),
            ]
        }
        let text =
            rows.isEmpty
            ? "No Shunt runs. Start one with `shunt serve`.\n"
            : TextTable([["PORT", "PROFILE", "PID", "RUNNING", "FOLDER"]] + rows, rightAligned: [0, 2]).listing
        return CommandResult.list(text, running) { object, shunt in
            object.members([
                "port": shunt.0.port, "pid": shunt.0.pid, "urls": shunt.0.urls, "profile": shunt.1?.active,
                "startedAt": shunt.1?.startedAt, "profilesDirectory": shunt.0.profilesDirectory,
            ])
        }.show(arguments)
    }
}
