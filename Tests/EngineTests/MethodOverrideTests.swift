import Engine
import Profiles
import TestSupport
import Testing

/// A method that a request asks to be taken for counts as its own.
@Suite struct MethodOverrideTests {
    private static let form = "Content-Type: application/x-www-form-urlencoded\r\n"
    private static let json = "Content-Type: application/json\r\n"
    private static let parts = "Content-Type: multipart/form-data; boundary=b\r\n"

    private static func part(_ head: String, _ value: String, end: String = "\r\n") -> String {
        "--b\(end)Content-Disposition: form-data; name=\"a\"\(end)\(end)1\(end)"
            + "--b\(end)\(head)\(end)\(end)\(value)\(end)--b--\(end)"
    }

    /// Method, path, fields, body; on `/search` POST is allowed, on `/all` POST, PUT, PATCH and DELETE.
    private static let overrides: [(String, String, String, String, Bool)] = [
        // Fields, on any method.
        ("GET", "/", "X-HTTP-Method-Override: DELETE\r\n", "", false),
        ("HEAD", "/", "X-HTTP-Method: DELETE\r\n", "", false),
        ("GET", "/", "X-REST-Method: DELETE\r\n", "", false),
        ("OPTIONS", "/", "X-Method-Override: PATCH\r\n", "", false),
        ("TRACE", "/", "x-original-method: put\r\n", "", false),
        ("GET", "/", "X_HTTP_Method_Override: DELETE\r\n", "", false),
        ("GET", "/", "X-HTTP_Method-Override: DELETE\r\n", "", false),
        ("GET", "/", "X.HTTP.Method.Override: DELETE\r\n", "", false),
        ("GET", "/", "XHttpMethodOverride: DELETE\r\n", "", false),
        ("GET", "/", "HTTP-Method-Override: DELETE\r\n", "", false),
        ("GET", "/", "X-Forwarded-Method: POST\r\n", "", false),
        ("GET", "/", "X-HTTP-Verb: DELETE\r\n", "", false), ("GET", "/", "Method: delete\r\n", "", false),
        ("GET", "/", "X-HTTP-Method-Override: BREW\r\n", "", false),
        ("GET", "/", "X-HTTP-Method-Override: GET, DELETE\r\n", "", false),
        ("GET", "/", "X-HTTP-Method-Override: GET;DELETE\r\n", "", false),
        ("GET", "/", "X-HTTP-Method-Override: \"DELETE\"\r\n", "", false),
        ("GET", "/", "X-HTTP-Method-Override: GET\r\nX-HTTP-Method-Override: DELETE\r\n", "", false),
        ("GET", "/", "X-HTTP-Method-Override: GET\r\nX-Method-Override: DELETE\r\n", "", false),
        ("GET", "/", "X-HTTP-Method-Override:\r\nX-HTTP-Method: DELETE\r\n", "", false),
        // Safe ones, empty ones, and names that mean something else.
        ("GET", "/", "X-HTTP-Method-Override: HEAD\r\n", "", true),
        ("GET", "/", "X-HTTP-Method-Override:\r\n", "", true),
        ("GET", "/", "X-Payment-Method: card\r\n", "", true), ("GET", "/", "Method: card\r\n", "", true),
        ("OPTIONS", "/", "Access-Control-Request-Method: DELETE\r\n", "", true),
        ("GET", "/?method=card&shipping_method=post&q=_method", "", "", true),
        ("GET", "/?_method=get&_method=", "", "", true),
        // Queries.
        ("GET", "/?_method=DELETE", "", "", false), ("GET", "/?a=b&_METHOD=delete", "", "", false),
        ("GET", "/?%5fmethod=DELETE", "", "", false), ("GET", "/?_%6d%65thod=%44ELETE", "", "", false),
        ("GET", "/?%255Fmethod=DELETE", "", "", false), ("GET", "/?+_method=DELETE", "", "", false),
        ("GET", "/?.method=DELETE", "", "", false), ("GET", "/?_method[]=DELETE", "", "", false),
        ("GET", "/?_method%5B0%5D=DELETE", "", "", false), ("GET", "/?_method=GET&_method=DELETE", "", "", false),
        ("GET", "/?a=b;_method=DELETE", "", "", false), ("GET", "/?_method=GET,DELETE", "", "", false),
        ("GET", "/?method=delete", "", "", false), ("GET", "/?x-http-method-override=PUT", "", "", false),
        ("HEAD", "/?_method%00=DELETE", "", "", false), ("GET", "/?_method%00abc=DELETE", "", "", false),
        ("GET", "/?_method%2500abc=DELETE", "", "", false), ("GET", "/?+_method%00[x]=DELETE", "", "", false),
        ("GET", "/?_method[x]=DELETE", "", "", false), ("GET", "/?_method%5Bx%5D%5By%5D=DELETE", "", "", false),
        ("GET", "/?[_method]=DELETE", "", "", false), ("GET", "/?pay[method]=card&a%00_method=DELETE", "", "", true),
        // A route that lets POST through lets no other method through with it.
        ("POST", "/search", "X-HTTP-Method-Override: POST\r\n", "x", true),
        ("POST", "/search", "X-HTTP-Method-Override: DELETE\r\n", "x", false),
        ("POST", "/search?_method=DELETE", "", "x", false), ("GET", "/search?_method=POST", "", "", true),
        ("POST", "/search", form, "a=1&b=2", true), ("POST", "/search", form, "a=1&_method=DELETE", false),
        ("POST", "/search", form, "%5Fmethod=PUT", false), ("POST", "/search", form, "_method=POST&_method=PUT", false),
        ("POST", "/search", form, "_method%00abc=PUT", false), ("POST", "/search", form, "_method[a]=PUT", false),
        ("POST", "/search", "", #"{"_method\u0000abc": "PUT"}"#, false),
        ("POST", "/search", form, "_method[]=PUT", false), ("POST", "/search", "", "_method=PUT", false),
        ("POST", "/search", "Content-Type: Application/X-WWW-Form-URLEncoded; charset=UTF-8\r\n", "_method=PUT", false),
        ("POST", "/search", "Content-Type: application/x-www-form-urlencoded; charset=ibm037\r\n", "x", false),
        ("POST", "/search", form + "Content-Encoding: gzip\r\n", "a=1", false),
        ("POST", "/search", form + "Content-Type: text/plain\r\n", "a=1", false),
        ("POST", "/search", "Content-Type: text/plain\r\n", "_method=PUT", true),
        ("POST", "/search", "Content-Type: text/plain\r\n", #"{"a": "_method=PUT"}"#, true),
        ("POST", "/search", "Content-Type: text/plain\r\n", "{ no JSON }", true),
        ("POST", "/search", "Content-Type: text/plain;charset=UTF-8\r\n", #" {"_method": "PUT"}"#, false),
        ("POST", "/search", "", #"{"_method": "PUT"}"#, false),
        ("POST", "/search", form, #"{"_method": "PUT"}"#, false),
        ("POST", "/search", "Content-Type: text/plain\r\n", #"{"\u005fmethod": "PUT""#, false),
        // What some readers of JSON pass over, and encodings that they find out by themselves.
        ("POST", "/search", "Content-Type: text/plain\r\n", "\u{FEFF}{\"_method\": \"PUT\"}", false),
        ("POST", "/search", "", "\u{FEFF}{\"_method\": \"PUT\"}", false),
        ("POST", "/search", "Content-Type: text/plain\r\n", "/* a */ {\"_method\": \"PUT\"}", false),
        ("POST", "/search", "Content-Type: text/plain\r\n", "\u{A0}{\"_method\": \"PUT\"}", false),
        ("POST", "/search", "Content-Type: text/plain\r\n", "\u{2028}{\"_method\": \"PUT\"}", false),
        ("POST", "/search", "Content-Type: text/plain\r\n", "\u{B}{\"_method\": \"PUT\"}", false),
        ("POST", "/search", "Content-Type: application/json\r\n", "{\0\"\0_\0m\0", false),
        ("POST", "/search", form, "a=1\0", false),
        ("GET", "/", form, "_method=PUT", false), ("GET", "/", form, "a=1", true),
        ("POST", "/search", parts, part("Content-Disposition: form-data; name=\"c\"", "_method=PUT"), true),
        ("POST", "/search", parts, part("Content-Disposition: form-data; name=\"_method\"", "PUT"), false),
        ("POST", "/search", parts, part("Content-Disposition: form-data; name=\"_method\"", "PUT", end: "\n"), false),
        ("POST", "/search", parts, part("Content-Disposition: form-data; name=_method", "PUT"), false),
        ("POST", "/search", parts, part("content-disposition: form-data;name='_method'", "PUT"), false),
        ("POST", "/search", parts, part("Content-Disposition: form-data; name*=utf-8''%5Fmethod", "PUT"), false),
        ("POST", "/search", parts, part("Content-Disposition: form-data; name=\"\\_method\"", "PUT"), false),
        ("POST", "/search", parts, part("Content-Disposition: form-data;\r\n name=\"_method\"", "PUT"), false),
        (
            "POST", "/search", parts, part("Content-Disposition: form-data; name=\"=?utf-8?B?X21ldGhvZA==?=\"", "P"),
            false
        ),
        ("POST", "/search", "Content-Type: multipart/form-data; boundary=c; boundary=b\r\n", "--b", false),
        ("POST", "/search", "Content-Type: multipart/form-data\r\n", "--b", false),
        (
            "POST", "/search", "Content-Type: multipart/form-data; boundary=AbC\r\n",
            "--AbC\r\nContent-Disposition: form-data; name=\"_method\"\r\n\r\nPUT\r\n--AbC--\r\n", false
        ),
        ("POST", "/search", "Content-Type: multipart/form-data; boundary=c\r\n", "--b\r\n", false),
        ("POST", "/search", json, #"{"a": {"_method": "PUT"}}"#, true),
        ("POST", "/search", json, #"{"_method": "PUT"}"#, false),
        ("POST", "/search", json, #"{"\u005fmethod": "PUT"}"#, false),
        ("POST", "/search", json, #"{"_method": "POST", "_method": "PUT"}"#, false),
        ("POST", "/search", "Content-Type: application/vnd.api+json\r\n", #"{"_method": "PUT"}"#, false),
        ("POST", "/search", json, "{\"index\": 1}\n{\"a\": 2}\n", true),
        // Where all may pass there is nothing to look for.
        ("POST", "/all", form, "_method=DELETE", true),
        ("POST", "/all", form + "Content-Encoding: gzip\r\n", "x", true),
        ("POST", "/all", "X-HTTP-Method-Override: BREW\r\n", "", false),
    ]

    @Test(arguments: overrides)
    func `what a request asks to be taken for has to be allowed`(
        method: String, path: String, fields: String, body: String, passes: Bool
    ) async throws {
        let origin = ChainTests.Named("done")
        let profile = """
            {"kind": "production", "routes": [
              {"origin": "\(origin.url)"}, {"path": "/search", "origin": "\(origin.url)", "allow": ["POST"]},
              {"path": "/all", "origin": "\(origin.url)", "allow": ["POST", "PUT", "PATCH", "DELETE"]}]}
            """
        let harness = try await Harness.start(profiles: ["production": profile], active: "production")
        let response = try await askOnce(harness.port, method, path, fields, body)
        #expect(response.head.hasPrefix(passes ? "HTTP/1.1 200 " : "HTTP/1.1 403 "), "\(response)")
        #expect(origin.received.count == (passes ? 1 : 0), "\(origin.received.prefix(3))")
        if passes { #expect(origin.received.first?.hasSuffix(body) == true) }
        await harness.stop()
    }

    /// The client's version, whether the origin speaks HTTP/2, whether it is unlocked.
    @Test(arguments: ClientKind.allCases, [(false, false), (true, false), (false, true), (true, true)])
    func `trailers stay behind where production is locked, for servers merge them into the head`(
        client: ClientKind, options: (isHTTP2: Bool, isUnlocked: Bool)
    ) async throws {
        let origin = HTTP2MatrixTests.origin()
        defer { origin.stop() }
        let inner = try await Harness.start(to: origin.port)
        let url = options.isHTTP2 ? "h2c://127.0.0.1:\(inner.port)" : "http://127.0.0.1:\(origin.port)"
        let dead = "http://127.0.0.1:\(ScriptedOrigin.closedPort())"
        let harness = try await Harness.start(
            profiles: [
                "production": """
                {"kind": "production", "routes": [{"path": "/echo", "origin": "\(url)", "allow": ["POST"]}]}
                """,
                "staging": #"{"kind": "staging", "routes": [{"origin": ["\#(dead)", "\#(url)"], "allow": ["POST"]}]}"#,
            ], active: "production")
        if options.isUnlocked { try harness.proxy.locks.unlock("production", seconds: 60, reason: "test") }
        try await blocking { [port = harness.port] () throws in
            // What is read ahead to be looked at, what streams, and what a chain holds.
            for fields in [
                "Content-Type: application/json\r\n", "Content-Type: text/plain\r\n",
                "Shunt-Profile: staging\r\n",
            ] {
                for method in ["GET", "POST"] {
                    let seen = try client.ask(
                        port, method, "/echo", fields: fields, body: "{}", hasLength: false,
                        trailers: "X-HTTP-Method-Override: DELETE\r\nX-Sum: 6\r\n")
                    #expect(seen.status == "HTTP/1.1 200" && seen.body == "{}", "\(method) \(fields)")
                    let expected = options.isUnlocked ? "x-http-method-override: delete|x-sum: 6|" : ""
                    #expect(seen["x-trailers"]?.lowercased() == expected, "\(method) \(fields)")
                }
            }
        }
        await harness.stop()
        await inner.stop()
    }

    /// Paths, fields and whether a POST that the route allows passes, and whether a GET does.
    private static let paths: [(String, String, Bool)] = [
        ("/search/a", "", true), ("/search/a%2Fb", "", true), ("/search/a.b/.well-known/v1.2", "", true),
        ("/search/a%20b%2520c", "", true), ("/search/%C3%A9.%E8%AA%9E", "", true), ("/search/-/a;b=1", "", true),
        ("/search/..%2fusers", "", false), ("/search/%2e%2e%2Fusers", "", false), ("/search/a/..%5cusers", "", false),
        ("/search/..;/users", "", false), ("/search/..;a=b/users", "", false), ("/search/..\\users", "", false),
        ("/search/%252e%252e/users", "", false), ("/search/%25252e%25252e/users", "", false),
        ("/search/..%252fusers", "", false), ("/search//../users", "", false), ("/search/.%00./users", "", false),
        ("/search/..%00/users", "", false), ("/search/..%20/users", "", false), ("/search/..%0a/users", "", false),
        ("/search/%c0%ae%c0%ae/users", "", false), ("/search/%c0%ae%c0%ae%c0%afusers", "", false),
        ("/search/%ef%bc%8e%ef%bc%8e/users", "", false), ("/search/..%ef%bc%8fusers", "", false),
        ("/search/..%3fa/users", "", false), ("/search/.../users", "", false),
        ("/search/%25252525252e", "", false),
        ("/search/a", "X-Original-URL: /users/7\r\n", false), ("/search/a", "X-Rewrite-URL: /users/7\r\n", false),
        ("/search/a", "x_original_uri: /users/7\r\n", false), ("/search/a", "X-Override-Path: /users\r\n", false),
        ("/search/a", "X-HTTP-DestinationURL: /users\r\n", false), ("/search/a", "X-Page-URL: /users\r\n", true),
        ("/search/a", "X-Forwarded-Uri: /users\r\n", false), ("/search/a", "Referer: http://x/\r\n", true),
    ]

    @Test(arguments: paths)
    func `what is allowed at one path does not arrive at another`(
        path: String, fields: String, passes: Bool
    ) async throws {
        let origin = ChainTests.Named("done")
        let profile = """
            {"kind": "production", "routes": [
              {"origin": "\(origin.url)"},
              {"path": "/search/*", "origin": "\(origin.url)", "allow": ["POST", "PUT", "PATCH", "DELETE"]}]}
            """
        let harness = try await Harness.start(profiles: ["production": profile], active: "production")
        let response = try await askOnce(harness.port, "POST", path, fields, "x")
        #expect(response.head.hasPrefix(passes ? "HTTP/1.1 200 " : "HTTP/1.1 403 "), "\(response)")
        #expect(origin.received.count == (passes ? 1 : 0), "\(origin.received.prefix(3))")
        // A request that only reads may go anywhere.
        #expect(try await askOnce(harness.port, "GET", path, fields).head.hasPrefix("HTTP/1.1 200 "))
        try harness.proxy.locks.unlock("production", seconds: 60, reason: "test")
        #expect(try await askOnce(harness.port, "POST", path, fields, "x").head.hasPrefix("HTTP/1.1 200 "))
        await harness.stop()
    }

    @Test func `a form too long to be looked at is refused, one that may do all streams`() async throws {
        let origin = ChainTests.Named("done")
        let profile = """
            {"kind": "production", "routes": [
              {"path": "/search", "origin": "\(origin.url)", "allow": ["POST"]},
              {"path": "/all", "origin": "\(origin.url)", "allow": ["POST", "PUT", "PATCH", "DELETE"]}]}
            """
        let harness = try await Harness.start(profiles: ["production": profile], active: "production")
        let long = "a=" + String(repeating: "x", count: 9 << 20)
        #expect(try await askOnce(harness.port, "POST", "/all", Self.form, long).head.hasPrefix("HTTP/1.1 200 "))
        let head = try await blocking { [port = harness.port] in
            let client = try RawConnection.connect(port)
            try client.send("POST /search HTTP/1.1\r\nHost: x\r\n\(Self.form)Content-Length: 9000000\r\n\r\n")
            return try client.readHead()
        }
        #expect(head.hasPrefix("HTTP/1.1 403 "))
        #expect(origin.received.count == 1)
        await harness.stop()
    }
}
