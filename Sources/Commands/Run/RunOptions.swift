import Engine
import Expectations
import Platform
import Profiles
import Store

/// What a command line makes of `run`, checked.
struct RunOptions: Sendable {
    var profile: String?
    /// The folder of a CA that several runs share; nil for one that lives in memory.
    var certificates: String?
    /// `NAME=URL` each.
    var baseURLs: [String] = []
    /// How long origins may take to respond, in nanoseconds; nil where they are not waited for.
    var waitTime: UInt64?
    /// Files and texts of expectations.
    var expectations: [String] = []
    var contracts: [ContractExpectation] = []
    var reports = ReportOptions()
    /// What is recorded, or responds; names of recordings.
    var record: String?
    var replay: RunReplay.Options?
    var network: NetworkConditions?
    /// What chance in mocks follows from; nil for any.
    var seed: UInt64?
    /// Commands such as `shunt use` find the run.
    var hasAdmin = false
    /// Where the traffic is kept; nil for the folder of the run.
    var store: String?
    /// Of a store in PostgreSQL.
    var postgres = PostgresSettings()
    /// With its arguments.
    var command: [String] = []

    /// Whether anything asks for the traffic.
    var isRecorded: Bool {
        !expectations.isEmpty || !contracts.isEmpty || store != nil || !reports.isEmpty || record != nil || hasAdmin
    }

    static let options: [Option] =
        [
            .value(
                "profile", "NAME", default: "$SHUNT_PROFILE, else `local`, else the only one", "The active profile."),
            .profiles, .set, .strict,
            .value(
                "base-url-env", "NAME=URL", repeatable: true,
                "Set a variable of the command to the URL of Shunt that takes the place of this one: "
                    + "API_URL=https://api.shop.test."
            ),
            .flag("wait", "Wait until all origins of the profile respond, before the command starts."),
            .value("wait-time", "TIME", default: "30s", "How long to wait for them; implies --wait."),
            .value(
                "certs", "DIR", default: "a CA in memory, for this run alone",
                "The folder of a CA that several runs share, created if it is missing."),
            .value("record", "NAME", "Write the responses of origins into the recording Recordings/NAME.har."),
            .value(
                "replay", "NAME", "Respond with a recording in place of all origins; no connection leaves Shunt."
            ).excluding("record", "wait", "wait-time"),
            .value(
                "unused", "WHAT", default: "warn",
                "With --replay, what becomes of entries that no request has asked for: warn, error (status 2) or ignore."
            ).needing("replay"),
            .value(
                "seed", "N", default: "any; 1 with --replay",
                "The seed for random choices of mocks that have none of their own."),
            .value(
                "network", "NAME",
                "Simulate a network for the command: \(UnknownNetwork.names.joined(separator: ", "))."),
            .flag(
                "admin",
                "Write a file into .shunt beside the profiles, by which `shunt use`, `shunt logs` and others find the "
                    + "run."),
            ExpectOptions.expect,
        ] + ExpectOptions.openAPI + ReportOptions.options + [
            .value(
                "store", "FILE", default: "in a folder that is removed",
                "Keep the recorded traffic in this file, or in postgres://USER@HOST/DATABASE."),
            .value(
                "store-key", "FILE", default: ".shunt/store.key",
                "The file with the key of a store in PostgreSQL, or `database` to keep the key there."),
            .value("node", "NAME", default: "the host's name", "The name of this run in a store in PostgreSQL."),
        ]

    static func read(_ arguments: Arguments) throws -> RunOptions {
        var options = RunOptions()
        options.profile = arguments.text("profile")
        options.certificates = arguments.text("certs").map { Path.absolute($0) }
        options.baseURLs = arguments.texts("base-url-env")
        options.waitTime = try arguments.duration("wait-time") ?? (arguments.has("wait") ? 30 * Limits.second : nil)
        options.record = arguments.text("record")
        if let name = options.record { try RecordCommand.check(name) }
        options.replay = try RunReplay.Options.read(arguments)
        options.seed =
            try arguments.count("seed", in: 0...Int.max).map { UInt64($0) } ?? (options.replay == nil ? nil : 1)
        options.hasAdmin = arguments.has("admin")
        options.network = try ServeSettings.network(arguments)
        options.expectations = arguments.texts("expect")
        options.contracts = try ExpectOptions.contracts(arguments)
        options.reports = try ReportOptions.read(arguments)
        options.store = try StorePlace.read(arguments)
        options.postgres = try StorePlace.settings(arguments, options.store)
        options.command = arguments.operands
        return options
    }
}
