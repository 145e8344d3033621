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
    @Sendable
    static func run(_ arguments: Arguments) async throws -> CInt {
        let running = RunningShunt.all.map { record in (record, try? AdminClient(record).status().status) }
        if arguments.has("json") {
            Terminal.out { writer in
                writer.array { array in
                    for (record, status) in running {
                        array.object { object in
                            object.member("port", record.port)
                            object.member("pid", record.pid)
                            object.member("urls", record.urls)
                            object.member("profile", status?.active)
                            object.member("startedAt", status.map { Int($0.startedAt) })
                            object.member("profilesDirectory", record.profilesDirectory)
                        }
                    }
                }
            }
        } else if running.isEmpty {
            Terminal.out("No Shunt runs. Start one with `shunt serve`.\n")
        } else {
            let rows = running.map { record, status in
                [
                    "\(record.port)", status?.active ?? "does not respond", "\(record.pid)",
                    status.map { StatusText.span(StatusText.seconds(since: $0.startedAt)) } ?? "",
                    Path.directory(of: record.profilesDirectory),
                ]
            }
            Terminal.out(
                TextTable([["PORT", "PROFILE", "PID", "RUNNING", "FOLDER"]] + rows, rightAligned: [0, 2]).listing)
        }
        return 0
    }
}
