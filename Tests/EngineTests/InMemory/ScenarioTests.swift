import Engine
import Exchanges
import Testing

/// A scenario changes its state when a response of its route was sent, and only then.
@Suite struct ScenarioTests {
    private static let profile = """
        {"kind": "local", "routes": [
            {"path": "/go", "then": "done", "origin": "http://origin.test"},
            {"path": "/slow", "then": "done", "mock": {"text": "late", "delay": "1s"}},
            {"path": "/long", "then": "done", "mock": {"text": "\(String(repeating: "x", count: 1000))"}},
            {"path": "/see", "when": "begun", "mock": {"text": "before"}},
            {"path": "/see", "when": "done", "mock": {"text": "after"}}
        ]}
        """

    private static func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n" }

    private static func expect(
        _ state: String, _ worker: isolated MemoryWorker, _ location: SourceLocation = #_sourceLocation
    ) async {
        let response = await worker.connect(get("/see")).text
        #expect(response.hasSuffix("\r\n\r\n" + state), sourceLocation: location)
    }

    @Test func `not while the origin's response is on its way`() async throws {
        try await MemoryWorker.run(profile: Self.profile) { worker in
            let client = await worker.connect(Self.get("/go"))
            let origin = try worker.origins.channel(0)
            await Self.expect("before", worker)
            origin.receive("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab")
            await worker.settle()
            await Self.expect("before", worker)
            origin.receive("cd")
            await worker.settle()
            #expect(client.text.hasSuffix("abcd"))
            await Self.expect("after", worker)
        }
    }

    @Test func `not by a response that is cut off, nor by a failure`() async throws {
        try await MemoryWorker.run(profile: Self.profile) { worker in
            _ = await worker.connect(Self.get("/go"))
            try worker.origins.channel(0).receive("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab")
            await worker.settle()
            try worker.origins.channel(0).receiveReset()
            await worker.settle()
            worker.origins.failure = EngineFailure(.origin, .connect, status: 502, "gone")
            let failed = await worker.connect(Self.get("/go"))
            #expect(failed.text.hasPrefix("HTTP/1.1 502 "))
            await Self.expect("before", worker)
        }
    }

    @Test func `not during a mock's delay`() async throws {
        try await MemoryWorker.run(profile: Self.profile) { worker in
            _ = await worker.connect(Self.get("/slow"))
            await Self.expect("before", worker)
            await worker.advance(by: 1)
            await Self.expect("after", worker)
        }
    }

    @Test func `not before the client has taken all of it`() async throws {
        try await MemoryWorker.run(profile: Self.profile) { worker in
            let client = await worker.connect(Self.get("/long"), window: 100)
            await Self.expect("before", worker)
            client.widen(by: 100_000)
            await worker.settle()
            await Self.expect("after", worker)
        }
    }

    @Test func `not by the guard's refusal, nor by a candidate that leaves the request to the next one`() async throws {
        let origin = ChainTests.Named("done")
        let harness = try await Harness.start(
            profiles: [
                "production": #"{"kind": "production", "routes": [{"origin": "\#(origin.url)"}]}"#,
                "mocks": """
                {"kind": "local", "routes": [
                    {"path": "/go", "then": "done", "mock": {"status": 503}},
                    {"path": "/see", "when": "begun", "mock": {"text": "before"}},
                    {"path": "/see", "when": "done", "mock": {"text": "after"}}]}
                """,
                "local": """
                {"kind": "local", "routes": [
                    {"path": "/go", "then": "done", "origin": ["profile:mocks", "\(origin.url)"],
                        "fallback": {"statuses": [503]}},
                    {"path": "/see", "when": "begun", "mock": {"text": "before"}},
                    {"path": "/see", "when": "done", "mock": {"text": "after"}}]}
                """,
            ], active: "local")
        func see(_ profile: String) async throws -> String {
            try await askOnce(harness.port, "GET", "/see", "Shunt-Profile: \(profile)\r\n").body
        }
        #expect(try await askOnce(harness.port, "POST", "/go", "", "x").head.hasPrefix("HTTP/1.1 403 "))
        #expect(try await see("local") == "before")
        #expect(try await askOnce(harness.port, "GET", "/go").head.hasPrefix("HTTP/1.1 200 "))
        #expect(try await [see("local"), see("mocks")] == ["after", "before"])
        await harness.stop()
    }
}
