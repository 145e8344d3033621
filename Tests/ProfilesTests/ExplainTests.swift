import JSON
import Profiles
import Testing

@Suite struct ExplainTests {
    private func library() throws -> ProfileLibrary {
        try load(
            (
                "local.json",
                """
                { kind: "local", extends: "staging", routes: [
                  { host: "api.shop.test", path: "/v1/promo", method: "GET", mock: { json: { banner: null } } },
                  { host: "api.shop.test", path: "/v1/cart/*", origin: "https://localhost:3000/base/" },
                  { host: "api.shop.test", path: "/v1/*/deep", headers: { "X-Beta": "1" }, mock: {} },
                ], trust: { localhost: "disabled" } }
                """
            ),
            (
                "staging.json",
                """
                { kind: "staging", routes: [
                  { host: "api.shop.test", path: "/v1/*", origin: "https://api.staging.example", preserveHost: true },
                  { host: "plain.shop.test", origin: "http://[::1]:8080" },
                ], trust: { "*.example": "default" } }
                """
            ))
    }

    @Test(
        arguments: [
            ("https://api.shop.test/v1/promo", "local", "local is asked before staging, which it extends", nil, nil),
            (
                "api.shop.test/v1/cart/%2e/7?q=1#f", "local", "local is asked before staging, which it extends",
                "https://localhost:3000/base/v1/cart/%2e/7?q=1", "localhost"
            ),
            ("https://API.shop.test", "none", "", nil, nil),
            (
                "wss://api.shop.test/v1/x", "staging", "it is the only route that matches",
                "https://api.staging.example/v1/x", "*.example"
            ),
            ("http://plain.shop.test", "staging", "it is the only route that matches", "http://[::1]:8080/", nil),
        ] as [(String, String, String, String?, String?)])
    func `a response says whose it is, why and where it goes`(
        url: String, owner: String, why: String, origin: String?, rule: String?
    ) throws {
        let explanation = try #require(try library()["local"]).explain(url: url)
        guard case .withResponse(let response) = explanation.outcome else {
            #expect(owner == "none")
            return
        }
        #expect(response.route.profile == owner)
        #expect(response.why == why)
        #expect(response.origin == origin)
        #expect(response.trustRule?.pattern == rule)
    }

    @Test(
        arguments: [
            (#""origin": "http://a.test""#, []),
            (#""mock": {}"#, ["count"]),
            (#""mock": {}, "fault": "hang", "response": { "status": 500 }"#, ["fault", "edit", "count"]),
            (
                """
                "offline": "serve-last", "fault": "hang", "then": "b", "response": { "status": 500 },
                "origin": "http://b.test"
                """, ["keep", "fault", "edit", "count"]
            ),
        ] as [(String, [String])])
    func `it names what surrounds the responder, from the outside in`(keys: String, order: [String]) throws {
        let library = try load(
            ("local.json", #"{ kind: "local", routes: [{ \#(keys) }] }"#),
            ("live.json", #"{ kind: "production", routes: [{ host: "b.test", origin: "http://b.test" }] }"#))
        let explanation = try explained("http://x/", by: "local", of: library)
        guard case .withResponse(let response) = explanation.outcome else {
            Issue.record("nothing responds")
            return
        }
        #expect(response.order.map(\.rawValue) == order)
        let json = try JSONReader.read(explanation.toJSON())
        #expect(json["order"]?.array?.compactMap(\.string) == order)
    }

    @Test func `what a request misses by one condition is told beside what responds`() throws {
        let profile = try #require(
            try load(
                (
                    "local.json",
                    """
                    { kind: "local", routes: [
                      { path: "/pay", method: "POST", headers: { "X-Key": "a" }, mock: {} },
                      { path: "/pay", method: "POST", headers: { "X-Key": "a", "X-Other": "b" }, mock: {} },
                      { path: "/pay", method: "PUT", headers: { "X-Key": "a" }, mock: {} },
                      { path: "/*", origin: "http://localhost:3000" },
                    ] }
                    """
                ))["local"])
        for (headers, reasons) in [
            ([], ["the header x-key: a is missing"]),
            ([("X-Key", "b")], ["the header x-key: a is there with another value"]),
            ([("X-Other", "b")], ["the header x-key: a is missing", "the header x-key: a is missing"]),
        ] as [([(String, String)], [String])] {
            let explanation = try profile.explain(
                url: "http://a/pay", method: "POST", headers: headers.map { (name: $0.0, value: $0.1) })
            guard case .withResponse(let response) = explanation.outcome else { throw Missing() }
            #expect(response.route.label == "*")
            #expect(response.missed.map(\.reason) == reasons)
            #expect(
                String(decoding: explanation.toJSON(), as: UTF8.self).contains(
                    #""missed":[{"route":{"label":"POST */pay""#))
        }
        guard case .withResponse(let other) = try profile.explain(url: "http://a/other").outcome else {
            throw Missing()
        }
        #expect(other.missed.isEmpty)
    }

    @Test(arguments: [
        ("https://m.shop.test/v1/promo", "GET", "host", "the host is m.shop.test, not api.shop.test"),
        ("https://api.shop.test/v2/promo", "GET", "path", "the path differs at segment 1: \"v2\", not \"v1\""),
        ("https://api.shop.test/", "GET", "path", "the path differs at segment 1: \"\", not \"v1\""),
        ("/v1/promo", "GET", "host", "there is no host, not api.shop.test"),
    ])
    func `without a response the nearest route says what kept it`(
        url: String, method: String, part: String, reason: String
    ) throws {
        let explanation = try #require(try library()["local"]).explain(url: url, method: method)
        guard case .withoutResponse(let misses) = explanation.outcome else { throw Missing() }
        #expect(misses.first?.part.rawValue == part)
        #expect(misses.first?.reason == reason)
        #expect(misses.count == 5)
    }

    @Test(arguments: [
        ("path: '/a/b', method: 'POST'", "the method is GET, not POST"),
        ("path: '/a/b', method: ['POST', 'PUT']", "the method is GET, not POST or PUT"),
        ("path: '/a/b', headers: {'X-Beta': true}", "the header x-beta is missing"),
        ("path: '/a/b', headers: {'X-A': '2'}", "the header x-a: 2 is there with another value"),
        ("path: '/a'", "the path goes on at segment 2, where the pattern ends"),
        ("path: '/a/b/*/c'", "the path ends before segment 3, any segment"),
        ("path: '/a/c/*'", "the path differs at segment 2: \"b\", not \"c\""),
        ("host: 'h.test:81'", "the port is 443, not 81"),
        ("host: '*.h.test'", "the host is h.test, not *.h.test"),
    ])
    func `each condition has its reason`(route: String, reason: String) throws {
        let explanation = try profile(routes: [route]).explain(url: "https://h.test/a/b", headers: [("X-A", "1")])
        guard case .withoutResponse(let misses) = explanation.outcome else { throw Missing() }
        #expect(misses.map(\.reason) == [reason])
    }

    @Test(arguments: [
        "", "ftp://a/", "https://", "https://u:p@a/", "https://a:99999/", "https://a b/", "https://[::1/",
    ])
    func `what is no URL is refused`(url: String) throws {
        let profile = try profile(routes: [""])
        #expect(throws: Refusal.self) { try profile.explain(url: url) }
    }

    @Test func `an explanation is JSON for programs`() throws {
        let profile = try #require(try library()["local"])
        let withResponse = try JSONReader.read(
            try profile.explain(url: "api.shop.test/v1/cart").toJSON(), dialect: .strict)
        #expect(withResponse["matched"]?.bool == true)
        #expect(withResponse["origin"]?.string == "https://localhost:3000/base/v1/cart")
        #expect(withResponse["trust"]?["policy"]?.string == "disabled")
        #expect(withResponse["trust"]?["rule"]?["line"]?.number?.int64 == 5)
        #expect(withResponse["runnerUp"]?["profile"]?.string == "staging")
        let missed = try JSONReader.read(try profile.explain(url: "/x").toJSON(style: .pretty), dialect: .strict)
        #expect(missed["nearest"]?.array?.count == 5)
    }

    private func chained(_ more: (String, String)...) throws -> ProfileLibrary {
        try ProfileLibrary.load(
            files: ([
                (
                    "local.json",
                    """
                    { kind: "local", cookieJar: true, trust: { localhost: "disabled" },
                      redact: { fields: ["X-Id"], keep: ["Cookie"] }, routes: [
                      { path: "/v1/*", origin: ["https://localhost:3000/base", "profile:staging", "profile:production", "profile:empty"] },
                    ] }
                    """
                ),
                ("staging.json", "{ kind: 'staging', routes: [{ origin: ['http://s.test', 'profile:mocks'] }] }"),
                ("mocks.json", "{ kind: 'local', routes: [{ mock: { status: 503 } }] }"),
                ("production.json", "{ kind: 'production', routes: [{ origin: 'https://p.test', allow: ['PUT'] }] }"),
                ("empty.json", "{ kind: 'local' }"),
            ] + more).map { (path: "Profiles/\($0.0)", bytes: Array($0.1.utf8)) })
    }

    private func explained(_ url: String, by name: String, of library: ProfileLibrary) throws -> Explanation {
        library.explanation(
            of: try RequestTarget(parsing: url), method: "GET", headers: [], json: nil,
            in: try #require(library[name]), routes: nil, live: [:])
    }

    private func text(_ candidate: Explanation.Candidate) -> String {
        switch candidate {
        case .origin(let origin): return "\(origin.url) \(origin.address.trust.name) \(origin.rule?.pattern ?? "-")"
        case .profile(let name, nil): return "\(name): nothing"
        case .repeated(let name): return "\(name): as above"
        case .profile(let name, let response?):
            if case .local(let mock as Mock) = response.route.responder {
                return "\(name): \(mock.responses[0].status)"
            }
            return "\(name): \(response.candidates.map { text($0) })"
        }
    }

    @Test func `a chain says what each that is asked would do`() throws {
        let library = try chained()
        let explanation = try explained("https://h.test/v1/x?q", by: "local", of: library)
        guard case .withResponse(let response) = explanation.outcome else { throw Missing() }
        #expect(
            response.candidates.map { text($0) } == [
                "https://localhost:3000/base/v1/x?q disabled localhost",
                #"staging: ["http://s.test/v1/x?q default -", "mocks: 503"]"#,
                #"production: ["https://p.test/v1/x?q default -"]"#, "empty: nothing",
            ])
        #expect(response.origin == nil && response.trust == nil)
        let json = try JSONReader.read(explanation.toJSON(), dialect: .strict)
        let origins = try #require(json["origins"]?.array)
        #expect(origins[0]["trust"]?["rule"]?["pattern"]?.string == "localhost")
        #expect(origins[1]["origins"]?.array?.count == 2)
        #expect(origins[3]["matched"]?.bool == false)
        #expect(json["fallback"]?["remember"]?.number?.int64 == 5000 && json["cookieJar"]?.string == "local")
        #expect(json["rewrite"]?["pins"]?.bool == true)
        #expect(json["redact"]?["fields"]?.array?.map(\.string) == ["X-Id"])
        #expect(json["redact"]?["keep"]?.array?.map(\.string) == ["Cookie"])
        #expect(origins[1]["redact"] == nil)
        // A profile by itself knows of no other.
        let alone = try #require(library["local"]).explain(url: "https://h.test/v1/x")
        guard case .withResponse(let response) = alone.outcome else { throw Missing() }
        #expect(response.candidates.count == 4 && text(response.candidates[1]) == "staging: nothing")
    }

    @Test func `many that ask each other are looked at once each`() throws {
        // Two in each row ask both of the next: four million ways through.
        let rows = 22
        let files = (0..<rows).flatMap { row in
            ["a", "b"].map { name -> (path: String, bytes: [UInt8]) in
                let next = "['https://h.test', 'profile:a\(row + 1)', 'profile:b\(row + 1)']"
                let response = row == rows - 1 ? "mock: {}" : "origin: \(next)"
                return ("Profiles/\(name)\(row).json", Array("{ kind: 'local', routes: [{ \(response) }] }".utf8))
            }
        }
        let library = try ProfileLibrary.load(files: files)
        let explanation = try explained("/", by: "a0", of: library)
        guard case .withResponse(let response) = explanation.outcome,
            case .profile(_, let next?) = response.candidates[1]
        else {
            throw Missing()
        }
        #expect(text(response.candidates[2]).hasSuffix("\"a2: as above\", \"b2: as above\"]"))
        #expect(next.candidates.count == 3)
    }

    @Test func `an origin that production uses is named with the line that makes it so`() throws {
        let library = try load(
            ("p.json", "{ kind: 'production',\n routes: [{ path: '/a', origin: 'https://a.test' }] }"),
            (
                "s.json",
                """
                { kind: 'staging', routes: [
                  { path: '/1', origin: 'https://A.test./other' }, { path: '/2', origin: 'http://a.test:81' },
                  { path: '/3', origin: ['https://b.test', 'https://a.test:443'] },
                  { path: '/4', origin: 'http://a.test' } ] }
                """
            ))
        let reason = "https://a.test is an origin of the production profile p (route */a, Profiles/p.json:2)"
        #expect(
            library.sharedOrigins.map(\.description) == [
                "https://a.test/other is production's, too, and read-only: \(reason)",
                "https://a.test is production's, too, and read-only: \(reason)",
                "http://a.test is production's, too, and read-only: \(reason)",
            ])
        #expect(
            library.strictProblems.map { "\($0.file):\($0.line)" } == [
                "Profiles/s.json:2", "Profiles/s.json:3", "Profiles/s.json:4",
            ])
    }

    @Test func `what is laid over another file says so`() throws {
        let library = try load(
            ("p.json", "{ kind: 'local', routes: [{ path: '/x', mock: {} }] }"),
            ("p.local.json", "{ routes: [{ mock: {} }] }"), set: ["routes.h.test=https://a.test"])
        for (url, why) in [
            ("https://h.test/x", "--set is laid over Profiles/p.local.json"),
            ("https://i.test/x", "Profiles/p.local.json is laid over Profiles/p.json"),
        ] {
            guard case .withResponse(let response) = try explained(url, by: "p", of: library).outcome else {
                throw Missing()
            }
            #expect(response.why == why && response.rule == .level)
        }
    }
}
