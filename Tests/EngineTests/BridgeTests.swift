import Engine
import Exchanges
import Foundation
import TestSupport
import Testing

/// Reports of bridge calls, and the script that sends them.
@Suite struct BridgeTests {
    private static func start(_ folder: TemporaryFolder, _ origin: String) async throws -> Harness {
        try folder.write("bridge.json", "{ webkit: { a: {} } }")
        return try await Harness.start(
            profiles: [
                "only": """
                {"kind": "local", "routes": [{"origin": "\(origin)", "bridge": "\(folder.path)/bridge.json"}]}
                """,
                "other": Harness.origin(origin),
            ], active: "only")
    }

    private static let own = "Origin: http://a\r\nContent-Type: application/json\r\n"

    @Test(arguments: [
        (own, #"{"name": "webkit.a"}"#, 204),
        ("Origin: HTTP://A\r\nContent-Type: application/json;a=b\r\n", #"{"name": ""}"#, 204),
        // Other pages, and what a form of another site can send.
        ("Origin: http://b\r\nContent-Type: application/json\r\n", #"{"name": "a"}"#, 403),
        ("Origin: https://a\r\nContent-Type: application/json\r\n", #"{"name": "a"}"#, 403),
        ("Origin: null\r\nContent-Type: application/json\r\n", #"{"name": "a"}"#, 403),
        ("Content-Type: application/json\r\n", #"{"name": "a"}"#, 403),
        ("Origin: http://b\r\n" + own, #"{"name": "a"}"#, 403),
        ("Origin: http://a\r\nContent-Type: text/plain\r\n", #"{"name": "a"}"#, 403),
        (own, "", 400), (own, "[]", 400), (own, "{name: 'a'}", 400), (own, #"{"name": 1}"#, 400),
        (own, #"{"name": ""# + String(repeating: "a", count: 70_000) + #""}"#, 413),
        (own + "Shunt-Profile: other\r\n", #"{"name": "a"}"#, 404),
    ])
    func `reports of the host's own pages are taken, and no other reaches anything`(
        fields: String, body: String, status: Int
    ) async throws {
        let (folder, origin) = (try TemporaryFolder(), ChainTests.Named("done"))
        let harness = try await Self.start(folder, origin.url)
        let response = try await askOnce(harness.port, "POST", "/__shunt/bridge/webkit.a", fields, body, host: "a")
        await harness.stop()
        #expect(response.head.hasPrefix("HTTP/1.1 \(status) "), "\(response)")
        #expect(origin.received.isEmpty)
        #expect(harness.log.exchanges.map(\.responder) == [status == 204 ? "bridge" : "shunt"])
        #expect(harness.log.exchanges.first?.profile == (fields.contains("Shunt-Profile") ? "other" : "only"))
    }

    @Test(arguments: [("GET", "/__shunt/bridge/a"), ("POST", "/__shunt/bridge"), ("POST", "/x/__shunt/bridge/a")])
    func `all other paths and methods are the origin's`(method: String, path: String) async throws {
        let (folder, origin) = (try TemporaryFolder(), ChainTests.Named("done"))
        let harness = try await Self.start(folder, origin.url)
        let response = try await askOnce(harness.port, method, path, Self.own, method == "GET" ? "" : "{}")
        await harness.stop()
        #expect(response.body == "done")
        #expect(origin.received.count == 1, "\(origin.received)")
    }

    @Test func `a flood of reports is refused, and leaves no exchanges`() async throws {
        let (folder, origin) = (try TemporaryFolder(), ChainTests.Named("done"))
        let time = VirtualClock()
        try folder.write("bridge.json", "{}")
        let harness = try await Harness.start(
            profiles: [
                "only": """
                {"kind": "local", "routes": [{"origin": "\(origin.url)", "bridge": "\(folder.path)/bridge.json"}]}
                """
            ], active: "only", time: time)
        let port = harness.port
        let report =
            "POST /__shunt/bridge/a HTTP/1.1\r\nHost: a\r\n\(Self.own)Content-Length: 12\r\n\r\n{\"name\":\"a\"}"
        func statuses(_ count: Int) async throws -> [String: Int] {
            try await blocking {
                let wire = try RawConnection.connect(port)
                var statuses: [String: Int] = [:]
                for _ in 0..<count {
                    try wire.send(report)
                    let head = try wire.readHead()
                    let status = String(head.dropFirst(9).prefix(3))
                    if status == "429" { _ = try wire.read(count: 55) }
                    statuses[status, default: 0] += 1
                }
                return statuses
            }
        }
        let first = try await statuses(500)
        #expect(first == ["204": 401, "429": 99], "\(first)")
        harness.proxy.advance(time, by: 1)
        let later = try await statuses(60)
        #expect(later == ["204": 40, "429": 20], "\(later)")
        await harness.stop()
        #expect(harness.log.exchanges.count == 441)
    }

    @Test func `the script stands in front of the page's own, and cannot be ended by its contract`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("bridge.json", #"{ webkit: { a: { reply: "</script><!--" } } }"#)
        let page = "<html><head><title>x</title></head></html>"
        let harness = try await Harness.start(
            profiles: [
                "only": """
                {"kind": "local", "routes": [{"bridge": "\(folder.path)/bridge.json", "mock": {"text": "\(page)",
                  "headers": {"Content-Type": "text/html", "Content-Security-Policy": "default-src 'none'"}}}]}
                """
            ], active: "only")
        let response = try await askOnce(harness.port, "GET", "/")
        await harness.stop()
        #expect(response.body.hasPrefix("<html><head><script>(contract => {"), "\(response.body.prefix(100))")
        #expect(response.body.hasSuffix("\"events\":[]});</script>\n<title>x</title></head></html>"))
        #expect(response.body.components(separatedBy: "</script").count == 2 && !response.body.contains("<!--"))
        #expect(
            response.head.contains("default-src 'none'; script-src 'sha256-")
                && response.head.contains("; connect-src 'self'\r\n"))
    }
}
