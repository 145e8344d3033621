import Exchanges
import Inspection
import JSON
import Profiles
import Store

/// Expectations that recorded traffic meets, the most telling first.
package struct Suggestions {
    /// Endpoints that are listed; the most frequent.
    private static let maxEndpoints = 20

    /// A file of expectations with comments.
    package let text: String

    package init(_ traffic: Observations) throws(CheckFailure) {
        var lines: [String] = []
        let kinds = NeverCheck.Kind.allCases.filter { $0 != .production || traffic.isProduction != nil }
        var fulfilled: [String] = []
        for kind in kinds {
            let all = try Self.filter("")
            if try NeverCheck(kind).failure(all, traffic) == nil { fulfilled.append(kind.rawValue) }
        }
        if !fulfilled.isEmpty {
            lines.append("    { never: [" + fulfilled.map { "\"\($0)\"" }.joined(separator: ", ") + "] },")
        }
        if try traffic.count(try Self.filter("~c 5xx")) == 0 { lines.append("    { filter: \"~c 5xx\", count: 0 },") }
        let groups = try Self.groups(traffic)
        let changes = groups.filter(\.endpoint.changesSomething).sorted { $0.first < $1.first }
        if changes.count > 1 {
            let order = changes.prefix(5).map { Self.quoted($0.endpoint.filter) }.joined(separator: ", ")
            let line = "{ order: [\(order)] }"
            if try Self.isMet(line, traffic) { lines.append("    \(line),") }
        }
        // What changes something tells more than what is read, and what is rare more than what is frequent.
        let read = groups.filter { !$0.endpoint.changesSomething }.sorted { $0.count < $1.count }
        for group in (changes + read).prefix(Self.maxEndpoints) {
            // An identifier stands for other segments, too, and exchanges without a response count as well.
            let count = try traffic.count(try Self.filter(group.endpoint.filter))
            let line = "{ filter: \(Self.quoted(group.endpoint.filter)), count: \(count)"
            let status = group.statuses.count == 1 ? group.statuses.first.map { ", response: { status: \($0) }" } : nil
            if let status, try Self.isMet(line + status + " }", traffic) {
                lines.append("    \(line)\(status) },")
            } else if try Self.isMet(line + " }", traffic) {
                lines.append("    \(line) },")
            }
        }
        text = """
            {
              // Written by `shunt expect --suggest`. Keep what has to hold, and take out the rest.
              expect: [
            \(lines.joined(separator: "\n"))
              ],
            }

            """
    }

    private struct Group {
        let endpoint: Endpoint
        let first: Int64
        var count = 0
        var statuses: Set<Int> = []
    }

    /// The most frequent first.
    private static func groups(_ traffic: Observations) throws(CheckFailure) -> [Group] {
        var found: [Endpoint: Group] = [:]
        try traffic.each(try filter("")) { summary in
            let exchange = summary.exchange
            guard let status = exchange.status, let endpoint = Endpoint(exchange) else { return true }
            guard found[endpoint] != nil || found.count < 1000 else { return true }
            found[endpoint, default: Group(endpoint: endpoint, first: summary.id)].count += 1
            found[endpoint]?.statuses.insert(status)
            return true
        }
        return found.values.sorted { ($0.count, $1.first) > ($1.count, $0.first) }
    }

    /// Only what the traffic meets is suggested.
    private static func isMet(_ line: String, _ traffic: Observations) throws(CheckFailure) -> Bool {
        guard let one = try? ExpectationFile.read(Array("{ expect: [\(line)] }".utf8), path: "") else { return false }
        return try traffic.check(one).allSatisfy { $0.mismatches.isEmpty }
    }

    private static func quoted(_ text: String) -> String { JSONWriter.text(of: text) }

    private static func filter(_ text: String) throws(CheckFailure) -> FilterText {
        do { return try FilterText(text) } catch { throw CheckFailure(description: "\(error)") }
    }
}
