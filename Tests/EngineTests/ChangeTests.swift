import Engine
import Exchanges
import Foundation
import TestSupport
import Testing

/// What routes change on the way, through real sockets.
@Suite struct ChangeTests {
    /// A profile of one route, and what else is in it.
    private static func profile(_ url: String, _ more: String, kind: String = "local", rest: String = "") -> String {
        #"{"kind": "\#(kind)", "routes": [{"origin": "\#(url)", \#(more)}]\#(rest)}"#
    }

    private func ask(
        _ origin: ChainTests.Named, _ more: String, _ client: ClientKind = .h1, _ method: String = "GET",
        _ path: String = "/", fields: String = "", body: String? = nil, base: String = ""
    ) async throws -> (seen: Seen, rewritten: [String]) {
        let harness = try await Harness.start(
            profiles: ["only": Self.profile(origin.url + base, more)], active: "only")
        let port = harness.port
        let seen = try await blocking { try client.ask(port, method, path, fields: fields, body: body) }
        await harness.stop()
        return (seen, harness.log.exchanges.first?.rewritten ?? [])
    }

    @Test(arguments: ClientKind.allCases)
    func `a request arrives with the fields, the query and the path of its route`(client: ClientKind) async throws {
        let origin = ChainTests.Named("done")
        let change = """
            "request": {"headers": {"set": {"X-Debug": ["1", "2"], "Accept": "a/b"}, "add": {"X-Old": "3"},
              "remove": ["User-Agent"]}, "query": {"set": {"lang": "en"}, "remove": ["trace"]},
              "path": {"/api/v1/*": "/v1/*"}}
            """
        let (seen, rewritten) = try await ask(
            origin, change, client, "POST", "/api/v1/a%2fb?trace=1&x=%7e+&lang=de", body: "text", base: "/base")
        #expect(seen.status.hasSuffix(" 200") && seen.body == "done")
        let request = try #require(origin.received.first)
        #expect(request.hasPrefix("POST /base/v1/a%2fb?x=%7e+&lang=en HTTP/1.1\r\nHost: 127.0.0.1:"), "\(request)")
        #expect(request.contains("\r\nX-Debug: 1\r\nX-Debug: 2\r\nAccept: a/b\r\nX-Old: 3\r\n"), "\(request)")
        // The origin of this test reads a body only where its length is spelled as HTTP/1.1 does.
        #expect(request.hasSuffix(client == .h1 ? "\r\n\r\ntext" : "\r\n\r\n"))
        #expect(rewritten == ["path", "query", "request headers"])
    }

    @Test(arguments: ClientKind.allCases)
    func `long fields fit, or the request is refused`(client: ClientKind) async throws {
        let origin = ChainTests.Named("done")
        let long = String(repeating: "x", count: 12_000)
        let change = #"{"headers": {"set": {"X-Long": "\#(long)"}}}"#
        let (seen, _) = try await ask(origin, #""request": \#(change), "response": \#(change)"#, client)
        #expect(seen.status.hasSuffix(" 200") && seen["x-long"] == long, "\(seen.status)")
        #expect(origin.received.first?.contains("\r\nX-Long: \(long)\r\n") == true)
        let longer = #""request": {"headers": {"set": {"X-Long": "\#(long + long + long)"}}}"#
        let refused = try await ask(origin, longer, client).seen
        #expect(refused.status.hasSuffix(" 431") && refused.body.contains("with the changes of its route"))
        #expect(origin.received.count == 1)
    }

    @Test(arguments: ClientKind.allCases)
    func `long fields fit into a mock's response, too`(client: ClientKind) async throws {
        let long = String(repeating: "x", count: 12_000)
        let response = #""response": {"headers": {"set": {"X-Long": "\#(long)"}}}"#
        let harness = try await Harness.start(
            profiles: ["only": #"{"kind": "local", "routes": [{"mock": {"text": "done"}, \#(response)}]}"#],
            active: "only")
        let port = harness.port
        let seen = try await blocking { try client.ask(port, "GET", "/") }
        await harness.stop()
        #expect(seen.status.hasSuffix(" 200") && seen.body == "done" && seen["x-long"] == long, "\(seen.status)")
    }

    @Test func `fields that the client sent give way`() async throws {
        let origin = ChainTests.Named("done")
        let change = #""request": {"headers": {"set": {"Authorization": "new"}, "remove": ["user-agent", "x-none"]}}"#
        _ = try await ask(
            origin, change, fields: "authorization: old\r\nUser-Agent: me\r\nX-Kept: yes\r\nAuthorization: older\r\n")
        let request = try #require(origin.received.first)
        #expect(request.contains("\r\nX-Kept: yes\r\nAuthorization: new\r\n"), "\(request)")
        #expect(!request.contains("old") && !request.contains("User-Agent"))
    }

    @Test(arguments: ClientKind.allCases)
    func `a response arrives with the fields and the status of its route`(client: ClientKind) async throws {
        let origin = ChainTests.Named("done", status: 404, fields: "X-A: 0\r\nServer: x\r\n")
        let change = """
            "response": {"headers": {"set": {"X-A": "1"}, "add": {"Strict-Transport-Security": "max-age=0"},
              "remove": ["Server"]}, "status": {"404": 200}}
            """
        let (seen, rewritten) = try await ask(origin, change, client)
        #expect(seen.status.hasSuffix(" 200") && seen.body == "done")
        #expect(seen["x-a"] == "1" && seen["strict-transport-security"] == "max-age=0" && seen["server"] == nil)
        #expect(rewritten == ["response headers", "status"])
    }

    @Test(
        arguments: ClientKind.allCases,
        [
            ("GET", 200, 204, ""), ("GET", 200, 304, ""), ("GET", 200, 205, ""), ("GET", 204, 200, ""),
            ("GET", 304, 200, ""), ("GET", 204, 304, ""), ("HEAD", 200, 404, ""), ("GET", 200, 503, "done"),
            ("GET", 206, 206, "done"), ("HEAD", 304, 200, ""),
        ])
    func `a status without a body has none, and one with a body ends`(
        client: ClientKind, row: (method: String, from: Int, to: Int, body: String)
    ) async throws {
        let origin = ScriptedOrigin { connection, _ in
            while true {
                let head = try connection.readHead()
                let body = head.hasPrefix("HEAD") || row.from == 204 || row.from == 304 ? "" : "done"
                let length = row.from == 204 ? "" : "Content-Length: 4\r\n"
                try connection.send("HTTP/1.1 \(row.from) X\r\n\(length)\r\n\(body)")
            }
        }
        let url = "http://127.0.0.1:\(origin.port)"
        let to = row.to == 206 ? 200 : row.to
        let harness = try await Harness.start(
            profiles: ["only": Self.profile(url, #""response": {"status": \#(to)}"#)], active: "only")
        let port = harness.port
        let seen = try await blocking { try client.ask(port, row.method, "/") }
        // What is left of one response would be taken for the next.
        if client == .h1 {
            try await blocking {
                let wire = try RawConnection.connect(port)
                for _ in 0..<3 {
                    try wire.send("\(row.method) / HTTP/1.1\r\nHost: a\r\n\r\n")
                    let head = try wire.readHead()
                    #expect(head.hasPrefix("HTTP/1.1 \(row.to) "), "\(head)")
                    _ = try wire.read(count: row.body.utf8.count)
                }
            }
        }
        await harness.stop()
        origin.stop()
        #expect(seen.status.hasSuffix(" \(row.to)") && seen.body == row.body)
        if row.to == 204 || row.to == 304 && row.from == 200 { #expect(seen["content-length"] == nil) }
    }

    @Test func `locations and cookies lead back to the paths that clients know`() async throws {
        let fields =
            "Location: /base/v1/next?a=/v1/b#/v1\r\nContent-Location: http://a/v1/x\r\n"
            + "Set-Cookie: a=/v1; Path=/base/v1/cart; HttpOnly\r\nSet-Cookie: b=1; path=/base/v1\r\n"
            + "Set-Cookie: c=1; Path=/\r\nX-Kept: /v1/x\r\n"
        let origin = ChainTests.Named("done", fields: fields)
        let change = #""request": {"path": {"/api/v1/*": "/v1/*"}}"#
        let (seen, rewritten) = try await ask(origin, change, base: "/base")
        let expected = [
            "Location: /api/v1/next?a=/v1/b#/v1", "Content-Location: http://a/api/v1/x",
            "Set-Cookie: a=/v1; Path=/api/v1/cart; HttpOnly", "Set-Cookie: b=1; path=/api/v1",
            "Set-Cookie: c=1; Path=/",
            "X-Kept: /v1/x",
        ]
        for line in expected { #expect(seen.fields.contains(line), "\(line) in \(seen.fields)") }
        #expect(rewritten.contains("path"))
        let plain = try await ask(origin, change + #", "rewrite": {"addresses": false, "cookies": false}"#).seen
        for line in fields.split(separator: "\r\n") { #expect(plain.fields.contains(String(line)), "\(line)") }
    }

    @Test(arguments: [
        ("http://a/v1/x", "http://a/api/v1/x"), ("HTTP://A/v1", "HTTP://A/api/v1"), ("//a/v1?/v1", "//a/api/v1?/v1"),
        // Other servers, or none that can be told.
        ("https://a/v1/x", nil), ("http://a:81/v1/x", nil), ("http://ab/v1/x", nil), ("http://b@a/v1/x", nil),
        ("//b/v1/x", nil), ("v1/x", nil), ("/v2", nil), ("/\\b/v1", nil), ("http://a", nil), ("", nil),
    ])
    func `a location leads back where it names the client's own address`(
        location: String, mapped: String?
    ) async throws {
        let origin = ChainTests.Named("done", fields: "Location: \(location)\r\n")
        let (seen, _) = try await ask(origin, #""request": {"path": {"/api/v1/*": "/v1/*"}}"#)
        #expect(seen["location"] == mapped ?? location)
    }

    @Test(
        arguments: ClientKind.allCases,
        ["Transfer-Encoding: chunked\r\n\r\n4\r\ndone\r\n0\r\nX-T: 1\r\n\r\n", "\r\ndone"])
    func `a body without a length goes too, where the new status has none`(
        client: ClientKind, rest: String
    ) async throws {
        let origin = ScriptedOrigin { connection, _ in
            while true {
                _ = try connection.readHead()
                try connection.send("HTTP/1.1 200 OK\r\n" + rest)
                if rest.hasPrefix("\r\n") { return }
            }
        }
        let harness = try await Harness.start(
            profiles: ["only": Self.profile("http://127.0.0.1:\(origin.port)", #""response": {"status": 204}"#)],
            active: "only")
        let port = harness.port
        for _ in 0..<2 {
            let seen = try await blocking { try client.ask(port, "GET", "/") }
            #expect(seen.status.hasSuffix(" 204") && seen.body.isEmpty && seen["transfer-encoding"] == nil, "\(seen)")
        }
        await harness.stop()
        origin.stop()
    }

    @Test(arguments: [
        #""path": "/mock", "mock": {"text": "done"}"#, #""path": "/mock", "redirect": "/x""#,
    ])
    func `mocks and redirects have the fields of their route, Shunt's own pages do not`(route: String) async throws {
        let change = #""response": {"headers": {"set": {"X-A": "1"}, "remove": ["Content-Type"]}, "status": 204}"#
        let dead = "http://127.0.0.1:\(ScriptedOrigin.closedPort())"
        let harness = try await Harness.start(
            profiles: [
                "only": """
                {"kind": "local", "routes": [{\(route), \(change)}, {"path": "/dead", "origin": "\(dead)", \(change)},
                  {"path": "/cors", "origin": "\(dead)", "cors": true, \(change)}]}
                """
            ], active: "only")
        let mock = try await askOnce(harness.port, "GET", "/mock")
        #expect(mock.head.hasPrefix("HTTP/1.1 204 ") && mock.head.contains("\r\nX-A: 1\r\n") && mock.body.isEmpty)
        #expect(!mock.head.contains("Content-Type") && !mock.head.contains("Content-Length"))
        let dead502 = try await askOnce(harness.port, "GET", "/dead")
        #expect(dead502.head.hasPrefix("HTTP/1.1 502 ") && !dead502.head.contains("X-A"))
        let preflight = try await askOnce(
            harness.port, "OPTIONS", "/cors", "Origin: http://b\r\nAccess-Control-Request-Method: PUT\r\n")
        #expect(preflight.head.hasPrefix("HTTP/1.1 204 ") && !preflight.head.contains("X-A"))
        await harness.stop()
    }

    @Test func `each candidate of a chain is asked with the changes of its own route`() async throws {
        let (first, second, last) = (
            ChainTests.Named("no", status: 404), ChainTests.Named("no", status: 404), ChainTests.Named("done")
        )
        let harness = try await Harness.start(
            profiles: [
                "one": """
                {"kind": "local", "routes": [{"origin": ["\(first.url)", "profile:two", "\(last.url)"],
                  "fallback": {"statuses": [404]}, "request": {"path": {"/a/*": "/one/*"},
                  "headers": {"add": {"X-One": "1"}}}, "response": {"headers": {"set": {"X-From": "one"}}}}]}
                """,
                "two": """
                {"kind": "local", "routes": [{"path": "/a/*", "origin": "\(second.url)",
                  "request": {"path": {"/a/*": "/two/*"}}, "response": {"headers": {"set": {"X-From": "two"}}}}]}
                """,
            ], active: "one")
        let response = try await askOnce(harness.port, "GET", "/a/b")
        await harness.stop()
        #expect(response.body == "done" && response.head.contains("\r\nX-From: one\r\n"), "\(response)")
        let lines = [first, second, last].map { $0.received.map { $0.prefix { $0 != "\r\n" } } }
        #expect(lines == [["GET /one/b HTTP/1.1"], ["GET /two/b HTTP/1.1"], ["GET /one/b HTTP/1.1"]])
        #expect([first, second, last].map { $0.received[0].contains("X-One: 1") } == [true, false, true])
    }

    // MARK: The guard

    private static let json = "Content-Type: application/json\r\n"

    private static let guarded: [(String, String, String, String, String, Bool)] = [
        // What the profile sets counts as if the client had sent it.
        (#""headers": {"set": {"X-HTTP-Method-Override": "DELETE"}}"#, "GET", "/", "", "", false),
        (#""headers": {"add": {"X-HTTP-Method-Override": "DELETE"}}"#, "POST", "/search", "", "x", false),
        (
            #""headers": {"set": {"X-HTTP-Method-Override": "GET"}}"#, "GET", "/", "X-HTTP-Method-Override: DELETE\r\n",
            "", true
        ),
        (
            #""headers": {"remove": ["X-HTTP-Method-Override"]}"#, "GET", "/", "X-HTTP-Method-Override: DELETE\r\n", "",
            true
        ),
        (#""headers": {"remove": ["X-HTTP-Method-Override"]}"#, "GET", "/", "X-Method-Override: DELETE\r\n", "", false),
        (#""query": {"set": {"_method": "DELETE"}}"#, "GET", "/", "", "", false),
        (#""query": {"remove": ["_method"]}"#, "GET", "/?_method=DELETE", "", "", true),
        (#""query": {"remove": ["_method"]}"#, "GET", "/?_%256dethod=DELETE", "", "", false),
        (#""headers": {"set": {"X-Original-URL": "/admin"}}"#, "POST", "/search", "", "x", false),
        (#""headers": {"set": {"X-A": "1"}}"#, "POST", "/search", "", "x", true),
        (#""headers": {"set": {"X-A": "1"}}"#, "DELETE", "/search", "", "", false),
        // What it is depends on the type that arrives.
        (
            #""headers": {"set": {"Content-Type": "application/x-www-form-urlencoded"}}"#, "POST", "/search",
            "Content-Type: text/plain\r\n", "_method=DELETE", false
        ),
        (
            #""headers": {"set": {"Content-Type": "text/plain"}}"#, "POST", "/graphql", json, #"{"query": "{ me }"}"#,
            false
        ),
        (#""headers": {"set": {"Content-Type": "application/grpc"}}"#, "GET", "/", "", "", false),
        // So does GraphQL, by the path that arrives.
        (#""path": {"/q": "/graphql"}"#, "POST", "/q", json, #"{"query": "{ me }"}"#, true),
        (#""path": {"/q": "/graphql"}"#, "POST", "/q", json, #"{"query": "mutation { buy }"}"#, false),
        (#""path": {"/graphql": "/orders"}"#, "POST", "/graphql", json, #"{"query": "{ me }"}"#, false),
        (#""path": {"/graphql": "/orders"}"#, "POST", "/graphql/", json, #"{"query": "{ me }"}"#, true),
        (#""query": {"set": {"query": "mutation{buy}"}}"#, "POST", "/graphql", json, #"{"query": "{ me }"}"#, false),
        // A path that leads elsewhere does so behind a mapping, too.
        (#""path": {"/search/*": "/find/*"}"#, "POST", "/search/..;/admin", "", "x", false),
        (#""path": {"/search/*": "/find/*"}"#, "POST", "/search/%252e%252e/admin", "", "x", false),
        (#""path": {"/search/*": "/find/*"}"#, "POST", "/search/a", "", "x", true),
    ]

    @Test(arguments: guarded)
    func `production's guard judges what would arrive there`(
        change: String, method: String, path: String, fields: String, body: String, passes: Bool
    ) async throws {
        let origin = ChainTests.Named("done")
        let change = #""request": {\#(change)}"#
        let profile = """
            {"kind": "production", "routes": [{"origin": "\(origin.url)", \(change)},
              {"path": "/search/*", "origin": "\(origin.url)", "allow": ["POST"], \(change)}]}
            """
        // Where the request comes from another profile as well.
        let chain = #"{"kind": "local", "routes": [{"origin": ["\#(origin.url)", "profile:production"], \#(change)}]}"#
        let harness = try await Harness.start(
            profiles: ["production": profile, "local": chain], active: "production")
        let response = try await askOnce(harness.port, method, path, fields, body)
        #expect(response.head.hasPrefix(passes ? "HTTP/1.1 200 " : "HTTP/1.1 403 "), "\(response)")
        #expect(origin.received.count == (passes ? 1 : 0))
        if !passes, method == "GET" {
            let other = try await askOnce(harness.port, method, path, fields + "Shunt-Profile: local\r\n", body)
            #expect(other.head.hasPrefix("HTTP/1.1 403 ") && origin.received.isEmpty, "\(other)")
        }
        await harness.stop()
    }

    @Test func `a status that makes a redirect of a response is looked at as one`() async throws {
        let location = "http://127.0.0.1:9/x"
        let origin = ChainTests.Named("done", fields: "Location: \(location)\r\n")
        let harness = try await Harness.start(
            profiles: [
                "local": Self.profile(origin.url, #""response": {"status": 307}"#),
                "production": #"{"kind": "production", "routes": [{"origin": "http://127.0.0.1:9"}]}"#,
            ], active: "local")
        #expect(try await askOnce(harness.port, "POST", "/", "", "x").head.hasPrefix("HTTP/1.1 403 "))
        #expect(try await askOnce(harness.port, "GET", "/").head.hasPrefix("HTTP/1.1 307 "))
        await harness.stop()
    }

    // MARK: Injection

    private static let page = "<html><head></head><body>x</body></html>"
    private static let inject = #""inject": {"head": "<script>h</script>", "body": "<b>"}"#

    @Test(arguments: ClientKind.allCases)
    func `a page gets its HTML, and what said something of its bytes goes`(client: ClientKind) async throws {
        let origin = ChainTests.Named(
            Self.page,
            fields: "Content-Type: text/html\r\nETag: \"a\"\r\nAccept-Ranges: bytes\r\n"
                + "Content-Security-Policy: default-src 'self'\r\n")
        let (seen, rewritten) = try await ask(
            origin, Self.inject, client,
            fields: "Accept: text/html\r\nIf-None-Match: \"a\"\r\nAccept-Encoding: gzip, sdch\r\n")
        #expect(seen.body == "<html><head><script>h</script></head><body>x<b></body></html>")
        #expect(seen["etag"]?.lowercased().hasPrefix("w/\"") == true, "\(seen.fields)")
        #expect(seen["content-length"] == nil && seen["accept-ranges"] == nil)
        // printf h | openssl dgst -sha256 -binary | base64
        let policy = seen.fields.first { $0.lowercased().hasPrefix("content-security-policy:") }
        #expect(
            policy?.hasSuffix(
                "default-src 'self'; script-src 'self' 'sha256-qqlAJmTxpB9A67xSyZk+tmrrNmYClY/fqig7ceZNsSM='") == true,
            "\(seen.fields)")
        #expect(rewritten == ["Content-Security-Policy", "+injection", "cache"], "\(rewritten)")
        let request = try #require(origin.received.first)
        #expect(!request.contains("If-None-Match") && request.contains("Accept-Encoding: gzip\r\n"), "\(request)")
    }

    @Test(arguments: [
        ("Content-Type: text/html\r\nContent-Security-Policy: sandbox\r\n", 200, ["no injection", "cache"]),
        ("Content-Type: text/html\r\nContent-Encoding: x\r\n", 200, ["no injection", "cache"]),
        ("Content-Type: text/html\r\nContent-Range: bytes 0-39/99\r\n", 206, ["no injection", "cache"]),
        ("Content-Type: text/html; charset=utf-16\r\n", 200, ["no injection", "cache"]),
        ("Content-Type: text/plain\r\n", 200, ["cache"]), ("", 200, ["cache"]),
    ])
    func `what cannot get it passes as it is, and the log says so`(
        fields: String, status: Int, rewritten: [String]
    ) async throws {
        let origin = ChainTests.Named(Self.page, status: status, fields: fields + "ETag: \"a\"\r\n")
        let result = try await ask(origin, Self.inject)
        #expect(result.seen.body == Self.page && result.seen["etag"]?.hasPrefix("\"") == true, "\(result.seen)")
        #expect(result.rewritten == rewritten)
    }

    @Test(
        arguments: [
            (
                #""mock": {"text": "PAGE", "headers": {"Content-Type": "text/html", "Content-Security-Policy": "script-src 'none'"}}"#,
                true
            ),
            (#""mock": {"text": "PAGE", "headers": {"Content-Type": "text/html"}, "status": [404, 404]}"#, true),
            (#""mock": {"file": "page.html", "template": true}"#, true), (#""files": "site""#, true),
            (#""files": "site", "reload": true"#, true),
            (#""files": "site", "fallthrough": true, "origin": "ORIGIN""#, true),
            (#""mock": {"text": "PAGE"}"#, false),
            (#""mock": {"text": "<b>", "headers": {"Content-Type": "text/html"}}"#, false),
            (#""mock": {"text": "PAGE", "headers": {"Content-Type": "text/html", "Content-Encoding": "x"}}"#, nil),
            (
                #""mock": {"text": "PAGE", "headers": {"Content-Type": "text/html", "Content-Security-Policy": "sandbox"}}"#,
                nil
            ),
            (#""mock": {"text": "PAGE", "headers": {"Content-Type": "text/html;charset=utf-16"}}"#, nil),
        ] as [(String, Bool?)])
    func `pages of mocks and files get their HTML, too`(responder: String, gets: Bool?) async throws {
        let folder = try TemporaryFolder()
        try folder.write("site/index.html", Self.page)
        try folder.write("site/index.html.gz", "not taken")
        try folder.write("page.html", Self.page)
        let origin = ChainTests.Named("done")
        let route = responder.replacingOccurrences(of: "PAGE", with: Self.page)
            .replacingOccurrences(of: "ORIGIN", with: origin.url)
            .replacingOccurrences(of: "site\"", with: folder.path + "/site\"")
            .replacingOccurrences(of: "page.html", with: folder.path + "/page.html")
        let harness = try await Harness.start(
            profiles: ["only": #"{"kind": "local", "routes": [{"path": "/*", \#(route), \#(Self.inject)}]}"#],
            active: "only")
        let fields = "Accept-Encoding: gzip\r\nIf-None-Match: *\r\n"
        let response = try await askOnce(harness.port, "GET", "/", fields)
        let head = try await askOnce(harness.port, "HEAD", "/", fields)
        await harness.stop()
        #expect(response.body.contains("<script>h</script></head>") == (gets == true), "\(response)")
        #expect(response.body.contains("<b></body>") == (gets == true))
        #expect(head.body.isEmpty && head.head.contains("\r\nContent-Length: \(response.body.utf8.count)\r\n"))
        let rewritten = harness.log.exchanges.first?.rewritten ?? []
        #expect(
            rewritten.contains("+injection") == (gets == true) && rewritten.contains("no injection") == (gets == nil))
        if response.head.contains("script-src") {
            #expect(response.head.contains("script-src 'sha256-qqlAJmTxpB9A67xSyZk+tmrrNmYClY/fqig7ceZNsSM='\r\n"))
        }
        #expect(response.head.contains("200 OK") || response.head.contains("404 Not Found"), "\(response.head)")
    }

    @Test func `a policy that the route takes away keeps nothing out`() async throws {
        let origin = ChainTests.Named(
            Self.page, fields: "Content-Type: text/html\r\nContent-Security-Policy: sandbox\r\n")
        let (seen, _) = try await ask(
            origin, Self.inject + #", "response": {"headers": {"remove": ["content-security-policy"]}}"#)
        #expect(seen.body.contains("<script>h</script>") && seen["content-security-policy"] == nil)
    }
}
