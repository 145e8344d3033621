import Engine
import HTTP2
import TestSupport
import Testing

/// The same messages through every mix of versions.
@Suite struct HTTP2MatrixTests {
    static let mixes = ClientKind.allCases.flatMap { client in OriginKind.allCases.map { (client, $0) } }

    /// Responses by path, and tells in fields what it was sent.
    static func origin() -> ScriptedOrigin {
        ScriptedOrigin { connection, _ in
            while let head = try? connection.readHead() {
                let words = head.split(separator: " ", maxSplits: 2)
                let lower = head.lowercased()
                var body = ""
                var trailers = ""
                if lower.contains("transfer-encoding: chunked") {
                    while case let line = try connection.read(until: "\r\n"), line != "0\r\n" {
                        body += try connection.read(count: Int(line.dropLast(), radix: 16) ?? 0)
                        _ = try connection.read(count: 2)
                    }
                    while case let line = try connection.read(until: "\r\n"), line != "\r\n" {
                        trailers += line.dropLast() + "|"
                    }
                } else if let range = lower.firstRange(of: "content-length: ") {
                    body = try connection.read(count: Int(lower[range.upperBound...].prefix { $0.isNumber }) ?? 0)
                }
                let told =
                    "X-Method: \(words[0])\r\nX-Length: \(body.utf8.count)\r\nX-Trailers: \(trailers)\r\n"
                    + "X-Framing: \(lower.contains("transfer-encoding") ? "chunked" : lower.contains("content-length") ? "length" : "none")\r\n"
                switch words[1] {
                case "/empty": try connection.send("HTTP/1.1 204 No Content\r\n\(told)\r\n")
                case "/same":
                    try connection.send("HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\nETag: \"x\"\r\n\r\n")
                case "/interim":
                    try connection.send(
                        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"
                            + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                case "/trailers":
                    try connection.send(
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nx-a: 1\r\nx-b: 2\r\n\r\n")
                case "/trailersonly":
                    try connection.send(
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\ngrpc-status: 0\r\n\r\n")
                case "/head": try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                case "/chunks":
                    try connection.send(
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\(told)\r\n\(ClientKind.chunks(body))0\r\n\r\n"
                    )
                default:
                    try connection.send(
                        "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\(told)\r\n\(body)")
                }
            }
        }
    }

    @Test(arguments: mixes)
    func `messages keep their meaning`(client: ClientKind, kind: OriginKind) async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        let stage = try await kind.start(origin)
        let port = stage.port
        let large = String(repeating: "0123456789abcdef", count: 1 << 16)
        try await blocking { () throws in
            let get = try client.ask(port, "GET", "/echo")
            #expect(get.status == "HTTP/1.1 200" && get["x-framing"] == "none" && get["content-length"] == "0")

            for hasLength in [true, false] {
                for path in ["/echo", "/chunks"] {
                    for body in ["", "hello", large] {
                        let post = try client.ask(port, "POST", path, body: body, hasLength: hasLength)
                        #expect(post.body == body && post["x-length"] == "\(body.utf8.count)")
                        // A length that was told stays told, one that was not is not made up.
                        let framing =
                            hasLength ? ["length"] : body.isEmpty ? ["chunked", "none", "length"] : ["chunked"]
                        #expect(framing.contains(post["x-framing"] ?? ""))
                        #expect(post["content-length"] == (path == "/echo" ? "\(body.utf8.count)" : nil))
                    }
                }
            }
            let head = try client.ask(port, "HEAD", "/head")
            #expect(head.status == "HTTP/1.1 200" && head["content-length"] == "1000" && head.body == "")
            let empty = try client.ask(port, "DELETE", "/empty")
            #expect(empty.status == "HTTP/1.1 204" && empty["x-method"] == "DELETE" && empty.body == "")
            let same = try client.ask(port, "GET", "/same")
            #expect(same.status == "HTTP/1.1 304" && same["etag"]?.hasSuffix("-x\"") == true && same.body == "")
            let interim = try client.ask(port, "GET", "/interim")
            #expect(interim.interim == ["HTTP/1.1 103", "HTTP/1.1 102"] && interim.body == "ok")
            let trailers = try client.ask(
                port, "POST", "/trailers", fields: "TE: trailers\r\n", body: "x", hasLength: false)
            #expect(trailers.body == "hi" && trailers.trailers == "x-a: 1|x-b: 2")
            let only = try client.ask(port, "GET", "/trailersonly")
            #expect(only.status == "HTTP/1.1 200" && only.body == "" && only.trailers == "grpc-status: 0")
            let sent = try client.ask(
                port, "POST", "/echo", body: "abc", hasLength: false, trailers: "X-Sum: 6\r\nX-More: 7\r\n")
            #expect(sent["x-trailers"]?.lowercased() == "x-sum: 6|x-more: 7|" && sent.body == "abc")
        }
        await stage.stop()
        #expect(origin.scriptFailures == [])
    }

    @Test(arguments: mixes)
    func `a response that was edited at a breakpoint keeps its trailers`(
        client: ClientKind, kind: OriginKind
    ) async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        let stage = try await kind.start(origin)
        let port = stage.port
        let breakpoints = try #require(stage.outer.proxy.breakpoints)
        try breakpoints.add("~all", .response)
        for body in ["edited", ""] {
            async let response = blocking { () throws in
                try client.ask(
                    port, "POST", "/trailers", fields: "TE: trailers\r\n", body: "x", hasLength: false)
            }
            #expect(try await blocking { eventually { !breakpoints.held.isEmpty } })
            var edit = HoldEdit()
            edit.body = body
            try #require(breakpoints.held.first).goOn(edit)
            let seen = try await response
            #expect(seen.body == body && seen.trailers == "x-a: 1|x-b: 2", "\(seen)")
        }
        await stage.stop()
        #expect(origin.scriptFailures == [])
    }

    @Test(arguments: [false, true])
    func `a stream has what came of a response that breaks off, before its reset`(isWatched: Bool) async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
        }
        defer { origin.stop() }
        let stage = try await OriginKind.h1.start(origin)
        if isWatched { try stage.outer.proxy.breakpoints?.add("~all", .response) }
        let port = stage.port
        try await blocking { () throws in
            let wire = try HTTP2Wire.connect(port)
            let get = try wire.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            try wire.run("the stream's end") { get.isClosed }
            #expect(get.heads.first?.hasPrefix("HTTP/1.1 200 ") == true && get.text == "half", "\(get.heads)")
            #expect(get.closeCode != .noError)
        }
        await stage.stop()
    }

    @Test(arguments: mixes)
    func `a request that is read ahead keeps its trailers, edited or not`(
        client: ClientKind, kind: OriginKind
    ) async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        let stage = try await kind.start(origin)
        let port = stage.port
        let breakpoints = try #require(stage.outer.proxy.breakpoints)
        try breakpoints.add("~all", .request)
        for body in [nil, "edited", ""] {
            async let response = blocking { () throws in
                try client.ask(port, "POST", "/echo", body: "abc", hasLength: false, trailers: "X-Sum: 6\r\n")
            }
            #expect(try await blocking { eventually { !breakpoints.held.isEmpty } })
            var edit = HoldEdit()
            edit.body = body
            try #require(breakpoints.held.first).goOn(edit)
            let seen = try await response
            #expect(seen.body == body ?? "abc" && seen["x-trailers"]?.lowercased() == "x-sum: 6|", "\(seen)")
        }
        await stage.stop()
        #expect(origin.scriptFailures == [])
    }

    @Test(arguments: mixes)
    func `a response before the request's end arrives, and the next request too`(
        client: ClientKind, kind: OriginKind
    ) async throws {
        let origin = ScriptedOrigin { connection, _ in
            let head = try connection.readHead()
            try connection.send("HTTP/1.1 \(head.hasPrefix("POST") ? 413 : 200) X\r\nContent-Length: 2\r\n\r\nno")
            connection.shutdownWrite()
            _ = try? connection.drain()
        }
        defer { origin.stop() }
        let stage = try await kind.start(origin)
        let port = stage.port
        try await blocking { () throws in
            switch client {
            case .h1:
                let connection = try RawConnection.connect(port)
                try connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nbegin")
                #expect(try connection.readHead().hasPrefix("HTTP/1.1 413 "))
                #expect(try connection.read(count: 2) == "no")
            case .h2c:
                let wire = try HTTP2Wire.connect(port)
                let post = try wire.request(
                    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n", body: "begin", ends: false)
                try wire.run("the response") { post.text == "no" && post.stream?.hasEnded == true }
                // The rest is asked for no more, without blame (RFC 9113 8.1).
                try wire.run("the stream's end") { post.isClosed }
                #expect(post.closeCode == .noError && post.heads.first?.hasPrefix("HTTP/1.1 413 ") == true)
                let next = try wire.get("/")
                try wire.finish(next)
                #expect(next.heads.first?.hasPrefix("HTTP/1.1 200 ") == true)
            }
            #expect(try client.ask(port, "GET", "/").status == "HTTP/1.1 200")
        }
        await stage.stop()
    }

    @Test(arguments: mixes)
    func `a response that breaks off is not taken for whole`(client: ClientKind, kind: OriginKind) async throws {
        let origin = ScriptedOrigin { connection, _ in
            let head = try connection.readHead()
            let isChunked = head.hasPrefix("GET /chunks")
            try connection.send(
                "HTTP/1.1 200 OK\r\n\(isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 100")\r\n\r\n5\r\nhello"
            )
        }
        defer { origin.stop() }
        let stage = try await kind.start(origin)
        let port = stage.port
        try await blocking { () throws in
            for path in ["/chunks", "/length"] {
                switch client {
                case .h1:
                    // Where nothing has been said yet, all can be told.
                    let seen = try? client.ask(port, "GET", path)
                    #expect(seen == nil || seen?.status == "HTTP/1.1 502")
                case .h2c:
                    let wire = try HTTP2Wire.connect(port)
                    let get = try wire.get(path)
                    try wire.run("the reset") { get.isClosed }
                    #expect(get.closeCode == .internalError || get.heads[0].hasPrefix("HTTP/1.1 502"))
                    #expect(!wire.hasEnded)
                }
            }
        }
        await stage.stop()
    }

    @Test(arguments: ClientKind.allCases)
    func `a head as long as the limit allows goes to an origin of HTTP 2`(client: ClientKind) async throws {
        let origin = ScriptedOrigin.http2 { peer, stream, _ in
            guard stream.stream?.hasEnded == true else { return }
            try peer.response(stream, "HTTP/1.1 200 OK\r\nX-Length: \(stream.heads[0].utf8.count)\r\n\r\n")
        }
        defer { origin.stop() }
        let harness = try await Harness.start(
            profiles: ["only": Harness.origin("h2c://127.0.0.1:\(origin.port)")], active: "only")
        let port = harness.port
        try await blocking { () throws in
            let seen = try client.ask(port, "GET", "/", fields: "X: \(String(repeating: "x", count: 32_000))\r\n")
            #expect(seen.status == "HTTP/1.1 200" && (Int(seen["x-length"] ?? "") ?? 0) > 32_000)
            #expect(
                try client.ask(port, "GET", "/", fields: "X: \(String(repeating: "x", count: 33_000))\r\n").status
                    == "HTTP/1.1 431")
        }
        await harness.stop()
    }
}
