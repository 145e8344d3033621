import Engine
import Exchanges
import HTTP2
import Profiles
import Reactor
import TLS
import TestSupport
import Testing

/// Connections of clients under the conditions of a network.
@Suite struct NetworkTests {
    private static let body = String(repeating: "0123456789abcdef", count: 20_000)
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func profile(_ network: String) -> String {
        """
        {"kind": "local", "network": \(network), "routes": [{"path": "/", "mock": {"text": "here"}},
         {"path": "/long", "mock": {"text": "\(body)"}}]}
        """
    }

    /// Moves the clock until the client has a response; returns the seconds that took.
    private static func wait(_ client: RawConnection, _ harness: Harness, _ time: VirtualClock) -> Double {
        var seconds = 0.0
        _ = eventually {
            if client.waitForInput(milliseconds: 10) { return true }
            // In small steps, since connections that seem to be idle for long are closed.
            harness.proxy.advance(time, by: 0.05)
            seconds += 0.05
            return false
        }
        return seconds
    }

    @Test func `a profile's latency holds for set-up, request and response`() async throws {
        let time = VirtualClock()
        let harness = try await Harness.start(
            profiles: ["only": Self.profile(#"{"latency": "2s"}"#)], active: "only", time: time)
        let port = harness.port
        let seconds = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send(Self.request)
            let first = Self.wait(client, harness, time)
            let head = try client.readHead()
            #expect(head.contains("network=custom") && head.hasPrefix("HTTP/1.1 200 "))
            _ = try client.read(count: 4)
            try client.send(Self.request)
            return (first, Self.wait(client, harness, time))
        }
        await harness.stop()
        // A round trip for the connection, and one for the request.
        #expect(seconds.0 >= 3.9)
        #expect(seconds.1 >= 1.9)
        #expect(harness.log.exchanges.allSatisfy { $0.rewritten == ["+network"] })
    }

    @Test(arguments: [
        #"{"latency": "2ms", "jitter": "2ms", "loss": "20%", "stall": "1ms"}"#,
        #"{"down": "50Mbit/s", "distribution": "pareto", "jitter": "1ms"}"#, #"{}"#,
    ])
    func `all bytes arrive, in their order`(network: String) async throws {
        let harness = try await Harness.start(profiles: ["only": Self.profile(network)], active: "only")
        let port = harness.port
        let texts = try await blocking {
            let client = try RawConnection.connect(port)
            return try (0..<3).map { _ in
                try client.send("GET /long HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try client.readHead()
                return try client.read(count: Self.body.utf8.count)
            }
        }
        await harness.stop()
        for text in texts { #expect(text == Self.body) }
    }

    @Test func `what a stream sends behind its head arrives, with its trailers`() async throws {
        let (heads, bytes) = (Kept(0), Kept(0))
        let origin = ScriptedOrigin.http2 { peer, stream, _ in
            let (head, body) = (stream.heads.count, stream.body.count)
            heads.change { $0 = head }
            bytes.change { $0 = body }
            guard stream.stream?.hasEnded == true, !stream.isComplete else { return }
            try peer.response(stream, HTTP2Case.ok, body: stream.text + (stream.trailers ?? "none"))
        }
        defer { origin.stop() }
        let harness = try await Harness.start(
            profiles: [
                "only": Harness.origin("h2c://127.0.0.1:\(origin.port)", more: #", "network": {"latency": "1ms"}"#)
            ], active: "only")
        let port = harness.port
        try await blocking { () throws in
            let wire = try HTTP2Wire.connect(port)
            let upload = try wire.request(HTTP2Case.post, body: "", ends: false)
            try wire.flush()
            #expect(eventually { heads.value == 1 })
            upload.write(Array("some".utf8))
            try wire.flush()
            #expect(eventually { bytes.value == 4 })
            upload.write(Array("more".utf8))
            try wire.flush()
            #expect(eventually { bytes.value == 8 })
            upload.end(trailers: "x-end: 1\r\n")
            try wire.finish(upload)
            #expect(upload.text.hasPrefix("somemorex-end: 1"), "\(upload.text)")
        }
        await harness.stop()
    }

    @Test func `the end of a response that ends with its connection comes behind its bytes`() async throws {
        let harness = try await Harness.start(
            profiles: ["only": Self.profile(#"{"latency": "5ms", "down": "20Mbit/s"}"#)], active: "only")
        let port = harness.port
        let text = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET /long HTTP/1.0\r\nHost: a\r\n\r\n")
            return try client.readToEnd()
        }
        await harness.stop()
        #expect(text.hasSuffix(Self.body))
    }

    @Test func `offline resets open connections and new ones, until it is taken back`() async throws {
        let harness = try await Harness.start(profiles: ["only": Self.profile("{}")], active: "only")
        let port = harness.port
        let networks = harness.proxy.networks
        let (open, new, later) = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send(Self.request)
            _ = try client.readHead()
            networks.choose(.offline)
            let open = eventually { client.isReset() }
            let other = try RawConnection.connect(port)
            let new = eventually { other.isReset() }
            networks.forget()
            let third = try RawConnection.connect(port)
            try third.send(Self.request)
            return (open, new, try third.readHead())
        }
        await harness.stop()
        #expect(open && new)
        #expect(later.hasPrefix("HTTP/1.1 200 "))
    }

    @Test(arguments: ["http", "https", "h2c"])
    func `a connection that once had a network takes long responses without one`(scheme: String) async throws {
        let size = 4 << 20
        let long = ScriptedOrigin { connection, _ in
            while true {
                _ = try connection.readHead()
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                try connection.send([UInt8](repeating: 0x78, count: size))
            }
        }
        defer { long.stop() }
        let inner = try await Harness.start(
            profiles: [
                "slow": Self.profile(#"{"latency": "1ms"}"#), "plain": Harness.origin("http://127.0.0.1:\(long.port)"),
            ], active: "slow", identities: scheme == "https" ? .development(try DevelopmentCA.ephemeral()) : nil)
        let outer = try await Harness.start(
            profiles: [
                "only": Harness.origin(
                    "\(scheme)://localhost:\(inner.port)", more: #", "trust": {"@loopback": "disabled"}"#)
            ], active: "only")
        let port = outer.port
        let first = try await blocking { try ClientKind.h1.ask(port, "GET", "/").body }
        try inner.proxy.use("plain")
        let second = try await blocking { try ClientKind.h1.ask(port, "GET", "/").body.utf8.count }
        await outer.stop()
        await inner.stop()
        #expect(first == "here" && second == size)
        #expect(outer.log.exchanges.map { $0.origin?.isReused } == [false, true])
    }

    @Test(arguments: ["http", "https", "h2c"])
    func `offline ends a connection that was never shaped, with its WebSocket and the origin's`(
        scheme: String
    ) async throws {
        let hasEnded = Kept(false)
        let origin = ScriptedOrigin { connection, _ in
            let head = try connection.readHead()
            try connection.send(
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Accept: \(HTTP2TunnelTests.accept(head))\r\n\r\n")
            _ = try? connection.readToEnd()
            hasEnded.change { $0 = true }
        }
        defer { origin.stop() }
        let inner = try await Harness.start(
            profiles: ["only": Harness.origin("http://127.0.0.1:\(origin.port)")], active: "only",
            identities: scheme == "https" ? .development(try DevelopmentCA.ephemeral()) : nil)
        let outer = try await Harness.start(
            profiles: [
                "only": Harness.origin(
                    "\(scheme)://localhost:\(inner.port)", more: #", "trust": {"@loopback": "disabled"}"#)
            ], active: "only")
        let (port, networks) = (outer.port, inner.proxy.networks)
        let text = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\(HTTP2TunnelTests.fields)\r\n")
            let head = try client.readHead()
            networks.choose(.offline)
            _ = try? client.readToEnd()
            return head
        }
        #expect(text.hasPrefix("HTTP/1.1 101 "), "\(text)")
        #expect(eventually { hasEnded.value })
        await inner.proxy.drain()
        #expect(await inner.proxy.status().active == 0)
        await outer.stop()
        await inner.stop()
    }

    @Test func `a connection that was open before is shaped, and is released again`() async throws {
        let time = VirtualClock()
        let plain = #"{"kind": "local", "routes": [{"mock": {"text": "here"}}]}"#
        let harness = try await Harness.start(profiles: ["only": plain], active: "only", time: time)
        let port = harness.port
        let networks = harness.proxy.networks
        var slow = NetworkConditions(name: "slow")
        slow.latency = 2_000_000_000
        let conditions = slow
        try await blocking {
            let client = try RawConnection.connect(port)
            func get() throws -> String {
                let head = try client.readHead()
                _ = try client.read(count: 4)
                return head
            }
            try client.send(Self.request)
            #expect(try !get().contains("network="))
            networks.choose(conditions, now: time.now)
            // The worker may hear of it with this request only, whose response then takes half of a round trip.
            try client.send(Self.request)
            #expect(Self.wait(client, harness, time) >= 0.9)
            #expect(try get().contains("network=slow"))
            try client.send(Self.request)
            #expect(Self.wait(client, harness, time) >= 1.9)
            _ = try get()
            networks.choose(nil, now: time.now)
            try client.send(Self.request)
            #expect(try !get().contains("network="))
        }
        await harness.stop()
    }

    @Test func `a choice for a device comes before one for all, that before the run's, and that before the profile's`()
    {
        let networks = Networks(run: .preset("lte"))
        let edge = NetworkConditions.preset("edge")
        func name(_ names: [String]) -> String? { networks.conditions(of: names, profile: edge, now: 0)?.name }
        #expect(Networks().conditions(of: ["a"], profile: edge, now: 0)?.name == "edge")
        #expect(name(["a"]) == "lte")
        networks.choose(.preset("3g"), seconds: 10, now: 0)
        #expect(name(["a"]) == "3g")
        networks.choose(.preset("hotel"), for: "a")
        #expect(name(["a", "10.0.0.1"]) == "hotel" && name(["b"]) == "3g")
        networks.choose(nil, for: "a")
        #expect(name(["a"]) == nil && name(["b"]) == "3g")
        #expect(networks.forget(device: "a") && !networks.forget(device: "a"))
        #expect(networks.expire(now: 9_000_000_000).isEmpty)
        #expect(networks.expire(now: 10_000_000_000).map(\.conditions?.name) == ["3g"])
        #expect(name(["a"]) == "lte")
    }
}
