import HTTP2
import TestSupport
import Testing

/// Streams in their order, and an end that loses none of them.
@Suite struct OrderTests {
    private static func request(_ stream: UInt32) -> HTTP2Frame { .headers(stream, HTTP2Frame.get()) }
    private static let priority = HTTP2Frame.number(0) + [16]

    @Test(
        arguments: [
            ("PRIORITY on stream 0", [HTTP2Frame(.priority, priority)], .protocolError),
            ("PRIORITY on an idle stream", [HTTP2Frame(.priority, stream: 7, priority)], nil),
            ("a stream below another", [request(5), request(3)], .protocolError),
            ("a stream below the first one", [request(3), request(1)], .protocolError),
            ("streams that leave some out", [request(1), request(5), request(9)], nil),
            (
                "one that was left out long ago", [request(1)] + (2...80).map { request($0 * 4 + 1) } + [request(315)],
                .protocolError
            ),
            (
                "PRIORITY_UPDATE on a stream",
                [request(1), HTTP2Frame(.priorityUpdate, stream: 1, HTTP2Frame.number(1))], .protocolError
            ),
            (
                "PRIORITY_UPDATE on the connection",
                [request(1), HTTP2Frame(.priorityUpdate, HTTP2Frame.number(1) + Array("u=1".utf8))],
                nil
            ),
        ] as [(String, [HTTP2Frame], HTTP2ErrorCode?)])
    func `frames on a wrong stream end the connection`(
        what: String, frames: [HTTP2Frame], code: HTTP2ErrorCode?
    ) throws {
        #expect(try Frames(.server).goAway(after: frames) == code, "\(what)")
    }

    @Test func `streams are served until the client must know of the end`() throws {
        let frames = try Frames(.server)
        _ = try frames.say([Self.request(1)])
        frames.peer.session.announceEnd()
        #expect(frames.peer.session.awaitsRoundTrip)
        let first = try frames.say([])
        #expect(first.first { $0.is(.goAway) }.map { HTTP2Frame.number($0.payload[...]) } == 0x7fff_ffff)
        let ping = try #require(first.first { $0.is(.ping) })
        // The client has not read it yet.
        _ = try frames.say([Self.request(3)])
        #expect(frames.peer.accepted.count == 2)
        // A response to another PING says nothing of this one.
        let pong = HTTP2Frame(.ping, flags: HTTP2Frame.acknowledgement, Array("whatever".utf8))
        #expect(try frames.say([pong]).allSatisfy { !$0.is(.goAway) })
        let last = try frames.say([HTTP2Frame(.ping, flags: HTTP2Frame.acknowledgement, ping.payload)])
        #expect(last.first { $0.is(.goAway) }.map { HTTP2Frame.number($0.payload[...]) } == 3)
        #expect(!frames.peer.session.awaitsRoundTrip)
        _ = try frames.say([Self.request(5)])
        #expect(frames.peer.accepted.count == 2)
    }

    @Test func `a client that does not respond has the last stream named all the same`() throws {
        let frames = try Frames(.server)
        frames.peer.session.announceEnd()
        _ = try frames.say([Self.request(1)])
        frames.peer.session.finishEnd()
        let last = try frames.say([])
        #expect(last.first { $0.is(.goAway) }.map { HTTP2Frame.number($0.payload[...]) } == 1)
    }
}
