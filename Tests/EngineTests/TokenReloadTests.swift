import Engine
import Profiles
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
        let tokens = harness.proxy.tokens
        #expect(tokens.map(\.profile) == ["only", "other"] && tokens.allSatisfy { $0.age != nil })
        #expect(try harness.proxy.logOut(nil) == ["only", "other"])
        #expect(try await ask() == "none" && harness.proxy.tokens.allSatisfy { $0.isLoggedOut })
        _ = try await harness.proxy.logIn("other")
        #expect(harness.proxy.tokens.map { $0.age == nil } == [true, false])
        await #expect(throws: LoginFailure.self) { try await harness.proxy.logIn("none") }
        await harness.stop()
        await inner.stop()
    }
}
