import Admin
import Bytes
import Platform

extension Command {
    static let token = Command(
        name: "token",
        summary: "Make, list or revoke tokens, with which other people use this Shunt.",
        usage: "token new NAME [--may PERMISSIONS] [--for TIME | --until DATE] | list | revoke NAME|ID",
        details: [
            "A token is printed once; what is kept in .shunt/tokens.json beside the profiles does not reveal it. It works for "
                + "commands (--token-file, or SHUNT_TOKEN with --admin), for the login of the inspector, and for the admin interface.",
            "Every user can see the status and choose the profile of their own devices (`shunt use NAME --mine`). "
                + "Permissions for more: use (the active profile, reload, probe), unlock, mocks, network, devices "
                + "(those of all, and pairing), logs (recorded traffic), replay, clear, audit, and admin for "
                + "everything.",
            "Changes take effect in a running Shunt at once: a revoked token is refused, streams that were opened with "
                + "it end, and the devices of a user without a token are forgotten.",
        ],
        options: [
            .value("may", "PERMISSIONS", default: "status", "What the user may do, separated by commas.").of("new"),
            .value("for", "TIME", default: "no end", "How long the token is valid, such as 12h or 30d.").of("new"),
            .value("until", "DATE", "When it ends, such as 2027-01-31 (UTC).").of("new").excluding("for"),
            .running, .profiles, .json,
        ],
        operands: 1...1,
        actions: [Action("new", 1...1), Action("list"), Action("revoke", 1...1)],
        examples: [
            ("Ada switches profiles and reads the traffic", "shunt token new ada --may use,logs"),
            ("A guest, for a day", "shunt token new guest --may logs --for 24h"),
            ("All tokens", "shunt token list"),
            ("Revoke all of Ada's", "shunt token revoke ada"),
        ], canBeRemote: true, run: TokenCommand.run)
}

/// What `shunt token` does: in the project's file, or through the admin interface with the token of a user.
enum TokenCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        let words = arguments.operands
        switch words[0] {
        case "new": return try make(words[1], arguments)
        case "list": return try list(arguments)
        default: return try revoke(words[1], arguments)
        }
    }

    private static func make(_ name: String, _ arguments: Arguments) throws -> CInt {
        let (permissions, seconds) = (try Self.permissions(arguments), try Self.seconds(arguments))
        let made: Record<API.NewToken>
        if let client = try client(arguments) {
            made = try client.ask(API.makeToken) {
                ($0.user, $0.may, $0.seconds) = (name, permissions.names, seconds)
            }
        } else {
            let folder = try Project.find(arguments).profilesDirectory
            let until = seconds.map { Int64(time(nil)) + Int64($0) }
            do {
                let new = try TokenFile(profilesDirectory: folder).add(name, permissions, until: until) { token in
                    try AuditLog(profilesDirectory: folder).append(
                        entry("tokens", "\(token.user) \(token.id)", permissions.names.joined(separator: ",")))
                }
                made = new.token.made(new.text)
            } catch  where !(error is TokenFailure) {
                throw CommandFailure(
                    "the token was not made, since the audit trail cannot be written: \(error)",
                    advice: "Make room on the disk, or see whether .shunt is yours.")
            }
        }
        if !arguments.has("json") {
            Terminal.error(
                "\(name) may: \(permissions.union([.status]).names.joined(separator: ", ")). This token is shown once; "
                    + "it belongs into SHUNT_TOKEN or a file that only \(name) can read.\n")
        }
        return CommandResult(made, made.token + "\n").show(arguments)
    }

    private static func list(_ arguments: Arguments) throws -> CInt {
        let tokens: Record<API.Tokens>
        if let client = try client(arguments) {
            tokens = try client.ask(API.tokens)
        } else {
            let file = TokenFile(profilesDirectory: try Project.find(arguments).profilesDirectory)
            tokens = UserToken.list(try file.read())
        }
        return CommandResult(tokens, text(tokens.tokens)).show(arguments)
    }

    private static func text(_ tokens: [Record<API.Token>]) -> String {
        guard !tokens.isEmpty else { return "There is no token: `shunt token new NAME` makes one.\n" }
        let now = Int(time(nil))
        func day(_ time: Int) -> String {
            CalendarTime.text(UntrustedNumber(time).times(1_000_000).clamped()).prefix(16) + "Z"
        }
        let rows = tokens.map { token in
            [
                token.user, token.id, token.may.joined(separator: ","), day(token.created),
                token.until.map { day($0) + ($0 <= now ? " (over)" : "") } ?? "-",
            ]
        }
        return TextTable([["USER", "ID", "MAY", "MADE", "UNTIL"]] + rows).listing
    }

    private static func revoke(_ name: String, _ arguments: Arguments) throws -> CInt {
        let gone: [String]
        if let client = try client(arguments) {
            gone = try client.ask(API.revokeTokens) { $0.token = name }.revoked
        } else {
            let folder = try Project.find(arguments).profilesDirectory
            let tokens = try TokenFile(profilesDirectory: folder).revoke(name)
            gone = tokens.map(\.id)
            do throws(FileFailure) {
                let what = tokens.map { "\($0.user) \($0.id)" }.joined(separator: ", ")
                try AuditLog(profilesDirectory: folder).append(entry("tokens/revoke", what, nil))
            } catch {
                Terminal.complain("the token is revoked, but this cannot be written down: \(error)")
            }
        }
        return CommandResult(
            Record<API.RevokedTokens> { $0.revoked = gone }, "Revoked: \(gone.joined(separator: ", ")).\n"
        ).show(arguments)
    }

    private static func entry(_ action: String, _ target: String, _ after: String?) -> AuditEntry {
        AuditEntry(who: "owner", through: "command", action: action, target: target, after: after)
    }

    /// The admin interface where a URL or a user's token is named; nil for the file of the project.
    private static func client(_ arguments: Arguments) throws -> AdminClient? {
        let hasToken = try RemoteShunt.token(arguments) != nil
        guard hasToken || RemoteShunt.isNamed(arguments) || arguments.has("port") else { return nil }
        return AdminClient(try RunningShunt.find(arguments))
    }

    private static func permissions(_ arguments: Arguments) throws -> Set<Permission> {
        switch Permission.list(arguments.text("may") ?? Permission.status.rawValue) {
        case .success(let found): return found
        case .failure(let unknown): throw UsageError(unknown.message, advice: unknown.advice)
        }
    }

    private static func seconds(_ arguments: Arguments) throws -> Int? {
        guard let text = arguments.text("until") else {
            guard let text = arguments.text("for"), text.hasSuffix("d") else {
                return try arguments.seconds("for", atMost: .max)
            }
            guard let days = Int(text.dropLast()), (1...36_600).contains(days) else {
                throw UsageError("--for “\(text)” is no possible time", advice: "Write 12h or 30d.")
            }
            return days * 86_400
        }
        let whole = text.utf8.count == 10 ? text + "T00:00:00Z" : text
        guard let end = CalendarTime.parse(whole).map({ $0 / 1_000_000 }) else {
            throw UsageError("--until “\(text)” is no date", advice: "Write 2027-01-31, or 2027-01-31T18:00:00Z.")
        }
        guard case let left = end - Int64(time(nil)), left > 0 else {
            throw UsageError("--until “\(text)” is over", advice: "Give a date to come.")
        }
        return Int(left)
    }
}
