import Engine
import Profiles
import Reactor
import TLS
import TestSupport
import Testing

/// Asking every origin whether it is there.
@Suite struct ProbeTests {
    private static func responding(_ response: String, _ heads: Box = Box()) -> ScriptedOrigin {
        ScriptedOrigin { connection, _ in
            heads.put(try connection.readHead())
            try connection.send(response)
        }
    }

    @Test func `each origin is asked once, for its base path, and named with the profiles that use it`() async throws {
        let heads = Box()
        let up = Self.responding("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", heads)
        defer { up.stop() }
        let closed = ScriptedOrigin.closedPort()
        let harness = try await Harness.start(
            profiles: [
                "one": #"""
                {"kind": "local", "routes": [{"origin": "http://127.0.0.1:\#(up.port)/base"},
                {"path": "/x", "origin": "http://127.0.0.1:\#(up.port)/base"}, {"path": "/m", "mock": {"text": "m"}}]}
                """#,
                "two": #"""
                {"kind": "local", "routes": [{"origin": "http://127.0.0.1:\#(closed)"},
                {"path": "/y", "origin": "http://127.0.0.1:\#(up.port)/base"}]}
                """#,
            ], active: "one")
        let results = await harness.proxy.probe()
        await harness.stop()
        #expect(results.map { "\($0.origin)" } == ["http://127.0.0.1:\(up.port)/base", "http://127.0.0.1:\(closed)"])
        #expect(results.map(\.profiles) == [["one", "two"], ["two"]])
        #expect(results[0].status == 404 && results[0].failure == nil && results[0].decision == nil)
        #expect(results[0].address == "127.0.0.1:\(up.port)")
        #expect(results[0].timings.response != nil && results[0].timings.tls == nil)
        #expect(heads.take().hasPrefix("GET /base/ HTTP/1.1\r\nHost: 127.0.0.1:\(up.port)\r\n"))
        #expect(up.connectionCount == 1)
        #expect(results[1].status == nil && results[1].failure?.stage == .connect)
        #expect(results[1].failure?.advice?.contains("\(closed)") == true)
        // It leaves no trace in the traffic.
        #expect(harness.log.exchanges.isEmpty)
    }

    @Test(arguments: [
        ("", "without a response"), ("HTTP/1.1 2x0 OK\r\n\r\n", "faulty response"),
        ("SSH-2.0-x\r\n\r\n", "faulty response"),
        // A head without end.
        ("HTTP/1.1 200 OK\r\nX: ", "faulty response"),
    ])
    func `a response that is none is a failure`(response: String, reason: String) async throws {
        let origin = Self.responding(
            response.hasSuffix(": ") ? response + String(repeating: "y", count: 70_000) : response)
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port)
        let results = await harness.proxy.probe()
        await harness.stop()
        #expect(results.first?.failure?.message.contains(reason) == true, "\(results)")
    }

    @Test func `interim responses are passed over`() async throws {
        let origin = Self.responding("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 201 Created\r\n\r\n")
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port)
        let results = await harness.proxy.probe()
        await harness.stop()
        #expect(results.map(\.status) == [201])
    }

    @Test func `trust is judged as for traffic`() async throws {
        let authority = try DevelopmentCA.ephemeral()
        let inner = try await Harness.start(
            profiles: ["tls": #"{"kind": "local", "routes": [{"mock": {"text": "hi"}}]}"#], active: "tls",
            identities: .development(authority))
        let profile = { (trust: String) in
            #"{"kind": "local", "routes": [{"origin": "https://localhost:\#(inner.port)"}]\#(trust)}"#
        }
        let harness = try await Harness.start(
            profiles: ["checked": profile(""), "unchecked": profile(#", "trust": {"@loopback": "disabled"}"#)],
            active: "checked")
        let results = await harness.proxy.probe()
        await harness.stop()
        await inner.stop()
        #expect(results.map(\.profiles) == [["checked"], ["unchecked"]])
        #expect(
            results[0].failure?.stage == .tls && results[0].failure?.advice?.contains("certificateAuthorities") == true)
        #expect(results[1].status == 200 && results[1].decision?.hasPrefix("accepted unverified: ") == true)
        #expect(results[1].timings.tls != nil)
    }

    @Test func `more origins than are asked at once are all asked`() async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        defer { origin.stop() }
        let routes = (0..<40).map { #"{"path": "/\#($0)", "origin": "http://127.0.0.1:\#(origin.port)/\#($0)"}"# }
        let harness = try await Harness.start(
            profiles: ["many": #"{"kind": "local", "routes": [\#(routes.joined(separator: ","))]}"#], active: "many")
        let results = await harness.proxy.probe()
        await harness.stop()
        #expect(results.map(\.origin.basePath) == (0..<40).map { "/\($0)" })
        #expect(results.allSatisfy { $0.status == 200 })
    }

    @Test func `stopping the proxy ends a probe whose origin is silent`() async throws {
        let mute = ScriptedOrigin { connection, _ in _ = try connection.readToEnd() }
        defer { mute.stop() }
        // The time that a probe gives an origin does not pass, however busy the machine is.
        let harness = try await Harness.start(to: mute.port, time: VirtualClock())
        let proxy = harness.proxy
        let probing = Task { await proxy.probe() }
        try await blocking { #expect(eventually { mute.connectionCount == 1 }) }
        await proxy.drain()
        let results = await probing.value
        proxy.stop()
        #expect(results.first?.failure?.message.contains("shutting down") == true)
    }

    @Test func `a proxy that listens nowhere can ask, too`() async throws {
        let origin = Self.responding("HTTP/1.1 200 OK\r\n\r\n")
        defer { origin.stop() }
        let library = try Harness.library(["only": Harness.origin("http://127.0.0.1:\(origin.port)")])
        let proxy = try await Proxy.start(Proxy.Configuration(addresses: []), profiles: library, active: "only")
        let results = await proxy.probe()
        await proxy.drain()
        proxy.stop()
        #expect(results.map(\.status) == [200])
    }
}
