import HTTP2
import TestSupport
import Testing

/// WebSockets over HTTP/2 (RFC 8441), both ways.
@Suite struct TunnelTests {
    private static let upgrade =
        "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"

    private func opened() throws -> (Pair, client: HTTP2Recorder, server: HTTP2Recorder) {
        let pair = try Pair()
        let (client, server) = try pair.open(Self.upgrade, body: "", ends: false)
        return (pair, client, server)
    }

    @Test func `an upgrade becomes an extended CONNECT and an upgrade again, with a key of its own`() throws {
        let (pair, _, server) = try opened()
        #expect(pair.client.session.allowsTunnels)
        let lines = server.heads[0].split(separator: "\r\n")
        #expect(
            lines.filter { !$0.hasPrefix("sec-websocket-key: ") } == [
                "GET /chat HTTP/1.1", "host: a", "connection: upgrade", "upgrade: websocket",
                "sec-websocket-version: 13",
            ])
        let key = lines.first { $0.hasPrefix("sec-websocket-key: ") }
        #expect(key?.count == 19 + 24 && key?.hasSuffix("==") == true && key?.contains("dGhl") == false)
    }

    @Test func `101 opens it, with what responds to the client's key, and bytes go both ways`() throws {
        let (pair, client, server) = try opened()
        client.stream?.webSocketAccept = Array("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=".utf8)
        try pair.server.send(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Accept: other\r\nSec-WebSocket-Protocol: chat\r\n\r\n", on: server, hasBody: true)
        client.write(Array("ping".utf8))
        server.write(Array("pong".utf8))
        try pair.talk()
        #expect(
            client.heads == [
                "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
                    + "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nsec-websocket-protocol: chat\r\n\r\n"
            ])
        #expect(client.text == "pong" && server.text == "ping")
        client.end("bye")
        try pair.talk()
        #expect(server.text == "pingbye" && server.stream?.hasEnded == true && !server.isClosed)
        server.end()
        try pair.talk()
        #expect(client.isFinished && client.isClosed && server.isClosed)
    }

    @Test(arguments: [200, 204, 299]) func `a success that switches nothing does not open it`(status: Int) throws {
        let (pair, client, server) = try opened()
        try pair.server.response(
            server, "HTTP/1.1 \(status) OK\r\nContent-Type: text/html\r\n\r\n", body: status == 204 ? nil : "<p>")
        try pair.talk()
        #expect(client.heads == ["HTTP/1.1 502 \r\ncontent-type: text/html\r\n\r\n"])
        #expect(client.text == (status == 204 ? "" : "<p>"))
    }

    @Test(arguments: [302, 401, 500]) func `a refusal arrives as it is`(status: Int) throws {
        let (pair, client, server) = try opened()
        try pair.server.response(server, "HTTP/1.1 \(status) X\r\n\r\n", body: "no")
        try pair.talk()
        #expect(client.heads == ["HTTP/1.1 \(status) \r\n\r\n"] && client.text == "no")
    }

    @Test func `an interim response does not open it`() throws {
        let (pair, client, server) = try opened()
        try pair.server.send("HTTP/1.1 111 X\r\n\r\n", on: server, hasBody: false)
        try pair.server.send("HTTP/1.1 101 X\r\nUpgrade: websocket\r\n\r\n", on: server, hasBody: true)
        try pair.talk()
        #expect(client.heads.map { $0.prefix(12) } == ["HTTP/1.1 111", "HTTP/1.1 101"] && client.trailers == nil)
    }
}
