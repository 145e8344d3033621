import Admin
import Engine
import JSON

extension Command {
    static let unlock = Command(
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
            .value("reason", "TEXT", "Why, for the log. Required."), .running, .profiles, .json,
        ],
        operands: 1...1,
        examples: [("Ten minutes", "shunt unlock production --for 10m --reason \"refund of order 4711\"")]
    ) { arguments in
        let seconds: Int
        let reason: String
        (seconds, reason) = try unlocking(arguments)
        let record = try RunningShunt.find(arguments)
        let response = try AdminClient(record).unlock(arguments.operands[0], seconds: seconds, reason: reason)
        if arguments.has("json") {
            Terminal.out { $0.value(response) }
        } else {
            let name = response["profile"]?.string ?? ""
            Terminal.out(
                "Profile \(name) may be written to for \(StatusText.span(Int64(seconds))), until "
                    + "\(StatusText.clock(after: seconds)); `shunt lock \(name)` ends it sooner.\n"
                    + (TakeoverText(response).map { "That counts on \($0.count).\n" + $0.misses(nil) } ?? ""))
        }
        return 0
    }

    private static func unlocking(_ arguments: Arguments) throws -> (seconds: Int, reason: String) {
        guard let time = try arguments.duration("for") else {
            throw UsageError("for how long?", advice: "Write --for TIME, such as --for 10m.")
        }
        let seconds = Int(clamping: (time - 1) / 1_000_000_000 + 1)
        guard Locks.allowed.contains(seconds) else {
            throw UsageError(
                "--for “\(arguments.text("for") ?? "")” is too long",
                advice: "Give a time of at most \(Locks.allowed.upperBound / 3600)h.")
        }
        guard let reason = arguments.text("reason"), reason.contains(where: { !$0.isWhitespace }) else {
            throw UsageError("why?", advice: "Write --reason \"…\": it is kept in the log.")
        }
        return (seconds, reason)
    }
}
