import Engine
import Exchanges
import Profiles
import Reactor
import TestSupport
import Testing

/// A recording responds as the origin that was recorded: conditions, HEAD, addresses, cookies, trailers.
@Suite struct RecordedOriginTests {
    private static func start(
        _ entries: [String], _ more: String = "", time: VirtualClock? = nil, stalls: Kept<[String]>? = nil
    ) async throws -> Harness {
        let folder = try TemporaryFolder()
        try folder.write("Recordings/shop.har", #"{"log": {"entries": [\#(entries.joined(separator: ","))]}}"#)
        try folder.write("Profiles/only.json", #"{"kind": "local", "routes": [{"recording": "shop"\#(more)}]}"#)
        let log = Harness.Log()
        var configuration = Proxy.Configuration(addresses: [.loopback(.ipv4, port: 0)], observer: log)
        configuration.workers = 1
        if let time { configuration.loopClock = { time.now } }
        if let stalls {
            configuration.didStall = { exchange in stalls.change { $0.append(exchange.failure?.message ?? "") } }
        }
        let library = try ProfileLibrary.load(directory: folder.path + "/Profiles")
        return Harness(proxy: try await Proxy.start(configuration, profiles: library, active: "only"), log: log)
    }

    private static func entry(
        _ url: String, _ body: String, method: String = "GET", status: Int = 200, asked: [(String, String)] = [],
        fields: [(String, String)] = [], more: String = ""
    ) -> String {
        func list(_ fields: [(String, String)]) -> String {
            fields.map { #"{"name": "\#($0.0)", "value": "\#($0.1)"}"# }.joined(separator: ",")
        }
        return """
            {"request": {"method": "\(method)", "url": "\(url)", "headers": [\(list(asked))]},
            "response": {"status": \(status), "headers": [\(list(fields))], "content": {"text": "\(body)"}}\(more)}
            """
    }

    private static let tag = ("ETag", #"\"v1\""#)
    private static let dated = ("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")
    private static let asking = [("If-None-Match", #"\"v1\""#)]

    @Test(arguments: ClientKind.allCases)
    func `a 304 responds only to a client that has what it stands for`(client: ClientKind) async throws {
        let whole = Self.entry("http://a/x", "whole", fields: [Self.tag])
        let bare = Self.entry("http://a/x", "", status: 304, asked: Self.asking, fields: [Self.tag])
        for entries in [[whole, bare], [bare, whole], [whole, bare, bare]] {
            let harness = try await Self.start(entries)
            let port = harness.port
            let seen = try await blocking {
                var seen = try (0..<3).map { _ in try client.ask(port, "GET", "/x") }
                let tag = try #require(seen[0]["etag"])
                seen.append(try client.ask(port, "GET", "/x", fields: "If-None-Match: \(tag)\r\n"))
                seen.append(try client.ask(port, "HEAD", "/x", fields: "If-None-Match: \(tag)\r\n"))
                seen.append(try client.ask(port, "GET", "/x", fields: "If-None-Match: \"other\"\r\n"))
                return seen
            }
            await harness.stop()
            #expect(seen.map { $0.status.suffix(3) } == ["200", "200", "200", "304", "304", "200"])
            #expect(seen.map(\.body) == ["whole", "whole", "whole", "", "", "whole"])
        }
    }

    @Test func `conditions are those of the recorded validators, a date among them`() async throws {
        let harness = try await Self.start(
            [
                Self.entry("http://a/date", "dated", fields: [Self.dated]),
                Self.entry("http://a/weak", "weak", fields: [("ETag", #"W/\"v1\""#)]),
                Self.entry("http://a/none", "none"),
                Self.entry("http://a/bare", "", status: 304, asked: Self.asking),
            ], #", "cache": "as-is""#)
        let port = harness.port
        let rows = [
            ("/date", "If-Modified-Since: Wed, 01 Jan 2020 00:00:00 GMT", "304"),
            ("/date", "If-Modified-Since: Tue, 31 Dec 2019 00:00:00 GMT", "200"),
            ("/weak", #"If-None-Match: W/"v1""#, "304"), ("/weak", #"If-None-Match: "v2""#, "200"),
            ("/none", #"If-None-Match: "v1""#, "200"), ("/bare", #"If-None-Match: "v1""#, "304"),
            ("/bare", #"If-None-Match: "v2""#, "404"), ("/bare", "X: y", "404"),
        ]
        let seen = try await blocking {
            try rows.map { try ClientKind.h1.ask(port, "GET", $0.0, fields: "\($0.1)\r\n") }
        }
        await harness.stop()
        #expect(seen.map { String($0.status.suffix(3)) } == rows.map(\.2))
        #expect(
            seen[7].body.contains("only entry 4: 304 Not Modified, and the body that it stands for was not recorded"))
    }

    @Test(arguments: ClientKind.allCases)
    func `a HEAD and a GET have one response`(client: ClientKind) async throws {
        let harness = try await Self.start([
            Self.entry("http://a/page", "hello"),
            Self.entry("http://a/head", "", method: "HEAD", fields: [("Content-Length", "1234"), ("X-A", "1")]),
            Self.entry(
                "http://a/moved", "", method: "HEAD", status: 302,
                fields: [("Location", "/page"), ("Content-Length", "154")]),
        ])
        let port = harness.port
        let seen = try await blocking {
            try [("HEAD", "/page"), ("HEAD", "/head"), ("GET", "/head"), ("GET", "/moved"), ("POST", "/page")].map {
                try client.ask(port, $0.0, $0.1)
            }
        }
        await harness.stop()
        #expect(seen.map { $0.status.suffix(3) } == ["200", "200", "404", "302", "404"])
        #expect(seen[0]["content-length"] == "5" && seen[0].body == "")
        #expect(seen[1]["content-length"] == "1234" && seen[1]["x-a"] == "1")
        #expect(seen[2].body.contains("the response to a HEAD, without the body that a GET gets"), "\(seen[2])")
        #expect(seen[3]["location"] == "/page" && seen[3].body == "")
    }

    @Test func `addresses and cookies are those of the client, as behind an origin`() async throws {
        let fields = [
            ("Location", "https://shop.test:8443/next?a=1"), ("Set-Cookie", "s=1; Domain=shop.test; Path=/; Secure"),
            ("Set-Cookie", #"t=2; Path=/\nu=3; Path=/"#), ("Strict-Transport-Security", "max-age=1"),
            ("X-Two", "1"), ("X-Two", "2"),
        ]
        let url = "https://shop.test:8443/x"
        for (more, isRewritten) in [("", true), (#", "rewrite": false"#, false)] {
            let harness = try await Self.start(
                [Self.entry(url, "see https://shop.test:8443/y", status: 302, fields: fields)],
                #", "ignore": {"host": true}"# + more)
            let port = harness.port
            let seen = try await blocking { try ClientKind.h1.ask(port, "GET", "/x") }
            await harness.stop()
            #expect(seen["location"] == (isRewritten ? "http://a/next?a=1" : "https://shop.test:8443/next?a=1"))
            let cookies = seen.fields.filter { $0.lowercased().hasPrefix("set-cookie:") }
            #expect(cookies.count == 3, "\(cookies)")
            #expect(cookies[0].contains("Secure") != isRewritten, "\(cookies)")
            #expect(seen["strict-transport-security"] == nil)
            #expect(seen.fields.filter { $0.lowercased().hasPrefix("x-two:") }.count == 2)
            #expect(seen.body == "see https://shop.test:8443/y")
        }
        let harness = try await Self.start(
            [Self.entry(url, "see https://shop.test:8443/y", fields: [("Content-Type", "text/html")])],
            #", "ignore": {"host": true}, "rewrite": {"bodies": true}"#)
        let port = harness.port
        let seen = try await blocking { try ClientKind.h1.ask(port, "GET", "/x") }
        await harness.stop()
        #expect(seen.body == "see http://a/y")
    }

    @Test(arguments: ClientKind.allCases)
    func `trailers are sent behind the body, so that calls of gRPC have their status`(client: ClientKind) async throws {
        let trailers = """
            , "_responseTrailers": [{"name": "grpc-status", "value": "5"}, {"name": "grpc-message", "value": "no"}]
            """
        let type = [("Content-Type", "application/grpc")]
        for (body, more) in [("abc", ""), ("", ""), ("abc", #", "timing": "recorded""#)] {
            let harness = try await Self.start(
                [Self.entry("http://a/s.S/M", body, method: "POST", fields: type, more: trailers)], more)
            let port = harness.port
            let seen = try await blocking {
                try client.ask(port, "POST", "/s.S/M", fields: "TE: trailers\r\n", body: "")
            }
            await harness.stop()
            #expect(seen.status.hasSuffix(" 200") && seen.body == body, "\(seen)")
            #expect(seen.trailers.replacing(" ", with: "") == "grpc-status:5|grpc-message:no", "\(seen)")
        }
    }

    @Test func `a body that is sent to a recording is read, and a long head is replayed`() async throws {
        let long = String(repeating: "x", count: 40 << 10)
        let harness = try await Self.start(
            [Self.entry("http://a/up", "taken", method: "POST", fields: [("X-Long", long)])],
            #", "ignore": {"body": true}"#)
        let port = harness.port
        let body = String(repeating: "y", count: 3 << 20)
        let seen = try await blocking { try ClientKind.h1.ask(port, "POST", "/up", body: body) }
        await harness.stop()
        #expect(seen.status.hasSuffix(" 200") && seen.body == "taken")
        #expect(seen["x-long"]?.count == long.count)
        #expect(harness.log.exchanges.map(\.responder) == ["recording"])
        #expect(harness.log.exchanges.map(\.bytes.request) == [UInt64(body.utf8.count)])
    }

    @Test(.timeLimit(.minutes(1))) func `a WebSocket says in the log what it waits for`() async throws {
        let stalls = Kept<[String]>([])
        let time = VirtualClock()
        let chat = """
            {"request": {"method": "GET", "url": "wss://a/chat"}, "response": {"status": 101, "headers": [], "content": {}},
            "_webSocketMessages": [{"type": "send", "time": 1, "opcode": 1, "data": "a"},
            {"type": "receive", "time": 2, "opcode": 1, "data": "b"}]}
            """
        let harness = try await Self.start([chat], time: time, stalls: stalls)
        let port = harness.port
        let client = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send(
                "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
            #expect(try client.readHead().hasPrefix("HTTP/1.1 101 "))
            return client
        }
        let proxy = harness.proxy
        let isTold = try await blocking {
            eventually {
                proxy.advance(time, by: 11)
                return !stalls.value.isEmpty
            }
        }
        #expect(isTold)
        #expect(
            stalls.value == [
                "the recorded WebSocket has waited 10 s for its client's message 1 of 1, as it was recorded"
            ])
        client.close()
        await harness.stop()
    }
}
