import Bytes
import Engine
import Exchanges
import Profiles
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Tokens that Shunt fetches and puts into requests.
@Suite struct TokenTests {
    /// Of an OAuth 2 server, with a secret that every process has.
    private static let oauth =
        #""tokenURL": "http://login.test/token", "clientID": "shop", "clientSecretVariable": "HOME", "scope": "a b""#

    private static func profile(
        _ token: String = oauth, kind: String = "staging",
        routes: String = #"{"token": true, "origin": "http://api.test"}"#,
        more: String = ""
    ) -> String {
        #"{"kind": "\#(kind)", "token": {\#(token)}, "routes": [\#(routes)]\#(more)}"#
    }

    private static func get(_ path: String = "/", _ fields: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: app.test\r\n\(fields)\r\n"
    }

    private static func response(_ status: Int = 200, _ body: String = "", _ fields: String = "") -> String {
        "HTTP/1.1 \(status) X\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static func grant(_ token: String, _ seconds: Int? = 3600) -> String {
        response(200, #"{"access_token":"\#(token)"\#(seconds.map { ",\"expires_in\":\($0)" } ?? "")}"#)
    }

    @Test func `the first request fetches the token, which takes the place of the client's`() async throws {
        try await MemoryWorker.run(profile: Self.profile()) { worker in
            let client = await worker.connect(Self.get("/", "authorization: Bearer clients-own\r\nX-Other: 1\r\n"))
            let server = try worker.origins.channel(0)
            let asked = server.text
            #expect(asked.hasPrefix("POST /token HTTP/1.1\r\nHost: login.test\r\n"), "\(asked)")
            #expect(asked.contains("\r\nAuthorization: Basic ") && !asked.contains("client_id"), "\(asked)")
            #expect(asked.hasSuffix("\r\n\r\ngrant_type=client_credentials&scope=a+b"), "\(asked)")
            server.receive(Self.grant("first"))
            await worker.settle()
            let origin = try worker.origins.channel(1)
            let sent = origin.text
            #expect(
                sent.contains("\r\nAuthorization: Bearer first\r\n") && sent.contains("\r\nX-Other: 1\r\n"), "\(sent)")
            #expect(!sent.contains("clients-own"))
            origin.receive(Self.response())
            await worker.settle()
            #expect(client.text.hasPrefix("HTTP/1.1 200 "))
            // The next one uses it again, and the log says that it was put in.
            client.receive(Self.get())
            await worker.settle()
            #expect(worker.origins.channels.count == 2 && origin.text.contains("Authorization: Bearer first\r\n"))
            #expect(worker.log.exchanges[0].rewritten == ["token"])
        }
    }

    @Test func `a thousand requests that wait for it cause one fetch`() async throws {
        try await MemoryWorker.run(profile: Self.profile()) { worker in
            for _ in 0..<1000 { _ = await worker.connect(Self.get()) }
            #expect(worker.origins.channels.count == 1)
            try worker.origins.channel(0).receive(Self.grant("shared"))
            for _ in 0..<8 { await worker.settle() }
            let origins = worker.origins.channels.dropFirst()
            #expect(origins.count == 1000)
            #expect(origins.allSatisfy { $0.text.contains("Authorization: Bearer shared\r\n") })
        }
    }

    @Test func `a token is renewed before it ends, and nothing waits for that`() async throws {
        try await MemoryWorker.run(profile: Self.profile()) { worker in
            let client = await worker.connect(Self.get())
            try worker.origins.channel(0).receive(Self.grant("old", 100))
            await worker.settle()
            let origin = try worker.origins.channel(1)
            func ask() async -> String {
                _ = origin.text
                client.receive(Self.get())
                await worker.settle()
                defer { origin.receive(Self.response()) }
                return origin.text
            }
            origin.receive(Self.response())
            await worker.settle()
            await worker.advance(by: 70)
            #expect(await ask().contains("Bearer old\r\n"))
            await worker.settle()
            #expect(worker.origins.channels.count == 2)
            await worker.advance(by: 15)
            #expect(await ask().contains("Bearer old\r\n"), "it still counts while the next one is fetched")
            await worker.settle()
            let renewing = try worker.origins.channel(2)
            #expect(renewing.text.hasPrefix("POST /token "))
            renewing.receive(Self.grant("new", 100))
            await worker.settle()
            #expect(await ask().contains("Bearer new\r\n"))
        }
    }

    /// Each row: what an origin is sent first, whether the same goes a second time, and what the client gets.
    @Test(arguments: [
        (get(), true), (get("/x?y=1"), true),
        ("POST / HTTP/1.1\r\nHost: app.test\r\nContent-Length: 5\r\n\r\nhello", true),
        ("PUT / HTTP/1.1\r\nHost: app.test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", true),
        (
            "POST / HTTP/1.1\r\nHost: app.test\r\nContent-Length: 100000\r\n\r\n"
                + String(repeating: "x", count: 100000),
            false
        ),
    ])
    func `after a 401 a request that can be sent again goes once more with another token`(
        request: String, isRepeated: Bool
    ) async throws {
        try await MemoryWorker.run(profile: Self.profile()) { worker in
            let client = await worker.connect(request)
            try worker.origins.channel(0).receive(Self.grant("old"))
            await worker.settle()
            let origin = try worker.origins.channel(1)
            let first = origin.text
            origin.receive(Self.response(401, "no"))
            await worker.settle()
            guard isRepeated else {
                #expect(client.text.hasPrefix("HTTP/1.1 401 "))
                client.receive(Self.get())
                await worker.settle()
                return #expect(try worker.origins.channel(2).text.hasPrefix("POST /token "), "the next one renews it")
            }
            #expect(client.text == "")
            try worker.origins.channel(2).receive(Self.grant("new"))
            await worker.settle()
            // What cannot be sent twice needs a connection that nothing has happened to yet.
            let again = request.hasPrefix("GET") ? origin : try worker.origins.channel(3)
            #expect(again.text == first.replacing("Bearer old", with: "Bearer new"))
            // Another 401 is the response.
            again.receive(Self.response(401, "no"))
            await worker.settle()
            let count = request.hasPrefix("GET") ? 3 : 4
            #expect(client.text.hasPrefix("HTTP/1.1 401 ") && worker.origins.channels.count == count)
            #expect(worker.log.exchanges[0].originSent == ["401 to the token of only that Shunt has put in"])
            client.receive(Self.get())
            await worker.settle()
            let sent = worker.origins.channels.map(\.text).joined()
            #expect(sent.contains("Bearer new\r\n"))
            #expect(worker.origins.channels.count == count, "not fetched at every 401")
        }
    }

    /// Each row: the 401, what follows while the token is fetched and after that, and whether its connection goes on.
    @Test(arguments: [
        ("Content-Length: 2\r\n\r\nno", "", "", true), ("Content-Length: 0\r\n\r\n", "", "", true),
        ("Content-Length: 4\r\n\r\nno", "no", "", true), ("Content-Length: 4\r\n\r\n", "", "nono", true),
        ("Transfer-Encoding: chunked\r\n\r\n2\r\nno\r\n", "0\r\n", "X: y\r\n\r\n", true),
        ("Content-Length: 4\r\n\r\nno", "", "", false), ("Content-Length: 2\r\n\r\nno", "more", "", false),
        ("Connection: close\r\nContent-Length: 2\r\n\r\nno", "", "", false), ("\r\nno", "", "", false),
        ("Content-Length: 100000\r\n\r\n", String(repeating: "x", count: 100_000), "", false),
        ("Transfer-Encoding: chunked\r\n\r\nx\r\n", "", "", false),
    ])
    func `the connection of a 401 goes on where its body ends soon, and the client's always`(
        head: String, meanwhile: String, after: String, isKept: Bool
    ) async throws {
        try await MemoryWorker.run(profile: Self.profile()) { worker in
            let client = await worker.connect(Self.get())
            try worker.origins.channel(0).receive(Self.grant("old"))
            await worker.settle()
            let origin = try worker.origins.channel(1)
            let first = origin.text
            origin.receive("HTTP/1.1 401 X\r\n" + head)
            await worker.settle()
            origin.receive(meanwhile)
            try worker.origins.channel(2).receive(Self.grant("new"))
            await worker.settle()
            origin.receive(after)
            await worker.settle()
            // What does not come in time is not waited for.
            if !isKept { await worker.advance(by: 1.1) }
            let again = isKept ? origin : try worker.origins.channel(3)
            #expect(again.text == first.replacing("Bearer old", with: "Bearer new"))
            for request in [nil, Self.get()] {
                if let request { client.receive(request) }
                await worker.settle()
                again.receive(Self.response(200, "fine"))
                await worker.settle()
                let text = client.text
                #expect(text.hasPrefix("HTTP/1.1 200 ") && !text.lowercased().contains("connection: close"), "\(text)")
            }
            #expect(worker.origins.channels.count == (isKept ? 3 : 4))
        }
    }

    @Test func `a fetch that fails is a page that names profile, source and next step, and pauses grow`() async throws {
        try await MemoryWorker.run(profile: Self.profile()) { worker in
            let client = await worker.connect(Self.get())
            func refuse(_ worker: isolated MemoryWorker) async throws -> String {
                try worker.origins.channel(worker.origins.channels.count - 1).receive(
                    Self.response(401, #"{"error":"invalid_client","error_description":"is /root wrong?"}"#))
                await worker.settle()
                return client.text
            }
            let page = try await refuse(worker)
            #expect(page.hasPrefix("HTTP/1.1 502 "), "\(page)")
            for part in ["profile only", "http://login.test/token", "401 invalid_client", "`shunt login only`"] {
                #expect(page.contains(part), "\(page)")
            }
            #expect(!page.contains("wrong?"))
            for (pause, count) in [(0.5, 1), (0.6, 2), (1, 2), (1.1, 3), (3, 3), (1.1, 4)] {
                await worker.advance(by: pause)
                client.receive(Self.get())
                await worker.settle()
                #expect(worker.origins.channels.count == count, "after \(pause) s")
                let text = client.text.isEmpty ? try await refuse(worker) : "HTTP/1.1 502 "
                #expect(text.hasPrefix("HTTP/1.1 502 "), "\(text)")
            }
            await worker.advance(by: 60)
            client.receive(Self.get())
            await worker.settle()
            try worker.origins.channel(worker.origins.channels.count - 1).receive(Self.grant("at last"))
            await worker.settle()
            #expect(client.text.hasPrefix("HTTP/1.1 502 "), "two words are no token")
        }
    }

    @Test(
        arguments: [
            ("connecting", EngineFailure(.origin, .connect, status: 502, "nobody is there")), ("silence", nil),
        ] as [(String, EngineFailure?)])
    func `a token server that cannot be reached is told of in time`(what: String, failure: EngineFailure?) async throws
    {
        try await MemoryWorker.run(profile: Self.profile()) { worker in
            worker.origins.failure = failure
            let client = await worker.connect(Self.get())
            await worker.advance(by: 31)
            await worker.settle()
            let text = client.text
            #expect(text.hasPrefix("HTTP/1.1 502 ") && text.contains("profile only has no token"), "\(text)")
        }
    }

    /// Each row: where it stands, what a client sends, and what the origin gets of it.
    @Test(arguments: [
        (#""field": "X-Api-Key""#, "/", "x-api-key: mine\r\nA: b\r\n", "GET / HTTP/1.1", "X-Api-Key: tok+1=\r\n"),
        (#""field": "X-Auth", "prefix": "Token ""#, "/", "", "GET / HTTP/1.1", "X-Auth: Token tok+1=\r\n"),
        (
            #""prefix": "token ""#, "/", "Authorization: Basic bWluZQ==\r\n", "GET / HTTP/1.1",
            "Authorization: token tok+1=\r\n"
        ),
        (#""cookie": "sid""#, "/", "", "GET / HTTP/1.1", "\r\nCookie: sid=tok+1=\r\n"),
        (
            #""cookie": "sid""#, "/", "Cookie: a=1; sid=mine; b=2\r\n", "GET / HTTP/1.1",
            "\r\nCookie: a=1; b=2; sid=tok+1=\r\n"
        ),
        (
            #""cookie": "sid""#, "/", "Cookie: Sid=1; sid=mine\r\n", "GET / HTTP/1.1",
            "\r\nCookie: Sid=1; sid=tok+1=\r\n"
        ),
        (#""query": "access_token""#, "/p", "", "GET /p?access_token=tok%2B1%3D HTTP/1.1", "Host: api.test"),
        (
            #""query": "access_token""#, "/p?a=1&access_token=mine&b", "",
            "GET /p?a=1&b&access_token=tok%2B1%3D HTTP/1.1", ""
        ),
        (#""query": "access_token""#, "/p?acces%73_token=mine&", "", "GET /p?access_token=tok%2B1%3D HTTP/1.1", ""),
    ])
    func `it stands where the profile says, and the client's goes`(
        place: String, path: String, fields: String, line: String, part: String
    ) async throws {
        try await MemoryWorker.run(profile: Self.profile(Self.oauth + ", " + place)) { worker in
            _ = await worker.connect(Self.get(path, fields))
            try worker.origins.channel(0).receive(Self.grant("tok+1="))
            await worker.settle()
            let sent = try worker.origins.channel(1).text
            #expect(sent.hasPrefix(line + "\r\n") && sent.contains(part), "\(sent)")
            #expect(!sent.contains("mine") && !sent.contains("bWluZQ"), "\(sent)")
            if fields.hasSuffix("A: b\r\n") { #expect(sent.contains("\r\nA: b\r\n")) }
        }
    }

    @Test func `a variable, a file and a command give it, and what is no token is told of`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("token", "from-file\n")
        try folder.write("json", #"{"data": {"token": "from-json", "expires_in": "60"}}"#)
        try folder.write("open", "x")
        for name in ["token", "json"] { #expect(chmod(folder.path + "/" + name, 0o600) == 0) }
        #expect(chmod(folder.path + "/open", 0o644) == 0)
        let files = folder.path
        for (source, part) in [
            (#""variable": "HOME""#, "Authorization: Bearer /"), (#""variable": "SHUNT_TEST_NO_SUCH""#, "is not set"),
            (#""file": "\#(files)/token""#, "Bearer from-file\r\n"),
            (#""file": "\#(files)/json", "json": "data.token""#, "Bearer from-json\r\n"),
            (#""file": "\#(files)/json", "json": "data.other""#, "holds JSON without a text \"data.other\""),
            (#""file": "\#(files)/none""#, "cannot be read"), (#""file": "\#(files)/open""#, "chmod 600"),
            (#""run": "echo from-$((1+1)); echo secret-words >&2""#, "Bearer from-2\r\n"),
            (#""run": "exit 3""#, "failed with exit status 3"), (#""run": "true""#, "prints nothing"),
            (#""run": "echo two words""#, "one word of visible ASCII"),
        ] {
            try await MemoryWorker.run(profile: Self.profile(source)) { worker in
                let client = await worker.connect(Self.get())
                _ = await worker.wait { !$0.log.exchanges.isEmpty || !$0.origins.channels.isEmpty }
                await worker.settle()
                let text = client.text + worker.origins.channels.map(\.text).joined()
                #expect(text.contains(part), "\(source): \(text)")
                #expect(!text.contains("secret-words") && !text.contains("two words\""))
            }
        }
    }

    @Test func `a JSON Web Token says itself when it ends`() async throws {
        @Sendable func token(_ claims: String) -> String {
            "x." + Base64Encoder.text(Array(claims.utf8)).replacing("=", with: "") + ".y"
        }
        // The worker's clock begins at 1,800,001,000.
        try await MemoryWorker.run(profile: Self.profile()) { worker in
            let client = await worker.connect(Self.get())
            try worker.origins.channel(0).receive(Self.grant(token(#"{"exp":1800001100}"#), nil))
            await worker.settle()
            try worker.origins.channel(1).receive(Self.response())
            await worker.advance(by: 101)
            client.receive(Self.get())
            await worker.settle()
            let second = try worker.origins.channel(worker.origins.channels.count - 1)
            #expect(second.text.hasPrefix("POST /token "))
            second.receive(Self.grant(token(#"{"exp":1800001000}"#), nil))
            await worker.settle()
            #expect(client.text.contains("a token that has ended 10"))
        }
    }

    // MARK: Learned

    private static let learned = #""login": "/v1/login", "json": "auth.jwt""#
    private static let loginRoutes =
        #"{"path": "/v1/login", "origin": "http://api.test"}, {"token": true, "origin": "http://api.test"}"#

    @Test func `a login teaches the token of its environment, and another environment's login changes nothing`()
        async throws
    {
        let profile = Self.profile(Self.learned, kind: "local", routes: Self.loginRoutes)
        let library = try Harness.library(["only": profile, "other": profile])
        try await MemoryWorker.run(library: library) { worker in
            let client = await worker.connect()
            func ask(
                _ worker: isolated MemoryWorker, _ request: String, _ answer: String
            ) async throws -> String {
                client.receive(request)
                await worker.settle()
                let origin = try worker.origins.channel(worker.origins.channels.count - 1)
                let sent = origin.text
                origin.receive(answer)
                await worker.settle()
                _ = client.text
                return sent
            }
            func login(_ profile: String, _ token: String) -> (String, String) {
                (
                    "POST /v1/login HTTP/1.1\r\nHost: a\r\nShunt-Profile: \(profile)\r\nContent-Length: 0\r\n\r\n",
                    Self.response(200, #"{"auth":{"jwt":"\#(token)","expires_in":60}}"#)
                )
            }
            func sent(
                _ worker: isolated MemoryWorker, _ profile: String, _ status: Int = 200
            ) async throws -> String {
                let fields = "Shunt-Profile: \(profile)\r\nAuthorization: Bearer clients\r\n"
                return try await ask(worker, Self.get("/", fields), Self.response(status))
            }
            #expect(try await sent(worker, "only").contains("Bearer clients\r\n"), "nothing was learned yet")
            let (request, answer) = login("only", "one")
            _ = try await ask(worker, request, answer)
            #expect(try await sent(worker, "only").contains("Bearer one\r\n"))
            #expect(try await sent(worker, "other").contains("Bearer clients\r\n"))
            let (second, other) = login("other", "two")
            _ = try await ask(worker, second, other)
            #expect(try await sent(worker, "only").contains("Bearer one\r\n"))
            #expect(try await sent(worker, "other").contains("Bearer two\r\n"))
            // A login that fails teaches nothing, and a token that is refused is forgotten.
            _ = try await ask(worker, request, Self.response(403, #"{"auth":{"jwt":"three"}}"#))
            #expect(try await sent(worker, "only", 401).contains("Bearer one\r\n"))
            #expect(try await sent(worker, "only").contains("Bearer clients\r\n"))
            // It ends in its time.
            await worker.advance(by: 61)
            #expect(try await sent(worker, "other").contains("Bearer clients\r\n"))
        }
    }

    // MARK: Which routes, and production

    @Test func `routes say whether they have it, and profiles that extend one bring their own`() async throws {
        let base = #"""
            {"kind": "local", "token": false, "routes": [
             {"path": "/in", "token": true, "origin": "http://api.test"}, {"path": "/out", "token": false, "origin": "http://api.test"},
             {"origin": "http://api.test"}]}
            """#
        func child(_ token: String) -> String {
            #"{"kind": "staging", "extends": "base"\#(token), "routes": []}"#
        }
        let library = try Harness.library([
            "base": base, "only": child(#", "token": {"variable": "HOME"}"#),
            "all": child(#", "token": {"variable": "HOME", "allRoutes": true}"#), "none": child(""),
        ])
        try await MemoryWorker.run(library: library) { worker in
            let client = await worker.connect()
            for (profile, paths) in [("only", ["/in"]), ("all", ["/in", "/"]), ("none", []), ("base", [])] {
                for path in ["/in", "/out", "/"] {
                    client.receive(Self.get(path, "Shunt-Profile: \(profile)\r\n"))
                    await worker.settle()
                    let origin = try worker.origins.channel(worker.origins.channels.count - 1)
                    #expect(
                        origin.text.contains("Authorization: Bearer ") == paths.contains(path), "\(profile) \(path)")
                    origin.receive(Self.response())
                    await worker.settle()
                    _ = client.text
                }
            }
        }
    }

    @Test func `a chain sends each profile's own token to its origins alone`() async throws {
        let local = #"""
            {"kind": "local", "token": {"run": "echo local"}, "routes": [
             {"token": true, "origin": ["http://local.test", "profile:other"], "fallback": {"statuses": [404]}}]}
            """#
        for (other, part) in [
            (#""token": {"variable": "HOME", "allRoutes": true}, "#, "Authorization: Bearer /"),
            ("", "Authorization: Bearer clients\r\n"),
        ] {
            let library = try Harness.library([
                "only": local,
                "other": #"{"kind": "staging", \#(other)"routes": [{"origin": "http://other.test"}]}"#,
            ])
            try await MemoryWorker.run(library: library) { worker in
                _ = await worker.connect(Self.get("/", "Authorization: Bearer clients\r\n"))
                #expect(await worker.wait { $0.origins.channels.count == 1 })
                let first = try worker.origins.channel(0)
                #expect(first.text.contains("Authorization: Bearer local\r\n"))
                first.receive(Self.response(404))
                await worker.settle()
                let sent = try worker.origins.channel(1).text
                #expect(sent.contains(part) && !sent.contains("Bearer local"), "\(sent)")
            }
        }
    }

    @Test func `nothing is fetched for production without its rule, nor for what the guard refuses`() async throws {
        let production = #"{"kind": "production", "routes": [{"origin": "http://api.test"}]}"#
        for (rule, status) in [("", 403), (#", "production": true"#, nil)] as [(String, Int?)] {
            let library = try Harness.library(["only": Self.profile(Self.oauth + rule), "production": production])
            try await MemoryWorker.run(library: library) { worker in
                let client = await worker.connect(Self.get())
                #expect(client.text.contains("HTTP/1.1 \(status ?? 0) ") == (status != nil))
                #expect(worker.origins.channels.count == (status == nil ? 1 : 0))
                let writer = await worker.connect("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
                let refusal = writer.text
                #expect(refusal.hasPrefix("HTTP/1.1 403 ") && refusal.contains("read-only"), "\(refusal)")
                #expect(worker.origins.channels.count == (status == nil ? 1 : 0))
            }
        }
    }

    @Test func `the guard judges a query with the token in it`() async throws {
        let token = #""variable": "HOME", "production": true, "#
        for (place, isRefused) in [(#""query": "access_token""#, true), (#""field": "X-Key""#, false)] {
            let profile = Self.profile(
                token + place, kind: "production",
                routes: #"{"token": true, "graphql": true, "origin": "http://api.test"}"#)
            try await MemoryWorker.run(profile: profile) { worker in
                let client = await worker.connect(Self.get("/?query=%7Ba%7D"))
                #expect(client.text.hasPrefix("HTTP/1.1 403 ") == isRefused)
                #expect(worker.origins.channels.isEmpty == isRefused)
            }
        }
    }

    // MARK: A 401 after a switch

    /// Each row: what one profile after the other responds to the same token, and what is said of the last 401.
    @Test(
        arguments: [
            ([("only", 200), ("other", 401)], "the token is only's"), ([("only", 200), ("only", 401)], nil),
            ([("other", 401)], nil), ([("only", 200), ("other", 200), ("other", 401)], nil),
            ([("only", 200), ("other", 401), ("only", 200), ("other", 401)], "the token is only's"),
            ([("only", 200), ("other", 401), ("pause", 61), ("other", 401)], nil),
            ([("only", 200), ("other", 401), ("pause", 30), ("other", 401)], "the token is only's"),
        ] as [([(String, Int)], String?)])
    func `a 401 to a token that another profile has accepted is explained for a minute`(
        steps: [(String, Int)], note: String?
    ) async throws {
        let library = try Harness.library([
            "only": Harness.origin("http://one.test"), "other": Harness.origin("http://two.test", kind: "staging"),
        ])
        try await MemoryWorker.run(library: library) { worker in
            let client = await worker.connect()
            for (profile, status) in steps {
                if profile == "pause" {
                    await worker.advance(by: Double(status))
                    continue
                }
                client.receive(Self.get("/", "Shunt-Profile: \(profile)\r\nAuthorization: Bearer abcdefghijkl\r\n"))
                await worker.settle()
                for origin in worker.origins.channels where !origin.text.isEmpty {
                    origin.receive(Self.response(status))
                }
                await worker.settle()
                #expect(client.text.hasPrefix("HTTP/1.1 \(status) "))
            }
            let said = worker.log.exchanges.last?.originSent ?? []
            #expect(said.count == (note == nil ? 0 : 1) && said.first?.contains(note ?? "") ?? true, "\(said)")
        }
    }

    /// Each row: the token of the profile that refuses a client's own, and what is advised.
    @Test(arguments: [
        ("", #"log in to other, or give that profile a "token""#),
        (#""login": "/login", "json": "a""#, "log in to other with the app"),
    ])
    func `the advice goes by the profile's own token`(token: String, advice: String) async throws {
        let other = Self.profile(token, routes: #"{"token": true, "origin": "http://two.test"}"#)
        let plain = Harness.origin("http://two.test", kind: "staging")
        let library = try Harness.library([
            "only": Harness.origin("http://one.test"), "other": token.isEmpty ? plain : other,
        ])
        try await MemoryWorker.run(library: library) { worker in
            let client = await worker.connect()
            for (at, (profile, status)) in [("only", 200), ("other", 401)].enumerated() {
                client.receive(Self.get("/", "Shunt-Profile: \(profile)\r\nAuthorization: Bearer abcdefghijkl\r\n"))
                await worker.settle()
                try worker.origins.channel(at).receive(Self.response(status))
                await worker.settle()
            }
            #expect(worker.log.exchanges.last?.originSent.first?.hasSuffix("(\(advice))") == true)
        }
    }
}
