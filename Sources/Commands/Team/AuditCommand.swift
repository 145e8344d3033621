import Admin
import Bytes
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
        ], canBeRemote: true
    ) { arguments in
        let since = try AuditCommand.since(arguments)
        let limit = try arguments.count("limit", in: 1...1000) ?? 100
        let user = arguments.text("user")
        let trail: Record<API.AuditTrail>
        if try RemoteShunt.token(arguments) != nil || RemoteShunt.isNamed(arguments) || arguments.has("port") {
            trail = try AdminClient(try RunningShunt.find(arguments)).ask(API.audit) {
                ($0.since, $0.user, $0.limit) = (Int(since), user, limit)
            }
        } else {
            let log = AuditLog(profilesDirectory: try Project.find(arguments).profilesDirectory)
            trail = AuditEntry.list(try log.entries(since: since * 1_000_000, user: user, limit: limit))
        }
        return CommandResult(trail, AuditCommand.text(trail.entries)).show(arguments)
    }
}

/// What `shunt audit` does.
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

    static func text(_ entries: [Record<API.Audit>]) -> String {
        guard !entries.isEmpty else { return "Nothing was changed.\n" }
        let rows = entries.map { entry in
            // Another process may have written it.
            func text(_ text: String?) -> String { PlainText.clean(text ?? "") }
            var what = text(entry.target)
            switch (text(entry.before), text(entry.after)) {
            case ("", ""): break
            case ("", let after): what += what.isEmpty ? after : ": \(after)"
            case (let before, let after): what += (what.isEmpty ? "" : ": ") + "\(before) -> \(after)"
            }
            if let refused = entry.refused { what += (what.isEmpty ? "" : "; ") + "REFUSED: \(text(refused))" }
            return [
                text(entry.time).prefix(19) + "Z", entry.who.isEmpty ? "(unknown)" : text(entry.who),
                text(entry.through), text(entry.from).isEmpty ? "-" : text(entry.from), text(entry.action), what,
            ]
        }
        return TextTable([["TIME", "WHO", "BY", "FROM", "ACTION", "WHAT"]] + rows).listing
    }
}
