extension TrafficReader {
    /// Queries for single exchanges, each prepared once.
    enum Question: Int, CaseIterable {
        case begin, end, version, newest, exists, summary, beginning, frame, entry, state, counts, messageEntry,
            newestMessage,
            certificates, sharedBody

        /// The number of an exchange is the first parameter.
        var isOfExchange: Bool {
            switch self {
            case .begin, .end, .version, .newest, .frame, .sharedBody: false
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
            case .beginning where dialect == .postgres:
                // Of its own partition.
                """
                SELECT \(Self.frame(dialect)) FROM frame
                    WHERE number >= \(PostgresSchema.frames(of: "CAST(?1 AS bigint)"))
                        AND number < \(PostgresSchema.frames(of: "CAST(?1 AS bigint)", 1))
                        AND first BETWEEN CAST(?1 AS bigint) - \(FrameWriter.maxExchanges) AND ?1 AND last >= ?1
                    ORDER BY first DESC LIMIT 1
                """
            case .beginning:
                // Bytes of a frame that ends before the exchange are not read.
                """
                SELECT \(Self.frame(dialect)) FROM frame
                    WHERE first = (SELECT max(first) FROM frame WHERE first <= ?1) AND last >= ?1
                """
            case .frame: "SELECT \(Self.frame(dialect)) FROM frame WHERE number = ?"
            case .entry:
                """
                SELECT message, frame, place FROM entry
                    WHERE exchange = ? AND (message, frame, place) > (?, ?, ?) AND kinds & ? <> 0
                    ORDER BY message, frame, place LIMIT 1
                """
            case .state:
                """
                SELECT message, frame, place FROM entry
                    WHERE exchange = ? AND kinds & \(FrameSection.Kinds.state.rawValue) <> 0
                    ORDER BY message DESC, frame DESC, place DESC LIMIT 1
                """
            case .counts:
                """
                SELECT CAST(sum(messages) AS bigint), max(CASE WHEN kinds & \(FrameSection.Kinds.heads.rawValue) <> 0 THEN 1 END)
                    FROM entry WHERE exchange = ?
                """
            case .messageEntry:
                "SELECT max(message) FROM entry WHERE exchange = ? AND messages > 0 AND message <= CAST(? AS bigint) + 1"
            case .newestMessage:
                "SELECT max(message + messages - 1) FROM entry WHERE exchange = ? AND messages > 0"
            case .sharedBody: "SELECT bytes FROM body WHERE part = ? AND digest = ?"
            case .certificates:
                """
                SELECT subject, issuer, not_after, public_key FROM certificate WHERE chain =
                    (SELECT chain FROM \(dialect.join) WHERE exchange.id = ?) ORDER BY number
                """
            }
        }

        private static func frame(_ dialect: StoreDialect) -> String {
            let columns = "number, first, last, directory, bytes"
            return dialect == .sqlite
                ? columns
                : columns + ", (SELECT string_agg(digest, '' ORDER BY place) FROM unnest(bodies) WITH ORDINALITY "
                    + "all_bodies(digest, place))"
        }
    }
}
