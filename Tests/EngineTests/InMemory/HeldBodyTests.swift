import Engine
import Exchanges
import Testing

/// Bodies that are read before a request goes on: which are, how much memory they take, and when it is given back.
@Suite struct HeldBodyTests {
    private static let form = "Content-Type: application/x-www-form-urlencoded\r\n"
    private static let json = "Content-Type: application/json\r\n"
    private static let grpc = "Content-Type: application/grpc+proto\r\n"
    private static let production =
        #"{"kind": "production", "routes": [{"origin": "http://origin.test", "allow": ["POST"]}]}"#
    private static let chain =
        #"{"kind": "local", "routes": [{"origin": ["http://origin.test", "http://other.test"]}]}"#
    private static let template = #"{"kind": "local", "routes": [{"mock": {"template": true, "text": "{{body.a}}"}}]}"#

    private static func matching(_ more: String = "") -> String {
        """
        {"kind": "local", "routes": [
            {"match": {"json": {"a": 1}}, \(more) "mock": {}}, {"origin": "http://origin.test"}]}
        """
    }

    private static func limits(_ held: Int = 256 << 20) -> Limits {
        var limits = Limits()
        limits.heldBodies = held
        return limits
    }

    private static func head(_ fields: String, _ length: Int) -> String {
        "POST / HTTP/1.1\r\nHost: a\r\n\(fields)Content-Length: \(length)\r\n\r\n"
    }

    /// A body of JSON, which is no parameter of a form either.
    private static func body(_ length: Int) -> String {
        #"{"a":""# + String(repeating: "x", count: length - 8) + #""}"#
    }

    enum End: CaseIterable { case response, clientLeaves, reset, cancelled, originFails }

    @Test(
        arguments: [(production, form), (production, json), (chain, json), (matching(), json), (template, json)],
        End.allCases)
    func `memory is given back at each end`(held: (profile: String, fields: String), end: End) async throws {
        try await MemoryWorker.run(profile: held.profile) { worker in
            let body = Self.body(20_000)
            let client = await worker.connect(Self.head(held.fields, 20_000) + body.prefix(10_000))
            #expect(worker.state.held.count >= 10_000)
            switch end {
            case .response, .originFails:
                if end == .originFails {
                    worker.origins.failure = EngineFailure(.origin, .connect, status: 502, "gone")
                }
                client.receive(String(body.dropFirst(10_000)))
                await worker.settle()
                for origin in worker.origins.channels { origin.receive("HTTP/1.1 204 No Content\r\n\r\n") }
                await worker.settle()
                #expect(client.text.hasPrefix("HTTP/1.1 "))
            case .clientLeaves: client.receiveEnd()
            case .reset: client.receiveReset()
            case .cancelled: worker.cancel(client)
            }
            await worker.settle()
            #expect(worker.state.held.count == 0)
        }
    }

    @Test func `beyond the limit requests get 503 until others are through, and small ones pass`() async throws {
        try await MemoryWorker.run(Self.limits(24 << 10), profile: Self.production) { worker in
            let first = await worker.connect(Self.head(Self.json, 20_000) + Self.body(20_000).prefix(19_000))
            let second = await worker.connect(Self.head(Self.json, 20_000) + Self.body(20_000).prefix(19_000))
            let refusal = second.text
            #expect(refusal.hasPrefix("HTTP/1.1 503 ") && refusal.contains("--held-bodies"), "\(refusal)")
            let small = await worker.connect(Self.head(Self.json, 40) + Self.body(40))
            try worker.origins.channel(0).receive("HTTP/1.1 204 No Content\r\n\r\n")
            await worker.settle()
            #expect(small.text.hasPrefix("HTTP/1.1 204 "))
            first.receiveReset()
            await worker.settle()
            #expect(worker.state.held.count == 0)
            let third = await worker.connect(Self.head(Self.json, 20_000) + Self.body(20_000))
            #expect(!third.text.hasPrefix("HTTP/1.1 503 "))
        }
    }

    @Test func `a chain streams what it cannot hold`() async throws {
        try await MemoryWorker.run(Self.limits(8 << 10), profile: Self.chain) { worker in
            let client = await worker.connect(Self.head(Self.json, 20_000) + Self.body(20_000).prefix(19_000))
            let origin = try worker.origins.channel(0)
            #expect(origin.text.contains("xxxx"))
            client.receive(String(Self.body(20_000).dropFirst(19_000)))
            origin.receive("HTTP/1.1 204 No Content\r\n\r\n")
            await worker.settle()
            #expect(client.text.hasPrefix("HTTP/1.1 204 ") && worker.state.held.count == 0)
        }
    }

    /// Profile, method, fields, and whether the body is held to its end.
    private static let rows: [(String, String, String, Bool)] = [
        (chain, "POST", json, true), (chain, "POST", grpc, false), (chain, "GET", "", false),
        (matching(), "POST", json, true), (matching(), "POST", form, true), (matching(), "POST", "", true),
        (matching(), "POST", grpc, false),
        (matching(), "POST", "Content-Type: multipart/form-data; boundary=b\r\n", false),
        (matching(), "POST", "Content-Type: Image/PNG\r\n", false),
        (matching(), "POST", json + "Content-Encoding: gzip\r\n", false), (matching(), "GET", json, true),
        (matching(#""method": "POST","#), "GET", json, false), (matching(#""path": "/other","#), "POST", json, false),
        (matching(#""headers": {"X-A": "b"},"#), "POST", json, false),
    ]

    @Test(arguments: rows)
    func `the body is held only where it can decide`(
        profile: String, method: String, fields: String, isHeld: Bool
    ) async throws {
        try await MemoryWorker.run(profile: profile) { worker in
            let client = await worker.connect(
                "\(method) / HTTP/1.1\r\nHost: a\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
            #expect((worker.origins.channels.first?.text.contains("one") ?? false) == !isHeld)
            client.receive("0\r\n\r\n")
            await worker.settle()
            try worker.origins.channel(0).receive("HTTP/1.1 204 No Content\r\n\r\n")
            await worker.settle()
            #expect(client.text.hasPrefix("HTTP/1.1 204 "))
        }
    }
}
