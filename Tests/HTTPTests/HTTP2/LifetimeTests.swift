import HTTP2
import TestSupport
import Testing

/// Streams and connections that end before their time.
@Suite struct LifetimeTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `a request that is reset before it was sent is never sent`() throws {
        let pair = try Pair()
        for _ in 0..<50 {
            var request: HTTP2Recorder? = try pair.client.request(Self.get)
            request?.stream?.reset(.cancel)
            // Nobody but the session knows of it now.
            request = nil
        }
        try pair.talk()
        #expect(pair.server.accepted.isEmpty && pair.client.session.streams.isEmpty)
        let (next, server) = try pair.open()
        #expect(server.heads.count == 1 && next.closeCode == .noError)
    }

    @Test func `requests that wait for a place are sent when there is one, or not at all`() throws {
        var limits = HTTP2Limits()
        limits.streams = 1
        let pair = try Pair(limits: limits)
        #expect(pair.client.session.openable == 1)
        let (first, server) = try pair.open()
        #expect(pair.client.session.openable == 0)
        let second = try pair.client.request(Self.get)
        let third = try pair.client.request(Self.get)
        third.stream?.reset(.cancel)
        try pair.talk()
        #expect(pair.server.accepted.count == 1)
        try pair.server.response(server, "HTTP/1.1 200 OK\r\n\r\n")
        try pair.talk()
        #expect(first.isFinished && pair.server.accepted.count == 2)
        try pair.server.response(pair.server.accepted[1], "HTTP/1.1 200 OK\r\n\r\n")
        try pair.talk()
        #expect(second.isFinished && third.isClosed && pair.server.accepted.count == 2)
        #expect(pair.client.session.streams.isEmpty)
    }

    @Test func `a session may end with streams open, and its streams outlive it`() throws {
        var recorders: [HTTP2Recorder] = []
        do {
            let pair = try Pair()
            for _ in 0..<10 {
                let (client, server) = try pair.open("POST / HTTP/1.1\r\nHost: a\r\n\r\n", body: "x", ends: false)
                recorders += [client, server]
            }
            pair.client.session.abandon()
            pair.server.session.abandon()
        }
        #expect(recorders.allSatisfy { $0.isClosed && $0.closeCode == .internalError && $0.endCount == 1 })
        for recorder in recorders {
            recorder.write([1])
            recorder.stream?.reset(.cancel)
            recorder.stream?.stopAfterEnd()
        }
        #expect(recorders.allSatisfy { $0.stream?.remoteWindow == 0 })
    }

    @Test func `a request that was not submitted before the connection ended was refused`() throws {
        let client = try HTTP2Peer(.client)
        let stream = HTTP2Stream()
        let recorder = HTTP2Recorder(stream)
        client.session.add(stream, for: recorder)
        client.session.abandon()
        #expect(recorder.closeCode == .refusedStream && recorder.endCount == 1)
    }

    @Test func `a stream that is closed becomes another one, of any session`() throws {
        let (first, second) = (try Pair(), try Pair())
        let (old, _) = try first.open(
            "POST / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n", body: "x", ends: false)
        old.stream?.reset(.cancel)
        try first.talk()
        let stream = try #require(old.stream)
        #expect(stream.isClosed && stream.closeCode == .cancel)
        let recorder = HTTP2Recorder(stream)
        second.client.session.add(stream, for: recorder)
        #expect(
            !stream.isClosed && stream.closeCode == .noError && stream.id == 0 && second.client.session.openable < 128)
        try second.client.send(Self.get, on: recorder, hasBody: false)
        try second.talk()
        try second.server.response(second.server.accepted[0], "HTTP/1.1 200 OK\r\n\r\n", body: "hi")
        try second.talk()
        #expect(recorder.heads == ["HTTP/1.1 200 \r\n\r\n"] && recorder.text == "hi" && recorder.isFinished)
        #expect(old.endCount == 1 && old.heads.isEmpty && first.client.session.streams.isEmpty)
    }

    @Test func `GOAWAY refuses what it does not name and lets the rest finish`() throws {
        let frames = try Frames(.client)
        let requests = try (0..<3).map { _ in try frames.peer.request(Self.get) }
        _ = try frames.peer.output()
        let goAway = HTTP2Frame(.goAway, HTTP2Frame.number(3) + HTTP2Frame.number(0))
        _ = try frames.say([goAway])
        #expect(frames.peer.session.openable == 0 && frames.peer.session.isGoingAway)
        #expect(requests.map(\.isClosed) == [false, false, true] && requests[2].closeCode == .refusedStream)
        _ = try frames.say([.headers(1, [(":status", "200")]), .headers(3, [(":status", "200")])])
        #expect(requests[..<2].allSatisfy { $0.isFinished })
        // One that comes too late was refused as well.
        let late = try frames.peer.request(Self.get)
        _ = try frames.peer.output()
        #expect(late.isClosed && late.closeCode == .refusedStream)
    }

    @Test func `a server that goes away lets open streams finish`() throws {
        let pair = try Pair()
        let (client, server) = try pair.open()
        pair.server.session.announceEnd()
        try pair.talk()
        #expect(pair.client.session.isGoingAway && pair.client.session.openable == 0 && !client.isClosed)
        try pair.server.response(server, "HTTP/1.1 200 OK\r\n\r\n", body: "hi")
        try pair.talk()
        #expect(client.isFinished && client.text == "hi")
        pair.server.session.terminate()
        try pair.talk()
        #expect(pair.server.session.isOver)
    }

    @Test func `a reset reaches the other end with its code, and neither end keeps anything`() throws {
        let pair = try Pair()
        for number in 0..<400 {
            let (client, server) = try pair.open(
                "POST / HTTP/1.1\r\nHost: a\r\n\r\n", body: "x", ends: false)
            if number % 2 == 0 { client.stream?.reset(.cancel) } else { server.stream?.reset(.internalError) }
            try pair.talk()
            #expect(client.closeCode == server.closeCode && client.isClosed && server.isClosed)
            #expect(client.closeCode == (number % 2 == 0 ? .cancel : .internalError))
            #expect(client.endCount == 1 && server.endCount == 1)
        }
        #expect(pair.client.session.streams.isEmpty && pair.server.session.streams.isEmpty)
    }

    @Test func `a response before the request's end ends the stream without blame`() throws {
        let pair = try Pair()
        let (client, server) = try pair.open("POST / HTTP/1.1\r\nHost: a\r\n\r\n", body: "x", ends: false)
        try pair.server.response(server, "HTTP/1.1 413 X\r\n\r\n", body: "no")
        server.stream?.stopAfterEnd()
        try pair.talk()
        #expect(client.text == "no" && client.stream?.hasEnded == true && client.closeCode == .noError)
        #expect(client.isClosed && server.isClosed)
    }

    @Test func `a PING is answered, and a response is known`() throws {
        let pair = try Pair()
        pair.client.session.ping()
        #expect(pair.client.session.awaitsPing)
        try pair.talk()
        #expect(!pair.client.session.awaitsPing)
    }

    @Test func `bytes that are no HTTP/2 end the connection`() throws {
        let peer = try HTTP2Peer(.server)
        #expect(throws: HTTP2Failure.self) { try peer.receive(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)) }
        #expect(peer.session.failure?.code == .protocolError)
    }
}
