import Engine
import Exchanges
import Platform
import Profiles
import Reactor
import Store

/// What a command line makes of `serve`, checked.
struct ServeSettings: Sendable {
    enum Certificates: Sendable {
        /// The development CA in this folder, or the one of the project or of the person.
        case development(directory: String?)
        case own(certificate: String, key: String)
    }

    enum Log: Sendable, Equatable {
        case text
        case json
        case off
    }

    static let defaultPort: UInt16 = 4884
    static let defaultAdminPort: UInt16 = 4885

    var profile: String?
    var certificates = Certificates.development(directory: nil)
    /// As given; none for the loopback addresses.
    var hosts: [String] = []
    var port = defaultPort
    /// nil for the default one, or any if that is taken.
    var adminPort: UInt16?
    /// nil for the next but one after ``port``, or any if that is taken.
    var pagesPort: UInt16?
    var workers = max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))
    var log = Log.text
    var color = false
    /// The log has more of each exchange.
    var isVerbose = false
    /// A QR code leads a phone to its page.
    var hasPhoneCode = false
    var store = StoreOptions()
    var network: NetworkConditions?
    /// The name of a recording that gets what passes.
    var recording: String?
    var readyFile: ReadyFile?
    /// The pages where devices choose.
    var hasPages = true
    var hasInspector = true
    /// Exchanges are counted for monitoring.
    var hasMetrics = false
    /// The file with the token that reads them; nil for one of Shunt's own.
    var metricsToken: String?
    var limits = Limits()
    /// Hosts that clients may use beside those that are known anyway.
    var allowedHosts: [ClientHostPattern] = []
    var proxying = ForwardOptions()
    var tls = TLSOptions()
    var traces = TraceOptions()
    var adminListening = AdminListenOptions()
    var cluster = ClusterOptions()
    /// It is temporary, so that no advice to trust its CA is printed.
    var isDemo = false
    /// What the server before this one has left, which has crashed.
    var resumed: RestartState?
    /// Nanoseconds.
    var drainTime = 10 * Limits.second
    let errors = ErrorStream()

    static let options: [Option] =
        [
            .value(
                "profile", "NAME", default: "$SHUNT_PROFILE, else `local`, else the only one",
                "The initially active profile."),
            .profiles,
            .value(
                "origin", "[HOST=|PROFILE=]URL", repeatable: true,
                "Serve this origin without profile files: for every host or for HOST in the profile local, or in "
                    + "another profile. Certificates of servers on this machine are not verified. May be given several "
                    + "times."
            ).excluding("profiles"),
            .set, .strict,
            .value(
                "certs", "DIR", default: "certs beside the profiles if there is a CA, else that of `shunt ca`",
                "The folder of the development CA, created at the first start."),
            .value("cert", "FILE", "A certificate of your own (PEM, with its chain) instead of the development CA's.")
                .needing("key").excluding("certs"),
            .value("key", "FILE", "The private key of --cert (PEM).").needing("cert"),
            .value(
                "host", short: "H", "ADDR", repeatable: true, default: "127.0.0.1 and ::1",
                "An address to listen on; may be given several times."),
            .value(
                "allow-host", "PATTERN", repeatable: true,
                default: "names of this machine, its networks and the profiles",
                "A host by which clients may reach routes for every host: HOST, '*.DOMAIN' or '*'. May be given several "
                    + "times."),
            .value(
                "port", short: "p", "PORT", default: "\(defaultPort)",
                "The port for HTTP and HTTPS alike; 0 for any free one."),
            .value(
                "admin-port", "PORT", default: "\(defaultAdminPort), or any if that is in use",
                "The port of the admin interface at 127.0.0.1."),
            .value(
                "pages-port", "PORT", default: "--port + 2, or any if that is in use",
                "The port of the pages where devices choose their profile, at the addresses of --host."),
            .value("workers", "N", default: "one per core", "Threads."),
            .value(
                "network", "NAME",
                "Simulate a network for all clients: \(UnknownNetwork.names.joined(separator: ", "))."),
            .choice("log", ["text", "json", "off"], default: "text", "How exchanges are written to standard error."),
            .flag(
                "verbose", short: "v",
                "A second line for each exchange: its route, its connections, the time of each phase."),
            .flag("quiet", short: "q", "Only the start, warnings and errors, as --log off.").excluding("log"),
            .flag("qr", "Show a QR code with which a phone opens its page; see --host."),
            .flag("no-pages", "No pages where devices are paired and choose their profile.").excluding("pages-port"),
            .flag("no-inspector", "No inspector on the admin interface."),
            .flag(
                "metrics",
                "Count exchanges for Prometheus: /metrics on the admin port, with the token of .shunt/metrics-token."),
            .value(
                "metrics-token", "FILE", default: "made once, in .shunt/metrics-token",
                "Read that token from here, as from a mounted Secret; it implies --metrics."),
            .flag("no-color", "No colours. NO_COLOR in the environment does the same."),
            .value(
                "ready-file", "FILE",
                "Write one line of JSON here when all ports listen: pid, port, host, urls, admin, profile."),
            .flag("detach", "Run in the background; return when all ports listen."),
            .flag(
                "resume",
                "For services: after a crash go on with the ports, the active profile and the unlocked profiles of "
                    + "before."),
            .value(
                "drain-time", "TIME", default: "10s", "How long exchanges may take to finish after SIGTERM or Ctrl-C."),
            .value(
                "drain-idle", "TIME", default: "0s",
                "How long idle connections of HTTP/1.1 stay open after that, for load balancers that still use them."),
            .value("record", "NAME", "Also append exchanges to Recordings/NAME.har."),
        ] + TLSOptions.options + AdminListenOptions.options + TraceOptions.options + StoreOptions.options
        + ClusterOptions.options + ForwardOptions.options + LimitOptions.options

    static func read(_ arguments: Arguments) throws -> ServeSettings {
        var settings = ServeSettings()
        settings.limits = try LimitOptions.read(arguments)
        settings.certificates = try certificates(arguments)
        settings.profile = arguments.text("profile")
        settings.hosts = arguments.texts("host")
        for host in settings.hosts where ListenAddress.read(host, port: 0) == nil {
            throw UsageError(
                "--host “\(host)” is no address",
                advice: "Give an address of this machine, such as 127.0.0.1 or 0.0.0.0.")
        }
        for text in arguments.texts("allow-host") {
            settings.allowedHosts.append(try ClientHostPattern(text, of: "allow-host"))
        }
        settings.port = try arguments.port("port") ?? defaultPort
        settings.proxying = try ForwardOptions.read(arguments, .current, port: settings.port)
        settings.tls = TLSOptions.read(arguments, .current)
        settings.traces = try TraceOptions.read(arguments, .current)
        settings.adminListening = try AdminListenOptions.read(arguments)
        settings.cluster = try ClusterOptions.read(arguments, port: settings.port)
        settings.adminPort = try arguments.port("admin-port")
        settings.workers = try arguments.count("workers", in: 1...256) ?? settings.workers
        settings.store = try StoreOptions.read(arguments)
        settings.store.postgres.node = settings.store.postgres.node ?? NodeName.usual(port: settings.port)
        settings.network = try network(arguments)
        settings.recording = arguments.text("record")
        if let name = settings.recording { try RecordCommand.check(name) }
        settings.log = log(arguments)
        settings.color = !arguments.has("no-color") && Terminal.wantsColor(on: 2)
        settings.isVerbose = arguments.has("verbose")
        guard !settings.isVerbose || settings.log == .text else {
            throw UsageError(
                "--verbose is for the log as text", advice: "JSON has all of each exchange; leave --verbose away.")
        }
        settings.hasPhoneCode = arguments.has("qr")
        guard !settings.hasPhoneCode || settings.log == .text && !arguments.has("no-pages") else {
            throw UsageError(
                "--qr excludes --quiet, --log json, --log off and --no-pages",
                advice: "`shunt pair` shows a code at any time.")
        }
        settings.hasPages = !arguments.has("no-pages")
        settings.metricsToken = arguments.text("metrics-token").map { Path.absolute($0) }
        settings.hasMetrics = arguments.has("metrics") || settings.metricsToken != nil
        settings.hasInspector = !arguments.has("no-inspector")
        settings.pagesPort = try arguments.port("pages-port")
        settings.readyFile = arguments.text("ready-file").map { ReadyFile(path: Path.absolute($0)) }
        settings.drainTime = try arguments.duration("drain-time", mayBeZero: true) ?? settings.drainTime
        settings.limits.drainIdleTime = try arguments.duration("drain-idle", mayBeZero: true) ?? 0
        guard settings.limits.drainIdleTime <= settings.drainTime else {
            throw UsageError("--drain-idle is longer than --drain-time", advice: "Give it at most that time.")
        }
        return settings
    }

    static func network(_ arguments: Arguments) throws -> NetworkConditions? {
        guard let name = arguments.text("network") else { return nil }
        do throws(UnknownNetwork) { return try UnknownNetwork.find(name) } catch {
            throw UsageError("--network “\(name)” is not known", advice: error.advice)
        }
    }

    private static func certificates(_ arguments: Arguments) throws -> Certificates {
        guard let certificate = arguments.text("cert"), let key = arguments.text("key") else {
            return .development(directory: arguments.text("certs").map { Path.absolute($0) })
        }
        return .own(certificate: Path.absolute(certificate), key: Path.absolute(key))
    }

    private static func log(_ arguments: Arguments) -> Log {
        switch arguments.text("log") {
        case nil: arguments.has("quiet") ? .off : .text
        case "json": .json
        case "off": .off
        default: .text
        }
    }

    var announcer: Announcer {
        Announcer(manner: log == .json ? .json : .text(color: color), stream: errors, isQuiet: log == .off)
    }

    var logFormat: LogFormat? {
        switch log {
        case .text: .terminal(2, color: color, isDetailed: isVerbose)
        case .json: .json
        case .off: nil
        }
    }
}
