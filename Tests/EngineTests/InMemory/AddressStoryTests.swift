import Bytes
import Engine
import Exchanges
import Testing

/// Addresses that an origin is told, gets back and sends: they fit together.
@Suite struct AddressStoryTests {
    private static func profile(_ more: String = "", kind: String = "local") -> String {
        #"""
        {"kind": "\#(kind)", "routes": [{"host": "c.test", "origin": "http://o.test:3000"\#(more)},
         {"host": "idp.test", "origin": "http://idp.example"}]}
        """#
    }

    private static func post(_ fields: String, _ body: String = "") -> String {
        "POST /a HTTP/1.1\r\nHost: c.test:4884\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static let page = "Origin: https://c.test:4884\r\nReferer: https://c.test:4884/b\r\n"

    /// Sends a request over TLS, and returns what arrives at the origin.
    private static func sent(_ request: String, _ profile: String) async throws -> String {
        try await MemoryWorker.run(profile: profile) { worker in
            _ = await worker.connect(request) { $0.passesForSecure = true }
            return try worker.origins.channel(0).text
        }
    }

    /// Sends a response to a request over TLS, and returns what arrives and what is noted.
    private static func noted(_ request: String, _ response: String, _ profile: String) async throws -> (
        text: String, notes: [String]
    ) {
        try await MemoryWorker.run(profile: profile) { worker in
            let client = await worker.connect(request) { $0.passesForSecure = true }
            try worker.origins.channel(0).receive(response)
            await worker.settle()
            return (client.text, worker.log.exchanges.flatMap(\.originSent))
        }
    }

    struct Story: CustomTestStringConvertible, Sendable {
        let key: String
        let host: String
        let origin: String
        let referer: String
        let proto: String?
        let forwardedHost: String?
        var kind = "local"

        var testDescription: String { "\(kind) \(key)" }
    }

    /// With Origin, what servers compare it with says the same: scheme and host of Origin are those that they find.
    static let stories = [
        Story(
            key: "", host: "o.test:3000", origin: "http://o.test:3000", referer: "http://o.test:3000/b", proto: nil,
            forwardedHost: nil),
        Story(
            key: #", "forwarded": true"#, host: "o.test:3000", origin: "https://o.test:3000",
            referer: "https://o.test:3000/b", proto: "https", forwardedHost: nil),
        Story(
            key: #", "forwarded": false"#, host: "o.test:3000", origin: "http://o.test:3000",
            referer: "http://o.test:3000/b", proto: nil, forwardedHost: nil),
        Story(
            key: #", "preserveHost": true"#, host: "c.test:4884", origin: "https://c.test:4884",
            referer: "https://c.test:4884/b", proto: "https", forwardedHost: "c.test:4884"),
        Story(
            key: #", "preserveHost": true"#, host: "c.test:4884", origin: "https://c.test:4884",
            referer: "https://c.test:4884/b", proto: "https", forwardedHost: "c.test:4884", kind: "staging"),
        Story(
            key: #", "rewrite": {"addresses": false}"#, host: "o.test:3000", origin: "https://c.test:4884",
            referer: "https://c.test:4884/b", proto: "https", forwardedHost: "c.test:4884"),
        Story(
            key: "", host: "o.test:3000", origin: "http://o.test:3000", referer: "http://o.test:3000/b", proto: nil,
            forwardedHost: nil, kind: "staging"),
    ]

    @Test(arguments: stories)
    func `Origin, Referer, Host and X-Forwarded fields say the same`(story: Story) async throws {
        let text = try await Self.sent(Self.post(Self.page), Self.profile(story.key, kind: story.kind))
        #expect(text.contains("\r\nHost: \(story.host)\r\n"), "\(text)")
        #expect(text.contains("\r\nOrigin: \(story.origin)\r\n"), "\(text)")
        #expect(text.contains("\r\nReferer: \(story.referer)\r\n"), "\(text)")
        #expect(text.contains("X-Forwarded-Proto: https\r\n") == (story.proto != nil), "\(text)")
        #expect(
            text.contains("X-Forwarded-Host: \(story.forwardedHost ?? "")") == (story.forwardedHost != nil), "\(text)")
        #expect(text.components("Origin:") == 1 && text.components("Referer:") == 1)
    }

    @Test(arguments: ["", "Origin: https://other.test\r\n", "Origin: null\r\n"])
    func `a request of no page of its own is told of https`(fields: String) async throws {
        let text = try await Self.sent(Self.post(fields), Self.profile())
        #expect(text.contains("\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: c.test:4884\r\n"), "\(text)")
        #expect(fields.isEmpty || text.contains(fields))
    }

    @Test func `a Referer alone has the scheme that is told, and another site's stays`() async throws {
        let own = try await Self.sent(Self.post("Referer: https://c.test:4884/b\r\n"), Self.profile())
        #expect(own.contains("\r\nReferer: https://o.test:3000/b\r\n") && own.contains("X-Forwarded-Proto: https\r\n"))
        let other = try await Self.sent(Self.post("Referer: http://other.test/b\r\n"), Self.profile())
        #expect(other.contains("\r\nReferer: http://other.test/b\r\n") && other.components("Referer:") == 1)
    }

    @Test func `a proxy in front of Shunt is believed`() async throws {
        let fields = Self.page + "X-Forwarded-Proto: https\r\nX-Forwarded-Host: far.test\r\n"
        let text = try await Self.sent(Self.post(fields), Self.profile())
        #expect(text.contains("\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: far.test\r\n"), "\(text)")
    }

    @Test(arguments: [
        "HTTP/1.1 307 T\r\nLocation: https://o.test:3000/a\r\n",
        "HTTP/1.1 301 M\r\nLocation: https://o.test:3000/a\r\n",
    ])
    func `a server that wants https is told of it from then on`(head: String) async throws {
        try await MemoryWorker.run(profile: Self.profile()) { worker in
            let client = await worker.connect(Self.post(Self.page)) { $0.passesForSecure = true }
            let origin = try worker.origins.channel(0)
            #expect(!origin.text.contains("X-Forwarded-Proto"))
            origin.receive(head + "Content-Length: 0\r\n\r\n")
            await worker.settle()
            #expect(client.text.contains("\r\nLocation: https://c.test:4884/a\r\n"))
            #expect(worker.log.exchanges[0].originSent.count == 1)
            client.receive(Self.post(Self.page))
            await worker.settle()
            let text = worker.origins.channels.map(\.text).joined()
            #expect(
                text.contains("\r\nOrigin: https://o.test:3000\r\n") && text.contains("X-Forwarded-Proto: https\r\n"))
        }
    }

    @Test func `a server that sends Strict-Transport-Security in plain text has its own address compared as before`()
        async throws
    {
        try await MemoryWorker.run(profile: Self.profile()) { worker in
            let client = await worker.connect("GET /a HTTP/1.1\r\nHost: c.test:4884\r\n\r\n") {
                $0.passesForSecure = true
            }
            try worker.origins.channel(0).receive(
                "HTTP/1.1 200 OK\r\nStrict-Transport-Security: max-age=1\r\nContent-Length: 0\r\n\r\n")
            await worker.settle()
            client.receive(Self.post(Self.page))
            await worker.settle()
            let text = worker.origins.channels.map(\.text).joined()
            #expect(text.contains("\r\nOrigin: http://o.test:3000\r\n"), "\(text)")
        }
    }

    @Test func `with preserveHost links to the client's own address become https`() async throws {
        let response =
            "HTTP/1.1 200 OK\r\nLocation: http://c.test:4884/x\r\nContent-Type: text/html\r\nContent-Length: 51\r\n\r\n"
            + "<a href=\"http://c.test:4884/y\">http://other.test</a>"
        for (bodies, link) in [(true, "https://c.test:4884/y"), (false, "http://c.test:4884/y")] {
            let profile = Self.profile(#", "preserveHost": true, "rewrite": {"bodies": \#(bodies)}"#)
            let (text, _) = try await Self.noted(
                "GET /a HTTP/1.1\r\nHost: c.test:4884\r\n\r\n", response.replacing("51", with: "52"), profile)
            #expect(text.contains("\r\nLocation: https://c.test:4884/x\r\n"), "\(text)")
            #expect(text.contains("<a href=\"\(link)\">"), "\(text)")
        }
    }

    // MARK: Addresses that come back

    @Test func `addresses in a request's query become the origin's`() async throws {
        let request =
            "GET /a?next=https%3A%2F%2Fidp.test%3A4884%2Fx&u=https://c.test:4884/y HTTP/1.1\r\nHost: c.test:4884\r\n\r\n"
        for (key, line) in [
            ("", "GET /a?next=http%3A%2F%2Fidp.example%2Fx&u=http://o.test:3000/y HTTP/1.1\r\n"),
            (#", "preserveHost": true"#, String(request.prefix { $0 != "\r\n" }) + "\r\n"),
            (#", "rewrite": false"#, String(request.prefix { $0 != "\r\n" }) + "\r\n"),
        ] {
            #expect(try await Self.sent(request, Self.profile(key)).hasPrefix(line))
        }
    }

    @Test(arguments: [true, false])
    func `addresses in a request's body come back where bodies are rewritten`(bodies: Bool) async throws {
        let profile = Self.profile(#", "rewrite": {"bodies": \#(bodies)}"#)
        let form = "url=https%3A%2F%2Fc.test%3A4884%2Fx"
        let fields = "Content-Type: application/x-www-form-urlencoded\r\nContent-MD5: x\r\n"
        let text = try await Self.sent(Self.post(fields, form), profile)
        let expected = bodies ? "url=http%3A%2F%2Fo.test%3A3000%2Fx" : form
        #expect(text.hasSuffix("\r\n\r\n" + expected), "\(text)")
        #expect(
            text.contains("\r\nContent-Length: \(expected.utf8.count)\r\n") && text.components("Content-Length") == 1)
        #expect(text.contains("Content-MD5") == !bodies)
        // In chunks, and for a client that waits to be asked.
        let chunks = "POST /a HTTP/1.1\r\nHost: c.test:4884\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n"
        let cut = form.prefix(20)
        let chunked = try await Self.sent(
            chunks + "14\r\n\(cut)\r\n\(String(form.utf8.count - 20, radix: 16))\r\n\(form.dropFirst(20))\r\n0\r\n\r\n",
            profile)
        #expect(chunked.contains("Transfer-Encoding: chunked\r\n"))
        if bodies { #expect(chunked.contains("\r\n\(expected)\r\n0\r\n\r\n"), "\(chunked)") }
    }

    @Test func `a body of more than 8 MiB or of another type stays, and the former is warned of`() async throws {
        let profile = Self.profile(#", "rewrite": {"bodies": true}"#)
        let address = "https://c.test:4884/x"
        let octets = try await Self.sent(Self.post("Content-Type: application/octet-stream\r\n", address), profile)
        #expect(octets.hasSuffix("\r\n\r\n" + address))
        let long = address + String(repeating: "x", count: 8 << 20)
        try await MemoryWorker.run(profile: profile) { worker in
            let client = await worker.connect(Self.post("Content-Type: text/plain\r\n", long)) {
                $0.passesForSecure = true
            }
            let origin = try worker.origins.channel(0)
            #expect(origin.text.contains("\r\n\r\n" + address))
            origin.receive("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            await worker.settle()
            _ = client.text
            #expect(worker.log.exchanges.map { $0.rewritten.last?.hasPrefix("!a body too long") } == [true])
        }
    }

    @Test func `the guard of production sees no other request than the origin`() async throws {
        let library = try Harness.library([
            "only":
                #"{"kind": "production", "routes": [{"path": "/a", "method": "POST", "allow": ["POST"], "origin": "https://o.test", "rewrite": {"bodies": true}}]}"#
        ])
        for body in ["_method=DELETE", "u=https%3A%2F%2Fc.test&_method=DELETE"] {
            try await MemoryWorker.run(library: library) { worker in
                let client = await worker.connect(
                    "POST /a HTTP/1.1\r\nHost: c.test\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
                #expect(client.text.hasPrefix("HTTP/1.1 403 "))
                #expect(worker.origins.channels.isEmpty)
            }
        }
    }

    // MARK: What leads past Shunt

    private static let get = "GET /a HTTP/1.1\r\nHost: c.test:4884\r\n\r\n"

    private static func page(_ body: String, _ fields: String = "") -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test func `links to the origin's address are told of once`() async throws {
        let body = "<a href=http://o.test:3000/x> <a href='http://idp.example/y'> <a href=//other.test>"
        try await MemoryWorker.run(profile: Self.profile()) { worker in
            let client = await worker.connect(Self.get + Self.get) { $0.passesForSecure = true }
            let origin = try worker.origins.channel(0)
            for _ in 0..<2 {
                origin.receive(Self.page(body))
                await worker.settle()
            }
            #expect(client.text.contains(body))
            #expect(
                worker.log.exchanges.map(\.originSent) == [
                    [
                        "2 links to the origin's address, past Shunt (\"rewrite\": { \"bodies\": true } rewrites them)"
                    ], [],
                ])
        }
        for (key, response) in [
            (#", "rewrite": {"bodies": true}"#, Self.page(body)), (#", "rewrite": false"#, Self.page(body)),
            ("", Self.page("<a href=/x>")), ("", Self.page(body).replacing("text/html", with: "text/plain")),
        ] {
            #expect(try await Self.noted(Self.get, response, Self.profile(key)).notes == [])
        }
    }

    @Test(arguments: [
        ("http://o.test:3000/a", "", "\"preserveHost\": true"), ("/a#x", "", "\"preserveHost\": true"),
        ("https://o.test:3000/a", "", "have it trust its proxy"),
        ("https://o.test:3000/a", #", "forwarded": false"#, "\"forwarded\": true"),
        ("http://c.test:4884/a", #", "preserveHost": true"#, "\"preserveHost\": false"),
        ("http://o.test:3000/a?x", "", nil), ("http://o.test:3000/a/", "", nil), ("/", "", nil),
        (
            "https://login.test/?to=http%3A%2F%2Fo.test%3A3000%2Fcb", "",
            "a route for login.test"
        ), ("https://login.test/?to=http%3A%2F%2Fother.test", "", nil),
    ])
    func `a redirect that does not lead on is told of`(location: String, key: String, advice: String?) async throws {
        let response = "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
        let notes = try await Self.noted(Self.get, response, Self.profile(key)).notes
        #expect(notes.count == (advice == nil ? 0 : 1))
        #expect(notes.first?.contains(advice ?? "") ?? (advice == nil), "\(notes)")
        // A form's result, and a test of cookies, lead on.
        let cookie = response.replacing("\r\nLocation", with: "\r\nSet-Cookie: a=b\r\nLocation")
        #expect(try await Self.noted(Self.get, cookie, Self.profile(key)).notes == [])
        if !location.contains("login") {
            #expect(try await Self.noted(Self.post(""), response, Self.profile(key)).notes == [])
        }
    }

    @Test(arguments: [
        ("Authorization: AWS4-HMAC-SHA256 Credential=x\r\n", 403, "", "", true),
        ("Authorization: AWS4-HMAC-SHA256 Credential=x\r\n", 400, "", "", true),
        ("Authorization: AWS4-HMAC-SHA256 Credential=x\r\n", 404, "", "", false),
        ("Authorization: AWS4-HMAC-SHA256 Credential=x\r\n", 403, "", #", "preserveHost": true"#, false),
        ("Authorization: Basic x\r\n", 403, "", "", false),
        ("Authorization: Bearer x\r\n", 401, "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n", "", true),
        ("Authorization: Bearer x\r\n", 401, "WWW-Authenticate: Bearer\r\n", "", false),
    ])
    func `a refusal of what signs addresses names the key`(
        field: String, status: Int, more: String, key: String, isTold: Bool
    ) async throws {
        let notes = try await Self.noted(
            "GET /a HTTP/1.1\r\nHost: c.test:4884\r\n\(field)\r\n",
            "HTTP/1.1 \(status) No\r\n\(more)Content-Length: 0\r\n\r\n", Self.profile(key)
        ).notes
        #expect(notes.contains { $0.contains("\"preserveHost\": true") } == isTold)
    }
}

extension String {
    /// How often a text occurs.
    fileprivate func components(_ text: String) -> Int {
        split(separator: text, omittingEmptySubsequences: false).count - 1
    }
}
