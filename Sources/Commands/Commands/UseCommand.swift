import Admin

extension Command {
    static let use = Command(
        name: "use",
        summary:
            "Make another profile active, for all clients, or for one device, program or user.",
        usage: "use NAME [options]",
        details: [
            "Requests in progress finish under the profile with which they began. New ones use the new profile.",
            "In a cluster (`shunt serve --cluster`) the change applies to all nodes. The command prints how many nodes "
                + "have applied it, and which have not; this takes some milliseconds, or a second if a node does not "
                + "respond.",
            "With --device only requests of that device change; the active profile stays. An address needs no pairing.",
            "With --app only requests of that program change, on the machine where Shunt runs: the simulator goes to "
                + "staging while the browser stays. `shunt devices` lists the programs that are connected.",
            "On a gateway of several people, --mine changes the profile of your own devices only; it needs your token "
                + "(--token-file, or SHUNT_TOKEN with --admin). A device's own profile comes before its user's.",
        ],
        options: [
            .flag(
                "wait",
                "Return when the old profile responds to no request any more, on any node of a cluster; exit status 1 "
                    + "if that is not certain."
            ).excluding("device", "app", "mine", "user"),
            .flag(
                "close-sockets",
                "End the WebSockets and event streams that are open under the old profile, so that their clients connect "
                    + "again. In a cluster those of this node. `\"closeSockets\": true` in a profile always does so, on "
                    + "every node."
            ).excluding("device", "app", "mine", "user"),
            .value("wait-time", "TIME", default: "10s", "How long --wait waits, up to a minute.").needing("wait"),
            .value("device", "NAME|ADDRESS", "One of `shunt devices`, or any client's address.")
                .excluding("app", "mine", "user"),
            .value("app", "NAME", "A program of this machine, or the script that it runs: curl, Safari, tests.py.")
                .excluding("mine", "user"),
            .flag("mine", "For all devices of yours that have no profile of their own.").excluding("user"),
            .value("user", "NAME", "The same for another user; one of `shunt token list`."),
            .flag("active", "Follow the active profile again.").needing(oneOf: "device", "app", "mine", "user")
                .replacing(operand: "NAME"),
            .running, .profiles, .quiet, .json,
        ],
        examples: [
            ("From now on staging responds", "shunt use staging"),
            ("In a deployment: no request to the old one after this", "shunt use staging --wait --wait-time 20s"),
            ("But not for this phone", "shunt use local --device 192.168.1.7"),
            ("But not for what Safari sends", "shunt use local --app Safari"),
            ("Now for this phone, too", "shunt use --device 192.168.1.7 --active"),
        ], canBeRemote: true, run: UseCommand.run)
}

/// What `shunt use` does.
enum UseCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        let patience = arguments.has("wait") ? try arguments.seconds("wait-time", atMost: 60) ?? 10 : nil
        let record = try RunningShunt.find(arguments)
        // The profile may be in a file that was not read yet.
        defer { if record.remote == nil { FilesOnDisk.tell(record.profilesDirectory) } }
        return try ask(AdminClient(record), arguments, patience).show(arguments)
    }

    private static func ask(_ shunt: AdminClient, _ arguments: Arguments, _ patience: Int?) throws -> CommandResult {
        let name = arguments.operands.first
        if let device = arguments.text("device") {
            let reply = try shunt.ask(API.useDevice) { ($0.profile, $0.device) = (name, device) }
            return CommandResult(
                reply,
                choice(reply.device, "goes", reply.profile, reply.previous, before: "it went with the active one"))
        }
        if let app = arguments.text("app") {
            let reply = try shunt.ask(API.useApp) { ($0.profile, $0.app) = (name, app) }
            return CommandResult(
                reply, choice(reply.app, "goes", reply.profile, reply.previous, before: "it had none of its own"))
        }
        if arguments.has("mine") || arguments.has("user") {
            let reply =
                if let user = arguments.text("user") {
                    try shunt.ask(API.useUser) { ($0.profile, $0.user) = (name, user) }
                } else {
                    try shunt.ask(API.useMine) { $0.profile = name }
                }
            return CommandResult(
                reply,
                choice("\(reply.user)'s devices", "go", reply.profile, reply.previous, before: "it was the active one"))
        }
        let reply = try shunt.ask(API.use, more: patience ?? 0) {
            $0.profile = name ?? ""
            $0.closeSockets = arguments.has("close-sockets") ? true : nil
            if let patience { ($0.wait, $0.waitSeconds) = (true, patience) }
        }
        let isMissed = patience != nil && (reply.cluster?.isComplete == false || reply.unanswered ?? 0 > 0)
        return CommandResult(reply, text(reply, shunt.record), status: isMissed ? 1 : 0)
    }

    private static func text(_ reply: Record<API.Used>, _ record: AdminRecord) -> String {
        let before = reply.active == reply.previous ? "it was before, too" : "before it was \(reply.previous)"
        if let cluster = reply.cluster {
            return "Profile \(reply.active) is active on \(cluster.count); \(before).\n" + cluster.misses(reply.active)
                + streams(reply)
        }
        let unanswered = reply.unanswered ?? 0
        return "Profile \(reply.active) is active \(record.place); \(before).\n"
            + (unanswered > 0 ? "Requests that began before wait for their response: \(unanswered).\n" : "")
            + streams(reply)
    }

    /// What became of WebSockets and event streams that began before; nothing without any.
    private static func streams(_ reply: Record<API.Used>) -> String {
        guard let counts = reply.closed ?? reply.open else { return "" }
        let parts = [(counts.webSockets, "WebSocket"), (counts.eventStreams, "event stream")]
        let what = parts.filter { $0.0 > 0 }.map { Words.count($0.0, $0.1) }.joined(separator: " and ")
        if reply.closed != nil { return "Ended: \(what) of before.\n" }
        return "Still with the profile of before: \(what). `--close-sockets` ends them.\n"
    }

    /// What one device, or the devices of one user, go by.
    private static func choice(
        _ whose: String, _ goes: String, _ profile: String?, _ previous: String?, before: String
    ) -> String {
        let before = previous.map { "before it was \($0)" } ?? "before \(before)"
        return profile.map { "\(whose) \(goes) by profile \($0); \(before).\n" }
            ?? "\(whose) \(goes) with the active profile; \(before).\n"
    }
}
