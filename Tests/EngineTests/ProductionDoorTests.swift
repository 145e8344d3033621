import Engine
import HTTP2
import TestSupport
import Testing

/// Ways to say a request that could get a change past the guard of production.
@Suite struct ProductionDoorTests {
    /// `/search/*` lets POST through, and `mocked` asks nobody.
    private func start(_ origin: ChainTests.Named) async throws -> Harness {
        try await Harness.start(
            profiles: [
                "production": """
                {"kind": "production", "routes": [
                  {"origin": "\(origin.url)"}, {"path": "/search/*", "origin": "\(origin.url)", "allow": ["POST"]}]}
                """,
                "staging": Harness.origin(origin.url, kind: "staging"),
                "mocked": #"{"kind": "local", "routes": [{"mock": {"status": 204}}]}"#,
            ], active: "production")
    }

    private static let end = "Connection: close\r\n\r\n"
    private static let key =
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

    /// What is sent, the statuses of the responses, and how many requests arrive.
    @Test(
        arguments: [
            // Methods are told apart by case, and what is unknown is not safe.
            ("post / HTTP/1.1\r\nHost: x\r\n" + end, [403], 0), ("Get / HTTP/1.1\r\nHost: x\r\n" + end, [403], 0),
            ("PROPFIND / HTTP/1.1\r\nHost: x\r\n" + end, [403], 0), ("MKCOL / HTTP/1.1\r\nHost: x\r\n" + end, [403], 0),
            ("QUERY / HTTP/1.1\r\nHost: x\r\n" + end, [403], 0),
            ("CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n" + end, [501], 0),
            // HTTP/1.0, and the spellings of a target and a host.
            ("DELETE / HTTP/1.0\r\n\r\n", [403], 0), ("POST / HTTP/1.0\r\nContent-Length: 1\r\n\r\nx", [403], 0),
            ("DELETE http://x/ HTTP/1.1\r\nHost: x\r\n" + end, [403], 0),
            ("DELETE http://mocked--x/ HTTP/1.1\r\nHost: production--x\r\n" + end, [204], 0),
            ("DELETE http://production--x/ HTTP/1.1\r\nHost: mocked--x\r\n" + end, [403], 0),
            ("DELETE / HTTP/1.1\r\nHost: X.:80\r\n" + end, [403], 0),
            ("DELETE / HTTP/1.1\r\nHost: [::1]\r\n" + end, [403], 0),
            ("DELETE / HTTP/1.1\r\nHost: STAGING--x\r\n" + end, [403], 0),
            ("DELETE / HTTP/1.1\r\nHost: MOCKED--x.\r\n" + end, [204], 0),
            // Whose profile it is has to be said once.
            ("DELETE / HTTP/1.1\r\nHost: x\r\nShunt-Profile: mocked\r\nShunt-Profile: production\r\n" + end, [400], 0),
            ("DELETE / HTTP/1.1\r\nHost: x\r\nShunt-Profile: mocked, production\r\n" + end, [400], 0),
            // Each request on a connection is looked at by itself.
            ("GET / HTTP/1.1\r\nHost: x\r\n\r\nDELETE / HTTP/1.1\r\nHost: x\r\n" + end, [200, 403], 1),
            (
                "POST /search/a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nxDELETE / HTTP/1.1\r\nHost: x\r\n"
                    + end,
                [200, 403], 1
            ),
            (
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 30\r\n\r\nDELETE / HTTP/1.1\r\nHost: x\r\n\r\n"
                    + "GET /a HTTP/1.1\r\nHost: x\r\n" + end, [403, 200], 1
            ),
            // Upgrades, whichever is meant.
            ("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n" + key, [403], 0),
            ("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: a, websocket\r\n" + key, [403], 0),
            ("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: IRC/6.9\r\n\r\n", [403], 0),
            (
                "DELETE / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                    + "HTTP2-Settings: AA\r\n\r\n", [403], 0
            ),
            // A field that Connection names does not go on, and counts.
            (
                "GET / HTTP/1.1\r\nHost: x\r\nX-HTTP-Method-Override: DELETE\r\n"
                    + "Connection: close, X-HTTP-Method-Override\r\n\r\n", [403], 0
            ),
            ("DELETE / HTTP/1.1\r\nHost: x\r\nMax-Forwards: 0\r\n" + end, [403], 0),
            ("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx", [403], 0),
        ] as [(String, [Int], Int)])
    func `no spelling of a request gets past the guard`(text: String, statuses: [Int], arriving: Int) async throws {
        let origin = ChainTests.Named("done")
        let harness = try await start(origin)
        let withResponse = try await blocking { [port = harness.port] in
            let client = try RawConnection.connect(port)
            try client.send(text)
            // Connections that are upgraded would stay open.
            if arriving == 0 { client.shutdownWrite() }
            return try client.readToEnd()
        }
        let seen = withResponse.split(separator: "HTTP/1.1 ").compactMap { Int($0.prefix(3)) }
        #expect(seen == statuses, "\(withResponse)")
        #expect(origin.received.count == arriving)
        await harness.stop()
    }

    /// Heads over HTTP/2 as their text, and the status; a WebSocket travels as an extended CONNECT (RFC 8441).
    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 200), ("DELETE / HTTP/1.1\r\nHost: x\r\n\r\n", 403),
        ("post / HTTP/1.1\r\nHost: x\r\n\r\n", 403), ("GET / HTTP/1.1\r\nHost: x\r\nx-http-method: PUT\r\n\r\n", 403),
        ("GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" + key, 403),
        ("DELETE / HTTP/1.1\r\nHost: mocked--x\r\n\r\n", 204), ("DELETE / HTTP/1.1\r\nHost: staging--x\r\n\r\n", 403),
        ("POST /search/..%2fa HTTP/1.1\r\nHost: x\r\n\r\n", 403), ("POST /search/a HTTP/1.1\r\nHost: x\r\n\r\n", 200),
    ])
    func `HTTP2 without TLS leads through the same guard`(head: String, status: Int) async throws {
        let origin = ChainTests.Named("done")
        let harness = try await start(origin)
        try await blocking { [port = harness.port] () throws in
            let wire = try HTTP2Wire.connect(port)
            try wire.run("the settings") { wire.peer.session.hasSettings }
            let isTunnel = head.contains("Upgrade")
            let recorder = try wire.request(head, body: isTunnel ? "" : nil, ends: !isTunnel)
            try wire.run("the response") { !recorder.heads.isEmpty }
            #expect(recorder.heads.first?.hasPrefix("HTTP/1.1 \(status) ") == true, "\(recorder.heads)")
        }
        #expect(origin.received.count == (status == 200 ? 1 : 0))
        await harness.stop()
    }

    @Test func `a connection that is kept is held to the profiles of each moment`() async throws {
        let origin = ChainTests.Named("done")
        let staging = Harness.origin(origin.url, kind: "staging")
        let harness = try await Harness.start(profiles: ["staging": staging], active: "staging")
        let client = try RawConnection.connect(harness.port)
        // Used by one call after the other.
        nonisolated(unsafe) let wire = try HTTP2Wire.connect(harness.port)
        func post() async throws -> [String] {
            try await blocking { () throws in
                try client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx")
                let head = try client.readHead()
                if let range = head.firstRange(of: "Content-Length: ") {
                    _ = try client.read(count: Int(head[range.upperBound...].prefix { $0.isNumber }) ?? 0)
                }
                let recorder = try wire.request(
                    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n", body: "x")
                try wire.finish(recorder)
                return [head, recorder.heads.first ?? ""].map { String($0.dropFirst(9).prefix(3)) }
            }
        }
        #expect(try await post() == ["200", "200"])
        let production = Harness.origin(origin.url, kind: "production")
        try harness.proxy.replace(with: Harness.library(["staging": production]))
        #expect(try await post() == ["403", "403"])
        try harness.proxy.locks.unlock("staging", seconds: 60, reason: "test")
        #expect(try await post() == ["200", "200"])
        harness.proxy.locks.lock("staging")
        #expect(try await post() == ["403", "403"])
        #expect(origin.received.count == 4)
        client.close()
        await harness.stop()
    }
}
