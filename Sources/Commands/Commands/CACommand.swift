import Admin
import JSON
import Platform
import TLS

extension Command {
    static let authority = Command(
        name: "ca",
        summary: "Show which development CA is used, or replace it.",
        usage: "ca [rotate|forget] [options]",
        details: [
            "Each person has one CA for all projects, in the user's data folder. A project that has one in certs/ uses that.",
            "`shunt ca rotate` makes a new CA with new keys. Clients that trust the old one accept the new one's "
                + "certificates, too, until `shunt ca forget`; so make them trust the new one before that. A running "
                + "Shunt uses the old one until it is restarted.",
        ],
        options: [
            .flag("file", "Print the path of the CA's certificate and nothing else, for other commands."),
            .onlyFor.of("rotate"), .keyKind.of("rotate"),
            .value("certs", "DIR", default: "that of the project or of this person", "The folder of the CA."),
            .profiles, .json,
        ],
        actions: [Action("rotate"), Action("forget")],
        examples: [
            ("Which CA is used, and since when", "shunt ca"),
            ("A new CA that may sign for few hosts only", "shunt ca rotate --only-for '*.shop.test,localhost'"),
        ],
        run: CACommand.run)
}

/// What `shunt ca` does.
enum CACommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        let folder = folder(arguments)
        let settings = try AuthoritySettings(arguments)
        let action = arguments.operands.first
        if action != nil, !folder.exists { throw missing(folder) }
        try CommandFailure.of("the CA in \(folder.path) cannot be changed") {
            if action == "rotate" { _ = try AuthorityRotation(folder.path).rotate(settings) }
            if action == "forget" { try AuthorityRotation(folder.path).forgetOld() }
        }
        if arguments.has("file") {
            guard folder.exists else { throw missing(folder) }
            Terminal.out(folder.certificate + "\n")
            return 0
        }
        return try show(folder, didRotate: action == "rotate").show(arguments)
    }

    static func folder(_ arguments: Arguments) -> AuthorityFolder {
        let project = Project.named(arguments).map { Project(profilesDirectory: Path.absolute($0)) } ?? Project.here
        return AuthorityFolder(project, named: arguments.text("certs").map { Path.absolute($0) })
    }

    static func missing(_ folder: AuthorityFolder) -> CommandFailure {
        CommandFailure(
            "there is no CA in \(folder.path)", advice: "The first `shunt serve` makes it, and so does `shunt init`.")
    }

    private static func show(_ folder: AuthorityFolder, didRotate: Bool) throws -> CommandResult {
        guard folder.exists else { throw missing(folder) }
        let authority = try CommandFailure.of("the CA in \(folder.path) cannot be used") {
            try folder.loadOrCreate().authority
        }
        let old = AuthorityRotation(folder.path).oldFiles
        let trusting = try TrustCommand.trusting(folder)
        let summary = authority.summary
        let reason =
            switch folder.reason {
            case .person: "yours, for all projects without one of their own"
            case .project: "this project's"
            case .named: "named by --certs"
            }
        var rows = [
            ["file", Path.short(folder.certificate)], ["used", reason], ["name", summary.subject],
            ["since", "\(summary.notBefore.prefix(10)), until \(summary.notAfter.prefix(10))"],
            ["SHA-256", summary.fingerprint],
            [
                "signs for",
                authority.permittedNames.map { $0.joined(separator: ", ") + " and names below" } ?? "any host",
            ],
        ]
        for place in trusting { rows.append(["trusted", place]) }
        if trusting.isEmpty { rows.append(["trusted", "by no store of this machine (shunt trust install)"]) }
        for file in old { rows.append(["old", Path.short(file)]) }
        let next = """

            Next: start Shunt again, and let clients trust the new CA: shunt trust install
            When all of them do: shunt trust uninstall --old && shunt ca forget
            \(authority.isCrossSigned
                ? "Until then, clients that trust the old one go on as before."
                : "The old CA cannot vouch for the new one: clients need the new one from the next start on.")

            """
        return CommandResult(TextTable(rows).text + (didRotate ? next : "")) { object in
            object.members([
                "file": folder.certificate, "reason": folder.reason.rawValue, "name": summary.subject,
                "since": summary.notBefore, "until": summary.notAfter, "sha256": summary.fingerprint,
            ])
            if let names = authority.permittedNames { object.member("onlyFor", names) }
            object.members(["old": old, "trustedBy": trusting])
        }
    }
}
