import HTTP2
import TLS
import TestSupport
import Testing

/// WebSockets over every mix of versions, and what a client must not take for one.
@Suite struct HTTP2TunnelTests {
    static let fields =
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    /// RFC 6455 1.3.
    private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    /// What responds to the key in a request's head.
    static func accept(_ head: String) -> String {
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("sec-websocket-key: ") }
        let bytes = ContiguousArray((line?.dropFirst(19) ?? "").utf8)
        return String(decoding: WebSocketAccept.value(forKey: bytes.span) ?? [], as: UTF8.self)
    }

    /// What it is sent comes back, and "end" ends it.
    static func echo(_ isHTTP2: Bool) -> ScriptedOrigin {
        guard isHTTP2 else {
            return ScriptedOrigin { connection, _ in
                let head = try connection.readHead()
                guard head.hasPrefix("GET /chat") else {
                    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n<p>")
                    return
                }
                try connection.send(
                    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                        + "Sec-WebSocket-Accept: \(accept(head))\r\n\r\n")
                while let some = try? connection.readSome(), !some.isEmpty { try connection.send(some) }
            }
        }
        return ScriptedOrigin.http2 { peer, stream, _ in
            guard !stream.isComplete, !stream.isClosed else { return }
            if !stream.heads[0].hasPrefix("GET /chat") {
                return try peer.response(stream, "HTTP/1.1 403 No\r\n\r\n", body: "<p>")
            }
            let echoed = stream.sent + stream.pending
            if echoed == 0, stream.body.isEmpty {
                try peer.send(
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n", on: stream, hasBody: true)
            }
            if stream.body.count > echoed { stream.write(Array(stream.body[echoed...])) }
            if stream.stream?.hasEnded == true { stream.end() }
        }
    }

    @Test(arguments: ClientKind.allCases, [false, true])
    func `bytes go both ways at once, and ends too`(client: ClientKind, isHTTP2: Bool) async throws {
        let origin = Self.echo(isHTTP2)
        defer { origin.stop() }
        let harness = try await Harness.start(
            profiles: ["only": Harness.origin("\(isHTTP2 ? "h2c" : "http")://127.0.0.1:\(origin.port)")], active: "only"
        )
        let port = harness.port
        let large = String(repeating: "0123456789", count: 30_000)
        try await blocking { () throws in
            let head = "GET /chat HTTP/1.1\r\nHost: a\r\n\(Self.fields)\r\n"
            switch client {
            case .h1:
                let connection = try RawConnection.connect(port)
                try connection.send(head)
                let response = try connection.readHead()
                #expect(response.hasPrefix("HTTP/1.1 101 "))
                #expect(response.lowercased().contains("sec-websocket-accept: \(Self.accept)\r\n".lowercased()))
                for message in ["ping", "pong"] {
                    try connection.send(message)
                    #expect(try connection.read(count: 4) == message)
                }
                try connection.send(large)
                #expect(try connection.read(count: large.utf8.count) == large)
                connection.shutdownWrite()
                #expect(try connection.readToEnd() == "")
            case .h2c:
                let wire = try HTTP2Wire.connect(port)
                try wire.run("the settings") { wire.peer.session.hasSettings }
                #expect(wire.peer.session.allowsTunnels)
                let tunnel = try wire.request(head, body: "", ends: false)
                try wire.run("the tunnel") { tunnel.heads.first?.hasPrefix("HTTP/1.1 101 ") == true }
                var sent = ""
                for message in ["ping", "pong", large] {
                    sent += message
                    tunnel.write(Array(message.utf8))
                    try wire.run("the echo") { tunnel.body.count == sent.utf8.count }
                }
                #expect(tunnel.text == sent)
                tunnel.end()
                try wire.run("the end") { tunnel.isClosed }
                #expect(tunnel.isFinished && !wire.hasEnded)
            }
        }
        await harness.stop()
    }

    @Test func `a page in place of a WebSocket does not open one`() async throws {
        let origin = Self.echo(false)
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port)
        let port = harness.port
        try await blocking { () throws in
            let wire = try HTTP2Wire.connect(port)
            let page = try wire.request(
                "GET /page HTTP/1.1\r\nHost: a\r\n\(Self.fields)\r\n", body: "", ends: false)
            try wire.run("the response") { page.text == "<p>" }
            #expect(page.heads.first?.hasPrefix("HTTP/1.1 502 ") == true)
        }
        await harness.stop()
    }

    @Test(arguments: ["", "Sec-WebSocket-Accept: \(accept)\r\n"])
    func `an origin that has not understood the key opens none`(field: String) async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send(
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\(field)\r\n")
            _ = try connection.drain()
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port)
        let port = harness.port
        try await blocking { () throws in
            let wire = try HTTP2Wire.connect(port)
            let tunnel = try wire.request(
                "GET /chat HTTP/1.1\r\nHost: a\r\n\(Self.fields)\r\n", body: "", ends: false)
            try wire.run("the response") { !tunnel.text.isEmpty }
            #expect(tunnel.heads.first?.hasPrefix("HTTP/1.1 502 ") == true)
            #expect(tunnel.text.contains("a wrong Sec-WebSocket-Accept"))
        }
        await harness.stop()
    }

    @Test func `a wish for another protocol does not keep a request from HTTP 2`() async throws {
        let origin = ScriptedOrigin.http2 { peer, stream, _ in
            guard stream.stream?.hasEnded == true, !stream.isComplete else { return }
            try peer.response(stream, HTTP2Case.ok, body: stream.heads[0])
        }
        defer { origin.stop() }
        let harness = try await HTTP2Case.start(origin)
        let port = harness.port
        let seen = try await blocking {
            try ClientKind.h1.ask(port, "GET", "/plain", fields: "Connection: Upgrade\r\nUpgrade: IRC/6.9\r\n")
        }
        await harness.stop()
        #expect(seen.status == "HTTP/1.1 200" && seen.body.hasPrefix("GET /plain HTTP/1.1\r\n"))
        #expect(!seen.body.lowercased().contains("upgrade"))
    }

    @Test func `an origin that takes no WebSockets over HTTP 2 is told of`() async throws {
        let origin = ScriptedOrigin { connection, _ in
            try connection.send(HTTP2Frame.settings().bytes)
            _ = try? connection.drain()
        }
        defer { origin.stop() }
        let harness = try await Harness.start(
            profiles: ["only": Harness.origin("h2c://127.0.0.1:\(origin.port)")], active: "only")
        let port = harness.port
        try await blocking { () throws in
            let seen = try ClientKind.h1.ask(port, "GET", "/chat", fields: Self.fields)
            #expect(seen.status == "HTTP/1.1 502" && seen.body.contains("RFC 8441"))
        }
        await harness.stop()
    }

    /// Opens a tunnel, breaks it, and gives the codes with which the origin's stream was reset.
    private func codes(_ breaks: @escaping @Sendable (UInt16, String) throws -> Void) async throws -> [UInt32] {
        let codes = Kept([UInt32]())
        let origin = ScriptedOrigin.http2 { peer, stream, _ in
            if stream.isClosed {
                let code = stream.closeCode.rawValue
                codes.change { $0.append(code) }
            } else if stream.body.isEmpty {
                try peer.send("HTTP/1.1 101 S\r\nUpgrade: websocket\r\n\r\n", on: stream, hasBody: true)
            }
        }
        defer { origin.stop() }
        let harness = try await Harness.start(
            profiles: ["only": Harness.origin("h2c://127.0.0.1:\(origin.port)")], active: "only")
        let port = harness.port
        try await blocking {
            try breaks(port, "GET /chat HTTP/1.1\r\nHost: a\r\n\(Self.fields)\r\n")
            #expect(eventually { !codes.value.isEmpty })
        }
        await harness.stop()
        return codes.value
    }

    @Test func `a reset of a connection that became a tunnel reaches the origin's stream`() async throws {
        let codes = try await codes { port, head in
            let connection = try RawConnection.connect(port)
            try connection.send(head)
            _ = try connection.readHead()
            connection.reset()
        }
        #expect(codes == [HTTP2ErrorCode.cancel.rawValue])
    }

    @Test func `a reset of a stream that became a tunnel reaches the origin's, and the connection goes on`()
        async throws
    {
        let codes = try await codes { port, head in
            let wire = try HTTP2Wire.connect(port)
            try wire.run("the settings") { wire.peer.session.hasSettings }
            let tunnel = try wire.request(head, body: "", ends: false)
            try wire.run("the tunnel") { tunnel.heads.count == 1 }
            tunnel.stream?.reset(.cancel)
            try wire.roundTrip()
        }
        #expect(codes == [HTTP2ErrorCode.cancel.rawValue])
    }
}
