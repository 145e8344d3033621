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
                if try isUsed(part, session) {
                    try removeEnded(in: part, session)
                } else {
                    let tables = PostgresSchema.parted.map { "shunt.\($0)_\(part)" }
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

    /// Whether an exchange of a partition runs, or one of an earlier partition has gone on in its frames.
    static func isUsed(_ part: Int64, _ session: PostgresSession) throws(StoreFailure) -> Bool {
        try session.query(
            """
            SELECT 1 FROM shunt.exchange_\(part) WHERE ended = 0 UNION ALL SELECT 1 FROM shunt.entry
                WHERE frame BETWEEN \(part << PostgresSchema.frameBits) AND \((part + 1) << PostgresSchema.frameBits) - 1
                    AND exchange < \(part * PostgresSchema.partSize) LIMIT 1
            """
        ).count > 0
    }

    /// Removes the ended exchanges of a partition that is used.
    static func removeEnded(in part: Int64, _ session: PostgresSession) throws(StoreFailure) {
        try session.run(
            """
            DELETE FROM shunt.exchange_\(part) WHERE ended = 1;
            DELETE FROM shunt.entry_\(part) WHERE exchange NOT IN (SELECT id FROM shunt.exchange_\(part))
            """)
        try FrameErasing.erase(session, "SELECT number FROM shunt.frame_\(part)")
        try removeBodies(of: part, session)
    }

    /// Removes bodies that no frame has any more.
    static func removeBodies(of part: Int64, _ session: PostgresSession) throws(StoreFailure) {
        try session.run(
            """
            DELETE FROM shunt.body_\(part) WHERE digest NOT IN (SELECT unnest(bodies) FROM shunt.frame_\(part))
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
