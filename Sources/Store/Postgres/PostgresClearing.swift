import Postgres

/// Removes exchanges that have ended from a store in PostgreSQL.
enum PostgresClearing {
    /// Removes all of them.
    static func clear(_ session: PostgresSession) throws(StoreFailure) {
        try session.transaction { () throws(StoreFailure) in
            try close(session)
            let parts = try session.query("SELECT number FROM shunt.part ORDER BY number")
            for row in 0..<parts.count {
                guard let part = parts.integer(row, 0) else { continue }
                if try session.query("SELECT 1 FROM shunt.exchange_\(part) WHERE ended = 0 LIMIT 1").count > 0 {
                    try removeEnded(in: part, session)
                } else {
                    let tables = (PostgresSchema.parted + ["body"]).map { "shunt.\($0)_\(part)" }
                    try session.run("TRUNCATE \(tables.joined(separator: ", "))")
                }
            }
            try removeUnused(session)
        }
    }

    /// Waits for transactions that write, lets none begin until this one ends, and lets all Shunts forget which bodies are
    /// stored.
    static func close(_ session: PostgresSession) throws(StoreFailure) {
        try session.query("SELECT pg_advisory_xact_lock('shunt.meta'::regclass::oid::integer, 1)")
        try session.query("UPDATE shunt.meta SET number = number + 1 WHERE key = 'epoch'")
    }

    /// Removes the ended exchanges of a partition that also has running ones.
    static func removeEnded(in part: Int64, _ session: PostgresSession) throws(StoreFailure) {
        let running = "(SELECT id FROM shunt.exchange_\(part) WHERE ended = 0)"
        try session.run("DELETE FROM shunt.exchange_\(part) WHERE ended = 1")
        for table in ["content", "piece", "message"] {
            try session.run("DELETE FROM shunt.\(table)_\(part) WHERE exchange NOT IN \(running)")
        }
        // Blocks have ended exchanges alone.
        try session.run(
            """
            DELETE FROM shunt.block_\(part);
            DELETE FROM shunt.body_\(part) WHERE digest NOT IN (
                SELECT request_digest FROM shunt.content_\(part) WHERE request_digest IS NOT NULL UNION ALL
                SELECT response_digest FROM shunt.content_\(part) WHERE response_digest IS NOT NULL UNION ALL
                SELECT digest FROM shunt.piece_\(part) WHERE digest IS NOT NULL)
            """)
    }

    private static func removeUnused(_ session: PostgresSession) throws(StoreFailure) {
        try session.run(
            """
            DELETE FROM shunt.context WHERE context NOT IN (SELECT context FROM shunt.exchange WHERE context IS NOT NULL);
            DELETE FROM shunt.certificate
                WHERE NOT EXISTS (SELECT 1 FROM shunt.context WHERE context.chain = certificate.chain)
            """)
    }
}
