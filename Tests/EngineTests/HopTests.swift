import TestSupport
import Testing

/// What a proxy on the way has to do with requests that speak of the way itself.
@Suite struct HopTests {
    private static func origin(_ heads: Box) -> ScriptedOrigin {
        ScriptedOrigin { connection, _ in
            while let head = try? connection.readHead(), !head.isEmpty {
                heads.put(head)
                try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
            }
        }
    }

    @Test(
        arguments: [
            // The request's line and fields, and what the origin's head has of them; nil where it gets none.
            ("OPTIONS /a", "Max-Forwards: 0\r\n", nil, "204"), ("OPTIONS *", "Max-Forwards: 0\r\n", nil, "204"),
            ("TRACE /a", "Max-Forwards: 0\r\n", nil, "405"),
            ("OPTIONS /a", "Max-Forwards: 7\r\n", "Max-Forwards: 6\r\n", "204"),
            ("TRACE /a", "Max-Forwards: 1\r\n", "Max-Forwards: 0\r\n", "204"),
            ("GET /a", "Max-Forwards: 0\r\n", "Max-Forwards: 0\r\n", "204"),
            ("OPTIONS /a", "Max-Forwards: x\r\n", "Max-Forwards: x\r\n", "204"),
            ("OPTIONS *", "", "OPTIONS * HTTP/1.1\r\n", "204"),
            ("OPTIONS http://a.test", "", "OPTIONS * HTTP/1.1\r\n", "204"),
            ("OPTIONS http://a.test/", "", "OPTIONS / HTTP/1.1\r\n", "204"),
            ("OPTIONS http://a.test?x", "", "OPTIONS /?x HTTP/1.1\r\n", "204"),
            ("GET http://a.test", "", "GET / HTTP/1.1\r\n", "204"),
        ] as [(String, String, String?, String)])
    func `requests about the way itself count their hops`(
        line: String, fields: String, sent: String?, status: String
    ) async throws {
        let heads = Box()
        let origin = Self.origin(heads)
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port)
        let port = harness.port
        let head = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("\(line) HTTP/1.1\r\nHost: a.test\r\n\(fields)\r\n")
            return try client.readHead()
        }
        await harness.stop()
        #expect(head.hasPrefix("HTTP/1.1 \(status) "), "\(head)")
        if status == "405" { #expect(head.contains("\r\nAllow: GET, HEAD, "), "\(head)") }
        let seen = heads.take()
        if let sent { #expect(seen.contains(sent), "\(seen)") } else { #expect(seen == "") }
    }

    @Test(arguments: ["1.0", "1.1"])
    func `Via says in which version a request came`(version: String) async throws {
        try await MemoryWorker.run { worker in
            _ = await worker.connect("GET / HTTP/\(version)\r\nHost: a\r\n\r\n")
            let sent = try worker.origins.channel(0).text
            #expect(sent.contains("\r\nVia: \(version) shunt\r\n"))
        }
    }

    @Test(arguments: [false, true])
    func `an upgrade may say that it has no content`(isHTTP2: Bool) async throws {
        let origin = HTTP2TunnelTests.echo(isHTTP2)
        defer { origin.stop() }
        let harness = try await Harness.start(
            profiles: ["only": Harness.origin("\(isHTTP2 ? "h2c" : "http")://127.0.0.1:\(origin.port)")],
            active: "only")
        let port = harness.port
        try await blocking { () throws in
            let client = try RawConnection.connect(port)
            // As Java's HttpClient asks.
            try client.send(
                "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nContent-Length: 0\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
            #expect(try client.readHead().hasPrefix("HTTP/1.1 101 "))
            for message in ["ping", "pong"] {
                try client.send(message)
                #expect(try client.read(count: 4) == message)
            }
        }
        await harness.stop()
    }
}
