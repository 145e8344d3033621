import Engine
import Exchanges
import Reactor
import Store
import TestSupport
import Testing

/// Messages that are put into open streams.
@Suite struct InjectionTests {
    /// A recording proxy, until the body ends; then the messages of the first exchange.
    private static func run(
        _ profiles: [String: String], _ body: @Sendable (Proxy) async throws -> Void
    ) async throws -> [RecordedMessage] {
        let folder = try TemporaryFolder()
        let path = folder.path + "/traffic.db"
        let store = try TrafficStore.open(path)
        var configuration = Proxy.Configuration(addresses: [.loopback(.ipv4, port: 0)])
        (configuration.store, configuration.workers) = (store, 2)
        let proxy = try await Proxy.start(configuration, profiles: try Harness.library(profiles), active: "only")
        do { try await body(proxy) } catch {
            await proxy.abort()
            throw error
        }
        await proxy.abort()
        await proxy.drain()
        proxy.stop()
        store.finish()
        return try TrafficReader(path).messages(of: 1, limit: 100)
    }

    /// Why a message is refused, as its status and words; nil for one that is not.
    private static func refusal(_ proxy: Proxy, _ message: InjectedMessage, into id: Int64 = 1) async -> String? {
        do throws(EngineFailure) {
            try await proxy.inject(message, into: id)
            return nil
        } catch {
            return "\(error.status) \(error.message)"
        }
    }

    /// Responds to the handshake with compression agreed on, and then to each of the client's bytes with a piece.
    private static func origin(_ pieces: [[UInt8]], seen: Kept<[UInt8]> = Kept([])) -> ScriptedOrigin {
        ScriptedOrigin { connection, _ in
            let head = try connection.readHead()
            try connection.send(
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Extensions: permessage-deflate\r\n"
                    + "Sec-WebSocket-Accept: \(HTTP2TunnelTests.accept(head))\r\n\r\n")
            for piece in pieces {
                try connection.send(piece)
                let bytes = try connection.readSome()
                seen.change { $0 += bytes }
            }
            while case let bytes = try connection.readSome(), !bytes.isEmpty { seen.change { $0 += bytes } }
        }
    }

    private static func open(_ proxy: Proxy) async throws -> RawConnection {
        let port = proxy.addresses[0].port
        return try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET /chat HTTP/1.1\r\nHost: a\r\n\(HTTP2TunnelTests.fields)\r\n")
            #expect(try client.readHead().hasPrefix("HTTP/1.1 101 "))
            return client
        }
    }

    private static func frame(_ text: String) -> [UInt8] { WebSocketFrame.bytes(.text, Array(text.utf8)) }

    @Test func `a message waits for the end of the one under way, in either direction`() async throws {
        // "Hello" compressed, in two fragments (RFC 7692 7.2.3.2), and then as it refers to what came before.
        let first: [UInt8] = [0x41, 3, 0xF2, 0x48, 0xCD]
        let second: [UInt8] = [0x80, 4, 0xC9, 0xC9, 0x07, 0x00]
        let again: [UInt8] = [0xC1, 5, 0xF2, 0x00, 0x11, 0x00, 0x00]
        let seen = Kept<[UInt8]>([])
        let origin = Self.origin([first, second, again], seen: seen)
        defer { origin.stop() }
        let messages = try await Self.run(["only": Harness.origin("http://127.0.0.1:\(origin.port)")]) { proxy in
            let client = try await Self.open(proxy)
            #expect(try await blocking { try client.readBytes(first.count) } == first)
            try await proxy.inject(InjectedMessage("put in"), into: 1)
            // The first half of a client's message: what is for the origin waits as well.
            let half = WebSocketFrame.bytes(.text, Array("abcd".utf8), key: 7)
            try await blocking {
                try client.send(Array(half.prefix(7)))
                let wanted = second + Self.frame("put in")
                #expect(try client.readBytes(wanted.count) == wanted)
            }
            try await proxy.inject(InjectedMessage(binary: [1, 2], isForOrigin: true), into: 1)
            try await blocking {
                try client.send(Array(half.dropFirst(7)))
                #expect(try client.readBytes(again.count) == again)
                #expect(eventually { seen.value.count == half.count + 8 })
                client.close()
            }
            let put = Array(seen.value.dropFirst(half.count))
            #expect(Array(seen.value.prefix(half.count)) == half && put.prefix(2) == [0x82, 0x82])
            #expect(put.count == 8 && [put[2] ^ put[6], put[3] ^ put[7]] == [1, 2])
        }
        let words = messages.map {
            "\($0.facts.sender) \(String(decoding: $0.bytes ?? [], as: UTF8.self))\($0.facts.isInjected ? " injected" : "")"
        }
        #expect(
            words == [
                "origin Hello", "origin put in injected", "client abcd", "client \u{1}\u{2} injected", "origin Hello",
            ]
                || words == [
                    "origin Hello", "origin put in injected", "client abcd", "origin Hello",
                    "client \u{1}\u{2} injected",
                ], "\(words)")
    }

    @Test func `an event waits for the end of the one under way`() async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "9\r\ndata: 1\n\n\r\n8\r\ndata: 2\n\r\n")
            // The client's end of the connection says when to go on.
            _ = try? connection.readSome()
        }
        defer { origin.stop() }
        let messages = try await Self.run(["only": Harness.origin("http://127.0.0.1:\(origin.port)")]) { proxy in
            let port = proxy.addresses[0].port
            let client = try await blocking {
                let client = try RawConnection.connect(port)
                try client.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try client.readHead()
                _ = try client.read(until: "data: 2\n")
                return client
            }
            #expect(await Self.refusal(proxy, InjectedMessage("x", isForOrigin: true))?.hasPrefix("409 ") == true)
            #expect(await Self.refusal(proxy, InjectedMessage(binary: [0]))?.hasPrefix("409 ") == true)
            try await proxy.inject(InjectedMessage("a\nb", type: "t", id: "7"), into: 1)
            client.close()
        }
        #expect(messages.map { String(decoding: $0.bytes ?? [], as: UTF8.self) } == ["1"])
    }

    @Test func `an event is put in between two`() async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "9\r\ndata: 1\n\n\r\n")
            _ = try? connection.readSome()
        }
        defer { origin.stop() }
        let messages = try await Self.run(["only": Harness.origin("http://127.0.0.1:\(origin.port)")]) { proxy in
            let port = proxy.addresses[0].port
            let client = try await blocking {
                let client = try RawConnection.connect(port)
                try client.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try client.readHead()
                #expect(try client.read(until: "data: 1\n\n\r\n") == "9\r\ndata: 1\n\n\r\n")
                return client
            }
            try await proxy.inject(InjectedMessage("a\nb", type: "t", id: "7"), into: 1)
            let event = "event: t\nid: 7\ndata: a\ndata: b\n\n"
            try await blocking {
                let wanted = "\(String(event.utf8.count, radix: 16))\r\n\(event)\r\n"
                let read = try client.read(count: wanted.utf8.count)
                #expect(read == wanted)
                client.close()
            }
        }
        #expect(messages.map(\.facts.isInjected) == [false, true] && messages.last?.event == "t")
    }

    @Test func `a message to locked production is refused, one to its client is not`() async throws {
        let origin = Self.origin([[]])
        defer { origin.stop() }
        let profile = Harness.origin("http://127.0.0.1:\(origin.port)", kind: "production")
        _ = try await Self.run(["only": profile]) { proxy in
            try proxy.locks.unlock("only", seconds: 600, reason: "a test")
            let client = try await Self.open(proxy)
            #expect(await Self.refusal(proxy, InjectedMessage("a", isForOrigin: true)) == nil)
            _ = proxy.locks.lock("only")
            let refusal = await Self.refusal(proxy, InjectedMessage("b", isForOrigin: true))
            #expect(refusal?.hasPrefix("403 only is read-only") == true, "\(refusal ?? "")")
            #expect(await Self.refusal(proxy, InjectedMessage("c")) == nil)
            try await blocking {
                let read = try client.readBytes(3)
                #expect(read == Self.frame("c"))
                client.close()
            }
        }
    }

    @Test func `a mock's client gets it, and what is not open says so`() async throws {
        let mock = #"{"kind": "local", "routes": [{"mock": {"webSocket": {"replies": [{"send": [{"text": "r"}]}]}}}]}"#
        let messages = try await Self.run(["only": mock]) { proxy in
            let client = try await Self.open(proxy)
            try await proxy.inject(InjectedMessage("hi"), into: 1)
            #expect(try await blocking { try client.readBytes(4) } == Self.frame("hi"))
            #expect(await Self.refusal(proxy, InjectedMessage("x", isForOrigin: true))?.hasPrefix("409 ") == true)
            #expect(await Self.refusal(proxy, InjectedMessage("x", type: "t"))?.contains("no events") == true)
            #expect(
                await Self.refusal(proxy, InjectedMessage("x"), into: 99)?.hasPrefix("409 exchange 99 is no") == true)
            let large = String(repeating: "x", count: InjectedMessage.maxBytes + 1)
            #expect(await Self.refusal(proxy, InjectedMessage(large))?.hasPrefix("413 ") == true)
            client.close()
        }
        #expect(messages.map(\.facts.isInjected) == [true])
    }

    private static func words(_ messages: [RecordedMessage]) -> [String] {
        messages.map { message in
            let marks = [
                (message.facts.isWithheld, "withheld"), (message.facts.isEdited, "edited"),
                (message.facts.isInjected, "injected"),
            ]
            return ([String(decoding: message.bytes ?? [], as: UTF8.self)] + marks.filter(\.0).map(\.1)).joined(
                separator: " ")
        }
    }

    private static func held(_ proxy: Proxy) async throws -> HeldExchange {
        let breakpoints = try #require(proxy.breakpoints)
        #expect(try await blocking { eventually { !breakpoints.held.isEmpty } })
        return try #require(breakpoints.held.first)
    }

    @Test func `a compressed stream that runs is held, and later messages need none of the one that was edited`()
        async throws
    {
        // "Hello" compressed, and then as it refers to what came before (RFC 7692 7.2.3.2).
        let first: [UInt8] = [0xC1, 7, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        let again: [UInt8] = [0xC1, 5, 0xF2, 0x00, 0x11, 0x00, 0x00]
        let origin = Self.origin([first, again, again])
        defer { origin.stop() }
        let messages = try await Self.run(["only": Harness.origin("http://127.0.0.1:\(origin.port)")]) { proxy in
            let client = try await Self.open(proxy)
            #expect(try await blocking { try client.readBytes(first.count) } == first)
            try proxy.breakpoints?.add("~all", .message)
            try await blocking { try client.send(WebSocketFrame.bytes(.text, [0x61], key: 7)) }
            // The client's own, which goes on.
            var held = try await Self.held(proxy)
            #expect(held.view.body == "a")
            try held.goOn()
            try await held.judge()
            #expect(try await blocking { eventually { proxy.breakpoints?.held.first?.view.body == "Hello" } })
            held = try await Self.held(proxy)
            var edit = HoldEdit()
            edit.body = "other"
            try held.goOn(edit)
            try await held.judge()
            try proxy.breakpoints?.remove(nil)
            #expect(try await blocking { try client.readBytes(7) } == Self.frame("other"))
            try await blocking { try client.send(WebSocketFrame.bytes(.text, [0x62], key: 7)) }
            #expect(try await blocking { try client.readBytes(7) } == Self.frame("Hello"))
            client.close()
        }
        #expect(Self.words(messages) == ["Hello", "a", "Hello withheld", "other edited", "b", "Hello"])
    }

    @Test func `the guard judges an edited message for production, and it stays held`() async throws {
        let origin = Self.origin([[]])
        defer { origin.stop() }
        let profile = Harness.origin("http://127.0.0.1:\(origin.port)", kind: "production")
        let messages = try await Self.run(["only": profile]) { proxy in
            try proxy.locks.unlock("only", seconds: 600, reason: "a test")
            try proxy.breakpoints?.add("~all", .message)
            let client = try await Self.open(proxy)
            _ = proxy.locks.lock("only")
            try await blocking { try client.send(WebSocketFrame.bytes(.text, [0x61], key: 7)) }
            let held = try await Self.held(proxy)
            var edit = HoldEdit()
            edit.body = "b"
            try held.goOn(edit)
            let refusal = await #expect(throws: HoldFailure.self) { try await held.judge() }
            #expect(refusal?.kind == .forbidden && refusal?.message.hasPrefix("only is read-only") == true)
            #expect(proxy.breakpoints?.held.first?.id == held.id)
            // What goes to the client is no write.
            try held.respond(edit)
            try await held.judge()
            #expect(try await blocking { try client.readBytes(3) } == Self.frame("b"))
            client.close()
        }
        #expect(Self.words(messages) == ["a withheld", "b injected"])
    }

    @Test func `the record has what came and what was sent`() async throws {
        let seen = Kept<[UInt8]>([])
        let origin = Self.origin([Self.frame("staging") + Self.frame("other")], seen: seen)
        defer { origin.stop() }
        let profile = """
            {"kind": "local", "routes": [{"origin": "http://127.0.0.1:\(origin.port)",
            "messages": [{"text": {"staging": "local"}}, {"from": "client", "text": {"a": "b"}}]}]}
            """
        let messages = try await Self.run(["only": profile]) { proxy in
            let client = try await Self.open(proxy)
            #expect(try await blocking { try client.readBytes(14) } == Self.frame("local") + Self.frame("other"))
            try await proxy.inject(InjectedMessage("put in"), into: 1)
            #expect(try await blocking { try client.readBytes(8) } == Self.frame("put in"))
            try await blocking { try client.send(WebSocketFrame.bytes(.text, [0x61], key: 7)) }
            #expect(try await blocking { eventually { seen.value.count == 7 } })
            client.close()
        }
        #expect(
            Self.words(messages) == [
                "staging withheld", "local edited", "other", "put in injected", "a withheld", "b edited",
            ])
    }
}
