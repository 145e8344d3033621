import HTTP2
import TestSupport
import Testing

/// Heads on their way from text to fields and back.
@Suite struct HeadTests {
    @Test(arguments: [
        // Names come out small, and what concerns a connection of HTTP/1.1 stays behind.
        (
            "GET /a?b=%20c HTTP/1.1\r\nHost: a.test:8\r\nAccept: */*\r\nConnection: TE, X\r\nKeep-Alive: 5\r\n"
                + "TE: trailers\r\nProxy-Connection: x\r\nHTTP2-Settings: AA\r\nTransfer-Encoding: chunked\r\n\r\n",
            "GET /a?b=%20c HTTP/1.1\r\nhost: a.test:8\r\naccept: */*\r\nte: trailers\r\n\r\n"
        ),
        ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS * HTTP/1.1\r\nhost: a\r\n\r\n"),
        // Space around a value is no part of it; within it, it is; an empty value is a value.
        (
            "PUT / HTTP/1.1\r\nhost:a\r\nX:  b \t c \t\r\nY:\r\nZ: \t \r\n\r\n",
            "PUT / HTTP/1.1\r\nhost: a\r\nx: b \t c\r\ny: \r\nz: \r\n\r\n"
        ),
        // Crumbs of cookies become one (RFC 9113 8.2.3).
        (
            "GET / HTTP/1.1\r\nHost: a\r\nCookie: a=b\r\nX: y\r\nCookie: c=d; e=f\r\nCookie: g=h\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: a\r\nx: y\r\ncookie: a=b; c=d; e=f; g=h\r\n\r\n"
        ),
        // Bytes above 0x7f are text that nobody here has to understand.
        ("GET / HTTP/1.1\r\nHost: a\r\nX: Käse\r\n\r\n", "GET / HTTP/1.1\r\nhost: a\r\nx: Käse\r\n\r\n"),
        // Only the first Host counts: whoever reads requests has refused a second one.
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET / HTTP/1.1\r\nhost: a\r\n\r\n"),
    ])
    func `a request arrives as it was meant`(sent: String, seen: String) throws {
        let pair = try Pair()
        let (_, server) = try pair.open(sent)
        #expect(server.heads == [seen])
        #expect(server.endCount == 1 && server.stream?.hasEnded == true)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ["HTTP/1.1 200 \r\ncontent-length: 0\r\n\r\n"]),
        (
            "HTTP/1.1 599 What\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nConnection: close\r\nUpgrade: h2c\r\n\r\n",
            ["HTTP/1.1 599 \r\nset-cookie: a\r\nset-cookie: b\r\n\r\n"]
        ),
        ("HTTP/1.1 204 \r\n\r\n", ["HTTP/1.1 204 \r\n\r\n"]),
    ])
    func `a response comes back as it was meant`(sent: String, seen: [String]) throws {
        let pair = try Pair()
        let (client, server) = try pair.open()
        try pair.server.response(server, sent)
        try pair.talk()
        #expect(client.heads == seen && client.isFinished && client.isClosed && client.body.isEmpty)
    }

    @Test func `interim responses come before the final one, however many`() throws {
        let pair = try Pair()
        let (client, server) = try pair.open()
        for status in [103, 102, 111, 199] {
            try pair.server.send("HTTP/1.1 \(status) X\r\nA: b\r\n\r\n", on: server, hasBody: false)
        }
        try pair.server.response(server, "HTTP/1.1 200 OK\r\n\r\n", body: "hi", trailers: "X: y\r\n")
        try pair.talk()
        #expect(client.heads.map { $0.prefix(12) } == ["103", "102", "111", "199", "200"].map { "HTTP/1.1 \($0)" })
        #expect(client.text == "hi" && client.trailers == "x: y\r\n\r\n" && client.isFinished)
    }

    @Test(arguments: [nil, "", "some"]) func `trailers follow content, and none`(body: String?) throws {
        let pair = try Pair()
        let (client, server) = try pair.open(
            "POST / HTTP/1.1\r\nHost: a\r\n\r\n", body: "", ends: false)
        client.end(body ?? "", trailers: "X-Sum: 1\r\nX-Sum: 2\r\n")
        try pair.talk()
        #expect(server.text == body ?? "" && server.trailers == "x-sum: 1\r\nx-sum: 2\r\n\r\n")
        try pair.server.response(server, "HTTP/1.1 200 OK\r\n\r\n", body: body, trailers: "Grpc-Status: 0\r\n")
        try pair.talk()
        #expect(client.text == body ?? "" && client.trailers == "grpc-status: 0\r\n\r\n")
        #expect(client.isFinished && server.isFinished && client.isClosed && server.isClosed)
    }

    @Test func `trailers of which nothing may be sent end the stream all the same`() throws {
        let pair = try Pair()
        let (client, server) = try pair.open()
        try pair.server.response(
            server, "HTTP/1.1 200 OK\r\n\r\n", body: "hi", trailers: "Host: a\r\nSec-WebSocket-Key: x\r\n")
        try pair.talk()
        #expect(client.text == "hi" && client.trailers == nil && client.isFinished && client.isClosed)
    }

    @Test func `heads and content arrive byte by byte as they do at once`() throws {
        let pair = try Pair()
        let request = try pair.client.request(
            "POST / HTTP/1.1\r\nHost: a\r\nCookie: a\r\nCookie: b\r\n\r\n", body: "body")
        try pair.talk(pieces: 1)
        let server = pair.server.accepted[0]
        #expect(server.heads == ["POST / HTTP/1.1\r\nhost: a\r\ncookie: a; b\r\n\r\n"] && server.text == "body")
        try pair.server.response(server, "HTTP/1.1 200 OK\r\n\r\n", body: "ok", trailers: "A: b\r\n")
        try pair.talk(pieces: 1)
        #expect(request.text == "ok" && request.trailers == "a: b\r\n\r\n" && request.isFinished)
    }

    @Test func `heads of several streams do not mingle`() throws {
        let pair = try Pair()
        let requests = try (0..<100).map {
            try pair.client.request("GET /\($0) HTTP/1.1\r\nHost: h\($0)\r\nCookie: \($0)\r\nX: \($0)\r\n\r\n")
        }
        try pair.talk(pieces: 7)
        #expect(
            pair.server.accepted.map(\.heads)
                == (0..<100).map { ["GET /\($0) HTTP/1.1\r\nhost: h\($0)\r\nx: \($0)\r\ncookie: \($0)\r\n\r\n"] })
        for (index, server) in pair.server.accepted.enumerated().reversed() {
            try pair.server.response(server, "HTTP/1.1 200 OK\r\nX: \(index)\r\n\r\n", body: "\(index)")
        }
        try pair.talk(pieces: 11)
        #expect(requests.map(\.text) == (0..<100).map { "\($0)" })
        #expect(requests.map(\.heads) == (0..<100).map { ["HTTP/1.1 200 \r\nx: \($0)\r\n\r\n"] })
    }

    // MARK: Too long

    @Test func `a request's head over the limit is told of, and the connection goes on`() throws {
        var limits = HTTP2Limits()
        limits.headBytes = 1024
        let pair = try Pair(limits: limits, clientLimits: HTTP2Limits())
        let (client, server) = try pair.open(
            "POST / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 1024))\r\n\r\n", body: "", ends: false)
        #expect(server.heads.count == 1 && server.stream?.isHeadTooLong == true)
        client.end(trailers: "A: b\r\n")
        try pair.talk()
        #expect(server.stream?.isHeadTooLong == true)
        try pair.server.response(server, "HTTP/1.1 431 X\r\n\r\n")
        try pair.talk()
        #expect(client.isFinished && client.heads == ["HTTP/1.1 431 \r\n\r\n"])
        let (next, _) = try pair.open()
        #expect(next.closeCode == .noError && pair.server.session.failure == nil)
    }

    @Test func `a response's head over the limit is not taken for whole`() throws {
        var limits = HTTP2Limits()
        limits.headBytes = 1024
        let pair = try Pair(limits: HTTP2Limits(), clientLimits: limits)
        let (client, server) = try pair.open()
        try pair.server.response(
            server, "HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 1024))\r\nY: z\r\n\r\n", body: "hi")
        try pair.talk()
        #expect(client.heads == [] && client.closeCode == .enhanceYourCalm && client.stream?.isHeadTooLong == true)
        let (next, _) = try pair.open()
        #expect(next.closeCode == .noError && pair.client.session.failure == nil)
    }

    @Test func `trailers over the limit are not taken for whole`() throws {
        var limits = HTTP2Limits()
        limits.headBytes = 1024
        let pair = try Pair(limits: limits, clientLimits: limits)
        let (client, server) = try pair.open("POST / HTTP/1.1\r\nHost: a\r\n\r\n", body: "", ends: false)
        client.end(trailers: "X: \(String(repeating: "x", count: 1024))\r\nY: z\r\n")
        try pair.talk()
        #expect(server.trailers == nil && server.closeCode == .enhanceYourCalm && server.stream?.hasEnded == false)
        #expect(client.closeCode == .enhanceYourCalm && pair.server.session.failure == nil)
    }
}
