extension TrafficReader {
    /// Rows that a search has in memory at once.
    private static let scanned = 256

    /// The last number that a list which goes up may have; nil where there is no such end.
    ///
    /// Behind it exchanges can still come whose numbers were given out before.
    func settled(_ before: Int64?, _ after: Int64?) throws(StoreFailure) -> Int64? {
        guard let postgres, after != nil, before == nil else { return nil }
        return try postgres.settled()
    }

    /// The same as a scan of a file, by pages, since other queries are asked meanwhile.
    func scanPages(
        where condition: StoreCondition, before: Int64?, after: Int64?,
        _ visit: (Int64) throws(StoreFailure) -> Bool
    ) throws(StoreFailure) -> Int64? {
        defer { lastSummary = nil }
        var (before, after) = (before, after)
        let isAscending = after != nil && before == nil
        while true {
            let page = try page(where: condition, before: before, after: after, limit: Self.scanned)
            for summary in page {
                lastSummary = summary
                guard try visit(summary.id) else { return summary.id }
            }
            guard page.count == Self.scanned, let end = page.last?.id else { return nil }
            if isAscending { after = end } else { before = end }
        }
    }

    /// Lets the server sum up, since few sums are sent in less time than many rows.
    func addGroups(_ grouping: Grouping, _ condition: StoreCondition, to table: inout GroupTable) throws(StoreFailure) {
        let column = grouping.column(connection.dialect)
        let statement = try prepare(
            """
            SELECT CAST(\(column) AS text), CASE WHEN ended = 1 THEN time_step END, count(*), count(error),
                CAST(sum(request_bytes) AS bigint), CAST(sum(response_bytes) AS bigint), count(\(Self.hasErrors))
                FROM \(connection.dialect.join(for: "\(column) \(condition.clause)"))
                WHERE \(condition.clause) GROUP BY 1, 2
            """, condition)
        defer { statement.reset() }
        while try statement.step() {
            table.add(
                statement.text(0), count: statement.integer(2) ?? 0, failed: statement.integer(3) ?? 0,
                errors: statement.integer(6) ?? 0, requestBytes: statement.integer(4) ?? 0,
                responseBytes: statement.integer(5) ?? 0,
                step: statement.integer(1).map { Int32(clamping: $0) })
        }
    }

    func addTimes(_ condition: StoreCondition, to times: inout TimeHistogram) throws(StoreFailure) {
        let statement = try prepare(
            """
            SELECT time_step, count(*) FROM \(connection.dialect.join(for: condition.clause))
                WHERE (\(condition.clause)) AND ended = 1 GROUP BY 1
            """, condition)
        defer { statement.reset() }
        while try statement.step() {
            guard let step = statement.integer(0) else { continue }
            times.add(step: Int32(clamping: step), statement.integer(1) ?? 0)
        }
    }
}
