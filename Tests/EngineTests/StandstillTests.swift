import Engine
import Exchanges
import TestSupport
import Testing

/// Exchanges in which nothing moves: they end in time whatever else is sent meanwhile, and the log says whose fault it
/// was.
@Suite struct StandstillTests {
    private static let short = shortLimits { $0.bodyTime = Limits.second / 4 }

    private static func failure(_ harness: Harness) -> String {
        let failure = harness.log.exchanges.last?.failure
        return "\(failure?.side ?? "none") \(failure?.stage ?? "")"
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "HTTP/1.1 200 OK\r\n\r\nonly this",
    ])
    func `a client that sends on does not keep a response alive that stands still`(response: String) async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send(response)
            _ = try connection.readToEnd()
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port, limits: Self.short)
        let (port, log) = (harness.port, harness.log)
        let hasEnded = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try client.readHead()
            // Far more often than the time runs out; what is sent after the end may fail.
            return eventually {
                try? client.send("G")
                return !log.exchanges.isEmpty
            }
        }
        await harness.stop()
        #expect(hasEnded)
        #expect(Self.failure(harness) == "origin receive")
    }

    @Test func `an origin that repeats interim responses does not keep a request alive that stands still`() async throws
    {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            while true {
                try connection.send("HTTP/1.1 103 Early Hints\r\n\r\n")
                if connection.waitForInput(milliseconds: 20) { _ = try connection.readSome() }
            }
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port, limits: Self.short)
        let port = harness.port
        let got = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
            return try client.readToEnd()
        }
        await harness.stop()
        #expect(got.contains("HTTP/1.1 408 "))
        #expect(Self.failure(harness) == "client send")
    }

    @Test func `a client that sends on and reads nothing does not keep a mock's response alive`() async throws {
        let text = String(repeating: "x", count: 12 << 20)
        let harness = try await Harness.start(
            profiles: ["only": #"{"kind": "local", "routes": [{"mock": {"text": "\#(text)"}}]}"#], active: "only",
            limits: Self.short)
        let (port, log) = (harness.port, harness.log)
        let hasEnded = try await blocking {
            let client = try RawConnection.connect(port, receiveBuffer: 4096)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            return eventually {
                try? client.send("G")
                return !log.exchanges.isEmpty
            }
        }
        await harness.stop()
        #expect(hasEnded)
    }

    @Test func `a body that moves slowly does not stand still`() async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n")
            for _ in 0..<20 {
                _ = connection.waitForInput(milliseconds: 75)
                try connection.send("x")
            }
            _ = try connection.readToEnd()
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port, limits: shortLimits { $0.bodyTime = Limits.second })
        let port = harness.port
        let seen = try await blocking { try ClientKind.h1.ask(port, "GET", "/") }
        await harness.stop()
        #expect(seen.body.count == 20)
    }

    @Test(arguments: [
        "Content-Length: 50000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n2FAF080\r\n", "\r\n",
    ])
    func `a client that stops reading is the one at fault`(framing: String) async throws {
        // Made before the head is sent: while it is made nothing comes from the origin.
        let body = [UInt8](repeating: 0x78, count: 50_000_000)
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\n" + framing)
            try? connection.send(body)
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port, limits: Self.short)
        let (port, log) = (harness.port, harness.log)
        let hasEnded = try await blocking {
            let client = try RawConnection.connect(port, receiveBuffer: 4096)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            return eventually { !log.exchanges.isEmpty }
        }
        await harness.stop()
        #expect(hasEnded)
        #expect(Self.failure(harness) == "client deliver")
    }

    @Test(
        arguments: OriginKind.allCases,
        ["Content-Length: 50000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n2FAF080\r\n"])
    func `an origin that takes no upload is the one at fault, and the client hears 504`(
        kind: OriginKind, framing: String
    ) async throws {
        let over = Box()
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            _ = eventually { over.take() != "" }
        }
        defer { origin.stop() }
        let stage = try await kind.start(origin, limits: Self.short)
        let port = stage.port
        let got = try await blocking {
            defer { over.put("yes") }
            let client = try RawConnection.connect(port)
            try client.send("POST / HTTP/1.1\r\nHost: a\r\n" + framing)
            _ = client.sendUntilBlocked()
            return try client.readHead()
        }
        await stage.stop()
        #expect(got.hasPrefix("HTTP/1.1 504 "), "\(got)")
        #expect(Self.failure(stage.outer) == "origin send")
    }

    @Test(arguments: OriginKind.allCases)
    func `a client that stops sending is the one at fault, and hears 408`(kind: OriginKind) async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            _ = try connection.readToEnd()
        }
        defer { origin.stop() }
        let stage = try await kind.start(origin, limits: Self.short)
        let port = stage.port
        let got = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nabc")
            return try client.readHead()
        }
        await stage.stop()
        #expect(got.hasPrefix("HTTP/1.1 408 "), "\(got)")
        #expect(Self.failure(stage.outer) == "client send")
    }

    @Test(arguments: ["", "HTTP/1.1 103 Early Hints\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n"])
    func `an origin that does not say 100 Continue is the one at fault, and after it the client is`(
        interim: String
    ) async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send(interim)
            _ = try connection.readToEnd()
        }
        defer { origin.stop() }
        let harness = try await Harness.start(
            to: origin.port,
            limits: shortLimits {
                $0.bodyTime = Limits.second / 4
                $0.responseTime = Limits.second / 4
            })
        let port = harness.port
        let got = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n")
            return try client.readToEnd()
        }
        await harness.stop()
        #expect(got.contains(interim.contains(" 100 ") ? "HTTP/1.1 408 " : "HTTP/1.1 504 "), "\(got)")
        #expect(Self.failure(harness) == (interim.contains(" 100 ") ? "client send" : "origin wait"))
    }
}
