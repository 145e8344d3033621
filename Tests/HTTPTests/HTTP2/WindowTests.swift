import HTTP2
import TestSupport
import Testing

/// Flow control (RFC 9113 5.2).
@Suite struct WindowTests {
    private static let post = "POST / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `a receiver that uses nothing holds its own stream back and no other`() throws {
        let pair = try Pair()
        pair.server.usesContent = false
        let (stuck, _) = try pair.open(Self.post, body: "", ends: false)
        stuck.write([UInt8](repeating: 1, count: 1 << 20))
        try pair.talk()
        #expect(stuck.sent == 64 << 10 && stuck.stream?.remoteWindow == 0)
        pair.server.usesContent = true
        let (free, server) = try pair.open(Self.post, body: String(repeating: "x", count: 8 << 20))
        #expect(server.body.count == 8 << 20 && free.sent == 8 << 20 && stuck.sent == 64 << 10)
    }

    @Test func `hundreds of held streams do not take the connection's window from the others`() throws {
        var limits = HTTP2Limits()
        limits.streams = 400
        let pair = try Pair(limits: limits)
        pair.server.usesContent = false
        for _ in 0..<399 {
            let (stuck, _) = try pair.open(Self.post, body: "", ends: false)
            stuck.write([UInt8](repeating: 1, count: 64 << 10))
        }
        try pair.talk()
        pair.server.usesContent = true
        let (_, server) = try pair.open(Self.post, body: String(repeating: "x", count: 1 << 20))
        #expect(server.body.count == 1 << 20)
    }

    @Test func `what was used may come again, and more at once from one that keeps up`() throws {
        let pair = try Pair()
        pair.server.usesContent = false
        let (client, server) = try pair.open(Self.post, body: "", ends: false)
        client.write([UInt8](repeating: 1, count: 16 << 20))
        var inFlight: [Int] = []
        var used = 0
        for _ in 0..<12 {
            try pair.talk()
            inFlight.append(server.body.count - used)
            server.use(server.body.count - used)
            used = server.body.count
        }
        #expect(inFlight[0] == 64 << 10 && inFlight.max() == 1 << 20)
        #expect(zip(inFlight, inFlight.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func `padding and content of closed streams are given back to the connection`() throws {
        let frames = try Frames(.server)
        _ = try frames.say([.headers(1, HTTP2Frame.get(), ends: false)])
        let data = HTTP2Frame(.data, flags: 8, stream: 1, [255] + [UInt8](repeating: 0, count: 16_000))
        var update: UInt32 = 0
        for round in 0..<2000 {
            if round == 1 { _ = try frames.say([.reset(1)]) }
            for frame in try frames.say([data]) where frame.is(.windowUpdate) && frame.stream == 0 {
                update += HTTP2Frame.number(frame.payload[...])
            }
        }
        // 32 MB have come, twice the connection's window, and no more than half of that is owed.
        #expect(frames.peer.session.failure == nil && update > 2000 * 16_000 - 9 << 20)
    }

    @Test func `content beyond the window ends the stream or the connection`() throws {
        let frames = try Frames(.server)
        frames.peer.usesContent = false
        let data = HTTP2Frame(.data, stream: 1, [UInt8](repeating: 0, count: 16_384))
        let fine = try frames.say([.headers(1, HTTP2Frame.get(), ends: false)] + Array(repeating: data, count: 4))
        #expect(!fine.contains { $0.is(.resetStream) || $0.is(.goAway) })
        #expect(frames.peer.accepted[0].body.count == 64 << 10)
        let response = try frames.say([HTTP2Frame(.data, stream: 1, [1])])
        #expect(response.contains { $0.code == HTTP2ErrorCode.flowControlError.rawValue })
    }

    @Test func `a response goes through a window of one byte`() throws {
        let frames = try Frames(.server)
        _ = try frames.say([.settings([(4, 0)]), .headers(1, HTTP2Frame.get())])
        let server = frames.peer.accepted[0]
        try frames.peer.response(server, "HTTP/1.1 200 OK\r\n\r\n", body: "hello", trailers: "A: b\r\n")
        #expect(try frames.say([]).map(\.kind) == [HTTP2Frame.Kind.headers.rawValue])
        var body: [UInt8] = []
        var last: HTTP2Frame?
        for _ in 0..<6 {
            for frame in try frames.say([.windowUpdate(1, stream: 1)]) {
                if frame.is(.data) { body += frame.payload }
                last = frame
            }
        }
        #expect(body == Array("hello".utf8))
        #expect(last?.is(.headers) == true && (last?.flags ?? 0) & HTTP2Frame.endStream != 0)
        #expect(server.isClosed && server.closeCode == .noError)
    }

    @Test func `a window that settings make negative is waited for`() throws {
        let frames = try Frames(.server)
        _ = try frames.say([.headers(1, HTTP2Frame.get())])
        let server = frames.peer.accepted[0]
        try frames.peer.send("HTTP/1.1 200 OK\r\n\r\n", on: server, hasBody: true)
        server.write([UInt8](repeating: 0, count: 65_535))
        _ = try frames.say([])
        server.write([1, 2, 3])
        let held = try frames.say([.settings([(4, 1000)]), .windowUpdate(64_535, stream: 1), .windowUpdate(1 << 20)])
        #expect(!held.contains { $0.is(.data) } && server.stream?.remoteWindow == 0)
        let response = try frames.say([.windowUpdate(2, stream: 1)])
        #expect(response.filter { $0.is(.data) }.map(\.payload) == [[1, 2]])
    }
}
