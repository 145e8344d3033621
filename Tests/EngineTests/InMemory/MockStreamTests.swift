import Engine
import Exchanges
import HTTP2
import TestSupport
import Testing

/// Mocks that are streams, on a clock that the test moves.
@Suite struct MockStreamTests {
    private static func run(
        _ mock: String, _ more: String = "", _ body: @escaping @Sendable (isolated MemoryWorker) async throws -> Void
    ) async throws {
        let profile = #"{"kind": "local", "routes": [{"path": "/s", "mock": {\#(mock)}\#(more)}]}"#
        try await MemoryWorker.run(profile: profile, body)
    }

    private static func get(_ fields: String = "", version: String = "1.0") -> String {
        "GET /s?n=7 HTTP/\(version)\r\nHost: a\r\n\(fields)\r\n"
    }

    /// What follows the head of a response.
    private static func body(_ client: MemoryChannel) -> String {
        let text = client.text
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        return String(parts.last ?? "")
    }

    // MARK: Events

    @Test func `events come each in its time, with all their fields`() async throws {
        let mock = """
            "template": true, "events": {"script": [
            {"event": "tick\\nx", "id": 1, "retry": "3s", "data": {"n": "{{json query.n}}", "is": "{{counter}}"}},
            {"delay": "1s", "comment": "still here"}, {"delay": "2s", "data": "a\\nb {{query.n}}"}]}
            """
        try await Self.run(mock) { worker in
            let client = await worker.connect(Self.get())
            let first = client.text
            #expect(first.hasPrefix("HTTP/1.1 200 ") && first.lowercased().contains("content-type: text/event-stream"))
            #expect(first.contains("\r\nShunt-Answered-By: only; route=\"*/s\"; mock\r\n"))
            #expect(first.hasSuffix("\r\n\r\nevent: tick\nid: 1\nretry: 3000\ndata: {\"n\":7,\"is\":\"1\"}\n\n"))
            await worker.advance(by: 0.9)
            #expect(client.text == "")
            await worker.advance(by: 0.2)
            #expect(client.text == ": still here\n\n")
            await worker.advance(by: 2)
            #expect(client.text == "data: a\ndata: b 7\n\n")
            #expect(!client.isOpen)
        }
    }

    @Test func `one event for each token, as APIs of language models send them`() async throws {
        let mock = """
            "events": {"script": [
            {"tokens": "Hi, dear \\"you\\"", "delay": "20ms", "data": {"choices": [{"delta": {"content": "{{token}}"}}]}},
            {"data": "[DONE]"}]}
            """
        try await Self.run(mock) { worker in
            let client = await worker.connect(Self.get(version: "1.1"))
            await worker.advance(by: 0.03)
            #expect(client.text.hasSuffix(#"data: {"choices":[{"delta":{"content":"Hi,"}}]}"# + "\n\n\r\n"))
            await worker.advance(by: 0.03)
            #expect(client.text.contains(#"{"content":" dear"}"#))
            await worker.advance(by: 0.03)
            let rest = client.text
            #expect(rest.contains(#"{"content":" \"you\""}"#) && rest.hasSuffix("data: [DONE]\n\n\r\n0\r\n\r\n"))
            // The connection serves the next request.
            client.receive(Self.get())
            await worker.settle()
            #expect(client.text.hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test(arguments: [("2", "data: c\n\n"), ("3", ""), ("", "all"), ("9", "all")])
    func `a client that comes back goes on behind the last event that it has`(id: String, rest: String) async throws {
        let mock = """
            "events": {"script": [{"id": "1", "data": "a"}, {"id": 2, "data": "b"}, {"data": "c"}, {"id": "3"}]}
            """
        try await Self.run(mock) { worker in
            let client = await worker.connect(Self.get("Last-Event-ID: \(id)\r\n"))
            let all = "id: 1\ndata: a\n\nid: 2\ndata: b\n\ndata: c\n\nid: 3\n\n"
            #expect(Self.body(client) == (rest == "all" ? all : rest == "" ? "" : rest + "id: 3\n\n"))
        }
    }

    @Test func `a stream loops or stays open until its client leaves`() async throws {
        for (end, isLoop) in [("loop", true), ("open", false)] {
            try await Self.run(#""events": {"end": "\#(end)", "script": [{"delay": "1s", "data": "x"}]}"#) { worker in
                let client = await worker.connect(Self.get())
                for round in 0..<3 {
                    await worker.advance(by: 1.01)
                    #expect(Self.body(client) == (isLoop || round == 0 ? "data: x\n\n" : ""))
                }
                await worker.advance(by: 4000)
                _ = client.text
                #expect(client.isOpen)
                client.receiveReset()
                await worker.settle()
                #expect(!client.isOpen)
            }
        }
    }

    @Test func `a client that reads nothing holds a bounded part of a stream`() async throws {
        let data = String(repeating: "x", count: 60_000)
        try await Self.run(#""events": {"end": "loop", "script": [{"delay": "1s", "data": "\#(data)"}]}"#) { worker in
            let client = await worker.connect(Self.get(), window: 1000)
            for _ in 0..<40 { await worker.advance(by: 1) }
            client.widen(by: .max)
            await worker.settle()
            // What had waited, and not forty events.
            #expect((60_000..<900_000).contains(client.takeSent().count))
        }
    }

    @Test func `streams are mocks as others: in turn, counted, edited, without a body for HEAD`() async throws {
        let mock = """
            "responses": [{"status": 503}, {"events": {"script": [{"data": "price 1"}]}, "headers": {"X-A": "1"}}]
            """
        let more =
            #", "response": {"headers": {"set": {"X-B": "2"}}, "text": {"price": "cost"}}, "then": "done""#
        try await Self.run(mock, more) { worker in
            #expect(await worker.connect(Self.get()).text.hasPrefix("HTTP/1.1 503 "))
            let head = await worker.connect(Self.get().replacing("GET", with: "HEAD")).text
            #expect(head.hasPrefix("HTTP/1.1 200 ") && head.hasSuffix("\r\n\r\n"))
            let seen = await worker.connect(Self.get()).text
            #expect(seen.contains("\r\nX-A: 1\r\n") && seen.contains("\r\nX-B: 2\r\n"))
            #expect(seen.hasSuffix("data: cost 1\n\n"))
        }
    }

    // MARK: WebSockets

    private static let upgrade = get(
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Protocol: v1, v2\r\nSec-WebSocket-Extensions: permessage-deflate\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", version: "1.1")

    private static func frame(_ kind: MessageFacts.Kind, _ text: String) -> [UInt8] {
        WebSocketFrame.bytes(kind, Array(text.utf8), key: 0x1234_5678)
    }

    /// The frames in bytes, each as its kind and its text, a close with its code.
    private static func frames(_ bytes: [UInt8]) -> [String] {
        var seen: [String] = []
        let reader = WebSocketReader(from: .origin, deflate: nil, limit: 1 << 20)
        bytes.withUnsafeBytes { all in
            reader.read(all, at: 0) { facts, body in
                let text = String(decoding: body.dropFirst(facts.kind == .close ? 2 : 0), as: UTF8.self)
                let code = facts.kind == .close && body.count > 1 ? " \(Int(body[0]) << 8 | Int(body[1]))" : ""
                seen.append("\(facts.kind.name)\(code) \(facts.kind == .binary ? "\(Array(body))" : text)")
            }
        }
        return seen
    }

    /// Connects, and returns the handshake's head with what followed it.
    private static func open(
        _ worker: isolated MemoryWorker
    ) async -> (client: MemoryChannel, head: String, first: [String]) {
        let client = await worker.connect(upgrade)
        let bytes = client.takeSent()
        let end = (3..<max(3, bytes.count)).first { Array(bytes[($0 - 3)...$0]) == Array("\r\n\r\n".utf8) } ?? 0
        return (client, String(decoding: bytes[...end], as: UTF8.self), frames(Array(bytes[(end + 1)...])))
    }

    private static let chat = """
        "template": true, "headers": {"X-A": "{{query.n}}"}, "webSocket": {
        "script": [{"text": "hello {{query.n}}"}, {"delay": "1s", "json": {"n": "{{json query.n}}"}}, {"base64": "AAH/"}],
        "replies": [
            {"receive": {"text": "ping"}, "send": [{"text": "pong {{counter}}"}]},
            {"receive": {"text": {"regex": "^say "}}, "send": [{"delay": "1s", "json": {"said": "{{message}}"}}]},
            {"receive": {"body": {"type": "sub"}}, "send": [{"json": {"id": "{{json message.id}}"}}, {"ping": "p"}]},
            {"receive": {"json": {"a": {"b": 1}}}, "send": [{"text": "ab"}]},
            {"receive": {"text": "bye"}, "send": [{"close": 4001, "reason": "later"}]},
            {"send": [{"text": "what?"}]}]}
        """

    @Test func `a script plays, and messages get the first reply that fits`() async throws {
        try await Self.run(Self.chat) { worker in
            let (client, head, first) = await Self.open(worker)
            #expect(head.hasPrefix("HTTP/1.1 101 ") && head.contains("\r\nX-A: 7\r\n"))
            #expect(head.contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
            #expect(head.contains("\r\nSec-WebSocket-Protocol: v1\r\n"))
            #expect(!head.lowercased().contains("extensions") && head.contains("; mock\r\n"))
            #expect(first == ["text hello 7"])
            // Messages and pings get replies while the script waits.
            client.receive(Self.frame(.ping, "x") + Self.frame(.text, "ping"))
            await worker.settle()
            #expect(Self.frames(client.takeSent()) == ["pong x", "text pong 2"])
            await worker.advance(by: 1.01)
            #expect(Self.frames(client.takeSent()) == [#"text {"n":7}"#, "binary [0, 1, 255]"])
            client.receive(Self.frame(.text, #"say "x""#) + Self.frame(.binary, "ping"))
            await worker.settle()
            #expect(client.takeSent().isEmpty)
            await worker.advance(by: 1.01)
            #expect(Self.frames(client.takeSent()) == [#"text {"said":"say \"x\""}"#, "text what?"])
            let sub = Self.frame(.text, #"{"type": "sub", "id": [1, null]}"#)
            for byte in sub { client.receive([byte]) }
            client.receive(Self.frame(.text, #"{"a": {"b": 1, "c": 2}, "d": 3}"#) + Self.frame(.text, "bye"))
            await worker.settle()
            #expect(
                Self.frames(client.takeSent()) == [#"text {"id":[1,null]}"#, "ping p", "text ab", "close 4001 later"])
            client.receive(Self.frame(.close, "\u{0F}\u{00}"))
            await worker.settle()
            #expect(!client.isOpen)
        }
    }

    @Test func `a script waits for a message, loops, and closes`() async throws {
        let steps = #"[{"receive": {"text": "go"}}, {"text": "gone"}]"#
        try await Self.run(#""webSocket": {"end": "loop", "script": \#(steps)}"#) { worker in
            let (client, _, first) = await Self.open(worker)
            #expect(first.isEmpty)
            client.receive(Self.frame(.text, "no") + Self.frame(.text, "go") + Self.frame(.text, "go"))
            await worker.settle()
            #expect(Self.frames(client.takeSent()) == ["text gone", "text gone"])
            client.receive(Self.frame(.close, "\u{03}x"))
            await worker.settle()
            #expect(Self.frames(client.takeSent()) == ["close 888 "] && !client.isOpen)
        }
        try await Self.run(#""webSocket": {"end": "close", "script": [{"text": "x"}], "protocols": ["v2"]}"#) {
            worker in
            let (client, head, first) = await Self.open(worker)
            #expect(first == ["text x", "close 1000 "] && head.contains("Protocol: v2\r\n"))
            // A client that does not close is waited for a second long.
            #expect(client.isOpen)
            await worker.advance(by: 1.1)
            #expect(!client.isOpen)
        }
    }

    @Test(
        arguments: [
            ([0xC1, 0x80, 1, 2, 3, 4], 1002), ([0x81, 1, 0x41], 1002),
            (WebSocketFrame.bytes(.text, [UInt8](repeating: 65, count: 1 << 20 + 1), key: 1), 1009),
        ] as [([UInt8], Int)])
    func `what cannot be read closes the connection with its code`(bytes: [UInt8], code: Int) async throws {
        try await Self.run(#""webSocket": {"replies": [{"send": [{"text": "x"}]}]}"#) { worker in
            let (client, _, _) = await Self.open(worker)
            client.receive(bytes)
            await worker.settle()
            await worker.advance(by: 2)
            #expect(Self.frames(client.takeSent()) == ["close \(code) "] && !client.isOpen)
        }
    }

    @Test func `a request that asks for no WebSocket is told so, and a shutdown closes those that are open`()
        async throws
    {
        try await Self.run(#""webSocket": {}"#) { worker in
            let refused = await worker.connect(Self.get()).text
            #expect(refused.hasPrefix("HTTP/1.1 426 ") && refused.contains("\r\nUpgrade: websocket\r\n"))
            let (client, head, _) = await Self.open(worker)
            #expect(head.contains("Protocol: v1\r\n"))
            worker.state.drain()
            client.receive(Self.frame(.pong, ""))
            await worker.settle()
            #expect(Self.frames(client.takeSent()) == ["close 1001 "])
        }
    }

    @Test func `the handshake of a WebSocket changes the state of a scenario`() async throws {
        let profile = """
            {"kind": "local", "routes": [{"path": "/s", "then": "open", "mock": {"webSocket": {}}},
            {"path": "/see", "when": "shut", "mock": {"text": "shut"}},
            {"path": "/see", "when": "open", "mock": {"text": "open"}}]}
            """
        try await MemoryWorker.run(profile: profile) { worker in
            let see = "GET /see HTTP/1.0\r\nHost: a\r\n\r\n"
            #expect(Self.body(await worker.connect(see)) == "shut")
            _ = await Self.open(worker)
            #expect(Self.body(await worker.connect(see)) == "open")
        }
    }

    @Test func `a WebSocket and events come over HTTP/2 as well`() async throws {
        let profile = """
            {"kind": "local", "routes": [
            {"path": "/s", "mock": {"webSocket": {"replies": [{"send": [{"text": "b"}, {"close": 1000}]}]}}},
            {"path": "/e", "mock": {"events": {"script": [{"data": "x"}]}}}]}
            """
        let harness = try await Harness.start(profiles: ["only": profile], active: "only")
        let port = harness.port
        try await blocking { () throws in
            let wire = try HTTP2Wire.connect(port)
            try wire.run("the settings") { wire.peer.session.hasSettings }
            let tunnel = try wire.request(Self.upgrade, body: "", ends: false)
            try wire.run("the tunnel") { tunnel.heads.first?.hasPrefix("HTTP/1.1 101 ") == true }
            tunnel.write(Self.frame(.text, "a"))
            try wire.run("the reply") { Self.frames(tunnel.body) == ["text b", "close 1000 "] }
            tunnel.write(Self.frame(.close, ""))
            tunnel.end()
            try wire.run("the end") { tunnel.isClosed }
            let events = try wire.request("GET /e HTTP/1.1\r\nHost: a\r\n\r\n", body: "", ends: true)
            try wire.run("the events") { events.isClosed }
            #expect(events.text == "data: x\n\n" && !wire.hasEnded)
        }
        await harness.stop()
    }
}
