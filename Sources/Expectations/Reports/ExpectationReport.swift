package import Exchanges
import Store

/// What came of expectations, with the exchanges that are named, for people and for programs.
package struct ExpectationReport: Sendable {
    /// An exchange as a report names it.
    package struct Named: Sendable {
        package let id: Int64
        package let exchange: Exchange

        package var line: String {
            let status = exchange.status.map { "\($0)" } ?? "---"
            return "#\(id) \(exchange.method) \(exchange.url) \(status)"
        }
    }

    package let results: [ExpectationResult]
    /// Of the traffic.
    package let exchanges: Int
    /// Those that mismatches name.
    package let named: [Int64: Named]

    package var failed: [ExpectationResult] { results.filter { !$0.isFulfilled } }

    /// `3 of 4 expectations are met over 17 exchanges`.
    package var summary: String {
        let met = results.count - failed.count
        return "\(met) of \(results.count) expectation\(results.count == 1 ? " is" : "s are") met over "
            + "\(exchanges) exchange\(exchanges == 1 ? "" : "s")"
    }

    /// The numbers of exchanges that mismatches name, each once.
    package var ids: [Int64] {
        var seen: Set<Int64> = []
        return failed.flatMap(\.mismatches).flatMap { $0.ids + [$0.nearest?.id].compactMap { $0 } }
            .filter { seen.insert($0).inserted }.sorted()
    }

    package init(_ results: [ExpectationResult], _ traffic: Observations) throws(CheckFailure) {
        self.results = results
        exchanges = try traffic.total()
        var named: [Int64: Named] = [:]
        let all = results.flatMap(\.mismatches).flatMap { $0.ids + [$0.nearest?.id].compactMap { $0 } }
        for id in all where named[id] == nil {
            if let record = try traffic.record(id) { named[id] = Named(id: id, exchange: record.summary.exchange) }
        }
        self.named = named
    }

    package init(results: [ExpectationResult], exchanges: Int, named: [Named]) {
        (self.results, self.exchanges) = (results, exchanges)
        self.named = Dictionary(named.map { ($0.id, $0) }) { first, _ in first }
    }

    /// For each expectation that is not met, its name and lines on what was expected and seen.
    package var failureTexts: [String] {
        failed.map { result in
            ([result.expectation.name] + result.mismatches.flatMap { lines($0) }).joined(separator: "\n  ")
        }
    }

    /// A mismatch as lines of text without indentation.
    func lines(_ mismatch: Mismatch) -> [String] {
        var lines = ["expected  \(mismatch.expected)", "seen      \(mismatch.seen)"]
        if let (id, difference) = mismatch.nearest {
            let isWrong = mismatch.ids.contains(id)
            lines.append("\(isWrong ? "first   " : "nearest ")  \(named[id]?.line ?? "#\(id)"): \(difference)")
        }
        for id in mismatch.ids.prefix(3) where id != mismatch.nearest?.id {
            lines.append("          \(named[id]?.line ?? "#\(id)")")
        }
        let others = mismatch.count - min(mismatch.ids.count, 3)
        if others > 0, mismatch.ids.count >= 3 { lines.append("          and \(others) more") }
        return lines.map { $0.filter { !$0.isNewline } }
    }
}
