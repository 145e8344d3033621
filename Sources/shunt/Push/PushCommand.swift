extension Command {
    static let push = Command(
        name: "push",
        summary: "List the push notifications that a stand-in for APNs has accepted.",
        usage: "push received [options]",
        details: [
            "A route with \"push\": { \"environment\": \"mock\" } responds as APNs would. What it accepts is kept in "
                + "memory, the newest 10,000, until Shunt ends."
        ],
        options: [
            .flag("follow", short: "f", "Go on with new ones as they come, until Ctrl-C."),
            .value("lines", short: "n", "N", default: "all", "The newest N alone."),
            .flag("clear", "Forget them, and list nothing."), .running, .profiles,
            .flag("json", "One JSON object per line, with whole device tokens and payloads."),
        ],
        operands: 1...1,
        examples: [("What was delivered in a test", "shunt push received --json")]
    ) { (arguments) async throws(CommandFailure) in
        guard arguments.operands == ["received"] else {
            throw .usage(
                UsageError(
                    "unknown action “\(arguments.operands.joined(separator: " "))”",
                    advice: "Usage: shunt push received"))
        }
        return try PushReceived.run(arguments)
    }
}
