import Engine
import Exchanges
import TestSupport
import Testing

/// Mocks with several responses, by turns and by chance, and with delays.
@Suite struct MockSequenceTests {
    private func statuses(_ mock: String, _ count: Int) async throws -> [String] {
        let harness = try await Harness.start(
            profiles: ["only": #"{"kind": "local", "routes": [{"mock": \#(mock)}]}"#], active: "only")
        var seen: [String] = []
        for _ in 0..<count {
            let response = try await askOnce(harness.port, "GET", "/")
            seen.append(response.head.split(separator: " ")[1] + (response.body.isEmpty ? "" : " \(response.body)"))
        }
        await harness.stop()
        return seen
    }

    @Test(
        arguments: [
            (#"{"status": [503, 503, 200]}"#, ["503", "503", "200", "200", "200"]),
            (#"{"status": [503, 200], "loop": true}"#, ["503", "200", "503", "200", "503"]),
            (#"{"status": [404]}"#, ["404", "404"]),
            (#"{"status": [500, 200], "text": "t"}"#, ["500 t", "200 t", "200 t"]),
            (#"{"responses": [{"status": 202, "json": 1}, {"text": "two"}]}"#, ["202 1", "200 two", "200 two"]),
        ])
    func `responses come one after the other`(mock: String, expected: [String]) async throws {
        #expect(try await statuses(mock, expected.count) == expected)
    }

    @Test func `one seed gives one course of events, in about the shares of the weights`() async throws {
        let mock = #"{"status": {"200": 3, "503": 1}, "seed": 7}"#
        let first = try await statuses(mock, 100)
        #expect(try await statuses(mock, 100) == first)
        #expect((10...40).contains(first.count { $0 == "503" }), "\(first)")
        #expect(try await statuses(#"{"status": {"200": 3, "503": 1}, "seed": 8}"#, 100) != first)
        let weighted = #"{"responses": [{"status": 500, "weight": 0.000001}, {"status": 201, "weight": 1}], "seed": 1}"#
        #expect(try await statuses(weighted, 20) == [String](repeating: "201", count: 20))
    }

    @Test func `a delay is waited for, and one that the client does not wait for ends with it`() async throws {
        let routes =
            #"[{"path": "/d", "mock": {"text": "late", "delay": "200ms"}}, {"path": "/x", "mock": {"delay": "10m"}}]"#
        let harness = try await Harness.start(
            profiles: ["only": #"{"kind": "local", "routes": \#(routes)}"#], active: "only")
        let (port, log) = (harness.port, harness.log)
        let clock = ContinuousClock()
        let start = clock.now
        #expect(try await askOnce(port, "GET", "/d").body == "late")
        #expect(clock.now - start >= .milliseconds(200))
        try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
            client.close()
        }
        #expect(eventually { log.exchanges.contains { $0.url.hasSuffix("/x") } })
        await harness.stop()
    }
}
