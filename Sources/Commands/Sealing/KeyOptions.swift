import Admin
import Age
import CSystem
import Platform

extension Option {
    static let to = Option.value(
        "to", "RECIPIENT", repeatable: true,
        default: "Profiles/recipients.txt",
        "Seal it to this recipient: age1…, `ssh-ed25519 …`, `ssh-rsa …`, or a file with a recipient in each line. May be "
            + "given several times.")
    static let identity = Option.value(
        "identity", short: "i", "FILE", repeatable: true, default: "$SHUNT_IDENTITY, else that of `shunt keys new`",
        "The file with the private key: of age, or of OpenSSH.")
    static let passphrase = Option.flag("passphrase", "The file was sealed with a passphrase.")
    static let passphraseFile = Option.value(
        "passphrase-file", "FILE", default: "asked for on the terminal",
        "The passphrase is the first line of this file.")
}

/// The public keys that something is sealed to.
enum SealRecipients {
    /// Beside the profiles, for all who work with them.
    static let fileName = "recipients.txt"

    /// Those of `--to`, else those of the project.
    static func read(_ arguments: Arguments) throws -> [any AgeRecipient] {
        let texts = arguments.texts("to")
        guard texts.isEmpty else { return try read(texts: texts, of: "--to") }
        guard let project = try? Project.find(arguments) else { throw noRecipient(nil, "--to") }
        return try ofProject(project, option: "--to")
    }

    /// Those that an option gave.
    static func read(texts: [String], of option: String) throws -> [any AgeRecipient] {
        try texts.flatMapped { text in try recipients(text, option) }
    }

    /// Those in the project's file.
    ///
    /// - Parameter option: the one that names others.
    static func ofProject(_ project: Project, option: String) throws -> [any AgeRecipient] {
        let path = project.profilesDirectory + "/" + fileName
        guard Files.exists(path) else { throw noRecipient(path, option) }
        let found = try file(path)
        guard !found.isEmpty else { throw noRecipient(path, option) }
        return found
    }

    private static func noRecipient(_ path: String?, _ option: String) -> CommandFailure {
        CommandFailure(
            "there is no recipient to seal to",
            advice: "Name one with \(option) age1…" + (path.map { ", or write some into \(Path.short($0))" } ?? "")
                + ".\n"
                + "`shunt keys new` makes a pair of keys and prints the recipient.")
    }

    private static func recipients(_ text: String, _ option: String) throws -> [any AgeRecipient] {
        guard !text.isEmpty else {
            throw UsageError(
                "\(option) is empty: it needs a recipient or a file of recipients",
                advice: "Is the variable set that was to hold it? `shunt keys new` prints a recipient.")
        }
        let isKey = text.hasPrefix("age1") || text.hasPrefix("ssh-") || text.uppercased().hasPrefix("AGE-SECRET-KEY-")
        guard isKey || !Files.exists(text) else { return try file(text) }
        guard isKey else {
            throw UsageError(
                "\(option) “\(text)” is no recipient and no file", advice: "Recipients begin with age1 or ssh-.")
        }
        return try UsageError.of(option) { [try RecipientText.recipient(text)] }
    }

    private static func file(_ path: String) throws -> [any AgeRecipient] {
        switch RecipientText.recipients(String(decoding: try KeyFile.read(path), as: UTF8.self)) {
        case .success(let recipients): return recipients
        case .failure(let failure):
            throw CommandFailure("\(Path.short(path)):\(failure.line): \(failure.failure.message)")
        }
    }
}

/// The private keys that open what was sealed.
enum SealIdentities {
    static let variable = "SHUNT_IDENTITY"

    /// Where `shunt keys new` puts an identity.
    static var usualPath: String? { UserFolder.data.map { $0 + "/identity.txt" } }

    /// The files that count: those of `--identity`, else that of the variable, else the usual one.
    static func paths(_ arguments: Arguments) -> [String] {
        let given = arguments.texts("identity")
        guard given.isEmpty else { return given }
        if let path = Terminal.variable(variable), !path.isEmpty { return [path] }
        return usualPath.map { Files.exists($0) ? [$0] : [] } ?? []
    }

    /// What opens a sealed file: its passphrase where an option says so, else identities.
    ///
    /// - Parameter name: what is to be opened, for messages.
    static func opening(_ name: String, _ arguments: Arguments) throws -> [any AgeIdentity] {
        arguments.has("passphrase") || arguments.has("passphrase-file") && arguments.texts("identity").isEmpty
            ? [Passphrase(try PassphraseInput.read(arguments, "Passphrase of \(name): "))]
            : try read(arguments, for: name)
    }

    /// - Parameter name: what is to be opened, for messages.
    static func read(_ arguments: Arguments, for name: String) throws -> [any AgeIdentity] {
        shunt_disable_core_dumps()
        let paths = paths(arguments)
        guard !paths.isEmpty else {
            throw CommandFailure(
                "\(name) is sealed, and there is no identity to open it with",
                advice:
                    "Name the file with the private key: --identity FILE, or SHUNT_IDENTITY=FILE; or, if it was sealed "
                    + "with a passphrase, add --passphrase where the command has it.")
        }
        return try paths.flatMapped { path in try file(path, arguments) }
    }

    static func file(_ path: String, _ arguments: Arguments) throws -> [any AgeIdentity] {
        var bytes = try text(path, arguments)
        defer { wipe(&bytes) }
        return try identities(bytes, path)
    }

    /// What a file of identities says, opened with its passphrase where it has one; to be overwritten.
    static func text(_ path: String, _ arguments: Arguments) throws -> [UInt8] {
        var bytes = try KeyFile.read(path)
        guard Sealed.begins(bytes) else { return bytes }
        defer { wipe(&bytes) }
        return try underPassphrase(bytes, path, arguments)
    }

    static func identities(_ bytes: [UInt8], _ path: String) throws -> [any AgeIdentity] {
        switch IdentityText.identities(String(decoding: bytes, as: UTF8.self)) {
        case .success(let identities) where identities.isEmpty:
            throw CommandFailure("\(Path.short(path)) has no identity", advice: "`shunt keys new` makes one.")
        case .success(let identities): return identities
        case .failure(let failure):
            throw CommandFailure("\(Path.short(path)):\(failure.line): \(failure.failure.message)")
        }
    }

    private static func underPassphrase(_ bytes: [UInt8], _ path: String, _ arguments: Arguments) throws -> [UInt8] {
        let secret = try PassphraseInput.read(arguments, "Passphrase of \(Path.short(path)): ")
        do throws(AgeFailure) {
            let reader = try AgeReader(ArraySource(bytes), [Passphrase(secret)])
            var (opened, room): ([UInt8], [UInt8]) = ([], [])
            defer { wipe(&room) }
            while let count = try reader.next(into: &room) { opened += room[..<count] }
            return opened
        } catch .passphrase {
            throw CommandFailure("the passphrase of \(Path.short(path)) is another one")
        } catch {
            throw CommandFailure("\(Path.short(path)): \(error.message)")
        }
    }
}

/// Small files of keys.
enum KeyFile {
    static func read(_ path: String) throws -> [UInt8] { try Files.read(path, limit: 1 << 20) }
}

/// How a sealed file begins.
enum Sealed {
    static let marks = ["age-encryption.org/", "-----BEGIN AGE ENCRYPTED FILE-----"].map { Array($0.utf8) }

    static func begins(_ bytes: some Collection<UInt8>) -> Bool { marks.contains { bytes.starts(with: $0) } }
}

extension Array {
    /// `flatMap`, which does not know typed errors.
    func flatMapped<Result, Failure>(_ transform: (Element) throws(Failure) -> [Result]) throws(Failure) -> [Result] {
        var results: [Result] = []
        for element in self { results += try transform(element) }
        return results
    }
}

extension CommandFailure {
    /// - Parameter name: the sealed file.
    static func sealed(_ name: String, _ failure: AgeFailure) -> CommandFailure {
        switch failure {
        case .noMatch:
            CommandFailure(
                "\(name): none of the identities opens it",
                advice: "It was sealed to other recipients. Name the right file with --identity FILE.")
        case .passphrase:
            CommandFailure(
                "\(name): \(failure.message)",
                advice: "Only the first line of --passphrase-file counts. A lost passphrase cannot be restored.")
        case .onlyPassphrase:
            CommandFailure("\(name): \(failure.message)", advice: "Add --passphrase, or --passphrase-file FILE.")
        case .noPassphrase:
            CommandFailure(
                "\(name): \(failure.message)",
                advice: "Leave --passphrase away, and name the private key with --identity FILE.")
        default: CommandFailure("\(name): \(failure.message)")
        }
    }
}
