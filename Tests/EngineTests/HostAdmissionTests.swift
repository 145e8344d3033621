import Engine
import Exchanges
import Platform
import Profiles
import Reactor
import TLS
import TestSupport
import Testing

/// Which hosts of requests lead here on purpose: a page of a stranger reaches this machine by a name of its own.
@Suite struct HostAdmissionTests {
    private static let profiles = [
        "open": """
        {"kind": "local", "allowedHosts": ["allowed.shop.example", "*.preview.example"], "routes": [
          {"path": "/*", "mock": {"text": "secret"}}, {"path": "/origin", "origin": "http://origin.shop.example:9"},
          {"host": "named.shop.example", "path": "/named", "mock": {"text": "named"}}]}
        """,
        "other": #"{"kind": "staging", "routes": [{"host": "*.wild.example", "mock": {"text": "wild"}}]}"#,
    ]

    private func start(
        hosts: String = "", allowed: [String] = [], isTLS: Bool = false, forward: ForwardProxy? = nil
    ) async throws -> (harness: Harness, folder: TemporaryFolder) {
        let folder = try TemporaryFolder()
        let file = try folder.write("hosts", hosts)
        let harness = try await Harness.start(
            profiles: Self.profiles, active: "open",
            identities: isTLS ? .development(try DevelopmentCA.ephemeral()) : nil, forward: forward,
            resolver: Resolver { _ in .failure(.failed("no such name")) },
            hostsFile: file, allowedHosts: try allowed.map { try ClientHostPattern($0) })
        return (harness, folder)
    }

    private func status(_ port: UInt16, _ request: String) throws -> String {
        let client = try RawConnection.connect(port)
        try client.send(request + "Connection: close\r\n\r\n")
        let response = try client.readToEnd()
        return String(response.dropFirst(9).prefix(3)) + (response.contains("secret") ? " secret" : "")
    }

    @Test func `a route for every host responds to names that lead here on purpose`() async throws {
        let own = hostName().map { [$0, $0 + ".", $0.uppercased()] } ?? []
        let (harness, folder) = try await start(
            hosts: """
                # switched to Shunt
                127.0.0.1 switched.shop.example  Also.Shop.Example # and one more
                ::1\ttabbed.shop.example
                0.0.0.0 blocked.shop.example
                192.0.2.7 elsewhere.shop.example
                """, allowed: ["*.flag.example"])
        for host in [
            "localhost", "LocalHost.:1", "a.b.localhost", "127.0.0.1", "127.0.0.1:80", "127.1", "2130706433", "0x7f.1",
            "0.0.0.0", "[::1]", "[::1]:4884", "[::ffff:127.0.0.1]", "[fe80::1]",
            // A phone, an emulator and a container.
            "192.168.1.5:4884", "10.0.2.2", "mac.local", "mac.lan", "shunt", "shunt:4884", "host.docker.internal",
            "gateway.docker.internal", "host.containers.internal", "web.shop_default", "shunt.default.svc",
            "shunt.default.svc.cluster.local",
            // The hosts file, and what profiles name.
            "api.shop.test", "switched.shop.example", "also.shop.example:8080", "tabbed.shop.example.",
            "origin.shop.example", "named.shop.example", "a.b.wild.example", "other--named.shop.example",
            "other--localhost", "open--switched.shop.example", "allowed.shop.example", "a.preview.example",
            "x.flag.example",
        ] + own {
            let isOther = host.hasPrefix("other--")
            let seen = try status(harness.port, "GET / HTTP/1.1\r\nHost: \(host)\r\n")
            #expect(seen == (isOther ? "404" : "200 secret"), "\(host): \(seen)")
        }
        #expect(try status(harness.port, "GET / HTTP/1.0\r\n") == "200 secret")
        // The file counts as it is now.
        #expect(try status(harness.port, "GET / HTTP/1.1\r\nHost: late.shop.example\r\n") == "421")
        try folder.write("hosts", "127.0.0.1 late.shop.example late.shop.example\n")
        let isLate = try await blocking {
            eventually { (try? status(harness.port, "GET / HTTP/1.1\r\nHost: late.shop.example\r\n")) == "200 secret" }
        }
        #expect(isLate)
        await harness.stop()
    }

    static let strangers = [
        "evil.example", "evil.com", "EVIL.com.", "evil.com:4884", "localhost.evil.com", "127.0.0.1.nip.io",
        "a.127.0.0.1.evil.com", "named.shop.example.evil.com", "xnamed.shop.example", "wild.example",
        "open--evil.com", "other--evil.com", "blocked.shop.example", "elsewhere.shop.example", "shunt.dev",
        "xn--80ak6aa92e.com", "evil.xn--p1ai", "test.com", "evil.test.com", "local.io", "ev!l.com", "preview.example",
    ]

    @Test(arguments: strangers)
    func `a name of a stranger gets nothing, whichever way it comes`(host: String) async throws {
        let (harness, _) = try await start(
            hosts: "0.0.0.0 blocked.shop.example\n192.0.2.7 elsewhere.shop.example\n")
        for request in [
            "GET / HTTP/1.1\r\nHost: \(host)\r\n", "POST / HTTP/1.1\r\nHost: \(host)\r\nContent-Length: 0\r\n",
            "GET / HTTP/1.0\r\nHost: \(host)\r\n", "GET http://\(host)/ HTTP/1.1\r\nHost: localhost\r\n",
            "GET HTTP://\(host)/ HTTP/1.1\r\nHost: \(host)\r\n", "OPTIONS * HTTP/1.1\r\nHost: \(host)\r\n",
            // What a page would have to know comes before it is told.
            "GET / HTTP/1.1\r\nHost: \(host)\r\nShunt-Profile: open\r\n",
            "GET / HTTP/1.1\r\nHost: \(host)\r\nShunt-Profile: other\r\n",
            "GET / HTTP/1.1\r\nHost: \(host)\r\nShunt-Profile: nope\r\n",
            "GET / HTTP/1.1\r\nHost: \(host)\r\nShunt-Profile: open\r\nShunt-Profile: open\r\n",
            "GET /__shunt/proxy.pac HTTP/1.1\r\nHost: \(host)\r\n",
            "POST /__shunt/bridge/x HTTP/1.1\r\nHost: \(host)\r\nContent-Length: 0\r\n",
            "GET / HTTP/1.1\r\nHost: \(host)\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
            "OPTIONS / HTTP/1.1\r\nHost: \(host)\r\nOrigin: http://\(host)\r\nAccess-Control-Request-Method: GET\r\n",
        ] {
            let seen = try status(harness.port, request)
            #expect(seen == "421", "\(request) \(seen)")
        }
        let port = harness.port
        try await blocking {
            let wire = try HTTP2Wire.connect(port)
            let recorder = try wire.request("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            try wire.finish(recorder)
            #expect(recorder.heads.first?.hasPrefix("HTTP/1.1 421") == true, "\(recorder.heads)")
        }
        await harness.stop()
    }

    @Test func `the refusal says what to add, and tells nothing of profiles`() async throws {
        let (harness, _) = try await start()
        let client = try RawConnection.connect(harness.port)
        try client.send("GET / HTTP/1.1\r\nHost: Evil.example:80\r\nAccept: */*\r\nConnection: close\r\n\r\n")
        let response = try client.readToEnd()
        #expect(
            response.contains(#""allowedHosts": ["Evil.example"]"#) && response.contains("--allow-host Evil.example"))
        #expect(!response.contains("named.shop.example") && !response.contains("wild"), "\(response)")
        await harness.stop()
        #expect(harness.log.exchanges.first?.status == 421)
    }

    @Test func `a client of the proxy reaches the host that it names, and no route for every host`() async throws {
        let (harness, _) = try await start(forward: ForwardProxy())
        for target in ["evil.example", "evil.example:\(harness.port)"] {
            let seen = try status(harness.port, "GET http://\(target)/ HTTP/1.1\r\nHost: \(target)\r\n")
            #expect(seen.hasPrefix("50"), "\(target): \(seen)")
        }
        #expect(try status(harness.port, "GET / HTTP/1.1\r\nHost: evil.example\r\n") == "421")
        #expect(try status(harness.port, "GET /__shunt/proxy.pac HTTP/1.1\r\nHost: localhost:1\r\n") == "200")
        await harness.stop()
    }

    @Test func `a reload decides anew`() async throws {
        let (harness, _) = try await start()
        let request = "GET / HTTP/1.1\r\nHost: allowed.shop.example\r\n"
        #expect(try status(harness.port, request) == "200 secret")
        try harness.proxy.replace(
            with: Harness.library(["open": #"{"kind": "local", "routes": [{"mock": {"text": "secret"}}]}"#]))
        #expect(try status(harness.port, request) == "421")
        try harness.proxy.replace(
            with: Harness.library([
                "open": #"{"kind": "local", "allowedHosts": ["*"], "routes": [{"mock": {"text": "secret"}}]}"#
            ]))
        #expect(try status(harness.port, request) == "200 secret")
        await harness.stop()
    }
}
