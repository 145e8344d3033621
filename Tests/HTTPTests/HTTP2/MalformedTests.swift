import HTTP2
import TestSupport
import Testing

/// What RFC 9113 8.2 and 8.3 forbid ends the stream with PROTOCOL_ERROR, and nothing else.
@Suite struct MalformedTests {
    private static let get = HTTP2Frame.get()

    private static let requests: [(String, [(String, String)])] = [
        ("a name in capitals", get + [("X-A", "b")]),
        ("a name with a space", get + [("x a", "b")]),
        ("a name with a colon", get + [("x:a", "b")]),
        ("an empty name", get + [("", "b")]),
        ("a name with a line end", get + [("x\r\ny", "b")]),
        ("a value with a line end", get + [("x", "a\r\nhost: b")]),
        ("a value with a bare line feed", get + [("x", "a\nb")]),
        ("a value with a bare carriage return", get + [("x", "a\rb")]),
        ("a value with a null", get + [("x", "a\0b")]),
        ("space in front of a value", get + [("x", " a")]),
        ("space behind a value", get + [("x", "a\t")]),
        ("connection", get + [("connection", "close")]),
        ("keep-alive", get + [("keep-alive", "5")]),
        ("proxy-connection", get + [("proxy-connection", "close")]),
        ("transfer-encoding", get + [("transfer-encoding", "chunked")]),
        ("upgrade", get + [("upgrade", "websocket")]),
        ("te that is not trailers", get + [("te", "gzip")]),
        ("an unknown pseudo-header", get + [(":other", "x")]),
        ("a response's pseudo-header", get + [(":status", "200")]),
        ("a pseudo-header after a field", [get[0], get[1], get[2], ("x", "y"), get[3]]),
        ("two methods", get + [(":method", "GET")]),
        ("two paths", get + [(":path", "/")]),
        ("two authorities", get + [(":authority", "b")]),
        ("no method", Array(get[1...])),
        ("no scheme", [get[0], get[2], get[3]]),
        ("no path", Array(get[..<3])),
        ("an empty path", Array(get[..<3]) + [(":path", "")]),
        ("a path that is none", Array(get[..<3]) + [(":path", "a")]),
        ("a path with a space", Array(get[..<3]) + [(":path", "/a HTTP/1.1")]),
        ("a path with a line end", Array(get[..<3]) + [(":path", "/ HTTP/1.1\r\nx: y")]),
        ("a method with a space", [(":method", "GET /x")] + get[1...]),
        ("a method with a line end", [(":method", "GET\r\n")] + get[1...]),
        ("an authority with a line end", [get[0], get[1], (":authority", "a\r\nb"), get[3]]),
        ("an authority with a space", [get[0], get[1], (":authority", "a b"), get[3]]),
        ("neither authority nor host", [get[0], get[1], get[3]]),
        ("CONNECT with a path", [(":method", "CONNECT"), (":authority", "a:1"), (":path", "/")]),
        ("a protocol without CONNECT", get + [(":protocol", "websocket")]),
        (
            "an extended CONNECT without a path",
            [(":method", "CONNECT"), (":scheme", "http"), (":authority", "a"), (":protocol", "websocket")]
        ),
        ("a length that is none", get + [("content-length", "+1")]),
        ("two lengths", get + [("content-length", "0"), ("content-length", "1")]),
        ("a length without a body", get + [("content-length", "1")]),
    ]

    @Test(arguments: requests)
    func `a malformed request is reset, told to nobody, and harms no other`(
        what: String, fields: [(String, String)]
    ) throws {
        let frames = try Frames(.server)
        let open = try frames.say([.headers(1, Self.get, ends: false)])
        let response = try frames.say([.headers(3, fields), .headers(5, Self.get)])
        #expect(open == [])
        #expect(response == [.reset(3, HTTP2ErrorCode.protocolError.rawValue)])
        #expect(frames.peer.accepted.filter { $0.stream?.id == 3 }.allSatisfy { $0.heads == [] && $0.isClosed })
        #expect(frames.peer.accepted.filter { $0.stream?.id != 3 }.map(\.heads.count) == [1, 1])
        #expect(frames.peer.session.failure == nil)
    }

    @Test func `the end of a malformed head is not waited for`() throws {
        let frames = try Frames(.server)
        _ = try frames.say([.headers(1, Self.get, ends: false), .headers(3, Self.get + [("X", "y")])])
        #expect(frames.peer.session.headSince == nil)
        _ = try frames.say([.headers(5, [Self.get[0]])])
        #expect(frames.peer.session.headSince == nil)
        let begun = HTTP2Frame(.headers, stream: 7, HTTP2Frame.block(Self.get))
        _ = try frames.say([begun], now: 7_000_000_000)
        #expect(frames.peer.session.headSince == 7_000_000_000)
    }

    @Test(arguments: [
        ("more content than its length", "2", ["abc"], true),
        ("more content than its length, later", "2", ["ab", "c"], true),
        ("less content than its length", "4", ["abc"], true), ("no content", "4", [""], true),
        ("as much as its length", "3", ["a", "bc"], false),
    ])
    func `a body that is not as long as announced`(
        what: String, length: String, pieces: [String], isReset: Bool
    ) throws {
        let frames = try Frames(.server)
        var said: [HTTP2Frame] = [
            .headers(1, [(":method", "POST")] + Self.get[1...] + [("content-length", length)], ends: false)
        ]
        for (index, piece) in pieces.enumerated() {
            said.append(
                HTTP2Frame(
                    .data, flags: index == pieces.count - 1 ? HTTP2Frame.endStream : 0, stream: 1, Array(piece.utf8)))
        }
        let resets = try frames.say(said).filter { $0.is(.resetStream) }
        let server = frames.peer.accepted[0]
        #expect(resets == (isReset ? [.reset(1, HTTP2ErrorCode.protocolError.rawValue)] : []))
        #expect(server.stream?.hasEnded == !isReset)
        #expect(server.body.count <= Int(length) ?? 0)
    }

    private static let malformedResponses: [(String, [(String, String)])] = [
        ("no status", [("x", "y")]), ("two", [(":status", "200"), (":status", "200")]),
        ("101", [(":status", "101")]), ("a short one", [(":status", "20")]), ("a word", [(":status", "ok!")]),
        ("a request's pseudo-header", [(":status", "200"), (":path", "/")]),
        ("a line end", [(":status", "200"), ("x", "a\r\nb: c")]), ("capitals", [(":status", "200"), ("X", "y")]),
        ("connection", [(":status", "200"), ("connection", "close")]),
        ("a length without a body", [(":status", "200"), ("content-length", "1")]),
    ]

    @Test(arguments: malformedResponses)
    func `a malformed response is reset and told to nobody`(what: String, fields: [(String, String)]) throws {
        let frames = try Frames(.client)
        let request = try frames.peer.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let other = try frames.peer.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try frames.peer.output()
        let response = try frames.say([.headers(1, fields), .headers(3, [(":status", "200")])])
        #expect(response == [.reset(1, HTTP2ErrorCode.protocolError.rawValue)])
        #expect(request.heads == [] && request.closeCode == .protocolError && !request.isFinished)
        #expect(other.isFinished)
    }

    @Test func `blanks around a value of a response are no fault`() throws {
        let frames = try Frames(.client)
        let request = try frames.peer.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try frames.peer.output()
        #expect(try frames.say([.headers(1, [(":status", "200"), ("x", " a\t")])]) == [])
        #expect(request.isFinished && request.heads.first?.contains("\r\nx: ") == true, "\(request.heads)")
    }

    /// What breaks the framing ends the connection (RFC 9113 5.4.1).
    @Test(arguments: [
        ("DATA on no stream", [HTTP2Frame(.data, [1])], 1),
        ("DATA on an idle stream", [HTTP2Frame(.data, stream: 9, [1])], 1),
        ("HEADERS on stream 0", [.headers(0, get)], 1), ("HEADERS on an even stream", [.headers(2, get)], 1),
        (
            "a stream that depends on itself",
            [HTTP2Frame(.headers, flags: 0x25, stream: 1, [0, 0, 0, 1, 0] + HTTP2Frame.block(get))], 1
        ),
        ("RST_STREAM on an idle stream", [.reset(9)], 1),
        ("RST_STREAM of 3 bytes", [HTTP2Frame(.resetStream, stream: 1, [0, 0, 0])], 6),
        ("SETTINGS on a stream", [HTTP2Frame(.settings, stream: 1)], 1),
        ("SETTINGS of 5 bytes", [HTTP2Frame(.settings, [0, 0, 0, 0, 0])], 6),
        ("a window too large in SETTINGS", [.settings([(4, 0x8000_0000)])], 3),
        ("a frame size too small in SETTINGS", [.settings([(5, 1)])], 1),
        ("PUSH_PROMISE from a client", [HTTP2Frame(.pushPromise, flags: 4, stream: 1, [0, 0, 0, 2])], 1),
        ("PING of 7 bytes", [HTTP2Frame(.ping, [0, 0, 0, 0, 0, 0, 0])], 6),
        ("WINDOW_UPDATE by nothing", [.windowUpdate(0)], 1),
        ("WINDOW_UPDATE beyond the most", [.windowUpdate(0x7fff_ffff)], 3),
        ("CONTINUATION of nothing", [HTTP2Frame(.continuation, flags: 4, stream: 1)], 1),
        (
            "another frame within a head",
            [HTTP2Frame(.headers, stream: 1, HTTP2Frame.block(get)), HTTP2Frame(.ping, [0, 0, 0, 0, 0, 0, 0, 0])], 1
        ),
        (
            "padding longer than its frame",
            [.headers(1, get, ends: false), HTTP2Frame(.data, flags: 8, stream: 1, [9, 1])], 1
        ),
        ("a field block that refers to nothing", [HTTP2Frame(.headers, flags: 5, stream: 1, [0xff, 0xff, 0x7f])], 9),
        ("a frame of 16 KiB and one byte", [HTTP2Frame(.unknown, [UInt8](repeating: 0, count: 16_385))], 6),
    ])
    func `what breaks the framing ends the connection`(what: String, said: [HTTP2Frame], code: UInt32) throws {
        let frames = try Frames(.server)
        #expect(try frames.goAway(after: said)?.rawValue == code)
    }

    @Test func `a server that pushes is sent away`() throws {
        let frames = try Frames(.client)
        _ = try frames.peer.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try frames.peer.output()
        let push = HTTP2Frame(.pushPromise, flags: 4, stream: 1, [0, 0, 0, 2] + HTTP2Frame.block(Self.get))
        #expect(try frames.goAway(after: [push]) == .protocolError)
    }

    @Test func `a Host that is not the authority is left to be refused, an equal one is dropped`() throws {
        let frames = try Frames(.server)
        _ = try frames.say([
            .headers(1, Self.get + [("host", "b.test")]), .headers(3, Self.get + [("host", "a.test")]),
            .headers(5, [Self.get[0], Self.get[1], Self.get[3], ("host", "c.test")]),
        ])
        #expect(
            frames.peer.accepted.flatMap(\.heads) == [
                "GET / HTTP/1.1\r\nhost: a.test\r\nhost: b.test\r\n\r\n", "GET / HTTP/1.1\r\nhost: a.test\r\n\r\n",
                "GET / HTTP/1.1\r\nhost: c.test\r\n\r\n",
            ])
    }

    @Test func `CONNECT comes with its authority as target`() throws {
        let frames = try Frames(.server)
        _ = try frames.say([.headers(1, [(":method", "CONNECT"), (":authority", "a.test:1")], ends: false)])
        #expect(frames.peer.accepted.map(\.heads) == [["CONNECT a.test:1 HTTP/1.1\r\nhost: a.test:1\r\n\r\n"]])
    }
}
