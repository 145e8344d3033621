import Admin
import Engine
import JSON
import Platform
import Store

/// What `serve` keeps of the traffic, as its options say.
struct StoreOptions: Sendable {
    /// nil for the usual one of the project.
    var path: String?
    var isOff = false
    var keepsSecrets = false
    var bodyLimit = 1 << 20
    var sizeLimit = 1 << 30
    /// Nanoseconds.
    var ageLimit: UInt64 = 7 * 24 * 3600 * Limits.second

    static let options: [Option] = [
        .flag("no-store", "Do not record traffic; keep logging."),
        .value("store", "FILE", default: ".shunt/traffic.db beside the profiles", "Where traffic is recorded."),
        .value("store-size", "SIZE", default: "1g", "Its maximum size; the oldest exchanges are removed first."),
        .value("store-age", "TIME", default: "168h", "How long an exchange is kept."),
        .value("store-body", "SIZE", default: "1m", "How much of each body is recorded; its length is always counted."),
        .flag("keep-secrets", "Keep passwords, tokens and cookies as they are instead of replacing them."),
    ]

    static func read(_ arguments: Arguments) throws(UsageError) -> StoreOptions {
        var options = StoreOptions()
        options.isOff = arguments.has("no-store")
        options.path = arguments.text("store").map { Path.absolute($0) }
        if options.isOff, options.path != nil {
            throw UsageError("--no-store and --store exclude each other", advice: "Give one of them.")
        }
        options.keepsSecrets = arguments.has("keep-secrets")
        options.bodyLimit = try arguments.size("store-body", in: 0...(1 << 30)) ?? options.bodyLimit
        options.sizeLimit = try arguments.size("store-size", in: 1 << 20...1 << 42) ?? options.sizeLimit
        options.ageLimit = try arguments.duration("store-age") ?? options.ageLimit
        return options
    }

    /// Opens the store; nil if there is to be none, or the usual one cannot be opened, which is told.
    ///
    /// - Throws: if a place that was asked for cannot be written to.
    func open(
        _ project: Project, _ log: LogWriter?, _ announcer: Announcer
    ) throws(CommandFailure) -> TrafficStore? {
        guard !isOff else { return nil }
        var settings = StoreSettings()
        settings.bodyLimit = bodyLimit
        // Heads and facts may take twice as much when the disk is slow: together well below 100 MiB of memory.
        settings.queueLimit = 16 << 20
        settings.sizeLimit = Int64(sizeLimit)
        settings.ageLimit = Int64(clamping: ageLimit / Limits.second)
        settings.decode()
        if !keepsSecrets { settings.redact() }
        // A line of the log says that the exchange is there to be looked at.
        if let log { settings.committed = { exchanges in for exchange in exchanges { log.exchangeWritten(exchange) } } }
        settings.trouble = { announcer.tell($0) }
        let file = AdminFile(profilesDirectory: project.profilesDirectory)
        if path == nil {
            do throws(FileFailure) {
                try file.makeDirectory()
            } catch {
                announcer.warn("store", "traffic is not recorded: \(error)") { $0.member("message", "\(error)") }
                return nil
            }
        }
        do throws(StoreFailure) {
            return try TrafficStore.open(path ?? file.directory + "/traffic.db", settings)
        } catch {
            if let path, error.kind == .cannotOpen || error.kind == .readOnly {
                throw CommandFailure.failed(
                    "--store \(Path.short(path)): the store cannot be written: \(error.message)",
                    advice: "Name a file in a folder that you may write to, or record nothing with --no-store.")
            }
            announcer.warn("store", "traffic is not recorded: \(error)") { $0.member("message", "\(error)") }
        }
        return nil
    }
}

extension Announcer {
    func tell(_ trouble: StoreTrouble) {
        switch trouble {
        case .began(let failure):
            warn("store", "what passes cannot be kept at present: \(failure)") { $0.member("message", "\(failure)") }
        case .ended(let statistics):
            let lost = statistics.droppedExchanges
            warn("store", "what passes is kept again; \(lost) exchange\(lost == 1 ? " is" : "s are") lost") {
                $0.member("lost", lost)
            }
        case .begunAnew:
            let text = "the file with the traffic was deleted; what passes is kept in a new one"
            warn("store", text) { $0.member("message", text) }
        case .fellBehind(let statistics):
            let (lost, bodies) = (statistics.droppedExchanges, statistics.droppedBodies)
            let exchanges = "\(lost) exchange\(lost == 1 ? "" : "s")"
            warn(
                "store",
                "the disk is too slow for the traffic: so far \(exchanges) and parts of \(bodies) bodies are lost"
            ) {
                $0.member("lost", lost)
                $0.member("bodies", bodies)
            }
        }
    }
}
