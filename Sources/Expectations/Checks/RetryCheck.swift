import Bytes
import Exchanges
import HTTP
import Inspection
import JSON
import Profiles
import Store
import TLS

/// How clients send requests again that have failed: how often, when, and with which key.
struct RetryCheck: Check {
    static let key = "retries"
    private static let keys = ["min", "max", "wait", "growing", "key"]
    static let schema =
        ##"{ "type": "object", "additionalProperties": false, "minProperties": 1, "properties": { "min": { "type": "integer", "minimum": 0 }, "max": { "type": "integer", "minimum": 0 }, "wait": { "const": true }, "growing": { "const": true }, "key": { "type": "string", "minLength": 1 } } }"##

    /// How often a request is sent again.
    private let bounds: Bounds?
    /// Not before `Retry-After`.
    private let waits: Bool
    /// Each pause is longer than the one before.
    private let grows: Bool
    /// The field that has the same value each time.
    private let field: String?

    init?(_ value: JSONValue, _ reader: CheckReader) {
        guard let fields = Fields(value, "\"retries\"", keys: Self.keys, reader.reporter) else { return nil }
        let counts = ["min", "max"].compactMap { fields.member($0) }
        if counts.isEmpty {
            bounds = nil
        } else {
            let object = JSONValue(kind: .object(counts), position: value.position)
            guard let read = reader.bounds(object, CheckReader.count, what: "how often: a number from 0") else {
                return nil
            }
            bounds = read
        }
        for key in ["wait", "growing"] {
            guard let value = fields[key], value.bool != true else { continue }
            reader.wrong(value, "\"\(key)\" is \(value.kindName)", expected: "true, or nothing")
            return nil
        }
        (waits, grows) = (fields["wait"] != nil, fields["growing"] != nil)
        field = fields.string("key")
        if let value = fields["key"], field?.isEmpty ?? true {
            if value.string != nil {
                reader.wrong(value, "\"key\" is empty", expected: "a field like \"Idempotency-Key\"")
            }
            return nil
        }
        guard bounds != nil || waits || grows || field != nil else {
            reader.wrong(value, "\"retries\" asks for nothing", expected: "one of \(Self.keys.joined(separator: ", "))")
            return nil
        }
    }

    var words: String {
        var parts = [bounds.map { "\($0.words()) retries" } ?? "retries"]
        if waits { parts.append("not before Retry-After") }
        if grows { parts.append("after growing pauses") }
        if let field { parts.append("with one \(field)") }
        return parts.joined(separator: ", ")
    }

    /// A request that is sent until it succeeds.
    private struct Series {
        var last: Int64
        var retries = 0
        /// When the response of the last attempt was there, in microseconds since 1970.
        var ended: Int64
        /// When the next attempt may come; nil where nothing was said.
        var allowed: (time: Int64, text: String)?
        var pause: Int64?
        var key: String?
    }

    func failure(_ filter: FilterText, _ traffic: Observations) throws(CheckFailure) -> Mismatch? {
        // Those that have failed last, by their request.
        var open: [[UInt8]: [Series]] = [:]
        var mismatch = Mismatch(expected: "\(words) for \(filter.words)", seen: "")
        var problem: CheckFailure?
        try traffic.each(filter) { summary in
            do throws(CheckFailure) {
                guard let record = try traffic.record(summary.id) else { return true }
                try visit(record, traffic, &open, &mismatch)
                return true
            } catch {
                problem = error
                return false
            }
        }
        if let problem { throw problem }
        for series in open.values.flatMap(\.self).sorted(by: { $0.last < $1.last }) {
            checkCount(series, &mismatch)
        }
        guard mismatch.count > 0 else { return nil }
        mismatch.seen = "\(mismatch.count) that differ\(mismatch.count == 1 ? "s" : "")"
        return mismatch
    }

    private func visit(
        _ record: TrafficRecord, _ traffic: Observations, _ open: inout [[UInt8]: [Series]], _ mismatch: inout Mismatch
    ) throws(CheckFailure) {
        let exchange = record.summary.exchange
        let text = Array("\(exchange.method) \(exchange.url)\n".utf8) + (try traffic.body(record, .request))
        let request = sha256(text.span) ?? text
        let key = field.flatMap { name in record.clientRequest.flatMap { HeadText($0).value(of: name) } }
        var series = Series(last: record.summary.id, ended: Self.end(of: exchange), key: key)
        // One that began while an attempt was on its way is another request.
        let earlier = (open[request] ?? []).firstIndex {
            Self.microseconds(from: exchange.startedAt, to: $0.ended) <= Self.tolerance
        }
        if let earlier, let before = open[request]?.remove(at: earlier) {
            series.retries = before.retries + 1
            series.pause = Self.microseconds(from: before.ended, to: exchange.startedAt)
            series.key = before.key ?? key
            check(series, key, after: before, exchange, &mismatch)
        } else if let field, key == nil {
            note([record.summary.id], "there is no field \(field)", &mismatch)
        }
        if Self.hasFailed(exchange) {
            series.allowed = Self.allowed(record)
            open[request, default: []].append(series)
        } else if series.retries > 0 {
            checkCount(series, &mismatch)
        }
    }

    private func check(
        _ series: Series, _ key: String?, after before: Series, _ exchange: Exchange, _ mismatch: inout Mismatch
    ) {
        let pause = series.pause ?? 0
        if waits, let allowed = before.allowed,
            Self.microseconds(from: exchange.startedAt, to: allowed.time) > Self.tolerance
        {
            return note(
                [before.last, series.last],
                "it came \(LatencyCheck.text(max(0, pause))) after #\(before.last), which said Retry-After: \(allowed.text)",
                &mismatch)
        }
        if grows, let last = before.pause, pause <= last {
            return note(
                [before.last, series.last],
                "it came \(LatencyCheck.text(max(0, pause))) after #\(before.last), and that \(LatencyCheck.text(last)) after the "
                    + "attempt before: pauses have to grow", &mismatch)
        }
        if let field, key != series.key || key == nil {
            note(
                [before.last, series.last],
                key.map { "it repeats #\(before.last) with another \(field): \($0), not \(series.key ?? "none")" }
                    ?? "it repeats #\(before.last) without the field \(field)", &mismatch)
        }
    }

    private func checkCount(_ series: Series, _ mismatch: inout Mismatch) {
        guard let bounds, !bounds.contains(series.retries) else { return }
        note(
            [series.last],
            "it was sent again \(series.retries) time\(series.retries == 1 ? "" : "s"), not \(bounds.words())",
            &mismatch)
    }

    private func note(_ ids: [Int64], _ difference: String, _ mismatch: inout Mismatch) {
        mismatch.count += 1
        if mismatch.nearest == nil, let last = ids.last { mismatch.nearest = (last, difference) }
        for id in ids where mismatch.ids.count < Mismatch.maxNamed && !mismatch.ids.contains(id) {
            mismatch.ids.append(id)
        }
    }

    /// Times of archives have milliseconds, and clients' timers may end as much early.
    private static let tolerance: Int64 = 2000

    /// When the client had the response's head: from then on it waits.
    private static func end(of exchange: Exchange) -> Int64 {
        let time = exchange.timings.total - min(exchange.timings.total, exchange.timings.receive ?? 0)
        return UntrustedNumber(exchange.startedAt).plus(UntrustedNumber(Int64(clamping: time))).clamped()
    }

    /// They may be any, since a store or an archive has them.
    private static func microseconds(from start: Int64, to end: Int64) -> Int64 {
        UntrustedNumber(end).minus(UntrustedNumber(start)).clamped()
    }

    private static func hasFailed(_ exchange: Exchange) -> Bool {
        guard exchange.failure == nil, let status = exchange.status else { return true }
        return [408, 425, 429].contains(status) || status >= 500
    }

    /// When the next attempt may come (RFC 9110 10.2.3).
    private static func allowed(_ record: TrafficRecord) -> (time: Int64, text: String)? {
        guard let text = record.response.flatMap({ HeadText($0).value(of: "retry-after") }) else { return nil }
        if let seconds = Int64(text), seconds >= 0, seconds < 1 << 32 {
            let time = UntrustedNumber(end(of: record.summary.exchange)).plus(UntrustedNumber(seconds).times(1_000_000))
            return (time.clamped(), text)
        }
        let date = HTTPDate.parse(ContiguousArray(text.utf8).span)
        return date.map { ($0 * 1_000_000, text) }
    }
}
