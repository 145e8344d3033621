import Rewriting
import Testing

/// Fields of responses in which addresses lie among other things; `nil` for what stays byte for byte.
@Suite struct ResponseAddressTests {
    private static let ends = Ends("https://o.test/base m.shop.test=https://m.example", "http://c.test:4884")

    @Test(arguments: [
        ("<https://o.test/base/2>; rel=next", "<http://c.test:4884/2>; rel=next"),
        ("</base/2>; rel=\"next\"", "</2>; rel=\"next\""),
        (
            "<https://o.test/base/1>; rel=prev, <https://m.example/3>;rel=next",
            "<http://c.test:4884/1>; rel=prev, <http://m.shop.test:4884/3>;rel=next"
        ),
        ("<https://evil.test/>, </base>,<x>", "<https://evil.test/>, </>,<x>"),
        ("<https://o.test/base/a,b;c>; rel=x", "<http://c.test:4884/a,b;c>; rel=x"),
        (
            "</base/1>; title=\"a, </base/2>; \\\", </base/3>\", </base/4>",
            "</1>; title=\"a, </base/2>; \\\", </base/3>\", </4>"
        ),
        (",, \t</base/1> , ,", ",, \t</1> , ,"),
        ("<//o.test/base/x>; rel=preload; as=script", "<//c.test:4884/x>; rel=preload; as=script"),
        ("</x>; anchor=\"https://o.test/base/y\"", nil),
        ("https://o.test/base/x; rel=next", nil),
        ("x; y=</base/1>", nil),
        ("<https://o.test/base/x", nil),
        ("<>", nil),
        ("<", nil),
        ("</x>; title=\"open, </base/1>", nil),
        ("</x>; title=\"open\\", nil),
        ("", nil),
    ])
    func `Link`(value: String, expected: String?) throws {
        try Self.check("Link", value, expected, .link)
    }

    @Test(arguments: [
        ("5; url=https://o.test/base/x", "5; url=http://c.test:4884/x"),
        ("0;URL='https://o.test/base/x'", "0;URL='http://c.test:4884/x'"),
        ("0;url=\"https://m.example/x\"; more", "0;url=\"http://m.shop.test:4884/x\"; more"),
        ("5 ;\t uRl \t=  /base/x", "5 ;\t uRl \t=  /x"),
        ("5,url=/base/x", "5,url=/x"),
        ("5 url=/base/x", "5 url=/x"),
        ("5;/base/x", "5;/x"),
        ("5; 'https://o.test/base/x", "5; 'http://c.test:4884/x"),
        ("1.5; url=/base/x", "1.5; url=/x"),
        (".5; url=/base/x", ".5; url=/x"),
        ("5; url=\" /base/x \"", "5; url=\" /x \""),
        ("5; url=/base", "5; url=/"),
        ("5; url=https://o.test/base/?a;b='c'", "5; url=http://c.test:4884/?a;b='c'"),
        ("5; url=https://evil.test/?https://o.test/base/x", nil),
        ("5; url https://o.test/base/x", nil),
        ("5; url //base/x", nil),
        ("5; url=url=/base/x", nil),
        ("5; url.html", nil),
        ("5url=/base/x", nil),
        ("url=/base/x", nil),
        ("x; url=/base/x", nil),
        ("5; url=''", nil),
        ("5; url=", nil),
        ("5; url", nil),
        ("5;", nil),
        ("5", nil),
        ("", nil),
    ])
    func `Refresh`(value: String, expected: String?) throws {
        try Self.check("Refresh", value, expected, .refresh)
    }

    @Test(arguments: [
        ("https://o.test", "http://c.test:4884"),
        ("HTTPS://O.test:443", "http://c.test:4884"),
        ("https://m.example", "http://m.shop.test:4884"),
        ("http://o.test", "http://c.test:4884"),
        ("*", nil),
        ("null", nil),
        ("https://o.test/", nil),
        ("https://o.test/base", nil),
        ("https://o.test?", nil),
        ("//o.test", nil),
        ("o.test", nil),
        ("/base", nil),
        ("https://evil.test", nil),
        ("https://o.test, https://m.example", nil),
        ("https://o.test:8443", nil),
        ("", nil),
    ])
    func `Access-Control-Allow-Origin`(value: String, expected: String?) throws {
        try Self.check("Access-Control-Allow-Origin", value, expected, .allowOrigin)
    }

    @Test func `names, colons and white space stay as they were sent`() throws {
        let result = try Self.ends.rules.response(Array("lOCATION:\t https://o.test/base/x \t ".utf8), Self.ends)
        #expect(result.line == Array("lOCATION:\t http://c.test:4884/x \t ".utf8))
    }

    @Test(arguments: ["Location", "Content-Location", "Refresh", "Link", "Access-Control-Allow-Origin", "X-Location"])
    func `without addresses, and in other fields, nothing changes`(name: String) throws {
        let line = Array("\(name): https://o.test".utf8)
        let rules = Self.ends.rules { if name != "X-Location" { $0.addresses = nil } }
        #expect(try rules.response(line, Self.ends) == Rewritten(line: line, changes: []))
    }

    private static func check(_ name: String, _ value: String, _ expected: String?, _ change: RewriteChanges) throws {
        let result = try ends.rules.response(Array("\(name): \(value)".utf8), ends)
        let line = result.line.map { String(decoding: $0, as: UTF8.self) }
        #expect(line == "\(name): \(expected ?? value)")
        #expect(result.changes == (expected == nil ? [] : change))
    }
}
