import Bytes
import HTTP
import Rewriting
import Testing

/// Whole heads: fields stay in their order, and what is not rewritten goes on byte for byte.
@Suite struct HeadTests {
    private static let ends = Ends(
        "https://o.test m.test=https://m.example p.test=https://o.test.example", "http://c.test:4884")

    @Test(arguments: [
        ("", ""),
        ("A: b\r\n", "A: b\r\n"),
        ("Connection: close\r\n", ""),
        ("A: b\r\nConnection: x\r\nX: y\r\nC:d \r\nServer: e\r\n", "A: b\r\nC:d \r\n"),
        (
            "A: b\r\nlocation:https://o.test/x \r\nC: d\r\nSet-Cookie: a=b; Secure \r\nE: f\r\n",
            "A: b\r\nlocation:http://c.test:4884/x \r\nC: d\r\nSet-Cookie: a=b\r\nE: f\r\n"
        ),
        (
            "Strict-Transport-Security: max-age=1\r\nLocation: /x\r\nNEL: {}\r\nSet-Cookie: a=b\r\nAlt-Svc: clear\r\n",
            "Location: /x\r\nSet-Cookie: a=b\r\n"
        ),
        (
            "Link: <https://o.test/a>, <https://x.test>, <https://m.example/b>\r\nContent-Security-Policy: report-uri /r\r\n",
            "Link: <http://c.test:4884/a>, <https://x.test>, <http://m.test:4884/b>\r\n"
        ),
        (
            "Link: <https://o.test.example/a>, <https://O.Test.:443/b>, <https://o.test.x/c>, <https://o.testing/d>\r\n",
            "Link: <http://p.test:4884/a>, <http://c.test:4884/b>, <https://o.test.x/c>, <https://o.testing/d>\r\n"
        ),
        (
            "Access-Control-Allow-Origin: https://m.example\r\nRefresh: 1; url=https://o.test/x\r\nServer: e\r\n",
            "Access-Control-Allow-Origin: http://m.test:4884\r\nRefresh: 1; url=http://c.test:4884/x\r\n"
        ),
        (
            "Set-Cookie: __Host-a=b; Secure; Path=/\r\nA: b\r\nSet-Cookie: c=d; \tDomain=o.test; SECURE;sameSITE=nONE\r\n",
            "Set-Cookie: shunt~~__Host-a=b; Path=/\r\nA: b\r\nSet-Cookie: c=d; \tDomain=c.test\r\n"
        ),
    ])
    func `a response's fields stay in their order`(text: String, expected: String) throws {
        let bytes = Array("HTTP/1.1 200 OK\r\n\(text)\r\n".utf8)
        var head = ResponseHead()
        _ = try head.parse(bytes.span, to: .get)
        let (fields, authority) = (head.fields, Self.ends.authority)
        Self.check(expected) { rules, out, changes in
            rules.append(
                responseFields: fields, dropping: [.server], from: bytes.span, to: nil, of: bytes.span,
                authority: authority.span, client: Self.ends.client, to: &out, changes: &changes)
        }
    }

    @Test(arguments: [
        ("A: b\r\nTE: x\r\nC: d\r\n", "A: b\r\nC: d\r\n"),
        (
            "A: b\r\nreferer:http://c.test:4884/x \r\nCookie: a=b;c=d \r\nOrigin: http://c.test:4884\r\nC: d\r\n",
            "A: b\r\nreferer:https://o.test/x \r\nCookie: a=b;c=d \r\nOrigin: https://o.test\r\nC: d\r\n"
        ),
        (
            "Cookie: shunt-device=1\r\nA: b\r\nCookie: c=d;shunt~~__Host-e=f\r\nDestination: /x\r\nCookie: =shunt-device=1\r\n",
            "A: b\r\nCookie: c=d; __Host-e=f\r\nDestination: /x\r\n"
        ),
    ])
    func `a request's fields stay in their order`(text: String, expected: String) throws {
        let bytes = Array("GET / HTTP/1.1\r\nHost: c.test:4884\r\n\(text)\r\n".utf8)
        var head = RequestHead()
        _ = try head.parse(bytes.span)
        let (fields, authority) = (head.fields, Self.ends.authority)
        Self.check(expected) { rules, out, changes in
            rules.append(
                requestFields: fields, dropping: [.host], from: bytes.span, authority: authority.span,
                client: Self.ends.client, to: &out, changes: &changes)
        }
    }

    @Test(arguments: [
        ("http://c.test:4884", "https://o.test", "http://c.test:4884"),
        ("http://m.test:4884", "https://m.example", "http://m.test:4884"),
        ("http://m.test:4884", "https://o.test", "http://c.test:4884"),
        ("http://x.test", "https://o.test", "http://c.test:4884"),
        ("http://c.test:4884", "*", "*"),
    ])
    func `who may read a response is told by its name`(page: String, allowed: String, expected: String) throws {
        let asked = Array("GET / HTTP/1.1\r\nHost: c.test:4884\r\nOrigin: \(page)\r\n\r\n".utf8)
        let bytes = Array("HTTP/1.1 200 OK\r\naccess-control-allow-origin:\(allowed)\r\n\r\n".utf8)
        var (request, response) = (RequestHead(), ResponseHead())
        _ = try request.parse(asked.span)
        _ = try response.parse(bytes.span, to: .get)
        let (origin, fields, authority) = (request.field(.origin), response.fields, Self.ends.authority)
        Self.check("access-control-allow-origin:\(expected)\r\n") { rules, out, changes in
            rules.append(
                responseFields: fields, dropping: [], from: bytes.span, to: origin, of: asked.span,
                authority: authority.span, client: Self.ends.client, to: &out, changes: &changes)
        }
    }

    /// In a buffer of that size, and in none that is smaller, which all stay as they were.
    private static func check(
        _ expected: String, append: (RewriteRules, inout Buffer, inout RewriteChanges) -> Bool
    ) {
        for room in 0...expected.utf8.count {
            var out = Buffer(capacity: room + 1)
            _ = out.appendWhole("!")
            var changes: RewriteChanges = []
            let fits = append(ends.rules, &out, &changes)
            let text = String(decoding: out.unsafeBytes, as: UTF8.self)
            #expect(fits == (room == expected.utf8.count))
            #expect(text == (fits ? "!" + expected : "!"))
            #expect(fits || changes.isEmpty)
        }
    }
}
