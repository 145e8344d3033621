import Engine
import Exchanges
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What the origin sees and what the client gets, byte for byte.
@Suite struct RelayTests {
    /// Sends `request` through Shunt to an origin that reads `reads` and says `response`; gives what both saw.
    private func pass(
        _ request: String, response: String, reads: String = "\r\n\r\n", halfCloses: Bool = true
    ) async throws -> (seen: String, got: String) {
        try await confirmed { seen in
            let origin = ScriptedOrigin { connection, _ in
                seen.put(try connection.read(until: reads))
                try connection.send(response)
            }
            defer { origin.stop() }
            let harness = try await Harness.start(to: origin.port)
            let port = harness.port
            let got = try await blocking {
                let client = try RawConnection.connect(port)
                try client.send(request)
                if halfCloses { client.shutdownWrite() }
                return try client.readToEnd()
            }
            await harness.stop()
            #expect(origin.scriptFailures == [])
            return got
        }
    }

    private func confirmed(_ body: (Box) async throws -> String) async throws -> (seen: String, got: String) {
        let box = Box()
        let got = try await body(box)
        return (box.take(), got)
    }

    @Test func `the request arrives with the origin's host and without what concerns the connection`() async throws {
        let (seen, _) = try await pass(
            "GET /a/b?c=%20d HTTP/1.1\r\nHost: api.shop.test\r\nAccept: */*\r\nConnection: close, X-Private\r\n"
                + "X-Private: 1\r\nKeep-Alive: timeout=5\r\nProxy-Connection: close\r\nShunt-Profile: only\r\n"
                + "X-Mixed: Käse\r\nTE: trailers\r\n\r\n",
            response: "HTTP/1.1 204 No Content\r\n\r\n")
        let port = seen.split(separator: "Host: 127.0.0.1:")[1].prefix { $0.isNumber }
        #expect(
            seen == "GET /a/b?c=%20d HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nX-Forwarded-For: 127.0.0.1\r\n"
                + "X-Forwarded-Proto: http\r\nX-Forwarded-Host: api.shop.test\r\nAccept: */*\r\nX-Mixed: Käse\r\n"
                + "Via: 1.1 shunt\r\nConnection: TE\r\nTE: trailers\r\n\r\n")
    }

    @Test(arguments: [
        // Length known: as it is.
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: b\r\nConnection: close\r\n\r\nhi",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: b\r\nShunt-Answered-By: only; route=\"*\"\r\n\r\nhi"
        ),
        // Chunked stays chunked; an extension is dropped, a trailer stays.
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=\"b c\"\r\nhi\r\n0\r\nX-Sum: 5\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nShunt-Answered-By: only; route=\"*\"\r\n\r\n"
                + "2\r\nhi\r\n0\r\nX-Sum: 5\r\n\r\n"
        ),
        // The connection's end becomes the last chunk.
        (
            "HTTP/1.1 200 OK\r\nX-A: b\r\n\r\nhi",
            "HTTP/1.1 200 OK\r\nX-A: b\r\nTransfer-Encoding: chunked\r\nShunt-Answered-By: only; route=\"*\"\r\n\r\n"
                + "2\r\nhi\r\n0\r\n\r\n"
        ),
        // An old origin.
        (
            "HTTP/1.0 200 Fine\r\nContent-Length: 2\r\n\r\nhi",
            "HTTP/1.1 200 Fine\r\nContent-Length: 2\r\nShunt-Answered-By: only; route=\"*\"\r\n\r\nhi"
        ),
        // No content although a length is named.
        (
            "HTTP/1.1 304 Not Modified\r\nContent-Length: 20\r\nX-Tag: \"x\"\r\n\r\n",
            "HTTP/1.1 304 Not Modified\r\nContent-Length: 20\r\nX-Tag: \"x\"\r\n"
                + "Shunt-Answered-By: only; route=\"*\"\r\n\r\n"
        ),
        // Interim responses go on, each on its own.
        (
            "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nShunt-Answered-By: only; route=\"*\"\r\n\r\n"
        ),
    ])
    func `a response comes back as it was meant`(response: String, expected: String) async throws {
        let (_, got) = try await pass("GET / HTTP/1.1\r\nHost: a\r\n\r\n", response: response)
        #expect(got == expected)
    }

    @Test func `HEAD has the length and no content`() async throws {
        let (seen, got) = try await pass(
            "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", response: "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        #expect(seen.hasPrefix("HEAD / HTTP/1.1\r\n"))
        #expect(got.hasSuffix("\r\n\r\n") && got.contains("Content-Length: 1000\r\n"))
    }

    @Test func `an HTTP/1.0 client gets no chunks, no interim responses, and the end of the connection`() async throws {
        let (_, got) = try await pass(
            "GET / HTTP/1.0\r\n\r\n",
            response: "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "2\r\nhi\r\n3\r\n ho\r\n0\r\n\r\n")
        #expect(
            got == "HTTP/1.1 200 OK\r\nConnection: close\r\nShunt-Answered-By: only; route=\"*\"\r\n\r\nhi ho")
    }

    @Test func `a chunked request with trailers is chunked again, without its extensions`() async throws {
        let (seen, _) = try await pass(
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nX-T: 1\r\n"
                + "Content-Length: 9\r\n\r\n",
            response: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", reads: "X-T: 1\r\n\r\n")
        #expect(seen.hasSuffix("Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-T: 1\r\n\r\n"))
    }

    @Test func `requests sent at once are answered in their order`() async throws {
        let origin = ScriptedOrigin { connection, _ in
            while true {
                let head = try connection.readHead()
                let path = head.split(separator: " ")[1]
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(path.count)\r\n\r\n\(path)")
            }
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port)
        let port = harness.port
        let got = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send((1...50).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            client.shutdownWrite()
            return try client.readToEnd()
        }
        await harness.stop()
        let bodies = got.split(separator: "\r\n\r\n").dropFirst().map { String($0.prefix { $0 != "H" }) }
        #expect(bodies == (1...50).map { "/\($0)" })
        #expect(origin.connectionCount == 1)
    }

    /// How many bytes a client gets that asks for many responses at once and takes them in small pieces.
    private func slowly(_ count: Int, _ response: String) async throws -> Int {
        let origin = ScriptedOrigin { connection, _ in
            while true {
                _ = try connection.readHead()
                try connection.send(response)
            }
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port)
        let port = harness.port
        let got = try await blocking {
            let client = try RawConnection.connect(port, receiveBuffer: 4096)
            try client.send(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: count))
            client.shutdownWrite()
            return try client.drain()
        }
        await harness.stop()
        return got
    }

    @Test func `content goes on where the client made it wait, wherever in a response that was`() async throws {
        let count = 200
        let body = String(repeating: "x", count: 200_000)
        let got = try await slowly(count, "HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n\(body)")
        let expected =
            "HTTP/1.1 200 OK\r\nContent-Length: 200000\r\nShunt-Answered-By: only; route=\"*\"\r\n\r\n\(body)"
        #expect(got == count * expected.utf8.count)
    }

    @Test func `trailers wait until there is room for all of them`() async throws {
        let count = 300
        let rest =
            "f000\r\n\(String(repeating: "x", count: 0xf000))\r\n0\r\n"
            + (0..<10).map { "X-T\($0): \(String(repeating: "y", count: 3000))\r\n" }.joined() + "\r\n"
        let got = try await slowly(count, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(rest)")
        let head =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nShunt-Answered-By: only; route=\"*\"\r\n\r\n"
        // The same bytes; where what lies in the buffer cuts a chunk in two, some more between them.
        #expect(got >= count * (head.utf8.count + rest.utf8.count))
    }

    @Test func `any number of interim responses waits for a client that is slow`() async throws {
        let interim = "HTTP/1.1 102 Processing\r\nX-A: \(String(repeating: "z", count: 1000))\r\n\r\n"
        let final = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
        let got = try await slowly(1, String(repeating: interim, count: 9000) + final + "\r\nok")
        let rest = "Shunt-Answered-By: only; route=\"*\"\r\n\r\nok"
        #expect(got == 9000 * interim.utf8.count + final.utf8.count + rest.utf8.count)
    }

    @Test func `a client that asks far ahead does not keep others waiting`() async throws {
        let harness = try await Harness.start(
            profiles: ["only": #"{"kind": "local", "routes": [{"mock": {"status": 204}}]}"#], active: "only")
        let (port, log) = (harness.port, harness.log)
        let greedy = try RawConnection.connect(port)
        async let taken = blocking { try? greedy.drain() }
        async let asked = blocking {
            let some = [UInt8](String(repeating: "GET /ahead HTTP/1.1\r\nHost: a\r\n\r\n", count: 2000).utf8)
            while (try? greedy.send(some)) != nil {}
        }
        try await blocking {
            #expect(eventually { log.exchanges.count >= 5000 })
            for _ in 0..<10 {
                let other = try RawConnection.connect(port)
                try other.send("GET /other HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                _ = try other.readToEnd()
            }
            shutdown(greedy.descriptor, CInt(SHUT_RDWR))
        }
        _ = try await (taken, asked)
        await harness.stop()
        let exchanges = log.exchanges
        let others = exchanges.indices.filter { exchanges[$0].url.hasSuffix("/other") }
        let between = zip(others, others.dropFirst()).map { $1 - $0 }
        // The least, for what a busy machine adds is no concern of this test.
        #expect(try #require(between.min()) < 500, "\(between)")
    }

    @Test func `100-continue is the origin's to say`() async throws {
        let origin = ScriptedOrigin { connection, _ in
            let head = try connection.readHead()
            guard head.contains("Expect: 100-continue\r\n") else { return }
            try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
            let body = try connection.read(count: 5)
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n\(body)")
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port)
        let port = harness.port
        let (interim, final) = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
            let interim = try client.readHead()
            try client.send("hello")
            return (interim, try client.read(until: "hello"))
        }
        await harness.stop()
        #expect(interim == "HTTP/1.1 100 Continue\r\n\r\n")
        #expect(final.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test func `an expectation that is refused ends the connection, for the body may come or not`() async throws {
        let (_, got) = try await pass(
            "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n",
            response: "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n", halfCloses: false)
        #expect(got.hasPrefix("HTTP/1.1 417 ") && got.contains("Connection: close\r\n"))
    }

    @Test func `content flows both ways at the same time`() async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<3 {
                _ = try connection.read(until: "ping\r\n")
                try connection.send("4\r\npong\r\n")
            }
            try connection.send("0\r\n\r\n")
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port)
        let port = harness.port
        try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            _ = try client.readHead()
            for _ in 0..<3 {
                try client.send("4\r\nping\r\n")
                _ = try client.read(until: "4\r\npong\r\n")
            }
            try client.send("0\r\n\r\n")
            _ = try client.read(until: "0\r\n\r\n")
        }
        await harness.stop()
    }

    @Test func `an early response comes through, and the connection serves on when the body is short`() async throws {
        let origin = ScriptedOrigin { connection, number in
            _ = try connection.readHead()
            try connection.send(
                "HTTP/1.1 \(number == 0 ? "413 Content Too Large" : "200 OK")\r\nContent-Length: 0\r\n\r\n")
            if number == 0 { _ = try connection.drain() }
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port)
        let port = harness.port
        let (first, second) = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n")
            let first = try client.readHead()
            try client.send(String(repeating: "x", count: 10000))
            try client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
            return (first, try client.readHead())
        }
        await harness.stop()
        #expect(first.hasPrefix("HTTP/1.1 413 "))
        #expect(second.hasPrefix("HTTP/1.1 200 "))
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\nhi",
    ])
    func `an upgrade that would lead past the routes is not asked for`(request: String) async throws {
        let (seen, got) = try await pass(request, response: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        #expect(!seen.lowercased().contains("upgrade") && !seen.contains("HTTP2-Settings"))
        #expect(got.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test func `an upgrade becomes a tunnel that closes one side at a time`() async throws {
        let origin = ScriptedOrigin { connection, _ in
            let head = try connection.readHead()
            guard head.contains("Connection: Upgrade\r\nUpgrade: websocket\r\n") else { return }
            try connection.send(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Accept: x\r\n\r\nhello")
            let echo = try connection.read(count: 4)
            try connection.send("<\(echo)>")
            let rest = try connection.readToEnd()
            try connection.send("after your end: \(rest)")
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port)
        let port = harness.port
        let (head, rest) = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send(
                "GET /ws HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n")
            let head = try client.readHead()
            _ = try client.read(until: "hello")
            try client.send("ping")
            _ = try client.read(until: "<ping>")
            try client.send("bye")
            client.shutdownWrite()
            return (head, try client.readToEnd())
        }
        await harness.stop()
        #expect(
            head == "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: x\r\nConnection: Upgrade\r\n"
                + "Upgrade: websocket\r\nShunt-Answered-By: only; route=\"*\"\r\n\r\n")
        #expect(rest == "after your end: bye")
        #expect(origin.scriptFailures == [])
    }
}
