import CPostgres
import Platform

/// The address of a database: a URL `postgres://USER@HOST:PORT/DATABASE?KEY=VALUE`, or `service=NAME`.
///
/// It never holds a password: those stand in the file that `PGPASSFILE` names (`~/.pgpass`), in `PGPASSWORD`, or in a
/// service file, where libpq reads them. What it leaves open, libpq takes from the `PG…` variables of the environment.
public struct PostgresAddress: Sendable, Hashable, CustomStringConvertible {
    /// libpq's keywords with their values, in the order of their names.
    let settings: [Setting]
    /// The address as it may be shown.
    public let description: String

    struct Setting: Sendable, Hashable {
        let keyword: String
        let value: String
    }

    /// Whether a text is meant as such an address, and not as a file.
    public static func isOne(_ text: String) -> Bool {
        text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    }

    /// Whether a text is meant as an address in another spelling than ``isOne(_:)`` takes; it may have a password.
    public static func isMisspelt(_ text: String) -> Bool {
        guard !isOne(text) else { return false }
        let words = text.lowercased()
        return words.hasPrefix("postgres:") || words.hasPrefix("postgresql:")
            || ["host=", "dbname=", "password=", "service="].contains { words.contains($0) }
    }

    /// Reads an address, by libpq's own rules for URLs.
    ///
    /// `sslmode` is `verify-full` unless the address, `PGSSLMODE` or a service file says otherwise, or the host is a
    /// folder with a socket. Authorities are the system's unless `sslrootcert`, `PGSSLROOTCERT` or
    /// `~/.postgresql/root.crt` names others.
    public init(_ text: String) throws(PostgresFailure) {
        let library = try PostgresLibrary.load()
        var message: UnsafeMutablePointer<CChar>?
        guard let options = library.conninfoParse(text, &message) else {
            defer { library.freemem(message) }
            // libpq's message quotes the text, which may hold a password.
            throw PostgresFailure(
                .address, "the address is not one of PostgreSQL; expected postgres://USER@HOST:PORT/DATABASE")
        }
        defer { library.conninfoFree(options) }
        var found = PostgresLibrary.values(options)
        guard found["password"] == nil, found["sslpassword"] == nil else {
            throw PostgresFailure(
                .address,
                "the address has a password, which other users of this machine can read; write it into the file that "
                    + "PGPASSFILE names (HOST:PORT:DATABASE:USER:PASSWORD), or into PGPASSWORD")
        }
        // libpq reads such a name as settings, with a password in them.
        guard found["dbname"]?.contains("=") != true, found["dbname"]?.contains("://") != true else {
            throw PostgresFailure(
                .address, "the database's name is not one; expected postgres://USER@HOST:PORT/DATABASE")
        }
        let isNamed = found["service"] != nil || Self.variable("PGSERVICE") != nil
        Self.setDefaults(&found, isNamed: isNamed)
        settings = found.sorted { $0.key < $1.key }.map { Setting(keyword: $0.key, value: $0.value) }
        description = Self.describe(found)
    }

    /// The host, the folder of a socket, or the service's name; empty if the environment decides.
    public var host: String { settings.first { $0.keyword == "host" }?.value ?? "" }

    /// How the server's certificate is judged, in libpq's words; nil where libpq decides, or over a socket.
    package var sslMode: String? { settings.first { $0.keyword == "sslmode" }?.value }

    private static func setDefaults(_ found: inout [String: String], isNamed: Bool) {
        // Other settings than these are the server's or the user's.
        for (keyword, value) in [
            ("connect_timeout", "10"), ("keepalives_idle", "30"), ("keepalives_interval", "10"),
            ("keepalives_count", "3"), ("tcp_user_timeout", "30000"), ("client_encoding", "UTF8"),
        ]
        where found[keyword] == nil { found[keyword] = value }
        let host = found["host"] ?? variable("PGHOST")
        let isSocket = (host ?? "/").split(separator: ",").allSatisfy { $0.hasPrefix("/") }
        if found["sslmode"] == nil, variable("PGSSLMODE") == nil, !isSocket, !isNamed {
            found["sslmode"] = "verify-full"
        }
        if found["sslrootcert"] == nil, variable("PGSSLROOTCERT") == nil, !isNamed, !isSocket, !hasOwnRoots,
            let bundle = systemBundle
        {
            found["sslrootcert"] = bundle
        }
    }

    private static var hasOwnRoots: Bool {
        variable("HOME").map { Files.exists($0 + "/.postgresql/root.crt") } ?? false
    }

    private static var systemBundle: String? {
        let known = [
            variable("SSL_CERT_FILE"), "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
            "/etc/ssl/cert.pem",
        ]
        return known.compactMap { $0 }.first { Files.isReadableFile($0) }
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func describe(_ found: [String: String]) -> String {
        if let service = found["service"] { return "PostgreSQL service \(service)" }
        let host = found["host"] ?? variable("PGHOST") ?? "local socket"
        let port = (found["port"] ?? variable("PGPORT")).map { ":\($0)" } ?? ""
        let database = found["dbname"] ?? variable("PGDATABASE") ?? found["user"] ?? ""
        return "PostgreSQL at \(host)\(port)" + (database.isEmpty ? "" : ", database \(database)")
    }
}
