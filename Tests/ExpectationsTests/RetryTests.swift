import Expectations
import Testing

/// Requests that are sent again, as an archive has them.
@Suite struct RetryTests {
    /// An attempt: milliseconds after the beginning, status, Retry-After, and the idempotency key.
    typealias Attempt = (at: Int, status: Int, after: String, key: String)

    private static func traffic(_ attempts: [Attempt], _ url: String = "https://a.test/pay") throws -> Traffic {
        let entries = attempts.map { attempt in
            let (seconds, rest) = attempt.at.quotientAndRemainder(dividingBy: 1000)
            let time = "2026-05-01T10:00:\(seconds < 10 ? "0" : "")\(seconds).\("\(1000 + rest)".dropFirst())Z"
            let after = attempt.after.isEmpty ? "" : #"{"name":"Retry-After","value":"\#(attempt.after)"}"#
            let key = attempt.key.isEmpty ? "" : #"{"name":"Idempotency-Key","value":"\#(attempt.key)"}"#
            return """
                {"startedDateTime":"\(time)","time":20,"request":{"method":"POST","url":"\(url)",
                "httpVersion":"HTTP/1.1","headers":[\(key)],"cookies":[],"queryString":[]},
                "response":{"status":\(attempt.status),"statusText":"","httpVersion":"HTTP/1.1","headers":[\(after)],
                "cookies":[],"content":{"size":0,"mimeType":"text/plain"}},
                "timings":{"send":0,"wait":10,"receive":10}}
                """
        }
        return try Traffic(Array(#"{"log":{"version":"1.2","entries":[\#(entries.joined(separator: ","))]}}"#.utf8))
    }

    @Test(
        arguments: [
            // What is expected, the attempts, and what is said of those that differ.
            ("wait: true", [(0, 429, "2", ""), (2010, 200, "", "")], nil),
            (
                "wait: true", [(0, 429, "2", ""), (1990, 200, "", "")],
                "it came 1980ms after #1, which said Retry-After: 2"
            ),
            ("wait: true", [(0, 429, "Fri, 01 May 2026 10:00:03 GMT", ""), (3000, 200, "", "")], nil),
            (
                "wait: true", [(0, 503, "Fri, 01 May 2026 10:00:03 GMT", ""), (2500, 200, "", "")],
                "which said Retry-After: Fri, 01 May 2026 10:00:03 GMT"
            ),
            // What has succeeded is no attempt of what follows, and what overlaps neither.
            ("wait: true", [(0, 200, "9", ""), (20, 200, "", "")], nil),
            ("max: 0", [(0, 503, "", ""), (5, 200, "", "")], nil),
            (
                "max: 1", [(0, 503, "", ""), (100, 503, "", ""), (200, 200, "", "")],
                "it was sent again 2 times, not at most 1"
            ),
            ("max: 2", [(0, 503, "", ""), (100, 503, "", ""), (200, 503, "", "")], nil),
            ("max: 1", [(0, 0, "", ""), (100, 503, "", ""), (200, 503, "", "")], "it was sent again 2 times"),
            ("min: 1", [(0, 500, "", "")], "it was sent again 0 times, not at least 1"),
            ("min: 1", [(0, 200, "", "")], nil),
            ("growing: true", [(0, 503, "", ""), (100, 503, "", ""), (300, 503, "", ""), (700, 200, "", "")], nil),
            (
                "growing: true", [(0, 503, "", ""), (200, 503, "", ""), (400, 200, "", "")],
                "it came 190ms after #2, and that 190ms after"
            ),
            ("key: 'Idempotency-Key'", [(0, 503, "", "k"), (100, 503, "", "k"), (200, 200, "", "k")], nil),
            ("key: 'Idempotency-Key'", [(0, 503, "", "k"), (100, 200, "", "l")], "another Idempotency-Key: l, not k"),
            ("key: 'Idempotency-Key'", [(0, 503, "", "k"), (100, 200, "", "")], "without the field Idempotency-Key"),
            ("key: 'Idempotency-Key'", [(0, 200, "", "")], "there is no field Idempotency-Key"),
            ("key: 'Idempotency-Key'", [(0, 200, "", "k"), (100, 200, "", "l")], nil),
        ] as [(String, [Attempt], String?)])
    func `requests are sent again as expected`(expected: String, attempts: [Attempt], difference: String?) throws {
        let text = try Self.traffic(attempts).text("{ expect: [{ filter: '~u /pay', retries: { \(expected) } }] }")
        #expect(text.contains("NOT MET") == (difference != nil), "\(text)")
        if let difference { #expect(text.contains(difference), "\(text)") }
    }
}
