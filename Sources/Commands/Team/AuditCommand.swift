import Admin
import Bytes
import JSON
import Platform

extension Command {
    static let audit = Command(
        name: "audit",
        summary: "List changes with the users who made them, and refused attempts.",
        usage: "audit [options]",
        details: [
            "Every change that a command, a script, the inspector or a device's page makes is a line in .shunt/audit.jsonl "
                + "beside the profiles, with user, time (UTC) and address. It holds no secrets. When it has 4 MiB another "
                + "file is begun; eight are kept."
        ],
        options: [
            .value("since", "TIME", "Only newer entries: a time such as 2h or 7d, or a date (UTC)."),
            .value("user", "NAME", "Only entries of this user; `owner` is the person who runs Shunt."),
            .value("limit", short: "n", "N", default: "100", "How many entries to list, the newest ones."),
            .running, .profiles, .json,
        ],
        examples: [
            ("The last day", "shunt audit --since 24h"),
            ("What Ada has done, for a script", "shunt audit --user ada --json"),
        ]
    ) { arguments in
        let (since, limit): (Int64, Int)
        since = try AuditCommand.since(arguments)
        limit = try arguments.count("limit", in: 1...1000) ?? 100
        let response: JSONValue
        if try RemoteShunt.token(arguments) != nil || RemoteShunt.isNamed(arguments) || arguments.has("port") {
            let client = AdminClient(try RunningShunt.find(arguments))
            response = try client.audit(since: since, user: arguments.text("user"), limit: limit)
        } else {
            let log = AuditLog(profilesDirectory: try Project.find(arguments).profilesDirectory)
            response = AuditEntry.list(
                try log.entries(since: since * 1_000_000, user: arguments.text("user"), limit: limit))
        }
        if arguments.has("json") { Terminal.out { $0.value(response) } } else { Terminal.out(AuditText(response).text) }
        return 0
    }
}

/// Reads the options of `shunt audit`.
private enum AuditCommand {
    /// Seconds since 1970.
    static func since(_ arguments: Arguments) throws -> Int64 {
        guard let text = arguments.text("since") else { return 0 }
        let now = Int64(time(nil))
        if text.hasSuffix("d"), let days = Int64(text.dropLast()), (0...36_600).contains(days) {
            return max(0, now - days * 86_400)
        }
        if let time = CalendarTime.parse(text.utf8.count == 10 ? text + "T00:00:00Z" : text) {
            return max(0, time / 1_000_000)
        }
        return max(0, now - Int64(clamping: (try arguments.duration("since") ?? 0) / 1_000_000_000))
    }
}

/// The audit trail as a table.
struct AuditText {
    private let entries: [JSONValue]

    init(_ response: JSONValue) { entries = response["entries"]?.array ?? [] }

    var text: String {
        guard !entries.isEmpty else { return "Nothing was changed.\n" }
        let rows = entries.map { entry in
            // Another process may have written it.
            func text(_ name: String) -> String { PlainText.clean(entry[name]?.string ?? "") }
            let who = text("who").isEmpty ? "(unknown)" : text("who")
            var what = text("target")
            switch (text("before"), text("after")) {
            case ("", ""): break
            case ("", let after): what += what.isEmpty ? after : ": \(after)"
            case (let before, let after): what += (what.isEmpty ? "" : ": ") + "\(before) -> \(after)"
            }
            if entry["refused"]?.string != nil { what += (what.isEmpty ? "" : "; ") + "REFUSED: \(text("refused"))" }
            return [
                String(text("time").prefix(19)) + "Z", who, text("through"), text("from").isEmpty ? "-" : text("from"),
                text("action"), what,
            ]
        }
        return TextTable([["TIME", "WHO", "BY", "FROM", "ACTION", "WHAT"]] + rows).listing
    }
}
