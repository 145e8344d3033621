import Age
import Platform

extension Command {
    static let keys = Command(
        name: "keys",
        summary: "Make keys to seal captures with, show a recipient, or open the sealed store for a while.",
        usage: "keys new|show|unlock|lock [FILE] [options]",
        details: [
            "`new` writes the private key, the identity, into FILE with mode 0600 and prints the public one, the "
                + "recipient. It overwrites no file. A lost identity cannot be restored, and files sealed to it alone "
                + "cannot be opened any more.",
            "`show` prints the recipient of an identity. The files are those of `age-keygen`.",
            "`unlock` lends an identity to a running Shunt that records into a sealed store, so that its inspector and "
                + "admin interface show all of it; after the time, or with `lock`, they show the newest part again.",
        ],
        options: [
            .flag("passphrase", "Encrypt the identity with a passphrase, for which the command asks.")
                .of("new"),
            .passphraseFile,
            .flag("secret", "Print the identity itself.").of("show"), .identity,
            .value("for", "TIME", default: "15m", "How long.").of("unlock"), .running, .profiles, .json,
        ],
        actions: [Action("new", 0...1), Action("show", 0...1), Action("unlock", 0...1), Action("lock")],
        examples: [
            ("A second pair", "shunt keys new archive.txt"),
            ("Let the whole team open captures", "shunt keys show >> Profiles/recipients.txt"),
            ("Show old traffic in the inspector", "shunt keys unlock --for 30m"),
        ],
        run: KeysCommand.run)
}

/// What `shunt keys` does.
enum KeysCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        let given = arguments.operands.count > 1 ? arguments.operands[1] : nil
        switch arguments.operands[0] {
        case "new":
            guard let path = given ?? SealIdentities.usualPath else {
                throw UsageError("there is no home folder for an identity", advice: "Name a FILE.")
            }
            return try make(path, arguments)
        case "show":
            guard let path = given ?? SealIdentities.paths(arguments).first else {
                throw CommandFailure("there is no identity", advice: "`shunt keys new` makes one; or name a FILE.")
            }
            return try show(path, arguments)
        case "unlock": return try unlock(given, arguments)
        default: return try lock(arguments)
        }
    }

    private static func make(_ path: String, _ arguments: Arguments) throws -> CInt {
        guard !Files.exists(path) else {
            throw CommandFailure(
                "\(Path.short(path)) is already there, and an identity is never overwritten",
                advice: "`shunt keys show` prints its recipient; name another FILE for a second one.")
        }
        let identity = try X25519Identity.generate()
        var text = Array("# public key: \(identity.recipient.text)\n\(identity.secretText)\n".utf8)
        defer { wipe(&text) }
        if arguments.has("passphrase") || arguments.has("passphrase-file") {
            let passphrase = Passphrase(try PassphraseInput.new(arguments))
            let sink = ArraySink()
            let armor = try ArmorSink(sink)
            let writer = try AgeWriter(to: armor, [passphrase])
            try writer.write(text)
            try writer.finish()
            try armor.finish()
            wipe(&text)
            text = sink.bytes
        }
        let folder = Path.directory(of: Path.absolute(path))
        if !Files.isDirectory(folder) { try Files.makeDirectory(folder, mode: 0o700) }
        try Files.write(text, to: path, mode: 0o600, replaces: false)
        Terminal.error("The identity is in \(Path.short(path)); keep a copy in a safe place. Its recipient:\n")
        Terminal.out(identity.recipient.text + "\n")
        return 0
    }

    private static func show(_ path: String, _ arguments: Arguments) throws -> CInt {
        let own = try SealIdentities.file(path, arguments).compactMap { $0 as? X25519Identity }
        guard !own.isEmpty else {
            throw CommandFailure(
                "\(Path.short(path)) is a key of SSH", advice: "Its recipient is the line of the .pub file.")
        }
        for identity in own {
            Terminal.out((arguments.has("secret") ? identity.secretText : identity.recipient.text) + "\n")
        }
        return 0
    }
}
