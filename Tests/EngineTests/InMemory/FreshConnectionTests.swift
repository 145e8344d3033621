import Bytes
import Engine
import Exchanges
import Testing

/// Which connections serve requests that cannot be sent twice.
@Suite struct FreshConnectionTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"

    /// The origin responds on its connection of that number.
    private static func respond(_ number: Int, _ worker: isolated MemoryWorker, fields: String = "") async throws {
        try worker.origins.channel(number).receive("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 2\r\n\r\nok")
        await worker.settle()
    }

    @Test func `a client's first request that cannot be repeated gets a new connection`() async throws {
        try await MemoryWorker.run { worker in
            let first = await worker.connect(Self.get)
            try await Self.respond(0, worker)
            first.receive(Self.get)
            await worker.settle()
            try await Self.respond(0, worker)
            let second = await worker.connect(Self.post)
            try await Self.respond(1, worker)
            #expect(worker.origins.attempts == 2)
            // The origin keeps connections, as the second GET has shown.
            second.receive(Self.post)
            await worker.settle()
            try await Self.respond(1, worker)
            #expect(worker.origins.attempts == 2 && worker.ends == ["none ", "none ", "none ", "none "])
        }
    }

    @Test func `an origin that ends each connection without a word loses no request`() async throws {
        try await MemoryWorker.run { worker in
            worker.reapIdleConnections()
            let client = await worker.connect()
            for number in 0..<30 {
                client.receive(Self.post)
                await worker.settle()
                try await Self.respond(number, worker)
                // Its end comes after the next request has begun, or before.
                if number % 2 == 0 {
                    try worker.origins.channel(number).receiveEnd()
                    await worker.settle()
                }
            }
            #expect(worker.origins.attempts == 30 && Set(worker.ends) == ["none "])
        }
    }

    @Test func `an origin that has kept a connection for a second is trusted`() async throws {
        try await MemoryWorker.run { worker in
            worker.reapIdleConnections()
            let client = await worker.connect(Self.post)
            try await Self.respond(0, worker)
            await worker.advance(by: 1.1)
            await worker.advance(by: 1.1)
            client.receive(Self.post)
            await worker.settle()
            #expect(worker.origins.attempts == 1)
        }
    }

    /// Each row: what the origin says, and the seconds for which its connection is used again.
    @Test(arguments: [
        ("Keep-Alive: timeout=5\r\n", 4.0), ("Keep-Alive: max=10, Timeout = 5\r\n", 4),
        ("Keep-Alive: timeout=x\r\n", 60), ("Keep-Alive: timeout=99999999999999999999\r\n", 60),
        ("Keep-Alive: timeout=18446744073709551615\r\n", 60), ("Keep-Alive: timeout=600\r\n", 60), ("", 60),
    ])
    func `a connection is used for a second less than its origin keeps it`(fields: String, seconds: Double) async throws
    {
        try await MemoryWorker.run { worker in
            worker.reapIdleConnections()
            _ = await worker.connect(Self.get)
            try await Self.respond(0, worker, fields: fields)
            await worker.advance(by: seconds - 0.1)
            #expect(worker.pool.idleCount == 1)
            await worker.advance(by: 0.1)
            #expect(worker.pool.idleCount == 0)
        }
    }

    @Test(arguments: [0, 1])
    func `one that is kept for no longer than a second is not kept`(seconds: Int) async throws {
        try await MemoryWorker.run { worker in
            _ = await worker.connect(Self.get)
            try await Self.respond(0, worker, fields: "Keep-Alive: timeout=\(seconds)\r\n")
            let origin = try worker.origins.channel(0)
            #expect(worker.pool.idleCount == 0 && !origin.isOpen)
        }
    }
}
