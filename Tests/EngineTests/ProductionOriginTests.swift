import Engine
import Exchanges
import TestSupport
import Testing

/// What arrives at production's server is held to its guard, by whichever profile it goes there.
@Suite struct ProductionOriginTests {
    /// A proxy whose `production` has one route to an origin, beside other profiles.
    private func start(
        _ origin: ChainTests.Named, _ others: [String: String], active: String = "staging"
    ) async throws -> Harness {
        let production = #"{"kind": "production", "routes": [{"host": "api.test", "origin": "\#(origin.url)/base"}]}"#
        return try await Harness.start(
            profiles: others.merging(["production": production]) { mine, _ in mine }, active: active)
    }

    @Test(arguments: [
        "http://127.0.0.1", "http://127.0.0.1./other", "http://localhost", "http://LocalHost", "http://api.localhost",
        "http://[::ffff:127.0.0.1]", "http://[::FFFF:7f00:1]", "http://[0:0:0:0:0:ffff:127.0.0.1]", "http://[::1]",
        "http://[::]", "http://0.0.0.0", "http://127.1", "http://127.0.1", "http://127.9.9.9", "http://2130706433",
        "http://0x7f.0.0.1", "http://0x7f000001", "http://0177.0.0.1", "http://0", "h2c://127.0.0.1",
        "https://localhost", "http://[64:ff9b::127.0.0.1]", "http://[2002:7f00:1::1]",
    ])
    func `an origin is production's however it is spelled`(url: String) async throws {
        let origin = ChainTests.Named("done")
        let scheme = url.split(separator: "://")[0]
        let rest = url.dropFirst(scheme.count + 3).split(separator: "/")
        let spelled = "\(scheme)://\(rest[0]):\(origin.origin.port)" + rest.dropFirst().map { "/\($0)" }.joined()
        let harness = try await start(origin, ["staging": Harness.origin(spelled, kind: "staging")])
        let response = try await askOnce(harness.port, "DELETE", "/users/7")
        #expect(response.head.hasPrefix("HTTP/1.1 403 "), "\(response)")
        #expect(response.body.contains("\"profile\": \"production\""))
        // Why a staging profile is refused can be looked up.
        #expect(response.body.contains("production (route api.test/*, Profiles/production.json:1)"), "\(response.body)")
        #expect(origin.received.isEmpty)
        await harness.stop()
    }

    @Test func `another port, and a host that only looks alike, are not production's`() async throws {
        let origin = ChainTests.Named("done")
        let other = ChainTests.Named("other")
        let harness = try await start(
            origin,
            [
                "staging": Harness.origin(other.url, kind: "staging"),
                // No such name: it fails behind the guard.
                "alike": Harness.origin("http://127.0.0.1.invalid:\(origin.origin.port)"),
            ])
        #expect(try await askOnce(harness.port, "DELETE", "/").head.hasPrefix("HTTP/1.1 200 "))
        #expect(
            try await askOnce(harness.port, "DELETE", "/", "Shunt-Profile: alike\r\n").head.hasPrefix("HTTP/1.1 502 "))
        await harness.stop()
    }

    /// Each way to a profile that is not production's, with its request's fields, host and path.
    @Test(arguments: [
        ("", "x", "/"), ("Shunt-Profile: copy\r\n", "x", "/"), ("", "copy--x.test", "/"),
        ("Shunt-Profile: chain\r\n", "x", "/"), ("Shunt-Profile: first\r\n", "x", "/"),
        ("Shunt-Profile: asks\r\n", "x", "/"), ("Shunt-Profile: heir\r\n", "api.test", "/"),
        ("Shunt-Profile: heir\r\n", "x", "/own"), ("Shunt-Profile: host\r\n", "x", "/"),
    ])
    func `no door leads past the guard`(fields: String, host: String, path: String) async throws {
        let origin = ChainTests.Named("done")
        let dead = "http://127.0.0.1:\(ScriptedOrigin.closedPort())"
        let copy = "http://localhost:\(origin.origin.port)"
        let harness = try await start(
            origin,
            [
                "staging": Harness.origin(copy, kind: "staging"), "copy": Harness.origin(copy),
                "chain": #"{"kind": "local", "routes": [{"origin": ["\#(dead)", "\#(copy)"]}]}"#,
                "first": #"{"kind": "local", "routes": [{"origin": ["\#(copy)", "\#(dead)"]}]}"#,
                "asks": #"{"kind": "local", "routes": [{"origin": ["\#(dead)", "profile:staging"]}]}"#,
                "heir": """
                {"kind": "local", "extends": "production", "routes": [{"path": "/own", "origin": "\(copy)/own"}]}
                """,
                "host": #"{"kind": "local", "routes": [{"origin": "\#(copy)", "preserveHost": true}]}"#,
            ])
        let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
        let writes = [
            ("POST", "", "x"), ("GET", "X-HTTP-Method-Override: DELETE\r\n", ""), ("GET", upgrade, ""),
            ("POST", "Content-Type: application/grpc\r\n", "x"),
            ("POST", "Content-Type: application/json\r\n", #"{"query": "mutation { buy }"}"#),
        ]
        for (method, more, body) in writes {
            // Close is what a WebSocket request cannot ask for, but the upgrade stands beside it.
            let response = try await askOnce(harness.port, method, path, fields + more, body, host: host)
            #expect(response.head.hasPrefix("HTTP/1.1 403 "), "\(method) \(more): \(response)")
        }
        #expect(origin.received.isEmpty)
        #expect(try await askOnce(harness.port, "GET", path, fields, host: host).head.hasPrefix("HTTP/1.1 200 "))
        try harness.proxy.locks.unlock("production", seconds: 60, reason: "test")
        #expect(try await askOnce(harness.port, "POST", path, fields, "x", host: host).head.hasPrefix("HTTP/1.1 200 "))
        #expect(harness.log.exchanges.map(\.isUnlocked) == [Bool](repeating: false, count: 6) + [true])
        harness.proxy.locks.lock("production")
        #expect(try await askOnce(harness.port, "POST", path, fields, "x", host: host).head.hasPrefix("HTTP/1.1 403 "))
        await harness.stop()
    }

    @Test func `an origin of two production profiles needs both to be unlocked`() async throws {
        let origin = ChainTests.Named("done")
        let harness = try await start(
            origin,
            [
                "eu": Harness.origin(origin.url, kind: "production"),
                "staging": Harness.origin(origin.url, kind: "staging"),
            ])
        for profile in ["staging", "eu", "production"] {
            let fields = "Shunt-Profile: \(profile)\r\n"
            func post() async throws -> (head: String, body: String) {
                try await askOnce(harness.port, "POST", "/", fields, "x", host: "api.test")
            }
            #expect(try await post().head.hasPrefix("HTTP/1.1 403 "))
            try harness.proxy.locks.unlock("eu", seconds: 60, reason: "test")
            let half = try await post()
            #expect(
                half.head.hasPrefix("HTTP/1.1 403 ") && half.body.contains("\"shunt unlock production --for"), "\(half)"
            )
            #expect(!half.body.contains("unlock eu"))
            try harness.proxy.locks.unlock("production", seconds: 60, reason: "test")
            #expect(try await post().head.hasPrefix("HTTP/1.1 200 "))
            harness.proxy.locks.lock("eu")
            harness.proxy.locks.lock("production")
        }
        await harness.stop()
    }

    @Test func `a production profile that extends another needs both, the extended one needs itself`() async throws {
        let origin = ChainTests.Named("done")
        let own = ChainTests.Named("own")
        let harness = try await start(
            origin,
            [
                "eu": """
                {"kind": "production", "extends": "production", "routes": [{"path": "/eu", "origin": "\(own.url)"}]}
                """,
                "base": #"{"kind": "local", "routes": [{"path": "/base", "origin": "\#(own.url)"}]}"#,
            ], active: "eu")
        // Who is asked for, the path, and who has to be unlocked.
        for (profile, path, locked) in [
            ("production", "/", ["production"]), ("eu", "/", ["eu", "production"]), ("eu", "/eu", ["eu"]),
            ("base", "/base", ["eu"]),
        ] {
            for name in ["eu", "production"] { harness.proxy.locks.lock(name) }
            let fields = "Shunt-Profile: \(profile)\r\n"
            let refused = try await askOnce(harness.port, "POST", path, fields, "x", host: "api.test")
            #expect(refused.head.hasPrefix("HTTP/1.1 403 "), "\(profile) \(path): \(refused)")
            for name in ["eu", "production"] {
                #expect(refused.body.contains("shunt unlock \(name) ") == locked.contains(name), "\(refused.body)")
            }
            for name in locked {
                #expect(
                    try await askOnce(harness.port, "POST", path, fields, "x", host: "api.test").head.hasPrefix(
                        "HTTP/1.1 403 "))
                try harness.proxy.locks.unlock(name, seconds: 60, reason: "test")
            }
            let passed = try await askOnce(harness.port, "POST", path, fields, "x", host: "api.test")
            #expect(passed.head.hasPrefix("HTTP/1.1 200 "), "\(profile) \(path): \(passed)")
        }
        await harness.stop()
    }

    @Test func `a route of another profile says allow as production's do`() async throws {
        let origin = ChainTests.Named("done")
        let harness = try await start(
            origin,
            [
                "staging": """
                {"kind": "staging", "routes": [
                  {"path": "/search", "origin": "\(origin.url)", "allow": ["POST"]},
                  {"path": "/chain", "origin": ["\(origin.url)", "profile:other"], "allow": ["POST"]},
                  {"path": "/api", "origin": "\(origin.url)", "graphql": true}]}
                """,
                "other": #"{"kind": "local", "routes": []}"#,
            ])
        let json = "Content-Type: application/json\r\n"
        for (method, path, body, status) in [
            ("POST", "/search", "x", 200), ("PUT", "/search", "x", 403), ("POST", "/chain", "x", 200),
            ("DELETE", "/chain", "", 403), ("POST", "/api", #"{"query": "{ me }"}"#, 200),
            ("POST", "/api", #"{"query": "mutation { buy }"}"#, 403),
        ] {
            let response = try await askOnce(harness.port, method, path, body == "x" ? "" : json, body)
            #expect(response.head.hasPrefix("HTTP/1.1 \(status) "), "\(method) \(path): \(response)")
        }
        await harness.stop()
    }

    @Test func `a chain goes on to staging's own origin until production's is next`() async throws {
        let origin = ChainTests.Named("done")
        let declines = ChainTests.Named("no", status: 404)
        let staging = """
            {"kind": "staging", "routes": [
              {"origin": ["\(declines.url)", "\(origin.url)"], "fallback": {"statuses": [404]}}]}
            """
        let dead = "http://127.0.0.1:\(ScriptedOrigin.closedPort())"
        let late = #"{"kind": "staging", "routes": [{"origin": ["\#(dead)", "\#(origin.url)"]}]}"#
        let harness = try await start(origin, ["staging": staging, "late": late])
        let json = "Content-Type: application/json\r\n"
        #expect(try await askOnce(harness.port, "POST", "/", "", "x").head.hasPrefix("HTTP/1.1 403 "))
        #expect(declines.received.count == 1 && origin.received.isEmpty)
        // More than a chain holds by itself can still be looked at, and arrives whole.
        let long = #"{"query": "{ me }", "variables": {"a": ""# + String(repeating: "x", count: 100_000) + #""}}"#
        let chunks = "\(String(long.utf8.count, radix: 16))\r\n\(long)\r\n0\r\n\r\n"
        let head = try await blocking { [port = harness.port] in
            let client = try RawConnection.connect(port)
            try client.send(
                "POST /graphql HTTP/1.1\r\nHost: x\r\nShunt-Profile: late\r\n\(json)"
                    + "Transfer-Encoding: chunked\r\n\r\n\(chunks)")
            return try client.readHead()
        }
        #expect(head.hasPrefix("HTTP/1.1 200 "), "\(head)")
        #expect(origin.received.map { $0.count { $0 == "x" } } == [100_000])
        await harness.stop()
    }

    @Test func `a reload that makes an origin production's counts at once`() async throws {
        let origin = ChainTests.Named("done")
        let staging = Harness.origin(origin.url, kind: "staging")
        let harness = try await Harness.start(profiles: ["staging": staging], active: "staging")
        #expect(try await askOnce(harness.port, "POST", "/", "", "x").head.hasPrefix("HTTP/1.1 200 "))
        try harness.proxy.replace(
            with: Harness.library(["staging": staging, "p": Harness.origin(origin.url, kind: "production")]))
        #expect(try await askOnce(harness.port, "POST", "/", "", "x").head.hasPrefix("HTTP/1.1 403 "))
        await harness.stop()
    }
}

/// Where an origin may be asked without TLS and with it.
@Suite struct ProductionPortTests {
    /// The origins of production and of another profile, and whether these are one server.
    @Test(arguments: [
        ("https://api.invalid", "http://api.invalid", true), ("http://api.invalid", "https://api.invalid", true),
        ("https://api.invalid:443", "http://API.invalid.:80/v1", true),
        ("https://api.invalid", "h2c://api.invalid", true),
        ("http://api.invalid:443", "https://api.invalid:80", true),
        ("https://api.invalid", "http://api.invalid:81", false),
        ("https://api.invalid:444", "http://api.invalid", false), ("https://api.invalid", "http://apj.invalid", false),
        ("https://api.invalid:8443", "http://api.invalid:8080", false),
    ])
    func `the ports 80 and 443 of a host are one for the guard`(
        production: String, other: String, isGuarded: Bool
    ) async throws {
        let harness = try await Harness.start(
            profiles: [
                "production": Harness.origin(production, kind: "production"), "local": Harness.origin(other),
            ], active: "local")
        // No such name: what passes the guard fails behind it.
        let response = try await askOnce(harness.port, "DELETE", "/")
        #expect(response.head.hasPrefix(isGuarded ? "HTTP/1.1 403 " : "HTTP/1.1 502 "), "\(response)")
        await harness.stop()
    }
}

/// Redirects of other origins that lead to production.
@Suite struct ProductionRedirectTests {
    /// The request's method, the status and the beginning of the Location; what is locked is `production`.
    @Test(arguments: [
        ("POST", 307, "http://api.test:81", 403), ("POST", 308, "//api.test:81", 403),
        ("DELETE", 302, "http://API.test.:81", 403), ("PUT", 301, "HTTP:\\\\user@api.test:81", 403),
        ("POST", 307, "http:/api.test:81", 403), ("POST", 308, "http://%61pi.test:81", 403),
        // What follows these is a GET.
        ("POST", 302, "http://api.test:81", 302), ("POST", 303, "http://api.test:81", 303),
        ("GET", 308, "http://api.test:81", 308),
    ])
    func `no redirect takes a change to production, and the log names each`(
        method: String, status: Int, location: String, expected: Int
    ) async throws {
        let origin = ChainTests.Named("moved", status: status, fields: "Location: \(location)/users/7\r\n")
        let harness = try await Harness.start(
            profiles: [
                "production": Harness.origin("http://api.test:81", kind: "production"),
                "staging": Harness.origin(origin.url, kind: "staging"),
            ], active: "staging")
        let body = method == "POST" ? "x" : ""
        let response = try await askOnce(harness.port, method, "/", "", body)
        #expect(response.head.hasPrefix("HTTP/1.1 \(expected) "), "\(response)")
        if expected == 403 {
            #expect(!response.head.contains("Location:"))
            #expect(response.body.contains("redirects \(method) to an origin of it"), "\(response.body)")
        } else {
            #expect(harness.log.exchanges.map(\.redirectedTo) == [["production"]])
        }
        try harness.proxy.locks.unlock("production", seconds: 60, reason: "test")
        let unlocked = try await askOnce(harness.port, method, "/", "", body)
        #expect(
            unlocked.head.hasPrefix("HTTP/1.1 \(status) ") && unlocked.head.contains("Location: \(location)/users/7"))
        #expect(harness.log.exchanges.last?.redirectedTo == ["production"])
        await harness.stop()
    }

    @Test(arguments: [
        "/users", "http://other.test:81/", "http://api.test/", "http://api.test:82/", "mailto:a@api.test:81",
    ])
    func `other redirects pass, and are not named`(location: String) async throws {
        let origin = ChainTests.Named("moved", status: 307, fields: "Location: \(location)\r\n")
        let harness = try await Harness.start(
            profiles: [
                "production": Harness.origin("http://api.test:81", kind: "production"),
                "staging": Harness.origin(origin.url, kind: "staging"),
            ], active: "staging")
        #expect(try await askOnce(harness.port, "POST", "/", "", "x").head.hasPrefix("HTTP/1.1 307 "))
        #expect(harness.log.exchanges.map(\.redirectedTo) == [[]])
        await harness.stop()
    }
}
