import Engine
import Profiles
import TestSupport
import Testing

/// What was production stays so where files merely change, and what was unlocked is what it was.
@Suite struct ProductionKeptTests {
    private static func profile(_ url: String, _ kind: String, _ more: String = "") -> String {
        #"{"kind": "\#(kind)", "routes": [{"origin": "\#(url)"}]\#(more)}"#
    }

    private func delete(_ harness: Harness) throws -> String {
        let client = try RawConnection.connect(harness.port)
        try client.send("DELETE / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        return String(try client.readToEnd().dropFirst(9).prefix(3))
    }

    @Test func `an origin stays production while its profile is away, until it is asked for`() async throws {
        let origin = ChainTests.Named("done")
        let staging = Self.profile(origin.url, "staging")
        let production = Self.profile(origin.url, "production")
        let harness = try await Harness.start(
            profiles: ["staging": staging, "production": production], active: "staging")
        #expect(try delete(harness) == "403")
        let first = try #require(harness.proxy.profiles?.library)
        // Gone, of another kind, with another origin: the guard stays.
        for files in [
            ["staging": staging], ["staging": staging, "production": Self.profile(origin.url, "local")],
            ["staging": staging, "production": Self.profile("http://127.0.0.1:9", "production")],
        ] {
            let kept = try Harness.library(files).keepingProduction(of: first)
            try harness.proxy.replace(with: kept)
            #expect(try delete(harness) == "403")
            #expect(kept.keptProduction.count == 1 && kept.keptProduction[0].contains("until `shunt reload`"))
            // Nor after another change.
            let again = try Harness.library(files).keepingProduction(of: kept)
            try harness.proxy.replace(with: again)
            #expect(try delete(harness) == "403")
        }
        // Back again, there is nothing to be kept.
        let whole = try Harness.library(["staging": staging, "production": production])
        #expect(whole.keepingProduction(of: first).keptProduction.isEmpty)
        try harness.proxy.replace(with: try Harness.library(["staging": staging]))
        #expect(try delete(harness) == "200")
        await harness.stop()
    }

    @Test func `no trust rule that verifies nothing reaches what is still production`() throws {
        let url = "https://api.localhost:9"
        let old = try Harness.library(["production": Self.profile(url, "production")])
        let local = #", "trust": {"*.localhost": "disabled"}"#
        let new = try Harness.library(["local": Self.profile(url, "local", local)])
        #expect(new.unverifiedKeptProduction.isEmpty)
        let problems = new.keepingProduction(of: old).unverifiedKeptProduction
        #expect(problems.count == 1 && problems[0].contains("local.json"), "\(problems)")
        let other = try Harness.library(["local": Self.profile("https://b.localhost:1", "local", local)])
        #expect(other.keepingProduction(of: old).unverifiedKeptProduction.isEmpty)
    }

    @Test func `an unlocking ends where the name stands for another origin`() async throws {
        let (first, second) = (ChainTests.Named("first"), ChainTests.Named("second"))
        func files(_ urls: String...) -> [String: String] {
            let routes = urls.enumerated().map {
                #"{"path": "/\#($0.offset == 0 ? "*" : "b")", "origin": "\#($0.element)"}"#
            }
            return ["production": #"{"kind": "production", "routes": [\#(routes.joined(separator: ", "))]}"#]
        }
        let harness = try await Harness.start(profiles: files(first.url), active: "production")
        let entry = try harness.proxy.locks.unlock("production", seconds: 600, reason: "refund")
        #expect(try delete(harness) == "200")
        // The same origin, and one less.
        #expect(try harness.proxy.replace(with: Harness.library(files(first.url, first.url))).isEmpty)
        #expect(try harness.proxy.replace(with: Harness.library(files(first.url))).isEmpty)
        #expect(try delete(harness) == "200")
        let locked = try harness.proxy.replace(with: Harness.library(files(second.url)))
        #expect(locked.map(\.profile) == ["production"] && harness.proxy.locks.list().isEmpty)
        #expect(try delete(harness) == "403" && second.received.isEmpty)
        // What other nodes still tell of does not bring it back; what is new does.
        harness.proxy.locks.replace(with: [entry])
        #expect(try delete(harness) == "403")
        try harness.proxy.locks.unlock("production", seconds: 600, reason: "refund again")
        #expect(try delete(harness) == "200")
        await harness.stop()
    }

    @Test(arguments: [0, 1, 2])
    func `of several Location fields any may lead to production`(place: Int) async throws {
        let production = ChainTests.Named("production")
        let locations = (0..<3).map { $0 == place ? "\(production.url)/x" : "/elsewhere" }
        let fields = locations.map { "Location: \($0)\r\n" }.joined()
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 307 Go\r\n\(fields)Content-Length: 0\r\nConnection: close\r\n\r\n")
        }
        defer { origin.stop() }
        let harness = try await Harness.start(
            profiles: [
                "staging": Self.profile("http://127.0.0.1:\(origin.port)", "staging"),
                "production": Self.profile(production.url, "production"),
            ], active: "staging")
        #expect(try delete(harness) == "403")
        await harness.stop()
    }
}
