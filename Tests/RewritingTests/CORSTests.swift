import Bytes
import HTTP
import Rewriting
import Testing

@Suite struct CORSTests {
    /// Each row: the list, an origin, and whether its pages may ask.
    static let origins: [([String], String, Bool)] = [
        ([], "https://anything.test", true), ([], "http://localhost:3000", true), ([], "null", false), ([], "", false),
        (["null"], "null", true), (["null"], "https://a.test", false), (["*"], "https://a.test", true),
        (["*"], "null", false),
        (["https://app.shop.test"], "https://app.shop.test", true),
        (["https://app.shop.test"], "http://app.shop.test", false),
        (["https://app.shop.test"], "https://app.shop.test:4884", false),
        (["https://app.shop.test"], "https://app.shop.test.evil.test", false),
        (["https://app.shop.test"], "https://app.shop.tes", false),
        (["https://a.test", "https://b.test"], "https://b.test", true),
        (["https://*.shop.test"], "https://app.shop.test", true),
        (["https://*.shop.test"], "https://a.b.shop.test", true),
        (["https://*.shop.test"], "https://shop.test", false),
        (["https://*.shop.test"], "https://.shop.test", false),
        (["https://*.shop.test"], "https://evilshop.test", false),
        (["https://*.shop.test"], "http://app.shop.test", false),
        (["https://*.shop.test"], "https://evil.test/.shop.test", false),
        (["https://*.shop.test"], "https://evil.test:1.shop.test", false),
        (["https://*.shop.test"], "https://a@.shop.test", false),
        (["https://*.shop.test"], "https://app.shop.test:444", false),
        (["https://*.shop.test:*"], "https://app.shop.test:444", true),
        (["https://*.shop.test:*"], "https://app.shop.test", true),
        (["http://localhost:*"], "http://localhost:3000", true), (["http://localhost:*"], "http://localhost", true),
        (["http://localhost:*"], "http://localhost:", false), (["http://localhost:*"], "http://localhost:3a", false),
        (["http://localhost:*"], "http://localhost.evil.test:3000", false),
        (["http://localhost:*"], "https://localhost:3000", false), ([":*"], "1", false), (["*:*"], "a", true),
    ]

    @Test(arguments: origins)
    func `pages may ask that the list names`(list: [String], origin: String, isAllowed: Bool) {
        #expect(isAllowed == allows(CORSRules(origins: list), origin))
    }

    @Test func `an origin without end may not`() {
        #expect(allows(CORSRules(), "https://" + String(repeating: "a", count: 4088)))
        #expect(!allows(CORSRules(), "https://" + String(repeating: "a", count: 4089)))
    }

    private func allows(_ rules: CORSRules, _ origin: String) -> Bool {
        let bytes = Array(origin.utf8)
        return rules.allows(origin: bytes.span)
    }

    @Test func `a preflight is OPTIONS with an origin and a method`() throws {
        let head = try Head(["Origin: https://a.test", "Access-Control-Request-Method: PUT"])
        #expect(CORSRules.isPreflight(method: .options, names: head.names))
        #expect(!CORSRules.isPreflight(method: .get, names: head.names))
        #expect(!CORSRules.isPreflight(method: .options, names: try Head(["Origin: https://a.test"]).names))
        #expect(
            !CORSRules.isPreflight(method: .options, names: try Head(["Access-Control-Request-Method: PUT"]).names))
    }

    static let preflightVary = "Vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers"

    /// Each row: why, the rules, the request's fields, and those of the response.
    static let preflights: [(String, CORSRules, [String], [String])] = [
        (
            "all is echoed", CORSRules(),
            [
                "Origin: https://a.test", "Access-Control-Request-Method: PUT",
                "Access-Control-Request-Headers: x-a,x-b",
            ],
            [
                "Access-Control-Allow-Origin: https://a.test", "Access-Control-Allow-Credentials: true",
                "Access-Control-Allow-Methods: PUT", "Access-Control-Allow-Headers: x-a,x-b",
                "Access-Control-Max-Age: 60",
            ]
        ),
        (
            "lists are as they are",
            CORSRules(
                origins: ["https://*.test"], allowsCredentials: false, methods: ["GET", "PUT"], headers: ["X-A"],
                maxAge: 0),
            ["Origin: https://a.test", "Access-Control-Request-Method: DELETE"],
            [
                "Access-Control-Allow-Origin: https://a.test", "Access-Control-Allow-Methods: GET, PUT",
                "Access-Control-Allow-Headers: X-A", "Access-Control-Max-Age: 0",
            ]
        ),
        (
            "fields asked for in two lines, and a private network", CORSRules(allowsCredentials: false, maxAge: -1),
            [
                "Access-Control-Request-Private-Network: true", "Access-Control-Request-Method: X",
                "Access-Control-Request-Headers: a", "Access-Control-Request-Headers: b", "Origin: http://b",
            ],
            [
                "Access-Control-Allow-Origin: http://b", "Access-Control-Allow-Methods: X",
                "Access-Control-Allow-Headers: a, b", "Access-Control-Max-Age: 0",
                "Access-Control-Allow-Private-Network: true",
            ]
        ),
        (
            "too long to be echoed", CORSRules(allowsCredentials: false),
            [
                "Origin: http://b", "Access-Control-Request-Method: X",
                "Access-Control-Request-Headers: " + String(repeating: "a", count: 4097),
            ],
            [
                "Access-Control-Allow-Origin: http://b", "Access-Control-Allow-Methods: X",
                "Access-Control-Max-Age: 60",
            ]
        ),
        (
            "a page that may not ask", CORSRules(origins: ["https://b.test"]),
            ["Origin: https://a.test", "Access-Control-Request-Method: PUT"], []
        ),
        ("an opaque origin", CORSRules(), ["Origin: null", "Access-Control-Request-Method: PUT"], []),
    ]

    @Test(arguments: preflights)
    func `preflights are answered`(why: String, rules: CORSRules, request: [String], response: [String]) throws {
        let head = try Head(request)
        let written = appended {
            rules.appendPreflight(requestFields: head.fields, from: head.bytes.span, to: &$0)
        }
        #expect(written == (response + [Self.preflightVary]).map { $0 + "\r\n" }.joined())
    }

    /// Each row: why, the rules, the request's fields, the origin's response's, and what the client gets of them.
    static let responses: [(String, CORSRules, [String], [String], [String])] = [
        (
            "a page reads", CORSRules(), ["Origin: https://a.test"], ["ETag: x"],
            [
                "ETag: x", "Access-Control-Allow-Origin: https://a.test", "Access-Control-Allow-Credentials: true",
                "Vary: Origin",
            ]
        ),
        (
            "the origin's own words are left out",
            CORSRules(allowsCredentials: false, exposedHeaders: ["X-A", "ETag"]),
            ["Origin: https://a.test"],
            [
                "Access-Control-Allow-Origin: *", "access-control-allow-credentials: true",
                "Access-Control-Expose-Headers: X-B", "Access-Control-Max-Age: 1",
                "Access-Control-Allow-Methods: GET", "Access-Control-Allow-Headers: x",
                "Access-Control-Allow-Private-Network: true", "Vary: Accept", "ETag: x",
            ],
            [
                "ETag: x", "Access-Control-Allow-Origin: https://a.test", "Access-Control-Expose-Headers: X-A, ETag",
                "Vary: Accept, Origin",
            ]
        ),
        ("no page asks", CORSRules(), [], ["Vary: Accept-Encoding"], ["Vary: Accept-Encoding, Origin"]),
        ("no page asks, and nothing varies", CORSRules(), [], [], ["Vary: Origin"]),
        (
            "another page asks", CORSRules(origins: ["https://b.test"]), ["Origin: https://a.test"],
            ["Access-Control-Allow-Origin: *"], ["Vary: Origin"]
        ),
        ("once is enough", CORSRules(), [], ["Vary: Accept,ORIGIN"], ["Vary: Accept,ORIGIN"]),
        ("two lines", CORSRules(), [], ["Vary: A", "vary: origin , B", "Vary:"], ["Vary: A, origin , B"]),
        ("a name alike", CORSRules(), [], ["Vary: X-Origin"], ["Vary: X-Origin, Origin"]),
        ("by anything", CORSRules(), [], ["Vary: Accept, *"], ["Vary: *"]),
        ("by anything, in the second line", CORSRules(), [], ["Vary: Accept", "Vary: *"], ["Vary: *"]),
    ]

    @Test(arguments: responses)
    func `responses say who may read them`(
        why: String, rules: CORSRules, request: [String], response: [String], expected: [String]
    ) throws {
        let asked = try Head(request)
        let withResponse = try Head(response)
        let written = appended {
            let mark = $0.count
            let isWhole =
                HeadWriter.appendForwardedFields(
                    of: withResponse.fields, from: withResponse.bytes.span, to: &$0, dropping: CORSRules.responseNames)
                && rules.appendResponse(
                    requestFields: asked.fields, from: asked.bytes.span, responseFields: withResponse.fields,
                    from: withResponse.bytes.span, to: &$0)
            if !isWhole { $0.truncate(to: mark) }
            return isWhole
        }
        #expect(written == expected.map { $0 + "\r\n" }.joined())
    }
}
