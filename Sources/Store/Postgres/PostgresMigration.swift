import Postgres

/// Makes the tables of a store in PostgreSQL, of which there is one version.
enum PostgresMigration {
    /// Held by the Shunt that makes the tables: "SHUNT".
    private static let lock = 0x53_4855_4E54

    /// The version of the tables; 0 if there are none.
    static func version(_ session: PostgresSession) throws(StoreFailure) -> Int64 {
        // By a table of the server's: without one, a transaction that has waited for another Shunt does not look anew.
        let found = try session.query("SELECT 1 FROM pg_class WHERE oid = to_regclass('shunt.meta')")
        guard found.count > 0 else { return 0 }
        return try session.integer("SELECT number FROM shunt.meta WHERE key = 'version'") ?? 0
    }

    /// Throws if the tables cannot be used: missing, or of another version.
    static func check(_ session: PostgresSession) throws(StoreFailure) {
        let version = try version(session)
        guard version > 0 else {
            throw StoreFailure(.missing, path: session.server, "no traffic was recorded here yet")
        }
        guard version == PostgresSchema.version else { throw other(version, session) }
    }

    /// Makes the tables where there are none, and sets aside those of an earlier Shunt; several Shunts may do so at the
    /// same time.
    static func run(_ session: PostgresSession, _ settings: StoreSettings) throws(StoreFailure) {
        guard try version(session) != PostgresSchema.version else { return }
        var aside: SetAsideStore?
        try session.transaction { () throws(StoreFailure) in
            try session.query("SELECT pg_advisory_xact_lock(\(lock))")
            var version = try version(session)
            if version > 0, version < PostgresSchema.version, settings.setAside != nil {
                aside = try setAside(session, now: settings.clock())
                version = 0
            }
            guard version == 0 || version == PostgresSchema.version else { throw other(version, session) }
            if version == 0 {
                guard try session.query("SELECT 1 WHERE current_setting('server_encoding') = 'UTF8'").count == 1 else {
                    throw StoreFailure(
                        .cannotOpen, path: session.server,
                        "the database has another encoding than UTF8; make one with CREATE DATABASE … ENCODING 'UTF8' "
                            + "TEMPLATE template0")
                }
                try session.run("CREATE SCHEMA IF NOT EXISTS shunt")
                try session.run(PostgresSchema.all)
            }
            try session.query(
                "INSERT INTO shunt.meta(key, number) VALUES ('version', \(PostgresSchema.version)) "
                    + "ON CONFLICT (key) DO UPDATE SET number = excluded.number")
        }
        if let aside { settings.setAside?(aside) }
    }

    /// Renames the schema, unless a Shunt that made it still records.
    private static func setAside(_ session: PostgresSession, now: Int64) throws(StoreFailure) -> SetAsideStore {
        let nodes = try session.query(
            "SELECT string_agg(node, ', ' ORDER BY node) FROM shunt.recorder WHERE number IN (\(PostgresRecorder.living))"
        ).text(0, 0)
        if let nodes { throw SetAsideStore.inUse(session.server, by: nodes) }
        let name = try SetAsideStore.free("shunt", now, separator: "_") { name throws(StoreFailure) in
            try session.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [.text(name)]).count == 0
        }
        try session.run("ALTER SCHEMA shunt RENAME TO \"\(name)\"")
        return SetAsideStore(path: session.server, schema: name)
    }

    private static func other(_ version: Int64, _ session: PostgresSession) -> StoreFailure {
        .version(version, of: session.server, known: PostgresSchema.version)
    }
}
