import Admin
import JSON

extension Command {
    static let use = Command(
        name: "use",
        summary: "Make another profile of a running Shunt active, for all clients, for one device or for one user.",
        usage: "use NAME [options]",
        details: [
            "Requests in progress finish under the profile with which they began. New ones use the new profile.",
            "In a cluster (`shunt serve --cluster`) the change applies to all nodes. The command prints how many nodes "
                + "have applied it, and which have not; this takes some milliseconds, or a second if a node does not "
                + "respond.",
            "With --device only requests of that device change; the active profile stays. An address needs no pairing.",
            "On a gateway of several people, --mine changes the profile of your own devices only; it needs your token "
                + "(--token-file, or SHUNT_TOKEN with --admin). A device's own profile comes before its user's.",
        ],
        options: [
            .flag(
                "wait",
                "Return when the old profile responds to no request any more, on any node of a cluster; exit status 1 "
                    + "if that is not certain."
            ).excluding("device", "mine", "user"),
            .flag(
                "close-sockets",
                "End the WebSockets and event streams that are open under the old profile, so that their clients connect "
                    + "again. In a cluster those of this node. `\"closeSockets\": true` in a profile always does so, on "
                    + "every node."
            ).excluding("device", "mine", "user"),
            .value("wait-time", "TIME", default: "10s", "How long --wait waits, up to a minute.").needing("wait"),
            .value("device", "NAME|ADDRESS", "One of `shunt devices`, or any client's address.")
                .excluding("mine", "user"),
            .flag("mine", "For all devices of yours that have no profile of their own.").excluding("user"),
            .value("user", "NAME", "The same for another user; one of `shunt token list`."),
            .flag("active", "With --device, --mine or --user and without NAME: follow the active profile again."),
            .running, .profiles, .quiet, .json,
        ],
        operands: 0...1,
        examples: [
            ("From now on staging responds", "shunt use staging"),
            ("In a deployment: no request to the old one after this", "shunt use staging --wait --wait-time 20s"),
            ("But not for this phone", "shunt use local --device 192.168.1.7"),
            ("Now for this phone, too", "shunt use --device 192.168.1.7 --active"),
        ], run: UseCommand.run)
}

/// What `shunt use` does.
enum UseCommand {
    @Sendable
    static func run(_ arguments: Arguments) async throws -> CInt {
        let patience: Int?
        try check(arguments)
        patience = try waitSeconds(arguments)
        let record = try RunningShunt.find(arguments)
        let name = arguments.operands.first
        do throws(AdminClientFailure) {
            let client = AdminClient(record)
            let response: JSONValue
            let text: String
            var isMissed = false
            if let device = arguments.text("device") {
                response = try client.use(name, device: device)
                text = Self.text(device: response)
            } else if arguments.has("mine") || arguments.has("user") {
                response = try client.use(name, user: arguments.text("user"))
                text = Self.text(user: response)
            } else {
                response = try client.use(
                    name ?? "", waitSeconds: patience, closesSockets: arguments.has("close-sockets"))
                text = Self.text(response, record)
                let unanswered = response["unanswered"]?.number?.int64 ?? 0
                isMissed = patience != nil && (TakeoverText(response)?.isComplete == false || unanswered > 0)
            }
            if arguments.has("json") { Terminal.out { $0.value(response) } } else { Terminal.tell(text, arguments) }
            if record.remote == nil { FilesOnDisk.tell(record.profilesDirectory) }
            return isMissed ? 1 : 0
        } catch {
            // The profile may be in a file that was not read yet.
            if record.remote == nil { FilesOnDisk.tell(record.profilesDirectory) }
            throw CommandFailure.asking(error)
        }
    }

    private static func check(_ arguments: Arguments) throws {
        let usage = "Usage: shunt use NAME [--device DEVICE|--mine|--user NAME], or --active instead of NAME"
        if arguments.has("active") {
            guard ["device", "mine", "user"].contains(where: arguments.has) else {
                throw UsageError("--active needs a --device, --mine or --user", advice: usage)
            }
            guard arguments.operands.isEmpty else {
                throw UsageError("--active and “\(arguments.operands[0])” exclude each other", advice: usage)
            }
        } else if arguments.operands.isEmpty {
            throw UsageError("`shunt use` lacks an argument", advice: usage)
        }
    }

    /// How long `--wait` waits, in seconds; nil without it.
    private static func waitSeconds(_ arguments: Arguments) throws -> Int? {
        guard arguments.has("wait") else { return nil }
        let time = try arguments.duration("wait-time") ?? 10_000_000_000
        let seconds = Int(clamping: (time - 1) / 1_000_000_000 + 1)
        guard seconds <= 60 else {
            throw UsageError(
                "--wait-time “\(arguments.text("wait-time") ?? "")” is too long",
                advice: "Give a time of at most a minute.")
        }
        return seconds
    }

    private static func text(_ response: JSONValue, _ record: AdminRecord) -> String {
        let (active, previous) = (response["active"]?.string ?? "", response["previous"]?.string ?? "")
        let before = active == previous ? "it was before, too" : "before it was \(previous)"
        if let takeover = TakeoverText(response) {
            return "Profile \(active) is active on \(takeover.count); \(before).\n" + takeover.misses(active)
                + streams(response, previous)
        }
        let unanswered = response["unanswered"]?.number?.int64 ?? 0
        return "Profile \(active) is active \(record.place); \(before).\n"
            + (unanswered > 0 ? "Requests that began before wait for their response: \(unanswered).\n" : "")
            + streams(response, previous)
    }

    /// What became of WebSockets and event streams that began before; nothing without any.
    private static func streams(_ response: JSONValue, _ previous: String) -> String {
        let isClosed = !(response["closed"]?.isNull ?? true)
        guard let counts = response[isClosed ? "closed" : "open"] else { return "" }
        let parts = [("webSockets", "WebSocket"), ("eventStreams", "event stream")].compactMap { key, name in
            let count = counts[key]?.number?.int64 ?? 0
            return count == 0 ? nil : "\(count) \(name)\(count == 1 ? "" : "s")"
        }
        let what = parts.joined(separator: " and ")
        if isClosed { return "Ended: \(what) of before.\n" }
        return "Still with the profile of before: \(what). `--close-sockets` ends them.\n"
    }

    private static func text(user response: JSONValue) -> String {
        let user = response["user"]?.string ?? ""
        let before = response["previous"]?.string.map { "before it was \($0)" } ?? "before it was the active one"
        return response["profile"]?.string.map { "\(user)'s devices go by profile \($0); \(before).\n" }
            ?? "\(user)'s devices go with the active profile; \(before).\n"
    }

    private static func text(device response: JSONValue) -> String {
        let device = response["device"]?.string ?? ""
        let before = response["previous"]?.string.map { "before it was \($0)" } ?? "before it went with the active one"
        guard let profile = response["profile"]?.string else {
            return "\(device) goes with the active profile; \(before).\n"
        }
        return "\(device) goes by profile \(profile); \(before).\n"
    }
}
