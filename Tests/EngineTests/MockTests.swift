import Engine
import Exchanges
import TestSupport
import Testing

/// Responses of Shunt's own.
@Suite struct MockTests {
    @Test func `a mock may have more fields than a buffer takes`() async throws {
        let value = String(repeating: "a", count: 70_000)
        let profile = #"{"kind": "local", "routes": [{"mock": {"text": "hi", "headers": {"X": "\#(value)"}}}]}"#
        try await MemoryWorker.run(profile: profile) { worker in
            let client = await worker.connect()
            for _ in 0..<2 {
                client.receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                await worker.settle()
                let response = client.text
                #expect(response.hasPrefix("HTTP/1.1 200 OK\r\nX: aaa") && response.hasSuffix("\r\n\r\nhi"))
                #expect(response.utf8.count > 70_000 && client.isOpen)
            }
        }
    }

    @Test(arguments: [(ClientKind.h1, 70_000, 200), (.h1, 262_000, 200), (.h1, 263_000, 500), (.h2c, 263_000, 500)])
    func `fields that are too long for a head are refused, and so logged`(
        client: ClientKind, count: Int, status: Int
    ) async throws {
        let value = String(repeating: "a", count: count)
        let mock = #""mock": {"text": "hi", "headers": {"X": "\#(value)"}}"#
        let harness = try await Harness.start(
            profiles: ["only": "{\"kind\": \"local\", \"routes\": [{\(mock)}]}"], active: "only")
        let port = harness.port
        let seen = try await blocking { try client.ask(port, "GET", "/") }
        await harness.stop()
        #expect(seen.status.hasSuffix(" \(status)"), "\(seen.status)")
        #expect(harness.log.exchanges.map(\.status) == [status])
    }

    @Test(arguments: ClientKind.allCases, [true, false])
    func `what a client sends to a mock is counted`(client: ClientKind, hasLength: Bool) async throws {
        let harness = try await Harness.start(
            profiles: ["only": #"{"kind": "local", "routes": [{"mock": {"text": "hi"}}]}"#], active: "only")
        let (port, log) = (harness.port, harness.log)
        let seen = try await blocking {
            let seen = try client.ask(port, "POST", "/", body: "hello", hasLength: hasLength)
            // Whether it comes before the end of the response is left to chance.
            #expect(eventually { !log.exchanges.isEmpty })
            return seen
        }
        await harness.stop()
        #expect(seen.body == "hi")
        #expect(log.exchanges.map(\.bytes.request) == [5] && log.exchanges.map(\.bytes.response) == [2])
    }

    @Test func `the body of a client that wants the connection closed is recorded, though the response comes first`()
        async throws
    {
        let harness = try await Harness.start(
            profiles: ["only": #"{"kind": "local", "routes": [{"mock": {"text": "hi"}}]}"#], active: "only")
        let (port, log) = (harness.port, harness.log)
        let rest = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\n")
            _ = try client.readHead()
            #expect(try client.read(count: 2) == "hi")
            try client.send("hello")
            let rest = try client.readToEnd()
            #expect(eventually { !log.exchanges.isEmpty })
            return rest
        }
        await harness.stop()
        #expect(rest == "" && log.exchanges.map(\.bytes.request) == [5])
    }
}
