import Engine
import TestSupport
import Testing

/// Requests that meet the end of a proxy.
@Suite struct DrainTests {
    /// Half a head waits as long as the test takes.
    private static let patient = shortLimits { $0.headTime = 600 * Limits.second }

    @Test func `two that wait for the end of a proxy both wait for it`() async throws {
        let harness = try await Harness.start(
            profiles: ["only": #"{"kind": "local", "routes": [{"mock": {"text": "here"}}]}"#], active: "only",
            limits: Self.patient)
        let port = harness.port
        let client = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n")
            return client
        }
        while await harness.proxy.status().connections == 0 { await Task.yield() }
        let ended = Box()
        let first = Task {
            await harness.proxy.drain()
            ended.put("first")
        }
        try await blocking { #expect(eventually { (try? RawConnection.connect(port)) == nil }) }
        let second = Task {
            await harness.proxy.drain()
            ended.put("second")
        }
        // The second one has asked the worker when that has responded to a later question.
        for _ in 0..<10 { _ = await harness.proxy.status() }
        #expect(ended.take() == "")
        try await blocking {
            try client.send("\r\n")
            #expect(try client.readToEnd().hasSuffix("here"))
        }
        await first.value
        await second.value
        await harness.stop()
    }

    @Test(arguments: ["http", "h2c"])
    func `a request whose head arrives while it drains gets its origin's response`(scheme: String) async throws {
        let mock = #"{"kind": "local", "routes": [{"mock": {"text": "here"}}]}"#
        let origin = try await Harness.start(profiles: ["only": mock], active: "only")
        let harness = try await Harness.start(
            profiles: ["only": Harness.origin("\(scheme)://127.0.0.1:\(origin.port)")], active: "only",
            limits: Self.patient)
        let port = harness.port
        let client = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n")
            return client
        }
        // Connections that were not accepted yet are not served.
        while await harness.proxy.status().connections == 0 { await Task.yield() }
        let draining = Task { await harness.proxy.drain() }
        let response = try await blocking {
            #expect(eventually { (try? RawConnection.connect(port)) == nil })
            try client.send("\r\n")
            return try client.readToEnd()
        }
        #expect(response.hasPrefix("HTTP/1.1 200 ") && response.hasSuffix("here"), "\(response)")
        await draining.value
        await harness.stop()
        await origin.stop()
    }
}
