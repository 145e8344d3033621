public import Exchanges

/// An exchange as lists show it.
///
/// A class, since copies of so many facts would cost more than reading them.
public final class TrafficSummary: Sendable {
    public let id: Int64
    /// False while it runs.
    public let isEnded: Bool
    /// The media type of the request's body, in lower case, without parameters.
    public let requestType: String?
    /// The media type of the response's body, in lower case, without parameters.
    public let responseType: String?
    /// The facts, as they were when it ended or as far as they were known; secrets are replaced.
    public let exchange: Exchange
    /// The name of the Shunt that recorded it, in a store that several write.
    public let node: String?

    init(
        id: Int64, isEnded: Bool, requestType: String?, responseType: String?, exchange: Exchange, node: String? = nil
    ) {
        (self.id, self.isEnded, self.node) = (id, isEnded, node)
        (self.requestType, self.responseType) = (requestType, responseType)
        self.exchange = exchange
    }
}

extension TrafficReader {
    /// Exchanges that fulfil a condition: the newest before a number, or the oldest after one.
    ///
    /// - Parameter before: gives them newest first; with neither this nor `after` it begins with the newest of all.
    /// - Parameter after: gives them oldest first, unless `before` is given, too.
    public func page(
        where condition: StoreCondition = .all, before: Int64? = nil, after: Int64? = nil, limit: Int
    ) throws(StoreFailure) -> [TrafficSummary] {
        let (sql, cursor) = query(
            connection.dialect.summary, condition, before, after, upTo: try settled(before, after))
        var page: [TrafficSummary] = []
        try eachSegment(where: condition, before: before, after: after) { () throws(StoreFailure) in
            var context: ReadContext?
            try list(sql, condition, cursor + [Int64(max(0, limit - page.count))]) {
                page.append(summary($0, &context))
            }
            return page.count < limit
        }
        return page
    }

    /// The numbers of the same exchanges.
    package func numbers(
        where condition: StoreCondition, before: Int64? = nil, after: Int64? = nil, limit: Int
    ) throws(StoreFailure) -> [Int64] {
        let (sql, cursor) = query("exchange.id", condition, before, after, upTo: try settled(before, after))
        var numbers: [Int64] = []
        try eachSegment(where: condition, before: before, after: after) { () throws(StoreFailure) in
            try list(sql, condition, cursor + [Int64(max(0, limit - numbers.count))]) {
                numbers.append($0.integer(0) ?? 0)
            }
            return numbers.count < limit
        }
        return numbers
    }

    /// Visits the numbers of those that fulfil a condition, in the same order, until `visit` returns false.
    ///
    /// - Returns: where to continue; nil if there are no more.
    package func scan(
        where condition: StoreCondition, before: Int64?, after: Int64?,
        _ visit: (Int64) throws(StoreFailure) -> Bool
    ) throws(StoreFailure) -> Int64? {
        if postgres != nil { return try scanPages(where: condition, before: before, after: after, visit) }
        // Content is read in the order in which it lies in the file. Rows of another index would have to be sorted for
        // that, once for each part of a search.
        let (sql, cursor) = query("exchange.id", condition, before, after, hasIndexes: false)
        var last: Int64?
        try eachSegment(where: condition, before: before, after: after) { () throws(StoreFailure) in
            let statement = try prepare(sql, condition, cursor + [.max])
            while last == nil, try statement.step() {
                let id = statement.integer(0) ?? 0
                if try !visit(id) { last = id }
            }
            statement.reset()
            return last == nil
        }
        return last
    }

    /// One exchange; nil if it is not there.
    package func summary(of id: Int64) throws(StoreFailure) -> TrafficSummary? {
        if let lastSummary, lastSummary.id == id { return lastSummary }
        let statement = try ask(.summary, id)
        defer { statement.reset() }
        var context: ReadContext?
        return try statement.step() ? summary(statement, &context) : nil
    }

    /// The database's plan for that query, a line per step.
    package func plan(
        where condition: StoreCondition = .all, before: Int64? = nil, after: Int64? = nil
    ) throws(StoreFailure) -> [String] {
        let (sql, cursor) = query(connection.dialect.summary, condition, before, after)
        let (explain, column) = postgres == nil ? ("EXPLAIN QUERY PLAN ", 3) : ("EXPLAIN (COSTS OFF) ", 0)
        let statement = try prepare(explain + sql, condition, cursor + [1])
        var lines: [String] = []
        while try statement.step() { lines.append(statement.text(column) ?? "") }
        return lines
    }

    private func query(
        _ columns: String, _ condition: StoreCondition, _ before: Int64?, _ after: Int64?, upTo end: Int64? = nil,
        hasIndexes: Bool = true
    ) -> (sql: String, cursor: [Int64]) {
        let isAscending = after != nil && before == nil
        let bounds =
            (before == nil ? "" : " AND exchange.id < ?") + (after == nil ? "" : " AND exchange.id > ?")
            + (end == nil ? "" : " AND exchange.id <= ?")
        let sql = """
            SELECT \(columns) FROM \(hasIndexes ? connection.dialect.join : connection.dialect.joinInOrder)
                WHERE (\(condition.clause))\(bounds) ORDER BY exchange.id \(isAscending ? "ASC" : "DESC") LIMIT ?
            """
        return (sql, [before, after, end].compactMap { $0 })
    }

    /// Reads the columns of ``ExchangeColumns/all``, in that order.
    ///
    /// - Parameter context: that of the row before, in the same query.
    func summary(_ row: any StoreStatement, _ context: inout ReadContext?) -> TrafficSummary {
        let known = ReadContext.of(row, context)
        context = known
        var exchange = known.exchange
        func text(_ column: ExchangeColumns.Own) -> String? { row.text(column.rawValue) }
        func integer(_ column: ExchangeColumns.Own) -> Int64? { row.integer(column.rawValue) }
        exchange.id = integer(.id)
        exchange.client.address = AddressText.joined(exchange.client.address, integer(.port))
        exchange.url = text(.url) ?? ""
        exchange.failure = text(.error).map {
            Exchange.Failure(side: text(.errorSide) ?? "", stage: text(.errorStage) ?? "", text: $0)
        }
        for (index, fact) in ExchangeColumns.numbers.enumerated() {
            if let number = row.integer(ExchangeColumns.Own.allCases.count + index) { fact.set(&exchange, number) }
        }
        if let facts = row.bytes(ExchangeColumns.Own.facts.rawValue) { exchange.read(facts: facts) }
        return TrafficSummary(
            id: integer(.id) ?? 0, isEnded: integer(.ended) != 0, requestType: known.requestType,
            responseType: known.responseType, exchange: exchange,
            node: postgres == nil ? nil : row.text(ExchangeColumns.allCount))
    }
}
