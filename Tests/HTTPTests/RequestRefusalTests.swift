import HTTP
import Testing

/// What a request head must not be.
///
/// Each row: what is wrong, the bytes, the rule that refuses them.
@Suite struct RequestRefusalTests {
    typealias Row = (String, [UInt8], HTTPFailure.Kind, Int)

    static let host = "Host: a.test"
    static func post(_ lines: String...) -> [UInt8] {
        bytes("POST / HTTP/1.1\r\nHost: a.test\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n")
    }
    static func get(_ target: String) -> [UInt8] { head("GET \(target) HTTP/1.1", host) }
    static func named(_ host: String) -> [UInt8] { head("GET / HTTP/1.1", "Host: \(host)") }

    static let framing: [Row] = [
        ("CL.TE smuggling", post("Content-Length: 5", "Transfer-Encoding: chunked"), .lengthAndCoding, 400),
        ("TE.CL smuggling", post("Transfer-Encoding: chunked", "Content-Length: 5"), .lengthAndCoding, 400),
        ("two lengths", post("Content-Length: 5", "Content-Length: 6"), .repeatedContentLength, 400),
        ("one length twice", post("Content-Length: 5", "Content-Length: 5"), .repeatedContentLength, 400),
        ("a list of lengths", post("Content-Length: 5, 6"), .contentLength, 400),
        ("a list of equal lengths", post("Content-Length: 5, 5"), .contentLength, 400),
        ("signed", post("Content-Length: +5"), .contentLength, 400),
        ("negative", post("Content-Length: -5"), .contentLength, 400),
        ("hexadecimal", post("Content-Length: 0x5"), .contentLength, 400),
        ("inner space", post("Content-Length: 1 0"), .contentLength, 400),
        ("empty", post("Content-Length:"), .contentLength, 400),
        ("only space", post("Content-Length:   "), .contentLength, 400),
        ("fraction", post("Content-Length: 5.0"), .contentLength, 400),
        ("2^63", post("Content-Length: 9223372036854775808"), .contentLength, 400),
        ("2^64 + 5 wraps", post("Content-Length: 18446744073709551621"), .contentLength, 400),
        ("many digits", post("Content-Length: " + String(repeating: "9", count: 300)), .contentLength, 400),
        ("unknown coding", post("Transfer-Encoding: xchunked"), .unknownCoding, 501),
        ("identity is obsolete", post("Transfer-Encoding: identity"), .unknownCoding, 501),
        ("gzip cannot be undone", post("Transfer-Encoding: gzip, chunked"), .unknownCoding, 501),
        ("chunked is not last", post("Transfer-Encoding: chunked, gzip"), .transferEncoding, 400),
        ("chunked twice", post("Transfer-Encoding: chunked, chunked"), .transferEncoding, 400),
        ("two lines", post("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"), .transferEncoding, 400),
        ("hidden by a second line", post("Transfer-Encoding: chunked", "Transfer-Encoding: x"), .transferEncoding, 400),
        ("second line first", post("Transfer-Encoding: x", "Transfer-Encoding: chunked"), .unknownCoding, 501),
        ("no coding", post("Transfer-Encoding:"), .transferEncoding, 400),
        ("empty elements", post("Transfer-Encoding: , chunked"), .transferEncoding, 400),
        ("a parameter", post("Transfer-Encoding: chunked;a=b"), .unknownCoding, 501),
        ("quoted", post("Transfer-Encoding: \"chunked\""), .unknownCoding, 501),
        ("vertical tab", post("Transfer-Encoding: \u{0B}chunked"), .controlByte, 400),
        (
            "coding in HTTP/1.0", head("POST / HTTP/1.0", "Transfer-Encoding: chunked"), .codingInOldVersion, 400
        ),
        (
            "CONNECT with a body", head("CONNECT a.test:443 HTTP/1.1", host, "Content-Length: 3"), .bodyInConnect,
            400
        ),
        (
            "CONNECT with chunks", head("CONNECT a.test:443 HTTP/1.1", host, "Transfer-Encoding: chunked"),
            .bodyInConnect, 400
        ),
        ("Connection with parameters", post("Connection: close;q"), .connectionOption, 400),
        (
            "options without end", post("Connection: " + String(repeating: "a,", count: 65)),
            .tooManyConnectionOptions, 431
        ),
    ]

    static let lines: [Row] = [
        ("LF after the request line", bytes("GET / HTTP/1.1\nHost: a\r\n\r\n"), .bareLineFeed, 400),
        ("LF in the target", bytes("GET /\n"), .bareLineFeed, 400),
        ("LF after a field", bytes("GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n"), .bareLineFeed, 400),
        ("LF as the empty line", bytes("GET / HTTP/1.1\r\nHost: a\r\n\n"), .bareLineFeed, 400),
        ("LF in a name", bytes("GET / HTTP/1.1\r\nHo\nst: a\r\n\r\n"), .bareLineFeed, 400),
        ("CR in the request line", bytes("GET / HTTP/1.1\rX\r\n\r\n"), .bareCarriageReturn, 400),
        ("CR in the target", bytes("GET /\rX HTTP/1.1\r\n\r\n"), .bareCarriageReturn, 400),
        ("CR in a value", bytes("GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n"), .bareCarriageReturn, 400),
        ("CR in front of a field", bytes("GET / HTTP/1.1\r\n\rHost: a\r\n\r\n"), .bareCarriageReturn, 400),
        ("CR in a name", bytes("GET / HTTP/1.1\r\nHo\rst: a\r\n\r\n"), .bareCarriageReturn, 400),
        ("two CR", bytes("GET / HTTP/1.1\r\nHost: a\r\r\n\r\n"), .bareCarriageReturn, 400),
        ("CR in front of it all", bytes("\rGET / HTTP/1.1\r\n\r\n"), .bareCarriageReturn, 400),
        ("space before the colon", post("Content-Length : 5"), .spaceBeforeColon, 400),
        ("tab before the colon", post("Transfer-Encoding\t: chunked"), .spaceBeforeColon, 400),
        ("space in a name", post("Content Length: 5"), .spaceBeforeColon, 400),
        ("obs-fold", post("X: a", " b"), .obsoleteFold, 400),
        ("obs-fold by tab", post("X: a", "\tb"), .obsoleteFold, 400),
        ("space before the first field", bytes("GET / HTTP/1.1\r\n Host: a\r\n\r\n"), .leadingSpace, 400),
        ("no name", post(": a"), .fieldName, 400),
        ("no colon", post("Host"), .noColon, 400),
        ("no colon in the last line", bytes("GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n"), .noColon, 400),
        ("bracket in a name", post("A(b): c"), .fieldName, 400),
        ("NUL in a name", post("A\0: c"), .fieldName, 400),
        ("obs-text in a name", bytes("GET / HTTP/1.1\r\nX") + [0xFF] + bytes(": a\r\n\r\n"), .fieldName, 400),
        ("DEL in a name", post("A\u{7F}: c"), .fieldName, 400),
        ("NUL in a value", post("X: a\0b"), .controlByte, 400),
        ("DEL in a value", post("X: a\u{7F}"), .controlByte, 400),
        ("escape in a long value", post("X: 0123456789012345678901234567\u{1B}[2J"), .controlByte, 400),
        ("unit separator", post("X: a\u{1F}"), .controlByte, 400),
    ]

    static let requestLines: [Row] = [
        ("TLS on a plain port", [0x16, 0x03, 0x01, 0x02, 0x00, 0x01], .method, 400),
        ("no method", head(" / HTTP/1.1", host), .method, 400),
        ("method not a token", head("G@T / HTTP/1.1", host), .method, 400),
        ("tab for a space", head("GET\t/ HTTP/1.1", host), .method, 400),
        ("tab after the target", head("GET /\tHTTP/1.1", host), .target, 400),
        ("two spaces", head("GET  / HTTP/1.1", host), .requestLine, 400),
        ("two spaces before the version", head("GET /  HTTP/1.1", host), .requestLine, 400),
        ("space in the target", head("GET /a b HTTP/1.1", host), .requestLine, 400),
        ("space at the end", head("GET / HTTP/1.1 ", host), .requestLine, 400),
        ("HTTP/0.9", bytes("GET /\r\n"), .requestLine, 400),
        ("no version", bytes("GET / \r\n"), .version, 400),
        ("three empty lines", bytes("\r\n\r\n\r\nGET / HTTP/1.1\r\n"), .requestLine, 400),
        ("small letters", head("GET / http/1.1", host), .version, 400),
        ("no minor version", head("GET / HTTP/1", host), .version, 400),
        ("two digits", head("GET / HTTP/1.10", host), .version, 400),
        ("letters", head("GET / HTTP/1.x", host), .version, 400),
        ("another protocol", head("GET / ICAP/1.0", host), .version, 400),
        ("HTTP/2", head("GET / HTTP/2.0", host), .unsupportedVersion, 505),
        ("HTTP/0.9 spelt out", head("GET / HTTP/0.9", host), .unsupportedVersion, 505),
        ("the preface of HTTP/2", bytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), .unsupportedVersion, 505),
    ]

    static let targets: [Row] = [
        ("fragment", get("/a#b"), .target, 400),
        ("fragment in the query", get("/a?b#c"), .target, 400),
        ("NUL", get("/a\0"), .target, 400),
        ("DEL", get("/a\u{7F}"), .target, 400),
        ("DEL in the query", get("/a?b\u{7F}"), .target, 400),
        ("asterisk", get("*"), .targetForm, 400),
        ("authority", get("a.test:80"), .targetForm, 400),
        ("no slash", get("index.html"), .targetForm, 400),
        ("another scheme", get("ftp://a.test/"), .targetForm, 400),
        ("one slash", get("http:/a.test/"), .targetForm, 400),
        ("scheme in the query", get("a?http://b/"), .targetForm, 400),
        ("no authority", get("http:///a"), .host, 400),
        ("only a port", get("http://:80/"), .host, 400),
        ("user information", get("http://u:p@a.test/"), .host, 400),
        ("user information without a password", get("http://u@a.test/"), .host, 400),
        ("port in a target", get("http://a.test:99999/"), .host, 400),
        ("CONNECT to a path", head("CONNECT /a HTTP/1.1", host), .host, 400),
        ("CONNECT without a port", head("CONNECT a.test HTTP/1.1", host), .targetForm, 400),
        ("CONNECT without a host", head("CONNECT :443 HTTP/1.1", host), .targetForm, 400),
        ("CONNECT with a query", head("CONNECT a.test:443?b HTTP/1.1", host), .host, 400),
    ]

    static let hosts: [Row] = [
        ("none", head("GET / HTTP/1.1", "X: y"), .missingHost, 400),
        ("none, and no fields", head("GET / HTTP/1.1"), .missingHost, 400),
        ("none though the target has one", head("GET http://a.test/ HTTP/1.1"), .missingHost, 400),
        ("two", head("GET / HTTP/1.1", "Host: a", "Host: b"), .repeatedHost, 400),
        ("one twice", head("GET / HTTP/1.1", "Host: a", "Host: a"), .repeatedHost, 400),
        ("two in HTTP/1.0", head("GET / HTTP/1.0", "Host: a", "Host: b"), .repeatedHost, 400),
        ("bad though the target wins", head("GET http://a.test/ HTTP/1.1", "Host: a b"), .host, 400),
        ("user information", named("u@a.test"), .host, 400),
        ("user and password", named("u:p@a.test"), .host, 400),
        ("comma", named("a.test, b.test"), .host, 400),
        ("space", named("a.test b.test"), .host, 400),
        ("tab", named("a\tb"), .host, 400),
        ("slash", named("a.test/b"), .host, 400),
        ("backslash", named("a.test\\b"), .host, 400),
        ("escape", named("a%2etest"), .host, 400),
        ("not ASCII", named("ä.test"), .host, 400),
        ("query", named("a.test?b"), .host, 400),
        ("port with letters", named("a.test:80a"), .host, 400),
        ("signed port", named("a.test:+80"), .host, 400),
        ("port too large", named("a.test:65536"), .host, 400),
        ("port overflows", named("a.test:99999999999999999999999"), .host, 400),
        ("port 0", named("a.test:0"), .host, 400),
        ("two ports", named("a.test:80:80"), .host, 400),
        ("IPv6 without brackets", named("::1"), .host, 400),
        ("open bracket", named("[::1"), .host, 400),
        ("empty brackets", named("[]"), .host, 400),
        ("after the brackets", named("[::1]a"), .host, 400),
        ("zone", named("[fe80::1%25eth0]"), .host, 400),
        ("nine groups", named("[1:2:3:4:5:6:7:8:9]"), .host, 400),
        ("seven groups", named("[1:2:3:4:5:6:7]"), .host, 400),
        ("eight groups and a gap", named("[1:2:3:4::5:6:7:8]"), .host, 400),
        ("two gaps", named("[1::2::3]"), .host, 400),
        ("three colons", named("[:::1]"), .host, 400),
        ("begins with a colon", named("[:1:2:3:4:5:6:7]"), .host, 400),
        ("ends with a colon", named("[1:2:3:4:5:6:7:]"), .host, 400),
        ("five digits", named("[12345::]"), .host, 400),
        ("IPv4 too large", named("[::ffff:1.2.3.256]"), .host, 400),
        ("IPv4 too short", named("[::ffff:1.2.3]"), .host, 400),
        ("IPv4 with zeros", named("[::ffff:01.2.3.4]"), .host, 400),
        ("IPv4 not last", named("[::1.2.3.4:1]"), .host, 400),
        ("IPv4 alone", named("[1.2.3.4]"), .host, 400),
        ("IPvFuture", named("[v1.a]"), .host, 400),
    ]

    @Test(arguments: (framing + lines + requestLines + targets + hosts).map(Refusal.init))
    func `a malformed request is refused for its own reason, however it is cut`(row: Refusal) {
        let (input, kind, status) = (row.input, row.kind, row.status)
        var head = RequestHead()
        #expect(head.feed(input) == .refused(kind, status))
        #expect(head.feed(input, cuts: Array(0..<input.count)) == .refused(kind, status))
        for cut in 0..<input.count { #expect(head.feed(input, cuts: [cut]) == .refused(kind, status)) }
        #expect(head.feed(bytes("GET / HTTP/1.1\r\nHost: a\r\n\r\n")).description.hasPrefix("27 GET"))
    }

    @Test func `the reason names the field and what was expected`() {
        var head = RequestHead()
        let input = Self.post("Content-Length : 5")
        let failure = #expect(throws: HTTPFailure.self) { try head.parse(input.span) }
        #expect(
            failure?.reason == "white space after the field name \"Content-Length\" "
                + "(RFC 9112 5.1: none is allowed before the colon)")
    }

    @Test func `bytes in a reason are made harmless`() {
        var head = RequestHead()
        let input = Self.named("a\u{9B}\"" + String(repeating: "x", count: 100))
        let failure = #expect(throws: HTTPFailure.self) { try head.parse(input.span) }
        #expect(failure?.reason.contains("a\\xC2\\x9B") == true)
        #expect(failure?.reason.contains("...") == true)
    }
}
