extension TrafficReader {
    /// Queries for single exchanges, each prepared once.
    enum Question: Int, CaseIterable {
        case begin, end, version, newest, exists, summary, record, block, heads, requestBody, responseBody, piece,
            messages, newestMessage, certificates, sharedBody

        /// The number of an exchange is the first parameter.
        var isOfExchange: Bool {
            switch self {
            case .begin, .end, .version, .newest, .sharedBody: false
            default: true
            }
        }

        func sql(_ dialect: StoreDialect) -> String {
            switch self {
            case .begin: "BEGIN"
            case .end: "ROLLBACK"
            case .version: "PRAGMA data_version"
            case .newest: "SELECT max(id) FROM exchange"
            case .exists: "SELECT 1 FROM exchange WHERE id = ?"
            case .summary: "SELECT \(dialect.summary) FROM \(dialect.join) WHERE exchange.id = ?"
            case .record:
                """
                SELECT \(dialect.summary), request_flags, response_flags, request_kept, response_kept, heads,
                    (SELECT count(*) FROM message WHERE message.exchange = exchange.id)
                    FROM \(dialect.join) LEFT JOIN content ON content.exchange = exchange.id WHERE exchange.id = ?
                """
            case .block where dialect == .postgres:
                // Of the batch's own partition: no block has exchanges of two batches.
                """
                SELECT first, last, places, bytes,
                    (SELECT string_agg(digest, '' ORDER BY number) FROM unnest(bodies) WITH ORDINALITY all_bodies(digest, number))
                    FROM block WHERE first BETWEEN CAST(?1 AS bigint) - \(WriteBatch.maxNew) AND ?1 AND last >= ?1 ORDER BY first DESC LIMIT 1
                """
            case .block:
                // Bytes of a block that ends before the exchange are not read.
                """
                SELECT first, last, places, bytes FROM block
                    WHERE first = (SELECT max(first) FROM block WHERE first <= ?1) AND last >= ?1
                """
            case .heads: "SELECT heads FROM content WHERE exchange = ?"
            case .requestBody where dialect == .postgres: Self.shared("request")
            case .responseBody where dialect == .postgres: Self.shared("response")
            case .requestBody: "SELECT request_body FROM content WHERE exchange = ?"
            case .responseBody: "SELECT response_body FROM content WHERE exchange = ?"
            case .piece where dialect == .postgres:
                """
                SELECT coalesce(bytes, (SELECT body.bytes FROM body
                    WHERE part = exchange / \(PostgresSchema.partSize) AND body.digest = piece.digest)), number
                    FROM piece WHERE exchange = ? AND side = ? AND number > ? ORDER BY number LIMIT 1
                """
            case .sharedBody: "SELECT bytes FROM body WHERE part = ? AND digest = ?"
            case .piece:
                """
                SELECT bytes, number FROM piece WHERE exchange = ? AND side = ? AND number > ? ORDER BY number LIMIT 1
                """
            case .messages:
                """
                SELECT number, time_us, sender, kind, length, bytes, flags, event, event_id FROM message
                    WHERE exchange = ? AND number > ? ORDER BY number LIMIT ?
                """
            case .certificates:
                """
                SELECT subject, issuer, not_after, public_key FROM certificate WHERE chain =
                    (SELECT chain FROM \(dialect.join) WHERE exchange.id = ?) ORDER BY number
                """
            case .newestMessage: "SELECT max(number) FROM message WHERE exchange = ?"
            }
        }

        private static func shared(_ side: String) -> String {
            """
            SELECT coalesce(\(side)_body, (SELECT bytes FROM body
                WHERE part = exchange / \(PostgresSchema.partSize) AND digest = \(side)_digest))
                FROM content WHERE exchange = ?
            """
        }
    }
}
