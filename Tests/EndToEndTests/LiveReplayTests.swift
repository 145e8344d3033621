import Foundation
import TestSupport
import Testing

/// Recorded from servers that run, and replayed when they are gone.
@Suite struct LiveReplayTests {
    /// A frame of a server, or with a mask one of a client.
    private static func frame(_ first: UInt8, _ text: String, isMasked: Bool = false) -> [UInt8] {
        let payload = Array(text.utf8)
        let head: [UInt8] = [first, (isMasked ? 0x80 : 0) | UInt8(payload.count)]
        guard isMasked else { return head + payload }
        let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        return head + key + payload.enumerated().map { $1 ^ key[$0 & 3] }
    }

    private static let upgrade =
        "GET /chat HTTP/1.1\r\nHost: live.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

    /// Events at `/events`, a WebSocket that responds at `/chat`.
    private static func streams() -> ScriptedOrigin {
        ScriptedOrigin { connection, _ in
            let head = try connection.readHead()
            guard head.contains("Upgrade: websocket") else {
                let events = "id: 1\ndata: one\n\nevent: news\ndata: two\ndata: lines\n\n"
                return try connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n\(events)")
            }
            try connection.send(
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
            try connection.send(Self.frame(0x81, "hello"))
            _ = try connection.readBytes(Self.frame(0x81, "ask", isMasked: true).count)
            try connection.send(Self.frame(0x82, "\u{1}é") + Self.frame(0x88, "\u{3}\u{e8}"))
        }
    }

    /// All that clients see of the servers, through one Shunt.
    private static func seen(_ shunt: ServingShunt) throws -> [[UInt8]] {
        var seen = try ["/page.html", "/data.bin", "/none", "/events"].map { path in
            let result = try shunt.curl(
                "-H", "Host: \(path == "/events" ? "live.test" : "files.test")", "-w", "%{http_code} %{content_type}",
                "http://127.0.0.1:\(shunt.port)\(path)")
            return Array((result.output + result.errors).utf8)
        }
        let client = try RawConnection.connect(shunt.port)
        try client.send(Self.upgrade)
        #expect(try client.readHead().hasPrefix("HTTP/1.1 101 "))
        let hello = try client.readBytes(Self.frame(0x81, "hello").count)
        try client.send(Self.frame(0x81, "ask", isMasked: true))
        let rest = try client.readBytes((Self.frame(0x82, "\u{1}é") + Self.frame(0x88, "\u{3}\u{e8}")).count)
        seen.append(hello + rest)
        return seen
    }

    @Test func `nginx, events and a WebSocket are the same byte by byte when all servers are gone`() throws {
        let nginx = try NginxOrigin(files: [
            "page.html": "<p>é</p>\n", "data.bin": String(repeating: "0123456789\u{0}\u{7f}", count: 5000),
        ])
        let streams = Self.streams()
        let shunt = try ServingShunt(
            [
                "local": #"""
                {"kind": "local", "routes": [
                  {"host": "files.test", "origin": "http://127.0.0.1:\#(nginx.plainPort)"},
                  {"host": "live.test", "origin": "http://127.0.0.1:\#(streams.port)"}]}
                """#
            ], ["--record", "live"])
        let live = try Self.seen(shunt)
        #expect(
            eventually {
                (try? shunt.run("recordings", "show", "live").output.split(separator: "\n").count) == 5
            })
        try shunt.stop()
        nginx.process.signal(9)
        streams.stop()
        let replay = try ServingShunt(
            ["local": #"{"kind": "local", "routes": [{"recording": "live"}]}"#],
            files: ["Recordings/live.har": try shunt.folder.read("Recordings/live.har")])
        let replayed = try Self.seen(replay)
        #expect(replayed == live)
        #expect(live.count == 5 && live[1].count > 50_000)
        try replay.stop()
    }
}
