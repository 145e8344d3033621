import Bytes
import Engine
import Exchanges
import Profiles
import Reactor
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Clients that have Shunt as their proxy.
@Suite struct ForwardTests {
    /// Says what it got in one line.
    private static func echo() -> ScriptedOrigin {
        ScriptedOrigin { connection, _ in
            while true {
                let head = try connection.readHead()
                let text = head.split(separator: "\r\n").joined(separator: "|")
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
            }
        }
    }

    private static let local = """
        {"kind": "local", "routes": [
          {"path": "/*", "mock": {"text": "any"}},
          {"host": "api.shop.test", "path": "/*", "mock": {"text": "mocked"}},
          {"host": "*.img.shop.test", "path": "/*", "mock": {"text": "image"}}]}
        """

    private static func start(
        _ forward: ForwardProxy? = ForwardProxy(), production: UInt16? = nil, at productionHost: String = "localhost",
        next: NextProxies = NextProxies(), resolver: Resolver = Resolver(),
        address: SocketAddress = .loopback(.ipv4, port: 0)
    ) async throws -> Harness {
        var profiles = ["local": local]
        if let production {
            profiles["production"] = """
                {"kind": "production", "routes": [
                  {"host": "api.shop.test", "path": "/*", "origin": "http://\(productionHost):\(production)"}]}
                """
        }
        return try await Harness.start(
            profiles: profiles, active: "local", forward: forward, next: next, resolver: resolver, address: address)
    }

    private static func connect(_ authority: String, _ more: String = "", version: String = "1.1") -> String {
        "CONNECT \(authority) HTTP/\(version)\r\nHost: \(authority)\r\n\(more)\r\n"
    }

    private static let end = "Connection: close\r\n\r\n"

    @Test func `a forwarded response says that it came through a proxy, a route's does not`() async throws {
        let origin = Self.echo()
        defer { origin.stop() }
        let harness = try await Self.start()
        let port = harness.port
        try await blocking {
            for (host, isForwarded) in [("localhost:\(origin.port)", true), ("api.shop.test", false)] {
                let client = try RawConnection.connect(port)
                try client.send("GET http://\(host)/ HTTP/1.1\r\nHost: \(host)\r\n\(Self.end)")
                let response = try client.readToEnd()
                #expect(response.contains("\r\nVia: 1.1 shunt\r\n") == isForwarded, "\(response)")
                #expect(response.hasPrefix("HTTP/1.1 200 "))
            }
        }
        await harness.stop()
    }

    @Test func `a host without a route gets a tunnel, which is logged as one`() async throws {
        let host = ScriptedOrigin { connection, _ in
            let got = try connection.read(until: "!")
            try connection.send("you said \(got)")
            _ = try connection.readToEnd()
            try connection.send(" bye")
        }
        defer { host.stop() }
        let harness = try await Self.start()
        let client = try RawConnection.connect(harness.port)
        try client.send(Self.connect("127.0.0.1:\(host.port)"))
        #expect(try client.readHead() == "HTTP/1.1 200 Connection established\r\n\r\n")
        try client.send("hello!")
        #expect(try client.read(count: 15) == "you said hello!")
        client.shutdownWrite()
        #expect(try client.readToEnd() == " bye")
        await harness.proxy.drain()
        let exchange = try #require(harness.log.exchanges.first)
        #expect(harness.log.exchanges.count == 1)
        #expect(exchange.responder == "tunnel" && exchange.status == 200 && exchange.failure == nil)
        #expect(exchange.method == "CONNECT" && exchange.url == "http://127.0.0.1:\(host.port)")
        #expect(exchange.bytes.request == 6 && exchange.bytes.response == 19)
        await harness.stop()
    }

    @Test func `bytes behind a CONNECT belong to the tunnel`() async throws {
        let host = ScriptedOrigin { connection, _ in try connection.send("got \(try connection.read(until: "!"))") }
        defer { host.stop() }
        let harness = try await Self.start()
        let client = try RawConnection.connect(harness.port)
        try client.send(Self.connect("127.0.0.1:\(host.port)") + "early!")
        _ = try client.readHead()
        #expect(try client.readToEnd() == "got early!")
        await harness.stop()
    }

    @Test(arguments: ["1.1", "1.0"])
    func `requests to a host that a route names are read in its connection`(version: String) async throws {
        let harness = try await Self.start()
        for (host, text) in [("api.shop.test", "mocked"), ("API.shop.test.", "mocked"), ("a.img.shop.test", "image")] {
            let client = try RawConnection.connect(harness.port)
            try client.send(Self.connect("\(host):80", version: version))
            #expect(try client.readHead().hasPrefix("HTTP/1.1 200"))
            for _ in 0..<2 {
                try client.send("GET /x HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                _ = try client.readHead()
                #expect(try client.read(count: text.utf8.count) == text)
            }
            try client.send(Self.connect("api.shop.test:80", "Connection: close\r\n"))
            #expect(try client.readToEnd().hasPrefix("HTTP/1.1 501"))
        }
        await harness.stop()
        #expect(harness.log.exchanges.filter { $0.method == "CONNECT" }.allSatisfy { $0.status == 501 })
    }

    @Test func `a request in absolute form goes to the host that it names, without the proxy's credentials`()
        async throws
    {
        let host = Self.echo()
        defer { host.stop() }
        let harness = try await Self.start()
        let target = "127.0.0.1:\(host.port)"
        // Clients of WebSockets name their own scheme.
        for scheme in ["http", "ws", "WS"] {
            let client = try RawConnection.connect(harness.port)
            try client.send(
                "GET \(scheme)://\(target)/a?b=c HTTP/1.1\r\nHost: \(target)\r\nProxy-Authorization: Basic c2VjcmV0\r\n"
                    + "Proxy-Connection: keep-alive\r\nX-A: b\r\n" + Self.end)
            let response = try client.readToEnd()
            #expect(response.contains("GET /a?b=c HTTP/1.1|Host: \(target)|X-A: b"))
            #expect(!response.lowercased().contains("proxy-"))
        }
        // Shunt's own address, and a host that a route names, are routed as ever.
        for (name, text) in [("localhost:\(harness.port)", "any"), ("api.shop.test", "mocked")] {
            let client = try RawConnection.connect(harness.port)
            try client.send("GET http://\(name)/ HTTP/1.1\r\nHost: \(name)\r\n" + Self.end)
            #expect(try client.readToEnd().hasSuffix(text))
        }
        await harness.stop()
    }

    @Test func `a pattern lets a host be read whose requests go on to it`() async throws {
        let host = Self.echo()
        defer { host.stop() }
        var forward = ForwardProxy()
        forward.intercepted = [try ClientHostPattern("127.0.0.1:\(host.port)")]
        let harness = try await Self.start(forward, production: host.port)
        let target = "127.0.0.1:\(host.port)"
        let cases = [
            ("GET /x HTTP/1.1\r\nHost: \(target)\r\n", 200, "GET /x"),
            // Guards hold inside.
            ("POST /x HTTP/1.1\r\nHost: \(target)\r\nContent-Length: 0\r\n", 403, "production is read-only"),
            ("GET /x HTTP/1.1\r\nHost: other.test\r\n", 421, "other.test"),
        ]
        for (request, status, text) in cases {
            let client = try RawConnection.connect(harness.port)
            try client.send(Self.connect(target))
            _ = try client.readHead()
            try client.send(request + Self.end)
            let response = try client.readToEnd()
            #expect(response.hasPrefix("HTTP/1.1 \(status)") && response.contains(text), "\(request): \(response)")
        }
        await harness.stop()
        #expect(host.connectionCount == 1)
    }

    @Test(arguments: [
        "localhost", "LOCALHOST.", "127.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "0.0.0.0", "[::1]",
        "[::ffff:127.0.0.1]", "a.localhost",
    ])
    func `no tunnel leads to production that is locked`(name: String) async throws {
        let host = Self.echo()
        defer { host.stop() }
        let harness = try await Self.start(production: host.port)
        let client = try RawConnection.connect(harness.port)
        try client.send(Self.connect("\(name):\(host.port)", "Connection: close\r\n"))
        #expect(try client.readToEnd().hasPrefix("HTTP/1.1 403"))
        let other = try RawConnection.connect(harness.port)
        try other.send(
            "DELETE http://\(name):\(host.port)/ HTTP/1.1\r\nHost: x\r\n" + Self.end)
        #expect(try other.readToEnd().hasPrefix("HTTP/1.1 403"))
        await harness.stop()
        #expect(host.connectionCount == 0)
    }

    @Test(arguments: [
        ("", 407), ("Proxy-Authorization: Basic am9lOnNlY3JldA==\r\n", 200),
        ("Proxy-Authorization: basic  am9lOnNlY3JldA\r\n", 200),
        ("Proxy-Authorization: Basic am9lOnNlY3JlZA==\r\n", 407),
        ("Proxy-Authorization: Bearer am9lOnNlY3JldA==\r\n", 407), ("Authorization: Basic am9lOnNlY3JldA==\r\n", 407),
        ("Proxy-Authorization: Basic am9lOnNlY3JldA==\r\nProxy-Authorization: Basic x\r\n", 407),
    ])
    func `credentials are asked for where there are any`(field: String, status: Int) async throws {
        let host = Self.echo()
        defer { host.stop() }
        var forward = ForwardProxy()
        forward.credentials = ProxyCredentials(user: "joe", password: "secret")
        let harness = try await Self.start(forward)
        let target = "127.0.0.1:\(host.port)"
        for request in [Self.connect(target, field), "GET http://\(target)/ HTTP/1.1\r\nHost: x\r\n\(field)\r\n"] {
            let client = try RawConnection.connect(harness.port)
            try client.send(request)
            let head = try client.readHead()
            #expect(head.hasPrefix("HTTP/1.1 \(status)"))
            #expect(head.contains("Proxy-Authenticate: Basic") == (status == 407))
        }
        await harness.stop()
    }

    private static func socks(_ host: String, _ port: UInt16) -> [UInt8] {
        [5, 1, 0, 3, UInt8(host.utf8.count)] + Array(host.utf8) + [UInt8(port >> 8), UInt8(truncatingIfNeeded: port)]
    }

    @Test func `a SOCKS client gets the same as one that sends CONNECT`() async throws {
        let host = Self.echo()
        defer { host.stop() }
        let harness = try await Self.start(production: 9)
        let cases: [(String, UInt16, UInt8, String)] = [
            ("api.shop.test", 80, 0, "mocked"), ("127.0.0.1", host.port, 0, "GET /"),
            ("127.0.0.1", 9, 2, ""), ("127.0.0.1", ScriptedOrigin.closedPort(), 5, ""), ("a b", 80, 8, ""),
        ]
        for (name, port, reply, text) in cases {
            let client = try RawConnection.connect(harness.port)
            try client.send([5, 2, 0, 1])
            #expect(try client.readBytes(2) == [5, 0])
            try client.send(Self.socks(name, port))
            #expect(try client.readBytes(10).prefix(2) == [5, reply])
            guard reply == 0 else { continue }
            try client.send("GET / HTTP/1.1\r\nHost: \(name)\r\n\r\n")
            _ = try client.readHead()
            #expect(try client.read(count: text.utf8.count) == text)
        }
        await harness.stop()
    }

    @Test func `a SOCKS client gives its credentials`() async throws {
        var forward = ForwardProxy()
        forward.credentials = ProxyCredentials(user: "joe", password: "secret")
        let harness = try await Self.start(forward)
        for (password, status) in [("secret", 0 as UInt8), ("secred", 1)] {
            let client = try RawConnection.connect(harness.port)
            try client.send([5, 2, 0, 2])
            #expect(try client.readBytes(2) == [5, 2])
            try client.send([1, 3] + Array("joe".utf8) + [UInt8(password.utf8.count)] + Array(password.utf8))
            #expect(try client.readBytes(2) == [1, status])
            guard status == 0 else { continue }
            try client.send(Self.socks("api.shop.test", 80))
            #expect(try client.readBytes(10).prefix(2) == [5, 0])
        }
        let client = try RawConnection.connect(harness.port)
        try client.send([5, 1, 0])
        #expect(try client.readBytes(2) == [5, 0xFF])
        await harness.stop()
    }

    @Test func `without a forward proxy CONNECT and SOCKS are refused`() async throws {
        let harness = try await Self.start(nil)
        let client = try RawConnection.connect(harness.port)
        try client.send(Self.connect("api.shop.test:443", "Connection: close\r\n"))
        #expect(try client.readToEnd().hasPrefix("HTTP/1.1 501"))
        await harness.stop()
    }

    /// One that no other client has; nil where this machine has loopback alone.
    private static let lan = NetworkInterface.all().first { $0.address.family == .ipv4 }?.address

    @Test(.enabled(if: lan != nil))
    func `no tunnel to a bare address leads to production of another name`() async throws {
        let host = Self.echo()
        defer { host.stop() }
        let own = try #require(Self.lan).host
        let harness = try await Self.start(production: host.port)
        func response(to target: String) throws -> String {
            let client = try RawConnection.connect(harness.port)
            try client.send(Self.connect(target, "Connection: close\r\n"))
            return try client.readHead()
        }
        // This machine's own address in its network leads to what `localhost` names.
        let refused = try response(to: "\(own):\(host.port)")
        #expect(refused.hasPrefix("HTTP/1.1 403 "), "\(refused)")
        // Another port is no production, and nothing listens there.
        #expect(try response(to: "\(own):\(ScriptedOrigin.closedPort())").hasPrefix("HTTP/1.1 502 "))
        try harness.proxy.locks.unlock("production", seconds: 60, reason: "a test")
        #expect(try !response(to: "\(own):\(host.port)").hasPrefix("HTTP/1.1 403 "))
        await harness.stop()
    }

    @Test(.enabled(if: lan != nil))
    func `no request in absolute form to a bare address writes to production of another name`() async throws {
        let host = Self.echo()
        defer { host.stop() }
        let bytes = try #require(Self.lan).bytes
        let harness = try await Self.start(production: host.port)
        func status(_ method: String, _ target: String) throws -> String {
            let client = try RawConnection.connect(harness.port)
            try client.send("\(method) http://\(target)/ HTTP/1.1\r\nHost: \(target)\r\n" + Self.end)
            return String(try client.readHead().prefix(12))
        }
        let number = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let quad = bytes.map(String.init).joined(separator: ".")
        let spellings = [
            quad, "\(number)", "0x\(String(number, radix: 16))", "0\(String(number, radix: 8))",
            "\(bytes[0]).\(number & 0xFF_FFFF)", "[::ffff:\(quad)]", "[64:ff9b::\(quad)]",
            "[2002:\(String(number >> 16, radix: 16)):\(String(number & 0xFFFF, radix: 16))::1]",
        ]
        for spelling in spellings {
            #expect(try status("DELETE", "\(spelling):\(host.port)") == "HTTP/1.1 403", "\(spelling)")
        }
        #expect(host.connectionCount == 0)
        #expect(try status("GET", "\(quad):\(host.port)") != "HTTP/1.1 403")
        // Another port is no production.
        #expect(try status("DELETE", "\(quad):\(ScriptedOrigin.closedPort())") == "HTTP/1.1 502")
        try harness.proxy.locks.unlock("production", seconds: 60, reason: "a test")
        #expect(try status("DELETE", "\(quad):\(host.port)") != "HTTP/1.1 403")
        await harness.stop()
    }

    @Test(.enabled(if: lan != nil), arguments: ["0.0.0.0", "0", "[::]", "[::ffff:0.0.0.0]", "127.0.0.1", "[::1]"])
    func `an address that leads to this machine leads to production on it`(spelling: String) async throws {
        let heard = Box()
        let host = ScriptedOrigin { connection, _ in heard.put(try connection.readToEnd()) }
        defer { host.stop() }
        let harness = try await Self.start(production: host.port, at: try #require(Self.lan).host)
        let target = "\(spelling):\(host.port)"
        for request in [
            "DELETE http://\(target)/ HTTP/1.1\r\nHost: \(target)\r\n" + Self.end,
            Self.connect(target, "Connection: close\r\n"),
        ] {
            let client = try RawConnection.connect(harness.port)
            try client.send(request)
            #expect(try client.readHead().hasPrefix("HTTP/1.1 403 "))
        }
        await harness.stop()
        // What a name stands for is known when its connection is open.
        #expect(heard.take() == "")
    }

    @Test(arguments: [
        ("alias.corp", 403), ("10.1.2.3", 403), ("0xa010203", 403), ("167838211", 403), ("0x08080808", 403),
        ("other.corp", 200), ("gateway.test", 200),
    ])
    func `no tunnel by way of another proxy leads to production of another name`(name: String, status: Int) async throws
    {
        let heard = Box()
        let proxy = ScriptedOrigin { connection, _ in
            heard.put(try connection.readHead())
            try connection.send("HTTP/1.1 200 fine\r\n\r\n")
            _ = try connection.readToEnd()
        }
        defer { proxy.stop() }
        let addresses: [String: String] = [
            "shop.corp": "10.1.2.3", "alias.corp": "10.1.2.3", "0xa010203": "10.1.2.3", "167838211": "10.1.2.3",
            "other.corp": "10.1.2.4", "shop.example": "8.8.8.8", "0x08080808": "8.8.8.8", "gateway.test": "8.8.8.8",
        ]
        let resolver = Resolver { name in
            guard let literal = addresses[name], let address = SocketAddress(literal: literal, port: 0) else {
                return .failure(.failed("no such name"))
            }
            return .success([address])
        }
        var next = NextProxies()
        next.https = NextProxies.Server("http://127.0.0.1:\(proxy.port)")
        for production in ["shop.corp", "shop.example"] {
            let isOther = addresses[name] ?? name != addresses[production]
            let harness = try await Self.start(production: 444, at: production, next: next, resolver: resolver)
            let client = try RawConnection.connect(harness.port)
            try client.send(Self.connect("\(name):444", "Connection: close\r\n"))
            let head = try client.readHead()
            #expect(head.hasPrefix("HTTP/1.1 \(isOther ? 200 : status)"), "\(production): \(head)")
            await harness.stop()
        }
    }

    @Test func `a tunnel to production ends when that is locked again`() async throws {
        let heard = Box()
        let host = ScriptedOrigin { connection, _ in
            try connection.send("you said \(try connection.read(until: "!"))")
            heard.put(try connection.readToEnd())
        }
        defer { host.stop() }
        let harness = try await Self.start(production: host.port)
        try harness.proxy.locks.unlock("production", seconds: 60, reason: "a test")
        let client = try RawConnection.connect(harness.port)
        try client.send(Self.connect("localhost:\(host.port)"))
        #expect(try client.readHead().hasPrefix("HTTP/1.1 200 "))
        try client.send("hello!")
        #expect(try client.read(count: 15) == "you said hello!")
        harness.proxy.locks.lock("production")
        try client.send("DELETE / HTTP/1.1\r\n\r\n")
        #expect(client.isReset())
        await harness.stop()
        #expect(heard.take() == "")
        let exchange = try #require(harness.log.exchanges.last)
        #expect(exchange.isUnlocked && exchange.bytes.request == 6)
        #expect(exchange.failure?.message.hasPrefix("production is read-only again") == true)
    }

    @Test func `tunnels count, while they are open and after`() async throws {
        let host = Self.echo()
        defer { host.stop() }
        let harness = try await Self.start()
        let client = try RawConnection.connect(harness.port)
        try client.send(Self.connect("localhost:\(host.port)"))
        #expect(try client.readHead().hasPrefix("HTTP/1.1 200 "))
        let during = await harness.proxy.status()
        #expect(during.openTunnels == 1 && during.tunnels == 1)
        client.close()
        let isOver = Kept(false)
        Task { [proxy = harness.proxy] in
            while await proxy.status().openTunnels > 0 { await Task.yield() }
            isOver.change { $0 = true }
        }
        try await blocking { #expect(eventually { isOver.value }) }
        #expect(await harness.proxy.status().tunnels == 1)
        await harness.stop()
    }

    @Test(.enabled(if: lan != nil))
    func `a client of another machine is refused until it is paired, and then reaches no private address`() async throws
    {
        let host = Self.echo()
        defer { host.stop() }
        let address = try #require(Self.lan)
        let harness = try await Self.start(address: address)
        func status(_ request: String) async throws -> String {
            let client = try RawConnection.connect(harness.port, host: address.bytes)
            try client.send(request)
            return String(try client.readHead().prefix(12))
        }
        let requests =
            ["127.0.0.1", "localhost", address.host].map { Self.connect("\($0):\(host.port)") }
            + ["GET http://127.0.0.1:\(host.port)/ HTTP/1.1\r\nHost: x\r\n\r\n"]
        for request in requests { #expect(try await status(request) == "HTTP/1.1 403") }
        #expect(try await status(Self.connect("api.shop.test:80")) == "HTTP/1.1 403")
        // A profile for an address pairs nobody.
        _ = try #require(harness.proxy.devices.assign("local", at: address))
        #expect(try await status(Self.connect("api.shop.test:80")) == "HTTP/1.1 403")
        let token = TokenDigest(bytes: [UInt8](repeating: 7, count: 32))
        harness.proxy.devices.replace(
            with: [Device(name: "iPhone", address: address, token: token, profile: nil, lastSeen: 0)], choices: [:])
        for request in requests { #expect(try await status(request) == "HTTP/1.1 403") }
        #expect(try await status(Self.connect("api.shop.test:80")) == "HTTP/1.1 200")
        await harness.stop()
        #expect(host.connectionCount == 0)
    }
}

/// Proxies on the way to origins.
@Suite struct NextProxyTests {
    @Test(arguments: [
        ("http://proxy.corp.test:3128", "http://proxy.corp.test:3128"),
        ("proxy.corp.test:80", "http://proxy.corp.test:80"),
        ("http://joe:p%40ss@[::1]:8080/", "http://[::1]:8080"), ("socks5h://proxy.test", "socks5://proxy.test:1080"),
        ("https://proxy.test", nil), ("socks4://proxy.test", nil), ("http://", nil),
    ])
    func `a proxy's URL is read as curl reads it, and shown without its credentials`(text: String, shown: String?) {
        #expect(NextProxies.Server(text)?.description == shown)
    }

    @Test(arguments: [
        ("shop.test", "shop.test", true), ("shop.test", "a.shop.test", true), ("shop.test", "xshop.test", false),
        (".shop.test", "shop.test", true), ("shop.test:8443", "shop.test", false), ("shop.test:443", "shop.test", true),
        ("10.0.0.0/8", "10.1.2.3", true), ("10.0.0.0/8", "11.1.2.3", false), ("10.0.0.0/8", "ten.test", false),
        ("fd00::/8", "fd12::1", true), ("fd00::/8", "fe80::1", false), ("192.0.2.7", "192.0.2.7", true),
        ("*", "a.test", true), ("", "a.test", false), ("other.test", "localhost", true),
    ])
    func `exceptions of NO_PROXY are names with all below them, addresses and networks`(
        exception: String, host: String, isDirect: Bool
    ) {
        var next = NextProxies()
        next.https = NextProxies.Server("http://proxy.test:3128")
        next.exceptions = [exception]
        #expect((next.server(isTLS: true, host: host, port: 443) == nil) == isDirect)
    }

    @Test(arguments: ["http", "socks5"])
    func `a route names its own proxy, whose credentials are in the environment`(scheme: String) async {
        // In a process of its own: others read the environment meanwhile.
        await #expect(processExitsWith: .success) { [scheme] in
            let seen = Box()
            let proxy = ScriptedOrigin { connection, _ in
                if scheme == "http" {
                    seen.put(try connection.readHead())
                    try connection.send("HTTP/1.1 200 fine\r\n\r\n")
                } else {
                    _ = try connection.readBytes(4)
                    try connection.send([5, 2])
                    seen.put(String(decoding: try connection.readBytes(2 + 3 + 1 + 4), as: UTF8.self))
                    try connection.send([1, 0])
                    _ = try connection.readBytes(4 + 1 + 9 + 2)
                    try connection.send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
                }
                _ = try connection.readHead()
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
            defer { proxy.stop() }
            let direct = ScriptedOrigin { connection, _ in
                _ = try connection.readHead()
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ndirect")
            }
            defer { direct.stop() }
            setenv("SHUNT_TEST_PROXY", "joe:p@ss", 1)
            var next = NextProxies()
            next.http = NextProxies.Server("http://127.0.0.1:9")
            let url = #"{"url": "\#(scheme)://127.0.0.1:\#(proxy.port)", "credentialsVariable": "SHUNT_TEST_PROXY"}"#
            let harness = try await Harness.start(
                profiles: [
                    "only": """
                    {"kind": "local", "routes": [
                      {"path": "/far", "origin": "http://a.faraway:81", "proxy": \(url)},
                      {"path": "/near", "origin": "http://localhost:\(direct.port)", "proxy": "direct"}]}
                    """
                ], active: "only", next: next)
            for (path, text) in [("/far", "ok"), ("/near", "direct")] {
                let client = try RawConnection.connect(harness.port)
                try client.send("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                #expect(try client.readToEnd().hasSuffix(text))
            }
            await harness.stop()
            #expect(
                seen.take()
                    == (scheme == "http"
                        ? "CONNECT a.faraway:81 HTTP/1.1\r\nHost: a.faraway:81\r\n"
                            + "Proxy-Authorization: Basic am9lOnBAc3M=\r\n\r\n" : "\u{1}\u{3}joe\u{4}p@ss"))
        }
    }

    @Test func `a route's proxy without its variable keeps the profiles from being used`() async throws {
        let profile = #"""
            {"kind": "local", "routes": [{"origin": "http://a.faraway",
              "proxy": {"url": "http://corp.test", "credentialsVariable": "SHUNT_TEST_NO_SUCH"}}]}
            """#
        let failure = await #expect(throws: ProxyError.self) {
            try await Harness.start(profiles: ["only": profile], active: "only")
        }
        guard case .proxy(profile: "only", reason: let reason)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(
            reason
                == "the environment variable SHUNT_TEST_NO_SUCH with the credentials for http://corp.test:3128 is not set"
        )
    }

    @Test(arguments: ["http", "socks5"])
    func `an origin is reached by the proxy on the way`(scheme: String) async throws {
        let seen = Box()
        let proxy = ScriptedOrigin { connection, _ in
            if scheme == "http" {
                seen.put(try connection.readHead())
                try connection.send("HTTP/1.0 200 fine\r\nX: y\r\n\r\n")
            } else {
                _ = try connection.readBytes(4)
                try connection.send([5, 2])
                _ = try connection.readBytes(2 + 3 + 1 + 4)
                try connection.send([1, 0])
                seen.put(String(decoding: try connection.readBytes(4 + 1 + 9 + 2)[5..<14], as: UTF8.self))
                try connection.send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
            }
            let head = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\(head.hasPrefix("GET /x") ? "ok" : "no")")
        }
        defer { proxy.stop() }
        var next = NextProxies()
        next.http = NextProxies.Server("\(scheme)://joe:p%40ss@127.0.0.1:\(proxy.port)")
        next.exceptions = ["direct.test"]
        let harness = try await Harness.start(
            profiles: ["only": Harness.origin("http://a.faraway:81")], active: "only", next: next)
        let client = try RawConnection.connect(harness.port)
        try client.send("GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(try client.readToEnd().hasSuffix("ok"))
        await harness.stop()
        #expect(
            seen.take()
                == (scheme == "http"
                    ? "CONNECT a.faraway:81 HTTP/1.1\r\nHost: a.faraway:81\r\n"
                        + "Proxy-Authorization: Basic am9lOnBAc3M=\r\n\r\n" : "a.faraway"))
    }

    @Test func `a proxy on the way that refuses is named`() async throws {
        let proxy = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n")
        }
        defer { proxy.stop() }
        var next = NextProxies()
        next.http = NextProxies.Server("http://127.0.0.1:\(proxy.port)")
        let harness = try await Harness.start(
            profiles: ["only": Harness.origin("http://far.test:81")], active: "only", next: next)
        let client = try RawConnection.connect(harness.port)
        try client.send("GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        let response = try client.readToEnd()
        #expect(response.hasPrefix("HTTP/1.1 502"))
        #expect(response.contains("the proxy http://127.0.0.1:\(proxy.port) on the way to http://far.test:81 refused"))
        await harness.stop()
    }
}
