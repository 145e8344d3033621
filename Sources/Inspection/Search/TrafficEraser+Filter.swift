public import Filter
public import Store

extension TrafficEraser {
    /// Exchanges that go in one transaction, which keeps others from writing.
    private static let batch = 100

    /// Removes the exchanges that a filter selects, gives the space back, and returns their number.
    ///
    /// Those that run stay, and so do those that come while it works.
    public func remove(
        _ filter: TrafficFilter, told: (_ removed: Int64) -> Void = { _ in }
    ) throws(StoreFailure) -> Int64 {
        let reader = try TrafficReader(path)
        let search = TrafficSearch(reader, filter)
        let newest = try reader.newest() ?? 0
        try keepNewest()
        var removed: Int64 = 0
        var last: Int64 = 0
        while last < newest {
            let page = try search.page(.oldestFirst(after: last), limit: Self.batch)
            guard let end = page.last?.id else { break }
            last = end
            let victims = page.filter { $0.isEnded && $0.id <= newest }.map(\.id)
            removed += try remove(victims)
            told(removed)
        }
        try giveBack()
        return removed
    }
}
