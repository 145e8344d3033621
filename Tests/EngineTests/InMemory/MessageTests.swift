import Engine
import Exchanges
import Profiles
import Testing

/// Messages of WebSockets and events of streams, which routes edit and breakpoints hold.
@Suite struct MessageTests {
    private static let handshake =
        "GET /s HTTP/1.1\r\nHost: shop.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
    private static let switching =
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

    private static func profile(_ messages: String) -> String {
        #"{"kind": "local", "routes": [{"origin": "http://origin.test"\#(messages.isEmpty ? "" : #", "messages": [\#(messages)]"#)}]}"#
    }

    /// A client and an origin with an open WebSocket between them.
    private static func open(
        _ worker: isolated MemoryWorker
    ) async throws -> (client: MemoryChannel, origin: MemoryChannel, request: String) {
        let client = await worker.connect(handshake)
        let origin = try worker.origins.channel(0)
        let request = origin.text
        origin.receive(switching)
        await worker.settle()
        #expect(client.text.hasPrefix("HTTP/1.1 101 "))
        return (client, origin, request)
    }

    private static func text(_ text: String, from sender: MessageFacts.Sender) -> [UInt8] {
        WebSocketFrame.bytes(.text, Array(text.utf8), key: sender == .client ? 0x1234_5678 : nil)
    }

    /// The messages in what a peer has got, with their kinds where these are not text.
    private static func words(_ bytes: [UInt8], from sender: MessageFacts.Sender) -> [String] {
        var words: [String] = []
        let reader = WebSocketReader(from: sender, deflate: nil, limit: 4 << 20)
        bytes.withUnsafeBytes { bytes in
            reader.read(bytes, at: 0) { facts, content in
                let text = facts.length > 100 ? "\(facts.length) bytes" : String(decoding: content, as: UTF8.self)
                words.append(facts.kind == .text ? text : "\(facts.kind.name) \(text)")
            }
        }
        return words
    }

    // MARK: Rules

    struct Rule: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let rules: String
        var sender = MessageFacts.Sender.origin
        let came: [[UInt8]]
        let went: [String]
    }

    /// A text in two fragments with a ping between them.
    private static let fragments: [UInt8] = [0x01, 3] + "sta".utf8 + [0x89, 1] + "p".utf8 + [0x80, 4] + "ging".utf8

    @Test(arguments: [
        Rule(
            testDescription: "a text", rules: #"{"text": {"staging": "local"}}"#,
            came: [text("at staging, staging", from: .origin)], went: ["at local, local"]),
        Rule(
            testDescription: "a text of the client", rules: #"{"from": "client", "regex": {"v[0-9]+": "v9"}}"#,
            sender: .client, came: [text("v12", from: .client)], went: ["v9"]),
        Rule(
            testDescription: "only those of the client", rules: #"{"from": "client", "text": {"a": "b"}}"#,
            came: [text("a", from: .origin)], went: ["a"]),
        Rule(
            testDescription: "JSON that meets a condition",
            rules: #"{"receive": {"json": {"type": "price"}}, "json": {"set": {"$.value": 1}}}"#,
            came: [
                text(#"{"type":"price","value":7}"#, from: .origin), text(#"{"type":"name","value":7}"#, from: .origin),
                text("no JSON", from: .origin),
            ], went: [#"{"type":"price","value":1}"#, #"{"type":"name","value":7}"#, "no JSON"]),
        Rule(
            testDescription: "a condition on the text, and two rules in their order",
            rules: #"{"receive": {"text": {"regex": "^say "}}, "text": {"one": "two"}}, {"text": {"two": "three"}}"#,
            came: [text("say one", from: .origin), text("one", from: .origin)], went: ["say three", "one"]),
        Rule(
            testDescription: "fragments are joined, and a ping passes", rules: #"{"text": {"staging": "local"}}"#,
            came: [fragments], went: ["ping p", "local"]),
        Rule(
            testDescription: "bytes stay", rules: #"{"text": {"a": "b"}}"#,
            came: [WebSocketFrame.bytes(.binary, Array("a".utf8))], went: ["binary a"]),
        Rule(
            testDescription: "a character stays whole", rules: #"{"text": {"x": "é"}}"#,
            came: [text("axa", from: .origin)], went: ["aéa"]),
        Rule(
            testDescription: "a close comes behind the last", rules: #"{"text": {"a": "b"}}"#,
            came: [text("a", from: .origin) + WebSocketFrame.bytes(.close, WebSocketFrame.closing(1000, ""))],
            went: ["b", "close \u{3}\u{FFFD}"]),
    ])
    func `messages are edited by rules, whatever pieces they come in`(rule: Rule) async throws {
        for pieceSize in [Int.max, 1] {
            try await MemoryWorker.run(profile: Self.profile(rule.rules)) { worker in
                let (client, origin, request) = try await Self.open(worker)
                #expect(!request.contains("permessage-deflate"))
                let (from, to) = rule.sender == .client ? (client, origin) : (origin, client)
                from.pieceSize = pieceSize
                from.receive(rule.came.joined())
                await worker.settle()
                await worker.settle()
                let sent = to.takeSent()
                #expect(Self.words(sent, from: rule.sender) == rule.went)
                // What no rule changes goes on byte by byte.
                let came = Array(rule.came.joined())
                if Self.words(came, from: rule.sender) == rule.went { #expect(sent == came) }
                #expect(worker.state.held.count == 0)
            }
        }
    }

    @Test func `a message of more than 1 MiB passes as it comes, and is noted`() async throws {
        try await MemoryWorker.run(profile: Self.profile(#"{"text": {"x": "y"}}"#)) { worker in
            let (client, origin, _) = try await Self.open(worker)
            let long = [UInt8](repeating: 0x78, count: (1 << 20) + 1)
            let bytes = WebSocketFrame.bytes(.text, long) + Self.text("x", from: .origin)
            origin.receive(bytes)
            var sent: [UInt8] = []
            for _ in 0..<100 where sent.count < bytes.count {
                await worker.settle()
                sent += client.takeSent()
            }
            #expect(Self.words(sent, from: .origin) == ["\(long.count) bytes", "y"])
            client.receiveEnd()
            origin.receiveEnd()
            await worker.settle()
            let changes = worker.log.exchanges.last?.rewritten ?? []
            #expect(changes.contains("messages of the origin") && changes.contains { $0.contains("more than 1 MiB") })
        }
    }

    @Test(arguments: [
        ("data: a staging\n\n", "data: a local\n\n"),
        (
            ": hi\nid: 7\nevent: staging\ndata: staging\ndata: b\nretry: 3\n\n",
            ": hi\nid: 7\nevent: staging\ndata: local\ndata: b\nretry: 3\n\n"
        ),
        ("data: x\r\n\r\ndata: staging\r\n\r\n", "data: x\r\n\r\ndata: local\n\n"),
        (": only a comment\n\nid: 1\n\n", ": only a comment\n\nid: 1\n\n"),
        ("data: staging\n\ndata: staging", "data: local\n\ndata: staging"),
    ])
    func `events are edited, and their other fields stay`(came: String, went: String) async throws {
        for pieceSize in [Int.max, 1] {
            try await MemoryWorker.run(profile: Self.profile(#"{"text": {"staging": "local"}}"#)) { worker in
                let client = await worker.connect("GET /s HTTP/1.0\r\nHost: a\r\n\r\n")
                let origin = try worker.origins.channel(0)
                origin.pieceSize = pieceSize
                origin.receive("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n\(came)")
                origin.receiveEnd()
                for _ in 0..<8 { await worker.settle() }
                // The line feed of a CRLF that comes apart goes on behind the event.
                #expect(client.text.replacing("\n\n\n", with: "\n\n").hasSuffix("\r\n\r\n\(went)"))
                #expect(!client.isOpen)
            }
        }
    }

    @Test func `events of a mock, and other responses of the route`() async throws {
        let mock = """
            {"kind": "local", "routes": [
                {"path": "/s", "mock": {"events": {"script": [{"data": {"n": 1}}]}}, "messages": [{"json": {"set": {"$.n": 2}}}]},
                {"path": "/w", "mock": {"webSocket": {"script": [{"text": "n1"}]}}, "messages": [{"text": {"n1": "n2"}}]},
                {"path": "/p", "mock": {"text": "n1"}, "messages": [{"text": {"n1": "n2"}}]}]}
            """
        try await MemoryWorker.run(profile: mock) { worker in
            let events = await worker.connect("GET /s HTTP/1.0\r\nHost: a\r\n\r\n")
            #expect(events.text.hasSuffix("\r\n\r\ndata: {\"n\":2}\n\n"))
            let socket = await worker.connect(Self.handshake.replacing("/s", with: "/w"))
            #expect(socket.text.hasSuffix("\r\n\r\n\u{FFFD}\u{2}n2"))
            let plain = await worker.connect("GET /p HTTP/1.0\r\nHost: a\r\n\r\n")
            #expect(plain.text.hasSuffix("\r\n\r\nn1"))
        }
    }

    // MARK: Breakpoints

    private static func held(_ worker: isolated MemoryWorker, _ number: Int = 0) throws -> HeldExchange {
        let all = worker.state.breakpoints?.held ?? []
        return try #require(number < all.count ? all[number] : nil, "nothing is held")
    }

    private static func edit(_ fill: (inout HoldEdit) -> Void) -> HoldEdit {
        var edit = HoldEdit()
        fill(&edit)
        return edit
    }

    /// What becomes of a held message; what its receiver gets; what its sender gets.
    struct Decision: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var sender = MessageFacts.Sender.origin
        let decide: @Sendable (HeldExchange) throws -> Void
        let went: [String]
        var back: [String] = []
    }

    @Test(arguments: [
        Decision(testDescription: "as it is", decide: { try $0.goOn() }, went: ["one"]),
        Decision(testDescription: "edited", decide: { try $0.goOn(edit { $0.body = "other" }) }, went: ["other"]),
        Decision(
            testDescription: "edited by the client", sender: .client,
            decide: { try $0.goOn(edit { $0.body = "other" }) },
            went: ["other"]),
        Decision(
            testDescription: "edited to bytes", decide: { try $0.goOn(edit { $0.binary = [0xFF, 1] }) },
            went: ["binary \u{FFFD}\u{1}"]),
        Decision(testDescription: "dropped", decide: { try $0.drop() }, went: []),
        Decision(
            testDescription: "responded to", decide: { try $0.respond(edit { $0.body = "back" }) }, went: [],
            back: ["back"]),
        Decision(
            testDescription: "responded to the client", sender: .client,
            decide: { try $0.respond(edit { $0.body = "back" }) }, went: [], back: ["back"]),
    ])
    func `a held message holds later ones, and goes on as decided`(decision: Decision) async throws {
        try await MemoryWorker.run(profile: Self.profile("")) { worker in
            try worker.state.breakpoints?.add("~b one", .message)
            let (client, origin, request) = try await Self.open(worker)
            #expect(!request.contains("permessage-deflate"))
            let (from, to) = decision.sender == .client ? (client, origin) : (origin, client)
            let other: MessageFacts.Sender = decision.sender == .client ? .origin : .client
            let key: UInt32? = decision.sender == .client ? 5 : nil
            from.receive(Self.text("one", from: decision.sender) + Self.text("two", from: decision.sender))
            from.receive(WebSocketFrame.bytes(.ping, Array("p".utf8), key: key))
            await worker.settle()
            let held = try Self.held(worker)
            #expect(held.view.body == "one" && held.facts?.sender == decision.sender && held.phase == .message)
            // A ping passes, and the other direction goes on.
            #expect(Self.words(to.takeSent(), from: decision.sender) == ["ping p"])
            to.receive(Self.text("three", from: other))
            await worker.settle()
            #expect(Self.words(from.takeSent(), from: other) == ["three"])
            try decision.decide(held)
            await worker.settle()
            #expect(Self.words(to.takeSent(), from: decision.sender) == decision.went + ["two"])
            #expect(Self.words(from.takeSent(), from: other) == decision.back)
            #expect(worker.state.breakpoints?.held.isEmpty == true)
        }
    }

    @Test func `a message goes on when its time is over, or its breakpoint is removed`() async throws {
        try await MemoryWorker.run(profile: Self.profile("")) { worker in
            let breakpoint = try worker.state.breakpoints?.add("~bs x", .message, seconds: 5)
            let (client, origin, _) = try await Self.open(worker)
            origin.receive(Self.text("x1", from: .origin) + Self.text("x2", from: .origin))
            await worker.settle()
            #expect(client.takeSent().isEmpty)
            await worker.advance(by: 5.1)
            #expect(Self.words(client.takeSent(), from: .origin) == ["x1"])
            try worker.state.breakpoints?.remove(breakpoint?.id)
            await worker.settle()
            #expect(Self.words(client.takeSent(), from: .origin) == ["x2"])
            origin.receive(Self.text("x3", from: .origin))
            await worker.settle()
            #expect(Self.words(client.takeSent(), from: .origin) == ["x3"])
        }
    }

    @Test func `a held event outlasts its stream and the time limits, and ends with its client`() async throws {
        var limits = Limits()
        limits.bodyTime = Limits.second
        try await MemoryWorker.run(limits, profile: Self.profile("")) { worker in
            try worker.state.breakpoints?.add("~u /s", .message)
            for leaves in [false, true] {
                let client = await worker.connect("GET /s HTTP/1.0\r\nHost: a\r\n\r\n")
                let origin = try worker.origins.channel(leaves ? 1 : 0)
                origin.receive("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nid: 1\ndata: one\n\n")
                origin.receiveEnd()
                await worker.advance(by: 20)
                #expect(client.text.hasSuffix("\r\n\r\n"))
                let held = try Self.held(worker)
                if leaves {
                    client.receiveReset()
                    await worker.settle()
                } else {
                    #expect(throws: HoldFailure.self) { try held.respond(Self.edit { $0.body = "x" }) }
                    try held.goOn(Self.edit { $0.body = "a\nb" })
                    await worker.settle()
                    #expect(client.text == "id: 1\ndata: a\ndata: b\n\n")
                }
                #expect(!client.isOpen && worker.state.breakpoints?.held.isEmpty == true)
            }
        }
    }

    @Test func `what cannot be sent is refused, and the message stays held`() async throws {
        try await MemoryWorker.run(profile: Self.profile("")) { worker in
            try worker.state.breakpoints?.add("~all", .message)
            let (client, origin, _) = try await Self.open(worker)
            origin.receive(Self.text(#"{"password": "secret-4711"}"#, from: .origin))
            await worker.settle()
            let held = try Self.held(worker)
            let shown = try #require(held.view.body)
            #expect(shown.contains("<redacted:password:") && !shown.contains("4711"))
            #expect(throws: HoldFailure.self) { try held.goOn(Self.edit { $0.status = 200 }) }
            #expect(throws: HoldFailure.self) { try held.goOn(Self.edit { $0.fields = [("a", "b")] }) }
            #expect(throws: HoldFailure.self) { try held.goOn(Self.edit { ($0.body, $0.binary) = ("a", [0]) }) }
            #expect(throws: HoldFailure.self) {
                try held.goOn(Self.edit { $0.body = String(repeating: "x", count: (1 << 20) + 1) })
            }
            #expect(client.takeSent().isEmpty)
            try held.goOn(Self.edit { $0.body = shown.replacing("password\": ", with: "password\":  ") })
            await worker.settle()
            #expect(Self.words(client.takeSent(), from: .origin) == [#"{"password":  "secret-4711"}"#])
            #expect(throws: HoldFailure.self) { try worker.state.breakpoints?.add("~id 1", .message) }
            #expect(throws: HoldFailure.self) { try worker.state.breakpoints?.add("~b x", .response) }
        }
    }

    @Test func `a response that no breakpoint can hold is not taken in`() async throws {
        try await MemoryWorker.run(profile: Self.profile("")) { worker in
            try worker.state.breakpoints?.add("~d other.test & ~c 500", .response)
            try worker.state.breakpoints?.add("!~u /s | ~m POST", .response)
            let client = await worker.connect("GET /s HTTP/1.1\r\nHost: a\r\n\r\n")
            let origin = try worker.origins.channel(0)
            origin.receive("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")
            await worker.settle()
            // Otherwise the first bytes would wait for the last ones.
            #expect(client.text.hasSuffix("\r\n\r\nhe"))
            origin.receive("llo")
            await worker.settle()
            #expect(client.text == "llo")
        }
    }
}
