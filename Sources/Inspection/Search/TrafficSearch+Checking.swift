import Exchanges
package import Filter
package import Store

// Questions of expectations.
extension TrafficSearch {
    /// The same among those that fulfil a condition, too.
    package func and(_ other: StoreCondition) -> TrafficSearch { TrafficSearch(self, and: other) }

    /// Everything that a store has.
    package static func all(of reader: TrafficReader) -> TrafficSearch { TrafficSearch(reader, .all) }

    /// Reads the filter.
    package init(_ reader: TrafficReader, matching text: String) throws(FilterFailure) {
        self.init(reader, try TrafficFilter(text))
    }

    /// How many are wanted.
    package func count() throws(StoreFailure) -> Int {
        if isExact { return Int(clamping: try reader.count(where: condition)) }
        var count = 0
        try each(.oldestFirst(after: 0)) { _ in
            count += 1
            return true
        }
        return count
    }

    /// How long they took.
    package func times() throws(StoreFailure) -> TimeHistogram {
        if isExact { return try reader.times(where: condition) }
        var times = TimeHistogram()
        try each(.oldestFirst(after: 0)) { summary in
            if summary.isEnded { times.add(Int64(clamping: summary.exchange.timings.total)) }
            return true
        }
        return times
    }

    /// The exchange that fulfils most of some filters, and the first one that it does not fulfil.
    ///
    /// - Parameters:
    ///   - scope: those that are compared.
    ///   - limit: how many of the newest exchanges are compared.
    ///   - distance: of those that fulfil equally many, the one with the smallest is taken.
    package static func nearest(
        to parts: [TrafficFilter], in reader: TrafficReader, within scope: StoreCondition, among limit: Int,
        distance: (_ part: Int, TrafficSummary) -> Int
    ) throws(StoreFailure) -> (summary: TrafficSummary, part: Int)? {
        var best: (summary: TrafficSummary, part: Int, count: Int, distance: Int)?
        var (last, rest): (Int64?, Int) = (nil, limit)
        while rest > 0 {
            let page = try reader.page(where: scope, before: last, limit: min(rest, 256))
            try reader.atOnce { () throws(StoreFailure) in
                for summary in page {
                    let subject = StoredExchange(summary, reader)
                    let fulfilled = parts.map { $0.matches(subject) }
                    if let failure = subject.failure { throw failure }
                    let count = fulfilled.count { $0 }
                    guard let part = fulfilled.firstIndex(of: false), count >= best?.count ?? 0 else { continue }
                    let distance = distance(part, summary)
                    if let best, best.count == count, best.distance <= distance { continue }
                    best = (summary, part, count, distance)
                }
            }
            guard let end = page.last else { break }
            rest -= page.count
            last = end.id
        }
        return best.map { ($0.summary, $0.part) }
    }
}
