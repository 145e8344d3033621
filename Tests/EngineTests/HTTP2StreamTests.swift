import Engine
import HTTP2
import TestSupport
import Testing

/// What streams of one connection do to each other, which is nothing.
@Suite struct HTTP2StreamTests {
    // MARK: Flow control

    @Test(arguments: [true, false])
    func `a reader that stops holds back its own stream's origin alone`(isHTTP2: Bool) async throws {
        let sent = Kept(0)
        let size = 32 << 20
        let origin =
            isHTTP2
            ? ScriptedOrigin.http2 { peer, stream, _ in
                if stream.heads[0].hasPrefix("GET /large") {
                    if stream.sent == 0, stream.pending == 0, !stream.isComplete {
                        try peer.send(HTTP2Case.ok, on: stream, hasBody: true)
                        stream.write([UInt8](repeating: 1, count: size))
                        stream.end()
                    }
                    let count = stream.sent
                    sent.change { $0 = count }
                } else if stream.stream?.hasEnded == true, !stream.isComplete {
                    try peer.response(stream, HTTP2Case.ok, body: "small")
                }
            }
            : ScriptedOrigin { connection, _ in
                while let head = try? connection.readHead() {
                    if head.hasPrefix("GET /large") {
                        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                        let count = connection.sendUntilBlocked()
                        sent.change { $0 = count }
                        return
                    }
                    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nsmall")
                }
            }
        defer { origin.stop() }
        let harness = try await HTTP2Case.start(origin, isHTTP2: isHTTP2)
        let port = harness.port
        try await blocking { () throws in
            let wire = try HTTP2Wire.connect(port)
            wire.peer.usesContent = false
            let large = try wire.get("/large")
            try wire.run("a full window") { large.body.count == 64 << 10 }
            wire.peer.usesContent = true
            for number in 0..<200 {
                let small = try wire.get("/\(number)")
                try wire.finish(small)
                #expect(small.text == "small")
            }
            #expect(large.body.count == 64 << 10)
            if isHTTP2 {
                // What the origin may send beyond what the client took is a window of 32 KiB, twice at most.
                #expect(sent.value <= 256 << 10)
            }
            large.stream?.reset(.cancel)
            try wire.flush()
        }
        await harness.stop()
    }

    @Test func `an upload that its origin does not read holds back its own stream alone`() async throws {
        let origin = ScriptedOrigin.http2(usesContent: false) { peer, stream, _ in
            if stream.heads[0].hasPrefix("GET"), !stream.isComplete {
                try peer.response(stream, HTTP2Case.ok, body: "fine")
            }
        }
        defer { origin.stop() }
        let harness = try await HTTP2Case.start(origin)
        let port = harness.port
        try await blocking { () throws in
            let wire = try HTTP2Wire.connect(port)
            let upload = try wire.request(HTTP2Case.post, body: "", ends: false)
            upload.write([UInt8](repeating: 1, count: 8 << 20))
            try wire.run("the window to be used") { upload.sent >= 64 << 10 }
            for _ in 0..<100 {
                let get = try wire.get("/")
                try wire.finish(get)
                #expect(get.text == "fine")
            }
            #expect(upload.sent <= 512 << 10)
        }
        await harness.stop()
    }

    // MARK: Resets

    @Test func `a client's reset reaches the origin, and an origin's the client`() async throws {
        let seen = Kept([UInt32]())
        let origin = ScriptedOrigin.http2 { peer, stream, _ in
            if stream.isClosed {
                let code = stream.closeCode.rawValue
                seen.change { $0.append(code) }
            } else if stream.heads[0].hasPrefix("POST /broken"), stream.body.count == 2 {
                stream.stream?.reset(.internalError)
            } else if !stream.heads[0].hasPrefix("GET /silent"), stream.sent == 0, stream.pending == 0 {
                try peer.send(HTTP2Case.ok, on: stream, hasBody: true)
                stream.write(Array("part".utf8))
            }
        }
        defer { origin.stop() }
        let harness = try await HTTP2Case.start(origin)
        let port = harness.port
        try await blocking { () throws in
            let wire = try HTTP2Wire.connect(port)
            let silent = try wire.get("/silent")
            let half = try wire.get("/half")
            try wire.run("half a response") { half.text == "part" }
            silent.stream?.reset(.cancel)
            half.stream?.reset(.cancel)
            try wire.flush()
            #expect(eventually { seen.value == [8, 8] })
            let upload = try wire.request(HTTP2Case.post, body: "some", ends: false)
            try wire.run("half a response") { upload.text == "part" }
            upload.stream?.reset(.cancel)
            try wire.flush()
            #expect(eventually { seen.value == [8, 8, 8] })
            let broken = try wire.request("POST /broken HTTP/1.1\r\nHost: a\r\n\r\n", body: "a", ends: false)
            try wire.run("half a response") { broken.text == "part" }
            broken.write([1])
            try wire.run("the reset") { broken.isClosed }
            #expect(broken.closeCode == .internalError && !wire.hasEnded)
        }
        await harness.stop()
    }

    @Test func `an origin that resets a request is not asked again`() async throws {
        let asked = HTTP2Case.Asked()
        let origin = ScriptedOrigin.http2 { peer, stream, number in
            guard stream.stream?.hasEnded == true, !stream.isComplete, !stream.isClosed else { return }
            asked.add(number, stream)
            if stream.heads[0].hasPrefix("GET /fine") {
                try peer.response(stream, HTTP2Case.ok, body: "fine")
            } else {
                stream.stream?.reset(.internalError)
            }
        }
        defer { origin.stop() }
        let harness = try await HTTP2Case.start(origin)
        let port = harness.port
        try await blocking { () throws in
            #expect(try ClientKind.h2c.ask(port, "GET", "/fine").body == "fine")
            #expect(try ClientKind.h2c.ask(port, "GET", "/bad").status == "HTTP/1.1 502")
            #expect(try ClientKind.h1.ask(port, "GET", "/bad").status == "HTTP/1.1 502")
        }
        await harness.stop()
        #expect(asked.lines == ["GET /fine", "GET /bad", "GET /bad"] && origin.connectionCount == 1)
    }

    @Test func `refused streams are tried again, with a body that was not spent`() async throws {
        let asked = HTTP2Case.Asked()
        let refusals = Kept(0)
        let origin = ScriptedOrigin.http2 { peer, stream, number in
            guard !stream.isComplete, !stream.isClosed else { return }
            if number == 0, asked.lines.count == 1, refusals.value < 2 {
                refusals.change { $0 += 1 }
                stream.stream?.reset(.refusedStream)
                return
            }
            guard stream.stream?.hasEnded == true else { return }
            asked.add(number, stream)
            try peer.response(stream, HTTP2Case.ok, body: stream.text)
        }
        defer { origin.stop() }
        let harness = try await HTTP2Case.start(origin)
        let port = harness.port
        try await blocking { () throws in
            #expect(try ClientKind.h1.ask(port, "GET", "/first").status == "HTTP/1.1 200")
            let post = try ClientKind.h1.ask(port, "DELETE", "/second")
            #expect(post.status == "HTTP/1.1 200")
        }
        await harness.stop()
        #expect(asked.lines == ["GET /first", "DELETE /second"] && refusals.value == 2)
    }

    /// Bytes of the body, and the status: a body that is too long to be kept cannot be sent again.
    @Test(arguments: [(1, "200"), (60_000, "200"), (200_000, "502")], ClientKind.allCases)
    func `a refused POST is sent again with all of its body`(row: (Int, String), client: ClientKind)
        async throws
    {
        let text = String(repeating: "x", count: row.0)
        let refused = Kept(0)
        let limited = ScriptedOrigin.http2 { peer, stream, _ in
            guard stream.stream?.hasEnded == true, !stream.isComplete, !stream.isClosed else { return }
            if refused.value < 2 {
                refused.change { $0 += 1 }
                stream.stream?.reset(.refusedStream)
                return
            }
            try peer.response(stream, HTTP2Case.ok, body: "\(stream.text == text)")
        }
        defer { limited.stop() }
        let harness = try await HTTP2Case.start(limited)
        let port = harness.port
        try await blocking { () throws in
            for hasLength in [true, false] {
                refused.change { $0 = 0 }
                let seen = try client.ask(port, "POST", "/", body: text, hasLength: hasLength)
                #expect(seen.status == "HTTP/1.1 \(row.1)", "\(seen)")
                if row.1 == "200" { #expect(seen.body == "true") }
            }
        }
        await harness.stop()
    }

    /// Some clients send no more of a body once a response of success has ended, and wait for ever (curl 7).
    @Test(
        arguments: [
            ("/mock", "200", true), ("/empty", "204", true), ("/origin/200", "200", true),
            ("/origin/413", "413", false), ("/none", "404", false),
        ])
    func `an early response of success ends with its upload, and any other at once`(
        path: String, status: String, isHeld: Bool
    ) async throws {
        let origin = ScriptedOrigin { connection, _ in
            let status = try connection.readHead().split(separator: " ")[1].split(separator: "/")[1]
            try connection.send("HTTP/1.1 \(status) X\r\nContent-Length: 4\r\n\r\ndone")
            _ = try? connection.readToEnd()
        }
        defer { origin.stop() }
        let harness = try await Harness.start(
            profiles: [
                "only": """
                {"kind": "local", "routes": [
                  {"path": "/mock", "mock": {"text": "done"}}, {"path": "/empty", "mock": {"status": 204}},
                  {"path": "/origin/*", "origin": "http://127.0.0.1:\(origin.port)"}]}
                """
            ], active: "only")
        let port = harness.port
        try await blocking { () throws in
            let wire = try HTTP2Wire.connect(port)
            let head = "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n"
            let upload = try wire.request(head, body: "x", ends: false)
            if isHeld {
                try wire.run("a response") { path == "/empty" || upload.text == "don" }
                try wire.roundTrip()
                #expect(upload.stream?.hasEnded == false && upload.text.count < 4)
                upload.end(String(repeating: "x", count: 1_999_999))
            }
            try wire.finish(upload)
            #expect(upload.heads.first?.hasPrefix("HTTP/1.1 \(status)") == true)
            #expect(
                !isHeld || upload.isFinished && upload.sent == 2_000_000 && (path == "/empty" || upload.text == "done"))
            // The connection is as good as it was.
            let next = try wire.request("POST /mock HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n", body: "x")
            try wire.finish(next)
            #expect(next.text == "done")
        }
        await harness.stop()
    }

    @Test func `an origin that refuses every stream is given up`() async throws {
        let count = Kept(0)
        let origin = ScriptedOrigin.http2 { _, stream, _ in
            guard !stream.isClosed else { return }
            count.change { $0 += 1 }
            stream.stream?.reset(.refusedStream)
        }
        defer { origin.stop() }
        let harness = try await HTTP2Case.start(origin)
        let port = harness.port
        try await blocking { () throws in #expect(try ClientKind.h1.ask(port, "GET", "/").status == "HTTP/1.1 502") }
        await harness.stop()
        #expect((1...8).contains(count.value))
    }

    /// The property itself: random streams are reset at random moments by either end, and those that are not reset
    /// come out whole.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `one stream's failure never harms another one`(seed: UInt64) async throws {
        let origin = ScriptedOrigin.http2 { peer, stream, _ in
            guard !stream.isClosed, !stream.isComplete else { return }
            let words = stream.heads[0].split(separator: " ")[1].split(separator: "/")
            let (name, what) = (String(words[0]), words[1])
            if what == "early" {
                try peer.response(stream, HTTP2Case.ok, body: name)
            } else if what == "reset", stream.body.count > 20_000 {
                stream.stream?.reset(.internalError)
            } else if what == "half", stream.stream?.hasEnded == true {
                try peer.send(HTTP2Case.ok, on: stream, hasBody: true)
                stream.write([UInt8](repeating: 0, count: 50_000))
                stream.stream?.reset(.cancel)
            } else if stream.stream?.hasEnded == true {
                try peer.response(stream, HTTP2Case.ok, body: name + stream.text, trailers: "X-Name: \(name)\r\n")
            }
        }
        defer { origin.stop() }
        let harness = try await HTTP2Case.start(origin)
        let port = harness.port
        try await blocking { () throws in
            var random = Generator(state: seed)
            let wire = try HTTP2Wire.connect(port)
            var open: [(name: String, kind: String, stream: HTTP2Recorder, body: String, left: Int)] = []
            var (whole, number) = (0, 0)
            let asked = Circle.isWhole ? 600 : 150
            while number < asked || !open.isEmpty {
                while open.count < 40, number < asked {
                    let kind =
                        ["whole", "whole", "mine", "reset", "half", "early"].randomElement(using: &random) ?? "whole"
                    let length = Int.random(in: 0...90_000, using: &random)
                    let stream = try wire.request(
                        "POST /\(number)/\(kind) HTTP/1.1\r\nHost: a\r\nX: \(number)\r\n\r\n", body: "", ends: false)
                    open.append(("\(number)", kind, stream, String(repeating: "\(number % 10)", count: length), length))
                    number += 1
                }
                let index = Int.random(in: 0..<open.count, using: &random)
                let count = min(open[index].left, Int.random(in: 0...40_000, using: &random))
                if open[index].kind == "mine", open[index].left < 30_000 {
                    open[index].stream.stream?.reset(.cancel)
                    open.remove(at: index)
                    continue
                }
                open[index].stream.write(
                    [UInt8](repeating: UInt8(ascii: "0") + UInt8((Int(open[index].name) ?? 0) % 10), count: count))
                open[index].left -= count
                if open[index].left == 0 {
                    let (name, kind, stream, body, _) = open.remove(at: index)
                    stream.end()
                    if kind == "whole" {
                        try wire.run("the end of \(name)") { stream.isClosed }
                        #expect(
                            stream.isFinished && stream.text == name + body
                                && stream.trailers == "x-name: \(name)\r\n\r\n")
                        whole += 1
                    } else {
                        try wire.flush()
                    }
                }
            }
            #expect(!wire.hasEnded && whole > asked / 6)
            let last = try wire.get("/last/whole")
            try wire.finish(last)
            #expect(last.text == "last")
        }
        await harness.stop()
        #expect(origin.connectionCount <= 3)
    }

    /// Knuth's, so that a failure comes again.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }
}
