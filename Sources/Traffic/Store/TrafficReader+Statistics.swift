/// What the exchanges of one host, status or profile come to.
public struct TrafficGroup: Sendable, Equatable {
    /// The host, status or profile; nil for exchanges that have none.
    public let name: String?
    public let count: Int64
    /// Of these, those that did not go well.
    public let failed: Int64
    public let requestBytes: Int64
    public let answerBytes: Int64
    /// Microseconds that half of the ended ones did not exceed, at most 1.6 % more; nil if none has ended.
    public let median: Int64?
    /// Microseconds that 95 % of the ended ones did not exceed, at most 1.6 % more; nil if none has ended.
    public let percentile95: Int64?
}

/// A group while rows are still being read.
private struct Sums {
    var count: Int64 = 0
    var failed: Int64 = 0
    var requestBytes: Int64 = 0
    var answerBytes: Int64 = 0
    var times = TimeHistogram()

    mutating func add(_ row: SQLiteStatement) {
        count += 1
        if row.integer(1) == 1 { failed += 1 }
        requestBytes = requestBytes.addingReportingOverflow(row.integer(2) ?? 0).partialValue
        answerBytes = answerBytes.addingReportingOverflow(row.integer(3) ?? 0).partialValue
        if let time = row.integer(4) { times.add(time) }
    }
}

extension TrafficReader {
    /// What exchanges can be grouped by.
    public enum Grouping: String, Sendable, CaseIterable {
        case host, status, profile
    }

    /// How many exchanges fulfil a condition.
    public func count(where condition: StoreCondition = .all) throws(StoreFailure) -> Int64 {
        let statement = try prepare(
            """
            SELECT count(*) FROM exchange LEFT JOIN content ON content.exchange = exchange.id
                WHERE \(condition.clause)
            """, condition)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) ?? 0 : 0
    }

    /// Sums and percentiles, the largest groups first.
    ///
    /// Every row is looked at once: about a second for a million. Names beyond the first 10,000 count as none.
    public func groups(
        by grouping: Grouping, where condition: StoreCondition = .all, limit: Int = 100
    ) throws(StoreFailure) -> [TrafficGroup] {
        let statement = try prepare(
            """
            SELECT exchange.\(grouping.rawValue), error IS NOT NULL, request_bytes, answer_bytes,
                CASE WHEN ended THEN total_us END
                FROM exchange LEFT JOIN content ON content.exchange = exchange.id WHERE \(condition.clause)
            """, condition)
        var groups: [String?: Sums] = [:]
        while try statement.step() {
            let name = statement.text(0)
            let isNew = groups[name] == nil
            groups[isNew && groups.count >= 10_000 ? nil : name, default: Sums()].add(statement)
        }
        let largest = groups.sorted { ($1.value.count, $0.key ?? "") < ($0.value.count, $1.key ?? "") }
        return largest.prefix(max(0, limit)).map { name, sums in
            TrafficGroup(
                name: name, count: sums.count, failed: sums.failed, requestBytes: sums.requestBytes,
                answerBytes: sums.answerBytes, median: sums.times.percentile(50),
                percentile95: sums.times.percentile(95))
        }
    }
}
