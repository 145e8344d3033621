import Admin
import JSON

extension Command {
    static let reload = Command(
        name: "reload",
        summary: "Make a running Shunt read its profiles again.",
        usage: "reload [options]",
        details: [
            "Shunt reads changed files by itself; this command is for scripts that need to know whether the files are "
                + "valid. With errors the old profiles stay, and the exit status is 1."
        ],
        options: [.running, .profiles, .quiet, .json],
        examples: [("Read them now", "shunt reload")]
    ) { arguments in
        let record = try RunningShunt.find(arguments)
        do throws(AdminClientFailure) {
            let response = try AdminClient(record).reload()
            if arguments.has("json") {
                Terminal.out { $0.value(response) }
            } else {
                let changes = response["changes"]?.array?.compactMap(\.string) ?? []
                Terminal.tell(
                    changes.isEmpty ? "Nothing changed.\n" : changes.map { $0 + "\n" }.joined(), arguments)
            }
            return 0
        } catch {
            guard case .refused(_, _, _, let response) = error, let problems = response["problems"]?.array else {
                throw CommandFailure.asking(error)
            }
            if arguments.has("json") {
                Terminal.out { $0.value(response) }
            } else {
                for problem in problems { Terminal.error((problem.string ?? "") + "\n") }
            }
            throw CommandFailure.asking(error)
        }
    }
}
