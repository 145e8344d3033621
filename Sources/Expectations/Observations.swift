import Bytes
import Exchanges
package import Filter
import Inspection
package import Profiles
package import Store

/// Recorded traffic as checks see it; confined to its owner.
package final class Observations {
    let reader: TrafficReader
    /// Which URLs of origins are production's; nil where no profiles are known.
    let isProduction: ((String) -> Bool)?
    private let calls: CallSchemas
    /// Exchanges that are compared to find the nearest miss; the newest.
    static let maxCompared = 5000

    /// What all questions are about.
    private let scope: StoreCondition?

    /// - Parameter filter: selects what is checked; one that columns cannot decide is refused.
    package init(
        _ reader: TrafficReader, profiles: ProfileLibrary?, within filter: TrafficFilter? = nil
    ) throws(CheckFailure) {
        self.reader = reader
        let sql = filter?.sql(hasNodes: reader.hasNodes)
        if sql?.isExact == false {
            throw CheckFailure(
                description:
                    "traffic can be limited by facts of the log alone, such as ~d and ~c, not by heads and bodies")
        }
        scope = sql.map { StoreCondition($0) }
        isProduction = profiles.map { library in { library.isProduction(origin: $0) } }
        calls = profiles.map { CallSchemas($0.grpc, rules: [:]) } ?? .none
    }

    /// Checks all of them, in their order.
    package func check(_ expectations: [Expectation]) throws(CheckFailure) -> [ExpectationResult] {
        var results: [ExpectationResult] = []
        for expectation in expectations { results.append(try check(expectation)) }
        return results
    }

    private func check(_ expectation: Expectation) throws(CheckFailure) -> ExpectationResult {
        let filter = expectation.filter
        // A check of each exchange says nothing where there is none, unless a count allows that.
        let needsExchanges = expectation.checks.contains { $0.needsExchanges }
        if needsExchanges, try count(filter) == 0 {
            if !expectation.checks.contains(where: { ($0 as? CountCheck)?.bounds.contains(0) == true }) {
                let seen = Mismatch(
                    expected: "an exchange to check, with \(filter.words)", seen: "none",
                    nearest: try nearest(to: filter))
                return ExpectationResult(expectation: expectation, mismatches: [seen])
            }
            return ExpectationResult(expectation: expectation, mismatches: [])
        }
        var mismatches: [Mismatch] = []
        for check in expectation.checks {
            if let mismatch = try check.failure(filter, self) { mismatches.append(mismatch) }
        }
        return ExpectationResult(expectation: expectation, mismatches: mismatches)
    }

    // MARK: Questions

    func search(_ filter: FilterText) -> TrafficSearch {
        let search = TrafficSearch(reader, filter.filter)
        return scope.map { search.and($0) } ?? search
    }

    func count(_ filter: FilterText) throws(CheckFailure) -> Int {
        try reading { () throws(StoreFailure) in try search(filter).count() }
    }

    /// The first of those that a filter selects, in the order in which they began.
    func first(_ filter: FilterText, limit: Int = Mismatch.maxNamed) throws(CheckFailure) -> [TrafficSummary] {
        try reading { () throws(StoreFailure) in try search(filter).page(.oldestFirst(after: 0), limit: limit) }
    }

    func each(_ filter: FilterText, _ visit: (TrafficSummary) -> Bool) throws(CheckFailure) {
        try reading { () throws(StoreFailure) in try search(filter).each(.oldestFirst(after: 0), visit) }
    }

    /// Exchanges whose heads are held at once.
    private static let pageSize = 64

    /// All of them in their order, each with all that is kept of it but bodies.
    func eachRecord(_ visit: (TrafficRecord) throws(CheckFailure) -> Void) throws(CheckFailure) {
        var last: Int64 = 0
        while true {
            let page = try reading { () throws(StoreFailure) in
                let page = try reader.page(where: scope ?? .all, after: last, limit: Self.pageSize)
                return try reader.records(page.map(\.id))
            }
            guard let end = page.last else { return }
            last = end.summary.id
            for record in page { try visit(record) }
        }
    }

    func record(_ id: Int64) throws(CheckFailure) -> TrafficRecord? {
        try reading { () throws(StoreFailure) in try reader.record(id) }
    }

    /// A recorded body as a whole.
    func body(_ record: TrafficRecord, _ side: BodySide) throws(CheckFailure) -> [UInt8] {
        try reading { () throws(StoreFailure) in
            var bytes: [UInt8] = []
            try reader.body(of: record, side) {
                bytes += $0
                return true
            }
            return bytes
        }
    }

    /// The messages of one side of a gRPC call, as JSON without secrets; nil where no schema of the profiles has them.
    func callMessages(_ record: TrafficRecord, _ side: BodySide) throws(CheckFailure) -> [[UInt8]]? {
        try reading { () throws(StoreFailure) in try reader.callMessages(record, side, calls) }
    }

    /// The exchange that fulfils most parts of a filter, and what differs first.
    func nearest(to filter: FilterText) throws(CheckFailure) -> (id: Int64, difference: String)? {
        let found = try reading { () throws(StoreFailure) in
            try TrafficSearch.nearest(
                to: filter.parts.map(\.filter), in: reader, within: scope ?? .all, among: Self.maxCompared
            ) { part, summary in
                Difference.distance(filter.parts[part].text, summary)
            }
        }
        guard let (summary, part) = found else { return nil }
        return (summary.id, Difference.text(filter.parts[part].text, summary))
    }

    func reading<Result>(_ body: () throws(StoreFailure) -> Result) throws(CheckFailure) -> Result {
        do throws(StoreFailure) { return try body() } catch {
            throw CheckFailure(description: "the recorded traffic cannot be read: \(error)")
        }
    }
}

/// Why an exchange does not fulfil a part of a filter, in words.
enum Difference {
    /// How far an exchange is from a part of a filter, as far as URLs and statuses tell.
    static func distance(_ part: String, _ summary: TrafficSummary) -> Int {
        let words = part.split(separator: " ")
        switch words.first {
        case "~c": return UInt16(words.last ?? "").map { abs(Int($0) - (summary.exchange.status ?? 0)) } ?? 0
        case "~m", "~d", "~h", "~hq", "~hs", "~b", "~bq", "~bs", "!": return 0
        default:
            let path = summary.exchange.url.split(separator: "/", maxSplits: 2).last ?? ""
            let wanted = (words.last ?? "").filter { !"\"^$".contains($0) }
            return editDistance(Array(wanted.utf8.prefix(100)), Array("/\(path)".utf8.prefix(100)))
        }
    }

    static func text(_ part: String, _ summary: TrafficSummary) -> String {
        let exchange = summary.exchange
        let name = part.hasPrefix("~") ? part.dropFirst().prefix { $0.isLetter } : ""
        switch name {
        case "c", "s", "q": return "the status is \(exchange.status.map { "\($0)" } ?? "none"), not \(part)"
        case "m": return "the method is \(exchange.method), not \(part)"
        case "d", "u", "": return "the URL is \(exchange.url), not \(part)"
        case "env": return "the profile is \(exchange.profile ?? "none"), not \(part)"
        case "route": return "the route is \(exchange.route ?? "none"), not \(part)"
        case "trust": return "the trust is \(exchange.origin?.trust ?? "none"), not \(part)"
        case "dst": return "the origin is \(exchange.origin?.url ?? "none"), not \(part)"
        default: return "it does not match \(part)"
        }
    }
}

extension Observations {
    /// All exchanges.
    func total() throws(CheckFailure) -> Int {
        try reading { () throws(StoreFailure) in Int(clamping: try reader.count(where: scope ?? .all)) }
    }
}
