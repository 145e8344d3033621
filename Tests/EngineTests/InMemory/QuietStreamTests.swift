import Bytes
import Engine
import Exchanges
import Profiles
import Testing

/// Streams whose pauses mean nothing, and the limits of all others.
@Suite struct QuietStreamTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let local = Harness.origin("http://origin.test")

    @Test(arguments: ["text/event-stream", "Text/Event-Stream; charset=utf-8", "application/grpc+proto"])
    func `a stream of events may be silent for any time`(type: String) async throws {
        try await MemoryWorker.run { worker in
            let client = await worker.connect(Self.get)
            let origin = try worker.origins.channel(0)
            origin.receive("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n")
            await worker.advance(by: 100_000)
            origin.receive("5\r\nhello\r\n0\r\n\r\n")
            await worker.settle()
            #expect(client.text.hasSuffix("5\r\nhello\r\n0\r\n\r\n") && worker.ends == ["none "])
        }
    }

    @Test func `a call of gRPC may be silent before its request has ended`() async throws {
        try await MemoryWorker.run { worker in
            let client = await worker.connect(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/grpc\r\nTransfer-Encoding: chunked\r\n\r\n")
            await worker.advance(by: 100_000)
            client.receive("1\r\na\r\n0\r\n\r\n")
            await worker.settle()
            let request = try worker.origins.channel(0).text
            #expect(request.hasSuffix("1\r\na\r\n0\r\n\r\n") && worker.ends.isEmpty)
        }
    }

    @Test func `what a debugger may have stopped is waited for, unless there is a limit`() async throws {
        try await MemoryWorker.run(profile: Self.local) { worker in
            let client = await worker.connect(Self.get)
            await worker.advance(by: 100_000)
            try worker.origins.channel(0).receive("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")
            await worker.advance(by: 100_000)
            try worker.origins.channel(0).receive("llo")
            await worker.settle()
            #expect(client.text.hasSuffix("hello") && worker.ends == ["none "])
        }
        var limits = Limits()
        limits.responseTime = 200 * Limits.second
        try await MemoryWorker.run(limits, profile: Self.local) { worker in
            let client = await worker.connect(Self.get)
            await worker.advance(by: 199)
            #expect(worker.ends.isEmpty)
            await worker.advance(by: 1)
            #expect(client.text.hasPrefix("HTTP/1.1 504 ") && worker.ends == ["origin wait"])
        }
    }

    /// Each row: what the origin has sent, seconds until the log has a line, and the option that it names.
    @Test(arguments: [
        ("", 60.0, "`--response-timeout` sets the limit."),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", 150, "`--body-timeout` sets the limit."),
    ])
    func `the log names a limit before it is reached`(sent: String, seconds: Double, option: String) async throws {
        try await MemoryWorker.run { worker in
            let client = await worker.connect(Self.get)
            try worker.origins.channel(0).receive(sent)
            await worker.settle()
            await worker.advance(by: seconds - 0.1)
            #expect(worker.stalled.isEmpty)
            await worker.advance(by: 0.1)
            #expect(worker.stalled.count == 1 && worker.log.exchanges.isEmpty)
            #expect(worker.stalled.first?.contains(option) == true, "\(worker.stalled)")
            await worker.advance(by: seconds - 0.1)
            #expect(worker.log.exchanges.isEmpty && client.isOpen)
            await worker.advance(by: 0.1)
            #expect(worker.stalled.count == 1 && worker.log.exchanges.count == 1)
        }
    }
}
