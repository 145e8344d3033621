import Admin
import Platform
import Postgres
import Store

/// Where a store is, as `--store` and the options beside it say.
enum StorePlace {
    /// The name of the key's file in the folder of the state.
    private static let keyName = "/store.key"

    /// The path of a file, or the address of a database; nil without `--store`.
    static func read(_ arguments: Arguments) throws -> String? {
        guard let text = arguments.text("store") else { return nil }
        guard !PostgresAddress.isMisspelt(text) else {
            throw UsageError(
                "--store is neither a file nor an address of PostgreSQL",
                advice: "Write postgres://USER@HOST:PORT/DATABASE, in small letters and without a password.")
        }
        guard PostgresStores.isAddress(text) else { return Path.absolute(text) }
        do throws(StoreFailure) { try PostgresStores.check(text) } catch {
            throw UsageError("--store: \(error.message)", advice: "docs/postgres.md has examples.")
        }
        return text
    }

    /// What `--store-key`, `--store-spill` and `--node` say of a store in PostgreSQL.
    static func settings(_ arguments: Arguments, _ path: String?) throws -> PostgresSettings {
        var settings = PostgresSettings()
        settings.node = arguments.text("node")
        if let key = arguments.text("store-key") {
            settings.key = key == "database" ? .database : .file(Path.absolute(key))
        }
        settings.spill = arguments.text("store-spill").map { Path.absolute($0) }
        if let node = settings.node, node.isEmpty || node.utf8.count > 100 || node.utf8.contains(where: { $0 < 0x20 }) {
            throw UsageError("--node is no name", advice: "Give up to 100 bytes without control characters.")
        }
        let given = ["store-key", "store-spill"].first { arguments.text($0) != nil }
        if let given, path.map({ !PostgresStores.isAddress($0) }) ?? true {
            throw UsageError(
                "--\(given) is for a store in PostgreSQL", advice: "Name one: --store postgres://USER@HOST/DATABASE.")
        }
        return settings
    }

    /// The same with the project's own key file, unless another place is named.
    ///
    /// - Parameter profiles: the folder beside which the file is.
    static func completed(_ settings: PostgresSettings, _ path: String?, profiles: String) throws -> PostgresSettings {
        guard let path, PostgresStores.isAddress(path) else { return settings }
        var settings = settings
        if settings.key == nil {
            let file = AdminFile(profilesDirectory: profiles)
            try CommandFailure.of(
                "the key of the store cannot be kept", advice: "Name another place: --store-key FILE."
            ) { try file.makeDirectory() }
            settings.key = .file(file.directory + keyName)
        }
        if case .file(let file) = settings.key { PostgresStores.setKey(path, file: file) }
        return settings
    }

    /// Lets readers of a store find its key, where it does not hold it itself.
    static func setKey(_ arguments: Arguments, of path: String) {
        guard PostgresStores.isAddress(path) else { return }
        if let file = arguments.text("store-key"), file != "database" {
            return PostgresStores.setKey(path, file: Path.absolute(file))
        }
        guard let project = try? Project.find(arguments) else { return }
        PostgresStores.setKey(path, file: AdminFile(profilesDirectory: project.profilesDirectory).directory + keyName)
    }
}

extension CommandFailure {
    /// Why a store in PostgreSQL cannot be written.
    static func postgres(_ failure: StoreFailure) -> CommandFailure {
        let advice: String? =
            switch failure.kind {
            case .away:
                "Is the server up? With --store-spill FILE, Shunt starts without it and brings traffic in later."
            case .readOnly: "The role needs the rights of a writer: docs/postgres.md."
            default: refusal(failure)
            }
        return CommandFailure("--store: \(failure)", advice: advice)
    }

    /// What to do about a server that lets nobody in; nil for other failures.
    static func refusal(_ failure: StoreFailure) -> String? {
        if failure.message.contains("does not support SSL") {
            return "Switch TLS on in the server, or add ?sslmode=disable where nobody can listen on the way."
        }
        guard failure.message.contains("password") else { return nil }
        return "The password is read from the file that PGPASSFILE names, else ~/.pgpass, as "
            + "HOST:PORT:DATABASE:USER:PASSWORD, or from PGPASSWORD."
    }
}
