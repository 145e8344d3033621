import Bytes
import Engine
import Exchanges
import Profiles
import Reactor
import TLS
import TestSupport
import Testing

/// What a client of the proxy can get past the guard of production and its trust rules.
@Suite struct ForwardTrustTests {
    private static let end = "Connection: close\r\n\r\n"

    private static func plain() -> ScriptedOrigin {
        ScriptedOrigin { connection, _ in
            // A hello of TLS is no head.
            guard try connection.readBytes(1) != [0x16] else { return }
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nplain")
        }
    }

    private static func send(_ port: UInt16, _ request: String) throws -> String {
        let client = try RawConnection.connect(port)
        try client.send(request)
        return try client.readToEnd()
    }

    private static let local = #"{"kind": "local", "routes": [{"host": "api.shop.test", "mock": {"text": "x"}}]}"#

    private static func production(_ url: String) -> String {
        #"{"kind": "production", "routes": [{"host": "api.shop.test", "origin": "\#(url)"}]}"#
    }

    @Test(arguments: ["https", "HTTPS", "Https", "hTTPs"])
    func `a URL with https goes by TLS, however its scheme is spelled`(scheme: String) async throws {
        let host = Self.plain()
        defer { host.stop() }
        let harness = try await Harness.start(
            profiles: ["local": Self.local], active: "local", forward: ForwardProxy())
        let target = "127.0.0.1:\(host.port)"
        let request = { (scheme: String) in "GET \(scheme)://\(target)/ HTTP/1.1\r\nHost: \(target)\r\n" + Self.end }
        #expect(try Self.send(harness.port, request(scheme)).hasPrefix("HTTP/1.1 502"))
        #expect(try Self.send(harness.port, request("HTTP")).hasSuffix("plain"))
        await harness.stop()
    }

    @Test(arguments: ["127.0.0.1:9", "127.0.0.1:0", "a b:1"])
    func `nothing that follows a refused CONNECT is a request`(target: String) async throws {
        let harness = try await Harness.start(
            profiles: ["local": Self.local, "production": Self.production("http://127.0.0.1:9")], active: "local",
            forward: ForwardProxy())
        let response = try Self.send(
            harness.port,
            "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\nGET / HTTP/1.1\r\nHost: api.shop.test\r\n\r\n")
        #expect(response.split(separator: "HTTP/1.1 ").count == 1, "\(response)")
        #expect(response.contains("Connection: close"))
        await harness.stop()
    }

    @Test(arguments: [
        "GET http://ann:pass-word@api.shop.test/ HTTP/1.1", "GET http://ann:pass-word@api.shop.test:80/x HTTP/1.1",
        "GET HTTPS://ann:pass-word@[::1]/ HTTP/1.1", "GET http://ann:a\"pass-word@api.shop.test/ HTTP/1.1",
        "GET http://ann:a pass-word@api.shop.test/ HTTP/1.1", "GET http://ann:a/pass-word@api.shop.test/ HTTP/1.1",
        "CONNECT ann:pass-word@api.shop.test:443 HTTP/1.1", "GET ftp://ann:pass-word@api.shop.test/ HTTP/1.1",
        "GET http://annnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn:pass-wordddddddddddddddddddddddddddddddddddddd@x/ HTTP/1.1",
    ])
    func `no message repeats the password of a URL`(line: String) async throws {
        let harness = try await Harness.start(
            profiles: ["local": Self.local], active: "local", forward: ForwardProxy())
        let response = try Self.send(harness.port, "\(line)\r\nHost: api.shop.test\r\n" + Self.end)
        #expect(response.hasPrefix("HTTP/1.1 400"), "\(response)")
        #expect(!response.contains("pass-word") && !response.contains("ann"), "\(response)")
        await harness.stop()
        let exchange = try #require(harness.log.exchanges.first)
        #expect(!exchange.url.contains("pass-word"), "\(exchange.url)")
        #expect(exchange.failure?.message.contains("pass-word") != true)
    }

    @Test func `a host in a message is shown where there is no password`() async throws {
        let harness = try await Harness.start(
            profiles: ["local": Self.local], active: "local", forward: ForwardProxy())
        let response = try Self.send(harness.port, "GET ftp://api.shop.test/a@b HTTP/1.1\r\nHost: x\r\n" + Self.end)
        #expect(response.contains("ftp://"), "\(response)")
        await harness.stop()
    }

    /// Knows no name at its first look-ups.
    private static func resolver(_ address: String, failing: [String: Int]) -> Resolver {
        let left = Kept(failing)
        return Resolver { name in
            var hasFailed = false
            let count = left.value[name] ?? 0
            if count > 0 {
                left.change { $0[name] = count - 1 }
                hasFailed = true
            }
            guard !hasFailed, let address = SocketAddress(literal: address, port: 0) else {
                return .failure(.unavailable("temporary failure"))
            }
            return .success([address])
        }
    }

    @Test(arguments: [
        (["alias.corp": 1], "127.0.0.1"), (["shop.corp": 1], "127.0.0.1"),
        (["alias.corp": 1, "shop.corp": 1], "127.0.0.1"),
        (["shop.corp": 9], "10.255.255.1"), ([:], "127.0.0.1"),
    ])
    func `no look-up that fails lets a change through to production`(
        failing: [String: Int], address: String
    ) async throws {
        let host = Self.plain()
        defer { host.stop() }
        let harness = try await Harness.start(
            profiles: ["local": Self.local, "production": Self.production("http://shop.corp:\(host.port)")],
            active: "local", forward: ForwardProxy(), resolver: Self.resolver(address, failing: failing))
        let target = "alias.corp:\(host.port)"
        for request in [
            "DELETE http://\(target)/ HTTP/1.1\r\nHost: \(target)\r\n" + Self.end
        ] {
            let response = try Self.send(harness.port, request)
            #expect(!response.hasSuffix("plain") && !response.hasPrefix("HTTP/1.1 2"), "\(response)")
        }
        await harness.stop()
        #expect(host.connectionCount == 0)
    }

    @Test func `the address that was judged is the one that is connected to`() async throws {
        let host = Self.plain()
        defer { host.stop() }
        // The second look-up of the name leads to production.
        let asked = Kept(0)
        let resolver = Resolver { name in
            if name == "alias.corp" { asked.change { $0 += 1 } }
            let isProduction = name == "shop.corp" || asked.value > 1
            // Nothing can be connected to at the other one.
            return .success(
                [SocketAddress(literal: isProduction ? "127.0.0.1" : "255.255.255.255", port: 0)].compactMap(\.self))
        }
        let harness = try await Harness.start(
            profiles: ["local": Self.local, "production": Self.production("http://shop.corp:\(host.port)")],
            active: "local", forward: ForwardProxy(), resolver: resolver)
        let target = "alias.corp:\(host.port)"
        _ = try Self.send(harness.port, "DELETE http://\(target)/ HTTP/1.1\r\nHost: \(target)\r\n" + Self.end)
        await harness.stop()
        #expect(asked.value == 1 && host.connectionCount == 0)
    }

    @Test(arguments: [#""*.localhost""#, #""@loopback""#, #""api.localhost""#, #""*""#])
    func `no trust rule that verifies nothing counts for production behind the proxy`(pattern: String) async throws {
        // Its certificate is not of an authority that anyone trusts.
        let inner = try await Harness.start(
            profiles: ["only": #"{"kind": "local", "allowedHosts": ["*"], "routes": [{"mock": {"text": "token"}}]}"#],
            active: "only", identities: .development(try DevelopmentCA.ephemeral()))
        let until =
            pattern == #""*""# ? #"{"policy": "disabled", "until": "2999-01-01", "reason": "x"}"# : #""disabled""#
        let local =
            #"{"kind": "local", "routes": [{"host": "api.shop.test", "mock": {"text": "x"}}], "trust": {\#(pattern): \#(until)}}"#
        func response(_ profiles: [String: String], _ host: String) async throws -> String {
            let harness = try await Harness.start(profiles: profiles, active: "local", forward: ForwardProxy())
            let target = "\(host):\(inner.port)"
            let response = try Self.send(
                harness.port, "GET HTTPS://\(target)/ HTTP/1.1\r\nHost: \(target)\r\n" + Self.end)
            await harness.stop()
            return response
        }
        let production = Self.production("https://api.localhost:\(inner.port)")
        #expect(
            try await response(["local": local, "production": production], "api.localhost").hasPrefix("HTTP/1.1 502"))
        // All of this machine is one host.
        #expect(try await response(["local": local, "production": production], "127.0.0.1").hasPrefix("HTTP/1.1 502"))
        if pattern != #""*""# {
            #expect(try await response(["local": local], "api.localhost").hasSuffix("token"))
        }
        await inner.stop()
    }

    @Test func `a tunnel ends where a reload makes its host production`() async throws {
        let heard = Box()
        let host = ScriptedOrigin { connection, _ in
            try connection.send("you said \(try connection.read(until: "!"))")
            heard.put(try connection.readToEnd())
        }
        defer { host.stop() }
        let harness = try await Harness.start(
            profiles: ["local": Self.local], active: "local", forward: ForwardProxy(),
            resolver: Resolver { _ in .success([.loopback(.ipv4, port: 0)]) })
        // By the name of production, and by its address under another name.
        let clients = try ["api.localhost", "127.0.0.1", "alias.corp"].map { name in
            let client = try RawConnection.connect(harness.port)
            try client.send("CONNECT \(name):\(host.port) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.readHead().hasPrefix("HTTP/1.1 200 "))
            try client.send("hello!")
            #expect(try client.read(count: 15) == "you said hello!")
            return client
        }
        // Another change leaves them open.
        try harness.proxy.replace(with: Harness.library(["local": Self.local, "other": Self.local]))
        await harness.proxy.settle()
        let open = await harness.proxy.status().openTunnels
        #expect(open == 3)
        try harness.proxy.replace(
            with: Harness.library([
                "local": Self.local, "production": Self.production("http://api.localhost:\(host.port)"),
            ]))
        // Nothing has to be sent for it.
        for client in clients { #expect(client.isReset()) }
        await harness.stop()
        #expect(heard.take() == "")
        #expect(harness.log.exchanges.filter { $0.failure?.message.contains("production") == true }.count == 3)
    }
}
