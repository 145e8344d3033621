import Admin

extension Command {
    static let reload = Command.admin(
        name: "reload",
        summary: "Make a running Shunt read its profiles again.",
        usage: "reload [options]",
        details: [
            "Shunt reads changed files by itself; this command is for scripts that need to know whether the files are "
                + "valid. With errors the old profiles stay, and the exit status is 1."
        ],
        options: [.quiet],
        examples: [("Read them now", "shunt reload")]
    ) { find, arguments in
        let shunt = try find()
        do throws(AdminClientFailure) {
            let reply = try shunt.ask(API.reload)
            return CommandResult(
                reply, reply.changes.isEmpty ? "Nothing changed.\n" : reply.changes.map { $0 + "\n" }.joined())
        } catch {
            if case .refused(_, _, _, let response) = error, let refused = Record<API.Reloaded>(json: response) {
                if arguments.has("json") {
                    Terminal.out(json: refused.write)
                } else {
                    for problem in refused.problems { Terminal.error(problem + "\n") }
                }
            }
            throw error
        }
    }
}
