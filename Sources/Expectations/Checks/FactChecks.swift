import Exchanges
import Inspection
import JSON
import Profiles
import Store

/// Tests a fact of each exchange's row, without its heads and bodies.
private func failure(
    _ filter: FilterText, _ traffic: Observations, expected: String,
    difference: (TrafficSummary) -> String?
) throws(CheckFailure) -> Mismatch? {
    var mismatch = Mismatch(expected: "\(expected) for \(filter.words)", seen: "")
    var total = 0
    try traffic.each(filter) { summary in
        total += 1
        guard let difference = difference(summary) else { return true }
        mismatch.count += 1
        if mismatch.nearest == nil { mismatch.nearest = (summary.id, difference) }
        if mismatch.ids.count < Mismatch.maxNamed { mismatch.ids.append(summary.id) }
        return true
    }
    guard mismatch.count > 0 else { return nil }
    mismatch.seen = "\(mismatch.count) of \(total) without"
    return mismatch
}

/// How long bodies are.
struct SizeCheck: Check {
    static let key = "size"
    static let schema =
        ##"{ "type": "object", "additionalProperties": false, "minProperties": 1, "properties": { "request": { "$ref": "#/$defs/size" }, "response": { "$ref": "#/$defs/size" } } }"##

    private let request: Bounds?
    private let response: Bounds?

    init?(_ value: JSONValue, _ reader: CheckReader) {
        guard let fields = Fields(value, "\"size\"", keys: ["request", "response"], reader.reporter) else { return nil }
        func bounds(_ key: String) -> Bounds? {
            fields[key].flatMap {
                reader.bounds($0, CheckReader.size, what: "a size like \"10k\", or min and max", isMax: true)
            }
        }
        (request, response) = (bounds("request"), bounds("response"))
        guard request != nil || response != nil else {
            if value.object?.isEmpty == true {
                reader.wrong(value, "\"size\" asks for nothing", expected: "request or response")
            }
            return nil
        }
    }

    var words: String {
        [request.map { "requests of \(Self.text($0))" }, response.map { "responses of \(Self.text($0))" }]
            .compactMap { $0 }.joined(separator: " and ")
    }

    private static func text(_ bounds: Bounds) -> String { bounds.words { Quantity.sizeText($0) } + " bytes" }

    func failure(_ filter: FilterText, _ traffic: Observations) throws(CheckFailure) -> Mismatch? {
        try Expectations.failure(filter, traffic, expected: words) { summary in
            let bytes = summary.exchange.bytes
            return Self.misfit("request", bytes.request, request) ?? Self.misfit("response", bytes.response, response)
        }
    }

    private static func misfit(_ name: String, _ count: UInt64, _ bounds: Bounds?) -> String? {
        guard let bounds, !bounds.contains(Int(clamping: count)) else { return nil }
        return "the \(name) has \(count) bytes, not \(text(bounds))"
    }
}

/// The version of HTTP between client and Shunt.
struct VersionCheck: Check {
    static let key = "version"
    static let schema = ##"{ "enum": ["HTTP/1.0", "HTTP/1.1", "HTTP/2"] }"##

    private let version: String

    init?(_ value: JSONValue, _ reader: CheckReader) {
        guard let version = value.string, ["HTTP/1.0", "HTTP/1.1", "HTTP/2"].contains(version) else {
            reader.wrong(value, "a wrong \"version\"", expected: "\"HTTP/2\", \"HTTP/1.1\" or \"HTTP/1.0\"")
            return nil
        }
        self.version = version
    }

    var words: String { "requests in \(version)" }

    func failure(_ filter: FilterText, _ traffic: Observations) throws(CheckFailure) -> Mismatch? {
        try Expectations.failure(filter, traffic, expected: words) { summary in
            let seen = summary.exchange.client.version
            return seen == version ? nil : "the version is \(seen)"
        }
    }
}

/// The lowest version of TLS between client and Shunt.
struct TLSCheck: Check {
    static let key = "tls"
    private static let versions = ["TLSv1.2", "TLSv1.3"]
    static let schema = ##"{ "enum": ["TLSv1.2", "TLSv1.3"] }"##

    private let lowest: String

    init?(_ value: JSONValue, _ reader: CheckReader) {
        guard let lowest = value.string, Self.versions.contains(lowest) else {
            reader.wrong(value, "a wrong \"tls\"", expected: "the lowest version, \"TLSv1.2\" or \"TLSv1.3\"")
            return nil
        }
        self.lowest = lowest
    }

    var words: String { "requests with \(lowest) or later" }

    func failure(_ filter: FilterText, _ traffic: Observations) throws(CheckFailure) -> Mismatch? {
        try Expectations.failure(filter, traffic, expected: words) { summary in
            let seen = summary.exchange.client.tls
            // The names are in the order of the versions.
            return seen.map { $0 >= lowest } ?? false ? nil : "the request came with \(seen ?? "no TLS")"
        }
    }
}

/// How many exchanges go over a connection to the origin that was open already.
struct ReuseCheck: Check {
    static let key = "reused"
    static let schema = ##"{ "type": "string", "pattern": "^[0-9]{1,3}%$" }"##

    private let percent: Int

    init?(_ value: JSONValue, _ reader: CheckReader) {
        guard let text = value.string, text.hasSuffix("%"), let percent = Int(text.dropLast()),
            (0...100).contains(percent)
        else {
            reader.wrong(value, "a wrong \"reused\"", expected: "a share like \"90%\"")
            return nil
        }
        self.percent = percent
    }

    var words: String { "at least \(percent)% over a reused connection" }

    func failure(_ filter: FilterText, _ traffic: Observations) throws(CheckFailure) -> Mismatch? {
        var (total, ids): (Int, [Int64]) = (0, [])
        try traffic.each(filter) { summary in
            guard let origin = summary.exchange.origin, origin.address != nil else { return true }
            total += 1
            if !origin.isReused { ids.append(summary.id) }
            return true
        }
        guard total > 0 else {
            return Mismatch(expected: "\(words) for \(filter.words)", seen: "no exchange with an origin")
        }
        let reused = total - ids.count
        guard reused * 100 < percent * total else { return nil }
        return Mismatch(
            expected: "\(words) for \(filter.words)", seen: "\(reused) of \(total), \(reused * 100 / total)%",
            ids: Array(ids.prefix(Mismatch.maxNamed)), count: ids.count)
    }
}
