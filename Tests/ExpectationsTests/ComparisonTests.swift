import Expectations
import Testing

/// Times in milliseconds before and now, the verdict, and whether the runs count as different.
private let times: [(base: [Int], head: [Int], verdict: String, isDifferent: Bool)] = [
    (around(100), around(160), "**slower**", true), (around(160), around(100), "faster", false),
    // A tenth of them is slow, which a mean would take for a change.
    (around(100), around(100).enumerated().map { $0.offset % 10 == 0 ? 900 : $0.element }, "beyond noise", false),
    (spread(40, 17), spread(45, 13), "beyond noise", false),
    (Array(repeating: 10, count: 19), around(500), "too few to compare times", false),
]

private func around(_ time: Int) -> [Int] { (0..<30).map { time + $0 % 7 } }
private func spread(_ time: Int, _ step: Int) -> [Int] { (0..<30).map { time + $0 * step % 90 } }

@Suite struct ComparisonTests {
    /// An archive of exchanges: URL, status, milliseconds and body.
    private func traffic(_ entries: [(url: String, status: Int, time: Int, body: String)]) throws -> Traffic {
        let texts = entries.map { entry in
            """
            {"startedDateTime":"2026-05-01T10:00:00Z","time":\(entry.time),"request":{"method":"GET","url":"\(entry.url)",
            "httpVersion":"HTTP/1.1","headers":[],"cookies":[],"queryString":[]},"response":{"status":\(entry.status),
            "statusText":"","httpVersion":"HTTP/1.1","headers":[],"cookies":[],"content":{"mimeType":"application/json",
            "text":"\(entry.body.replacing("\"", with: "\\\""))"}},"timings":{"send":0,"wait":\(entry.time),"receive":0}}
            """
        }
        return try Traffic(Array("{\"log\":{\"version\":\"1.2\",\"entries\":[\(texts.joined(separator: ","))]}}".utf8))
    }

    private func compare(_ base: Traffic, _ head: Traffic) throws -> RunComparison {
        try RunComparison(base: base.observations, head: head.observations)
    }

    private static let api = "https://api.shop.test"

    @Test func `what came, went and changed is listed by endpoint`() throws {
        let base = try traffic([
            ("\(Self.api)/v1/orders/17", 200, 5, #"{"id":1,"total":2}"#),
            ("\(Self.api)/v1/orders/18?x=1", 200, 5, #"{"id":2,"total":2}"#),
            ("\(Self.api)/v1/old", 200, 5, "{}"), ("http://localhost:4001/v1", 200, 5, "{}"),
        ])
        let head = try traffic([
            ("\(Self.api)/v1/orders/99", 200, 5, #"{"id":"1","more":true}"#),
            ("\(Self.api)/v1/orders/98", 404, 5, "{}"),
            ("\(Self.api)/v1/new", 200, 5, "{}"), ("http://localhost:4999/v1", 200, 5, "{}"),
        ])
        let comparison = try compare(base, head)
        let orders = "`GET \(Self.api)/v1/orders/{id}`"
        #expect(comparison.isDifferent)
        for line in [
            "- new: `GET \(Self.api)/v1/new`, once", "- gone: `GET \(Self.api)/v1/old`, before once",
            "- \(orders): status 404 is new",
            "- \(orders): response `$.id`: number before, string now",
            "- \(orders): response `$.more`: nothing before, boolean now",
            "- \(orders): response `$.total`: number before, nothing now",
        ] { #expect(comparison.markdown.contains(line + "\n"), "\(line)\n\(comparison.markdown)") }
        #expect(!comparison.markdown.contains("localhost"))
        #expect(try !compare(base, base).isDifferent)
    }

    @Test(arguments: times) func `times are called slower only beyond noise`(
        base: [Int], head: [Int], verdict: String, isDifferent: Bool
    ) throws {
        let comparison = try compare(
            try traffic(base.map { ("\(Self.api)/v1", 200, $0, "{}") }),
            try traffic(head.map { ("\(Self.api)/v1", 200, $0, "{}") }))
        #expect(comparison.markdown.contains(verdict), "\(comparison.markdown)")
        #expect(comparison.isDifferent == isDifferent)
    }
}
