import Postgres

/// Removes chosen exchanges from a store in PostgreSQL, while others write to it; confined to its owner.
final class PostgresErasing {
    private let session: PostgresSession
    /// Partitions in which something was removed.
    private var touched: Set<Int64> = []

    init(_ path: String) throws(StoreFailure) {
        session = try PostgresSession(
            path, name: "shunt clear", setting: "SET search_path = shunt, pg_catalog; SET lock_timeout = '20s'")
        try PostgresMigration.check(session)
        try PostgresRecorder.breakOff(session)
    }

    func clear() throws(StoreFailure) { try PostgresClearing.clear(session) }

    /// Removes these in one transaction, with the parts of frames and contexts that only they had.
    func remove(_ victims: [Int64]) throws(StoreFailure) -> Int64 {
        let list = PostgresValue.text("{\(victims.map { "\($0)" }.joined(separator: ","))}")
        var count: Int64 = 0
        try session.transaction { () throws(StoreFailure) in
            count =
                try session.integer(
                    """
                    WITH gone AS (DELETE FROM shunt.exchange WHERE id = ANY($1::bigint[]) RETURNING 1)
                        SELECT count(*) FROM gone
                    """, [list]) ?? 0
            // Before the entries go, by which they are found.
            let frames = try session.query(
                """
                SELECT number FROM shunt.frame, unnest($1::bigint[]) gone
                    WHERE first BETWEEN gone - \(FrameWriter.maxExchanges) AND gone AND last >= gone
                UNION SELECT frame FROM shunt.entry WHERE exchange = ANY($1::bigint[])
                """, [list])
            let numbers = (0..<frames.count).compactMap { frames.integer($0, 0) }
            try session.query("DELETE FROM shunt.entry WHERE exchange = ANY($1::bigint[])", [list])
            try FrameErasing.erase(
                session, "SELECT unnest($1::bigint[])",
                [.text("{\(numbers.map { "\($0)" }.joined(separator: ","))}")])
            if let first = victims.min(), let last = victims.max() { try removeContexts(first, last) }
            touched.formUnion(numbers.map { $0 >> PostgresSchema.frameBits })
        }
        return count
    }

    private func removeContexts(_ first: Int64, _ last: Int64) throws(StoreFailure) {
        try session.query(
            """
            DELETE FROM shunt.context WHERE last BETWEEN $1 AND $2::bigint + \(WriteBatch.maxNew) AND context <= $2
                AND NOT EXISTS (SELECT 1 FROM shunt.exchange
                    WHERE id BETWEEN abs(context.context) AND last AND exchange.context = context.context)
            """, [.integer(first), .integer(last)])
    }

    /// Removes bodies and certificates that no exchange uses any more.
    func giveBack() throws(StoreFailure) {
        for part in touched.sorted() {
            try session.transaction { () throws(StoreFailure) in
                try PostgresClearing.close(session)
                try PostgresClearing.removeBodies(of: part, session)
                try session.run(
                    """
                    DELETE FROM shunt.certificate
                        WHERE NOT EXISTS (SELECT 1 FROM shunt.context WHERE context.chain = certificate.chain)
                    """)
            }
        }
        touched = []
    }
}

/// Removes frames of which no exchange has anything any more, and bytes of removed exchanges from others.
enum FrameErasing {
    private static let kept = """
        EXISTS (SELECT 1 FROM shunt.exchange WHERE id BETWEEN frame.first AND frame.last)
            OR EXISTS (SELECT 1 FROM shunt.entry WHERE entry.frame = frame.number)
        """

    /// - Parameter numbers: a query of the frames' numbers.
    static func erase(
        _ session: PostgresSession, _ numbers: String, _ values: [PostgresValue] = []
    ) throws(StoreFailure) {
        try session.query("DELETE FROM shunt.frame WHERE number IN (\(numbers)) AND NOT (\(kept))", values)
        let found = try session.query(
            "SELECT number FROM shunt.frame WHERE number IN (\(numbers)) ORDER BY number", values)
        // One by one, since they may be many.
        for row in 0..<found.count { try rewrite(found.integer(row, 0) ?? 0, session) }
    }

    private static func rewrite(_ number: Int64, _ session: PostgresSession) throws(StoreFailure) {
        let row = try session.query(
            """
            SELECT first, last, directory, bytes, (SELECT string_agg(digest, '' ORDER BY place)
                    FROM unnest(bodies) WITH ORDINALITY all_bodies(digest, place)),
                (SELECT string_agg(id::text, ',') FROM shunt.exchange WHERE id BETWEEN frame.first AND frame.last),
                (SELECT string_agg(place::text, ',') FROM shunt.entry WHERE entry.frame = frame.number)
                FROM shunt.frame WHERE number = $1 FOR UPDATE OF frame
            """, [.integer(number)])
        guard row.count == 1 else { return }
        func kept(_ column: Int) -> Set<Int64> {
            Set((row.text(0, column) ?? "").split(separator: ",").compactMap { Int64($0) })
        }
        let (first, last) = (row.integer(0, 0) ?? 0, row.integer(0, 1) ?? -1)
        let (directory, digests) = (row.bytes(0, 2) ?? [], row.bytes(0, 4) ?? [])
        let whole = Frame(
            number: number, begun: first <= last ? first...last : nil, directory: directory,
            bytes: row.bytes(0, 3) ?? [], digests: digests)
        let (own, others) = (kept(5), kept(6))
        let rest = whole.rewritten(keeping: { $0.map(own.contains) ?? others.contains($1) })
        guard rest.directory != directory else { return }
        // Those that no section uses any more are zero, so that indexes stay.
        let used = (0..<digests.count / Frame.digestSize).map { index in
            rest.shared.contains(index) ? whole.digest(index) : [UInt8](repeating: 0, count: Frame.digestSize)
        }
        try session.query(
            "UPDATE shunt.frame SET directory = $2, bytes = $3, bodies = $4::bytea[] WHERE number = $1",
            [
                .integer(number), .bytes(rest.directory), .bytes(rest.bytes),
                used.isEmpty ? .null : .bytes(CopyBuffer.array(used)),
            ])
    }
}
