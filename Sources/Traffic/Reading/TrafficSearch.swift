/// The exchanges of a store that a filter wants.
///
/// What SQL cannot tell is decided row by row, a page at a time, so that memory depends on no store's size.
public struct TrafficSearch {
    /// Which end of the store comes first.
    public enum Order: Sendable {
        /// Those before a number, or from the newest on.
        case newestFirst(before: Int64?)
        /// Those after a number; 0 for all.
        case oldestFirst(after: Int64)
    }

    let reader: TrafficReader
    /// Selects what is wanted, or more; see ``isExact``.
    public let condition: StoreCondition
    /// Whether the condition alone tells.
    let isExact: Bool
    private let filter: TrafficFilter

    /// Rows that are held at once.
    private static let pageSize = 256

    public init(_ reader: TrafficReader, _ filter: TrafficFilter) {
        let sql = filter.sql
        self.reader = reader
        self.filter = filter
        isExact = sql.isExact
        condition = StoreCondition(sql)
    }

    /// At most so many, in that order.
    public func page(_ order: Order, limit: Int) throws(StoreFailure) -> [TrafficSummary] {
        var found: [TrafficSummary] = []
        try each(order, limit: limit) {
            found.append($0)
            return true
        }
        return found
    }

    /// Gives one after the other, until there are no more, `limit` is reached or `visit` says false.
    public func each(
        _ order: Order, limit: Int = .max, _ visit: (TrafficSummary) -> Bool
    ) throws(StoreFailure) {
        var order = order
        var rest = limit
        while rest > 0 {
            let size = isExact ? min(rest, Self.pageSize) : Self.pageSize
            let page = try rows(order, size)
            for row in page where try isWanted(row) {
                guard visit(row) else { return }
                rest -= 1
                if rest == 0 { return }
            }
            guard page.count == size, let last = page.last?.id else { return }
            switch order {
            case .newestFirst: order = .newestFirst(before: last)
            case .oldestFirst: order = .oldestFirst(after: last)
            }
        }
    }

    /// One exchange, if it is there and wanted.
    public func exchange(_ id: Int64) throws(StoreFailure) -> TrafficSummary? {
        let one = StoreCondition("(\(condition.clause)) AND exchange.id = ?", condition.values + [.integer(id)])
        guard let row = try reader.page(where: one, limit: 1).first, try isWanted(row) else { return nil }
        return row
    }

    private func rows(_ order: Order, _ limit: Int) throws(StoreFailure) -> [TrafficSummary] {
        switch order {
        case .newestFirst(let before): try reader.page(where: condition, before: before, limit: limit)
        case .oldestFirst(let after): try reader.page(where: condition, after: after, limit: limit)
        }
    }

    /// Whether the filter wants a row that ``condition`` selects.
    public func isWanted(_ row: TrafficSummary) throws(StoreFailure) -> Bool {
        if isExact { return true }
        let subject = StoredExchange(row, reader)
        let isWanted = filter.matches(subject)
        if let failure = subject.failure { throw failure }
        return isWanted
    }
}

extension StoreCondition {
    /// Selects what a filter's condition does.
    public init(_ sql: FilterSQL) {
        self.init(
            sql.condition,
            sql.parameters.map { parameter in
                switch parameter {
                case .integer(let number): .integer(number)
                case .text(let text): .text(text)
                }
            })
    }
}
