import HTTP2
import TestSupport
import Testing

/// Each attack has a limit, which is not reached below and ends the connection above it.
@Suite struct FloodTests {
    private static let get = HTTP2Frame.get()
    private static let ping = HTTP2Frame(.ping, [1, 2, 3, 4, 5, 6, 7, 8])

    /// A frame as often as may be, and once more; what came before is not counted.
    static let floods: [(String, limit: Int, before: [HTTP2Frame], frame: HTTP2Frame)] = [
        // One came with the handshake, and its acknowledgement.
        ("SETTINGS", 48, [], .settings()),
        ("PING", 100, [], ping),
        ("responses to PING", 100, [], HTTP2Frame(.ping, flags: 1, ping.payload)),
        ("empty DATA", 1000, [.headers(1, get, ends: false)], HTTP2Frame(.data, stream: 1)),
        ("DATA that is padding", 1000, [.headers(1, get, ends: false)], HTTP2Frame(.data, flags: 8, stream: 1, [0])),
        ("PRIORITY", 2000, [], HTTP2Frame(.priority, stream: 3, [0, 0, 0, 0, 9])),
        ("WINDOW_UPDATE", 10_000, [], .windowUpdate(1)),
    ]

    @Test(arguments: floods)
    func `a flood ends the connection at its limit and not below`(
        what: String, limit: Int, before: [HTTP2Frame], frame: HTTP2Frame
    ) throws {
        let frames = try Frames(.server)
        _ = try frames.say(before)
        #expect(try frames.goAway(after: Array(repeating: frame, count: limit)) == nil)
        #expect(frames.peer.session.failure == nil)
        #expect(try frames.goAway(after: [frame]) == .enhanceYourCalm)
        #expect(frames.peer.session.failure?.code == .enhanceYourCalm)
        #expect(throws: HTTP2Failure.self) { try frames.peer.receive(frame.bytes) }
    }

    /// Each pair opens a stream and ends it in a way that costs us the work.
    private static let resets: [(String, @Sendable (UInt32) -> [HTTP2Frame])] = [
        ("reset by the peer", { [.headers($0, get), .reset($0)] }),
        ("malformed", { [.headers($0, get + [("X", "y")])] }),
        (
            "reset for what came after the head",
            {
                [.headers($0, get + [("content-length", "1")], ends: false), HTTP2Frame(.data, stream: $0, [1, 2])]
            }
        ),
        ("with a window that overflows", { [.headers($0, get), .windowUpdate(0x7fff_ffff, stream: $0)] }),
    ]

    @Test(arguments: resets.indices)
    func `streams opened only to be reset end the connection, whoever resets them`(index: Int) throws {
        let frames = try Frames(.server)
        for number in 0..<500 {
            let response = try frames.say(Self.resets[index].1(UInt32(2 * number + 1)))
            guard !response.contains(where: { $0.is(.goAway) }) else {
                Issue.record("\(Self.resets[index].0): ended after \(number)")
                return
            }
        }
        #expect(frames.peer.session.streams.isEmpty)
        // Where the reset is ours, it is counted as it leaves.
        let responses = try frames.say(Self.resets[index].1(1001)) + frames.say([.headers(1003, Self.get)])
        #expect(responses.contains { $0.is(.goAway) && $0.code == HTTP2ErrorCode.enhanceYourCalm.rawValue })
    }

    @Test func `streams that are refused are counted, too`() throws {
        let frames = try Frames(.server)
        frames.peer.admits = { _ in false }
        let fine = try (0..<500).flatMap { try frames.say([.headers(UInt32(2 * $0 + 1), Self.get)]) }
        #expect(fine.count == 500 && fine.allSatisfy { $0.is(.resetStream) && $0.code == 7 })
        #expect(try frames.goAway(after: [.headers(1001, Self.get)]) == .enhanceYourCalm)
    }

    @Test func `what a peer opens before it knows how many it may is refused, and bounded`() throws {
        let peer = try HTTP2Peer(.server)
        _ = try peer.output()
        // It has not acknowledged our settings, and reads nothing.
        let opened = (0..<628).flatMap { HTTP2Frame.headers(UInt32(2 * $0 + 1), Self.get).bytes }
        try peer.receive(HTTP2Frame.preface + HTTP2Frame.settings().bytes + opened)
        #expect(peer.accepted.count == 128)
        #expect(throws: HTTP2Failure.self) { try peer.receive(HTTP2Frame.headers(1257, Self.get).bytes) }
        #expect(peer.session.failure?.code == .enhanceYourCalm)
    }

    @Test func `more streams than were allowed end the connection`() throws {
        let frames = try Frames(.server)
        #expect(try frames.goAway(after: (0..<128).map { .headers(UInt32(2 * $0 + 1), Self.get) }) == nil)
        #expect(try frames.goAway(after: [.headers(257, Self.get)]) == .protocolError)
    }

    @Test func `frames that concern nobody are dropped, however many`() throws {
        let frames = try Frames(.server)
        _ = try frames.say([.headers(1, Self.get), .reset(1)])
        for frame in [
            HTTP2Frame(.unknown, [1]), HTTP2Frame(.data, stream: 1),
            HTTP2Frame(.priorityUpdate, [0, 0, 0, 1] + Array("u=1".utf8)),
        ] {
            #expect(try frames.say(Array(repeating: frame, count: 20_000)) == [])
        }
    }

    @Test func `time forgives`() throws {
        let frames = try Frames(.server)
        #expect(try frames.goAway(after: Array(repeating: Self.ping, count: 100)) == nil)
        let later: UInt64 = 3_000_000_000
        // Twenty a second.
        #expect(try frames.goAway(after: Array(repeating: Self.ping, count: 40), now: later) == nil)
        #expect(try frames.goAway(after: [Self.ping], now: later) == .enhanceYourCalm)
    }

    @Test func `as many resets as are forgiven go on for ever`() throws {
        let frames = try Frames(.server)
        var id: UInt32 = 1
        for second in 1...60 {
            for _ in 0..<100 {
                _ = try frames.say([.headers(id, Self.get), .reset(id)], now: UInt64(second) * 1_000_000_000)
                id += 2
            }
        }
        #expect(frames.peer.session.failure == nil)
    }

    @Test func `a body that is sent earns the pings that measure it`() throws {
        let frames = try Frames(.server)
        _ = try frames.say([.headers(1, Self.get), .windowUpdate(1 << 20), .windowUpdate(1 << 20, stream: 1)])
        let server = frames.peer.accepted[0]
        try frames.peer.send("HTTP/1.1 200 OK\r\n\r\n", on: server, hasBody: true)
        for _ in 0..<1000 {
            server.write([UInt8](repeating: 0, count: 100))
            #expect(try frames.goAway(after: [Self.ping]) == nil)
        }
    }

    // MARK: Heads

    @Test func `CONTINUATION without end ends the connection`() throws {
        let piece = HTTP2Frame.block([("x", "y")])
        let frames = try Frames(.server)
        let begin = HTTP2Frame(.headers, flags: 1, stream: 1, HTTP2Frame.block(Self.get))
        #expect(
            try frames.goAway(
                after: [begin] + Array(repeating: HTTP2Frame(.continuation, stream: 1, piece), count: 7)
                    + [HTTP2Frame(.continuation, flags: 4, stream: 1, piece)]) == nil)
        #expect(frames.peer.accepted.map(\.heads.count) == [1])
        let next = HTTP2Frame(.headers, flags: 1, stream: 3, HTTP2Frame.block(Self.get))
        #expect(
            try frames.goAway(
                after: [next] + Array(repeating: HTTP2Frame(.continuation, stream: 3, piece), count: 9))
                == .enhanceYourCalm)
    }

    /// One long value enters the table and is referred to by one byte each (RFC 7541 6.1).
    private func bomb(_ count: Int, on stream: UInt32) -> HTTP2Frame {
        var block = HTTP2Frame.block(Self.get)
        block += [0x40] + HTTP2Frame.string("x") + HTTP2Frame.string(String(repeating: "y", count: 4000))
        block += [UInt8](repeating: 0x80 | 62, count: count)
        return HTTP2Frame(.headers, flags: 5, stream: stream, block)
    }

    @Test func `an HPACK bomb ends the connection before it has grown`() throws {
        let frames = try Frames(.server)
        // Half a mebibyte is the most, which is 16 heads as long as may be.
        #expect(try frames.goAway(after: [bomb(128, on: 1)]) == nil)
        #expect(frames.peer.accepted[0].stream?.isHeadTooLong == true)
        #expect((frames.peer.accepted[0].heads.first?.utf8.count ?? 0) <= 32 << 10)
        #expect(try frames.goAway(after: [bomb(130, on: 3)]) == .enhanceYourCalm)
    }

    @Test func `crumbs of cookies are no way around the limit`() throws {
        let frames = try Frames(.server)
        let crumb = HTTP2Frame.block([("cookie", String(repeating: "c", count: 3900))])
        var said = [HTTP2Frame(.headers, flags: 1, stream: 1, HTTP2Frame.block(Self.get))]
        for index in 0..<8 {
            said.append(
                HTTP2Frame(.continuation, flags: index == 7 ? 4 : 0, stream: 1, crumb + crumb + crumb + crumb))
        }
        #expect(try frames.goAway(after: said) == nil)
        #expect(frames.peer.accepted[0].stream?.isHeadTooLong == true)
    }
}
