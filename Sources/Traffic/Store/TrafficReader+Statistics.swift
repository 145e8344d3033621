/// What the exchanges of one host, status or profile come to.
public struct TrafficGroup: Sendable, Equatable {
    /// The host, status or profile; nil for exchanges that have none.
    public let name: String?
    public let count: Int64
    /// Of these, those that did not go well.
    public let failed: Int64
    public let requestBytes: Int64
    public let answerBytes: Int64
    /// Microseconds that half of the ended ones did not exceed; nil if none has ended.
    public let median: Int64?
    /// Microseconds that 95 % of the ended ones did not exceed; nil if none has ended.
    public let percentile95: Int64?
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

    /// Sums and exact percentiles (by nearest rank), the largest groups first.
    public func groups(
        by grouping: Grouping, where condition: StoreCondition = .all, limit: Int = 100
    ) throws(StoreFailure) -> [TrafficGroup] {
        let statement = try prepare(
            """
            WITH ranked AS (
                SELECT exchange.\(grouping.rawValue) AS name, request_bytes, answer_bytes, error,
                    CASE WHEN ended THEN total_us END AS time,
                    row_number() OVER (PARTITION BY exchange.\(grouping.rawValue), ended ORDER BY total_us) AS place,
                    count(*) OVER (PARTITION BY exchange.\(grouping.rawValue), ended) AS total
                FROM exchange LEFT JOIN content ON content.exchange = exchange.id WHERE \(condition.clause))
            SELECT name, count(*), count(error), sum(request_bytes), sum(answer_bytes),
                min(CASE WHEN place * 2 >= total THEN time END),
                min(CASE WHEN place * 100 >= total * 95 THEN time END)
            FROM ranked GROUP BY name ORDER BY count(*) DESC, name LIMIT ?
            """, condition, [Int64(max(0, limit))])
        var groups: [TrafficGroup] = []
        while try statement.step() {
            groups.append(
                TrafficGroup(
                    name: statement.text(0), count: statement.integer(1) ?? 0, failed: statement.integer(2) ?? 0,
                    requestBytes: statement.integer(3) ?? 0, answerBytes: statement.integer(4) ?? 0,
                    median: statement.integer(5), percentile95: statement.integer(6)))
        }
        return groups
    }
}
