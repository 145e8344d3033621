import Foundation
import JSON
import TestSupport
import Testing

/// One client that is moved between environments, with curl and its cookie jar as the client.
@Suite struct MovingTests {
    /// Logs in by a cookie for all of its domain, redirects to itself by its own name, and says who is logged in.
    private static func shop(_ name: String) -> ScriptedOrigin {
        ScriptedOrigin { connection, _ in
            while true {
                let head = try connection.readHead()
                let lines = head.split(separator: "\r\n")
                let host = lines.first { $0.hasPrefix("Host: ") }?.dropFirst(6) ?? ""
                if head.hasPrefix("GET /login") {
                    try connection.send(
                        "HTTP/1.1 302 Found\r\nLocation: http://\(host)/home\r\nContent-Length: 0\r\n"
                            + "Set-Cookie: __Host-sid=\(name)-session; Path=/; Secure; HttpOnly\r\n"
                            + "Set-Cookie: lang=de-\(name); Path=/; Expires=Wed, 01 Jan 2098 00:00:00 GMT\r\n\r\n")
                } else {
                    let cookie = lines.first { $0.hasPrefix("Cookie: ") } ?? "nobody"
                    let body = "\(name): \(cookie)"
                    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
                }
            }
        }
    }

    private static func environments(_ one: ScriptedOrigin, _ two: ScriptedOrigin, jar: Bool = true) -> [String: String]
    {
        func profile(_ port: UInt16, _ kind: String) -> String {
            """
            {"kind": "\(kind)", "cookieJar": \(jar),
             "routes": [{"host": "*", "origin": "http://127.0.0.1:\(port)"}]}
            """
        }
        return ["staging": profile(one.port, "staging"), "local": profile(two.port, "local")]
    }

    @Test(arguments: ["http", "https"])
    func `curl's cookie jar holds both logins, and no environment sees the other's`(scheme: String) throws {
        let (staging, local) = (Self.shop("staging"), Self.shop("local"))
        let shunt = try ServingShunt(Self.environments(staging, local), ["--profile", "staging"])
        func ask(_ path: String) throws -> String {
            try shunt.curl(
                "-L", "-b", "jar", "-c", "jar", "--resolve", "shop.test:\(shunt.port):127.0.0.1",
                "\(scheme)://shop.test:\(shunt.port)\(path)"
            ).output
        }
        func cookies(_ name: String) -> Set<String> { ["__Host-sid=\(name)-session", "lang=de-\(name)"] }
        func seen(_ response: String, by name: String) -> Set<String> {
            #expect(response.hasPrefix("\(name): "), "\(response)")
            let list = response.components(separatedBy: "Cookie: ").last ?? ""
            return Set(list.components(separatedBy: "; "))
        }
        #expect(try ask("/home") == "staging: nobody")
        #expect(seen(try ask("/login"), by: "staging") == cookies("staging"))
        #expect(try shunt.run("use", "local").status == 0)
        #expect(try ask("/home") == "local: nobody")
        #expect(seen(try ask("/login"), by: "local") == cookies("local"))
        #expect(try shunt.run("use", "staging").status == 0)
        #expect(seen(try ask("/home"), by: "staging") == cookies("staging"))
        #expect(try shunt.run("use", "local").status == 0)
        #expect(seen(try ask("/home"), by: "local") == cookies("local"))
        try shunt.stop()
        staging.stop()
        local.stop()
    }

    @Test func `a host label chooses, and a connection for another environment's host gets 421`() throws {
        let (staging, local) = (Self.shop("staging"), Self.shop("local"))
        let shunt = try ServingShunt(Self.environments(staging, local, jar: false), ["--profile", "staging"])
        func ask(_ host: String, _ field: String? = nil) throws -> String {
            try shunt.curl(
                ["-i", "--resolve", "\(host):\(shunt.port):127.0.0.1"] + (field.map { ["-H", "Host: \($0)"] } ?? [])
                    + ["https://\(host):\(shunt.port)/home"]
            ).output
        }
        #expect(try ask("local--shop.test").contains("local: nobody"))
        #expect(try ask("shop.test").contains("staging: nobody"))
        #expect(try ask("local--shop.test", "local--other.test").contains("local: nobody"))
        for (host, field) in [
            ("local--shop.test", "staging--shop.test"), ("local--shop.test", "shop.test"),
            ("shop.test", "local--shop.test"),
        ] {
            let response = try ask(host, field)
            #expect(response.hasPrefix("HTTP/2 421 "), "\(host) for \(field): \(response)")
        }
        try shunt.stop()
        staging.stop()
        local.stop()
    }

    @Test func `a browser that is paired chooses for itself, and its token stays here`() throws {
        let (staging, local) = (Self.shop("staging"), Self.shop("local"))
        let shunt = try ServingShunt(Self.environments(staging, local, jar: false), ["--profile", "staging"])
        let (base, pages) = ("http://localhost:\(shunt.port)", "http://localhost:\(shunt.pagesPort)")
        let own = ["-b", "jar", "-c", "jar", "-H", "Origin: \(pages)"]
        #expect(try shunt.curl(pages + "/").output.contains("staging"))
        let told = try shunt.curl("-i", base + "/__shunt/").output
        #expect(told.hasPrefix("HTTP/1.1 303 ") && told.contains("Location: \(pages)/\r\n"), "\(told)")
        let paired = try JSONReader.read(try shunt.run("pair", "--json").output)
        let code = try #require(paired["code"]?.string)
        let wrong = try shunt.curl(own + ["-i", "-d", "code=AAAA2222", pages + "/pair"]).output
        #expect(!wrong.contains("Set-Cookie"), "\(wrong)")
        for (origin, place) in [
            ("http://evil.test", pages + "/pair"), (base, pages + "/pair"), (base, base + "/__shunt/pair"),
        ] {
            let strange = try shunt.curl("-i", "-H", "Origin: \(origin)", "-d", "code=\(code)", place).output
            #expect(strange.hasPrefix("HTTP/1.1 40") && !strange.contains("Set-Cookie"), "\(strange)")
        }
        let done = try shunt.curl(own + ["-i", "-d", "code=\(code)", pages + "/pair"]).output
        #expect(done.hasPrefix("HTTP/1.1 303 ") && done.contains("HttpOnly"), "\(done)")
        let page = try shunt.curl("-b", "jar", pages + "/").output
        let key = try #require(page.firstMatch(of: /name="key" value="([0-9a-f]+)"/).map { String($0.1) })
        let chosen = try shunt.curl(own + ["-i", "-d", "profile=local&key=\(key)", pages + "/use"]).output
        #expect(chosen.hasPrefix("HTTP/1.1 303 "), "\(chosen)")
        // Cookies belong to a host with all its ports: the token must not reach the shop.
        #expect(try shunt.curl("-b", "jar", base + "/home").output == "local: nobody")
        #expect(try shunt.curl(base + "/home").output == "staging: nobody")
        #expect(try shunt.curl("-b", "jar", "-H", "Shunt-Profile: staging", base + "/home").output == "staging: nobody")
        // A cookie that a page has set for a path of its own comes first.
        let token = try #require(try shunt.folder.read("jar").firstMatch(of: /shunt-device\t([0-9a-f]+)/)).1
        for cookie in ["shunt-device=bad; shunt-device=\(token)", "shunt-device=\(token); shunt-device=bad"] {
            #expect(try shunt.curl("-H", "Cookie: \(cookie)", base + "/home").output == "local: nobody")
        }
        // The pages say of each client what the proxy then does.
        for (more, profile, source) in [
            (["-b", "jar"], "local", "token"), ([], "staging", "active"),
            (["-b", "jar", "-H", "Shunt-Profile: staging"], "staging", "header"),
            (["-b", "jar", "-H", "Host: staging--localhost:\(shunt.pagesPort)"], "staging", "host-label"),
        ] {
            let status = try JSONReader.read(try shunt.curl(more + [pages + "/status.json"]).output)
            #expect(status["profile"]?.string == profile && status["source"]?.string == source, "\(more)")
        }
        try shunt.stop()
        staging.stop()
        local.stop()
    }

    @Test func `production opens while it is unlocked, and the log says so`() throws {
        let origin = Self.shop("production")
        let shunt = try ServingShunt(
            ["production": profile("http://127.0.0.1:\(origin.port)", kind: "production")], ["--log", "json"])
        func post() throws -> String {
            try shunt.curl(
                "-s", "-o", "/dev/null", "-w", "%{http_code}", "-X", "POST", "http://localhost:\(shunt.port)/x"
            ).output
        }
        #expect(try post() == "403")
        #expect(try shunt.run("unlock", "production", "--for", "10m", "--reason", "order 4711").status == 0)
        #expect(try post() == "200")
        #expect(try shunt.run("lock", "production").status == 0)
        #expect(try post() == "403")
        let lines = try shunt.stop().errors.split(separator: "\n").map { try JSONReader.read(String($0)) }
        #expect(lines.filter { $0["method"] != nil }.map { $0["unlocked"]?.bool } == [nil, true, nil])
        origin.stop()
    }

    @Test(arguments: [false, true])
    func `a profile may end the streams of the one before, as the option of use does`(key: Bool) throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")
            _ = try connection.readToEnd()
        }
        defer { origin.stop() }
        let shunt = try ServingShunt(
            [
                "staging": profile("http://127.0.0.1:\(origin.port)", kind: "staging"),
                "local": #"{"kind": "local", "closeSockets": \#(key), "routes": []}"#,
            ], ["--profile", "staging"])
        let events = try ChildProcess("/usr/bin/env", ["curl", "-sN", "http://127.0.0.1:\(shunt.port)/"])
        #expect(eventually { events.output.contains("data: 1") })
        let used = try shunt.run("use", "local").output
        #expect(used.contains("1 event stream") && used.contains("--close-sockets") == !key, "\(used)")
        #expect(key ? eventually { !events.isRunning } : events.isRunning)
        #expect(try shunt.run("use", "staging").status == 0)
        if !key { #expect(try shunt.run("use", "local", "--close-sockets").output.contains("1 event stream")) }
        #expect(eventually { !events.isRunning })
        try shunt.stop()
    }
}
