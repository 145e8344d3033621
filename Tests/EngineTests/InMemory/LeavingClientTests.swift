import Bytes
import Engine
import Exchanges
import Testing

/// Clients that close their sending side while they wait.
@Suite struct LeavingClientTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    /// What an origin has sent when its client leaves.
    @Test(arguments: [
        "", "HTTP/1.1 103 Early Hints\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n",
    ])
    func `a client that leaves ends its request at the origin at once`(sent: String) async throws {
        try await MemoryWorker.run { worker in
            let client = await worker.connect(Self.get)
            let origin = try worker.origins.channel(0)
            origin.receive(sent)
            await worker.settle()
            #expect(origin.isOpen)
            client.receiveEnd()
            await worker.settle()
            #expect(!origin.isOpen && worker.ends == ["client deliver"])
        }
    }

    @Test func `it ends an upload and the opening of a connection, too`() async throws {
        try await MemoryWorker.run { worker in
            worker.origins.window = 10
            let client = await worker.connect("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
            client.receiveEnd()
            await worker.settle()
            let origin = try worker.origins.channel(0)
            #expect(!origin.isOpen && worker.ends == ["client deliver"])
            worker.origins.areHeld = true
            let next = await worker.connect(Self.get)
            next.receiveEnd()
            await worker.settle()
            worker.origins.areHeld = false
            await worker.settle()
            #expect(worker.ends == ["client deliver", "client deliver"] && worker.pool.idleCount == 0)
        }
    }

    @Test func `a response that is ready is still sent, however slowly it is read`() async throws {
        let body = String(repeating: "x", count: 50_000)
        try await MemoryWorker.run { worker in
            let client = await worker.connect(Self.get, window: 1000)
            try worker.origins.channel(0).receive(
                "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body)
            client.receiveEnd()
            await worker.settle()
            for _ in 0..<60 {
                client.widen(by: 1000)
                await worker.settle()
            }
            #expect(client.text.hasSuffix("\r\n\r\n" + body) && worker.ends == ["none "])
        }
    }

    static let patient = #""halfClose": true"#

    /// Each row: keys of the profile, the route, and whether the response comes.
    @Test(arguments: [
        ("", #"{"mock": {"text": "hello"}}"#, true),
        ("", #"{"mock": {"text": "hello", "delay": "5s"}}"#, false),
        (patient + ",", #"{"mock": {"text": "hello", "delay": "5s"}}"#, true),
        ("", #"{"mock": {"text": "hello", "delay": "5s"}, \#(patient)}"#, true),
        (patient + ",", #"{"mock": {"text": "hello", "delay": "5s"}, "halfClose": false}"#, false),
        ("", #"{"mock": {"text": "hello"}, "network": {"latency": "2s"}}"#, false),
        (patient + ",", #"{"mock": {"text": "hello"}, "network": {"latency": "2s"}}"#, true),
    ])
    func `one rule holds for all that respond`(keys: String, route: String, responds: Bool) async throws {
        try await MemoryWorker.run(profile: #"{"kind": "local", \#(keys) "routes": [\#(route)]}"#) { worker in
            let client = await worker.connect()
            client.receive(Self.get)
            client.receiveEnd()
            await worker.settle()
            await worker.advance(by: 6)
            let text = client.text
            #expect(text.hasSuffix("\r\n\r\nhello") == responds)
            // A client that still reads is told what it needs.
            #expect(text.contains("\"halfClose\": true") == !responds)
        }
    }

    @Test func `with halfClose an origin is waited for`() async throws {
        let profile = Harness.origin("http://origin.test", more: ", " + Self.patient)
        try await MemoryWorker.run(profile: profile) { worker in
            let client = await worker.connect()
            client.receive(Self.get)
            client.receiveEnd()
            await worker.settle()
            await worker.advance(by: 100)
            try worker.origins.channel(0).receive("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            await worker.settle()
            #expect(client.text.hasSuffix("hello") && worker.ends == ["none "])
        }
    }
}
