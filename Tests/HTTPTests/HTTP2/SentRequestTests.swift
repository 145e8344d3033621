import HTTP2
import TestSupport
import Testing

/// A request's fields as they are told of for the record.
@Suite struct SentRequestTests {
    @Test(arguments: [
        (
            "GET / HTTP/1.1\r\nHost: a.test\r\nX-Own:  1 \r\nConnection: TE\r\nTE: trailers\r\n",
            ":method: GET|:path: /|:scheme: https|:authority: a.test|x-own: 1|te: trailers"
        ),
        (
            "POST /a?b HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\nKeep-Alive: 5\r\nX-Empty:\r\n",
            ":method: POST|:path: /a?b|:scheme: https|:authority: a.test|x-empty: "
        ),
        (
            "GET /ws HTTP/1.1\r\nHost: a.test\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n"
                + "Connection: Upgrade\r\nUpgrade: websocket\r\n",
            ":method: CONNECT|:protocol: websocket|:path: /ws|:scheme: https|:authority: a.test|sec-websocket-version: 13"
        ),
    ])
    func `a request is told of in the fields that it is sent in`(head: String, expected: String) throws {
        let peer = try HTTP2Peer(.client)
        let sent = Array((head + "\r\n").utf8).withUnsafeBytes { peer.session.sentRequest($0, isSecure: true) }
        let lines = expected.split(separator: "|").map { $0 + "\r\n" }.joined() + "\r\n"
        #expect(String(decoding: sent ?? [], as: UTF8.self) == lines)
    }

    @Test(arguments: ["", "GET\r\n\r\n", "GET / HTTP/1.1\r\nno field\r\n\r\n"])
    func `of what is no head nothing is told`(text: String) throws {
        let peer = try HTTP2Peer(.client)
        #expect(Array(text.utf8).withUnsafeBytes { peer.session.sentRequest($0, isSecure: true) } == nil)
    }
}
