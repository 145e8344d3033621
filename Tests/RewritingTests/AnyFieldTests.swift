import Rewriting
import Testing

/// Addresses in fields of any name and in queries; `nil` for what stays byte for byte.
@Suite struct AnyFieldTests {
    private static let ends = Ends("http://o.test:3000/app idp.local=http://idp.test:9000", "https://c.test:4884")

    @Test(arguments: [
        ("HX-Redirect", "http://o.test:3000/app/x?y", "https://c.test:4884/x?y"),
        ("X-Inertia-Location", "http://idp.test:9000/login", "https://idp.local:4884/login"),
        (
            "HX-Location", ##"{"path":"http://o.test:3000/app/a","target":"#b"}"##,
            ##"{"path":"https://c.test:4884/a","target":"#b"}"##
        ),
        ("HX-Location", #"{"path":"http:\/\/o.test:3000\/app\/a"}"#, #"{"path":"https:\/\/c.test:4884\/a"}"#),
        ("X-Two", "http://o.test:3000/app, http://idp.test:9000", "https://c.test:4884, https://idp.local:4884"),
        (
            "WWW-Authenticate", #"Bearer realm="http://o.test:3000/app/token",service="x""#,
            #"Bearer realm="https://c.test:4884/token",service="x""#
        ),
        ("SourceMap", "//o.test:3000/app/x.map", "//c.test:4884/x.map"),
        ("X-Text", "see http://o.test:3000/app.", "see https://c.test:4884."),
        ("X-Other", "http://o.test:3000/other", nil), ("X-Other", "http://o.test:30001/app", nil),
        ("X-Other", "http://evil.test/http://o.test:3000/app", "http://evil.test/https://c.test:4884"),
        ("X-Other", "http://evil.test/?u=http%3A%2F%2Fo.test%3A3000%2Fapp", nil),
        ("X-Other", "xhttp://o.test:3000/app", nil), ("X-Other", "", nil), ("X-Other", "//", nil),
        ("Signature-Input", #"sig=("@authority");u="http://o.test:3000/app""#, nil),
    ])
    func `a response's field of any name`(name: String, value: String, expected: String?) throws {
        let result = try Self.ends.rules.response(Array("\(name): \(value)".utf8), Self.ends)
        #expect(result.line == Array("\(name): \(expected ?? value)".utf8))
        #expect(result.changes == (expected == nil ? [] : .responseFields))
    }

    @Test(arguments: [
        ("If", "<https://c.test:4884/a> (<opaquelocktoken:1>)", "<http://o.test:3000/app/a> (<opaquelocktoken:1>)"),
        (
            "HX-Current-URL", "https://c.test:4884/?n=https%3A%2F%2Fc.test%3A4884%2Fx",
            "http://o.test:3000/app/?n=http%3A%2F%2Fo.test%3A3000%2Fapp%2Fx"
        ),
        ("X-Idp", "https://idp.local:4884/x", "http://idp.test:9000/x"),
        ("X-Idp", "https://idp.local:4885/x", nil), ("X-Idp", "https://idp.locals:4884/x", nil),
        ("Authorization", #"Digest uri="https://c.test:4884/x""#, nil),
        ("User-Agent", "a (+https://c.test:4884/bot)", nil),
    ])
    func `a request's field of any name`(name: String, value: String, expected: String?) throws {
        let result = try Self.ends.rules.request(Array("\(name): \(value)".utf8), Self.ends)
        #expect(result.line == Array("\(name): \(expected ?? value)".utf8))
        #expect(result.changes == (expected == nil ? [] : .requestFields))
    }

    @Test(arguments: [
        (
            "http://idp.test:9000/auth?redirect_uri=http%3A%2F%2Fo.test%3A3000%2Fapp%2Fcb&s=1",
            "https://idp.local:4884/auth?redirect_uri=https%3A%2F%2Fc.test%3A4884%2Fcb&s=1"
        ),
        (
            "http://idp.test:9000/auth?redirect_uri=http%3a%2f%2fo.test%3a3000%2fapp%2fcb",
            "https://idp.local:4884/auth?redirect_uri=https%3a%2f%2fc.test%3a4884%2fcb"
        ),
        ("/app/login?next=http://o.test:3000/app/x", "/login?next=https://c.test:4884/x"),
        ("login?next=http%3A%2F%2Fo.test%3A3000%2Fapp", "login?next=https%3A%2F%2Fc.test%3A4884"),
        // What another server has registered.
        ("https://accounts.example/auth?redirect_uri=http%3A%2F%2Fo.test%3A3000%2Fapp%2Fcb", nil),
        ("//accounts.example/auth?redirect_uri=http%3A%2F%2Fo.test%3A3000%2Fapp%2Fcb", nil),
        // Twice encoded is the next hop's.
        ("http://idp.test:9000/a?n=http%253A%252F%252Fo.test", "https://idp.local:4884/a?n=http%253A%252F%252Fo.test"),
    ])
    func `addresses in the query of a Location`(value: String, expected: String?) throws {
        let result = try Self.ends.rules.response(Array("Location: \(value)".utf8), Self.ends)
        #expect(result.line == Array("Location: \(expected ?? value)".utf8))
        #expect(result.changes == (expected == nil ? [] : .location))
    }
}
