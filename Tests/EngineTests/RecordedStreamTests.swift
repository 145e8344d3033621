import Engine
import Profiles
import Reactor
import TestSupport
import Testing

/// Dates, times, events and WebSockets of recordings.
@Suite struct RecordedStreamTests {
    private static func start(_ entry: String, _ more: String = "") async throws -> Harness {
        let folder = try TemporaryFolder()
        try folder.write("Recordings/shop.har", #"{"log": {"entries": [\#(entry)]}}"#)
        try folder.write(
            "Profiles/only.json", #"{"kind": "local", "cache": "as-is", "routes": [{"recording": "shop"\#(more)}]}"#)
        let library = try ProfileLibrary.load(directory: folder.path + "/Profiles")
        let configuration = Proxy.Configuration(addresses: [.loopback(.ipv4, port: 0)])
        return Harness(
            proxy: try await Proxy.start(configuration, profiles: library, active: "only"), log: Harness.Log())
    }

    private static func entry(
        _ body: String, fields: [(String, String)] = [], type: String = "text/plain", more: String = ""
    ) -> String {
        let list = fields.map { #"{"name": "\#($0.0)", "value": "\#($0.1)"}"# }.joined(separator: ",")
        return """
            {"startedDateTime": "2020-01-01T00:00:00.000Z", "request": {"method": "GET", "url": "http://a/x"},
            "response": {"status": 200, "headers": [\(list)], "content": {"mimeType": "\(type)", "text": "\(body)"}}
            \(more)}
            """
    }

    private static let dated = [
        ("Date", "Wed, 01 Jan 2020 00:00:00 GMT"), ("Expires", "Wed, 01 Jan 2020 01:00:00 GMT"),
        ("Last-Modified", "Tue, 31 Dec 2019 00:00:00 GMT"),
        ("Set-Cookie", "a=1; Expires=Thu, 02 Jan 2020 00:00:00 GMT; Path=/"),
        ("X-Sent", "Wed, 01 Jan 2020 00:00:00 GMT"),
    ]

    @Test(arguments: ClientKind.allCases)
    func `dates stay, or move together to now`(client: ClientKind) async throws {
        for (more, isMoved) in [("", false), (#", "dates": "now""#, true)] {
            let harness = try await Self.start(Self.entry("x", fields: Self.dated), more)
            let port = harness.port
            let seen = try await blocking { try client.ask(port, "GET", "/x") }
            await harness.stop()
            #expect(seen["x-sent"] == Self.dated[4].1)
            #expect((seen["date"] == Self.dated[0].1) != isMoved)
            #expect((seen["expires"]?.contains("2020") == true) != isMoved)
            #expect((seen["last-modified"]?.contains("2019") == true) != isMoved)
            let cookie = try #require(seen["set-cookie"])
            #expect(cookie.contains("02 Jan 2020") != isMoved && cookie.hasSuffix("GMT; Path=/"), "\(cookie)")
        }
    }

    @Test func `a date of the exchange stands for the one that a response lacks`() async throws {
        let expires = ("Expires", "Wed, 01 Jan 2020 01:00:00 GMT")
        let harness = try await Self.start(Self.entry("x", fields: [expires]), #", "dates": "now""#)
        let port = harness.port
        let seen = try await blocking { try ClientKind.h1.ask(port, "GET", "/x") }
        await harness.stop()
        #expect(seen["expires"].map { !$0.contains("2020") } == true)
    }

    @Test(arguments: [
        ("Fri, 31 Dec 9999 23:59:59 GMT", "Fri, 01 Jan 0100 00:00:00 GMT"),
        ("Fri, 01 Jan 0100 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT"),
    ])
    func `dates that lie thousands of years apart move as far as a date goes`(date: String, other: String) async throws
    {
        let fields = [
            ("Date", date), ("Expires", other), ("Last-Modified", other), ("Set-Cookie", "a=1; Expires=\(other)"),
        ]
        let harness = try await Self.start(Self.entry("x", fields: fields), #", "dates": "now""#)
        let port = harness.port
        let seen = try await blocking { try ClientKind.h1.ask(port, "GET", "/x") }
        await harness.stop()
        #expect(seen.body == "x" && seen["expires"].map { $0.hasSuffix(" GMT") } == true, "\(seen)")
    }

    @Test func `times of messages may be any`() async throws {
        let times = Self.chat.replacing(#""time": 1,"#, with: #""time": -99999999999,"#)
            .replacing(#""time": 5,"#, with: #""time": 99999999999,"#)
        let harness = try await Self.start(times, #", "timing": "recorded""#)
        let port = harness.port
        try await blocking {
            let client = try RawConnection.connect(port)
            try client.send(Self.upgrade)
            #expect(try client.readHead().hasPrefix("HTTP/1.1 101 "))
            let hello = Self.frame(1, "hello")
            #expect(try client.readBytes(hello.count) == hello)
            for (opcode, text) in [(1, "a"), (2, "x")] as [(UInt8, String)] {
                try client.send(Self.frame(opcode, text, isMasked: true))
            }
            // What is to come after an hour holds up nothing else.
            #expect(try ClientKind.h1.ask(port, "GET", "/chat").body == "a page")
        }
        await harness.stop()
    }

    @Test(arguments: ["9223372036854775807", "1000", "99", "0", "-1"])
    func `an entry whose status is none responds to nothing`(status: String) async throws {
        let (odd, good) = (
            Self.entry("x").replacing("200", with: status), Self.entry("x").replacing("a/x", with: "a/y")
        )
        let harness = try await Self.start("\(odd), \(good)")
        let port = harness.port
        let seen = try await blocking { try ClientKind.h1.ask(port, "GET", "/x") }
        await harness.stop()
        #expect(["HTTP/1.1 404", "HTTP/1.1 500"].contains(seen.status), "\(seen)")
    }

    /// Milliseconds of each phase, and events with their times; the least time that all takes, in milliseconds.
    private static let timings: [(String, String, String, Int)] = [
        ("abc", "text/plain", #", "timings": {"send": 10, "wait": 50.5, "receive": 40}"#, 100),
        ("abc", "text/plain", #", "timings": {"send": -1, "wait": -1, "receive": -1}"#, 0),
        ("", "text/plain", #", "timings": {"send": 0, "wait": 30, "receive": 500}"#, 30),
        (
            "data: 1\\n\\ndata: 2\\n\\n", "text/event-stream",
            #"""
            , "timings": {"wait": 10}, "_eventSourceMessages": [
            {"type": "receive", "time": 1577836800.03, "data": "1"},
            {"type": "receive", "time": 1577836800.09, "data": "2"}]
            """#, 90
        ),
    ]

    @Test(arguments: timings) func `with recorded timing nothing comes sooner, and all comes`(
        body: String, type: String, more: String, least: Int
    ) async throws {
        let harness = try await Self.start(Self.entry(body, type: type, more: more), #", "timing": "recorded""#)
        let port = harness.port
        let begin = ContinuousClock.now
        let seen = try await blocking { try ClientKind.h1.ask(port, "GET", "/x") }
        let elapsed = ContinuousClock.now - begin
        await harness.stop()
        #expect(seen.body == body.split(separator: "\\n", omittingEmptySubsequences: false).joined(separator: "\n"))
        #expect(elapsed >= .milliseconds(least - 1))
    }

    /// A frame of a server, or with a mask one of a client.
    private static func frame(_ opcode: UInt8, _ text: String, isMasked: Bool = false) -> [UInt8] {
        let payload = Array(text.utf8)
        let head: [UInt8] = [0x80 | opcode, (isMasked ? 0x80 : 0) | UInt8(payload.count)]
        guard isMasked else { return head + payload }
        let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        return head + key + payload.enumerated().map { $1 ^ key[$0 & 3] }
    }

    private static let chat = """
        {"request": {"method": "GET", "url": "wss://a/chat"}, "response": {"status": 101, "headers": [
        {"name": "Sec-WebSocket-Protocol", "value": "v1"}], "content": {}}, "_webSocketMessages": [
        {"type": "receive", "time": 1, "opcode": 1, "data": "hello"},
        {"type": "send", "time": 2, "opcode": 1, "data": "a"}, {"type": "send", "time": 3, "opcode": 2, "data": "AQI="},
        {"type": "receive", "time": 4, "opcode": 9, "data": ""},
        {"type": "receive", "time": 5, "opcode": 2, "data": "/wA="},
        {"type": "receive", "time": 6, "opcode": 1, "data": "bye"}]},
        {"request": {"method": "GET", "url": "https://a/chat"},
        "response": {"status": 200, "headers": [], "content": {"text": "a page"}}}
        """
    private static let upgrade =
        "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

    @Test func `a WebSocket says its messages in order, each behind those of the client before it`() async throws {
        let harness = try await Self.start(Self.chat)
        let port = harness.port
        let head = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send(Self.upgrade)
            let head = try client.readHead()
            let hello = Self.frame(1, "hello")
            #expect(try client.readBytes(hello.count) == hello)
            // A ping between the messages is answered, and is none of those that are awaited.
            try client.send(Self.frame(1, "other", isMasked: true) + Self.frame(9, "p", isMasked: true))
            #expect(try client.readBytes(3) == Self.frame(10, "p"))
            try client.send(Self.frame(2, "x", isMasked: true))
            let rest: [UInt8] = [0x82, 2, 0xFF, 0] + Self.frame(1, "bye")
            #expect(try client.readBytes(rest.count) == rest)
            try client.send(Self.frame(8, "", isMasked: true))
            #expect(try client.readBytes(2) == Self.frame(8, ""))
            return head
        }
        let page = try await blocking { try ClientKind.h1.ask(port, "GET", "/chat") }
        await harness.stop()
        #expect(head.hasPrefix("HTTP/1.1 101 ") && head.contains("Sec-WebSocket-Protocol: v1\r\n"))
        #expect(head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
        #expect(page.body == "a page")
    }

    private static let events = entry(
        "data: 1\\n\\ndata: 2\\n\\n", type: "text/event-stream",
        more: #"""
            , "timings": {"wait": 1}, "_eventSourceMessages": [
            {"type": "receive", "time": 1577836800.002, "data": "1"},
            {"type": "receive", "time": 1577836800.003, "data": "2"}]
            """#)

    @Test(arguments: [("loop", 2), ("open", 1), ("close", 1), ("recorded", 1)])
    func `recorded events end, stay open or begin again`(end: String, rounds: Int) async throws {
        let harness = try await Self.start(Self.events, #", "timing": "recorded", "end": "\#(end)""#)
        let port = harness.port
        try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET /x HTTP/1.0\r\nHost: a\r\n\r\n")
            #expect(try client.readHead().contains("text/event-stream"))
            let wanted = String(repeating: "data: 1\n\ndata: 2\n\n", count: rounds)
            #expect(try client.read(count: wanted.utf8.count) == wanted)
            if end == "close" || end == "recorded" { #expect(try client.readToEnd() == "") }
            client.close()
        }
        await harness.stop()
    }

    @Test func `a recorded WebSocket begins again`() async throws {
        let chat = """
            {"request": {"method": "GET", "url": "wss://a/chat"}, "response": {"status": 101, "headers": [], "content": {}},
            "_webSocketMessages": [{"type": "receive", "time": 1, "opcode": 1, "data": "tick"},
            {"type": "receive", "time": 1.01, "opcode": 8, "data": "A+k="}]}
            """
        let harness = try await Self.start(chat, #", "end": "loop", "timing": "recorded""#)
        let port = harness.port
        try await blocking {
            let client = try RawConnection.connect(port)
            try client.send(Self.upgrade)
            _ = try client.readHead()
            for _ in 0..<2 { #expect(try client.readBytes(6) == Self.frame(1, "tick")) }
            client.close()
        }
        await harness.stop()
    }

    @Test(arguments: ["open", "close"])
    func `a recorded WebSocket is closed or stays open`(end: String) async throws {
        let closing = Self.chat.replacing(
            #""data": "bye"}"#, with: #""data": "bye"}, {"type": "receive", "time": 7, "opcode": 8, "data": "A+k="}"#)
        let harness = try await Self.start(
            closing, #", "end": "\#(end)""#)
        let port = harness.port
        try await blocking {
            let client = try RawConnection.connect(port)
            try client.send(Self.upgrade)
            _ = try client.readHead()
            let hello = Self.frame(1, "hello")
            #expect(try client.readBytes(hello.count) == hello)
            try client.send(Self.frame(1, "a", isMasked: true) + Self.frame(2, "b", isMasked: true))
            let rest: [UInt8] = [0x82, 2, 0xFF, 0] + Self.frame(1, "bye")
            #expect(try client.readBytes(rest.count) == rest)
            if end == "close" { #expect(try client.readBytes(2)[0] == 0x88) }
            if end == "open" { try client.send(Self.frame(9, "p", isMasked: true)) }
            if end == "open" { #expect(try client.readBytes(3) == Self.frame(10, "p")) }
            client.close()
        }
        await harness.stop()
    }
}
