import Engine
import Exchanges
import Reactor
import TestSupport
import Testing

/// One base URL, several environments, switched while traffic flows.
@Suite struct SwitchTests {
    private static func named(_ name: String) -> ScriptedOrigin {
        ScriptedOrigin { connection, _ in
            while true {
                _ = try connection.readHead()
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(name.count)\r\n\r\n\(name)")
            }
        }
    }

    @Test func `the active profile responds, unless the request chooses another`() async throws {
        let a = Self.named("aaa")
        let b = Self.named("bbb")
        defer {
            a.stop()
            b.stop()
        }
        let harness = try await Harness.start(
            profiles: [
                "one": Harness.origin("http://127.0.0.1:\(a.port)"),
                "two": Harness.origin("http://127.0.0.1:\(b.port)"),
            ], active: "one")
        let port = harness.port
        let client = try RawConnection.connect(port)
        func ask(_ fields: String = "") async throws -> (String, String) {
            try await blocking {
                try client.send("GET / HTTP/1.1\r\nHost: x\r\n\(fields)\r\n")
                return (try client.readHead(), try client.read(count: 3))
            }
        }
        #expect(try await ask().1 == "aaa")
        #expect(try await ask("Shunt-Profile: two\r\n").1 == "bbb")
        try harness.proxy.use("two")
        let (head, body) = try await ask()
        #expect(body == "bbb" && head.contains("Shunt-Answered-By: two; route=\"*\"\r\n"))
        #expect(try await ask("Shunt-Profile: one\r\n").1 == "aaa")
        #expect(throws: ProxyError.self) { try harness.proxy.use("three") }
        client.close()
        await harness.stop()
    }

    @Test func `an exchange under way ends where it began`() async throws {
        let slow = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nold\r\n")
            _ = try connection.read(until: "go")
            try connection.send("3\r\nend\r\n0\r\n\r\n")
        }
        let fresh = Self.named("new")
        defer {
            slow.stop()
            fresh.stop()
        }
        let harness = try await Harness.start(
            profiles: [
                "old": Harness.origin("http://127.0.0.1:\(slow.port)"),
                "new": Harness.origin("http://127.0.0.1:\(fresh.port)"),
            ], active: "old")
        let port = harness.port
        let first = try RawConnection.connect(port)
        try await blocking {
            try first.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n")
            _ = try first.read(until: "old\r\n")
        }
        try harness.proxy.use("new")
        // A reload throws the pools away; what is in use is not touched.
        try harness.proxy.replace(
            with: try Harness.library(["new": Harness.origin("http://127.0.0.1:\(fresh.port)")]))
        let rest = try await blocking {
            let second = try RawConnection.connect(port)
            try second.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try second.read(until: "new")
            try first.send("go")
            return try first.read(until: "0\r\n\r\n")
        }
        #expect(rest == "3\r\nend\r\n0\r\n\r\n")
        first.close()
        await harness.stop()
    }

    @Test func `a reload while an origin is being connected to leaves that exchange as it was`() async throws {
        // Never shakes hands, so that connecting takes all of its time.
        let mute = ScriptedOrigin { connection, _ in _ = try connection.readToEnd() }
        defer { mute.stop() }
        let harness = try await Harness.start(
            profiles: ["only": Harness.origin("https://127.0.0.1:\(mute.port)")], active: "only",
            limits: shortLimits { $0.connectTime = Limits.second })
        let port = harness.port
        let first = try RawConnection.connect(port)
        try await blocking {
            try first.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(eventually { mute.connectionCount == 1 })
        }
        try harness.proxy.replace(
            with: try Harness.library(["only": #"{"kind": "local", "routes": [{"mock": {"text": "mocked"}}]}"#]))
        let got = try await blocking {
            let second = try RawConnection.connect(port)
            try second.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try second.read(until: "mocked")
            return try first.readToEnd()
        }
        await harness.stop()
        #expect(got.hasPrefix("HTTP/1.1 504 "))
        let origin = harness.log.exchanges.first { $0.status == 504 }?.origin
        #expect(origin?.url == "https://127.0.0.1:\(mute.port)")
        #expect(origin?.trust == "default")
    }

    @Test func `draining lets an exchange finish and closes what is idle`() async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            _ = try connection.read(until: "go")
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port)
        let port = harness.port
        let busy = try RawConnection.connect(port)
        let idle = try RawConnection.connect(port)
        try await blocking {
            try busy.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n")
            // Waits until both connections were accepted: the origin has seen the request.
            while origin.connectionCount == 0 {}
        }
        let proxy = harness.proxy
        let draining = Task { await proxy.drain() }
        let got = try await blocking {
            #expect(try idle.readToEnd() == "")
            try busy.send("go")
            return try busy.readToEnd()
        }
        await draining.value
        proxy.stop()
        #expect(got.hasSuffix("done"))
        #expect(throws: (any Error).self) { try RawConnection.connect(port) }
    }

    @Test func `while it drains idle connections serve one more request if they are told to stay`() async throws {
        var limits = Limits()
        limits.drainIdleTime = 3600 * Limits.second
        let harness = try await Harness.start(
            profiles: ["only": #"{"kind": "local", "routes": [{"mock": {"text": "mocked"}}]}"#], active: "only",
            limits: limits)
        let (port, proxy) = (harness.port, harness.proxy)
        let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        let draining = try await blocking { () throws in
            let client = try RawConnection.connect(port)
            try client.send(get)
            _ = try client.read(until: "mocked")
            let draining = Task { await proxy.drain() }
            #expect(eventually { (try? RawConnection.connect(port)) == nil })
            try client.send(get)
            let last = try client.readToEnd()
            #expect(last.contains("Connection: close\r\n") && last.hasSuffix("mocked"))
            return draining
        }
        await draining.value
        proxy.stop()
    }

    @Test func `idle connections are closed when the time to stay is over`() async throws {
        var limits = Limits()
        limits.drainIdleTime = Limits.second / 20
        let harness = try await Harness.start(
            profiles: ["only": #"{"kind": "local", "routes": [{"mock": {"text": "mocked"}}]}"#], active: "only",
            limits: limits)
        let client = try RawConnection.connect(harness.port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try client.read(until: "mocked")
        await harness.proxy.drain()
        #expect(try client.readToEnd() == "")
        harness.proxy.stop()
    }

    @Test func `what was sent before a drain is served`() async throws {
        let harness = try await Harness.start(
            profiles: ["only": #"{"kind": "local", "routes": [{"mock": {"text": "mocked"}}]}"#], active: "only")
        let (port, proxy) = (harness.port, harness.proxy)
        let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        try await blocking { () throws in
            let plain = try (0..<64).map { _ in try RawConnection.connect(port) }
            let wires = try (0..<64).map { _ in try HTTP2Wire.connect(port) }
            for client in plain {
                try client.send(get)
                _ = try client.read(until: "mocked")
            }
            for wire in wires { try wire.finish(wire.request(get)) }
            for client in plain { try client.send(get) }
            let streams = try wires.map { try $0.request(get) }
            Task { await proxy.drain() }
            for client in plain { #expect(try client.readToEnd().hasSuffix("mocked")) }
            for (wire, stream) in zip(wires, streams) {
                try wire.finish(stream)
                #expect(stream.text == "mocked")
            }
        }
        await harness.stop()
    }

    @Test func `aborting ends an exchange that is still connecting`() async throws {
        let full = FullListener()
        var limits = Limits()
        // Longer than aborting takes on the busiest machine: who waited for it is told so.
        limits.connectTime = 300 * Limits.second
        let harness = try await Harness.start(to: full.port, limits: limits)
        let port = harness.port
        let client = try RawConnection.connect(port)
        try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        while await harness.proxy.status().active == 0 { await Task.yield() }
        await harness.stop()
        #expect(harness.log.exchanges.first?.failure?.message.contains("shutting down") == true)
        client.close()
        withExtendedLifetime(full) {}
    }
}
