import Engine
import Exchanges
import Profiles
import Reactor
import TestSupport
import Testing

/// Mocks that are switched on and off while Shunt runs.
@Suite struct MockSwitchTests {
    private static let profiles = [
        "local": """
        {"kind": "local", "extends": "staging", "routes": [
          {"name": "promo", "path": "/promo", "method": "GET", "mock": {"text": "first"}},
          {"name": "wide", "path": "/promo", "mock": {"text": "second"}},
          {"name": "gone", "path": "/old", "redirect": "/new"}
        ]}
        """,
        "staging": """
        {"kind": "staging", "routes": [
          {"name": "base", "path": "/promo", "mock": {"text": "inherited"}}, {"path": "/x", "mock": {"text": "x"}}
        ]}
        """,
    ]

    private func change(
        _ harness: Harness, _ change: MockChange, _ names: [String]?, for device: String? = nil
    ) throws {
        let library = try #require(harness.proxy.profiles?.library)
        try harness.proxy.change(change, names, of: try #require(library["local"]), for: device)
    }

    private func body(_ harness: Harness, _ path: String = "/promo") async throws -> String {
        try await askOnce(harness.port, "GET", path).body
    }

    @Test func `what is off is passed over, for the next best route of the profile and of what it extends`()
        async throws
    {
        let harness = try await Harness.start(profiles: Self.profiles, active: "local")
        #expect(try await body(harness) == "first")
        for (name, next) in [("promo", "second"), ("wide", "inherited")] {
            try change(harness, .off, [name])
            #expect(try await body(harness) == next)
        }
        try change(harness, .off, ["base"])
        let none = try await askOnce(harness.port, "GET", "/promo")
        #expect(none.head.hasPrefix("HTTP/1.1 404 "), "\(none)")
        #expect(none.body.contains("the mock promo is off: `shunt mocks on promo`"), "\(none.body)")
        try change(harness, .on, ["promo"])
        #expect(try await body(harness) == "first")
        try change(harness, .only, ["base"])
        #expect(try await body(harness) == "inherited")
        #expect(try await askOnce(harness.port, "GET", "/old").head.hasPrefix("HTTP/1.1 404 "))
        try change(harness, .on, nil)
        #expect(try await askOnce(harness.port, "GET", "/old").head.hasPrefix("HTTP/1.1 302 "))
        #expect(throws: UnknownMock.self) { try change(harness, .off, ["prmo"]) }
        await harness.stop()
        #expect(
            harness.log.exchanges.map(\.passedMocks) == [
                [], ["promo"], ["promo"], ["promo"], [], ["promo"], ["gone"], [],
            ])
    }

    @Test func `hits are counted, and a reload keeps them and what is off, by name`() async throws {
        let harness = try await Harness.start(profiles: Self.profiles, active: "local")
        func list() throws -> [String] {
            let profile = try #require(harness.proxy.profiles?.library["local"])
            return harness.proxy.mocks(of: profile).map { "\($0.key.name) \($0.isOn ? "on" : "off") \($0.hits)" }
        }
        for _ in 0..<3 { _ = try await body(harness) }
        try change(harness, .off, ["promo"])
        _ = try await body(harness)
        #expect(try list() == ["promo off 3", "wide on 1", "gone on 0", "base on 0", "x on 0"])
        var changed = Self.profiles
        changed["local"] = changed["local"]?.replacing(#""path": "/promo", "method": "GET""#, with: #""path": "/p2""#)
        try harness.proxy.replace(with: try Harness.library(changed))
        #expect(try list() == ["promo off 3", "wide on 1", "gone on 0", "base on 0", "x on 0"])
        #expect(try await askOnce(harness.port, "GET", "/p2").head.hasPrefix("HTTP/1.1 404 "))
        try harness.proxy.use("staging")
        try harness.proxy.use("local")
        #expect(try list().first == "promo off 3")
        await harness.stop()
    }

    @Test func `one device has its own choice, and others go on as before`() async throws {
        let harness = try await Harness.start(profiles: Self.profiles, active: "local")
        let devices = harness.proxy.devices
        let home = try #require(SocketAddress(literal: "192.168.1.7", port: 9))
        let (device, token) = try devices.pair(
            code: devices.issueCode(for: nil).text, from: home, userAgent: "iPhone")
        let mine = "Cookie: shunt-device=\(token)\r\n"
        try change(harness, .off, ["promo"], for: device.name)
        #expect(try await askOnce(harness.port, "GET", "/promo", mine).body == "second")
        #expect(try await body(harness) == "first")
        try change(harness, .off, ["promo", "wide"])
        try change(harness, .on, ["promo"], for: device.name)
        #expect(try await askOnce(harness.port, "GET", "/promo", mine).body == "first")
        #expect(try await body(harness) == "inherited")
        await harness.stop()
    }

    @Test func `a sequence goes on after a reload, and begins anew when it is reset or changed`() async throws {
        let text = { (statuses: String) in
            #"{"kind": "local", "routes": [{"name": "promo", "mock": {"status": \#(statuses)}}]}"#
        }
        let harness = try await Harness.start(profiles: ["local": text("[500, 501, 502]")], active: "local")
        func status() async throws -> String {
            String(try await askOnce(harness.port, "GET", "/").head.split(separator: " ")[1])
        }
        #expect(try await status() == "500")
        try harness.proxy.replace(with: try Harness.library(["local": text("[500, 501, 502]")]))
        #expect(try await status() == "501")
        try change(harness, .reset, nil)
        #expect(try await status() == "500")
        try harness.proxy.replace(with: try Harness.library(["local": text("[201, 202]")]))
        #expect(try await status() == "201")
        await harness.stop()
    }
}
