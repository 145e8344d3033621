import HTTP
import Testing

/// What decoding came to: content, bytes used up, and trailers as text.
struct Decoded: Equatable {
    var body = ""
    var used = 0
    var trailers: [String] = []
    var isFinished = false
    var failure: HTTPFailure.Kind?
}

/// Decodes as a connection would: the bytes up to each cut in turn, what is not used up being given again.
func decode(
    _ framing: BodyFraming, _ input: [UInt8], cuts: [Int] = [], taking limit: Int = .max, isClosed: Bool = false,
    trailerLimits: HeadLimits = HeadLimits(bytes: 8192, fields: 64)
) -> Decoded {
    var decoder = BodyDecoder(framing, trailerLimits: trailerLimits)
    var decoded = Decoded()
    do throws(HTTPFailure) {
        for cut in cuts + [input.count] {
            var isDry = false
            while !isDry {
                let rest = Array(input[decoded.used..<cut])
                switch try decoder.next(rest.span) {
                case .framing(let count): decoded.used += count
                case .data(let count):
                    let taken = min(count, limit)
                    decoded.body += text(rest, 0..<taken)
                    decoded.used += taken
                    decoder.advance(taken)
                case .trailers(let count):
                    decoded.trailers = decoder.trailers.map {
                        "\(text(rest, $0.name))=\(text(rest, $0.value))\($0.isHopByHop ? " dropped" : "")"
                    }
                    decoded.used += count
                case .needMore, .end: isDry = true
                }
            }
        }
        if isClosed { try decoder.endOfInput() }
    } catch {
        decoded.failure = error.kind
    }
    decoded.isFinished = decoder.isFinished
    return decoded
}

@Suite struct BodyDecoderTests {
    static let chunked: [(String, String, Decoded)] = [
        ("no content", "0\r\n\r\n", Decoded(used: 5, isFinished: true)),
        ("one chunk", "5\r\nhello\r\n0\r\n\r\n", Decoded(body: "hello", used: 15, isFinished: true)),
        ("two chunks", "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n", Decoded(body: "abc", used: 18, isFinished: true)),
        (
            "digits of both cases", "a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n",
            Decoded(body: "01234567890123456789", used: 35, isFinished: true)
        ),
        ("leading zeros", "0000000000000001\r\na\r\n0000\r\n\r\n", Decoded(body: "a", used: 29, isFinished: true)),
        ("CRLF as content", "4\r\n\r\n\r\n\r\n0\r\n\r\n", Decoded(body: "\r\n\r\n", used: 14, isFinished: true)),
        (
            "extensions", "1;a;b=c; d = \"e\\\"\\\\\t\u{FF}\" ;f\r\nx\r\n0;last\r\n\r\n",
            Decoded(body: "x", used: 41, isFinished: true)
        ),
        (
            "trailers", "0\r\nX: y\r\nDate: z\r\n\r\n",
            Decoded(used: 20, trailers: ["X=y", "Date=z dropped"], isFinished: true)
        ),
        (
            "forbidden trailers",
            "1\r\na\r\n0\r\nHost: b\r\ncontent-length: 9\r\nTransfer-Encoding: chunked\r\nE: f\r\n\r\n",
            Decoded(
                body: "a", used: 73,
                trailers: [
                    "Host=b dropped", "content-length=9 dropped", "Transfer-Encoding=chunked dropped", "E=f",
                ], isFinished: true)
        ),
    ]

    @Test(arguments: chunked)
    func `chunks mean the same however they are cut`(why: String, input: String, decoded: Decoded) {
        let input = bytes(input)
        #expect(decode(.chunked, input) == decoded)
        #expect(decode(.chunked, input + bytes("GET / HTTP/1.1\r\n")) == decoded)
        #expect(decode(.chunked, input, cuts: Array(0...input.count), taking: 1) == decoded)
        for cut in 0..<input.count {
            for next in cut..<input.count { #expect(decode(.chunked, input, cuts: [cut, next]) == decoded) }
            #expect(decode(.chunked, Array(input[..<cut]), isClosed: true).failure == .truncated)
        }
    }

    static let refused: [(String, String, HTTPFailure.Kind)] = [
        ("empty size", "\r\n", .chunkSize),
        ("no hexadecimal", "g\r\n", .chunkSize),
        ("prefix", "0x5\r\nhello\r\n", .chunkSize),
        ("sign", "+5\r\nhello\r\n", .chunkSize),
        ("minus", "-1\r\nhello\r\n", .chunkSize),
        ("space in front", " 5\r\nhello\r\n", .chunkSize),
        ("space behind", "5 \r\nhello\r\n", .chunkSize),
        ("space before an extension", "5 ;a\r\nhello\r\n", .chunkSize),
        ("tab behind", "5\t\r\nhello\r\n", .chunkSize),
        ("underscore", "1_0\r\nhello\r\n", .chunkSize),
        ("LF alone", "5\nhello\r\n", .chunkSize),
        ("CR alone", "5\rhello\r\n", .bareCarriageReturn),
        ("2^63", "8000000000000000\r\n", .chunkSizeOverflow),
        ("2^64 + 5 wraps", "10000000000000005\r\n", .chunkSizeOverflow),
        ("17 digits", "00000000000000005\r\n", .chunkSizeOverflow),
        ("no name of an extension", "5;\r\nhello\r\n", .chunkExtension),
        ("no name but a value", "5;=a\r\nhello\r\n", .chunkExtension),
        ("no value", "5;a=\r\nhello\r\n", .chunkExtension),
        ("LF in an extension", "5;a\nhello\r\n", .chunkExtension),
        ("LF in quotes", "5;a=\"\n\"\r\nhello\r\n", .chunkExtension),
        ("escaped LF in quotes", "5;a=\"\\\n\"\r\nhello\r\n", .chunkExtension),
        ("quotes not closed", "5;a=\"\r\nhello\r\n", .chunkExtension),
        ("text after quotes", "5;a=\"b\"c\r\nhello\r\n", .chunkExtension),
        ("two names", "5;a b\r\nhello\r\n", .chunkExtension),
        ("space at the end", "5;a \r\nhello\r\n", .chunkExtension),
        ("NUL in an extension", "5;\0\r\nhello\r\n", .chunkExtension),
        ("longer than its size", "5\r\nhello!\r\n0\r\n\r\n", .chunkEnd),
        ("shorter than its size", "5\r\nhell\r\n0\r\n\r\n", .chunkEnd),
        ("LF after the data", "5\r\nhello\n0\r\n\r\n", .chunkEnd),
        ("CR after the data", "5\r\nhello\r0\r\n\r\n", .chunkEnd),
        ("nothing after the data", "5\r\nhello0\r\n\r\n", .chunkEnd),
        ("LF ends the trailers", "0\r\n\n", .bareLineFeed),
        ("LF in a trailer", "0\r\nX: y\n\r\n", .bareLineFeed),
        ("CR before the end", "0\r\n\rX\r\n", .bareCarriageReturn),
        ("space before a trailer's colon", "0\r\nX : y\r\n\r\n", .spaceBeforeColon),
        ("fold in the trailers", "0\r\nX: y\r\n z\r\n\r\n", .obsoleteFold),
        ("NUL in a trailer", "0\r\nX: \0\r\n\r\n", .controlByte),
        ("the next request for a trailer", "0\r\nGET / HTTP/1.1\r\n\r\n", .spaceBeforeColon),
        ("a line without end", "5;" + String(repeating: "a", count: 5000), .chunkLineTooLong),
        (
            "extensions without end",
            String(repeating: "1;" + String(repeating: "a", count: 4000) + "\r\nx\r\n", count: 5), .chunkLineTooLong
        ),
    ]

    @Test(arguments: refused)
    func `malformed chunks are refused, however they are cut`(why: String, input: String, kind: HTTPFailure.Kind) {
        let input = bytes(input)
        #expect(decode(.chunked, input, isClosed: true).failure == kind)
        for cut in 0..<min(input.count, 200) {
            #expect(decode(.chunked, input, cuts: [cut], isClosed: true).failure == kind)
        }
        if input.count < 200 {
            #expect(decode(.chunked, input, cuts: Array(0..<input.count), isClosed: true).failure == kind)
        }
    }

    @Test func `a trailer section is bounded`() {
        let limits = HeadLimits(bytes: 50, fields: 2)
        let long = bytes("0\r\nX: " + String(repeating: "a", count: 100))
        #expect(decode(.chunked, long, trailerLimits: limits).failure == .headTooLong)
        #expect(decode(.chunked, long, cuts: Array(0..<long.count), trailerLimits: limits).failure == .headTooLong)
        let many = bytes("0\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n")
        #expect(decode(.chunked, many, trailerLimits: limits).failure == .tooManyFields)
    }

    @Test func `a counted body ends where it should`() {
        let input = bytes("hello, world")
        #expect(decode(.length(5), input) == Decoded(body: "hello", used: 5, isFinished: true))
        #expect(decode(.length(5), input, cuts: Array(0...12), taking: 1).body == "hello")
        #expect(decode(.length(0), input) == Decoded(isFinished: true))
        #expect(decode(.none, input) == Decoded(isFinished: true))
        #expect(decode(.length(12), input, isClosed: true).failure == nil)
        #expect(decode(.length(13), input, isClosed: true).failure == .truncated)
        #expect(decode(.length(UInt64(Int64.max)), input, isClosed: true).failure == .truncated)
    }

    @Test(arguments: [BodyFraming.untilClose, .tunnel])
    func `a body until the close ends with it`(framing: BodyFraming) {
        let input = bytes("hello")
        #expect(decode(framing, input) == Decoded(body: "hello", used: 5, isFinished: false))
        #expect(decode(framing, input, isClosed: true) == Decoded(body: "hello", used: 5, isFinished: true))
    }

    @Test func `a truncation says how much is missing, and whose fault it is`() {
        var decoder = BodyDecoder(.length(100), isResponse: true)
        decoder.advance(58)
        let failure = #expect(throws: HTTPFailure.self) { try decoder.endOfInput() }
        #expect(
            failure?.reason
                == "the connection was closed 42 bytes before the end of the body (Content-Length: 100)")
        #expect(failure?.status == 502)
        var chunks = BodyDecoder(.chunked, isResponse: true)
        let input = bytes("x\r\n")
        #expect(throws: HTTPFailure.self) { try chunks.next(input.span) }
        #expect(throws: HTTPFailure.self) { try chunks.endOfInput() }
    }

    @Test func `what lies between chunks is handed over in one piece`() throws {
        var decoder = BodyDecoder(.chunked)
        let input = bytes("1\r\na\r\n1\r\nb\r\n0\r\n\r\nrest")
        #expect(try decoder.next(input.span) == .framing(3))
        #expect(try decoder.next(input.span.extracting(3...)) == .data(1))
        decoder.advance(1)
        #expect(try decoder.next(input.span.extracting(4...)) == .framing(5))
        #expect(try decoder.next(input.span.extracting(9...)) == .data(1))
        decoder.advance(1)
        #expect(try decoder.next(input.span.extracting(10...)) == .framing(7))
        #expect(try decoder.next(input.span.extracting(17...)) == .end)
    }
}
