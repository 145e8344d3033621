import Engine
import Foundation
import Profiles
import Reactor
import TestSupport
import Testing

/// Responses from streams that a test makes content for.
private struct Streams: Handler {
    let isEndless: Bool
    /// Works on a thread of its own.
    let make: @Sendable (HandledStream) -> Void

    func response(_ request: HandledRequest) async -> HandledResponse {
        guard request.target == "/stream" else {
            return HandledResponse(status: 200, fields: [("A", "1")], body: Array("whole".utf8))
        }
        let stream = HandledStream(limit: 1000, isEndless: isEndless)
        startThread { make(stream) }
        return HandledResponse(status: 200, fields: [("Content-Type", "text/plain")], stream: stream)
    }
}

/// Content of responses that is made while it is sent.
@Suite struct HandledStreamTests {
    private func serve(
        isEndless: Bool = false, _ make: @escaping @Sendable (HandledStream) -> Void
    ) async throws -> Proxy {
        try await Proxy.start(
            Proxy.Configuration(addresses: [.loopback(.ipv4, port: 0)]),
            handler: Streams(isEndless: isEndless, make: make))
    }

    private func end(_ proxy: Proxy) async {
        await proxy.abort()
        await proxy.drain()
        proxy.stop()
    }

    private static let ask = "/stream HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `pieces come as chunks, and the connection goes on`() async throws {
        let proxy = try await serve { stream in
            _ = stream.send(Array("one".utf8))
            _ = stream.send([UInt8](repeating: 0x78, count: 200_000))
            stream.finish()
        }
        let port = proxy.addresses[0].port
        try await blocking {
            let client = try RawConnection.connect(port)
            for _ in 0..<2 {
                try client.send("GET \(Self.ask)")
                let head = try client.readHead()
                #expect(head.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"))
                #expect(head.contains("Transfer-Encoding: chunked\r\n") && !head.contains("Content-Length"))
                var body = 0
                while true {
                    let size = Int(try client.read(until: "\r\n").dropLast(), radix: 16) ?? -1
                    try #require(size >= 0)
                    body += try client.readBytes(size).count
                    #expect(try client.read(count: 2) == "\r\n")
                    if size == 0 { break }
                }
                #expect(body == 200_003)
            }
            try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(try client.readToEnd().hasSuffix("\r\n\r\nwhole"))
        }
        await end(proxy)
    }

    @Test func `HTTP 1.0 gets it up to the end of the connection, and HEAD the head alone`() async throws {
        let gone = Kept(0)
        let proxy = try await serve { stream in
            _ = stream.send(Array("one".utf8))
            _ = stream.send(Array("two".utf8))
            stream.finish()
            while !stream.isCancelled { _ = stream.pause(milliseconds: 1000) }
            gone.change { $0 += 1 }
        }
        let port = proxy.addresses[0].port
        try await blocking {
            let old = try RawConnection.connect(port)
            try old.send("GET /stream HTTP/1.0\r\nHost: a\r\n\r\n")
            let text = try old.readToEnd()
            #expect(text.hasSuffix("\r\n\r\nonetwo") && text.contains("Connection: close\r\n"))
            #expect(!text.contains("chunked"))
            let head = try RawConnection.connect(port)
            try head.send("HEAD \(Self.ask)GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(try head.readHead().contains("Transfer-Encoding: chunked\r\n"))
            #expect(try head.readToEnd().hasPrefix("HTTP/1.1 200 OK\r\nA: 1\r\n"))
            #expect(eventually { gone.value == 2 })
        }
        await end(proxy)
    }

    @Test func `a client that does not read holds up the maker, and nobody else`() async throws {
        let made = Kept(0)
        let hasEnded = Kept(false)
        let proxy = try await serve { stream in
            while stream.send([UInt8](repeating: 0x78, count: 10_000)) { made.change { $0 += 10_000 } }
            hasEnded.change { $0 = true }
        }
        let port = proxy.addresses[0].port
        try await blocking {
            let slow = try RawConnection.connect(port, receiveBuffer: 4096)
            try slow.send("GET \(Self.ask)")
            _ = try slow.readHead()
            // More than the system's buffers hold and little of ours: made within a blink if nothing held it up.
            #expect(!eventually(within: 1) { made.value > 16 << 20 })
            #expect(made.value > 0)
            let other = try RawConnection.connect(port)
            try other.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(try other.readToEnd().hasSuffix("whole"))
            #expect(!hasEnded.value)
            slow.reset()
            #expect(eventually { hasEnded.value })
        }
        await end(proxy)
    }

    @Test(arguments: [false, true])
    func `what has no end ends when the client leaves`(isReset: Bool) async throws {
        let hasEnded = Kept(false)
        let proxy = try await serve(isEndless: true) { stream in
            _ = stream.send(Array("x".utf8))
            while stream.pause(milliseconds: 60_000) {}
            hasEnded.change { $0 = true }
        }
        let port = proxy.addresses[0].port
        try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET \(Self.ask)")
            #expect(try client.read(until: "1\r\nx\r\n").hasSuffix("x\r\n"))
            #expect(!hasEnded.value)
            if isReset { client.reset() } else { client.close() }
            #expect(eventually { hasEnded.value })
        }
        await end(proxy)
    }

    @Test func `what has no end ends in order when Shunt drains`() async throws {
        let hasEnded = Kept(false)
        let proxy = try await serve(isEndless: true) { stream in
            _ = stream.send(Array("x".utf8))
            while stream.pause(milliseconds: 60_000) {}
            hasEnded.change { $0 = true }
        }
        let port = proxy.addresses[0].port
        let client = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET \(Self.ask)")
            _ = try client.read(until: "1\r\nx\r\n")
            return client
        }
        await proxy.drain()
        try await blocking {
            let rest = try client.readToEnd()
            #expect(rest == "0\r\n\r\n")
            #expect(eventually { hasEnded.value })
        }
        proxy.stop()
    }

    @Test func `a client that only says no more still gets a response that has an end`() async throws {
        let mayFinish = Kept(false)
        let proxy = try await serve { stream in
            _ = stream.send(Array("x".utf8))
            while !mayFinish.value, stream.pause(milliseconds: 10) {}
            _ = stream.send(Array("y".utf8))
            stream.finish()
        }
        let port = proxy.addresses[0].port
        try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET \(Self.ask)")
            _ = try client.read(until: "1\r\nx\r\n")
            client.shutdownWrite()
            mayFinish.change { $0 = true }
            #expect(try client.readToEnd() == "1\r\ny\r\n0\r\n\r\n")
        }
        await end(proxy)
    }

    @Test func `what cannot be made to its end has no last chunk`() async throws {
        let proxy = try await serve { stream in
            _ = stream.send(Array("x".utf8))
            stream.fail()
        }
        let port = proxy.addresses[0].port
        try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET \(Self.ask)")
            #expect(try client.readToEnd().hasSuffix("\r\n\r\n1\r\nx\r\n"))
        }
        await end(proxy)
    }
}
