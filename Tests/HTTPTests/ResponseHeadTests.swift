import HTTP
import Testing

@Suite struct ResponseHeadTests {
    /// Each row: why, the request's method, the bytes, and how the body is delimited.
    static let framings: [(String, HTTP.Method, [UInt8], BodyFraming)] = [
        ("length", .get, head("HTTP/1.1 200 OK", "Content-Length: 5"), .length(5)),
        ("chunks", .get, head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked"), .chunked),
        ("neither", .get, head("HTTP/1.1 200 OK"), .untilClose),
        ("HEAD has no content", .head, head("HTTP/1.1 200 OK", "Content-Length: 5"), .none),
        ("HEAD, chunked", .head, head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked"), .none),
        ("HEAD, neither", .head, head("HTTP/1.1 200 OK"), .none),
        ("304 has no content", .get, head("HTTP/1.1 304 Not Modified", "Content-Length: 5"), .none),
        ("304, chunked", .get, head("HTTP/1.1 304 Not Modified", "Transfer-Encoding: chunked"), .none),
        ("204 has no content", .get, head("HTTP/1.1 204 No Content"), .none),
        ("204 with a length", .get, head("HTTP/1.1 204 No Content", "Content-Length: 5"), .none),
        ("100", .post, head("HTTP/1.1 100 Continue"), .none),
        ("103 with a length", .get, head("HTTP/1.1 103 Early Hints", "Content-Length: 5"), .none),
        ("101", .get, head("HTTP/1.1 101 Switching Protocols"), .tunnel),
        ("CONNECT granted", .connect, head("HTTP/1.1 200 OK", "Content-Length: 5"), .tunnel),
        ("CONNECT granted, chunked", .connect, head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked"), .tunnel),
        ("CONNECT refused", .connect, head("HTTP/1.1 403 Forbidden", "Content-Length: 5"), .length(5)),
        ("an unknown status", .get, head("HTTP/1.1 599 X", "Content-Length: 0"), .length(0)),
        ("a status of one's own", .get, head("HTTP/1.1 999 X", "Content-Length: 0"), .length(0)),
    ]

    @Test(arguments: framings)
    func `the body is delimited by RFC 9112 6.3`(
        why: String, method: HTTP.Method, input: [UInt8], framing: BodyFraming
    ) {
        var response = ResponseHead()
        #expect((try? response.parse(input.span, to: method)) == input.count)
        #expect(response.framing == framing)
        // A body may follow that must not be there.
        let isOdd = ["304, chunked", "204 with a length", "103 with a length"].contains(why)
        #expect(response.keepAlive == (framing != .untilClose && !isOdd))
        #expect(response.field(.contentLength)?.isHopByHop != true || [.none, .tunnel].contains(framing))
    }

    static let valid: [(String, [UInt8], String)] = [
        (
            "the plainest", head("HTTP/1.1 200 OK", "Content-Length: 0"),
            "38 http11 200 OK length(0) true\ncontentLength [Content-Length] [0] 17..<36 false"
        ),
        ("no reason", bytes("HTTP/1.1 404 \r\n\r\n"), "17 http11 404  untilClose false"),
        ("no reason, and no space for it", bytes("HTTP/1.1 404\r\n\r\n"), "16 http11 404  untilClose false"),
        ("tab and obs-text", bytes("HTTP/1.0 500 a\t\u{E4}\r\n\r\n"), "21 http10 500 a\t\u{E4} untilClose false"),
        (
            "keep-alive in HTTP/1.0", head("HTTP/1.0 204 x", "Connection: keep-alive"),
            "42 http10 204 x none true\nconnection [Connection] [keep-alive] 16..<40 true"
        ),
        (
            "close", head("HTTP/1.1 204 x", "Connection: close"),
            "37 http11 204 x none false\nconnection [Connection] [close] 16..<35 true"
        ),
        (
            "a length that must not be there is not forwarded", head("HTTP/1.1 204 x", "Content-Length: 5"),
            "37 http11 204 x none false\ncontentLength [Content-Length] [5] 16..<35 true"
        ),
        ("a higher minor version", bytes("HTTP/1.2 204 x\r\n\r\n"), "18 http11 204 x none true"),
    ]

    @Test(arguments: valid.map(Reading.init))
    func `a response's head means the same however it is cut`(row: Reading) {
        var response = ResponseHead()
        #expect(response.feed(row.input) == .read(row.summary))
        #expect(response.feed(row.input, cuts: Array(0...row.input.count)) == .read(row.summary))
        for cut in 0..<row.input.count {
            #expect(response.feed(Array(row.input[..<cut])) == .incomplete)
            response = ResponseHead()
            #expect(response.feed(row.input, cuts: [cut]) == .read(row.summary))
        }
    }

    static let refused: [(String, [UInt8], HTTPFailure.Kind)] = [
        (
            "length and coding", head("HTTP/1.1 200 OK", "Content-Length: 5", "Transfer-Encoding: chunked"),
            .lengthAndCoding
        ),
        ("two lengths", head("HTTP/1.1 200 OK", "Content-Length: 5", "Content-Length: 6"), .repeatedContentLength),
        ("bad length", head("HTTP/1.1 200 OK", "Content-Length: 5,5"), .contentLength),
        ("bad length of no content", head("HTTP/1.1 204 x", "Content-Length: x"), .contentLength),
        ("unknown coding", head("HTTP/1.1 200 OK", "Transfer-Encoding: gzip"), .unknownCoding),
        ("coding in HTTP/1.0", head("HTTP/1.0 200 OK", "Transfer-Encoding: chunked"), .codingInOldVersion),
        ("204 with a coding", head("HTTP/1.1 204 x", "Transfer-Encoding: chunked"), .codingWithoutContent),
        ("100 with a coding", head("HTTP/1.1 100 x", "Transfer-Encoding: chunked"), .codingWithoutContent),
        ("101 with a coding", head("HTTP/1.1 101 x", "Transfer-Encoding: chunked"), .codingWithoutContent),
        ("HTTP/2", head("HTTP/2.0 200 OK"), .unsupportedVersion),
        ("small letters", head("http/1.1 200 OK"), .version),
        ("another protocol", head("ICY 200 OK and more"), .version),
        ("HTTP/0.9", bytes("<html></html>\r\n"), .version),
        ("too short", bytes("Hello\r\n"), .statusLine),
        ("too short, and more behind", bytes("Hello\r\nHTTP/1.1 200 OK\r\n\r\n"), .statusLine),
        ("an empty line in front", bytes("\r\nHTTP/1.1 200 OK\r\n\r\n"), .statusLine),
        ("two spaces", head("HTTP/1.1  200 OK"), .statusLine),
        ("tab", head("HTTP/1.1\t200 OK"), .statusLine),
        ("two digits", head("HTTP/1.1 20 OK"), .statusLine),
        ("four digits", head("HTTP/1.1 2000 OK"), .statusLine),
        ("below 100", head("HTTP/1.1 099 OK"), .statusLine),
        ("letters", head("HTTP/1.1 2x0 OK"), .statusLine),
        ("control in the reason", head("HTTP/1.1 200 O\0K"), .statusLine),
        ("CR in the reason", head("HTTP/1.1 200 O\rK"), .bareCarriageReturn),
        ("LF", bytes("HTTP/1.1 200 OK\n\n"), .bareLineFeed),
        ("CR for a reason", bytes("HTTP/1.1 200\rX: y\r\n\r\n"), .bareCarriageReturn),
        ("obs-fold", head("HTTP/1.1 200 OK", "X: a", " b"), .obsoleteFold),
        ("space before the colon", head("HTTP/1.1 200 OK", "X : a"), .spaceBeforeColon),
        ("NUL", head("HTTP/1.1 200 OK", "X: \0"), .controlByte),
    ]

    @Test(arguments: refused.map { Refusal($0.0, $0.1, $0.2, 502) })
    func `a malformed response is the origin's fault, however it is cut`(row: Refusal) {
        var response = ResponseHead()
        #expect(response.feed(row.input) == .refused(row.kind, 502))
        #expect(response.feed(row.input, cuts: Array(0..<row.input.count)) == .refused(row.kind, 502))
        for cut in 0..<row.input.count { #expect(response.feed(row.input, cuts: [cut]) == .refused(row.kind, 502)) }
    }

    @Test func `101 is final, the other 1xx are not`() {
        var response = ResponseHead()
        for (status, isInformational) in [(100, true), (103, true), (101, false), (200, false)] {
            let input = head("HTTP/1.1 \(status) x", "Content-Length: 0")
            #expect((try? response.parse(input.span, to: .get)) != nil)
            #expect(response.isInformational == isInformational)
        }
    }
}
