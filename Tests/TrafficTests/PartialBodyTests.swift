import Exchanges
import Foundation
import Inspection
import Redaction
import Store
import Testing

/// Bodies that begin in the middle of a value, whose name they do not hold.
@Suite struct PartialBodyTests {
    @Test(arguments: [
        ("application/json", #"{"a":1,"password":"zq7\",marked","tokens":["zq7","zq8"],"b":2}"#),
        ("application/x-www-form-urlencoded", "a=1&password=zq7marked&b=2"),
        ("text/xml", "<a><password>zq7marked</password><b>2</b></a>"),
        ("text/html", "<input type=password value='zq7marked'>"),
        ("text/plain", "password: zq7 marked\nnext: 1"), ("", "password: zq7 marked\nnext: 1"),
        ("multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=pin\r\n\r\nzq7\r\n--x--"),
    ])
    func `text that begins in the middle is replaced as a whole wherever it was cut`(type: String, text: String) {
        let all = Array(text.utf8)
        for start in 1..<all.count {
            for size in [Int.max, 1] {
                var body = redactor.body(contentType: type, contentRange: "bytes \(start)-\(all.count)/\(all.count)")
                var out: [UInt8] = []
                var rest = all[start...]
                while !rest.isEmpty {
                    out += body.redact(Array(rest.prefix(size)))
                    rest = rest.dropFirst(size)
                }
                out += body.finish()
                #expect(shortened(out) == "<redacted:part:#>", "from \(start), in pieces of \(size)")
            }
        }
    }

    @Test(arguments: [
        ("bytes 0-9/10", false), ("bytes */10", false), ("items 10-19/100", false), ("", false),
        ("bytes 00-9/*", false),
        ("bytes 1-9/10", true), ("Bytes  7-9/*", true), ("bytes=5-9", true), ("bytes 010-19/20", true), ("bytes", true),
    ])
    func `a range in bytes that does not begin at the first one begins in the middle`(range: String, isInside: Bool) {
        var body = redactor.body(contentType: "text/plain", contentRange: range)
        let out = body.redact(Array("plain".utf8)) + body.finish()
        #expect(shortened(out) == (isInside ? "<redacted:part:#>" : "plain"))
    }

    @Test func `parts of a response with several ranges are judged one by one`() {
        let head = "--x\r\nContent-Type: text/plain\r\nContent-Range: bytes "
        let body = head + "0-4/99\r\n\r\nplain\r\n" + head + "9-14/99\r\n\r\nsecret\r\n--x--"
        let expected = head + "0-4/99\r\n\r\nplain\r\n" + head + "9-14/99\r\n\r\n<redacted:part:#>\r\n--x--"
        #expect(shortened(redact(body, as: "multipart/byteranges; boundary=x")) == expected)
    }

    @Test(arguments: [true, false])
    func `neither the store nor an export shows what a part of a body begins with`(isWhole: Bool) throws {
        let bench = try StoreBench()
        let fields = "Content-Type: application/json\r\nContent-Range: bytes 30-60/61\r\n\r\n"
        let parts: [(RecordedPiece.Part.Kind, [UInt8])] = [
            (.clientRequest, Array(("PUT /a HTTP/1.1\r\nHost: a.test\r\n" + fields).utf8)),
            (.requestBody, Array(#"zq7marked","b":2}"#.utf8)),
            (.originResponse, Array(("HTTP/1.1 206 Partial Content\r\n" + fields).utf8)),
            (.clientResponse, Array(("HTTP/1.1 206 Partial Content\r\n" + fields).utf8)),
            (.responseBody, Array(#"zq7marked","b":2}"#.utf8)),
        ]
        let exchange = Pieces.exchange()
        let pieces =
            isWhole
            ? [Pieces.whole(1, exchange, parts)]
            : [
                Pieces.piece(1, exchange, isFirst: true, isLast: false, parts),
                Pieces.piece(1, exchange, isFirst: false, isLast: true),
            ]
        let har = try Exports.har(try bench.recorded(pieces) { $0.redact() })
        #expect(!har.contains("zq7"))
        #expect(har.components(separatedBy: "redacted:part:").count == 3)
    }
}
