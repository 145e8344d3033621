import HTTP
import Testing

/// Heads of responses that break RFC 9112 and can be read in one way only.
@Suite struct ResponseRepairTests {
    static let repaired: [(String, [UInt8], String)] = [
        ("LF alone", bytes("HTTP/1.1 200 OK\nA: b\n\n"), "HTTP/1.1 200 OK\r\nA: b\r\n\r\n"),
        (
            "LF alone in one line", bytes("HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nA: b\r\nC: d\r\n\r\n"
        ),
        ("space before the colon", head("HTTP/1.1 200 OK", "X-A \t: b"), "HTTP/1.1 200 OK\r\nX-A: b\r\n\r\n"),
        ("obs-fold", head("HTTP/1.1 200 OK", "X: a", " \tb", "\tc"), "HTTP/1.1 200 OK\r\nX: a b c\r\n\r\n"),
        ("a blank in front of the fields", head("HTTP/1.1 200 OK", " X: a", "Y: b"), "HTTP/1.1 200 OK\r\nY: b\r\n\r\n"),
        ("no colon", head("HTTP/1.1 200 OK", "hello", "Y: b"), "HTTP/1.1 200 OK\r\nY: b\r\n\r\n"),
        ("no name", head("HTTP/1.1 200 OK", ": x", "Y: b"), "HTTP/1.1 200 OK\r\nY: b\r\n\r\n"),
        ("a name with a blank", head("HTTP/1.1 200 OK", "X Y: x", "Y: b"), "HTTP/1.1 200 OK\r\nY: b\r\n\r\n"),
        ("a control character", head("HTTP/1.1 200 OK", "X: a\u{1}b"), "HTTP/1.1 200 OK\r\nX: a b\r\n\r\n"),
        (
            "one length twice", head("HTTP/1.1 200 OK", "Content-Length: 5", "Content-Length: 5"),
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
        ),
        (
            "one length as a list", head("HTTP/1.1 200 OK", "Content-Length: 5, 5 ,5"),
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
        ),
        (
            "length and coding", head("HTTP/1.1 200 OK", "Content-Length: 5", "Transfer-Encoding: chunked"),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        ),
        (
            "lengths and coding", head("HTTP/1.1 200 OK", "Content-Length: 5, 6", "Transfer-Encoding: chunked"),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        ),
        (
            "identity", head("HTTP/1.1 200 OK", "Transfer-Encoding: Identity", "Content-Length: 5"),
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
        ),
        (
            "204 with a coding", head("HTTP/1.1 204 No Content", "Transfer-Encoding: chunked"),
            "HTTP/1.1 204 No Content\r\n\r\n"
        ),
        ("100 with a coding", head("HTTP/1.1 100 x", "Transfer-Encoding: chunked"), "HTTP/1.1 100 x\r\n\r\n"),
        (
            "a broken connection option", head("HTTP/1.1 200 OK", "Connection: a b"),
            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
        ),
        ("HTTP/2", head("HTTP/2 200 OK"), "HTTP/1.1 200 OK\r\n\r\n"),
        ("HTTP/2.0", head("HTTP/2.0 200"), "HTTP/1.1 200 \r\n\r\n"),
        ("small letters", head("http/1.1 404 Not Found"), "HTTP/1.1 404 Not Found\r\n\r\n"),
        ("SHOUTcast", head("ICY 200 OK"), "HTTP/1.0 200 OK\r\n\r\n"),
        ("two spaces", head("HTTP/1.1  200  OK"), "HTTP/1.1 200 OK\r\n\r\n"),
        ("a tab", head("HTTP/1.0\t200 OK"), "HTTP/1.0 200 OK\r\n\r\n"),
        ("an empty line in front", bytes("\r\nHTTP/1.1 200 OK\r\n\r\n"), "HTTP/1.1 200 OK\r\n\r\n"),
        (
            "all at once", bytes("\nhttp/1.0 200\nA : b\n c\nnothing\nContent-Length: 1\nContent-Length: 1\n\n"),
            "HTTP/1.0 200 \r\nA: b c\r\nContent-Length: 1\r\n\r\n"
        ),
    ]

    @Test(arguments: repaired.map(Reading.init))
    func `a head that can be read in one way is written anew`(row: Reading) throws {
        let behind = bytes("rest\r\n\r\n")
        var response = ResponseHead()
        let failure = #expect(throws: HTTPFailure.self) { _ = try response.parse((row.input + behind).span, to: .get) }
        let repair = try #require(try Self.repair(row.input + behind, after: failure ?? .faulty))
        #expect(String(decoding: repair.head, as: UTF8.self) == row.summary)
        #expect(repair.length == row.input.count && !repair.notes.isEmpty)
        #expect(response.feed(repair.head).description.hasPrefix("\(repair.head.count) "))
        for cut in 0..<row.input.count {
            #expect(try Self.repair(Array(row.input[..<cut]), after: .faulty) == nil, "\(cut) bytes are no head")
        }
    }

    static let refused: [(String, [UInt8], HTTPFailure.Kind)] = [
        ("two lengths", head("HTTP/1.1 200 OK", "Content-Length: 5", "Content-Length: 6"), .repeatedContentLength),
        ("a list of lengths", head("HTTP/1.1 200 OK", "Content-Length: 5, 6"), .repeatedContentLength),
        ("a list with nothing", head("HTTP/1.1 200 OK", "Content-Length: 5,"), .repeatedContentLength),
        ("NUL", head("HTTP/1.1 200 OK", "X: \0"), .controlByte),
        ("CR", head("HTTP/1.1 200 OK", "X : a\rb"), .bareCarriageReturn),
        ("CR in the status line", bytes("HTTP/1.1 200 OK\rX: a\n\n"), .bareCarriageReturn),
        ("a length without its colon", head("HTTP/1.1 200 OK", "Content-Length 5"), .fieldName),
        ("a length with a blank in its name", head("HTTP/1.1 200 OK", "Content-Length x: 5"), .fieldName),
        ("a coding in brackets", head("HTTP/1.1 200 OK", "(Transfer-Encoding): chunked"), .fieldName),
        ("a coding in front of the fields", head("HTTP/1.1 200 OK", " Transfer-Encoding: chunked"), .fieldName),
        ("a length that goes on", head("HTTP/1.1 200 OK", "Content-Length: 1", " 0"), .obsoleteFold),
        ("a coding that goes on", head("HTTP/1.1 200 OK", "Transfer-Encoding:", " chunked"), .obsoleteFold),
        ("a line of blanks", head("HTTP/1.1 200 OK", "X: a", "  ", "Y: b"), .obsoleteFold),
        ("four digits", head("HTTP/1.1 2000 OK"), .statusLine),
        ("below 100", head("HTTP/1.1 099 OK"), .statusLine),
        ("another protocol", bytes("SSH-2.0-OpenSSH_9.2\r\n"), .statusLine),
        ("HTTP/0.9", bytes("<html></html>\r\n"), .statusLine),
        ("no line at all", bytes("\u{15}\u{3}\u{3}"), .statusLine),
    ]

    @Test(arguments: refused.map { Refusal($0.0, $0.1, $0.2, 502) })
    func `what two readers could split differently is refused`(row: Refusal) throws {
        let failure = HTTPFailure.faulty
        let thrown = #expect(throws: HTTPFailure.self) { _ = try Self.repair(row.input, after: failure) }
        #expect(thrown?.kind == row.kind && thrown?.status == 502)
    }

    @Test func `a head that is too large or of another kind of fault is not repaired`() throws {
        let long = bytes("HTTP/1.1 200 OK\nX: " + String(repeating: "x", count: 300))
        #expect(throws: HTTPFailure.self) {
            _ = try ResponseRepair(long.span, limits: HeadLimits(bytes: 200), after: .faulty)
        }
        let many = bytes("HTTP/1.1 200 OK\n" + String(repeating: "X: x\n", count: 9) + "\n")
        #expect(throws: HTTPFailure.self) {
            _ = try ResponseRepair(many.span, limits: HeadLimits(fields: 8), after: .faulty)
        }
        #expect(try ResponseRepair(many.span, limits: HeadLimits(fields: 9), after: .faulty) != nil)
    }

    private static func repair(_ bytes: [UInt8], after failure: HTTPFailure) throws -> ResponseRepair? {
        try ResponseRepair(bytes.span, limits: HeadLimits(), after: failure)
    }
}

extension HTTPFailure {
    /// A failure that can be repaired.
    fileprivate static var faulty: HTTPFailure {
        var head = ResponseHead()
        do throws(HTTPFailure) {
            _ = try head.parse(bytes("HTTP/1.1 200 OK\nx").span, to: .get)
        } catch {
            return error
        }
        preconditionFailure("LF alone was read")
    }
}
