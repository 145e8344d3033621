import Rewriting
import Testing

/// Content-Security-Policy; `nil` for what stays byte for byte, an empty text for a field that is left out.
@Suite struct SecurityPolicyTests {
    private static let own = "https://api.staging.shop.example"
    private static let others =
        " m.shop.test=https://m.example:8443 static.shop.test=https://static.staging.shop.example"
    private static let plain = Ends(own + others, "http://api.shop.test:4884")
    private static let secure = Ends(own + others, "https://api.shop.test")
    private static let labelled = Ends(own + others, "https://staging--api.shop.test:4884")
    private static let based = Ends("https://o.test/a/b", "https://c.test")
    private static let named = Ends("http://data", "https://c.test")

    @Test(arguments: [
        ("default-src 'self'; report-uri /r", "default-src 'self'"),
        ("report-uri /r; default-src 'self'", "default-src 'self'"),
        ("default-src 'self'; Report-URI /r x; img-src *", "default-src 'self'; img-src *"),
        ("default-src 'self' ; report-to group ;", "default-src 'self' ;"),
        ("report-to a ; ;; img-src *;;", "img-src *;;"),
        ("upgrade-insecure-requests", ""),
        ("Upgrade-Insecure-Requests; block-all-mixed-content;", ""),
        ("upgrade-insecure-requests; img-src *", "img-src *"),
        ("report-uri /r, default-src 'self', report-to x", "default-src 'self'"),
        ("default-src 'self' , report-uri /r;, img-src *", "default-src 'self' , img-src *"),
        ("; report-uri /r", ""),
        ("report-uri /r,,", ""),
        ("report-uri /r, , img-src *", ", img-src *"),
        ("default-src 'self'", nil),
        ("  default-src  'self' ;; , ;img-src\t* ;", nil),
        ("report-urix /r; xreport-to y", nil),
        ("sandbox allow-scripts; require-trusted-types-for 'script'", nil),
        (";", nil),
        (",", nil),
        ("", nil),
    ])
    func `what reports or insists on TLS is dropped for a plain client`(value: String, expected: String?) throws {
        try Self.check(value, expected, Self.plain)
    }

    @Test(arguments: [
        ("upgrade-insecure-requests; block-all-mixed-content", nil),
        ("report-uri /r; upgrade-insecure-requests", "upgrade-insecure-requests"),
    ])
    func `a secure client may insist on TLS`(value: String, expected: String?) throws {
        try Self.check(value, expected, Self.secure)
    }

    @Test(arguments: [
        ("img-src https://api.staging.shop.example", "img-src http://api.shop.test:4884"),
        ("img-src api.staging.shop.example", "img-src api.shop.test:4884"),
        ("img-src\tAPI.staging.shop.example:443 x.test", "img-src\tapi.shop.test:4884 x.test"),
        ("img-src api.staging.shop.example:*/x/", "img-src api.shop.test:*/x/"),
        ("img-src api.staging.shop.example:8443", nil),
        ("connect-src wss://api.staging.shop.example/live", "connect-src ws://api.shop.test:4884/live"),
        ("x-src https://m.example:8443/a https://m.example", "x-src http://m.shop.test:4884/a https://m.example"),
        ("img-src m.example:8443 m.example:*", "img-src m.shop.test:4884 m.shop.test:*"),
        ("img-src m.example", nil),
        ("img-src *.staging.shop.example", "img-src *.staging.shop.example *.shop.test:4884"),
        (
            "img-src https://*.staging.shop.example:443/x",
            "img-src https://*.staging.shop.example:443/x http://*.shop.test:4884/x"
        ),
        ("img-src *.shop.example", nil),
        ("img-src *.example", nil),
        ("img-src *.api.staging.shop.example", nil),
        ("img-src *.ging.shop.example", nil),
        ("img-src *.staging.shop.example:8443", nil),
        ("img-src *.staging.shop.example.evil.test", nil),
        ("img-src * *. 'self' https: data: blob: 'nonce-api.staging.shop.example'", nil),
        ("img-src ftp://api.staging.shop.example //api.staging.shop.example api.staging.shop.example@evil.test", nil),
        ("img-src evil.test/api.staging.shop.example xapi.staging.shop.example", nil),
        ("trusted-types api.staging.shop.example; sandbox api.staging.shop.example", nil),
        ("form-action api.staging.shop.example; report-uri /r", "form-action api.shop.test:4884"),
        (
            "a-src api.staging.shop.example, b-src api.staging.shop.example",
            "a-src api.shop.test:4884, b-src api.shop.test:4884"
        ),
    ])
    func `sources that name mapped hosts are mapped`(value: String, expected: String?) throws {
        try Self.check(value, expected, Self.plain)
    }

    @Test(arguments: [
        ("img-src *.staging.shop.example", "img-src *.staging.shop.example *.shop.test:4884"),
        ("img-src static.staging.shop.example", "img-src staging--static.shop.test:4884"),
        ("img-src https://api.staging.shop.example", "img-src https://staging--api.shop.test:4884"),
    ])
    func `sources have the label of the environment`(value: String, expected: String?) throws {
        try Self.check(value, expected, Self.labelled)
    }

    @Test func `a wildcard may fit another host than the own one`() throws {
        let ends = Ends("http://localhost:3000" + Self.others, "https://api.shop.test")
        try Self.check("img-src *.staging.shop.example", "img-src *.staging.shop.example *.shop.test", ends)
        try Self.check("img-src localhost localhost:3000", "img-src localhost api.shop.test", ends)
    }

    @Test func `a wildcard stands for whole labels`() throws {
        try Self.check("img-src *.x.test", nil, Ends("https://apix.test", "https://apifoo.test"))
    }

    @Test(arguments: [
        ("img-src https://o.test", "img-src https://c.test"),
        ("img-src https://o.test/", "img-src https://c.test/"),
        ("img-src https://o.test/a/", "img-src https://c.test/"),
        ("img-src https://o.test/a/b", "img-src https://c.test"),
        ("img-src https://o.test/a/b/c/", "img-src https://c.test/c/"),
        ("img-src https://o.test/a", nil),
        ("img-src https://o.test/x/ https://o.test/a/bc", nil),
    ])
    func `sources lose the base path`(value: String, expected: String?) throws {
        try Self.check(value, expected, Self.based)
    }

    @Test func `a scheme is no host`() throws {
        try Self.check("img-src data: data", "img-src data: c.test", Self.named)
    }

    @Test func `reports go to the client's address where pins stay`() throws {
        let rules = Self.based.rules { $0.removesPins = false }
        #expect(
            try rules.response(
                "Content-Security-Policy", "report-uri /a/b/r https://o.test/a/b; report-to x", Self.based)
                == "report-uri /r https://c.test; report-to x")
    }

    @Test func `sources stay without addresses, and all does without both`() throws {
        let value = "img-src https://o.test; upgrade-insecure-requests; report-uri /r"
        let pinless = Self.based.rules { $0.addresses = nil }
        #expect(
            try pinless.response("Content-Security-Policy", value, Self.based)
                == "img-src https://o.test; upgrade-insecure-requests")
        let nothing = Self.based.rules {
            $0.addresses = nil
            $0.removesPins = false
        }
        #expect(try nothing.response("Content-Security-Policy", value, Self.based) == value)
    }

    private static func check(_ value: String, _ expected: String?, _ ends: Ends) throws {
        for name in ["Content-Security-Policy", "content-security-policy-report-only"] {
            let result = try ends.rules.response(Array("\(name): \(value)".utf8), ends)
            let line = result.line.map { String(decoding: $0, as: UTF8.self) }
            #expect(line == (expected == "" ? nil : "\(name): \(expected ?? value)"))
            #expect(result.changes == (expected == nil ? [] : .securityPolicy))
        }
    }
}
