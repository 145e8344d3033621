import JSON
import Profiles
import Store

/// How many exchanges there are.
struct CountCheck: Check {
    static let key = "count"
    static let schema =
        ##"{ "anyOf": [{ "type": "integer", "minimum": 0 }, { "$ref": "#/$defs/bounds" }] }"##

    let bounds: Bounds

    init(bounds: Bounds) { self.bounds = bounds }

    init?(_ value: JSONValue, _ reader: CheckReader) {
        guard let bounds = reader.bounds(value, CheckReader.count, what: "a count, or min and max") else { return nil }
        self.bounds = bounds
    }

    var words: String { bounds.max == 0 ? "no exchange" : "\(bounds.words()) exchange\(bounds.max == 1 ? "" : "s")" }
    var needsExchanges: Bool { false }

    func failure(_ filter: FilterText, _ traffic: Observations) throws(CheckFailure) -> Mismatch? {
        let count = try traffic.count(filter)
        guard !bounds.contains(count) else { return nil }
        var mismatch = Mismatch(
            expected: "\(words) with \(filter.words)", seen: "\(count == 0 ? "none" : "\(count)")")
        mismatch.ids = try traffic.first(filter).map(\.id)
        mismatch.count = count
        if count < bounds.min ?? 0 { mismatch.nearest = try traffic.nearest(to: filter) }
        return mismatch
    }
}
