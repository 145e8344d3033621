import Admin
import Engine

extension Command {
    static let unlock = Command.admin(
        name: "unlock",
        summary: "Allow changes to production for a limited time.",
        usage: "unlock NAME --for TIME --reason TEXT [options]",
        details: [
            "Profiles of kind production are read-only: requests with unsafe methods get 403. This command allows them for "
                + "one profile of a running Shunt, for at most \(Locks.allowed.upperBound / 3600) hours; the log notes "
                + "the beginning and the end. Repeat it to set another time or reason."
        ],
        options: [
            .value("for", "TIME", "How long, such as 10m. Required."),
            .value("reason", "TEXT", "Why, for the log. Required."),
        ],
        operands: 1...1,
        examples: [("Ten minutes", "shunt unlock production --for 10m --reason \"refund of order 4711\"")]
    ) { shunt, arguments in
        guard let seconds = try arguments.seconds("for", atMost: Locks.allowed.upperBound) else {
            throw UsageError("for how long?", advice: "Write --for TIME, such as --for 10m.")
        }
        guard let reason = arguments.text("reason"), reason.contains(where: { !$0.isWhitespace }) else {
            throw UsageError("why?", advice: "Write --reason \"…\": it is kept in the log.")
        }
        let reply = try shunt().ask(API.unlock) {
            $0.profile = arguments.operands[0]
            $0.seconds = seconds
            $0.reason = reason
        }
        return CommandResult(
            reply,
            "Profile \(reply.profile) may be written to for \(Words.span(seconds)), until \(Words.clock(after: seconds)); "
                + "`shunt lock \(reply.profile)` ends it sooner.\n"
                + (reply.cluster.map { "That counts on \($0.count).\n" + $0.misses(nil) } ?? ""))
    }
}
