/// A number as it was written, so that no precision is lost before a type is requested.
public struct JSONNumber: Hashable, Sendable {
    /// The spelling in the text, which may be JSON5's (`0x1F`, `+1`, `.5`).
    public let text: String
    /// The same number in RFC 8259 spelling.
    public let json: String

    /// Trusts its caller, the reader, that both spell the same number.
    package init(text: String, json: String) {
        self.text = text
        self.json = json
    }

    public init(_ value: Int64) {
        text = String(value)
        json = text
    }

    /// The value when it is whole and fits, also when written as `2.0` or `1e3`.
    public var int64: Int64? {
        if let whole = Int64(json) { return whole }
        // From 2^53 on a Double no longer tells neighbouring integers apart.
        guard let double, abs(double) < 9_007_199_254_740_992 else { return nil }
        return Int64(exactly: double)
    }

    /// The nearest Double, or nil when the number is beyond its range.
    public var double: Double? {
        guard let value = Double(json), value.isFinite else { return nil }
        return value
    }
}

extension JSONNumber {
    /// A number that is known to be spelled as RFC 8259 has them.
    package init(json: String) { self.init(text: json, json: json) }
}
