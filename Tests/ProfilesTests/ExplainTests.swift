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
    func `an answer says whose it is, why and where it goes`(
        url: String, owner: String, why: String, origin: String?, rule: String?
    ) throws {
        let explanation = try #require(try library()["local"]).explain(url: url)
        guard case .answered(let answer) = explanation.outcome else {
            #expect(owner == "none")
            return
        }
        #expect(answer.route.profile == owner)
        #expect(answer.why == why)
        #expect(answer.origin == origin)
        #expect(answer.trustRule?.pattern == rule)
    }

    @Test(arguments: [
        ("https://m.shop.test/v1/promo", "GET", "host", "the host is m.shop.test, not api.shop.test"),
        ("https://api.shop.test/v2/promo", "GET", "path", "the path differs at segment 1: \"v2\", not \"v1\""),
        ("https://api.shop.test/", "GET", "path", "the path differs at segment 1: \"\", not \"v1\""),
        ("/v1/promo", "GET", "host", "there is no host, not api.shop.test"),
    ])
    func `without an answer the nearest route says what kept it`(
        url: String, method: String, part: String, reason: String
    ) throws {
        let explanation = try #require(try library()["local"]).explain(url: url, method: method)
        guard case .unanswered(let misses) = explanation.outcome else { throw Missing() }
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
        guard case .unanswered(let misses) = explanation.outcome else { throw Missing() }
        #expect(misses.map(\.reason) == [reason])
    }

    @Test(arguments: [
        "", "ftp://a/", "https://", "https://u:p@a/", "https://a:99999/", "https://a b/", "https://[::1/",
    ])
    func `what is no URL is refused`(url: String) throws {
        let profile = try profile(routes: [""])
        #expect(throws: ExplainFailure.self) { try profile.explain(url: url) }
    }

    @Test func `an explanation is JSON for programs`() throws {
        let profile = try #require(try library()["local"])
        let answered = try JSONReader.read(try profile.explain(url: "api.shop.test/v1/cart").toJSON(), dialect: .strict)
        #expect(answered["matched"]?.bool == true)
        #expect(answered["origin"]?.string == "https://localhost:3000/base/v1/cart")
        #expect(answered["trust"]?["policy"]?.string == "disabled")
        #expect(answered["trust"]?["rule"]?["line"]?.number?.int64 == 5)
        #expect(answered["runnerUp"]?["profile"]?.string == "staging")
        let missed = try JSONReader.read(try profile.explain(url: "/x").toJSON(style: .pretty), dialect: .strict)
        #expect(missed["nearest"]?.array?.count == 5)
    }
}
