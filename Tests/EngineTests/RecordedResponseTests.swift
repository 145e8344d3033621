import Engine
import Exchanges
import Profiles
import Reactor
import TestSupport
import Testing

/// Recordings as responses.
@Suite struct RecordedResponseTests {
    private static func start(
        _ entries: [String], _ more: String = "", profile: String? = nil, limits: Limits = Limits()
    ) async throws -> Harness {
        let folder = try TemporaryFolder()
        try folder.write("Recordings/shop.har", #"{"log": {"entries": [\#(entries.joined(separator: ","))]}}"#)
        let route = profile ?? #"{"kind": "local", "routes": [{"recording": "shop"\#(more)}]}"#
        try folder.write("Profiles/only.json", route)
        let log = Harness.Log()
        var configuration = Proxy.Configuration(addresses: [.loopback(.ipv4, port: 0)])
        configuration.limits = limits
        configuration.observer = log
        configuration.workers = 1
        let library = try ProfileLibrary.load(directory: folder.path + "/Profiles")
        return Harness(proxy: try await Proxy.start(configuration, profiles: library, active: "only"), log: log)
    }

    private static func entry(
        _ target: String, _ body: String, method: String = "GET", status: Int = 200, fields: String = "",
        post: String = "", more: String = ""
    ) -> String {
        """
        {"request": {"method": "\(method)", "url": "http://a\(target)"\(post)}, "response": {"status": \(status),
        "headers": [{"name": "Content-Type", "value": "text/plain"}\(fields)], "content": {"text": "\(body)"}}\(more)}
        """
    }

    private static func json(_ text: String) -> String {
        let escaped = text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"")
        return #", "postData": {"mimeType": "application/json", "text": "\#(escaped)"}"#
    }

    private static let type = "Content-Type: application/json\r\n"

    @Test(arguments: ClientKind.allCases)
    func `equal requests get the recorded responses in turn, and then the last one`(client: ClientKind) async throws {
        let harness = try await Self.start([
            Self.entry("/x", "one"), Self.entry("/y", "other", status: 201), Self.entry("/x", "failed", status: 0),
            Self.entry("/x", "two", fields: #", {"name": "X-A", "value": "1"}"#),
        ])
        let port = harness.port
        let seen = try await blocking { try ["/x", "/x", "/x", "/y", "/y"].map { try client.ask(port, "GET", $0) } }
        await harness.stop()
        #expect(seen.map(\.body) == ["one", "two", "two", "other", "other"])
        #expect(seen.map { $0.status.suffix(3) } == ["200", "200", "200", "201", "201"])
        #expect(seen.map { $0["x-a"] } == [nil, "1", "1", nil, nil])
        #expect(seen[1]["shunt-answered-by"] == #"only; route="*"; recording=shop; entry=3"#)
        #expect(harness.log.exchanges.map(\.responder) == Array(repeating: "recording", count: 5))
    }

    @Test func `the body tells requests apart`() async throws {
        let harness = try await Self.start(
            [
                Self.entry("/g", "a", method: "POST", post: Self.json(#"{"q": "a", "id": 1}"#)),
                Self.entry("/g", "b", method: "POST", post: Self.json(#"{"q": "b", "id": 2}"#)),
            ], #", "ignore": {"json": ["id"]}"#)
        let port = harness.port
        let bodies = [#"{"id": 9, "q": "b"}"#, #"{"id": 9, "q": "a"}"#, #"{"q": "c"}"#]
        let seen = try await blocking {
            try bodies.map { try ClientKind.h1.ask(port, "POST", "/g", fields: Self.type, body: $0) }
        }
        await harness.stop()
        #expect(seen.map { $0.status.suffix(3) } == ["200", "200", "404"])
        #expect(seen.prefix(2).map(\.body) == ["b", "a"])
        #expect(seen[2].body.contains("q in the body is “c”, not “a”"))
    }

    @Test func `a request that was not recorded names the nearest entry`() async throws {
        let harness = try await Self.start([Self.entry("/cart?page=2", "x")], #", "after": "error""#)
        let port = harness.port
        let seen = try await blocking { try ClientKind.h1.ask(port, "GET", "/cart?page=3") }
        await harness.stop()
        #expect(seen.status.hasSuffix(" 404"))
        #expect(
            seen.body.contains(
                "the recording shop has no response to this request; the nearest is entry 1, GET http://a/cart?page=2: "
                    + "the query parameter page is “3”, not “2”"))
    }

    @Test func `a part of a text that is not recorded gives way to the whole, or to the origin, or is a miss`()
        async throws
    {
        func part(_ target: String, _ text: String, _ range: String) -> String {
            Self.entry(
                target, text, status: 206, post: #", "headers": [{"name": "Range", "value": "\#(range)"}]"#,
                more: #", "_redacted": true"#)
        }
        let mark = "<redacted:part:0123456789>"
        let entries = [
            part("/part", mark, "bytes=5-9"), part("/part", "first", "bytes=0-4"), Self.entry("/whole", "all of it"),
            part("/whole", mark, "bytes=5-9"),
        ]
        let origin = try await Self.start([Self.entry("/part", "live")])
        let alone = try await Self.start(entries)
        let live = try await Self.start(
            entries, #", "miss": "origin", "origin": "http://127.0.0.1:\#(origin.port)", "preserveHost": true"#)
        let (ports, range) = ([alone.port, live.port], "Range: bytes=5-9\r\n")
        let seen = try await blocking { () throws in
            try ports.map { port in
                try ["/whole", "/part"].map { try ClientKind.h1.ask(port, "GET", $0, fields: range) }
                    + [try ClientKind.h1.ask(port, "GET", "/part", fields: "Range: bytes=0-4\r\n")]
            }
        }
        for harness in [alone, live, origin] { await harness.stop() }
        #expect(
            seen.map { $0.map { String($0.status.suffix(3)) } } == [["200", "404", "206"], ["200", "200", "206"]])
        #expect(seen[1].map(\.body) == ["all of it", "live", "first"])
        #expect(seen[0][1].body.contains("only entry 1, without its body"))
    }

    @Test func `of a whole response whose origin sends parts, a request gets its part`() async throws {
        let ranged = #", {"name": "Accept-Ranges", "value": "bytes"}, {"name": "ETag", "value": "\"1\""}"#
        let harness = try await Self.start(
            [Self.entry("/a", "0123456789", fields: ranged), Self.entry("/b", "0123456789")], #", "cache": "as-is""#)
        let port = harness.port
        let asked = [
            ("/a", "bytes=2-4"), ("/a", "bytes=-3"), ("/a", "bytes=8-99"), ("/a", "bytes=20-"), ("/a", "bytes=0-1,4-5"),
            ("/a", "bytes=2-4\r\nIf-Range: \"1\""), ("/a", "bytes=2-4\r\nIf-Range: \"2\""), ("/b", "bytes=2-4"),
        ]
        let seen = try await blocking {
            try asked.map { try ClientKind.h1.ask(port, "GET", $0.0, fields: "Range: \($0.1)\r\n") }
        }
        await harness.stop()
        let whole = "200 0123456789"
        #expect(
            seen.map { $0.status.suffix(3) + " " + $0.body } == [
                "206 234", "206 789", "206 89", whole, whole, "206 234", whole, whole,
            ])
        #expect(seen[0]["content-range"] == "bytes 2-4/10" && seen[0]["content-length"] == "3")
    }

    @Test func `the number of responses can be the limit, until the mocks are reset`() async throws {
        let harness = try await Self.start(
            [Self.entry("/x", "one"), Self.entry("/x", "two")], #", "after": "error""#)
        let port = harness.port
        let seen = try await blocking { try (0..<3).map { _ in try ClientKind.h1.ask(port, "GET", "/x") } }
        let profile = try #require(harness.proxy.profiles?.library["only"])
        try harness.proxy.change(.reset, nil, of: profile)
        let again = try await blocking { try ClientKind.h1.ask(port, "GET", "/x") }
        await harness.stop()
        #expect(seen.map { $0.status.suffix(3) } == ["200", "200", "404"])
        #expect(seen[2].body.contains("has 2 responses to this request, which came 3 times"))
        #expect(again.body == "one")
    }

    @Test func `the origin responds to what was not recorded`() async throws {
        let origin = try await Self.start([Self.entry("/new", "live", method: "POST", post: Self.json("[1]"))])
        let harness = try await Self.start(
            [Self.entry("/old", "kept")],
            #", "miss": "origin", "origin": "http://127.0.0.1:\#(origin.port)""#
                + #", "preserveHost": true"#)
        let port = harness.port
        let (old, new) = try await blocking {
            (
                try ClientKind.h1.ask(port, "GET", "/old"),
                try ClientKind.h1.ask(port, "POST", "/new", fields: Self.type, body: "[1]")
            )
        }
        await harness.stop()
        await origin.stop()
        #expect(old.body == "kept" && new.body == "live", "\(new)")
        #expect(harness.log.exchanges.map(\.responder) == ["recording", "origin"])
    }

    @Test func `a secret that was replaced fits any secret in its place`() async throws {
        let mark = "<redacted:password:0123456789>"
        let harness = try await Self.start([
            Self.entry(
                "/login", "in", method: "POST", post: Self.json(#"{"password": "\#(mark)"}"#),
                more: #", "_redacted": true"#),
            Self.entry("/x?token=%3Credacted:token:0123456789%3E&a=1", "x", more: #", "_redacted": true"#),
        ])
        let port = harness.port
        let seen = try await blocking {
            try [#"{"password": "one"}"#, #"{"password": "two"}"#, #"{"passwort2": 1}"#].map {
                try ClientKind.h1.ask(port, "POST", "/login", fields: Self.type, body: $0)
            }
                + ["/x?token=abc&a=1", "/x?token=def&a=1", "/x?a=1", "/x?token=abc&a=2"].map {
                    try ClientKind.h1.ask(port, "GET", $0)
                }
        }
        await harness.stop()
        #expect(seen.map { $0.status.suffix(3) } == ["200", "200", "404", "200", "200", "404", "404"])
    }
}
