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

    /// Removes these in one transaction, with the parts of blocks and contexts that only they had.
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
            for table in ["content", "piece", "message"] {
                try session.query("DELETE FROM shunt.\(table) WHERE exchange = ANY($1::bigint[])", [list])
            }
            if let first = victims.min(), let last = victims.max() {
                try removeFromBlocks(first, last)
                try removeContexts(first, last)
            }
        }
        touched.formUnion(victims.map { $0 / PostgresSchema.partSize })
        return count
    }

    /// Writes blocks without the exchanges that are gone.
    private func removeFromBlocks(_ first: Int64, _ last: Int64) throws(StoreFailure) {
        let blocks = try session.query(
            """
            SELECT first, last, places, bytes, (SELECT string_agg(digest, '' ORDER BY number)
                FROM unnest(bodies) WITH ORDINALITY all_bodies(digest, number)) FROM shunt.block
                WHERE first BETWEEN $1::bigint - \(WriteBatch.maxNew) AND $2 AND last >= $1 FOR UPDATE
            """, [.integer(first), .integer(last)])
        for row in 0..<blocks.count {
            guard let start = blocks.integer(row, 0), let end = blocks.integer(row, 1) else { continue }
            let rows = try session.query(
                "SELECT id FROM shunt.exchange WHERE id BETWEEN $1 AND $2", [.integer(start), .integer(end)])
            let kept = Set((0..<rows.count).compactMap { rows.integer($0, 0) })
            let rest = try BodyPlaces.keep(
                { index throws(StoreFailure) in kept.contains(start + index) }, of: blocks.bytes(row, 2) ?? [],
                blocks.bytes(row, 3) ?? [])
            guard let rest else {
                try session.query("DELETE FROM shunt.block WHERE first = $1", [.integer(start)])
                continue
            }
            let digests = Self.used(blocks.bytes(row, 4) ?? [], rest.places, rest.bytes)
            try session.query(
                "UPDATE shunt.block SET places = $2, bytes = $3, bodies = $4::bytea[] WHERE first = $1",
                [
                    .integer(start), .bytes(rest.places), .bytes(rest.bytes),
                    digests.isEmpty ? .null : .bytes(CopyBuffer.array(digests)),
                ])
        }
    }

    /// The digests of a block, of which those that no entry uses any more are empty, so that indexes stay.
    private static func used(_ digests: [UInt8], _ places: [UInt8], _ bytes: [UInt8]) -> [[UInt8]] {
        var indexes: Set<Int> = []
        for index in 0..<Int64(places.count / BodyPlaces.size) {
            let one = BodyPlaces(places, index, in: bytes)
            indexes.formUnion([one?.sharedRequest, one?.sharedResponse].compactMap { $0 })
        }
        guard !indexes.isEmpty else { return [] }
        // All have the same length in what readers get, so that an index is a place.
        return (0..<digests.count / BlockBody.digestSize).map { index in
            indexes.contains(index)
                ? Array(digests[index * BlockBody.digestSize..<(index + 1) * BlockBody.digestSize])
                : [UInt8](repeating: 0, count: BlockBody.digestSize)
        }
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
                try session.run(
                    """
                    DELETE FROM shunt.body WHERE part = \(part) AND digest NOT IN (
                        SELECT unnest(bodies) FROM shunt.block_\(part) UNION
                        SELECT request_digest FROM shunt.content_\(part) WHERE request_digest IS NOT NULL UNION
                        SELECT response_digest FROM shunt.content_\(part) WHERE response_digest IS NOT NULL UNION
                        SELECT digest FROM shunt.piece_\(part) WHERE digest IS NOT NULL);
                    DELETE FROM shunt.certificate
                        WHERE NOT EXISTS (SELECT 1 FROM shunt.context WHERE context.chain = certificate.chain)
                    """)
            }
        }
        touched = []
    }
}
