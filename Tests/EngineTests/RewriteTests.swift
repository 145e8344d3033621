import Engine
import Exchanges
import TLS
import TestSupport
import Testing

/// Addresses, cookies and what pins clients, through real sockets.
@Suite struct RewriteTests {
    private func ask(_ port: UInt16, _ request: String) async throws -> (head: String, body: String) {
        try await blocking {
            let client = try RawConnection.connect(port)
            try client.send(request)
            return (try client.readHead(), try client.readToEnd())
        }
    }

    private static func request(_ fields: String, host: String = "api.shop.test:4884") -> String {
        "GET /v1 HTTP/1.1\r\nHost: \(host)\r\n\(fields)Connection: close\r\n\r\n"
    }

    /// What an origin responds with, in terms of its own port.
    private static func origin(_ fields: @escaping @Sendable (UInt16) -> String, _ body: String = "") -> ScriptedOrigin
    {
        let port = Port()
        let origin = ScriptedOrigin { connection, _ in
            while true {
                let head = try connection.readHead()
                let text = body.isEmpty ? head : body
                try connection.send(
                    "HTTP/1.1 200 OK\r\n\(fields(port.number))Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
            }
        }
        port.number = origin.port
        return origin
    }

    private final class Port: @unchecked Sendable { var number: UInt16 = 0 }

    private static func profile(_ port: UInt16, _ more: String = "") -> String {
        """
        {"kind": "local", "routes": [
          {"host": "api.shop.test", "origin": "http://localhost:\(port)/base"\(more)},
          {"host": "m.shop.test", "origin": "http://127.0.0.1:\(port)"}]}
        """
    }

    @Test func `heads name the client's address on the way back and the origin's on the way there`() async throws {
        let origin = Self.origin { port in
            "Location: http://localhost:\(port)/base/next?a=b\r\n"
                + "Link: <http://127.0.0.1:\(port)/x>; rel=next, <https://other.test/>; rel=prev\r\n"
                + "Set-Cookie: a=1; Domain=localhost; Secure; Path=/base/v1\r\nSet-Cookie: b=2; HttpOnly\r\n"
                + "Strict-Transport-Security: max-age=1\r\nAlt-Svc: h3\r\nX-Kept: http://localhost:1\(port)/\r\n"
                + "HX-Redirect: http://localhost:\(port)/base/y\r\n"
        }
        let harness = try await Harness.start(profiles: ["one": Self.profile(origin.port)], active: "one")
        let response = try await ask(
            harness.port,
            Self.request(
                "Origin: http://m.shop.test:4884\r\nReferer: http://api.shop.test:4884/a?b\r\nX-A: http://m.shop.test\r\n"
                    + "X-B: <http://api.shop.test:4884/c>\r\n"
            ))
        #expect(response.head.contains("\r\nLocation: http://api.shop.test:4884/next?a=b\r\n"), "\(response.head)")
        #expect(
            response.head.contains(
                "\r\nLink: <http://m.shop.test:4884/x>; rel=next, <https://other.test/>; rel=prev\r\n")
        )
        #expect(
            response.head.contains(
                "\r\nSet-Cookie: a=1; Domain=api.shop.test; Path=/v1\r\nSet-Cookie: b=2; HttpOnly\r\n")
        )
        #expect(!response.head.contains("Strict-Transport") && !response.head.contains("Alt-Svc"))
        #expect(response.head.contains("\r\nX-Kept: http://localhost:1\(origin.port)/\r\n"))
        #expect(response.head.contains("\r\nHX-Redirect: http://api.shop.test:4884/y\r\n"))
        #expect(response.body.contains("\r\nOrigin: http://127.0.0.1:\(origin.port)\r\n"), "\(response.body)")
        #expect(response.body.contains("\r\nReferer: http://localhost:\(origin.port)/base/a?b\r\n"))
        #expect(response.body.contains("\r\nX-A: http://m.shop.test\r\n"))
        #expect(response.body.contains("\r\nX-B: <http://localhost:\(origin.port)/base/c>\r\n"))
        let rewritten = harness.log.exchanges.map(\.rewritten)
        #expect(
            rewritten == [
                [
                    "Origin", "Referer", "addresses in request fields", "Location", "Link", "Set-Cookie",
                    "addresses in response fields", "-Strict-Transport-Security", "-Alt-Svc",
                ]
            ])
        await harness.stop()
        origin.stop()
    }

    @Test func `nothing is rewritten where the route says so`() async throws {
        let fields =
            "Location: http://localhost:1/base/next\r\nStrict-Transport-Security: max-age=1\r\n"
            + "Set-Cookie: a=1; Domain=localhost; Secure\r\n"
        let origin = Self.origin { _ in fields }
        let harness = try await Harness.start(
            profiles: ["one": Self.profile(origin.port, #", "rewrite": false"#)], active: "one")
        let response = try await ask(harness.port, Self.request("Origin: http://m.shop.test:4884\r\n"))
        #expect(response.head.contains("\r\n" + fields), "\(response.head)")
        #expect(response.body.contains("\r\nOrigin: http://m.shop.test:4884\r\n"))
        await harness.stop()
        origin.stop()
    }

    @Test func `a request with a body keeps the client's address for its response`() async throws {
        let origin = ScriptedOrigin { connection, _ in
            let head = try connection.readHead()
            let host = head.split(separator: "\r\n")[1].dropFirst("Host: ".count)
            _ = try connection.read(count: 100_000)
            try connection.send("HTTP/1.1 302 Found\r\nLocation: http://\(host)/base/x\r\nContent-Length: 0\r\n\r\n")
        }
        let harness = try await Harness.start(profiles: ["one": Self.profile(origin.port)], active: "one")
        let response = try await ask(
            harness.port,
            "POST /v1 HTTP/1.1\r\nHost: api.shop.test:4884\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n"
                + String(repeating: "x", count: 100_000))
        #expect(response.head.contains("\r\nLocation: http://api.shop.test:4884/x\r\n"), "\(response.head)")
        await harness.stop()
        origin.stop()
    }

    @Test func `a label in front of the host chooses the profile, and stays in addresses`() async throws {
        let origin = Self.origin { port in "Location: http://127.0.0.1:\(port)/y\r\n" }
        let harness = try await Harness.start(
            profiles: [
                "one": #"{"kind": "local", "routes": [{"mock": {"text": "mock"}}]}"#, "two": Self.profile(origin.port),
            ], active: "one")
        let response = try await ask(harness.port, Self.request("", host: "two--api.shop.test:4884"))
        #expect(response.head.contains("\r\nLocation: http://two--m.shop.test:4884/y\r\n"), "\(response.head)")
        #expect(response.head.contains("Shunt-Answered-By: two; "))
        #expect(
            try await ask(harness.port, Self.request("", host: "nobody--api.shop.test")).head.hasPrefix("HTTP/1.1 400 ")
        )
        #expect(harness.log.exchanges.map(\.reason) == ["host-label", nil])
        await harness.stop()
        origin.stop()
    }

    @Test func `preflights are answered, and responses can be read by pages that may`() async throws {
        let origin = Self.origin { _ in "Access-Control-Allow-Origin: https://wrong.test\r\nVary: Accept\r\n" }
        let cors = #", "cors": {"origins": ["https://*.shop.test"]}"#
        let harness = try await Harness.start(
            profiles: [
                "one": Self.profile(origin.port, cors), "dead": Self.profile(ScriptedOrigin.closedPort(), cors),
            ],
            active: "one")
        let port = harness.port
        let preflight = try await ask(
            port,
            "OPTIONS /v1 HTTP/1.1\r\nHost: api.shop.test\r\nOrigin: https://m.shop.test\r\nConnection: close\r\n"
                + "Access-Control-Request-Method: PUT\r\nAccess-Control-Request-Headers: x-a\r\n\r\n")
        #expect(preflight.head.hasPrefix("HTTP/1.1 204 "))
        #expect(preflight.head.contains("\r\nAccess-Control-Allow-Origin: https://m.shop.test\r\n"), "\(preflight)")
        for (page, isAllowed) in [("https://m.shop.test", true), ("https://evil.test", false)] {
            let head = try await ask(port, Self.request("Origin: \(page)\r\n", host: "api.shop.test")).head
            #expect(head.contains("\r\nAccess-Control-Allow-Origin: \(page)\r\n") == isAllowed, "\(head)")
            #expect(!head.contains("wrong.test"))
            #expect(head.contains("Vary: Accept, Origin\r\n"), "\(head)")
        }
        // So that a page's console shows what went wrong, not that it may not know.
        let failed = try await ask(
            port, Self.request("Shunt-Profile: dead\r\nOrigin: https://m.shop.test\r\n", host: "api.shop.test")
        ).head
        #expect(failed.hasPrefix("HTTP/1.1 502 "))
        #expect(failed.contains("\r\nAccess-Control-Allow-Origin: https://m.shop.test\r\n"), "\(failed)")
        await harness.stop()
        origin.stop()
    }

    @Test(arguments: [true, false])
    func `whoever responds for a route, its pages may read it`(isObserved: Bool) async throws {
        let origin = Self.origin { _ in "Access-Control-Allow-Origin: https://wrong.test\r\n" }
        let dead = "http://127.0.0.1:\(ScriptedOrigin.closedPort())"
        let harness = try await Harness.start(
            profiles: [
                "one": """
                {"kind": "local", "routes": [
                  {"path": "/other", "origin": ["\(dead)", "profile:mocked"], "cors": true},
                  {"path": "/mock", "mock": {"text": "mock", "headers": {"Vary": "Accept"}}, "cors": true},
                  {"path": "/chain", "origin": ["\(dead)", "profile:two"], "cors": true},
                  {"path": "/dead", "origin": "\(dead)", "cors": true}]}
                """,
                "two": #"{"kind": "local", "routes": [{"origin": "http://127.0.0.1:\#(origin.port)"}]}"#,
                "mocked": #"{"kind": "local", "routes": [{"mock": {"text": "mock"}}]}"#,
            ], active: "one", isObserved: isObserved)
        for path in ["/mock", "/chain", "/other", "/dead"] {
            let head = try await ask(
                harness.port,
                "GET \(path) HTTP/1.1\r\nHost: x\r\nOrigin: https://m.shop.test\r\nConnection: close\r\n\r\n"
            ).head
            #expect(head.contains("\r\nAccess-Control-Allow-Origin: https://m.shop.test\r\n"), "\(path): \(head)")
            #expect(head.contains("\r\nAccess-Control-Allow-Credentials: true\r\n") && !head.contains("wrong.test"))
            #expect(head.contains("\r\nVary: Accept\r\n") == (path == "/mock") && head.contains("\r\nVary: Origin\r\n"))
        }
        await harness.stop()
        origin.stop()
    }

    @Test func `a client that names no host keeps its cookies of Shunt to itself, too`() async throws {
        let origin = Self.origin { port in
            "Set-Cookie: shunt-device=1; Domain=localhost\r\nLocation: http://localhost:\(port)/base/x\r\nAlt-Svc: h3\r\n"
        }
        let routes = #"{"kind": "local", "routes": [{"origin": "http://localhost:\#(origin.port)/base"}]"#
        for jars in ["", #", "cookieJar": true"#] {
            let harness = try await Harness.start(profiles: ["one": "\(routes)\(jars)}"], active: "one")
            let response = try await ask(
                harness.port,
                "GET /v1 HTTP/1.0\r\nOrigin: http://x\r\nCookie: shunt-device=0; a=b; shunt~one~h~c=d; shunt~env2=one\r\n\r\n"
            )
            #expect(response.body.contains("\r\nCookie: \(jars.isEmpty ? "a=b" : "c=d")\r\n"), "\(response.body)")
            #expect(response.body.contains("\r\nOrigin: http://x\r\n") && !response.head.contains("Alt-Svc"))
            #expect(!response.head.contains("\r\nSet-Cookie: shunt-device") && !response.head.contains("Domain"))
            await harness.stop()
        }
        origin.stop()
    }
}
