/// The figures of a group of exchanges.
public struct TrafficGroup: Sendable, Equatable {
    /// The group's value, such as a host or a status; nil for exchanges without one.
    public let name: String?
    public let count: Int64
    /// The exchanges that failed.
    public let failed: Int64
    /// The exchanges whose response has come, and says that the call has failed, whatever its status.
    public let errors: Int64
    public let requestBytes: Int64
    public let responseBytes: Int64
    /// Microseconds that half of the ended ones did not exceed, at most 1.6 % more; nil if none has ended.
    public let median: Int64?
    /// Microseconds that 95 % of the ended ones did not exceed, at most 1.6 % more; nil if none has ended.
    public let percentile95: Int64?
}

extension TrafficReader {
    /// What exchanges can be grouped by, as users call it.
    public enum Grouping: String, Sendable, CaseIterable {
        case host, status, profile, route, method, type, origin, trust, responder, app, session, operation
        /// The Shunt that recorded them; none in a store that one alone writes.
        case node

        func column(_ dialect: StoreDialect) -> String {
            switch (self, dialect) {
            case (.node, .sqlite): "NULL"
            case (.node, .postgres): "(SELECT node FROM recorder WHERE recorder.number = exchange.recorder)"
            case (.type, _): "response_type"
            default: rawValue
            }
        }
    }

    /// How many exchanges fulfil a condition.
    public func count(where condition: StoreCondition = .all) throws(StoreFailure) -> Int64 {
        var count: Int64 = 0
        try eachSegment(where: condition) { () throws(StoreFailure) in
            let statement = try prepare(
                "SELECT count(*) FROM \(connection.dialect.join(for: condition.clause)) WHERE \(condition.clause)",
                condition)
            defer { statement.reset() }
            if try statement.step() { count += statement.integer(0) ?? 0 }
            return true
        }
        return count
    }

    /// Sums and percentiles, the largest groups first.
    ///
    /// Every row is looked at once: about a second for a million. Names beyond the first 10,000 count as none.
    public func groups(
        by grouping: Grouping, where condition: StoreCondition = .all, limit: Int = 100
    ) throws(StoreFailure) -> [TrafficGroup] {
        try groupTable(by: grouping, where: condition).largest(limit)
    }

    /// How long those that fulfil a condition and have ended took, in microseconds.
    package func times(where condition: StoreCondition) throws(StoreFailure) -> TimeHistogram {
        var times = TimeHistogram()
        if postgres != nil {
            try addTimes(condition, to: &times)
            return times
        }
        try eachSegment(where: condition) { () throws(StoreFailure) in
            let statement = try prepare(
                "SELECT total_us FROM \(connection.dialect.join) WHERE (\(condition.clause)) AND ended = 1", condition)
            while try statement.step() { times.add(statement.integer(0) ?? 0) }
            return true
        }
        return times
    }

    /// The steps in which ``eachStart(where:_:)`` counts, in microseconds.
    package static let startStep: Int64 = 100_000

    /// Visits how many exchanges began in each step, and how many of those failed or have a status of 500 and more.
    ///
    /// - Parameter visit: gets the step's start in microseconds since 1970; the order is that of the database.
    package func eachStart(
        where condition: StoreCondition, _ visit: (Int64, _ count: Int64, _ failed: Int64) -> Void
    ) throws(StoreFailure) {
        try eachSegment(where: condition) { () throws(StoreFailure) in
            let statement = try prepare(
                """
                SELECT started_us / \(Self.startStep), count(*),
                    count(CASE WHEN error IS NOT NULL OR status >= 500 THEN 1 END)
                    FROM \(connection.dialect.join(for: condition.clause)) WHERE \(condition.clause) GROUP BY 1
                """, condition)
            defer { statement.reset() }
            while try statement.step() {
                visit(
                    (statement.integer(0) ?? 0) * Self.startStep, statement.integer(1) ?? 0, statement.integer(2) ?? 0)
            }
            return true
        }
    }

    package func groupTable(by grouping: Grouping, where condition: StoreCondition) throws(StoreFailure) -> GroupTable {
        var table = GroupTable()
        if postgres != nil {
            try addGroups(grouping, condition, to: &table)
            return table
        }
        try eachSegment(where: condition) { () throws(StoreFailure) in
            try add(grouping, condition, to: &table)
            return true
        }
        return table
    }

    /// What GraphQL and gRPC say of a call, as SQL that is 1 or not.
    static let hasErrors = "CASE WHEN graphql_errors > 0 OR grpc_status > 0 THEN 1 END"

    private func add(
        _ grouping: Grouping, _ condition: StoreCondition, to table: inout GroupTable
    ) throws(StoreFailure) {
        let statement = try prepare(
            """
            SELECT \(grouping.column(connection.dialect)), error IS NOT NULL, request_bytes, response_bytes,
                CASE WHEN ended THEN total_us END, \(Self.hasErrors)
                FROM \(connection.dialect.join) WHERE \(condition.clause)
            """, condition)
        while try statement.step() {
            table.add(
                statement.text(0),
                GroupTable.Row(
                    isFailed: statement.integer(1) == 1, hasErrors: statement.integer(5) == 1,
                    requestBytes: statement.integer(2) ?? 0,
                    responseBytes: statement.integer(3) ?? 0, time: statement.integer(4)))
        }
    }
}
