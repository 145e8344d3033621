extension TrafficReader {
    /// Queries for single exchanges, each prepared once.
    enum Question: Int, CaseIterable {
        case begin, end, version, newest, exists, summary, record, block, heads, requestBody, responseBody, piece,
            messages, newestMessage, certificates

        /// The number of an exchange is the first parameter.
        var isOfExchange: Bool {
            switch self {
            case .begin, .end, .version, .newest: false
            default: true
            }
        }

        var sql: String {
            switch self {
            case .begin: "BEGIN"
            case .end: "ROLLBACK"
            case .version: "PRAGMA data_version"
            case .newest: "SELECT max(id) FROM exchange"
            case .exists: "SELECT 1 FROM exchange WHERE id = ?"
            case .summary: "SELECT \(ExchangeColumns.all) FROM \(ContextColumns.join) WHERE exchange.id = ?"
            case .record:
                """
                SELECT \(ExchangeColumns.all), request_flags, response_flags, request_kept, response_kept, heads,
                    (SELECT count(*) FROM message WHERE message.exchange = exchange.id)
                    FROM \(ContextColumns.join) LEFT JOIN content ON content.exchange = exchange.id WHERE exchange.id = ?
                """
            case .block:
                // Bytes of a block that ends before the exchange are not read.
                """
                SELECT first, last, places, bytes FROM block
                    WHERE first = (SELECT max(first) FROM block WHERE first <= ?1) AND last >= ?1
                """
            case .heads: "SELECT heads FROM content WHERE exchange = ?"
            case .requestBody: "SELECT request_body FROM content WHERE exchange = ?"
            case .responseBody: "SELECT response_body FROM content WHERE exchange = ?"
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
                    (SELECT chain FROM \(ContextColumns.join) WHERE exchange.id = ?) ORDER BY number
                """
            case .newestMessage: "SELECT max(number) FROM message WHERE exchange = ?"
            }
        }
    }
}
