@_exported public import Exchanges
import Expectations
import Inspection
import Profiles
import Store
public import Testing

/// The exchanges of a test at one moment.
public struct Traffic: Sendable {
    private let path: String
    private let profiles: ProfileLibrary?
    /// In the order in which they began; their numbers are ``Exchange/id``.
    public let exchanges: [Exchange]
    /// What ``filter(_:)`` was asked for; empty for all.
    private let filterText: String

    init(path: String, profiles: ProfileLibrary?, _ filterText: String = "") throws(ShuntFailure) {
        (self.path, self.profiles, self.filterText) = (path, profiles, filterText)
        let found = try Self.reading { () throws(StoreFailure) in
            try TrafficSearch.all(of: try TrafficReader(path)).page(.oldestFirst(after: 0), limit: .max)
        }
        exchanges = found.map(\.exchange)
    }

    private init(_ other: Traffic, _ text: String, _ exchanges: [Exchange]) {
        (path, profiles, filterText, self.exchanges) = (other.path, other.profiles, text, exchanges)
    }

    public var count: Int { exchanges.count }
    public var isEmpty: Bool { exchanges.isEmpty }

    /// Those that a filter selects, in the language of `shunt logs`: `~m POST & ~u /v1/orders`.
    public func filter(_ text: String) throws(ShuntFailure) -> Traffic {
        let both = filterText.isEmpty ? text : "(\(filterText)) & (\(text))"
        let search: TrafficSearch
        do {
            search = try TrafficSearch(TrafficReader(path), matching: both)
        } catch {
            throw ShuntFailure(description: "\(error)")
        }
        let last = exchanges.last?.id ?? 0
        let found = try Self.reading { () throws(StoreFailure) in try search.page(.oldestFirst(after: 0), limit: .max) }
        return Traffic(self, both, found.map(\.exchange).filter { $0.id ?? 0 <= last })
    }

    /// Whether any exchange is of this kind.
    public func contains(_ wanted: Wanted) -> Bool { (try? !filter(wanted.filter).isEmpty) ?? false }

    /// Records an issue for each expectation that is not met, with what was seen and what came nearest.
    ///
    /// - Parameter text: `~c 5xx: 0`, or a file's text with a list `expect` (docs/expectations.md).
    public func expect(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws(ShuntFailure) {
        do {
            let expectations =
                if let one = try ExpectationFile.read(inline: text) {
                    [one]
                } else {
                    try ExpectationFile.read(Array(text.utf8), path: "expectations")
                }
            let observations = try Observations(try TrafficReader(path), profiles: profiles)
            let report = try ExpectationReport(try observations.check(expectations), observations)
            for message in report.failureTexts {
                Issue.record(Comment(rawValue: message), sourceLocation: sourceLocation)
            }
        } catch {
            throw ShuntFailure(description: "\(error)")
        }
    }

    /// The same for one kind of exchange, of which there has to be one.
    public func expect(_ wanted: Wanted, sourceLocation: SourceLocation = #_sourceLocation) throws(ShuntFailure) {
        try expect("\(wanted.filter): 1..", sourceLocation: sourceLocation)
    }

    private static func reading<Result>(_ body: () throws(StoreFailure) -> Result) throws(ShuntFailure) -> Result {
        do throws(StoreFailure) { return try body() } catch {
            throw ShuntFailure(description: "the recorded traffic cannot be read: \(error)")
        }
    }
}

extension Traffic: CustomTestStringConvertible {
    /// One line for each exchange.
    public var testDescription: String {
        let lines = exchanges.prefix(50).map { exchange in
            "  \(exchange.method) \(exchange.url) \(exchange.status.map { "\($0)" } ?? "no response")"
        }
        let more = exchanges.count > 50 ? ["  and \(exchanges.count - 50) more"] : []
        return (["\(exchanges.count) exchange\(exchanges.count == 1 ? "" : "s")"] + lines + more).joined(
            separator: "\n")
    }
}

/// A kind of exchange: `.post("/v1/cart").status(201)`.
public struct Wanted: Sendable, CustomTestStringConvertible {
    /// In the language of `shunt logs`.
    public let filter: String

    /// Exchanges that a filter selects.
    public static func matching(_ filter: String) -> Wanted { Wanted(filter: filter) }

    /// Requests with a method for a path, with any query.
    public static func request(_ method: String, _ path: String) -> Wanted {
        Wanted(filter: "~m ^\(escaped(method))$ & ~u \"^https?://[^/]+\(escaped(path))([?]|$)\"")
    }

    public static func get(_ path: String) -> Wanted { request("GET", path) }
    public static func post(_ path: String) -> Wanted { request("POST", path) }
    public static func put(_ path: String) -> Wanted { request("PUT", path) }
    public static func patch(_ path: String) -> Wanted { request("PATCH", path) }
    public static func delete(_ path: String) -> Wanted { request("DELETE", path) }

    /// Of them, those with a response of this status.
    public func status(_ status: Int) -> Wanted { Wanted(filter: "\(filter) & ~c \(status)") }

    /// Of them, those for this host.
    public func host(_ host: String) -> Wanted { Wanted(filter: "\(filter) & ~d \"^\(Self.escaped(host))$\"") }

    public var testDescription: String { filter }

    private static func escaped(_ text: String) -> String {
        text.map {
            ".+*?()[]{}|^$\\\"".contains($0) ? "[\($0 == "^" || $0 == "\\" || $0 == "\"" ? "\\" : "")\($0)]" : "\($0)"
        }
        .joined()
    }
}
