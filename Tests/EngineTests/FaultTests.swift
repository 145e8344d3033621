import Engine
import Exchanges
import TestSupport
import Testing

/// What routes let go wrong with their responses, as one connection without TLS sees it; other clients are in
/// `FaultClientTests`.
@Suite struct FaultTests {
    private static func profile(_ fault: String, _ responder: String = #""mock": {"text": "0123456789"}"#) -> String {
        #"{"kind": "local", "routes": [{\#(responder), "fault": \#(fault)}]}"#
    }

    private static func get(_ port: UInt16, _ method: String = "GET") throws -> String {
        let client = try RawConnection.connect(port)
        try client.send("\(method) / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        return try client.readToEnd()
    }

    @Test(
        arguments: [
            // The fault, the end of what the client gets, and the failure in the log.
            (#""close""#, "", "the route's fault: close"),
            (#"{"kind": "close", "at": "in-head"}"#, "Content-Length: 1000\r\nContent-Ty", "the route's fault: close"),
            (#"{"kind": "close", "at": "after-head"}"#, "\r\n\r\n", "the route's fault: close"),
            (#"{"kind": "close", "after": 4}"#, "\r\n\r\n0123", "the route's fault: close"),
            (#"{"kind": "truncate", "after": "9B"}"#, "\r\n\r\n012345678", "the route's fault: truncate"),
            (#"{"kind": "close", "after": 11}"#, "\r\n\r\n0123456789", nil),
            (#""goaway""#, "", "the route's fault: goaway"),
            (#"{"kind": "hang", "time": "5ms"}"#, "", "the route's fault: hang"),
            (#"{"kind": "slice", "size": 3, "time": "2ms"}"#, "\r\n\r\n0123456789", nil),
            (#"{"kind": "slow", "rate": "80kbit/s"}"#, "\r\n\r\n0123456789", nil),
            (#"{"kind": "slow-close", "time": "5ms"}"#, "\r\n\r\n0123456789", nil),
            (#""corrupt""#, "\r\n\r\n4123456789", nil),
            (#"{"kind": "status", "status": 500}"#, "500\nshunt: the route's fault\n", nil),
            (#""dns""#, "", "the route's fault says of the origin: its name has no address"),
            (
                #"{"kind": "connect", "time": "5ms"}"#, "",
                "the route's fault says of the origin: it does not accept a connection"
            ),
            (#""tls""#, "", "the route's fault says of the origin: the TLS handshake with it fails"),
        ] as [(String, String, String?)])
    func `a fault is what it is called`(fault: String, ending: String, failure: String?) async throws {
        let harness = try await Harness.start(profiles: ["only": Self.profile(fault)], active: "only")
        let port = harness.port
        let got = try await blocking { try Self.get(port) }
        await harness.stop()
        if ending.isEmpty {
            #expect(got.isEmpty || failure?.contains("origin") == true && got.contains(" 50"), "\(got)")
        } else {
            #expect(got.hasSuffix(ending), "\(got)")
        }
        #expect(harness.log.exchanges.map(\.failure?.message) == [failure])
        #expect(harness.log.exchanges.first?.rewritten == ["+fault"])
    }

    @Test(arguments: [#""reset""#, #"{"kind": "reset", "at": "in-head"}"#, #"{"kind": "reset", "after": 4}"#])
    func `a reset is a reset`(fault: String) async throws {
        let harness = try await Harness.start(profiles: ["only": Self.profile(fault)], active: "only")
        let port = harness.port
        let isReset = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            return eventually { client.isReset() }
        }
        await harness.stop()
        #expect(isReset)
    }

    @Test func `only bytes of a chunked body are changed, and its framing stays`() async throws {
        let text = String(repeating: "x", count: 300)
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n12c\r\n\(text)\r\n")
            try connection.send("12c\r\n\(text)\r\n0\r\n\r\n")
        }
        defer { origin.stop() }
        let responder = #""origin": "http://127.0.0.1:\#(origin.port)""#
        let harness = try await Harness.start(
            profiles: ["only": Self.profile(#""corrupt""#, responder)], active: "only")
        let port = harness.port
        let got = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            return try client.readHead() + client.read(until: "\r\n0\r\n\r\n")
        }
        await harness.stop()
        let body = got[(got.firstRange(of: "\r\n\r\n")?.upperBound ?? got.startIndex)...]
        // Sizes and line ends take part in the count.
        let changed = body.count { $0 == "|" }
        #expect((8...10).contains(changed) && body.count { $0 == "x" } == 600 - changed, "\(got)")
    }

    @Test func `chance follows from the seed, and strikes the share that was asked for`() async throws {
        func statuses(_ seed: Int) async throws -> [Bool] {
            let fault = #"{"kind": "status", "probability": 0.25, "seed": \#(seed)}"#
            let harness = try await Harness.start(profiles: ["only": Self.profile(fault)], active: "only")
            let port = harness.port
            let got = try await blocking { try (0..<80).map { _ in try Self.get(port).contains(" 503 ") } }
            await harness.stop()
            return got
        }
        let first = try await statuses(1)
        #expect((8...32).contains(first.count { $0 }))
        #expect(try await statuses(1) == first)
        #expect(try await statuses(2) != first)
    }

    @Test func `a chain goes on behind a route whose origin cannot be reached`() async throws {
        let harness = try await Harness.start(
            profiles: [
                "only": #"{"kind": "local", "routes": [{"origin": ["profile:far", "profile:near"]}]}"#,
                "far": Self.profile(#""dns""#), "near": Harness.mock("near"),
            ], active: "only")
        let port = harness.port
        let got = try await blocking { try Self.get(port) }
        await harness.stop()
        #expect(got.hasSuffix("near") && got.contains("tried="), "\(got)")
    }

    @Test func `a fault opens no way into production`() async throws {
        let harness = try await Harness.start(
            profiles: [
                "only": #"""
                {"kind": "production", "routes": [{"origin": "http://127.0.0.1:9", "fault": "corrupt",
                 "network": {"latency": "1ms"}}]}
                """#
            ], active: "only")
        let port = harness.port
        let got = try await blocking { try Self.get(port, "POST") }
        await harness.stop()
        #expect(got.hasPrefix("HTTP/1.1 403 "), "\(got)")
    }

    @Test func `a route's own conditions hold for its responses alone`() async throws {
        let time = VirtualClock()
        let harness = try await Harness.start(
            profiles: [
                "only": #"""
                {"kind": "local", "routes": [{"path": "/slow", "mock": {"text": "slow"}, "network": {"latency": "2s"}},
                 {"path": "/fast", "mock": {"text": "fast"}}]}
                """#
            ], active: "only", time: time)
        let port = harness.port
        try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET /fast HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try !client.readHead().contains("network="))
            _ = try client.read(count: 4)
            try client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            var seconds = 0.0
            _ = eventually {
                if client.waitForInput(milliseconds: 10) { return true }
                harness.proxy.advance(time, by: 0.05)
                seconds += 0.05
                return false
            }
            #expect(try client.readHead().contains("network=custom"))
            #expect(seconds >= 1.9)
        }
        await harness.stop()
    }
}

extension Harness {
    /// A profile that responds with a text.
    fileprivate static func mock(_ text: String) -> String {
        #"{"kind": "local", "routes": [{"mock": {"text": "\#(text)"}}]}"#
    }
}
