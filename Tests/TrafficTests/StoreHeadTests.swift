import Exchanges
import Redaction
import Store
import Testing

/// Heads come back byte for byte, however they are written down.
@Suite struct StoreHeadTests {
    private static let browser = "GET / HTTP/1.1\r\nHost: a\r\nAccept: */*\r\nCookie: x=y\r\nVia: 1.1 b\r\n\r\n"

    private static let pairs: [(String, String)] = [
        (browser, browser), (browser, ""), ("", browser), ("", ""), (browser, "\r\n"), ("\n\n\n", "\n\n"),
        (browser, browser.replacing("Host: a", with: "Host: origin:8080")),
        (browser, browser.replacing("Cookie: x=y\r\n", with: "")),
        (browser, browser.replacing("\r\n\r\n", with: "\r\nX-Forwarded-For: ::1\r\n\r\n")),
        (browser, "X: 1\r\n" + browser), (browser, String(browser.dropLast(3))), (String(browser.dropLast(3)), browser),
        (browser, "nothing\r\nlike it\r\n"), (browser, browser + browser),
        (browser, "Via: 1.1 b\r\nCookie: x=y\r\nAccept: */*\r\nHost: a\r\nGET / HTTP/1.1\r\n"),
        (String(repeating: "A: \(String(repeating: "b", count: 200))\r\n", count: 300), browser),
    ]

    @Test(arguments: pairs)
    func `of two that are much alike each is read as it was`(first: String, second: String) throws {
        let (one, other) = (Array(first.utf8), Array(second.utf8))
        let trailers = Array("T: 1\r\n".utf8)
        let kinds: [RecordedPiece.Part.Kind] = [.clientRequest, .originRequest, .originResponse, .clientResponse]
        let parts = Array(zip(kinds, [one, other, other, one])) + [(.responseTrailers, trailers)]
        // At once, and each in a piece of its own.
        let pieces = parts.enumerated().map { at, part in
            Pieces.piece(
                2, at == 0 || at == 4 ? Pieces.exchange() : nil, isFirst: at == 0, isLast: at == 4, [part])
        }
        let reader = try StoreBench().recorded([Pieces.whole(1, Pieces.exchange(), parts)] + pieces)
        for id: Int64 in [1, 2] {
            let record = try #require(try reader.record(id))
            #expect(record.clientRequest == one && record.originRequest == other)
            #expect(record.originResponse == other && record.clientResponse == one)
            #expect(record.requestTrailers == nil && record.responseTrailers == trailers)
        }
    }

    @Test func `of several attempts the last one stands`() throws {
        let reader = try StoreBench().recorded([
            Pieces.whole(
                1, Pieces.exchange(),
                [(.clientRequest, [1]), (.originRequest, [2]), (.originRequest, [3, 10, 4]), (.clientResponse, [5])])
        ])
        let record = try #require(try reader.record(1))
        #expect(record.clientRequest == [1] && record.originRequest == [3, 10, 4] && record.clientResponse == [5])
        #expect(record.originResponse == nil)
    }

    @Test func `what comes again and again is replaced as it was the first time`() throws {
        let lines = (0..<3000).map { "X-Line-\($0 % 700): \($0 % 50)\r\nX-Api-Key: key\($0 % 40)\r\n" }
        let heads = (0..<3000).map { "GET /?token=t\($0 % 9)&n=\($0 % 7) HTTP/1.1\r\n\(lines[$0])\r\n" }
        let body = { (number: Int) in #"{"name":1,"token":"b\#(number % 5)","a token":2,"id\#(number % 300)":3}"# }
        let reader = try StoreBench().recorded(
            (0..<3000).map { number in
                Pieces.whole(
                    UInt64(number + 1), Pieces.exchange(url: "https://a/?token=t\(number % 9)"),
                    [
                        (.clientRequest, Array(heads[number].utf8)),
                        (.originResponse, Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n".utf8)),
                        (.responseBody, Array(body(number).utf8)),
                    ])
            }
        ) { $0.redact() }
        let key = try #require(try reader.redactionKey())
        let redactor = Redactor(key: key)
        for number in stride(from: 0, to: 3000, by: 7) {
            let record = try #require(try reader.record(Int64(number + 1)))
            #expect(record.clientRequest == redactor.redact(head: Array(heads[number].utf8)))
            #expect(record.summary.exchange.url == redactor.redact(url: "https://a/?token=t\(number % 9)"))
            var filter = redactor.body(contentType: "application/json")
            let redacted = filter.redact(Array(body(number).utf8)) + filter.finish()
            #expect(try reader.whole(Int64(number + 1), .response).bytes == redacted)
        }
    }
}
