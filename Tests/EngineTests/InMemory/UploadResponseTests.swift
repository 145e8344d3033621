import Bytes
import Engine
import Exchanges
import Testing

/// Responses that come before a long upload has ended.
@Suite struct UploadResponseTests {
    private static let body = [UInt8](repeating: 0x78, count: 10_000_000)

    private static func head(_ path: String, isChunked: Bool = false) -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\n"
            + (isChunked ? "Transfer-Encoding: chunked\r\n\r\n989680\r\n" : "Content-Length: \(body.count)\r\n\r\n")
    }

    private static let profile = """
        {"kind": "local", "routes": [
          {"path": "/mock", "mock": {"text": "done"}}, {"path": "/away", "redirect": "/mock", "status": 307},
          {"path": "/status", "origin": "http://origin.test", "fault": {"kind": "status", "status": 503}},
          {"path": "/origin", "origin": "http://origin.test"}, {"path": "/files/*", "files": "."}]}
        """

    @Test(
        arguments: [
            ("/mock", 200), ("/away", 307), ("/status", 503), ("/none", 404), ("/files/a", 405), ("/origin", 502),
        ], [false, true])
    func `an upload is read to its end, and the next request served`(response: (String, Int), isChunked: Bool)
        async throws
    {
        try await MemoryWorker.run(profile: Self.profile) { worker in
            worker.origins.failure = EngineFailure(.origin, .connect, status: 502, "there is none")
            let client = await worker.connect(Self.head(response.0, isChunked: isChunked))
            #expect(client.text.hasPrefix("HTTP/1.1 \(response.1) "))
            for start in stride(from: 0, to: Self.body.count, by: 1_000_000) {
                client.receive(Self.body[start..<start + 1_000_000])
                await worker.advance(by: 1)
            }
            client.receive((isChunked ? "\r\n0\r\n\r\n" : "") + "GET /mock HTTP/1.1\r\nHost: a\r\n\r\n")
            await worker.settle()
            await worker.settle()
            #expect(client.isOpen && client.text.hasSuffix("\r\n\r\ndone"))
        }
    }

    @Test func `an origin's own early response arrives, and the rest of the upload is dropped`() async throws {
        try await MemoryWorker.run { worker in
            let client = await worker.connect(Self.head("/"))
            client.receive(Self.body[..<1_000_000])
            await worker.settle()
            try worker.origins.channel(0).receive(
                "HTTP/1.1 413 X\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlong")
            try worker.origins.channel(0).receiveEnd()
            await worker.settle()
            client.receive(Self.body[1_000_000...])
            await worker.settle()
            #expect(client.text.hasSuffix("\r\n\r\nlong") && client.isOpen)
        }
    }

    @Test func `what is dropped is bounded in bytes, in time, and in pauses`() async throws {
        var limits = Limits()
        limits.discardedBody = 1 << 20
        let profile = Self.profile
        try await MemoryWorker.run(limits, profile: profile) { worker in
            let client = await worker.connect(Self.head("/mock"))
            client.receive(Self.body[..<2_000_000])
            await worker.settle()
            #expect(!client.isOpen && client.text.hasSuffix("done"))
        }
        try await MemoryWorker.run(profile: profile) { worker in
            let slow = await worker.connect(Self.head("/mock"))
            await worker.advance(by: 4.9)
            #expect(slow.isOpen)
            await worker.advance(by: 0.1)
            #expect(!slow.isOpen)
            let trickling = await worker.connect(Self.head("/mock"))
            for _ in 0..<74 {
                trickling.receive("x")
                await worker.advance(by: 4)
            }
            #expect(trickling.isOpen)
            trickling.receive("x")
            await worker.advance(by: 4)
            #expect(!trickling.isOpen)
        }
    }
}
