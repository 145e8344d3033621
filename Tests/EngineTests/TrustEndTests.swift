import Engine
import Exchanges
import Profiles
import Synchronization
import TLS
import TestSupport
import Testing

/// Trust that is disabled until a day: connections made under it end with that day.
@Suite struct TrustEndTests {
    /// 2999-12-31 is over.
    private static let end: Int64 = 32_503_680_000
    private static let rule = #"{"policy": "disabled", "until": "2999-12-31", "reason": "CA to come"}"#

    private final class Clock: Sendable {
        private let seconds: Atomic<Int64>
        init(_ seconds: Int64) { self.seconds = Atomic(seconds) }
        var now: Int64 { seconds.load(ordering: .relaxed) }
        func set(_ value: Int64) { seconds.store(value, ordering: .relaxed) }
    }

    /// An https origin of either version, and a proxy that trusts it until the day is over, and another one for ever.
    private func start(_ clock: Clock, isHTTP2: Bool) async throws -> Stage {
        let inner = try await Harness.start(
            profiles: ["inner": #"{"kind": "local", "routes": [{"mock": {"text": "pong"}}]}"#], active: "inner",
            identities: isHTTP2 ? .development(try DevelopmentCA.ephemeral()) : nil)
        return Stage(
            outer: try await Harness.start(
                profiles: [
                    "only": """
                    {"kind": "local", "routes": [
                        {"path": "/a", "origin": "https://localhost:\(inner.port)"},
                        {"path": "/b", "origin": "https://127.0.0.1:\(inner.port)"}
                    ], "trust": {"localhost": \(Self.rule), "127.0.0.1": "disabled"}}
                    """
                ], active: "only", clock: { clock.now }), inner: inner)
    }

    @Test func `streams of a shared connection end with the day, and only under that rule`() async throws {
        let clock = Clock(Self.end - 2)
        let stage = try await start(clock, isHTTP2: true)
        let port = stage.port
        let seen = try await blocking {
            var seen = try ["/a", "/a", "/b"].map { try ClientKind.h1.ask(port, "GET", $0) }
            clock.set(Self.end)
            seen += try ["/a", "/b", "/a"].map { try ClientKind.h1.ask(port, "GET", $0) }
            return seen
        }
        await stage.stop()
        #expect(seen.map { String($0.status.suffix(3)) } == ["200", "200", "200", "502", "200", "502"])
        #expect(seen[3].body.contains("has ended"), "\(seen[3])")
        #expect(stage.outer.log.exchanges.map { $0.origin?.isReused } == [false, true, false, false, true, false])
    }

    @Test(.timeLimit(.minutes(1)), arguments: [true, false])
    func `a connection in its pool ends with the day`(isAsked: Bool) async throws {
        let context = try SealedConnection.Context(.tls13)
        let origin = ScriptedOrigin { connection, _ in
            let sealed = try SealedConnection(connection, context)
            while true {
                _ = try sealed.readHead()
                try connection.send(sealed.seal("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npong"))
            }
        }
        defer { origin.stop() }
        let clock = Clock(Self.end - 1)
        let harness = try await Harness.start(
            profiles: [
                "only": Harness.origin(
                    "https://localhost:\(origin.port)", more: #", "trust": {"localhost": \#(Self.rule)}"#)
            ], active: "only", clock: { clock.now })
        let port = harness.port
        let first = try await blocking { try ClientKind.h1.ask(port, "GET", "/").body }
        #expect(first == "pong")
        clock.set(Self.end)
        if isAsked {
            let second = try await blocking { try ClientKind.h1.ask(port, "POST", "/").status }
            #expect(second == "HTTP/1.1 502")
        }
        // By itself too, where no request comes; the test's time limit is the bound.
        while await harness.proxy.status().idleOriginConnections > 0 { await Task.yield() }
        await harness.stop()
        #expect(origin.connectionCount == 1)
    }

    @Test func `profiles that are read again after the end count, but for the rule that is over`() async throws {
        let clock = Clock(Self.end - 2)
        let stage = try await start(clock, isHTTP2: false)
        func profile(_ text: String) -> String {
            """
            {"kind": "local", "routes": [
                {"path": "/a", "origin": "https://localhost:\(stage.inner?.port ?? 0)"},
                {"path": "/new", "mock": {"text": "\(text)"}}
            ], "trust": {"localhost": \(Self.rule)}}
            """
        }
        clock.set(Self.end)
        // As `serve` reads them again: by the day on which it has started.
        let files = [(path: "Profiles/only.json", bytes: Array(profile("second").utf8))]
        try stage.outer.proxy.replace(with: try ProfileLibrary.load(files: files, now: Self.end - 2))
        let port = stage.port
        let seen = try await blocking { try ["/new", "/a"].map { try ClientKind.h1.ask(port, "GET", $0) } }
        await stage.stop()
        #expect(seen[0].body == "second")
        #expect(seen[1].status == "HTTP/1.1 502" && seen[1].body.contains("has ended"), "\(seen[1])")
    }
}
