import Exchanges
import Inspection
import JSON
import Profiles
import Store

/// How long exchanges take, by percentile.
struct LatencyCheck: Check {
    static let key = "latency"
    private static let names: [(key: String, percent: Int64)] = [
        ("p50", 50), ("p90", 90), ("p95", 95), ("p99", 99), ("max", 100),
    ]
    static let schema =
        ##"{ "type": "object", "additionalProperties": false, "minProperties": 1, "patternProperties": { "^(p50|p90|p95|p99|max)$": { "type": "string", "pattern": "^[0-9.]+(ms|s|m|h)$" } } }"##

    /// Microseconds.
    private let limits: [(key: String, percent: Int64, limit: Int64)]

    init?(_ value: JSONValue, _ reader: CheckReader) {
        guard let fields = Fields(value, "\"latency\"", keys: Self.names.map(\.key), reader.reporter) else {
            return nil
        }
        var limits: [(key: String, percent: Int64, limit: Int64)] = []
        for (key, percent) in Self.names {
            guard let time = fields[key] else { continue }
            guard let limit = CheckReader.duration(time) else {
                reader.wrong(
                    time, "\"\(key)\" is \(time.string ?? time.kindName)", expected: "a time like \"250ms\" or \"2s\"")
                return nil
            }
            limits.append((key, percent, Int64(limit)))
        }
        guard !limits.isEmpty else {
            reader.wrong(
                value, "\"latency\" has no limit", expected: "one of \(Self.names.map(\.key).joined(separator: ", "))")
            return nil
        }
        self.limits = limits
    }

    var words: String { "latency " + limits.map { "\($0.key) \(Self.text($0.limit))" }.joined(separator: ", ") }

    func failure(_ filter: FilterText, _ traffic: Observations) throws(CheckFailure) -> Mismatch? {
        let times = try traffic.reading { () throws(StoreFailure) in try traffic.search(filter).times() }
        for (key, percent, limit) in limits {
            guard let time = times.percentile(percent), time > limit else { continue }
            var mismatch = Mismatch(
                expected: "\(key) of at most \(Self.text(limit)) with \(filter.words)",
                seen: "\(key) of \(Self.text(time)) over \(times.count) exchange\(times.count == 1 ? "" : "s")")
            try traffic.each(filter) { summary in
                guard Int64(clamping: summary.exchange.timings.total) > limit else { return true }
                mismatch.count += 1
                if mismatch.ids.count < Mismatch.maxNamed { mismatch.ids.append(summary.id) }
                return true
            }
            return mismatch
        }
        return nil
    }

    static func text(_ microseconds: Int64) -> String {
        switch microseconds {
        case ..<1000: "\(microseconds)µs"
        case ..<10_000: "\(Double(microseconds / 100) / 10)ms"
        case _ where microseconds % 1_000_000 == 0: "\(microseconds / 1_000_000)s"
        default: "\(microseconds / 1000)ms"
        }
    }
}
