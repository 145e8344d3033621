import Engine
import Exchanges
import TestSupport
import Testing

/// Kept-alive connections to origins: reused, replaced when dead, never guessed about.
@Suite struct PoolTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test func `one connection serves one request after the other`() async throws {
        let origin = ScriptedOrigin { connection, _ in
            while true {
                _ = try connection.readHead()
                try connection.send(Self.ok)
            }
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port)
        let port = harness.port
        try await blocking {
            for _ in 0..<20 {
                let client = try RawConnection.connect(port)
                try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                _ = try client.readToEnd()
            }
        }
        #expect(await harness.proxy.status().idleOriginConnections == 1)
        await harness.stop()
        #expect(origin.connectionCount == 1)
        #expect(harness.log.exchanges.map { $0.origin?.isReused } == [false] + [Bool?](repeating: true, count: 19))
    }

    @Test(arguments: [
        // Dies without a byte: a request that may be repeated is, on a fresh connection.
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 ", 1),
        ("DELETE / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 ", 1),
        // Whether this one was acted upon could not be known, so it gets a new connection.
        ("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 ", 0),
    ])
    func `a request on a connection that dies under it`(request: String, status: String, retries: Int) async throws {
        let origin = ScriptedOrigin { connection, number in
            _ = try connection.readHead()
            try connection.send(Self.ok)
            // The first connection takes a second request, and goes away without a word.
            _ = try connection.readHead()
            if number > 0 { try connection.send(Self.ok) }
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port)
        let port = harness.port
        let got = try await blocking {
            let first = try RawConnection.connect(port)
            try first.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try first.read(until: "ok")
            let second = try RawConnection.connect(port)
            try second.send(request)
            return try second.readToEnd()
        }
        await harness.stop()
        #expect(got.hasPrefix(status))
        #expect(harness.log.exchanges.last?.retries == retries)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison",
        "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
    ])
    func `a connection is not kept when it says so, or says too much`(response: String) async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send(response)
            _ = try connection.readToEnd()
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port)
        let port = harness.port
        let bodies = try await blocking {
            try (0..<3).map { _ in
                let client = try RawConnection.connect(port)
                try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                return try client.readToEnd().suffix(2)
            }
        }
        await harness.stop()
        #expect(bodies == ["ok", "ok", "ok"])
        #expect(origin.connectionCount == 3)
    }
}
