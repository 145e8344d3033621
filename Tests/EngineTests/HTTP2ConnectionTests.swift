import Dispatch
import Engine
import Exchanges
import HTTP2
import TestSupport
import Testing

/// Connections of HTTP/2 that are opened, shared, left and ended.
@Suite struct HTTP2ConnectionTests {
    @Test func `a burst of requests opens few connections`() async throws {
        let asked = HTTP2Case.Asked()
        let origin = ScriptedOrigin.http2 { peer, stream, number in
            guard stream.stream?.hasEnded == true, !stream.isComplete else { return }
            asked.add(number, stream)
            try peer.response(stream, HTTP2Case.ok, body: "ok")
        }
        defer { origin.stop() }
        let harness = try await HTTP2Case.start(origin)
        let port = harness.port
        try await blocking { () throws in
            let wires = try (0..<3).map { _ in try HTTP2Wire.connect(port) }
            let streams = try wires.flatMap { wire in
                try (0..<100).map { try wire.peer.request("GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n") }
            }
            for wire in wires { try wire.flush() }
            for (index, wire) in wires.enumerated() {
                for stream in streams[(100 * index)..<(100 * index + 100)] { try wire.finish(stream) }
            }
            #expect(streams.allSatisfy { $0.text == "ok" })
        }
        await harness.stop()
        #expect(asked.lines.count == 300 && origin.connectionCount <= 3)
    }

    @Test func `GOAWAY moves new streams to a new connection while old ones finish`() async throws {
        let asked = HTTP2Case.Asked()
        let origin = ScriptedOrigin.http2 { peer, stream, number in
            guard stream.stream?.hasEnded == true, !stream.isComplete, !stream.isClosed else { return }
            if stream.heads[0].hasPrefix("GET /old") {
                asked.add(number, stream)
                peer.session.announceEnd()
                try peer.send(HTTP2Case.ok, on: stream, hasBody: true)
                stream.write(Array("first".utf8))
                stream.end()
            } else {
                asked.add(number, stream)
                try peer.response(stream, HTTP2Case.ok, body: "new")
            }
        }
        defer { origin.stop() }
        let harness = try await HTTP2Case.start(origin)
        let port = harness.port
        try await blocking { () throws in
            let wire = try HTTP2Wire.connect(port)
            let first = try wire.get("/old")
            try wire.finish(first)
            #expect(first.text == "first")
            for _ in 0..<3 {
                let next = try wire.get("/new")
                try wire.finish(next)
                #expect(next.text == "new")
            }
        }
        await harness.stop()
        #expect(asked.connections == [0, 1, 1, 1])
    }

    @Test func `a connection that breaks ends its streams, and idempotent requests go to a new one`() async throws {
        let origin = ScriptedOrigin { connection, number in
            let wire = try HTTP2Wire(connection, .server)
            try wire.serve { peer, stream in
                guard stream.stream?.hasEnded == true, !stream.isComplete, !stream.isClosed else { return }
                if number == 0, !stream.heads[0].hasPrefix("GET /first") { return wire.reset() }
                try peer.response(stream, HTTP2Case.ok, body: "\(number)")
            }
        }
        defer { origin.stop() }
        let harness = try await HTTP2Case.start(origin)
        let port = harness.port
        try await blocking { () throws in
            #expect(try ClientKind.h2c.ask(port, "GET", "/first").body == "0")
            #expect(try ClientKind.h2c.ask(port, "GET", "/second").body == "1")
        }
        await harness.stop()
    }

    @Test(arguments: [
        (
            [
                HTTP2Frame.settings(),
                HTTP2Frame(.goAway, HTTP2Frame.number(1) + HTTP2Frame.number(1) + Array("no\u{1b}such".utf8)),
            ], "without a response (its GOAWAY said PROTOCOL_ERROR, no?such)"
        ),
        (
            [HTTP2Frame.settings(), HTTP2Frame(.goAway, HTTP2Frame.number(1) + HTTP2Frame.number(11))],
            "without a response (its GOAWAY said ENHANCE_YOUR_CALM)"
        ),
        (
            [HTTP2Frame.settings(), HTTP2Frame(.goAway, HTTP2Frame.number(0) + HTTP2Frame.number(11))],
            "refused the stream (its GOAWAY said ENHANCE_YOUR_CALM)"
        ),
        (
            [HTTP2Frame.settings(), HTTP2Frame.headers(3, [(":status", "200")])],
            "without a response (HTTP/2 protocol error by the peer: PROTOCOL_ERROR, "
        ),
        (
            [HTTP2Frame.headers(1, [(":status", "200")])],
            "did not begin as HTTP/2 does (HTTP/2 protocol error by the peer: PROTOCOL_ERROR, SETTINGS expected)"
        ),
        ([], "did not begin as HTTP/2 does (the connection was closed)"),
        (
            [HTTP2Frame.settings(), HTTP2Frame(.goAway, HTTP2Frame.number(1) + HTTP2Frame.number(0))],
            "without a response (the connection was closed)"
        ),
    ])
    func `whoever asked reads why an origin's connection ended`(frames: [HTTP2Frame], reason: String) async throws {
        let origin = ScriptedOrigin { connection, _ in
            // The preface, our settings and window, and the beginning of a head.
            _ = try connection.readBytes(24 + 9 + 4 * 6 + 13 + 9)
            try connection.send(frames.flatMap(\.bytes))
            connection.shutdownWrite()
            _ = try connection.drain()
        }
        defer { origin.stop() }
        let harness = try await HTTP2Case.start(origin)
        let port = harness.port
        try await blocking { () throws in
            let seen = try ClientKind.h1.ask(port, "GET", "/")
            #expect(seen.status == "HTTP/1.1 502" && seen.body.contains(reason), "\(seen)")
            #expect(seen.body.contains("http:// instead of h2c://") == reason.hasPrefix("did not begin"), "\(seen)")
        }
        await harness.stop()
    }

    @Test func `a peer that does not respond PING is left`() async throws {
        let time = VirtualClock()
        let pings = Kept(0)
        let isAsked = Kept(false)
        let origin = ScriptedOrigin { connection, _ in
            try connection.send(HTTP2Frame.settings().bytes)
            var bytes: [UInt8] = []
            while case let more = try connection.readSome(), !more.isEmpty {
                bytes += more
                let frames = HTTP2Frame.read(Array(bytes.dropFirst(24)))
                let count = frames.count { $0.is(.ping) }
                pings.change { $0 = count }
                let isHeard =
                    frames.contains { $0.is(.headers) }
                    && frames.contains { $0.is(.settings) && $0.flags == HTTP2Frame.acknowledgement }
                isAsked.change { $0 = isHeard }
            }
        }
        defer { origin.stop() }
        let harness = try await HTTP2Case.start(origin, time: time)
        let (port, proxy) = (harness.port, harness.proxy)
        try await blocking { () throws in
            let wire = try HTTP2Wire.connect(port)
            let get = try wire.get("/")
            try wire.flush()
            #expect(eventually { isAsked.value })
            // The client is heard of later than the origin, and so is not asked itself.
            proxy.advance(time, by: 20)
            try wire.roundTrip()
            proxy.advance(time, by: 10)
            #expect(eventually { pings.value == 1 })
            proxy.advance(time, by: 15)
            try wire.finish(get)
            #expect(get.heads.first?.hasPrefix("HTTP/1.1 502 ") == true && get.text.contains("PING"))
            #expect(!wire.hasEnded)
        }
        await harness.stop()
        #expect(pings.value == 1)
    }

    @Test func `a switch of profiles leaves open streams where they are`() async throws {
        let origins = ["one", "two"].map { name in
            ScriptedOrigin.http2 { peer, stream, _ in
                guard !stream.isComplete, !stream.isClosed else { return }
                if stream.heads[0].hasPrefix("POST"), stream.heads.count == 1, stream.sent == 0, stream.pending == 0 {
                    try peer.send(HTTP2Case.ok, on: stream, hasBody: true)
                    stream.write(Array(name.utf8))
                }
                if stream.stream?.hasEnded == true {
                    if stream.heads[0].hasPrefix("GET") {
                        try peer.response(stream, HTTP2Case.ok, body: name)
                    } else {
                        stream.end(" still \(name)")
                    }
                }
            }
        }
        defer { for origin in origins { origin.stop() } }
        let harness = try await Harness.start(
            profiles: [
                "one": Harness.origin("h2c://127.0.0.1:\(origins[0].port)"),
                "two": Harness.origin("h2c://127.0.0.1:\(origins[1].port)"),
            ], active: "one")
        let (port, proxy) = (harness.port, harness.proxy)
        try await blocking { () throws in
            let wire = try HTTP2Wire.connect(port)
            let open = try wire.request(HTTP2Case.post, body: "", ends: false)
            try wire.run("half the response") { open.text == "one" }
            try proxy.use("two")
            let get = try wire.get("/")
            try wire.finish(get)
            #expect(get.text == "two")
            open.end("more")
            try wire.finish(open)
            #expect(open.text == "one still one" && open.isFinished)
        }
        await harness.stop()
    }

    @Test func `a drain lets open streams finish and then closes, whatever the client does`() async throws {
        let time = VirtualClock()
        let mayRespond = Kept(false)
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            #expect(eventually { mayRespond.value })
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab")
        }
        defer { origin.stop() }
        let harness = try await HTTP2Case.start(origin, isHTTP2: false, time: time)
        let (port, proxy) = (harness.port, harness.proxy)
        let drained = Kept(false)
        try await blocking { () throws in
            let wire = try HTTP2Wire.connect(port)
            let open = try wire.get("/")
            try wire.run("the settings") { wire.peer.session.hasSettings }
            Task {
                await proxy.drain()
                drained.change { $0 = true }
            }
            try wire.run("GOAWAY") { wire.peer.session.isGoingAway }
            // Longer than a connection keeps its memory, and shorter than it may be idle.
            proxy.advance(time, by: 2)
            try wire.roundTrip()
            #expect(!drained.value && !open.isClosed)
            mayRespond.change { $0 = true }
            try wire.finish(open)
            #expect(open.text == "ab")
            try wire.runToEnd()
            // The client keeps the connection for as long as the drain has patience with it.
            #expect(
                eventually {
                    proxy.advance(time, by: 1)
                    return drained.value
                })
        }
        proxy.stop()
    }

    @Test(arguments: [true, false])
    func `an idle connection announces its end and serves a stream that was on its way`(answersPing: Bool) async throws
    {
        let time = VirtualClock()
        let origin = ScriptedOrigin.http2 { peer, stream, _ in
            guard stream.stream?.hasEnded == true, !stream.isComplete else { return }
            try peer.response(stream, HTTP2Case.ok, body: "ok")
        }
        defer { origin.stop() }
        let harness = try await HTTP2Case.start(origin, time: time)
        let (port, proxy) = (harness.port, harness.proxy)
        try await blocking { () throws in
            let client = try RawConnection.connect(port)
            func next(_ kind: HTTP2Frame.Kind) throws -> HTTP2Frame {
                while true {
                    let start = try client.readBytes(9)
                    let rest = try client.readBytes(Int(start[1]) << 8 | Int(start[2]))
                    let frame = HTTP2Frame.read(start + rest)[0]
                    if frame.is(kind) { return frame }
                }
            }
            try client.send(HTTP2Frame.preface + HTTP2Frame.settings().bytes)
            try client.send(HTTP2Frame.headers(1, HTTP2Frame.get()).bytes)
            #expect(try next(.data).stream == 1)
            // In pieces, since a connection that rests for a second gives its memory back first.
            proxy.advance(time, by: 2)
            proxy.advance(time, by: 600)
            let ping = try next(.ping)
            #expect(try HTTP2Frame.number(next(.goAway).payload[...]) == 0x7fff_ffff)
            try client.send(HTTP2Frame.headers(3, HTTP2Frame.get()).bytes)
            #expect(try next(.data).stream == 3)
            if answersPing {
                try client.send(HTTP2Frame(.ping, flags: HTTP2Frame.acknowledgement, ping.payload).bytes)
            } else {
                proxy.advance(time, by: 2)
            }
            #expect(try HTTP2Frame.number(next(.goAway).payload[...]) == 3)
            _ = try client.drain()
        }
        await harness.stop()
    }

    @Test func `a malformed request does not end the connection, whatever becomes of its head`() async throws {
        let time = VirtualClock()
        let hasBegun = DispatchSemaphore(value: 0)
        let origin = ScriptedOrigin.http2 { peer, stream, _ in
            hasBegun.signal()
            guard stream.stream?.hasEnded == true, !stream.isComplete else { return }
            try peer.response(stream, HTTP2Case.ok, body: stream.text)
        }
        defer { origin.stop() }
        let harness = try await HTTP2Case.start(origin, time: time)
        let (port, proxy) = (harness.port, harness.proxy)
        try await blocking { () throws in
            let client = try RawConnection.connect(port)
            var frames: [HTTP2Frame] = []
            func read(until isLast: (HTTP2Frame) -> Bool) throws {
                while !frames.contains(where: { isLast($0) || $0.is(.goAway) }) {
                    let start = try client.readBytes(9)
                    let rest = try client.readBytes(Int(start[1]) << 8 | Int(start[2]))
                    frames += HTTP2Frame.read(start + rest)
                }
            }
            try client.send(HTTP2Frame.preface + HTTP2Frame.settings().bytes)
            let fields = [(":method", "POST")] + HTTP2Frame.get()[1...]
            try client.send(HTTP2Frame.headers(1, fields, ends: false).bytes)
            // A name in capitals.
            try client.send(HTTP2Frame.headers(3, fields + [("X", "y")]).bytes)
            try read { $0.is(.resetStream) }
            // Time that passes while the origin is being connected to is another limit's.
            hasBegun.wait()
            // Longer than a head may take.
            proxy.advance(time, by: 20)
            try client.send(HTTP2Frame(.data, flags: HTTP2Frame.endStream, stream: 1, [1, 2, 3]).bytes)
            try read { $0.is(.data) }
            #expect(frames.last?.is(.data) == true && frames.last?.payload == [1, 2, 3])
            #expect(frames.contains(.reset(3, HTTP2ErrorCode.protocolError.rawValue)))
        }
        await harness.stop()
    }

    @Test func `interim responses without end do not pile up`() async throws {
        let origin = ScriptedOrigin { connection, _ in
            var frames = HTTP2Frame.settings().bytes
            for _ in 0..<200 {
                frames +=
                    HTTP2Frame.headers(
                        1, [(":status", "103"), ("x", String(repeating: "x", count: 8000))], ends: false
                    ).bytes
            }
            _ = try connection.readBytes(24 + 9 + 12)
            try connection.send(frames)
            while true { try connection.send(Array(frames[9...])) }
        }
        defer { origin.stop() }
        let harness = try await HTTP2Case.start(origin)
        let port = harness.port
        try await blocking { () throws in
            // It asks and does not read.
            let client = try RawConnection.connect(port, receiveBuffer: 4096)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(client.waitForInput(milliseconds: 60_000))
            #expect(eventually { harness.log.exchanges.first?.failure != nil })
        }
        await harness.stop()
    }
}
