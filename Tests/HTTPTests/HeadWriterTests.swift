import Bytes
import HTTP
import Testing

@Suite struct HeadWriterTests {
    func written(capacity: Int = 1000, _ write: (inout Buffer) -> Bool) -> String? {
        var out = Buffer(capacity: capacity)
        return write(&out) ? String(decoding: out.unsafeBytes, as: UTF8.self) : (out.isEmpty ? nil : "a part of it")
    }

    /// Each row: why, the field lines of a request, and what of them is forwarded.
    static let forwarded: [(String, String, String)] = [
        ("all", "Host: a\r\nX: y\r\n", "Host: a\r\nX: y\r\n"),
        ("lines as they came", "hOst:a \r\nX:\ty\r\n", "hOst:a \r\nX:\ty\r\n"),
        (
            "hop-by-hop fields are not",
            "Host: a\r\nConnection: close\r\nKeep-Alive: x\r\nX: y\r\nTE: trailers\r\nUpgrade: z\r\nProxy-Connection: q\r\n",
            "Host: a\r\nX: y\r\n"
        ),
        ("the coding is ours to choose", "Transfer-Encoding: chunked\r\nHost: a\r\n", "Host: a\r\n"),
        (
            "what Connection names is not, in whatever case and place",
            "X-One: 1\r\nHost: a\r\nConnection: x-one, close,\tX-TWO\r\nX-Two: 2\r\nX-Three: 3\r\nx-two: 4\r\n",
            "Host: a\r\nX-Three: 3\r\n"
        ),
        ("a prefix is not the name", "Host: a\r\nConnection: X-On\r\nX-One: 1\r\n", "Host: a\r\nX-One: 1\r\n"),
        (
            "Connection cannot take away framing, routing or credentials",
            "Host: a\r\nContent-Length: 1\r\nAuthorization: b\r\nX-Forwarded-For: c\r\nCookie: d\r\n"
                + "Connection: host, content-length, Authorization, x-forwarded-for, cookie, transfer-encoding\r\n",
            "Host: a\r\nContent-Length: 1\r\nAuthorization: b\r\nX-Forwarded-For: c\r\nCookie: d\r\n"
        ),
        (
            "proxy authentication goes end to end", "Host: a\r\nProxy-Authorization: b\r\n",
            "Host: a\r\nProxy-Authorization: b\r\n"
        ),
    ]

    @Test(arguments: forwarded)
    func `fields are forwarded by RFC 9110 7.6.1`(why: String, lines: String, expected: String) throws {
        let input = bytes("GET / HTTP/1.1\r\n\(lines)\r\n")
        var request = RequestHead()
        #expect(try request.parse(input.span) == input.count)
        let fields = request.fields
        let all = { (out: inout Buffer) in HeadWriter.appendForwardedFields(of: fields, from: input.span, to: &out) }
        #expect(written(all) == expected)
        #expect(written(capacity: expected.utf8.count, all) == expected)
        #expect(written(capacity: expected.utf8.count - 1, all) == nil)
    }

    @Test func `fields are dropped by name`() throws {
        let input = head("GET / HTTP/1.1", "Host: a", "Shunt-Profile: b", "X: c", "Via: d", "Y: e", "Date: f")
        var request = RequestHead()
        #expect(try request.parse(input.span) == input.count)
        let fields = request.fields
        let expected = "X: c\r\nY: e\r\n"
        #expect(
            written {
                HeadWriter.appendForwardedFields(
                    of: fields, from: input.span, to: &$0, dropping: [.host, .shuntProfile, .via, .date])
            } == expected)
        #expect(
            written {
                HeadWriter.appendForwardedFields(of: fields, from: input.span, to: &$0) { $0 != .other }
            } == expected)
        let some = fields.filter { $0.id == .other || $0.id == .date }
        #expect(
            written { HeadWriter.appendForwardedFields(of: some, from: input.span, to: &$0) }
                == "X: c\r\nY: e\r\nDate: f\r\n")
        #expect(written { HeadWriter.appendForwardedFields(of: [], from: input.span, to: &$0) }?.isEmpty == true)
    }

    @Test(arguments: [
        (0, "0", "0"), (9, "9", "9"), (10, "10", "a"), (15, "15", "f"), (16, "16", "10"), (4096, "4096", "1000"),
        (UInt64.max, "18446744073709551615", "ffffffffffffffff"),
    ])
    func `numbers are written without leading zeros`(number: UInt64, decimal: String, hexadecimal: String) {
        #expect(written { HeadWriter.append(decimal: number, to: &$0) } == decimal)
        #expect(written { HeadWriter.append(hexadecimal: number, to: &$0) } == hexadecimal)
        #expect(written(capacity: decimal.count) { HeadWriter.append(decimal: number, to: &$0) } == decimal)
        #expect(written(capacity: decimal.count - 1) { HeadWriter.append(decimal: number, to: &$0) } == nil)
    }

    /// Each is tried with just enough room, and with one byte less.
    @Test func `lines are written whole or not at all`() {
        let odd = bytes("Fine by me")
        let path = bytes("/a?b")
        // As an origin of each version wrote it.
        let origins = ["HTTP/1.1 404 Nope\r\n", "HTTP/1.2 404 Nope\r\n", "HTTP/1.0 404 Nope\r\n"].map { bytes($0) }
        for origin in origins {
            let line = "HTTP/1.1 404 Nope\r\n"
            func write(_ out: inout Buffer) -> Bool {
                HeadWriter.appendStatusLine(status: 404, reasonFrom: origin.span, 13..<17, to: &out)
            }
            #expect(written(capacity: line.utf8.count, write) == line)
            #expect(written(capacity: line.utf8.count - 1, write) == nil)
        }
        let lines: [(String, (inout Buffer) -> Bool)] = [
            ("HTTP/1.1 200 OK\r\n", { HeadWriter.appendStatusLine(status: 200, to: &$0) }),
            ("HTTP/1.1 799 \r\n", { HeadWriter.appendStatusLine(status: 799, to: &$0) }),
            (
                "HTTP/1.1 200 by\r\n",
                { HeadWriter.appendStatusLine(status: 200, reasonFrom: odd.span, 5..<7, to: &$0) }
            ),
            (
                "Fine by me /a?b HTTP/1.1\r\n",
                { HeadWriter.appendRequestLine(method: odd.span, target: path.span, to: &$0) }
            ),
            ("Date: Fine by me\r\n", { HeadWriter.appendField(.date, odd.span, to: &$0) }),
            ("Content-Length: 120\r\n", { HeadWriter.appendContentLength(120, to: &$0) }),
            ("ff\r\n", { HeadWriter.appendChunkHeader(size: 255, to: &$0) }),
            ("0\r\n", { HeadWriter.appendChunkHeader(size: 0, to: &$0) }),
        ]
        for (line, write) in lines {
            #expect(written(capacity: line.utf8.count, write) == line)
            #expect(written(capacity: line.utf8.count - 1, write) == nil)
        }
        #expect(written { HeadWriter.appendStatusLine(status: 99, to: &$0) } == nil)
        #expect(written { HeadWriter.appendStatusLine(status: 1000, to: &$0) } == nil)
    }

    @Test func `pieces of every length are appended whole or not at all`() {
        for count in 0...80 {
            let piece = Self.letters.prefix(count)
            let write = { (out: inout Buffer) in out.appendWhole("ab") && out.appendWhole(Array(piece).span) }
            #expect(written(capacity: count + 2, write) == "ab" + String(decoding: piece, as: UTF8.self))
            #expect(written(capacity: count + 9, write) == "ab" + String(decoding: piece, as: UTF8.self))
            guard count > 0 else { continue }
            #expect(written(capacity: count - 1) { $0.appendWhole(Array(piece).span) } == nil)
            #expect(written(capacity: count - 1) { $0.appendWhole(Array(piece)) } == nil)
        }
        #expect(written(capacity: 2) { $0.appendWhole("abc") } == nil)
    }

    static let letters = (0..<80).map { UInt8(0x21 + $0) }

    @Test func `a target without a path gets one`() {
        let get = bytes("GET")
        for (target, line) in [("", "GET / HTTP/1.1\r\n"), ("?a", "GET /?a HTTP/1.1\r\n")] {
            let target = bytes(target)
            #expect(
                written { HeadWriter.appendRequestLine(method: get.span, target: target.span, to: &$0) } == line)
        }
    }
}
