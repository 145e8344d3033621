import Bytes
import Engine
import Exchanges
import Testing

/// Requests on their way to an origin and responses on their way back, between connections in memory.
@Suite struct OriginRelayTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `a request reaches the origin, and its response the client, byte by byte`() async throws {
        try await MemoryWorker.run { worker in
            let client = await worker.connect()
            for byte in "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc".utf8 {
                client.receive([byte])
                await worker.settle()
            }
            let origin = try #require(worker.origins.channels.first)
            let request = origin.text
            #expect(request.hasPrefix("POST /a HTTP/1.1\r\nHost: origin.test\r\n") && request.hasSuffix("\r\n\r\nabc"))
            for byte in "HTTP/1.1 201 Created\r\nContent-Length: 3\r\n\r\nxyz".utf8 {
                origin.receive([byte])
                await worker.settle()
            }
            let response = client.text
            #expect(response.hasPrefix("HTTP/1.1 201 Created\r\n") && response.hasSuffix("\r\n\r\nxyz"))
            #expect(worker.log.exchanges.map(\.status) == [201] && origin.isOpen)
        }
    }

    @Test func `an origin that sends its response in parts need not wait for acknowledgements`() async throws {
        try await MemoryWorker.run { worker in
            let client = await worker.connect(Self.get)
            let origin = try #require(worker.origins.channels.first)
            #expect(origin.acknowledgements == 0)
            for (part, count) in [("HTTP/1.1 200 OK\r\n", 1), ("Content-Length: 3\r\n\r\n", 2), ("xyz", 2)] {
                origin.receive(part)
                await worker.settle()
                #expect(origin.acknowledgements == count)
            }
            #expect(client.text.hasSuffix("xyz"))
            // At full speed the system does it by itself.
            client.receive(Self.get)
            await worker.settle()
            origin.receive("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + String(repeating: "x", count: 99_999))
            await worker.settle()
            #expect(origin.acknowledgements == 2)
        }
    }

    // MARK: The time to respond

    @Test func `the time to respond runs from the request's end`() async throws {
        try await MemoryWorker.run { worker in
            let client = await worker.connect("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab")
            await worker.advance(by: 200)
            client.receive("c")
            await worker.settle()
            await worker.advance(by: 119.9)
            #expect(worker.log.exchanges.isEmpty && client.text.isEmpty)
            await worker.advance(by: 0.1)
            #expect(client.text.contains("HTTP/1.1 504 ") && worker.ends == ["origin wait"])
            #expect(worker.log.exchanges.first?.failure?.message.contains("did not respond within 120 s") == true)
        }
    }

    @Test(arguments: ["HTTP/1.1 102 Processing\r\n\r\n", "HTTP/1.1 103 Early Hints\r\n\r\n"])
    func `interim responses do not make it longer`(interim: String) async throws {
        try await MemoryWorker.run { worker in
            let client = await worker.connect(Self.get)
            for _ in 0..<4 {
                try worker.origins.channel(0).receive(interim)
                await worker.advance(by: 29)
            }
            #expect(worker.log.exchanges.isEmpty)
            await worker.advance(by: 4)
            #expect(client.text.contains("HTTP/1.1 504 ") && worker.ends == ["origin wait"])
        }
    }

    @Test func `a client that sends on does not make it longer`() async throws {
        try await MemoryWorker.run { worker in
            let client = await worker.connect(Self.get)
            for _ in 0..<4 {
                client.receive("G")
                await worker.advance(by: 29)
            }
            #expect(worker.log.exchanges.isEmpty)
            client.receive("G")
            await worker.advance(by: 4)
            #expect(client.text.contains("HTTP/1.1 504 ") && worker.ends == ["origin wait"])
        }
    }

    // MARK: A body that stands still

    @Test(arguments: [
        ("Content-Length: 1000\r\n\r\nonly this", 20), ("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", 20),
        ("\r\nonly this", 20), ("Content-Length: 1000\r\n\r\nonly this", 0),
    ])
    func `a response that stands still ends, also while the client sends on`(response: String, sends: Int) async throws
    {
        try await MemoryWorker.run { worker in
            let client = await worker.connect(Self.get)
            try worker.origins.channel(0).receive("HTTP/1.1 200 OK\r\n" + response)
            await worker.settle()
            for _ in 0..<sends {
                await worker.advance(by: 299.0 / Double(sends))
                client.receive("G")
            }
            await worker.advance(by: sends == 0 ? 299 : 0)
            #expect(worker.log.exchanges.isEmpty && client.isOpen)
            await worker.advance(by: 1.1)
            #expect(worker.ends == ["origin receive"])
            // What is cut off must not look whole.
            #expect(try client.wasAborted && !worker.origins.channel(0).isOpen)
        }
    }

    @Test func `a body that moves slowly does not stand still`() async throws {
        try await MemoryWorker.run { worker in
            let client = await worker.connect(Self.get)
            try worker.origins.channel(0).receive("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n")
            for _ in 0..<20 {
                await worker.advance(by: 299)
                try worker.origins.channel(0).receive("x")
                await worker.settle()
            }
            #expect(client.text.hasSuffix("\r\n\r\n" + String(repeating: "x", count: 20)) && worker.ends == ["none "])
        }
    }

    @Test(arguments: [
        "Content-Length: 3000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n2DC6C0\r\n", "\r\n",
    ])
    func `a client that stops reading holds the origin back, and is the one at fault`(framing: String) async throws {
        try await MemoryWorker.run { worker in
            let client = await worker.connect(Self.get, window: 100_000)
            let origin = try worker.origins.channel(0)
            origin.receive("HTTP/1.1 200 OK\r\n" + framing)
            origin.receive([UInt8](repeating: 0x78, count: 3_000_000))
            await worker.settle()
            #expect(client.takeSent().count == 100_000)
            #expect(client.waiting.output.count + origin.waiting.input.count <= 2 * Limits.bufferSize)
            // What is taken now and then is progress.
            for _ in 0..<3 {
                await worker.advance(by: 299)
                client.widen(by: 1)
                await worker.settle()
            }
            await worker.advance(by: 299.9)
            #expect(worker.log.exchanges.isEmpty)
            await worker.advance(by: 0.1)
            #expect(worker.ends == ["client deliver"] && client.wasAborted && !origin.isOpen)
        }
    }

    @Test func `a client that sends on and reads nothing does not keep a mock's response alive`() async throws {
        let text = String(repeating: "x", count: 1 << 20)
        let mock = #"{"kind": "local", "routes": [{"mock": {"text": "\#(text)"}}]}"#
        try await MemoryWorker.run(profile: mock) { worker in
            let client = await worker.connect(Self.get, window: 1000)
            for _ in 0..<10 {
                await worker.advance(by: 29.9)
                client.receive("G")
            }
            #expect(worker.log.exchanges.isEmpty && client.isOpen)
            await worker.advance(by: 1.1)
            #expect(worker.log.exchanges.count == 1 && !client.isOpen)
        }
    }

    @Test(arguments: ["Content-Length: 3000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n2DC6C0\r\n"])
    func `an origin that takes no upload is the one at fault, and the client hears 504`(framing: String) async throws {
        try await MemoryWorker.run { worker in
            worker.origins.window = 1000
            let client = await worker.connect("POST / HTTP/1.1\r\nHost: a\r\n" + framing)
            client.receive([UInt8](repeating: 0x78, count: 2_000_000))
            await worker.settle()
            let origin = try worker.origins.channel(0)
            #expect(origin.takeSent().count == 1000)
            await worker.advance(by: 299.9)
            #expect(worker.log.exchanges.isEmpty)
            await worker.advance(by: 0.1)
            #expect(client.text.hasPrefix("HTTP/1.1 504 ") && worker.ends == ["origin send"] && !origin.isOpen)
        }
    }

    @Test func `a client that stops sending is the one at fault, and hears 408, whatever the origin sends`()
        async throws
    {
        try await MemoryWorker.run { worker in
            let client = await worker.connect("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
            for _ in 0..<10 {
                await worker.advance(by: 29.9)
                try worker.origins.channel(0).receive("HTTP/1.1 103 Early Hints\r\n\r\n")
            }
            #expect(worker.log.exchanges.isEmpty)
            await worker.advance(by: 1.1)
            #expect(client.text.contains("HTTP/1.1 408 ") && worker.ends == ["client send"])
        }
    }

    @Test(arguments: [
        ("", 120.0, "504", "origin wait"), ("HTTP/1.1 103 Early Hints\r\n\r\n", 120, "504", "origin wait"),
        ("HTTP/1.1 100 Continue\r\n\r\n", 300, "408", "client send"),
    ])
    func `an origin that does not say 100 Continue is the one at fault, and after it the client is`(
        interim: String, seconds: Double, status: String, end: String
    ) async throws {
        try await MemoryWorker.run { worker in
            let client = await worker.connect(
                "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n")
            try worker.origins.channel(0).receive(interim)
            await worker.advance(by: seconds - 0.1)
            #expect(worker.log.exchanges.isEmpty)
            await worker.advance(by: 0.1)
            #expect(client.text.contains("HTTP/1.1 \(status) ") && worker.ends == [end])
        }
    }

    // MARK: Tunnels

    @Test func `a tunnel may be silent for an hour, counted from the last byte of either side`() async throws {
        try await MemoryWorker.run { worker in
            let client = await worker.connect(
                "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
            let origin = try worker.origins.channel(0)
            #expect(origin.text.hasPrefix("GET /chat HTTP/1.1\r\n"))
            origin.receive(
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
            await worker.settle()
            #expect(client.text.hasPrefix("HTTP/1.1 101 "))
            for _ in 0..<3 {
                await worker.advance(by: 3599)
                client.receive("ping")
                await worker.settle()
                #expect(origin.text == "ping")
                await worker.advance(by: 3599)
                origin.receive("pong")
                await worker.settle()
                #expect(client.text == "pong")
            }
            await worker.advance(by: 3599.9)
            #expect(worker.log.exchanges.isEmpty)
            await worker.advance(by: 0.1)
            #expect(worker.ends == ["client deliver"] && !client.isOpen && !origin.isOpen)
        }
    }

    // MARK: Connections that break

    @Test(arguments: ["HTTP/1.1 200 OK\r\nContent-Le", "", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"])
    func `a client that leaves takes its origin connection with it`(response: String) async throws {
        try await MemoryWorker.run { worker in
            let client = await worker.connect(Self.get)
            let origin = try worker.origins.channel(0)
            origin.receive(response)
            await worker.settle()
            client.receiveReset()
            await worker.settle()
            #expect(worker.log.exchanges.first?.failure?.side == "client" && !origin.isOpen && !client.isOpen)
        }
    }

    @Test(arguments: [
        // Dies without a byte: a request that may be repeated is, on a fresh connection.
        ("GET", "", 2), ("DELETE", "", 2), ("POST", "", 1), ("GET", "Content-Length: 1\r\n", 1),
        // It has begun to respond: it is not dead, but faulty.
        ("GET", "HTTP/1.1 2", 1),
    ])
    func `a request on a kept connection that dies under it`(
        method: String, extra: String, connections: Int
    ) async throws {
        try await MemoryWorker.run { worker in
            // A client's first POST gets a new connection, and only one that has served twice serves another POST.
            let client = await worker.connect("POST / HTTP/1.1\r\nHost: a\r\n\r\n")
            let first = try worker.origins.channel(0)
            first.receive("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            await worker.settle()
            client.receive(Self.get)
            await worker.settle()
            first.receive("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            await worker.settle()
            #expect(client.text.hasSuffix("ok"))
            let isField = extra.hasSuffix("\r\n")
            client.receive("\(method) / HTTP/1.1\r\nHost: a\r\n\(isField ? extra : "")\r\n\(isField ? "x" : "")")
            await worker.settle()
            #expect(worker.origins.attempts == 1)
            if !isField { first.receive(extra) }
            first.receiveEnd()
            await worker.settle()
            #expect(worker.origins.attempts == connections)
            if connections == 2 {
                try worker.origins.channel(1).receive("HTTP/1.1 204 No Content\r\n\r\n")
                await worker.settle()
            }
            #expect(client.text.hasPrefix(connections == 2 ? "HTTP/1.1 204 " : "HTTP/1.1 502 "))
        }
    }

    @Test(arguments: [("apart", false), ("none", false), ("as-is", true)])
    func `a browser keeps no permission of one environment for another`(cache: String, isKept: Bool) async throws {
        let profile = Harness.origin("http://origin.test", more: #", "cache": "\#(cache)""#)
        try await MemoryWorker.run(profile: profile) { worker in
            let client = await worker.connect(
                "OPTIONS / HTTP/1.1\r\nHost: a\r\nOrigin: http://b\r\nAccess-Control-Request-Method: PUT\r\n\r\n")
            try worker.origins.channel(0).receive(
                "HTTP/1.1 204 X\r\nAccess-Control-Allow-Methods: PUT\r\nAccess-Control-Max-Age: 86400\r\n\r\n")
            await worker.settle()
            let text = client.text
            #expect(text.contains("\r\nAccess-Control-Allow-Methods: PUT\r\n"))
            #expect(text.contains("Access-Control-Max-Age: 86400\r\n") == isKept)
        }
    }
}

extension MemoryWorker {
    /// Side and stage of each exchange's failure, or none.
    var ends: [String] {
        log.exchanges.map { "\($0.failure?.side ?? "none") \($0.failure?.stage ?? "")" }
    }
}
