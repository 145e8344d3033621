import Exchanges
import Inspection
import JSON
import Profiles
import Redaction
import Store

/// Kinds of exchanges of which there may be none.
struct NeverCheck: Check {
    enum Kind: String, CaseIterable {
        /// An origin that a production profile uses.
        case production
        /// An origin whose certificate is not checked.
        case disabledTrust
        /// A request that no route is for.
        case unmatched
        /// A URL with something that looks like a secret.
        case secretInURL
        /// An exchange that failed.
        case failure

        var words: String {
            switch self {
            case .production: "a request to a production origin"
            case .disabledTrust: "an origin whose certificate is not checked"
            case .unmatched: "a request without a route"
            case .secretInURL: "a secret in a URL"
            case .failure: "an exchange that fails"
            }
        }

        /// Selects them, or more, in the table of exchanges.
        fileprivate var condition: StoreCondition {
            switch self {
            case .production: .all
            case .disabledTrust: StoreCondition("(trust = 'disabled' OR trust LIKE '%-unverified')")
            case .unmatched: StoreCondition("error_side = 'client' AND error_stage = 'route'")
            case .secretInURL: StoreCondition("instr(url, 'redacted') > 0")
            case .failure: StoreCondition("error IS NOT NULL")
            }
        }
    }

    static let key = "never"
    static var schema: String {
        let names = Kind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        return
            #"{ "anyOf": [{ "enum": [\#(names)] }, { "type": "array", "minItems": 1, "items": { "enum": [\#(names)] } }] }"#
    }

    private let kinds: [Kind]

    init(_ kind: Kind) { kinds = [kind] }

    init?(_ value: JSONValue, _ reader: CheckReader) {
        let items = value.array ?? [value]
        kinds = items.compactMap { item in
            if let kind = item.string.flatMap({ Kind(rawValue: $0) }) { return kind }
            reader.wrong(
                item, "\(item.string.map { "\"\($0)\"" } ?? item.kindName) under \"never\"",
                expected: "one of \(Kind.allCases.map(\.rawValue).joined(separator: ", "))")
            return nil
        }
        guard kinds.count == items.count else { return nil }
        if items.isEmpty {
            reader.wrong(
                value, "\"never\" names nothing",
                expected: "one of \(Kind.allCases.map(\.rawValue).joined(separator: ", "))")
            return nil
        }
    }

    var words: String { "never " + kinds.map(\.words).joined(separator: ", ") }
    var needsExchanges: Bool { false }

    func failure(_ filter: FilterText, _ traffic: Observations) throws(CheckFailure) -> Mismatch? {
        for kind in try suspects(filter, traffic) {
            let condition: StoreCondition
            if kind == .production {
                guard let found = try Self.production(traffic) else { continue }
                condition = found
            } else {
                condition = kind.condition
            }
            var (ids, count, first): ([Int64], Int, TrafficSummary?) = ([], 0, nil)
            try traffic.reading { () throws(StoreFailure) in
                try traffic.search(filter).and(condition).each(.oldestFirst(after: 0)) { summary in
                    let url = summary.exchange.url
                    guard kind != .secretInURL || Replacement.isMentioned(in: Array(url.utf8)) else { return true }
                    if ids.count < Mismatch.maxNamed { ids.append(summary.id) }
                    first = first ?? summary
                    count += 1
                    return true
                }
            }
            guard let first else { continue }
            let exchange = first.exchange
            let detail =
                switch kind {
                case .production, .disabledTrust: "it went to \(exchange.origin?.url ?? exchange.url)"
                case .failure, .unmatched: exchange.failure?.message ?? "it failed"
                case .secretInURL: "the URL has a secret"
                }
            return Mismatch(
                expected: "never \(kind.words)" + (filter.text.isEmpty ? "" : " with \(filter.text)"), seen: "\(count)",
                nearest: (first.id, detail),
                ids: ids,
                count: count)
        }
        return nil
    }

    /// The kinds that have to be looked at one by one: none of those that facts of the log tell, mostly, which one look
    /// at all rows finds out.
    private func suspects(_ filter: FilterText, _ traffic: Observations) throws(CheckFailure) -> [Kind] {
        let told = kinds.filter { $0 != .production }
        guard told.count > 1 else { return kinds }
        let any = StoreCondition(told.map { "(\($0.condition.clause))" }.joined(separator: " OR "))
        let count = try traffic.reading { () throws(StoreFailure) in try traffic.search(filter).and(any).count() }
        return count == 0 ? kinds.filter { $0 == .production } : kinds
    }

    /// Selects exchanges with the origins that are production's; nil if there is none.
    private static func production(_ traffic: Observations) throws(CheckFailure) -> StoreCondition? {
        guard let isProduction = traffic.isProduction else {
            throw CheckFailure(
                description: "which origins are production's is said by profiles, and there are none here; name them "
                    + "with --profiles DIR")
        }
        let origins = try traffic.reading { () throws(StoreFailure) in
            try traffic.reader.groups(by: .origin, limit: 10_000)
        }
        var found = origins.compactMap(\.name).filter(isProduction)
        // Archives of other programs have no origin apart from the URL.
        let hosts = try traffic.reading { () throws(StoreFailure) in
            try traffic.reader.groups(
                by: .host, where: StoreCondition("origin IS NULL AND responder IS NULL"), limit: 10_000)
        }
        let direct = hosts.compactMap(\.name).filter { isProduction("https://\($0)") || isProduction("http://\($0)") }
        guard !found.isEmpty || !direct.isEmpty else { return nil }
        let count = found.count
        found += direct
        let marks = { (count: Int) in Array(repeating: "?", count: count).joined(separator: ", ") }
        return StoreCondition(
            "(origin IN (\(marks(count))) OR origin IS NULL AND responder IS NULL AND host IN (\(marks(direct.count))))",
            found.map { .text($0) })
    }
}
