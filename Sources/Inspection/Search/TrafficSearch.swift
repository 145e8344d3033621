public import Filter
public import Store

/// Searches a store for the exchanges that a filter selects.
///
/// Conditions that SQL cannot decide are checked row by row, a part of the store at a time, so that memory does not
/// depend on the store's size.
public struct TrafficSearch {
    /// Which end of the store comes first.
    public enum Order: Sendable {
        /// Those before a number, or from the newest on.
        case newestFirst(before: Int64?)
        /// Those after a number; 0 for all.
        case oldestFirst(after: Int64)

        fileprivate var before: Int64? { if case .newestFirst(let before) = self { before } else { nil } }
        fileprivate var after: Int64? { if case .oldestFirst(let after) = self { after } else { nil } }

        fileprivate func goingOn(at id: Int64) -> Order {
            switch self {
            case .newestFirst: .newestFirst(before: id)
            case .oldestFirst: .oldestFirst(after: id)
            }
        }
    }

    let reader: TrafficReader
    /// Called before each part of the store is read; throwing ends the search.
    public var mayGoOn: () throws(StoreFailure) -> Void = {}
    private let filter: TrafficFilter
    /// Selects what is wanted, or more; see ``isExact``.
    let condition: StoreCondition
    /// Whether the condition alone tells.
    let isExact: Bool

    /// Rows that are held at once.
    private static let pageSize = 256
    /// Rows that are looked at in one moment: enough that it matters little how a part begins, and not so many that the
    /// store's log would grow meanwhile.
    package var rowsAtOnce = 4096
    /// Likewise bytes.
    private static let bytesAtOnce = 4 << 20

    public init(_ reader: TrafficReader, _ filter: TrafficFilter) {
        let sql = filter.sql(hasNodes: reader.hasNodes)
        (self.reader, self.filter) = (reader, filter)
        isExact = sql.isExact
        condition = StoreCondition(sql, of: filter)
    }

    init(_ other: TrafficSearch, and condition: StoreCondition) {
        (reader, mayGoOn, filter, isExact) = (other.reader, other.mayGoOn, other.filter, other.isExact)
        rowsAtOnce = other.rowsAtOnce
        var both = StoreCondition(
            "(\(other.condition.clause)) AND (\(condition.clause))", other.condition.values + condition.values)
        both.canHold = other.condition.canHold
        self.condition = both
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
    public func each(_ order: Order, limit: Int = .max, _ visit: (TrafficSummary) -> Bool) throws(StoreFailure) {
        var next: Order? = order
        var rest = limit
        while rest > 0, let order = next {
            let part = try part(order, limit: rest)
            for row in part.found { guard visit(row) else { return } }
            rest -= part.found.count
            next = part.next
        }
    }

    /// The first of those that are wanted, as they are at one moment, and where to go on; nil where there are no more.
    func part(_ order: Order, limit: Int = pageSize) throws(StoreFailure) -> (found: [TrafficSummary], next: Order?) {
        try mayGoOn()
        let limit = min(limit, Self.pageSize)
        if isExact {
            let page = try reader.page(where: condition, before: order.before, after: order.after, limit: limit)
            return (page, page.count == limit ? page.last.map { order.goingOn(at: $0.id) } : nil)
        }
        return try reader.atOnce { () throws(StoreFailure) in try look(order, limit) }
    }

    /// The same as ``part(_:limit:)``, as numbers alone.
    func numbers(_ order: Order) throws(StoreFailure) -> (found: [Int64], next: Order?) {
        guard isExact else {
            let part = try part(order)
            return (part.found.map(\.id), part.next)
        }
        try mayGoOn()
        let found = try reader.numbers(where: condition, before: order.before, after: order.after, limit: Self.pageSize)
        return (found, found.count == Self.pageSize ? found.last.map { order.goingOn(at: $0) } : nil)
    }

    private func look(_ order: Order, _ limit: Int) throws(StoreFailure) -> (found: [TrafficSummary], next: Order?) {
        var found: [TrafficSummary] = []
        var (rows, bytes) = (0, 0)
        let last = try reader.scan(where: condition, before: order.before, after: order.after) {
            id throws(StoreFailure) in
            let subject = StoredExchange(id, reader)
            if try isWanted(subject), let summary = subject.summary { found.append(summary) }
            rows += 1
            bytes += subject.shownBytes
            return found.count < limit && rows < rowsAtOnce && bytes < Self.bytesAtOnce
        }
        return (found, last.map { order.goingOn(at: $0) })
    }

    /// One exchange, if it is there and wanted.
    public func exchange(_ id: Int64) throws(StoreFailure) -> TrafficSummary? {
        let one = StoreCondition("(\(condition.clause)) AND exchange.id = ?", condition.values + [.integer(id)])
        return try reader.atOnce { () throws(StoreFailure) in
            guard let row = try reader.page(where: one, limit: 1).first else { return nil }
            if isExact { return row }
            return try isWanted(StoredExchange(row, reader)) ? row : nil
        }
    }

    private func isWanted(_ subject: StoredExchange) throws(StoreFailure) -> Bool {
        let isWanted = filter.matches(subject)
        if let failure = subject.failure { throw failure }
        return isWanted
    }
}

extension StoreCondition {
    /// The same, where the filter can tell that a part of a store has nothing for it.
    fileprivate init(_ sql: FilterSQL, of filter: TrafficFilter) {
        self.init(sql)
        canHold = { index in
            guard let times = index.times else { return true }
            return filter.canMatch(FilterSummary(hosts: index.hosts, statuses: index.statuses, times: times))
        }
    }

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
