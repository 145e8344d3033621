import Engine
import Exchanges
import Profiles
import TestSupport
import Testing

/// The network `no-origins`: clients that no origin can be reached for.
@Suite struct NoOriginsTests {
    private static func profile(_ url: String) -> String {
        #"""
        {"kind": "local", "routes": [{"path": "/mock", "mock": {"text": "mock"}},
         {"path": "/kept", "origin": "\#(url)", "offline": "serve-last"},
         {"path": "/chain", "origin": ["\#(url)", "http://127.0.0.1:\#(ScriptedOrigin.closedPort())"]},
         {"path": "/*", "origin": "\#(url)"}]}
        """#
    }

    @Test func `requests to origins fail at once, and all else responds`() async throws {
        let backend = OfflineTests.Backend(OfflineTests.response("origin"))
        let harness = try await Harness.start(
            profiles: ["only": Self.profile(backend.url)], active: "only", clock: { 1_800_000_000 })
        let (port, networks) = (harness.port, harness.proxy.networks)
        try await blocking {
            func ask(_ path: String) throws -> (head: String, body: String) { try OfflineTests.ask(port, path: path) }
            for path in ["/kept", "/plain", "/chain"] { #expect(try ask(path).body == "origin") }
            networks.choose(.noOrigins)
            #expect(try ask("/mock").body == "mock")
            let kept = try ask("/kept")
            #expect(kept.body == "origin" && kept.head.contains("; network=no-origins; stale=0; tried=\""), "\(kept)")
            for path in ["/plain", "/chain"] {
                let cut = try ask(path)
                #expect(cut.head.hasPrefix("HTTP/1.1 502 ") && cut.head.contains("error=origin-connect"), "\(cut)")
                #expect(cut.body.contains("`shunt offline off` restores it"), "\(cut)")
            }
            #expect(backend.requests.count == 3)
            networks.forget()
            // It was no fault of the origin's, which a chain would pass over for some seconds.
            for path in ["/kept", "/plain", "/chain"] {
                let back = try ask(path)
                #expect(back.body == "origin" && !back.head.contains("tried="), "\(back)")
            }
        }
        await harness.stop()
        let changes = harness.log.exchanges.map(\.rewritten)
        #expect(changes.contains(["+network", "+stale"]) && changes.contains(["+network"]))
    }

    @Test func `a long kept response passes to a client that reads slowly`() async throws {
        let size = 15 << 20
        let backend = OfflineTests.Backend(OfflineTests.response(String(repeating: "a", count: size)))
        let harness = try await Harness.start(profiles: ["only": Self.profile(backend.url)], active: "only")
        let (port, networks) = (harness.port, harness.proxy.networks)
        let count = try await blocking {
            _ = try OfflineTests.ask(port, path: "/kept")
            networks.choose(.noOrigins)
            let client = try RawConnection.connect(port, receiveBuffer: 4096)
            try client.send("GET /kept HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(try client.readHead().contains("stale="))
            // It is told of a change in the midst of the response.
            networks.choose(.noOrigins)
            return try client.drain()
        }
        await harness.stop()
        #expect(count == size)
    }

    private static let upgrade =
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

    /// What the origin sends before it waits for ever.
    @Test(arguments: [
        ("a request that waits", "", "", ""),
        ("a response under way", "", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "half"),
        (
            "a WebSocket", upgrade,
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n", ""
        ),
    ])
    func `what is under way is broken off`(name: String, fields: String, reply: String, body: String) async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send(reply)
            _ = try? connection.readToEnd()
        }
        let harness = try await Harness.start(to: origin.port)
        let (port, networks) = (harness.port, harness.proxy.networks)
        let rest = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET / HTTP/1.1\r\nHost: x\r\n\(fields)\r\n")
            if !reply.isEmpty { _ = try client.readHead() }
            if !body.isEmpty { #expect(try client.read(count: body.utf8.count) == body) }
            #expect(eventually { origin.connectionCount == 1 })
            networks.choose(.noOrigins, for: "127.0.0.1")
            if reply.isEmpty { return try client.readHead() }
            #expect(eventually { client.isReset() })
            return ""
        }
        await harness.stop()
        origin.stop()
        #expect(rest.isEmpty == !reply.isEmpty)
        if reply.isEmpty { #expect(rest.hasPrefix("HTTP/1.1 502 "), "\(rest)") }
        #expect(harness.log.exchanges.last?.failure?.message.contains("the network is cut") == true)
    }

    @Test func `a tunnel is cut, and no other is opened`() async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            _ = try? connection.readToEnd()
        }
        let harness = try await Harness.start(
            profiles: ["only": #"{"kind": "local", "routes": [{"host": "a.test", "mock": {}}]}"#], active: "only",
            forward: ForwardProxy())
        let (port, networks) = (harness.port, harness.proxy.networks)
        try await blocking {
            let target = "127.0.0.1:\(origin.port)"
            func open() throws -> (RawConnection, String) {
                let client = try RawConnection.connect(port)
                try client.send("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n")
                return (client, try client.readHead())
            }
            let (client, head) = try open()
            #expect(head.hasPrefix("HTTP/1.1 200 "), "\(head)")
            try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try client.readHead()
            networks.choose(.noOrigins)
            #expect(eventually { client.isReset() })
            #expect(try open().1.hasPrefix("HTTP/1.1 502 "))
            #expect(try OfflineTests.ask(port, path: "http://\(target)/", host: target).head.hasPrefix("HTTP/1.1 502 "))
            networks.forget()
            #expect(try open().1.hasPrefix("HTTP/1.1 200 "))
        }
        await harness.stop()
        origin.stop()
    }
}
