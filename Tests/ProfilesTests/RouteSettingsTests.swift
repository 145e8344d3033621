import Profiles
import Testing

/// What a route says beside who responds.
@Suite struct RouteSettingsTests {
    private func route(_ text: String) throws -> Route {
        let other = ("other.json", "{kind: 'staging', routes: [{origin: 'https://o.test'}]}")
        let library = try load(("p.json", "{kind: 'local', routes: [{\(text)}]}"), other)
        return try #require(library["p"]).routes[0]
    }

    private static let both = "origin: ['https://a.test', 'profile:other']"

    @Test(
        arguments: [
            ("", "addresses cookies pins"), ("rewrite: true", "addresses cookies pins"), ("rewrite: false", ""),
            ("rewrite: {}", "addresses cookies pins"),
            ("rewrite: {bodies: true, clearSiteData: true, pins: false}", "addresses cookies clearSiteData bodies"),
            ("rewrite: {addresses: false, cookies: false}", "pins"),
        ])
    func `what is rewritten is what is on, and what is not said stays as it is`(text: String, on: String) throws {
        let rewrite = try route("origin: 'https://a.test', \(text)").rewrite
        let parts = [
            (rewrite.addresses, "addresses"), (rewrite.cookies, "cookies"), (rewrite.pins, "pins"),
            (rewrite.clearSiteData, "clearSiteData"), (rewrite.bodies, "bodies"),
        ]
        #expect(parts.filter(\.0).map(\.1).joined(separator: " ") == on)
    }

    @Test func `a mock rewrites nothing, but responses pages of other origins`() throws {
        let route = try route("mock: {}, cors: true")
        #expect(route.rewrite == .none && route.cors == CORSSettings())
    }

    @Test func `several are asked in their order, with the defaults of a fallback`() throws {
        guard case .chain(let chain) = try route("\(Self.both), preserveHost: true").responder else { throw Missing() }
        let address = OriginAddress(
            isTLS: true, host: "a.test", port: 443, basePath: "", trust: .default(certificateAuthorities: []))
        #expect(chain.candidates == [.origin(address), .profile("other")])
        #expect(chain.preserveHost && chain.fallback == FallbackSettings())
        #expect(chain.fallback.remember == 5_000_000_000 && chain.fallback.hold == 65_536)
    }

    @Test func `each of several is judged by its own rule`() throws {
        let library = try load(
            (
                "p.json",
                """
                {kind: 'local', trust: {'localhost': 'disabled', 'a.test': {policy: 'disabled', until: '2999-01-01'}},
                 routes: [{origin: ['https://b.test', 'https://localhost:1', 'http://localhost:2', 'https://a.test']}]}
                """
            ))
        guard case .chain(let chain)? = library["p"]?.routes[0].responder else { throw Missing() }
        let trust = chain.candidates.map { candidate in
            if case .origin(let address) = candidate { "\(address.trust.name) \(address.trustExpiry ?? 0)" } else { "" }
        }
        #expect(trust == ["default 0", "disabled 0", "default 0", "disabled 32472230400"])
    }

    @Test(
        arguments: [
            ("statuses: [404, 501, 404]", [404, 501], nil, 5000, 65_536),
            ("timeout: '2s', remember: '0s', hold: 0", [], 2000, 0, 0),
            ("timeout: '10ms', remember: '10m', hold: '8MB'", [], 10, 600_000, 8 << 20),
            ("timeout: '10m', hold: '64kB'", [], 600_000, 5000, 64 << 10),
            ("timeout: '1.5s', hold: '1k'", [], 1500, 5000, 1024),
            ("hold: '2M'", [], nil, 5000, 2 << 20), ("hold: 1000", [], nil, 5000, 1000),
            ("hold: '10B'", [], nil, 5000, 10),
        ] as [(String, [Int], UInt64?, UInt64, Int)])
    func `a fallback has statuses, times and a size`(
        text: String, statuses: [Int], timeout: UInt64?, remember: UInt64, hold: Int
    ) throws {
        guard case .chain(let chain) = try route("\(Self.both), fallback: {\(text)}").responder else { throw Missing() }
        let fallback = chain.fallback
        #expect(fallback.statuses == statuses && fallback.timeout == timeout.map { $0 * 1_000_000 })
        #expect(fallback.remember == remember * 1_000_000 && fallback.hold == hold)
    }

    @Test(arguments: [
        "timeout: '9ms'", "timeout: '10m1s'", "timeout: '601s'", "timeout: '0s'", "timeout: '-2s'", "timeout: '1e3s'",
        "timeout: '.s'", "timeout: 's'", "timeout: '999999999999999999999s'", "remember: '11m'", "remember: null",
        "hold: '8193k'", "hold: '9m'", "hold: '-1'", "hold: '+1'", "hold: '1.5k'", "hold: 'kB'", "hold: 'B'",
        "hold: '1bb'", "hold: ''",
        "hold: 8388609", "hold: 1e300", "hold: '99999999999999999999'", "statuses: [399]", "statuses: [600]",
        "statuses: ['404']",
    ])
    func `what lies beyond the bounds of a fallback is refused`(text: String) {
        #expect(throws: ProfileProblems.self) { try route("\(Self.both), fallback: {\(text)}") }
    }

    @Test(
        arguments: [
            ("https://app.shop.test", "https://app.shop.test"), ("HTTPS://App.Shop.Test:443", "https://app.shop.test"),
            ("http://app.shop.test:80", "http://app.shop.test"), ("http://a.test:443", "http://a.test:443"),
            ("https://*.shop.test", "https://*.shop.test"), ("https://*.Shop.test:8443", "https://*.shop.test:8443"),
            ("http://localhost:*", "http://localhost:*"), ("http://[::0001]:5173", "http://[::1]:5173"),
            ("http://[::1]:*", "http://[::1]:*"), ("https://bücher.example", "https://xn--bcher-kva.example"),
            ("capacitor://localhost", "capacitor://localhost"), ("http://127.0.0.1", "http://127.0.0.1"),
        ])
    func `an origin of pages has the spelling of an Origin field`(text: String, origin: String) throws {
        #expect(try route("mock: {}, cors: {origins: ['\(text)', '\(text)']}").cors?.origins == [origin])
    }

    @Test func `what pages may do is as said`() throws {
        let cors = try route(
            """
            origin: 'https://a.test', cors: {credentials: false, methods: ['PUT', 'PUT'], headers: ['X-A'],
              exposedHeaders: ['*'], maxAge: 0}
            """
        ).cors
        var expected = CORSSettings()
        expected.credentials = false
        expected.methods = ["PUT"]
        expected.headers = ["X-A"]
        expected.exposedHeaders = ["*"]
        expected.maxAge = 0
        #expect(cors == expected)
        #expect(try route("mock: {}").cors == nil)
        #expect(try route("mock: {}, cors: false").cors == nil)
    }

    @Test func `what production lets through is as said`() throws {
        let guards = try route(
            "origin: 'https://a.test', allow: ['POST', 'grpc', 'X-ANY', 'websocket', 'POST'], graphql: true"
        ).guards
        #expect(guards.methods == ["POST", "X-ANY"] && guards.webSocket && guards.grpc && guards.isGraphQL)
        #expect(guards.allowed == ["POST", "X-ANY", "websocket", "grpc"])
        #expect(try route("origin: 'https://a.test'").guards == GuardSettings())
    }

    @Test(
        arguments: [
            ("", "", nil), ("cookieJar: true", "", "p"), ("cookieJar: 'shared'", "", "shared"),
            ("", "cookieJar: true", "p"), ("", "cookieJar: 'shared'", "shared"),
            ("cookieJar: false", "cookieJar: true", nil), ("cookieJar: true", "cookieJar: 'shared'", "p"),
        ] as [(String, String, String?)])
    func `a jar is inherited, and one of its own is named after who inherits`(
        own: String, extended: String, jar: String?
    ) throws {
        let library = try load(
            ("p.json", "{kind: 'local', extends: 'q', \(own)}"), ("q.json", "{kind: 'staging', \(extended)}"))
        #expect(library["p"]?.cookieJar == jar)
        if extended == "cookieJar: true" { #expect(library["q"]?.cookieJar == "q") }
    }

    @Test func `rules for secrets add up, and the nearest word on a name counts`() throws {
        let library = try load(
            (
                "p.json",
                "{kind: 'local', extends: 'q', redact: {fields: ['X-One', 'authorization'], json: ['pin'], keep: ['X-Two']}}"
            ),
            (
                "q.json",
                """
                {kind: 'staging', redact: {fields: ['X-Two', 'X-One'], parameters: ['otp'], json: ['card.number'],
                    keep: ['Authorization', 'Cookie'], jwtClaims: true}}
                """
            ), ("r.json", "{kind: 'local', extends: 'p', redact: {jwtClaims: false}}"), ("s.json", "{kind: 'local'}"))
        let rules = try #require(library["p"]?.redaction)
        #expect(rules.fields == ["X-One", "authorization", "X-Two"] && rules.parameters == ["otp"])
        #expect(rules.json == ["pin", "card.number"] && rules.keep == ["X-Two", "Cookie"] && rules.jwtClaims == true)
        #expect(library["r"]?.redaction.fields == rules.fields && library["r"]?.redaction.jwtClaims == false)
        #expect(library["s"]?.redaction.isEmpty == true && library["q"]?.redaction.keep == ["Authorization", "Cookie"])
    }
}
