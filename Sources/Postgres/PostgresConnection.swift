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
    public init(
        _ address: PostgresAddress, name: String = "shunt",
        until deadline: PostgresDeadline = .after(milliseconds: 10_000)
    ) throws(PostgresFailure) {
        let library = try PostgresLibrary.load()
        self.library = library
        self.address = address
        var settings = address.settings
        settings.append(PostgresAddress.Setting(keyword: "application_name", value: name))
        if !settings.contains(where: { $0.keyword == "sslmode" }), try Self.prefersTLS(library, settings) {
            settings.append(PostgresAddress.Setting(keyword: "sslmode", value: "verify-full"))
        }
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

    /// Whether neither address, environment nor service file say how TLS is used, where libpq's own choice would accept
    /// any server.
    ///
    /// A service file is read by libpq alone, and only for a connection; this one is ended before it sends anything.
    private static func prefersTLS(
        _ library: shunt_libpq, _ settings: [PostgresAddress.Setting]
    ) throws(PostgresFailure) -> Bool {
        let handle = try start(library, settings)
        defer { library.finish(handle) }
        guard let options = library.conninfo(handle) else { return false }
        defer { library.conninfoFree(options) }
        let values = PostgresLibrary.values(options)
        return values["sslmode"] == "prefer" && getenv("PGSSLMODE") == nil
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
