import Bytes
import Engine
import Exchanges
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Peers that break, are slow, or say what nobody may say.
@Suite struct FailureTests {
    /// What a client gets that sends `request` and waits for the end.
    private func response(
        to request: String, limits: Limits = Limits(), halfClose: Bool = true,
        origin script: @escaping @Sendable (RawConnection, Int) throws -> Void
    ) async throws -> (got: String, log: Harness.Log) {
        let origin = ScriptedOrigin(script)
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port, limits: limits)
        let port = harness.port
        let got = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send(request)
            if halfClose { client.shutdownWrite() }
            return try client.readToEnd()
        }
        await harness.stop()
        return (got, harness.log)
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\n", "400"),
        ("GET / HTTP/1.1\nHost: a\n\n", "400"),
        ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", "501"),
        ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", "505"),
        ("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\nConnection: close\r\n\r\n", "501"),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: a\r\nShunt-Profile: onyl\r\nConnection: close\r\n\r\n", "400"),
    ])
    func `what is no clean request is refused with the reason, and the connection ends`(
        request: String, status: String
    ) async throws {
        let (got, log) = try await response(to: request, halfClose: false) { connection, _ in
            _ = try connection.readToEnd()
        }
        #expect(got.hasPrefix("HTTP/1.1 \(status) "))
        #expect(got.contains("Shunt-Answered-By: shunt; error=client-"))
        #expect(got.contains("shunt: "))
        #expect(log.exchanges.last?.failure?.side == "client")
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\nhi",
        "HTTP/1.1 200 OK\nContent-Length 2\n\nhi",
        "HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Le",
        "",
    ])
    func `an origin's faulty response becomes a 502 that says what was wrong`(bytes: String) async throws {
        let (got, log) = try await response(to: "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") {
            connection, _ in
            _ = try connection.readHead()
            try connection.send(bytes)
        }
        #expect(got.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        #expect(got.contains("shunt: origin http://127.0.0.1:"))
        #expect(log.exchanges.first?.failure?.side == "origin")
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloXX\r\n0\r\n\r\n",
    ])
    func `a response that is cut off never looks whole`(bytes: String) async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send(bytes)
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port, time: VirtualClock())
        let port = harness.port
        let (client, wasReset) = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            return (client, client.isReset())
        }
        // No time passes in which somebody could read on from what is closed.
        let hasDrained = Kept(false)
        Task { [proxy = harness.proxy] in
            await proxy.drain()
            hasDrained.change { $0 = true }
        }
        try await blocking { #expect(eventually { hasDrained.value }) }
        client.close()
        await harness.stop()
        #expect(wasReset)
        let exchange = try #require(harness.log.exchanges.first)
        #expect(exchange.failure?.stage == "receive")
        // What came is counted all the same: nine bytes, or five.
        #expect(exchange.bytes.response == (bytes.contains("only this") ? 9 : 5))
        #expect(exchange.failure?.message.contains(bytes.contains("XX") ? "sent a faulty" : "broke off") == true)
    }

    @Test func `a head that broke off does not mix with the next one`() async throws {
        let origin = ScriptedOrigin { connection, number in
            _ = try connection.readHead()
            try connection.send(
                number == 0
                    ? "HTTP/1.1 200 OK\r\nContent-Le" : "HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nhello")
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port)
        let port = harness.port
        let (first, second) = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let first = try client.readHead()
            try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return (first, try client.readToEnd())
        }
        await harness.stop()
        #expect(first.hasPrefix("HTTP/1.1 502 "))
        #expect(second.contains("HTTP/1.1 404 Not Found\r\n") && second.hasSuffix("\r\n\r\nhello"))
    }

    @Test func `a client that resets while the origin thinks sets the origin free`() async throws {
        let seen = Box()
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            seen.put("asked")
            _ = try connection.readToEnd()
            seen.put("freed")
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port)
        let port = harness.port
        try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(eventually { seen.take() == "asked" })
            client.reset()
            #expect(eventually { seen.take() == "freed" })
        }
        await harness.stop()
        #expect(harness.log.exchanges.first?.failure?.side == "client")
        #expect(harness.log.exchanges.first?.status == nil)
    }

    @Test func `nobody is routed, and hears what nearly matched, also without a Host`() async throws {
        let harness = try await Harness.start(
            profiles: ["only": #"{"kind": "local", "routes": [{"host": "b.test", "origin": "http://127.0.0.1:1"}]}"#],
            active: "only")
        let port = harness.port
        for request in ["GET /x HTTP/1.0\r\n\r\n", "GET /x HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"] {
            let got = try await blocking {
                let client = try RawConnection.connect(port)
                try client.send(request)
                return try client.readToEnd()
            }
            #expect(got.hasPrefix("HTTP/1.1 404 ") && got.contains("Nearly matched:\n  b.test/*: "), "\(got)")
        }
        await harness.stop()
    }

    @Test(arguments: [
        ("GET /x?y=1", "", "explain http://a.test/x`"), ("DELETE /x", "", "explain -X DELETE http://a.test/x`"),
        ("GET /x", "Shunt-Profile: other\r\n", "explain --profile other http://a.test/x`"),
        ("GET /a;b$(c)'d", "", "explain 'http://a.test/a;b$(c)'\\''d'`"),
    ])
    func `the command that explains an unrouted request is for that request`(
        line: String, field: String, command: String
    ) async throws {
        let profile = #"{"kind": "local", "routes": [{"host": "b.test", "origin": "http://127.0.0.1:1"}]}"#
        let harness = try await Harness.start(profiles: ["only": profile, "other": profile], active: "only")
        let port = harness.port
        let got = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("\(line) HTTP/1.1\r\nHost: a.test\r\n\(field)Connection: close\r\n\r\n")
            return try client.readToEnd()
        }
        #expect(got.contains("or see `shunt \(command)"), "\(got)")
        await harness.stop()
    }

    @Test func `a refused connection says so and what to look at`() async throws {
        let harness = try await Harness.start(to: ScriptedOrigin.closedPort())
        let port = harness.port
        let got = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return try client.readToEnd()
        }
        await harness.stop()
        #expect(got.hasPrefix("HTTP/1.1 502 "))
        #expect(got.contains("refused the connection") && got.contains("Connection refused"))
        #expect(got.contains("Is the server running"))
    }

    @Test func `a browser gets its failure as a page`() async throws {
        let harness = try await Harness.start(to: ScriptedOrigin.closedPort())
        let port = harness.port
        let got = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\nAccept: text/html,*/*\r\nConnection: close\r\n\r\n")
            return try client.readToEnd()
        }
        await harness.stop()
        #expect(
            got.contains("Content-Type: text/html; charset=utf-8\r\n") && got.contains("<h1>502 Bad Gateway</h1>"),
            "\(got)")
        #expect(got.contains(PageStyle.sheet) && got.contains("Is the server running"), "\(got)")
    }

    @Test(arguments: [("", ""), ("GET / HTTP/1.1\r\nHost: a\r\n", "HTTP/1.1 408 ")])
    func `a head that does not arrive in time gets 408, and an idle connection is closed without a word`(
        request: String, response: String
    ) async throws {
        let time = VirtualClock()
        let harness = try await Harness.start(to: ScriptedOrigin.closedPort(), time: time)
        let (port, proxy) = (harness.port, harness.proxy)
        let got = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send(request)
            // It may not have been accepted yet when time begins to pass.
            #expect(
                eventually {
                    proxy.advance(time, by: 5)
                    return client.waitForInput(milliseconds: 20)
                })
            return try client.readToEnd()
        }
        await harness.stop()
        #expect(got.hasPrefix(response) && got.isEmpty == response.isEmpty)
        #expect(harness.log.exchanges.isEmpty == response.isEmpty)
    }

    @Test func `a head that is too long gets 431, also before it is complete`() async throws {
        let (got, _) = try await response(
            to: "GET / HTTP/1.1\r\nHost: a\r\n"
                + (0..<500).map { "X-\($0): \(String(repeating: "y", count: 100))\r\n" }
                .joined(), halfClose: false
        ) { _, _ in }
        #expect(got.hasPrefix("HTTP/1.1 431 "))
    }

    @Test func `a request that leads back to Shunt ends after some rounds`() async throws {
        let harness = try await Harness.start(
            profiles: ["self": Harness.origin("http://127.0.0.1:1")], active: "self")
        let port = harness.port
        try harness.proxy.replace(
            with: try Harness.library(["self": Harness.origin("http://127.0.0.1:\(port)")]))
        let got = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return try client.readToEnd()
        }
        await harness.stop()
        #expect(got.hasPrefix("HTTP/1.1 508 ") && got.contains("leads back to Shunt"))
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\n\r\ndata: 1\n\n"])
    func `a client's reset is noticed while the origin is silent`(beginning: String) async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send(beginning)
            _ = try connection.readToEnd()
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port)
        let (port, log) = (harness.port, harness.log)
        let wasNoticed = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let wasAsked = eventually { origin.connectionCount > 0 }
            if !beginning.isEmpty { _ = try client.read(until: "data: 1") }
            client.reset()
            return wasAsked && eventually { !log.exchanges.isEmpty }
        }
        await harness.stop()
        #expect(wasNoticed)
        #expect(harness.log.exchanges.first?.failure?.side == "client")
    }

    @Test func `a client that goes away takes its origin connection with it`() async throws {
        let gone = Box()
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\n\r\n")
            do {
                while true { try connection.send(String(repeating: "x", count: 65536)) }
            } catch {
                gone.put("\(error)")
            }
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port)
        let port = harness.port
        try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try client.readHead()
            client.reset()
            #expect(eventually { !gone.take().isEmpty })
        }
        await harness.stop()
        // And not by a time-out, as if the connection had stayed.
        #expect(["send: Broken pipe", "send: Connection reset by peer"].contains(gone.take()), "\(gone.take())")
        #expect(harness.log.exchanges.contains { $0.failure?.side == "client" })
    }
}
