extension Command {
    static let push = Command(
        name: "push",
        summary: "Send push notifications to APNs, or list those that a stand-in for APNs has accepted.",
        usage: "push TOKEN…|received [options]",
        details: [
            "Notifications are sent through a running Shunt, by the route of a profile with \"push\": to a stand-in "
                + "for APNs, to the sandbox or, if it is unlocked, to production. All use one connection, as many in "
                + "parallel as it allows. After 429 and 503 the command pauses, after 403 it ends at once.",
            "`shunt push received` lists what a route with \"push\": { \"environment\": \"mock\" } has accepted. It is "
                + "kept in memory, the newest 10,000, until Shunt ends.",
            "Exit status 0: all were accepted; 1: some were refused; 2: the run ended at a 403.",
        ],
        options: [
            .value("topic", "TOPIC", "The identifier of the app."),
            .value("alert", "TEXT", "The text that users see.").excluding("payload"),
            .value("payload", "FILE", "A JSON object instead."),
            .value(
                "type", "TYPE", default: "alert; background for a payload with content-available alone",
                "The apns-push-type."),
            .value("priority", "N", default: "that of APNs; 5 with the type background", "1, 5 or 10."),
            .value(
                "expiration", "SECONDS",
                "Until when APNs tries to deliver it, in seconds since 1970; 0: it tries once."),
            .value("collapse-id", "ID", "The notification replaces an earlier one with the same identifier."),
            .value("tokens", "FILE", "Device tokens, one per line, instead of those of the command line."),
            .flag(
                "stdin-jsonl",
                "Notifications from standard input, one object per line: token, and payload, topic, type, priority, "
                    + "expiration, collapseID where they differ."),
            .value("dead", "FILE", "Append device tokens that are to be deleted (410, BadDeviceToken), as JSON lines."),
            .value(
                "resume", "FILE",
                "Record acknowledged notifications there, and continue where an earlier run stopped."),
            .value("streams", "N", default: "as many as the connection allows", "How many at once."),
            .value(
                "key", "FILE", default: "one made for this run, which a stand-in takes",
                "AuthKey_….p8, if the route has no key."),
            .value("key-id", "ID", "Apple's identifier of the key."),
            .value("team-id", "ID", "The identifier of the key's team."),
            .value("profile", "NAME", default: "the active one", "The profile whose route is used."),
            .flag("follow", short: "f", "With received: also list new ones as they arrive, until Ctrl-C."),
            .value("lines", short: "n", "N", default: "all", "With received: the newest N alone."),
            .flag("clear", "With received: delete them, and list nothing.").excluding("follow", "lines"),
            .running, .profiles,
            .flag("json", "The summary as JSON; with received one object per line, with whole tokens and payloads."),
        ],
        operands: 0...1000,
        examples: [("What was delivered in a test", "shunt push received --json")]
    ) { arguments in
        let isListing = arguments.operands == ["received"]
        for name in isListing ? sending : listing where arguments.has(name) {
            throw UsageError(
                "--\(name) \(isListing ? "beside" : "without") `received`",
                advice: "`shunt push --help` says which options belong together.")
        }
        return isListing ? try PushReceived.run(arguments) : try PushSend.run(arguments)
    }

    private static let listing = ["follow", "lines", "clear"]
    private static let sending = [
        "topic", "alert", "payload", "type", "priority", "expiration", "collapse-id", "tokens", "stdin-jsonl", "dead",
        "resume", "streams", "profile", "key", "key-id", "team-id",
    ]
}
