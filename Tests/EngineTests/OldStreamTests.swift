import Engine
import TestSupport
import Testing

/// Streams that stay with the profile under which they began.
@Suite struct OldStreamTests {
    @Test func `a switch counts the streams of the profile before, and ends them if asked`() async throws {
        let origin = ScriptedOrigin { connection, _ in
            let head = try connection.readHead()
            if head.contains("Upgrade: websocket") {
                try connection.send(
                    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello")
            } else {
                try connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "9\r\ndata: 1\n\n\r\n")
            }
            _ = try connection.readToEnd()
        }
        let harness = try await Harness.start(
            profiles: [
                "one": Harness.origin("http://127.0.0.1:\(origin.port)"), "two": #"{"kind": "local", "routes": []}"#,
            ],
            active: "one")
        let port = harness.port
        let (socket, events, own) = try await blocking {
            let socket = try RawConnection.connect(port)
            try socket.send(
                "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
            _ = try socket.readHead()
            _ = try socket.read(count: 5)
            let events = try RawConnection.connect(port)
            try events.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try events.readHead()
            _ = try events.read(count: 14)
            // It has chosen its profile itself.
            let own = try RawConnection.connect(port)
            try own.send("GET / HTTP/1.1\r\nHost: a\r\nShunt-Profile: one\r\n\r\n")
            _ = try own.readHead()
            _ = try own.read(count: 14)
            return (socket, events, own)
        }
        let same = await harness.proxy.streams(besides: "one", ending: true)
        #expect(same.webSockets == 0 && same.eventStreams == 0)
        try harness.proxy.use("two")
        let open = await harness.proxy.streams(besides: "two", ending: false)
        #expect(open.webSockets == 1 && open.eventStreams == 1)
        let ended = await harness.proxy.streams(besides: "two", ending: true)
        #expect(ended.webSockets == 1 && ended.eventStreams == 1)
        try await blocking {
            _ = try? socket.readToEnd()
            _ = try? events.readToEnd()
        }
        while await harness.proxy.status().active > 1 { await Task.yield() }
        let left = await harness.proxy.streams(besides: "two", ending: false)
        #expect(left.webSockets == 0 && left.eventStreams == 0)
        own.close()
        await harness.stop()
        origin.stop()
    }
}
