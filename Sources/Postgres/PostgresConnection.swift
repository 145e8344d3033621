import CPostgres
import Platform

/// One connection to a database; confined to its owner, whose thread waits in each call until its deadline.
///
/// After ``PostgresFailure/Kind/lost`` and ``PostgresFailure/Kind/timedOut`` it is of no use any more: open another one.
public final class PostgresConnection {
    let library: shunt_libpq
    let handle: OpaquePointer
    public let address: PostgresAddress
    /// How long a call may take, in milliseconds, where it has no deadline of its own.
    public var patience = 30_000

    /// Connects, which takes at most as long as the deadline says; names and addresses are tried in turn.
    ///
    /// - Parameter name: what the server shows of this connection (`application_name`).
    public convenience init(
        _ address: PostgresAddress, name: String = "shunt",
        until deadline: PostgresDeadline = .after(milliseconds: 10_000)
    ) throws(PostgresFailure) {
        try self.init(address, name: name, until: deadline, lookUp: HostLookUp.askSystem)
    }

    /// - Parameter lookUp: what knows the addresses of hosts; it may block.
    package init(
        _ address: PostgresAddress, name: String = "shunt", until deadline: PostgresDeadline,
        lookUp: @escaping @Sendable (String) -> [String]
    ) throws(PostgresFailure) {
        let library = try PostgresLibrary.load()
        self.library = library
        self.address = address
        var settings = address.settings
        settings.append(PostgresAddress.Setting(keyword: "application_name", value: name))
        // A port that there is not ends a connection before it looks up its host.
        let values = try Self.values(library, settings, but: PostgresAddress.Setting(keyword: "port", value: "0"))
        if !settings.contains(where: { $0.keyword == "sslmode" }), Self.prefersTLS(values) {
            settings.append(PostgresAddress.Setting(keyword: "sslmode", value: "verify-full"))
        }
        settings += try Self.resolved(values, library, settings, until: deadline, lookUp)
        handle = try Self.start(library, settings)
        // From here on `deinit` runs, also when this throws.
        try connect(until: deadline)
        _ = library.setnonblocking(handle, 1)
        _ = library.setNoticeReceiver(handle, shunt_drop_notice, nil)
    }

    deinit { library.finish(handle) }

    /// False once the connection was lost.
    public var isUsable: Bool { library.status(handle) == Status.ok }

    /// The version of the server, such as 150018.
    public var serverVersion: Int { Int(library.serverVersion(handle)) }

    /// The server's number of this connection, as pg_stat_activity names it.
    public var serverProcess: Int { Int(library.backendPID(handle)) }

    enum Status {
        static let ok: CInt = 0
    }

    private enum Polling {
        static let failed: CInt = 0
        static let reading: CInt = 1
        static let writing: CInt = 2
        static let ok: CInt = 3
    }

    private static func start(
        _ library: shunt_libpq, _ settings: [PostgresAddress.Setting]
    ) throws(PostgresFailure) -> OpaquePointer {
        let keywords = settings.map { strdup($0.keyword) }
        let values = settings.map { strdup($0.value) }
        defer { for text in keywords + values { free(text) } }
        let terminated = (keywords.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil])
        guard let handle = library.connectStartParams(terminated.0, terminated.1, 0) else {
            throw PostgresFailure(.library, "there is no memory for a connection to PostgreSQL")
        }
        return handle
    }

    /// What libpq makes of settings, the environment and service files, which it reads only for a connection.
    ///
    /// - Parameter invalid: a setting that lets the connection fail before it looks up or connects to anything.
    private static func values(
        _ library: shunt_libpq, _ settings: [PostgresAddress.Setting], but invalid: PostgresAddress.Setting
    ) throws(PostgresFailure) -> [String: String] {
        let handle = try start(library, settings + [invalid])
        defer { library.finish(handle) }
        guard let options = library.conninfo(handle) else { return [:] }
        defer { library.conninfoFree(options) }
        return PostgresLibrary.values(options)
    }

    /// The addresses of hosts that are names, beside which each host and port stands once more; nothing where libpq
    /// looks up none.
    private static func resolved(
        _ values: [String: String], _ library: shunt_libpq, _ settings: [PostgresAddress.Setting],
        until deadline: PostgresDeadline, _ lookUp: @escaping HostLookUp.System
    ) throws(PostgresFailure) -> [PostgresAddress.Setting] {
        let hosts = (values["host"] ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let isName = hosts.map { !$0.isEmpty && !$0.hasPrefix("/") && !$0.hasPrefix("@") }
        guard values["hostaddr"]?.isEmpty ?? true, isName.contains(true) else { return [] }
        let invalid = PostgresAddress.Setting(keyword: "hostaddr", value: "!")
        let ports = (try Self.values(library, settings, but: invalid)["port"] ?? "")
            .split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        var found: [(host: String, address: String, port: String)] = []
        var problem = ""
        for (at, host) in hosts.enumerated() {
            let port = ports.count == hosts.count ? ports[at] : ports.first ?? ""
            guard isName[at] else {
                found.append((host, "", port))
                continue
            }
            let addresses = HostLookUp.addresses(of: host, until: deadline, lookUp)
            if addresses?.isEmpty ?? true {
                problem = addresses == nil ? "\(host) could not be looked up in time" : "\(host) has no address"
            }
            found += (addresses ?? []).map { (host, $0, port) }
        }
        guard !found.isEmpty else { throw PostgresFailure(.unreachable, problem) }
        return [
            PostgresAddress.Setting(keyword: "host", value: found.map(\.host).joined(separator: ",")),
            PostgresAddress.Setting(keyword: "hostaddr", value: found.map(\.address).joined(separator: ",")),
            PostgresAddress.Setting(keyword: "port", value: found.map(\.port).joined(separator: ",")),
        ]
    }

    /// Whether neither address, environment nor service file say how TLS is used, where libpq's own choice would accept
    /// any server.
    private static func prefersTLS(_ values: [String: String]) -> Bool {
        values["sslmode"] == "prefer" && getenv("PGSSLMODE") == nil
            && !(values["host"] ?? "/").split(separator: ",").allSatisfy { $0.hasPrefix("/") }
    }

    private func connect(until deadline: PostgresDeadline) throws(PostgresFailure) {
        var next = Polling.writing
        while true {
            switch next {
            case Polling.ok: return
            case Polling.failed: throw failure(connecting: message)
            default:
                let wanted = next == Polling.reading ? POLLIN : POLLOUT
                guard wait(for: Int16(wanted), until: deadline) else {
                    throw PostgresFailure(.unreachable, "\(address) does not respond in time")
                }
            }
            next = library.connectPoll(handle)
        }
    }

    private func failure(connecting text: String) -> PostgresFailure {
        // A connection that fails has no result whose state could be asked for; these are the server's words in its
        // default language, which initdb sets for a server in another one as well when `lc_messages` is C.
        let isRefused =
            text.contains("authentication failed") || text.contains("no pg_hba.conf entry")
            || text.contains("no password supplied") || text.contains("server does not support SSL")
            || text.contains("role \"") && text.contains("does not exist")
            || text.contains("database \"") && text.contains("does not exist")
        return PostgresFailure(isRefused ? .refused : .unreachable, text)
    }

    var message: String { library.errorMessage(handle).map { String(cString: $0) } ?? "" }

    /// Waits until the socket is ready; false when the time is over.
    func wait(for events: Int16, until deadline: PostgresDeadline) -> Bool {
        var socket = pollfd(fd: library.socket(handle), events: events, revents: 0)
        guard socket.fd >= 0 else { return true }
        while true {
            let count = poll(&socket, 1, deadline.pollTime)
            if count > 0 { return true }
            if count == 0 { return false }
            guard errno == EINTR else { return true }
        }
    }
}
