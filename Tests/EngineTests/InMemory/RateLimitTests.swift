import Engine
import Exchanges
import Profiles
import Reactor
import Testing

/// The fault `rate-limit`, on a clock that the test moves.
@Suite struct RateLimitTests {
    private static func profile(_ more: String, _ responder: String = #""mock": {"text": "here"}"#) -> String {
        """
        {"kind": "staging", "routes": [{"path": "/*", \(responder),
            "fault": {"kind": "rate-limit", "limit": 2, "window": "60s"\(more)}}]}
        """
    }

    private static func ask(_ worker: isolated MemoryWorker, _ fields: String = "") async -> String {
        await worker.connect("GET /x HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n").text
    }

    /// The fields about limits of a response.
    private static func limits(_ text: String) -> [String] {
        text.split(separator: "\r\n").filter { $0.contains("RateLimit-") || $0.hasPrefix("Retry-After") }.map(
            String.init)
    }

    @Test func `what is too much gets 429 until the window is over`() async throws {
        try await MemoryWorker.run(profile: Self.profile("")) { worker in
            for (status, left, reset, more) in [
                (200, 1, 60, []), (200, 0, 60, []), (429, 0, 60, ["Retry-After: 60"]),
            ] as [(Int, Int, Int, [String])] {
                let text = await Self.ask(worker)
                #expect(text.hasPrefix("HTTP/1.1 \(status) "))
                #expect(
                    Self.limits(text) == [
                        "RateLimit-Limit: 2", "RateLimit-Remaining: \(left)", "RateLimit-Reset: \(reset)",
                    ]
                        + more, "\(text)")
                #expect(text.contains("fault=rate-limit") == (status == 429))
            }
            await worker.advance(by: 59.5)
            let late = await Self.ask(worker)
            #expect(late.hasPrefix("HTTP/1.1 429 ") && late.contains("Retry-After: 1\r\n"), "\(late)")
            await worker.advance(by: 1)
            #expect(await Self.ask(worker).contains("RateLimit-Remaining: 1\r\n"))
            #expect(worker.log.exchanges.map { $0.rewritten.contains("+fault") } == [false, false, true, true, false])
        }
    }

    @Test func `the fields have the form that is asked for`() async throws {
        for (more, passed, refused) in [
            (
                #", "fields": "X-RateLimit", "retryAfter": "date", "status": 503"#,
                ["X-RateLimit-Limit: 2", "X-RateLimit-Remaining: 1", "X-RateLimit-Reset: 1800001060"],
                [
                    "X-RateLimit-Limit: 2", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1800001060",
                    "Retry-After: Fri, 15 Jan 2027 08:17:41 GMT",
                ]
            ),
            (#", "fields": "none", "retryAfter": "none""#, [], []),
        ] as [(String, [String], [String])] {
            try await MemoryWorker.run(profile: Self.profile(more)) { worker in
                #expect(Self.limits(await Self.ask(worker)) == passed)
                _ = await Self.ask(worker)
                let text = await Self.ask(worker)
                #expect(Self.limits(text) == refused)
                #expect(text.hasPrefix("HTTP/1.1 \(more.contains("503") ? 503 : 429) "))
            }
        }
    }

    @Test func `values of a field, and sessions, are counted apart`() async throws {
        try await MemoryWorker.run(profile: Self.profile(#", "by": "Authorization""#)) { worker in
            let session = try worker.active.start(SessionWish(), now: worker.loop.core.now, at: 0)
            let own = "Shunt-Session: \(session.id)\r\n"
            for (fields, left) in [
                ("Authorization: a\r\n", 1), ("authorization: b\r\n", 1), ("", 1), ("Authorization: a\r\n", 0),
                (own + "Authorization: a\r\n", 1), (own + "Authorization: a\r\n", 0), (own, 1),
            ] {
                #expect(await Self.ask(worker, fields).contains("RateLimit-Remaining: \(left)\r\n"), "\(fields)")
            }
            #expect(await Self.ask(worker, own + "Authorization: a\r\n").hasPrefix("HTTP/1.1 429 "))
            try worker.active.removeRoutes(nil, of: session.id, now: 0)
            #expect(await Self.ask(worker, own + "Authorization: a\r\n").contains("RateLimit-Remaining: 1\r\n"))
        }
    }

    @Test
    func `a session lays it over the profile, other routes leave its window, and an origin's response has it too`()
        async throws
    {
        let profile = #"{"kind": "staging", "routes": [{"path": "/*", "origin": "http://origin.test"}]}"#
        try await MemoryWorker.run(profile: profile) { worker in
            let session = try worker.active.start(SessionWish(), now: worker.loop.core.now, at: 0)
            let own = "Shunt-Session: \(session.id)\r\n"
            func add(_ route: String) throws {
                _ = try worker.active.add(Array(route.utf8), to: session.id, isTrusted: false, now: 0)
            }
            try add(#"{"path": "/x", "fault": [{"kind": "rate-limit", "limit": 1, "by": "session"}, "status"]}"#)
            // The next fault strikes what it lets through.
            let first = await Self.ask(worker, own)
            #expect(first.hasPrefix("HTTP/1.1 503 ") && first.contains("RateLimit-Remaining: 0\r\n"), "\(first)")
            try add(#"{"path": "/y", "mock": {}}"#)
            #expect(await Self.ask(worker, own).hasPrefix("HTTP/1.1 429 "))
            try add(#"{"path": "/x", "method": "GET", "fault": {"kind": "rate-limit", "limit": 1}}"#)
            let client = await worker.connect("GET /x HTTP/1.1\r\nHost: localhost\r\n\(own)\r\n")
            try worker.origins.channel(0).receive("HTTP/1.1 204 No Content\r\n\r\n")
            await worker.settle()
            let text = client.text
            #expect(text.hasPrefix("HTTP/1.1 204 ") && text.contains("RateLimit-Remaining: 0\r\n"), "\(text)")
            #expect(await Self.ask(worker).isEmpty)
        }
    }
}
