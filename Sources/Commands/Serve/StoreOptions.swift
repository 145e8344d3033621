import Admin
import CSystem
import Engine
import Exchanges
import JSON
import Platform
import Profiles
import Store

/// What `serve` keeps of the traffic, as its options say.
struct StoreOptions: Sendable {
    /// nil for the usual one of the project.
    var path: String?
    /// Of a store in PostgreSQL.
    var postgres = PostgresSettings()
    var isOff = false
    var keepsSecrets = false
    var isSealed = false
    /// Beside those of the project.
    var recipients: [String] = []
    var window = 64 << 20
    var bodyLimit = 1 << 20
    var sizeLimit = 1 << 30
    /// Nanoseconds.
    var ageLimit: UInt64 = 7 * 24 * 3600 * Limits.second

    static let options: [Option] = [
        .flag("no-store", "Do not record traffic; keep logging.").excluding("store", "record"),
        .value(
            "store", "FILE", default: ".shunt/traffic.db beside the profiles",
            "Where traffic is recorded: a file, or postgres://USER@HOST/DATABASE."),
        .value(
            "store-key", "FILE", default: ".shunt/store.key",
            "The file with the key of a store in PostgreSQL, or `database` to keep the key there."),
        .value(
            "store-spill", "FILE",
            "A file for traffic while PostgreSQL cannot be reached; it is transferred later."),
        .value(
            "node", "NAME", default: "the machine's name, with --port",
            "The name of this Shunt in a store in PostgreSQL and in a cluster."),
        .value(
            "store-size", "SIZE", default: "1g",
            "The maximum size of the store; the oldest exchanges are removed first."),
        .value("store-age", "TIME", default: "168h", "How long an exchange is kept."),
        .value(
            "store-body", "SIZE", default: "1m",
            "How much of each body is recorded; its full length is always recorded."),
        .flag(
            "seal",
            "Encrypt recorded traffic for the recipients in Profiles/recipients.txt; no private key is needed here."
        ),
        .value("seal-to", "RECIPIENT", repeatable: true, "The same for this recipient, as `shunt seal --to` takes it."),
        .value(
            "seal-window", "SIZE", default: "64m",
            "How much of the newest sealed traffic stays readable in memory while Shunt runs."),
        .flag("keep-secrets", "Keep passwords, tokens and cookies as they are instead of replacing them."),
    ]

    static func read(_ arguments: Arguments) throws -> StoreOptions {
        var options = StoreOptions()
        options.isOff = arguments.has("no-store")
        options.path = try StorePlace.read(arguments)
        options.postgres = try StorePlace.settings(arguments, options.path)
        options.keepsSecrets = arguments.has("keep-secrets")
        options.recipients = arguments.texts("seal-to")
        options.isSealed = arguments.has("seal") || !options.recipients.isEmpty
        options.window = try arguments.size("seal-window", in: 4 << 20...1 << 30) ?? options.window
        if options.isSealed, options.isOff || arguments.has("record") {
            throw UsageError(
                "--seal excludes \(options.isOff ? "--no-store" : "--record, which writes in the clear")",
                advice: "Give one of them.")
        }
        options.bodyLimit = try arguments.size("store-body", in: 0...(1 << 30)) ?? options.bodyLimit
        options.sizeLimit = try arguments.size("store-size", in: 1 << 20...1 << 42) ?? options.sizeLimit
        options.ageLimit = try arguments.duration("store-age") ?? options.ageLimit
        return options
    }

    /// - Parameter own: those that the profiles name.
    private func seal(_ project: Project, _ own: [String]) throws -> SealSettings {
        shunt_disable_core_dumps()
        var recipients = try SealRecipients.read(texts: self.recipients, of: "--seal-to")
        recipients += try SealRecipients.read(texts: own, of: "\"recipients\"")
        if recipients.isEmpty { recipients = try SealRecipients.ofProject(project, option: "--seal-to") }
        var seal = SealSettings(recipients: recipients)
        seal.window = Int64(window)
        return seal
    }

    /// Opens the store; nil if there is to be none, or the usual one cannot be opened, which is told.
    ///
    /// - Parameters:
    ///   - sealing: what the profiles say.
    ///   - recording: gets all exchanges, too.
    /// - Throws: if a place that was asked for cannot be written to.
    func open(
        _ project: Project, _ sealing: StoreSealing?, _ log: LogWriter?, _ announcer: Announcer,
        _ recording: ServeRecording?, _ wake: AsyncStream<Void>.Continuation?
    ) throws -> TrafficStore? {
        guard !isOff else { return nil }
        let isSealed = isSealed || sealing != nil
        var settings = StoreSettings()
        settings.bodyLimit = bodyLimit
        // Heads and facts may take twice as much when the disk is slow: together well below 100 MiB of memory.
        settings.queueLimit = 16 << 20
        settings.sizeLimit = Int64(sizeLimit)
        settings.ageLimit = Int64(clamping: ageLimit / Limits.second)
        settings.postgres = postgres
        settings.decode()
        if !keepsSecrets { settings.redact() }
        // A line of the log says that the exchange is there to be looked at.
        if log != nil || recording != nil || wake != nil {
            settings.committed = { exchanges in
                recording?.storeHasWritten()
                wake?.yield()
                log?.exchangesWritten(exchanges)
            }
        }
        settings.trouble = { announcer.tell($0) }
        settings.setAside = { aside in
            announcer.warn(.store, aside.words, ["message": aside.words])
        }
        if let path, PostgresStores.isAddress(path) {
            guard !isSealed else {
                throw CommandFailure(
                    "a store in PostgreSQL cannot be sealed, since the server would have to open it to search it",
                    advice: "Seal into a folder, or leave --seal and \"recipients\" away.")
            }
            settings.postgres = try StorePlace.completed(postgres, path, profiles: project.profilesDirectory)
        }
        if isSealed { settings.seal = try seal(project, sealing?.recipients ?? []) }
        let file = AdminFile(profilesDirectory: project.profilesDirectory)
        if path == nil {
            do throws(FileFailure) { try file.makeDirectory() } catch {
                announcer.warn(.store, "traffic is not recorded: \(error)", ["message": "\(error)"])
                return nil
            }
        }
        do throws(StoreFailure) {
            return try TrafficStore.open(
                path ?? file.directory + (isSealed ? StoredTraffic.sealedName : StoredTraffic.name), settings)
        } catch {
            if isSealed { throw CommandFailure("traffic cannot be sealed: \(error)") }
            if let path, PostgresStores.isAddress(path) { throw CommandFailure.postgres(error) }
            if let path {
                throw CommandFailure(
                    "--store \(Path.short(path)): the store cannot be written: \(error.message)",
                    advice: "Name a file in a folder that you may write to, or record nothing with --no-store.")
            }
            announcer.warn(.store, "traffic is not recorded: \(error)", ["message": "\(error)"])
        }
        return nil
    }
}

extension SetAsideStore {
    /// What has become of it, and how it is removed.
    var words: String {
        let place = schema.map { "the schema \($0)" } ?? Path.short(files.first ?? path)
        let paths = files.map { Path.quoted(Path.short($0)) }.joined(separator: " ")
        let removal =
            schema.map { "DROP SCHEMA \"\($0)\" CASCADE" }
            ?? "rm \(Files.isDirectory(files.first ?? "") ? "-r " : "")\(paths)"
        return
            "an earlier Shunt wrote the store \(schema == nil ? Path.short(path) : path), which is set aside as \(place); "
            + "a new one begins. To remove the old one: \(removal)"
    }
}

extension Announcer {
    func tell(_ trouble: StoreTrouble) {
        switch trouble {
        case .began(let failure):
            warn(.store, "traffic cannot be recorded at present: \(failure)", ["message": "\(failure)"])
        case .ended(let statistics):
            let lost = statistics.droppedExchanges
            warn(
                .store, "traffic is recorded again; \(lost) exchange\(lost == 1 ? " is" : "s are") lost",
                ["lost": lost])
        case .begunAnew:
            let text = "the store with the traffic was deleted; traffic is recorded into a new one"
            warn(.store, text, ["message": text])
        case .spilling(let failure, let file):
            warn(
                .store, "traffic is recorded into \(Path.short(file)) for now: \(failure)",
                ["message": "\(failure)", "file": file])
        case .broughtIn(let count):
            warn(
                .store, "PostgreSQL is back; \(count) exchange\(count == 1 ? " was" : "s were") transferred to it",
                ["exchanges": count])
        case .notBroughtIn(let failure, let file):
            warn(
                .store, "the traffic in \(Path.short(file)) cannot be transferred at present: \(failure)",
                ["message": "\(failure)", "file": file])
        case .nothingRemoved(let failure):
            warn(.store, "old traffic cannot be removed: \(failure)", ["message": "\(failure)"])
        case .contractsLeftOut(let counts):
            let count = counts.leftOut
            warn(
                .contract,
                "so far \(Words.count(count, "exchange")) could not be compared with a contract: more came than could "
                    + "be, or a body was recorded in part only (`--store-body` has the limit)",
                ["left_out": count, "checked": counts.checked])
        case .fellBehind(let statistics):
            let (lost, bodies) = (statistics.droppedExchanges, statistics.droppedBodies)
            let exchanges = Words.count(lost, "exchange")
            warn(
                .store,
                "the store is too slow for the traffic: so far \(exchanges) and parts of \(bodies) bodies are lost",
                ["lost": lost, "bodies": bodies])
        }
    }
}
