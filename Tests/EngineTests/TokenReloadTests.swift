import Engine
import HTTP2
import Profiles
import Synchronization
import TestSupport
import Testing

/// Tokens of profiles that are read again, switched, and served by several workers.
@Suite struct TokenReloadTests {
    private static let inner = [
        "inner": #"""
        {"kind": "local", "routes": [
         {"headers": {"Authorization": "Bearer one"}, "mock": {"text": "one"}},
         {"headers": {"Authorization": "Bearer two"}, "mock": {"text": "two"}}, {"mock": {"status": 401, "text": "none"}}]}
        """#
    ]

    private static func profile(_ word: String, _ port: UInt16) -> String {
        #"{"kind": "local", "token": {"run": "echo \#(word)"}, "routes": [{"token": true, "origin": "http://127.0.0.1:\#(port)"}]}"#
    }

    @Test func `a source that changes counts at once, and each profile keeps its own`() async throws {
        let inner = try await Harness.start(profiles: Self.inner, active: "inner")
        func profiles(_ only: String) -> [String: String] {
            ["only": Self.profile(only, inner.port), "other": Self.profile("two", inner.port)]
        }
        let harness = try await Harness.start(profiles: profiles("one"), active: "only", workers: 2)
        let port = harness.port
        func ask() async throws -> String { try await askOnce(port, "GET", "/").body }
        #expect(try await ask() == "one")
        try harness.proxy.use("other")
        #expect(try await ask() == "two")
        try harness.proxy.use("only")
        #expect(try await ask() == "one")
        try harness.proxy.replace(with: try Harness.library(profiles("two")))
        #expect(try await ask() == "two")
        try harness.proxy.replace(with: try Harness.library(profiles("wrong")))
        #expect(try await ask() == "none")
        let tokens = harness.proxy.tokens.list
        #expect(tokens.map(\.profile) == ["only", "other"] && tokens.allSatisfy { $0.age != nil })
        #expect(try harness.proxy.tokens.logOut(nil) == ["only", "other"])
        #expect(try await ask() == "none" && harness.proxy.tokens.list.allSatisfy { $0.isLoggedOut })
        _ = try await harness.proxy.tokens.logIn("other")
        #expect(harness.proxy.tokens.list.map { $0.age == nil } == [true, false])
        await #expect(throws: LoginFailure.self) { try await harness.proxy.tokens.logIn("none") }
        await harness.stop()
        await inner.stop()
    }

    @Test func `a token that was learned is gone after a restart, and one that is fetched is fetched anew`()
        async throws
    {
        let inner = try await Harness.start(
            profiles: [
                "inner": #"""
                {"kind": "local", "routes": [
                 {"path": "/login", "mock": {"json": {"token": "learned-by-login"}}},
                 {"headers": {"Authorization": "Bearer learned-by-login"}, "mock": {"text": "learned"}},
                 {"headers": {"Authorization": "Bearer fetched"}, "mock": {"text": "fetched"}}, {"mock": {"text": "own"}}]}
                """#
            ], active: "inner")
        func profile(_ token: String) -> String {
            #"{"kind": "local", "token": {\#(token), "allRoutes": true}, "routes": [{"origin": "http://127.0.0.1:\#(inner.port)"}]}"#
        }
        let profiles = [
            "only": profile(#""login": "/login", "json": "token""#), "other": profile(#""run": "echo fetched""#),
        ]
        for isFirst in [true, false] {
            let harness = try await Harness.start(profiles: profiles, active: "only")
            let port = harness.port
            if isFirst { _ = try await askOnce(port, "GET", "/login") }
            #expect(try await askOnce(port, "GET", "/").body == (isFirst ? "learned" : "own"))
            try harness.proxy.use("other")
            #expect(try await askOnce(port, "GET", "/").body == "fetched")
            await harness.stop()
        }
        await inner.stop()
    }

    @Test func `an HTTP 2 origin's 401 is followed by another stream with another token`() async throws {
        let seen = Mutex<[(connection: Int, token: String, body: String)]>([])
        let origin = ScriptedOrigin.http2 { peer, stream, connection in
            guard stream.stream?.hasEnded == true, !stream.isComplete else { return }
            let line = stream.heads[0].split(separator: "\r\n").first { $0.lowercased().hasPrefix("authorization: ") }
            let token = String(line?.dropFirst(15) ?? "")
            seen.withLock { $0.append((connection, token, stream.text)) }
            let status = token == "Bearer token-1" ? "401 No" : "200 OK"
            try peer.response(stream, "HTTP/1.1 \(status)\r\n\r\n", body: String(repeating: "x", count: 20_000))
        }
        let folder = try TemporaryFolder()
        let count = folder.path + "/count"
        let harness = try await Harness.start(
            profiles: [
                "only": #"""
                {"kind": "local", "token": {"run": "echo >> \#(count); echo token-$(($(wc -l < \#(count))))"},
                 "routes": [{"token": true, "origin": "h2c://127.0.0.1:\#(origin.port)"}]}
                """#
            ], active: "only")
        let port = harness.port
        for client in ClientKind.allCases {
            let answer = try await blocking { try client.ask(port, "POST", "/", body: "hello") }
            #expect(answer.status.hasPrefix("HTTP/1.1 200") && answer.body.utf8.count == 20_000)
        }
        let all = seen.withLock { $0 }
        #expect(all.map(\.token) == ["Bearer token-1", "Bearer token-2", "Bearer token-2"])
        #expect(all.allSatisfy { $0.connection == 0 && $0.body == "hello" }, "\(all)")
        await harness.stop()
        origin.stop()
    }
}
