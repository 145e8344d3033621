import Rewriting
import Testing

/// Bodies of requests: what a page had mapped comes back.
@Suite struct RequestBodyTests {
    private static let map = AddressMap(
        own: OriginName(isTLS: false, host: "o.test", port: 3000, basePath: "/app"),
        others: [("img.local", OriginName(isTLS: true, host: "img.test", port: 443, basePath: ""))])

    private static func mapped(_ body: String, _ type: String, coding: String = "") -> String? {
        let (type, coding) = (Array(type.utf8), Array(coding.utf8))
        return BodyRewriter.forOrigin(
            Array(body.utf8), contentType: type.span, contentEncoding: coding.span, map: map,
            authority: Array("c.test:4884".utf8), client: ClientName(isSecure: true, hostLength: 6)
        ).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("siteurl=https%3A%2F%2Fc.test%3A4884%2Fwp&x=1", "siteurl=http%3A%2F%2Fo.test%3A3000%2Fapp%2Fwp&x=1"),
        ("u=https%3a%2f%2fimg.local%3a4884", "u=https%3a%2f%2fimg.test"),
        ("u=https://c.test:4884/&v=//img.local:4884/x", "u=http://o.test:3000/app/&v=//img.test/x"),
        ("u=https%3A%2F%2Fc.test%3A48840", nil), ("u=https%3A%2F%2Fxc.test%3A4884", nil), ("", nil),
        ("_method=PUT", nil),
    ])
    func `a form`(body: String, expected: String?) {
        #expect(Self.mapped(body, "application/x-www-form-urlencoded") == expected)
    }

    @Test(arguments: [
        (
            #"{"a":"https://c.test:4884/x","b":["https:\/\/img.local:4884\/y"]}"#,
            #"{"a":"http://o.test:3000/app/x","b":["https:\/\/img.test\/y"]}"#
        ),
        (#"{"a":"https://c.test/x"}"#, nil),
        (#"{"html":"<a href=\"https://c.test:4884\">"}"#, #"{"html":"<a href=\"http://o.test:3000/app\">"}"#),
    ])
    func `a body of JSON`(body: String, expected: String?) {
        #expect(Self.mapped(body, "application/json; charset=utf-8") == expected)
    }

    @Test func `a boundary longer than RFC 2046 allows is none, and parts without a head cost no time`() {
        let long = String(repeating: "-", count: 71)
        #expect(
            Self.mapped("--\(long)\r\n\r\nhttps://c.test:4884\r\n--\(long)--", "multipart/form-data; boundary=\(long)")
                == nil)
        let parts = String(repeating: "\r\n--x\r", count: 20_000)
        #expect(
            Self.mapped(parts + "\r\n--x\r\n\r\nhttps://c.test:4884\r\n--x--", "multipart/form-data; boundary=x") == nil
        )
    }

    @Test func `fields of a form in parts, but not its files`() {
        func form(_ address: String, _ file: String) -> String {
            [
                "preamble https://c.test:4884", "--x\r\nContent-Disposition: form-data; name=\"u\"\r\n\r\n\(address)",
                "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\n\(file)",
                "--x\r\nContent-Disposition: form-data; name=\"e\"\r\n\r\n", "--x--\r\n",
            ].joined(separator: "\r\n")
        }
        let file = "https://c.test:4884/\r\n--xhttps"
        for type in ["multipart/form-data; boundary=x", "Multipart/Form-Data; charset=utf-8; boundary=\"x\""] {
            #expect(
                Self.mapped(form("https://c.test:4884/a", file), type) == form("http://o.test:3000/app/a", file))
            #expect(Self.mapped(form("none", file), type) == nil)
        }
        #expect(Self.mapped(form("https://c.test:4884/a", ""), "multipart/form-data; boundary=y") == nil)
        #expect(Self.mapped(form("https://c.test:4884/a", ""), "multipart/form-data") == nil)
    }

    @Test(arguments: ["application/octet-stream", "image/png", "application/grpc", "text/plain; charset=utf-16"])
    func `other types stay`(type: String) {
        let type = Array(type.utf8)
        let isMapped = BodyRewriter.isMapped(request: type.span)
        #expect(!isMapped)
    }

    @Test(arguments: [
        (#"<script src="/a.js" integrity="sha384-x" defer></script>"#, #"<script src="/a.js"  defer></script>"#),
        ("<LINK INTEGRITY = 'sha256-x'\nhref=a>", "<LINK \nhref=a>"),
        ("<script integrity=sha256-x>let integrity = 1</script>", "<script >let integrity = 1</script>"),
        (
            "<link data-integrity=\"x\" title='integrity=\"y\"' integrity>",
            "<link data-integrity=\"x\" title='integrity=\"y\"' >"
        ),
        (#"<!-- <link integrity="x"> --><img integrity="x">"#, nil), ("<script integrity=\"sha", nil),
    ])
    func `integrity goes from a page's scripts and links`(page: String, expected: String?) throws {
        for room in [1, 7, 64 << 10] {
            let run = try BodyRun(BodyWorld().rewriter("text/html"), room: room)
            let pieces = room == 7 ? page.utf8.map { [$0] } : [Array(page.utf8)]
            #expect(String(decoding: try run.feed(pieces), as: UTF8.self) == expected ?? page)
        }
    }

    @Test(arguments: ["text/css", "application/json"])
    func `integrity stays where there is no page`(type: String) throws {
        let text = #"<link integrity="x">"#
        #expect(
            String(decoding: try BodyRun(BodyWorld().rewriter(type)).feed([Array(text.utf8)]), as: UTF8.self) == text)
    }
}
