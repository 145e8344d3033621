import Admin
import JSON
import Platform
import TLS

extension Command {
    static let trust = Command(
        name: "trust",
        summary: "Explain and pin origins' certificates, and let this machine trust the development CA.",
        usage: "trust explain|add HOST[:PORT] | trust install|uninstall|status [options]",
        details: [
            "`explain` connects, sends no request, and prints the chain, the rule that applies, each check with its "
                + "result, and the fixes, the least permissive first. `add` shows the certificate, asks, and pins it: "
                + "trust on first use. The server that responds at that moment is trusted from then on, so compare the "
                + "fingerprint with one from the server's owner. Certificates are written to ca/ beside the profiles, "
                + "and rules into the profile, whose comments stay.",
            "`install`, `uninstall` and `status` are about Shunt's own CA. Stores: system (Debian, Ubuntu, Fedora, "
                + "Arch, openSUSE), nss (Firefox and Chromium, with snaps and flatpaks), java, keychain (macOS), "
                + "simulator (iOS, those that are booted), android (emulators). Each store is changed separately: a "
                + "failure does not stop the others, and a store that already trusts the CA is not changed. A command "
                + "that needs root is run with sudo.",
            "Exit status: 0; 1 if a certificate does not pass, if a store could not be changed, or if `status` finds "
                + "one that does not trust the CA.",
        ],
        options: [
            .value("profile", "NAME", default: "as for `shunt serve`", "The profile whose rules apply.")
                .of("explain", "add"),
            .flag("write", "Write the first fix, or that of --fix, into the profile.").of("explain"),
            .value("fix", "NAME", "The fix: pin, lenient, authority, certificate, pinned, minTLS or disabled.")
                .needing("write"),
            .flag("yes", "Do not ask.").of("add"),
            .value(
                "store", "NAME", repeatable: true, default: "all that are there",
                "Only this store; may be given several times."
            ).of("install", "uninstall", "status"),
            .flag("dry-run", "Print the commands instead of running them; stores are only read.")
                .of("install", "uninstall", "status"),
            .flag("old", "The CAs that `shunt ca rotate` has replaced, and not the present one.")
                .of("uninstall", "status"),
            .value("root", "DIR", "The system store of another root, such as that of an image; needs chroot.")
                .of("install", "uninstall", "status"),
            .value("certs", "DIR", default: "that of the project or of this person", "The folder of the CA."),
            .profiles, .json.of("explain", "install", "uninstall", "status"),
        ],
        operands: 1...1,
        actions: [
            Action("explain", 1...1), Action("add", 1...1), Action("install"), Action("uninstall"), Action("status"),
        ],
        examples: [
            ("Why is it refused?", "shunt trust explain localhost:3000"),
            ("Trust the CA that it sends", "shunt trust explain localhost:3000 --write"),
            ("Pin what a server on the desk shows", "shunt trust add 192.168.1.7:8443"),
            ("See what would be done", "shunt trust install --dry-run"),
            ("Where is the CA trusted?", "shunt trust status"),
        ]
    ) { arguments in
        switch arguments.operands[0] {
        case "explain": try await TrustCommand.explain(arguments)
        case "add": try await TrustCommand.add(arguments)
        case let wish: try TrustCommand.run(TrustChange.Wish(rawValue: wish) ?? .status, arguments)
        }
    }
}

/// What `shunt trust` does.
enum TrustCommand {
    /// The stores that `--store` names, or all.
    static func stores(_ arguments: Arguments) throws -> [any TrustStore] {
        let names = arguments.texts("store")
        for name in names where !TrustStores.all.contains(where: { $0.name == name }) {
            let list = TrustStores.all.map(\.name).joined(separator: ", ")
            throw UsageError("there is no store “\(name)”", advice: "There are: \(list).")
        }
        return names.isEmpty ? TrustStores.all : TrustStores.all.filter { names.contains($0.name) }
    }

    static func context(_ arguments: Arguments) -> TrustContext {
        TrustContext(root: arguments.text("root").map { Path.absolute($0) }, home: UserFolder.home)
    }

    /// The present CA, and those that it has replaced.
    static func certificates(_ folder: AuthorityFolder) throws -> (now: CertificateFile, old: [CertificateFile]) {
        try CommandFailure.of("the CA in \(folder.path) cannot be used") {
            (
                try CertificateFile(folder.certificate),
                try AuthorityRotation(folder.path).oldFiles.map(CertificateFile.init)
            )
        }
    }

    /// The places of this machine that trust the present CA.
    static func trusting(_ folder: AuthorityFolder) throws -> [String] {
        let change = TrustChange(wish: .status, isDry: true, installed: InstalledPlaces(folder))
        return change.apply([try certificates(folder).now], TrustStores.all, TrustContext(home: UserFolder.home))
            .filter { $0.state == .trusted }.map { "\($0.store): \($0.place)" }
    }

    /// Applies a wish and says what became of it.
    static func run(_ wish: TrustChange.Wish, _ arguments: Arguments) throws -> CInt {
        let folder = CACommand.folder(arguments)
        let stores = try stores(arguments)
        let isDry = arguments.has("dry-run")
        if wish == .install, !folder.exists, !isDry {
            _ = try CommandFailure.of("the development CA cannot be made") { try folder.loadOrCreate() }
        }
        guard folder.exists else { throw CACommand.missing(folder) }
        let (now, old) = try certificates(folder)
        let certificates = arguments.has("old") ? old : wish == .uninstall ? [now] + old : [now]
        let change = TrustChange(
            wish: wish, isDry: isDry, keepsPresent: arguments.has("old"), installed: InstalledPlaces(folder))
        let outcomes = change.apply(certificates, stores, context(arguments))
        let isFine =
            wish == .status
            ? outcomes.allSatisfy { $0.state == .trusted }
            : !outcomes.contains { $0.state == .failed } && (wish != .install || !outcomes.isEmpty)
        return CommandResult.list(text(outcomes, isDry: isDry), status: isFine ? 0 : 1, outcomes) { object, outcome in
            object.members([
                "store": outcome.store, "place": outcome.place, "certificate": outcome.certificate,
                "state": outcome.state.rawValue, "note": outcome.note, "commands": outcome.commands,
            ])
        }.show(arguments)
    }

    private static func text(_ outcomes: [TrustOutcome], isDry: Bool) -> String {
        guard !outcomes.isEmpty else { return "No supported store was found.\n" }
        return outcomes.map { outcome in
            var line = "\(outcome.store): \(outcome.place): \(outcome.state.rawValue)"
            if !outcome.note.isEmpty { line += ", \(outcome.note)" }
            let commands = isDry ? outcome.commands.map { "\n  \($0)" }.joined() : ""
            return line + commands + "\n"
        }.joined()
    }
}
