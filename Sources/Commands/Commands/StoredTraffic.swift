import Admin
import Engine
import Filter
import Inspection
import Platform
import Profiles
import Redaction
import Store

extension Option {
    static let store = Option.value(
        "store", "FILE", default: "that of the running Shunt, else .shunt/traffic.db beside the profiles",
        "The store with the traffic: a file, or postgres://USER@HOST/DATABASE."
    ).excluding("profiles")
    static let storeKey = Option.value(
        "store-key", "FILE", default: ".shunt/store.key beside the profiles",
        "The file with the key of a store in PostgreSQL.")
}

/// The store that a command reads, whether a Shunt runs or not.
enum StoredTraffic {
    /// The file that `--store` names, else that of the Shunt at `--port`, else that of the only one which runs for the
    /// project's profiles, else the project's.
    static func path(_ arguments: Arguments) throws -> String {
        let path = try place(arguments)
        StorePlace.setKey(arguments, of: path)
        return path
    }

    private static func place(_ arguments: Arguments) throws -> String {
        guard let file = arguments.text("store") else {
            let found = try? Project.find(arguments)
            guard let project = found, !arguments.has("port") else {
                let record = try RunningShunt.find(arguments)
                guard let store = record.store else {
                    throw CommandFailure("the Shunt on port \(record.port) records no traffic")
                }
                return store
            }
            let file = AdminFile(profilesDirectory: project.profilesDirectory)
            let stores = Set(file.running().compactMap(\.store))
            if stores.count == 1, let store = stores.first { return store }
            return usual(file.directory)
        }
        return try StorePlace.read(arguments) ?? Path.absolute(file)
    }

    /// What the profiles call secrets, by their names; where they cannot be read, the usual names count.
    static func rules(_ arguments: Arguments) -> [String: RedactionRules] {
        (try? RunningShunt.project(arguments).load().redactionRules) ?? [:]
    }

    /// What the profiles know of gRPC calls; nothing where they cannot be read.
    static func calls(_ arguments: Arguments) -> CallSchemas {
        guard let library = try? RunningShunt.project(arguments).load() else { return .none }
        return CallSchemas(library.grpc, rules: library.redactionRules)
    }

    /// Names in the folder of the state.
    static let (name, sealedName) = ("/traffic.db", "/traffic.sealed")

    /// Of the two stores that a project can have, the one that was recorded into last.
    static func usual(_ directory: String) -> String {
        let (clear, sealed) = (directory + name, directory + sealedName)
        guard SealedStores.isSealed(sealed) else { return clear }
        let changes = [clear, clear + "-wal"].map { path in
            var facts = stat()
            return stat(path, &facts) == 0 ? facts.changedMicroseconds : 0
        }
        return SealedStores.changed(sealed) >= changes.max() ?? 0 ? sealed : clear
    }

    /// Asks the Shunt that records into a store to write what has passed, so that a request is there when its client
    /// has the response.
    static func settle(_ path: String) {
        for record in RunningShunt.all where record.store == path && record.pid != getpid() {
            _ = try? AdminClient(record).ask(API.newestTraffic)
        }
    }

    /// - Parameter arguments: may name an identity, for a store that is sealed.
    static func open(_ path: String, _ arguments: Arguments? = nil) throws -> TrafficReader {
        settle(path)
        if SealedStores.isSealed(path), !SealedStores.isRecorded(path) {
            let given: Arguments
            given = if let arguments { arguments } else { try Arguments([], options: []) }
            SealedStores.unlock(path, try SealIdentities.read(given, for: Path.short(path)))
        }
        return try TrafficReader(path, withSegments: true)
    }

    /// The words of the command line as one filter.
    static func filter(_ words: [String]) throws -> TrafficFilter {
        do throws(FilterFailure) { return try TrafficFilter(words.joined(separator: " ")) } catch {
            // The first line says what is wrong, the others where, and what would have been understood.
            let lines = error.description.split(separator: "\n", maxSplits: 1)
            throw UsageError(
                "the filter is wrong: \(lines.first ?? "")",
                advice: (lines.count > 1 ? String(lines[1]) : "")
                    + "\n`shunt logs --help` describes filters.")
        }
    }

    /// What a Shunt of this name records from now on, in a store that others write, too.
    static func own(_ node: String) throws -> TrafficFilter {
        let what = "exchanges of “\(node)” cannot be told from others'"
        return try CommandFailure.of(what, advice: "Choose another --node NAME.") {
            try .recorded(by: node, since: wallClock())
        }
    }

    /// The number of an exchange, with or without a `#` in front.
    static func identity(_ text: String) throws -> Int64 {
        if let id = number(text), id > 0 { return id }
        throw UsageError("“\(text)” is not the number of an exchange", advice: "`shunt logs` shows the numbers.")
    }

    /// The same for any number; nil for other texts.
    static func number(_ text: String) -> Int64? { Int64(text.hasPrefix("#") ? text.dropFirst() : text[...]) }

    /// An exchange by its number.
    static func record(_ id: Int64, _ reader: TrafficReader) throws -> TrafficRecord {
        if let record = try reader.record(id) { return record }
        throw CommandFailure.exporting(.noSuchExchange(id), nil)
    }

    /// How filters are written, for the help.
    static let filterHelp =
        "FILTER is mitmproxy's language; its words are joined by spaces. A word alone is searched in the URL; !, &, | "
        + "and parentheses combine terms, and terms side by side are joined by &. Put it in quotes, because the "
        + "shell interprets some of its characters."
}

extension CommandFailure {
    static func reading(_ failure: StoreFailure) -> CommandFailure {
        let path = Path.short(failure.path)
        return switch failure.kind {
        case .missing where failure.path.hasPrefix("PostgreSQL"):
            CommandFailure(
                "\(failure.path): no traffic was recorded there yet",
                advice: "`shunt serve --store postgres://…` records traffic there.")
        case .missing:
            CommandFailure(
                "there is no traffic yet: no file \(path)",
                advice: "`shunt serve` records traffic, unless --no-store is given.\n"
                    + "Name another file with --store FILE.")
        case .sealed:
            CommandFailure(
                "\(path): \(failure.message)", advice: "Name the file with the private key: --identity FILE.")
        case .busy: CommandFailure("\(path): \(failure.message)", advice: "Try again in a moment.")
        default: CommandFailure("\(path): \(failure.message)", advice: refusal(failure))
        }
    }
}
