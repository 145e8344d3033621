import Engine
import Exchanges
import Profiles
import Reactor
import Testing

/// Breakpoints: what is held, what may be changed in it, and how it goes on.
@Suite struct HoldTests {
    private static let origin = #"{"kind": "local", "routes": [{"origin": "http://origin.test"}]}"#
    private static let post =
        "POST /v1/cart?page=1 HTTP/1.1\r\nHost: shop.test\r\nAccept: */*\r\nContent-Length: 7\r\n\r\n{\"a\":1}"

    private static func held(_ worker: isolated MemoryWorker) throws -> HeldExchange {
        try #require(worker.state.breakpoints?.held.first, "nothing is held")
    }

    private static func edit(_ fill: (inout HoldEdit) -> Void) -> HoldEdit {
        var edit = HoldEdit()
        fill(&edit)
        return edit
    }

    // MARK: Requests

    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var request = HoldTests.post
        let edit: HoldEdit
        let sent: [String]
        var lacks: [String] = []

        init(
            _ name: String, of request: String = HoldTests.post, _ fill: (inout HoldEdit) -> Void, _ sent: [String],
            lacks: [String] = []
        ) {
            (testDescription, self.request, edit) = (name, request, HoldTests.edit(fill))
            (self.sent, self.lacks) = (sent, lacks)
        }
    }

    private static let chunked =
        "POST / HTTP/1.1\r\nHost: shop.test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"

    private static let withSum =
        "POST / HTTP/1.1\r\nHost: shop.test\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\nabc\r\n0\r\n"
        + "X-Sum: 3\r\nContent-Digest: x\r\n\r\n"

    @Test(arguments: [
        Change(
            "nothing", { _ in }, ["POST /v1/cart?page=1 HTTP/1.1\r\n", "Content-Length: 7\r\n", "\r\n\r\n{\"a\":1}"]),
        Change("the method", { $0.method = "PUT" }, ["PUT /v1/cart?page=1 HTTP/1.1\r\n", "{\"a\":1}"]),
        Change("the path", { $0.path = "/v2?x=%20y" }, ["POST /v2?x=%20y HTTP/1.1\r\n"]),
        Change(
            "a longer body", { $0.body = "{\"a\":1234}" }, ["Content-Length: 10\r\n", "\r\n\r\n{\"a\":1234}"],
            lacks: ["Content-Length: 7"]),
        Change("no body", { $0.body = "" }, ["Content-Length: 0\r\n"], lacks: ["{\"a\""]),
        Change(
            "a chunked body", of: chunked, { $0.body = "defgh" }, ["Content-Length: 5\r\n", "\r\n\r\ndefgh"],
            lacks: ["chunked", "abc"]),
        Change(
            "only the path of a chunked one", of: chunked, { $0.path = "/x" }, ["POST /x ", "3\r\nabc\r\n0\r\n\r\n"]),
        Change(
            "the path of one with trailers", of: withSum, { $0.path = "/x" },
            ["POST /x ", "Trailer: X-Sum\r\n", "3\r\nabc\r\n0\r\nX-Sum: 3\r\nContent-Digest: x\r\n\r\n"]),
        Change(
            "the body of one with trailers, and no digest of the one before", of: withSum, { $0.body = "defgh" },
            ["chunked", "5\r\ndefgh\r\n0\r\nX-Sum: 3\r\n\r\n"], lacks: ["abc", "Digest", "Length"]),
        Change(
            "no body before trailers", of: withSum, { $0.body = "" }, ["\r\n\r\n0\r\nX-Sum: 3\r\n\r\n"],
            lacks: ["abc"]),
        Change(
            "a body where there was none", of: "DELETE / HTTP/1.1\r\nHost: shop.test\r\n\r\n", { $0.body = "why" },
            ["Content-Length: 3\r\n", "\r\n\r\nwhy"]),
        Change(
            "fields", { $0.fields = [("Accept", "text/plain"), ("X-New", "ü")] },
            ["Accept: text/plain\r\n", "X-New: ü\r\n", "Content-Length: 7\r\n"], lacks: ["*/*"]),
        Change("no fields", { $0.fields = [] }, ["Content-Length: 7\r\n"], lacks: ["Accept"]),
    ])
    func `an edited request goes on with a right length`(change: Change) async throws {
        try await MemoryWorker.run(profile: Self.origin) { worker in
            try worker.state.breakpoints?.add("~all")
            let client = await worker.connect(change.request)
            #expect(worker.origins.attempts == 0)
            try Self.held(worker).goOn(change.edit)
            await worker.settle()
            let origin = try worker.origins.channel(0)
            let sent = origin.text
            for text in change.sent { #expect(sent.contains(text), "\(sent)") }
            for text in change.lacks { #expect(!sent.contains(text), "\(sent)") }
            origin.receive("HTTP/1.1 204 No Content\r\n\r\n")
            await worker.settle()
            #expect(client.text.hasPrefix("HTTP/1.1 204"))
            // The connection goes on behind it, and nothing of the body counts as a request.
            client.receive("GET /second HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            await worker.settle()
            try Self.held(worker).goOn()
            await worker.settle()
            #expect(origin.text.hasPrefix("GET /second "))
            #expect(worker.state.breakpoints?.held.isEmpty == true)
            #expect(worker.state.held.count == 0)
        }
    }

    @Test(arguments: [
        Change("a path with a line end", { $0.path = "/ HTTP/1.1\r\nX: y" }, []),
        Change("a path with a space", { $0.path = "/a b" }, []),
        Change("a fragment", { $0.path = "/a#b" }, []),
        Change("a whole URL", { $0.path = "http://production.test/" }, []),
        Change("an empty path", { $0.path = "" }, []),
        Change("a method with a space", { $0.method = "GET /x" }, []),
        Change("HEAD, whose response has no content", { $0.method = "HEAD" }, []),
        Change("CONNECT", { $0.method = "CONNECT" }, []),
        Change("an empty method", { $0.method = "" }, []),
        Change("a host with a path", { $0.host = "a/b" }, []),
        Change("a host with a line end", { $0.host = "a\r\nX: y" }, []),
        Change("a host with userinfo", { $0.host = "u@a" }, []),
        Change("a status", { $0.status = 200 }, []),
        Change("Content-Length", { $0.fields = [("content-length", "1")] }, []),
        Change("Transfer-Encoding", { $0.fields = [("Transfer-Encoding", "chunked")] }, []),
        Change("Host among the fields", { $0.fields = [("Host", "b")] }, []),
        Change("Connection", { $0.fields = [("Connection", "close")] }, []),
        Change("Upgrade", { $0.fields = [("Upgrade", "websocket")] }, []),
        Change("a value with a line end", { $0.fields = [("X", "a\r\nY: b")] }, []),
        Change("a value with NUL", { $0.fields = [("X", "a\0")] }, []),
        Change("a name with a colon", { $0.fields = [("X: y", "")] }, []),
        Change("a name with a space", { $0.fields = [("X ", "y")] }, []),
        Change("an empty name", { $0.fields = [("", "y")] }, []),
        Change("too many fields", { $0.fields = (0...2000).map { ("X-\($0)", "y") } }, []),
        Change("a head that is too long", { $0.fields = [("X", String(repeating: "y", count: 1 << 20))] }, []),
        Change("a secret that is not known", { $0.body = "<redacted:password:0123456789>" }, []),
    ])
    func `an edit that breaks the request is refused, and it stays held`(change: Change) async throws {
        try await MemoryWorker.run(profile: Self.origin) { worker in
            try worker.state.breakpoints?.add("~all")
            _ = await worker.connect(change.request)
            #expect(throws: HoldFailure.self) { try Self.held(worker).goOn(change.edit) }
            await worker.settle()
            #expect(worker.origins.attempts == 0)
            try Self.held(worker).goOn()
            await worker.settle()
            #expect(try worker.origins.channel(0).text.hasSuffix("{\"a\":1}"))
        }
    }

    private static let guarded = #"""
        {"kind": "local", "routes": [
            {"path": "/safe", "origin": "http://origin.test"},
            {"host": "shop.test", "path": "/live", "origin": "http://production.test"}]}
        """#
    private static let production = #"""
        {"kind": "production", "routes": [{"host": "shop.test", "origin": "http://production.test"}]}
        """#
    private static let safe = "GET /safe HTTP/1.1\r\nHost: shop.test\r\n\r\n"
    private static let safePost = "POST /safe HTTP/1.1\r\nHost: other.test\r\nContent-Length: 1\r\n\r\nx"

    @Test(arguments: [
        Change("the method and the path", of: safe, { ($0.method, $0.path) = ("POST", "/live") }, ["403"]),
        Change("the host and the path", of: safePost, { ($0.host, $0.path) = ("shop.test", "/live") }, ["403"]),
        Change(
            "a field for another method", of: safe,
            { ($0.path, $0.fields) = ("/live", [("X-HTTP-Method-Override", "DELETE")]) }, ["403"]),
        Change("a parameter for another method", of: safe, { $0.path = "/live?_method=DELETE" }, ["403"]),
        Change(
            "the profile", of: safePost, { ($0.host, $0.fields) = ("shop.test", [("Shunt-Profile", "production")]) },
            ["403"]),
        Change(
            "a body for another method", of: safe,
            {
                ($0.path, $0.body) = ("/live", "_method=delete")
                $0.fields = [("Content-Type", "application/x-www-form-urlencoded")]
            }, ["403"]),
        Change(
            "a safe one passes", of: safePost,
            { ($0.host, $0.method, $0.path, $0.body) = ("shop.test", "GET", "/live", "") }, []),
    ])
    func `production's guard judges the edited request`(change: Change) async throws {
        let library = try Harness.library(["only": Self.guarded, "production": Self.production])
        try await MemoryWorker.run(library: library) { worker in
            try worker.state.breakpoints?.add("~all")
            let client = await worker.connect(change.request)
            try Self.held(worker).goOn(change.edit)
            await worker.settle()
            #expect(worker.origins.attempts == (change.sent.isEmpty ? 1 : 0))
            for text in change.sent { #expect(client.text.contains(text)) }
        }
    }

    // MARK: Ends

    enum End: CaseIterable { case time, removed, leaves, reset, cancelled, dropped, responded }

    @Test(arguments: End.allCases, [false, true])
    func `a hold ends, and nothing of it stays`(end: End, isLong: Bool) async throws {
        try await MemoryWorker.run(profile: Self.origin) { worker in
            let breakpoints = try #require(worker.state.breakpoints)
            let breakpoint = try breakpoints.add("~m POST", seconds: 30)
            let length = isLong ? 3 << 20 : 20_000
            let body = String(repeating: "x", count: isLong ? 50_000 : length)
            let client = await worker.connect("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n\(body)")
            var held: HeldExchange? = try Self.held(worker)
            #expect((held?.view.body == nil) == isLong)
            await worker.advance(by: 29)
            #expect(worker.origins.attempts == 0)
            switch end {
            case .time: await worker.advance(by: 2)
            case .removed: try breakpoints.remove(breakpoint.id)
            case .leaves: client.receiveEnd()
            case .reset: client.receiveReset()
            case .cancelled: worker.cancel(client)
            case .dropped: try held?.drop()
            case .responded:
                try held?.respond(Self.edit { ($0.status, $0.fields, $0.body) = (503, [("Retry-After", "9")], "no") })
            }
            await worker.settle()
            #expect(breakpoints.held.isEmpty)
            #expect(throws: HoldFailure.self) { try held?.goOn() }
            held = nil
            switch end {
            case .time, .removed: #expect(try worker.origins.channel(0).text.hasPrefix("POST / "))
            case .dropped: #expect(client.wasAborted)
            case .responded:
                let text = client.text
                #expect(
                    text.hasPrefix("HTTP/1.1 503 ") && text.contains("Retry-After: 9\r\n")
                        && text.hasSuffix("\r\n\r\nno"))
            case .leaves, .reset, .cancelled: break
            }
            if end != .time, end != .removed {
                #expect(worker.origins.attempts == 0)
                await worker.advance(by: 60)
                #expect(worker.state.held.count == 0)
            }
        }
    }

    @Test func `a second request waits behind the held one, and another client does not`() async throws {
        try await MemoryWorker.run(profile: Self.origin) { worker in
            try worker.state.breakpoints?.add("~u /slow")
            let get = { (path: String) in "GET /\(path) HTTP/1.1\r\nHost: a\r\n\r\n" }
            let client = await worker.connect(get("slow") + get("next"))
            _ = await worker.connect(get("other"))
            #expect(try worker.origins.channel(0).text.hasPrefix("GET /other "))
            try Self.held(worker).goOn()
            await worker.settle()
            let origin = try worker.origins.channel(1)
            #expect(origin.text.hasPrefix("GET /slow "))
            origin.receive("HTTP/1.1 204 No Content\r\n\r\n")
            await worker.settle()
            #expect(origin.text.hasPrefix("GET /next "))
            #expect(client.text.hasPrefix("HTTP/1.1 204 "))
        }
    }

    @Test func `what comes when too many are held goes on`() async throws {
        try await MemoryWorker.run(profile: #"{"kind": "local", "routes": [{"mock": {"text": "m"}}]}"#) { worker in
            let breakpoints = try #require(worker.state.breakpoints)
            try breakpoints.add("~all")
            for _ in 0..<Breakpoints.maxHeld { _ = await worker.connect("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
            #expect(breakpoints.held.count == Breakpoints.maxHeld)
            let last = await worker.connect("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(last.text.hasPrefix("HTTP/1.1 200 "))
            #expect(breakpoints.passed == 1)
        }
    }

    @Test func `the exchange says how long it was held, and what was edited`() async throws {
        try await MemoryWorker.run(profile: #"{"kind": "local", "routes": [{"mock": {"text": "m"}}]}"#) { worker in
            let breakpoints = try #require(worker.state.breakpoints)
            try breakpoints.add("~all", .both)
            _ = await worker.connect(Self.post)
            await worker.advance(by: 2)
            try Self.held(worker).goOn(Self.edit { $0.path = "/x" })
            await worker.settle()
            await worker.advance(by: 3)
            let response = try Self.held(worker)
            #expect(response.phase == .response && response.status == 200 && response.view.body == "m")
            try response.goOn(Self.edit { $0.body = "n" })
            await worker.settle()
            let exchange = try #require(worker.log.exchanges.last)
            #expect(
                exchange.holds == [
                    Exchange.Hold(phase: "request", microseconds: 2_000_000, outcome: "edited: path"),
                    Exchange.Hold(phase: "response", microseconds: 3_000_000, outcome: "edited: body"),
                ])
            #expect(exchange.rewritten == ["request by hand", "response by hand"])
        }
    }

    // MARK: Secrets

    @Test func `secrets are hidden, and put back where they were not touched`() async throws {
        try await MemoryWorker.run(profile: Self.origin) { worker in
            try worker.state.breakpoints?.add("~all")
            let body = #"{"password": "hunter2-x", "pin": 4711, "note": "n", "token": "abc-def-ghi-77"}"#
            _ = await worker.connect(
                "POST /?access_token=s3cr3t-91 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer q8w7e6r5t4z3\r\n"
                    + "Cookie: sid=zz99yy88xx; theme=dark\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            let held = try Self.held(worker)
            let view = held.view
            let shown = view.path + view.fields.map(\.value).joined() + (view.body ?? "") + held.url
            for secret in ["hunter2", "4711", "abc-def", "s3cr3t", "q8w7", "zz99"] { #expect(!shown.contains(secret)) }
            #expect(shown.contains("theme=") && shown.contains("application/json"))
            try held.goOn(
                Self.edit {
                    $0.path = view.path + "&page=2"
                    $0.fields = view.fields.map { ($0.name, $0.name == "Cookie" ? $0.value + "; more=1" : $0.value) }
                    $0.body = view.body?.replacing(#""n""#, with: #""other""#)
                })
            await worker.settle()
            let sent = try worker.origins.channel(0).text
            #expect(sent.hasPrefix("POST /?access_token=s3cr3t-91&page=2 "))
            #expect(sent.contains("Authorization: Bearer q8w7e6r5t4z3\r\n"))
            #expect(sent.contains("Cookie: sid=zz99yy88xx; theme=dark; more=1\r\n"))
            #expect(sent.hasSuffix(body.replacing(#""n""#, with: #""other""#)))
        }
    }

    private static func value(_ view: HeldExchange.View, _ name: String) -> String {
        view.fields.first { $0.name == name }?.value ?? ""
    }

    private static let moves: [@Sendable (HeldExchange.View) -> HoldEdit] = [
        { view in edit { $0.fields = view.fields + [("X-Note", "\(value(view, "Authorization").dropFirst(7))")] } },
        { view in edit { $0.fields = [("X-Note", "\(value(view, "Cookie").dropFirst(4))")] } },
        { view in edit { $0.path = view.path.replacing("access_token=", with: "note=") } },
        { view in edit { $0.path = "/\(value(view, "Authorization").dropFirst(7))" } },
        { view in edit { $0.body = view.body?.replacing(#""password""#, with: #""note""#) } },
        { view in edit { $0.body = "\(value(view, "Authorization").dropFirst(7))" } },
    ]

    /// Who sees only replacements must not learn a value by moving its replacement.
    @Test(arguments: 0..<moves.count)
    func `a secret is not put back where it would be seen`(move: Int) async throws {
        try await MemoryWorker.run(profile: Self.origin) { worker in
            try worker.state.breakpoints?.add("~all")
            let body = #"{"password": "hunter2-x"}"#
            _ = await worker.connect(
                "POST /?access_token=s3cr3t-91 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer q8w7e6r5t4z3\r\n"
                    + "Cookie: sid=zz99yy88xx\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            let held = try Self.held(worker)
            let edit = Self.moves[move](held.view)
            #expect { try held.goOn(edit) } throws: { error in
                (error as? HoldFailure)?.message.contains("would be seen in its new place") == true
            }
            try held.goOn(HoldEdit())
            await worker.settle()
        }
    }

    // MARK: Responses

    struct Response: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = "GET"
        let response: String
        let edit: HoldEdit
        /// All that the client gets, without the fields that name Shunt; nil where the response is not held.
        let got: String?

        init(
            _ name: String, to method: String = "GET", _ response: String, _ got: String?,
            _ fill: (inout HoldEdit) -> Void = { _ in }
        ) {
            (testDescription, self.method, self.response, self.got) = (name, method, response, got)
            edit = HoldTests.edit(fill)
        }
    }

    private static let hello = "HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 5\r\n\r\nhello"
    private static let pieces = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"
    private static let withTrailers =
        "HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 5\r\n\r\n"

    @Test(arguments: [
        Response("as it is", hello, hello),
        Response("chunked, as it is", pieces, pieces),
        Response("its status", hello, "HTTP/1.1 404 Not Found\r\nX-A: b\r\nContent-Length: 5\r\n\r\nhello") {
            $0.status = 404
        },
        Response("its body", hello, "HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 2\r\n\r\nhi") { $0.body = "hi" },
        Response("its fields", hello, "HTTP/1.1 200 OK\r\nX-C: d\r\nContent-Length: 5\r\n\r\nhello") {
            $0.fields = [("X-C", "d")]
        },
        Response("a chunked body", pieces, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi") { $0.body = "hi" },
        Response(
            "a chunked one's status", pieces, "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 5\r\n\r\nhello"
        ) { $0.status = 500 },
        Response("trailers, as they are", withTrailers, withTrailers),
        Response(
            "a body before trailers", withTrailers,
            "HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 5\r\n\r\n"
        ) { $0.body = "hi" },
        Response(
            "no body before trailers", withTrailers,
            "HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Sum: 5\r\n\r\n"
        ) { $0.body = "" },
        Response("no content before trailers", withTrailers, "HTTP/1.1 204 No Content\r\n\r\n") {
            ($0.status, $0.body) = (204, "")
        },
        Response("no content", hello, "HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n") { ($0.status, $0.body) = (204, "") },
        Response(
            "of HEAD", to: "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
            "HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\n"
        ) { $0.status = 404 },
        Response("events", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: x\n\n", nil),
    ])
    func `a response is held as a whole, and goes on with a right length`(row: Response) async throws {
        try await MemoryWorker.run(profile: Self.origin) { worker in
            try worker.state.breakpoints?.add("~d shop", .response)
            let client = await worker.connect("\(row.method) / HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            let origin = try worker.origins.channel(0)
            origin.receive(row.response)
            await worker.settle()
            guard let got = row.got else {
                #expect(worker.state.breakpoints?.held.isEmpty == true)
                #expect(client.text.contains("data: x"))
                return
            }
            #expect(client.text.isEmpty)
            // The origin's connection does not wait for those who decide.
            #expect(worker.pool.idleCount == 1)
            await worker.advance(by: 50)
            try Self.held(worker).goOn(row.edit)
            await worker.settle()
            let text = client.text
            let lines = text.components(without: "Shunt-Answered-By")
            #expect(lines == got, "\(text)")
        }
    }

    @Test(arguments: [
        Response("a body with 204", hello, nil) { ($0.status, $0.body) = (204, "x") },
        Response("a body with 304", hello, nil) { ($0.status, $0.body) = (304, "x") },
        Response("a body to HEAD", to: "HEAD", hello.components(upTo: "hello"), nil) { $0.body = "x" },
        Response("an interim status", hello, nil) { $0.status = 100 },
        Response("a length", hello, nil) { $0.fields = [("Content-Length", "1")] },
        Response("a coding", hello, nil) { $0.fields = [("Transfer-Encoding", "chunked")] },
        Response("a line end", hello, nil) { $0.fields = [("X", "a\r\n\r\nb")] },
        Response("a path", hello, nil) { $0.path = "/" },
    ])
    func `an edit that breaks the response is refused`(row: Response) async throws {
        try await MemoryWorker.run(profile: Self.origin) { worker in
            try worker.state.breakpoints?.add("~all", .response)
            let client = await worker.connect("\(row.method) / HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            try worker.origins.channel(0).receive(row.response)
            await worker.settle()
            #expect(throws: HoldFailure.self) { try Self.held(worker).goOn(row.edit) }
            try Self.held(worker).goOn()
            await worker.settle()
            #expect(client.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `of a long response the head is held, and nothing is lost`(hasLength: Bool, isDropped: Bool) async throws {
        try await MemoryWorker.run(profile: Self.origin) { worker in
            try worker.state.breakpoints?.add("~c 200", .response, seconds: 600)
            let client = await worker.connect("GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            let origin = try worker.origins.channel(0)
            let body = String(repeating: "0123456789abcdef", count: 3 << 16)
            let size = body.utf8.count
            origin.receive(
                hasLength
                    ? "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n\(body)"
                    : "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(String(size, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
            )
            _ = await worker.wait { $0.state.breakpoints?.held.isEmpty == false }
            // No limit of time counts.
            await worker.advance(by: 500)
            #expect(client.text.isEmpty)
            let held = try Self.held(worker)
            #expect(held.view.body == nil)
            #expect(throws: HoldFailure.self) { try held.goOn(Self.edit { $0.body = "x" }) }
            #expect(throws: HoldFailure.self) { try held.goOn(Self.edit { $0.status = 204 }) }
            if isDropped { try held.drop() } else { try held.goOn(Self.edit { $0.status = 206 }) }
            var text = ""
            for _ in 0..<2000 where !(isDropped ? client.wasAborted : text.utf8.count > size) {
                await worker.settle()
                text += client.text
            }
            await worker.settle()
            text += client.text
            #expect(text.hasPrefix("HTTP/1.1 206 ") != isDropped)
            if !isDropped { #expect(text.filter { $0.isHexDigit && $0.isLowercase || $0.isNumber }.count >= size) }
            #expect(worker.state.breakpoints?.held.isEmpty == true)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
    ])
    func `a response that breaks off is not held, and its client sees where`(begun: String) async throws {
        try await MemoryWorker.run(profile: Self.origin) { worker in
            try worker.state.breakpoints?.add("~all", .response)
            let client = await worker.connect("GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            let origin = try worker.origins.channel(0)
            origin.receive(begun)
            await worker.settle()
            #expect(client.text.isEmpty)
            origin.receiveEnd()
            await worker.settle()
            #expect(client.text.components(without: "Shunt-Answered-By") == begun)
            #expect(client.wasAborted)
            #expect(worker.state.breakpoints?.held.isEmpty == true)
            #expect(worker.state.held.count == 0)
        }
    }

    @Test func `a client that leaves ends the hold of its response`() async throws {
        for isLong in [false, true] {
            try await MemoryWorker.run(profile: Self.origin) { worker in
                try worker.state.breakpoints?.add("~all", .response)
                let client = await worker.connect("GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n")
                try worker.origins.channel(0).receive(
                    isLong ? "HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\nx" : Self.hello)
                await worker.settle()
                _ = try Self.held(worker)
                client.receiveReset()
                await worker.settle()
                #expect(worker.state.breakpoints?.held.isEmpty == true)
            }
        }
    }

    // MARK: Breakpoints

    @Test(arguments: [
        ("~c 500", Breakpoint.Phase.request, "~c"), ("~m GET & !~hs x", .both, "~hs"), ("~h x", .request, "~h"),
        ("~bq x", .request, "~bq"), ("~b x", .response, "~b"), ("~id 3", .response, "~id"),
        ("~slow 1s", .response, "~slow"), ("~gql Cart", .response, "~gql"), ("~gqlerror", .response, "~gqlerror"),
        ("~t json", .request, "~t"), ("~route x", .request, "~route"), ("~nothing", .request, "filter"),
    ])
    func `a filter that a head cannot decide is refused`(filter: String, phase: Breakpoint.Phase, named: String) throws
    {
        let failure = #expect(throws: HoldFailure.self) { try Breakpoints().add(filter, phase) }
        #expect(failure?.message.contains(named) == true)
    }

    @Test(
        arguments: [
            ("~m POST", nil, true), ("~m GET", nil, false), ("~hq \"Accept: x\"", nil, false),
            ("~hq Accept", nil, true),
            ("~env only & ~d shop", nil, true), ("~env other", nil, false), ("~q", nil, true),
            ("~all", "192.0.2.7", false),
        ] as [(String, String?, Bool)])
    func `a breakpoint holds what its filter and its client say`(filter: String, device: String?, isHeld: Bool)
        async throws
    {
        try await MemoryWorker.run(profile: Self.origin) { worker in
            let breakpoints = try #require(worker.state.breakpoints)
            try breakpoints.add(filter, device: device)
            _ = await worker.connect(Self.post)
            #expect(breakpoints.held.isEmpty != isHeld)
        }
    }

    @Test func `a session is known before the exchange has ended, and stays when the path is edited`() async throws {
        let profile = #"{"kind": "local", "routes": [{"path": "/*", "mock": {"text": "profile"}}]}"#
        try await MemoryWorker.run(profile: profile) { worker in
            func start(_ text: String) throws -> ClientSession {
                let session = try worker.active.start(SessionWish(), now: worker.loop.core.now, at: 0)
                let routes = #"{"path": "/*", "mock": {"text": "\#(text)"}}"#
                _ = try worker.active.add(Array(routes.utf8), to: session.id, isTrusted: true, now: 0)
                return session
            }
            let (one, two) = (try start("one"), try start("two"))
            let breakpoints = try #require(worker.state.breakpoints)
            try breakpoints.add("~session \(one.id)")
            let other = await worker.connect("GET /a HTTP/1.1\r\nHost: a\r\nShunt-Session: \(two.id)\r\n\r\n")
            #expect(other.text.hasSuffix("two") && breakpoints.held.isEmpty)
            for field in ["Shunt-Session: \(one.id)\r\n", ""] {
                let path = field.isEmpty ? "/__shunt/session/\(one.id)/a" : "/a"
                let client = await worker.connect("GET \(path) HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
                #expect(client.text.isEmpty)
                try Self.held(worker).goOn(Self.edit { $0.path = "/b" })
                await worker.settle()
                #expect(client.text.hasSuffix("one"))
            }
            #expect(worker.log.exchanges.map(\.session) == [two.id, one.id, one.id])
        }
    }
}

extension String {
    fileprivate func components(upTo end: String) -> String {
        firstRange(of: end).map { String(self[..<$0.lowerBound]) } ?? self
    }

    /// Without the lines that begin so.
    fileprivate func components(without start: String) -> String {
        split(separator: "\r\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix(start) }
            .joined(separator: "\r\n")
    }
}
