import Filter
import JSON

/// What is expected of recorded traffic: a check of the exchanges that a filter selects.
public struct Expectation: Sendable {
    /// The given name, else what is checked, in words.
    public let name: String
    /// The file with its line, or the option that it was written in.
    public let place: String
    public let filter: FilterText
    let checks: [any Check]
}

/// A filter together with its text, for messages.
public struct FilterText: Sendable {
    public let text: String
    let filter: TrafficFilter
    /// The parts that `&` joins, to find out which one an exchange fails.
    let parts: [(text: String, filter: TrafficFilter)]

    /// Every exchange.
    static let everything = FilterText()

    init(_ text: String) throws(FilterFailure) {
        self.text = text
        filter = try TrafficFilter(text)
        parts = try TrafficFilter.conjuncts(of: text)
    }

    private init() { (text, filter, parts) = ("", .all, []) }

    /// For a sentence: `~d api & ~c 5xx`, or `any request`.
    var words: String { text.isEmpty ? "any request" : text }
}

/// One kind of check.
protocol Check: Sendable {
    /// The key that asks for it.
    static var key: String { get }
    /// Its part of the JSON Schema.
    static var schema: String { get }
    /// nil where a problem was reported.
    init?(_ value: JSONValue, _ reader: CheckReader)
    /// What is checked, for an expectation without a name.
    var words: String { get }
    /// Whether exchanges that the filter selects are needed.
    var needsExchanges: Bool { get }
    func failure(_ filter: FilterText, _ traffic: Observations) throws(CheckFailure) -> Mismatch?
}

extension Check {
    var needsExchanges: Bool { true }
}

/// Every kind, in the order in which they are listed in messages.
enum Checks {
    static let all: [any Check.Type] = [
        CountCheck.self, OrderCheck.self, NeverCheck.self, LatencyCheck.self, RequestCheck.self, ResponseCheck.self,
        IdempotencyCheck.self, RetryCheck.self, SizeCheck.self, VersionCheck.self, TLSCheck.self, ReuseCheck.self,
    ]
}

/// What was expected and what was seen instead.
public struct Mismatch: Sendable {
    public var expected: String
    public var seen: String
    /// The exchange that came nearest, and its first difference.
    public var nearest: (id: Int64, difference: String)?
    /// The first exchanges that are wrong.
    public var ids: [Int64] = []
    /// Of all that are wrong.
    public var count = 0

    /// Exchanges that are named.
    static let maxNamed = 10
}

/// Mismatches of the same kind, each told once with the exchanges that have it.
struct Findings<Kind: Hashable> {
    /// Kinds that are told apart; all others are counted with the last one.
    static var maxKinds: Int { 1000 }

    private var mismatches: [Kind: Mismatch] = [:]
    private var order: [Kind] = []

    /// Notes that an exchange has a mismatch.
    mutating func note(_ kind: Kind, _ id: Int64, expected: String, seen text: String) {
        var kind = kind
        if mismatches[kind] == nil {
            if order.count < Self.maxKinds { order.append(kind) } else { kind = order[order.count - 1] }
        }
        var noted = mismatches[kind] ?? Mismatch(expected: expected, seen: "", nearest: (id, text))
        // Several items of one body may break the same rule.
        if noted.ids.last != id {
            noted.count += 1
            if noted.ids.count < Mismatch.maxNamed { noted.ids.append(id) }
        }
        noted.seen =
            "\(noted.nearest?.difference ?? "")\(noted.count > 1 ? ", and so in \(noted.count) exchanges" : "")"
        mismatches[kind] = noted
    }

    /// In the order in which they were found.
    func of(_ isMeant: (Kind) -> Bool) -> [Mismatch] { order.filter(isMeant).compactMap { mismatches[$0] } }
}

/// An expectation with what came of it.
public struct ExpectationResult: Sendable {
    public let expectation: Expectation
    /// Empty where it is fulfilled.
    public let mismatches: [Mismatch]
    /// What could not be compared, in a line each.
    package var notes: [String] = []

    public var isFulfilled: Bool { mismatches.isEmpty }
}

/// Why the traffic cannot be checked at all.
public struct CheckFailure: Error, Sendable, CustomStringConvertible {
    public let description: String
}
