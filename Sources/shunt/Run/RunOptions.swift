import Engine
import Filter
import Platform
import Profiles

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
    var reports = ReportOptions()
    /// Where the traffic is kept; nil for the folder of the run.
    var store: String?
    /// The name of a recording that gets the traffic.
    var record: String?
    /// The name of the recording that responds to all requests.
    var replay: String?
    var unused = Unused.warn
    var network: NetworkConditions?
    /// Where mocks begin that have no seed of their own.
    var seed: UInt64?
    /// What templates take for now, in microseconds since 1970.
    var time: Int64?
    /// With its arguments.
    var command: [String] = []

    /// What is done about entries of the replayed recording that did not respond.
    enum Unused: String, CaseIterable {
        case warn, error, ignore
    }

    /// Whether anything asks for the traffic.
    var isRecorded: Bool { !expectations.isEmpty || store != nil || record != nil || !reports.isEmpty }

    /// The command line's routes and trust rules, which win over the profile's.
    func settings(_ texts: [String]) -> [String] {
        replay.map { [#"routes.*={"recording": "\#($0)"}"#] + texts } ?? texts
    }

    static let options: [Option] =
        [
            .value(
                "profile", "NAME", default: "$SHUNT_PROFILE, else `local`, else the only one", "The active profile."),
            .profiles, .set, .strict,
            .value(
                "base-url-env", "NAME=URL", repeatable: true,
                "Give the command a variable with the URL at which Shunt stands for this one: API_URL=https://api.shop.test."
            ),
            .flag("wait", "Wait until all origins of the profile respond, before the command starts."),
            .value("wait-time", "TIME", default: "30s", "How long to wait for them; implies --wait."),
            .value(
                "certs", "DIR", default: "a CA in memory, for this run alone",
                "The folder of a CA that several runs share, created if it is missing."),
            .value("record", "NAME", "Also write the traffic into Recordings/NAME.har, which must not be there yet."),
            .value(
                "replay", "NAME",
                "Let the recording Recordings/NAME.har respond to all requests; no origin is asked, and what was not "
                    + "recorded gets 404."),
            .value(
                "unused", "warn|error|ignore", default: "warn",
                "What to do when entries of the replayed recording did not respond; error: exit status 2."),
            NetworkOption.option("the command"),
            .value(
                "seed", "N", default: "a random one",
                "Where mocks begin that have no seed of their own, so that two runs have the same chances and values."),
            .value(
                "clock", "TIME", default: "the clock's time",
                "What templates of mocks take for now: 2026-05-01T10:00:00Z."),
            ExpectOptions.expect,
        ] + ReportOptions.options + [
            .value("store", "FILE", default: "in a folder that is removed", "Keep the recorded traffic in this file.")
        ]

    static func read(_ arguments: Arguments) throws(UsageError) -> RunOptions {
        var options = RunOptions()
        options.profile = arguments.text("profile")
        options.certificates = arguments.text("certs").map { Path.absolute($0) }
        options.baseURLs = arguments.texts("base-url-env")
        options.waitTime = try arguments.duration("wait-time") ?? (arguments.has("wait") ? 30 * Limits.second : nil)
        options.expectations = arguments.texts("expect")
        options.reports = try ReportOptions.read(arguments)
        options.store = arguments.text("store").map { Path.absolute($0) }
        options.command = arguments.operands
        options.record = arguments.text("record")
        options.replay = arguments.text("replay")
        for name in [options.record, options.replay].compactMap(\.self) { try RecordCommand.check(name) }
        if options.replay != nil, options.record != nil || options.waitTime != nil {
            throw UsageError(
                "--replay and \(options.record == nil ? "--wait" : "--record") exclude each other",
                advice: "No origin is asked while a recording responds.")
        }
        if let text = arguments.text("unused") {
            guard let unused = Unused(rawValue: text), options.replay != nil else {
                throw UsageError(
                    "--unused “\(text)” is not possible",
                    advice: "Give warn, error or ignore, together with --replay NAME.")
            }
            options.unused = unused
        }
        options.network = try NetworkOption.read(arguments)
        options.seed = try arguments.count("seed", in: 0...Int.max).map(UInt64.init)
        if let text = arguments.text("clock") {
            guard let time = FilterTime.instant(text) else {
                throw UsageError("--clock “\(text)” is no time", advice: "Write it as 2026-05-01T10:00:00Z.")
            }
            options.time = time
        }
        return options
    }
}
