import Engine
import Exchanges
import Profiles
import Reactor
import Synchronization
import TestSupport
import Testing

/// `"offline": "serve-last"`: the last good responses, for when an origin cannot be reached.
@Suite struct OfflineTests {
    /// What a proxy takes for the time where a test compares ages, in seconds since 1970.
    private static let now: Int64 = 1_790_000_000

    /// An origin whose response a test changes, one connection for each request.
    final class Backend: Sendable {
        private final class State: Sendable {
            let reply: Mutex<String>
            let requests = Mutex<[String]>([])
            init(_ reply: String) { self.reply = Mutex(reply) }
        }

        private let state: State
        private let origin: ScriptedOrigin
        var port: UInt16 { origin.port }
        var url: String { "http://127.0.0.1:\(port)" }

        /// - Parameter reply: nothing to leave requests without a response.
        init(_ reply: String) {
            let state = State(reply)
            self.state = state
            origin = ScriptedOrigin { connection, _ in
                let head = try connection.readHead()
                let reply = state.reply.withLock { $0 }
                state.requests.withLock { $0.append(head) }
                if reply.isEmpty { _ = try? connection.readToEnd() } else { try connection.send(reply) }
            }
        }

        func replies(_ reply: String) { state.reply.withLock { $0 = reply } }

        var requests: [String] { state.requests.withLock { $0 } }

        func stop() { origin.stop() }

        deinit { origin.stop() }
    }

    static func response(_ body: String, _ fields: String = "", status: String = "200 OK") -> String {
        "HTTP/1.1 \(status)\r\n\(fields)Connection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static func profile(_ url: String, _ offline: String = "\"serve-last\"", kind: String = "local") -> String {
        #"{"kind": "\#(kind)", "offline": \#(offline), "cache": "as-is", "routes": [{"origin": "\#(url)"}]}"#
    }

    static func ask(
        _ port: UInt16, _ fields: String = "", method: String = "GET", path: String = "/a?b=1", host: String = "x"
    ) throws -> (head: String, body: String) {
        let client = try RawConnection.connect(port)
        try client.send("\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n\(fields)Connection: close\r\n\r\n")
        return (try client.readHead(), try client.readToEnd())
    }

    @Test func `fields by which Shunt speaks of itself do not come from an origin`() async throws {
        let fields = "Shunt-Cluster: evil\r\nshunt-answered-by: evil\r\nShunt-Clusters: good\r\n"
        let backend = Backend(Self.response("first", fields))
        let harness = try await Harness.start(profiles: ["only": Self.profile(backend.url)], active: "only")
        let port = harness.port
        try await blocking {
            let fresh = try Self.ask(port)
            backend.stop()
            let kept = try Self.ask(port)
            #expect(kept.head.contains("stale="), "\(kept.head)")
            for head in [fresh.head, kept.head] {
                #expect(!head.contains("evil") && head.contains("\r\nShunt-Clusters: good\r\n"), "\(head)")
            }
        }
        await harness.stop()
    }

    @Test func `the last good response takes the place of an origin that is gone`() async throws {
        let backend = Backend(Self.response("first", "ETag: \"1\"\r\nSet-Cookie: a=1\r\nAge: 7\r\nX-Own: 1\r\n"))
        let harness = try await Harness.start(
            profiles: ["only": Self.profile(backend.url)], active: "only", clock: { Self.now })
        let (port, log) = (harness.port, harness.log)
        try await blocking {
            #expect(try Self.ask(port).body == "first")
            backend.replies(Self.response("second", "ETag: \"2\"\r\nSet-Cookie: a=2\r\nAge: 7\r\nX-Own: 2\r\n"))
            #expect(try Self.ask(port).body == "second")
            backend.replies(Self.response("broken", status: "500 Oh"))
            #expect(try Self.ask(port).head.hasPrefix("HTTP/1.1 500 "))
            backend.stop()
            let kept = try Self.ask(port)
            #expect(kept.head.hasPrefix("HTTP/1.1 200 OK\r\n") && kept.body == "second", "\(kept)")
            for line in ["ETag: \"2\"", "X-Own: 2", "Age: 7", "Content-Length: 6", "Connection: close"] {
                #expect(kept.head.contains("\r\n\(line)\r\n"), "\(line): \(kept.head)")
            }
            #expect(!kept.head.contains("Set-Cookie"))
            #expect(kept.head.contains("Shunt-Answered-By: only; route=\"*\"; stale=7; tried=\""), "\(kept.head)")
            #expect(kept.head.contains("refused the connection"), "\(kept.head)")
            #expect(try Self.ask(port, path: "/a?b=2").head.hasPrefix("HTTP/1.1 502 "))
        }
        let last = try #require(log.exchanges.dropLast().last)
        #expect(last.responder == "kept" && last.rewritten == ["+stale"] && last.status == 200 && last.failure == nil)
        #expect(last.origin?.url == backend.url && last.attempts.count == 1)
        await harness.stop()
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// What the origin sends at first.
        var reply = OfflineTests.response("kept")
        var first = ""
        var firstMethod = "GET"
        var later = ""
        var laterMethod = "GET"
        /// Of the response without an origin; empty for none.
        var body = "kept"
        var status = "200 OK"
        var testDescription: String { name }
    }

    private static let served = [
        Case(
            name: "a chunked response",
            reply:
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\nConnection: close\r\n\r\n2\r\nke\r\n2\r\npt\r\n0\r\nX: y\r\n\r\n"
        ),
        Case(name: "the head of one to a GET", laterMethod: "HEAD", body: ""),
        Case(
            name: "the head of one to a HEAD",
            reply: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\n", firstMethod: "HEAD",
            laterMethod: "HEAD", body: ""),
        Case(
            name: "equal fields of Vary", reply: response("kept", "Vary: X-Lang, accept\r\n"), first: "x-lang: de\r\n",
            later: "X-Lang: de\r\n"),
        Case(
            name: "equal credentials", first: "Authorization: Bearer a\r\nCookie: s=1\r\n",
            later: "Authorization: Bearer a\r\nCookie: s=1\r\n"),
        Case(
            name: "private with equal credentials", reply: response("kept", "Cache-Control: private, max-age=0\r\n"),
            first: "Cookie: s=1\r\n", later: "Cookie: s=1\r\n"),
        Case(
            name: "other credentials where it is public", reply: response("kept", "Cache-Control: public\r\n"),
            first: "Authorization: Bearer a\r\n", later: "Authorization: Bearer b\r\n"),
        Case(
            name: "another request's number", first: "X-Request-ID: 6f1c2b3a-1111-4222-8333-444455556666\r\n",
            later: "X-Request-ID: 0a1b2c3d-5555-4666-8777-888899990000\r\n"),
        Case(name: "a request that wants no cache", later: "Cache-Control: no-cache\r\nPragma: no-cache\r\n"),
        Case(
            name: "a tag that the client has", reply: response("kept", "ETag: W/\"1\"\r\n"),
            later: "If-None-Match: \"0\", \"1\"\r\n", body: "", status: "304 Not Modified"),
        Case(
            name: "a tag that the client does not have", reply: response("kept", "ETag: \"1\"\r\n"),
            later: "If-None-Match: \"0\"\r\n"),
        Case(
            name: "a time that the client has",
            reply: response("kept", "Last-Modified: Thu, 01 Jan 2026 10:00:00 GMT\r\n"),
            later: "If-Modified-Since: Thu, 01 Jan 2026 10:00:00 GMT\r\n", body: "", status: "304 Not Modified"),
        Case(
            name: "no content", reply: "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n", body: "",
            status: "204 No Content"),
        Case(
            name: "a permanent redirect", reply: response("kept", "Location: /b\r\n", status: "301 Moved"),
            status: "301 Moved"),
        Case(name: "an empty body", reply: response(""), body: ""),
    ]

    private static let refused = [
        Case(name: "no-store of the response", reply: response("kept", "Cache-Control: max-age=60, No-Store\r\n")),
        Case(
            name: "no-store in a second field",
            reply: response("kept", "Cache-Control: public\r\nCache-Control: no-store\r\n")),
        Case(name: "no-store of the request", first: "Cache-Control: no-store\r\n"),
        Case(name: "no-store of the later request", later: "Cache-Control: no-store\r\n"),
        Case(name: "other credentials", first: "Authorization: Bearer a\r\n", later: "Authorization: Bearer b\r\n"),
        Case(name: "credentials that are gone", first: "Authorization: Bearer a\r\n"),
        Case(name: "another cookie", first: "Cookie: s=1\r\n", later: "Cookie: s=2\r\n"),
        Case(name: "another key of an API", first: "X-Api-Key: 0123456789\r\n", later: "X-Api-Key: 9876543210\r\n"),
        Case(
            name: "another value of Vary", reply: response("kept", "Vary: X-Lang\r\n"), first: "X-Lang: de\r\n",
            later: "X-Lang: en\r\n"),
        Case(
            name: "a field of Vary that is gone", reply: response("kept", "Vary: X-Lang\r\n"), first: "X-Lang: de\r\n"),
        Case(name: "Vary of everything", reply: response("kept", "Vary: accept, *\r\n")),
        Case(name: "an error", reply: response("kept", status: "404 Not Found")),
        Case(
            name: "a part", reply: response("kept", "Content-Range: bytes 0-3/9\r\n", status: "206 Partial Content"),
            first: "Range: bytes=0-3\r\n"),
        Case(
            name: "a part without being asked",
            reply: response("kept", "Content-Range: bytes 0-3/9\r\n", status: "206 Partial Content")),
        Case(name: "a later request for a part", later: "Range: bytes=0-1\r\n"),
        Case(
            name: "a condition that needs the origin", reply: response("kept", "ETag: \"1\"\r\n"),
            later: "If-Match: \"1\"\r\n"),
        Case(name: "another method", firstMethod: "POST"),
        Case(name: "a later method", laterMethod: "POST"),
        Case(name: "another method in a field", first: "X-HTTP-Method-Override: DELETE\r\n"),
        Case(name: "a body that ends with its connection", reply: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nkept"),
        Case(name: "a body that broke off", reply: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nkept"),
        Case(
            name: "chunks that broke off", reply: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nkept\r\n"),
        Case(name: "a stream of events", reply: response("data: a\n\n", "Content-Type: text/event-stream\r\n")),
        Case(
            name: "the body of a response to HEAD",
            reply: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\n", firstMethod: "HEAD"),
    ]

    /// The response after the origin has gone.
    private func later(_ row: Case) async throws -> (head: String, body: String) {
        let backend = Backend(row.reply)
        let harness = try await Harness.start(
            profiles: ["only": Self.profile(backend.url)], active: "only", clock: { Self.now })
        let port = harness.port
        let later = try await blocking {
            let client = try RawConnection.connect(port)
            let length = row.firstMethod == "POST" ? "Content-Length: 0\r\n" : ""
            try client.send(
                "\(row.firstMethod) /a?b=1 HTTP/1.1\r\nHost: x\r\n\(row.first)\(length)Connection: close\r\n\r\n")
            _ = try? client.readToEnd()
            backend.stop()
            return try Self.ask(
                port, row.laterMethod == "POST" ? "Content-Length: 0\r\n" : row.later, method: row.laterMethod)
        }
        await harness.stop()
        #expect(backend.requests.count == 1)
        return later
    }

    @Test(arguments: served) func `a kept response fits`(row: Case) async throws {
        let later = try await later(row)
        #expect(later.head.hasPrefix("HTTP/1.1 \(row.status)\r\n") && later.body == row.body, "\(later)")
        #expect(later.head.contains("; stale=0;"), "\(later)")
        #expect(!later.head.contains("Trailer"), "\(later)")
        let length = later.head.contains("\r\nContent-Length: 4\r\n")
        #expect(length == (row.laterMethod == "HEAD" || row.body == "kept"), "\(later)")
    }

    @Test(arguments: refused) func `nothing was kept that fits`(row: Case) async throws {
        let later = try await later(row)
        #expect(later.head.hasPrefix("HTTP/1.1 502 ") && !later.head.contains("stale="), "\(later)")
    }

    @Test func `a response that must not be stored takes the kept one away, and a broken one does not`() async throws {
        let backend = Backend(Self.response("kept"))
        let harness = try await Harness.start(profiles: ["only": Self.profile(backend.url)], active: "only")
        let port = harness.port
        try await blocking {
            _ = try Self.ask(port)
            _ = try Self.ask(port, path: "/other")
            backend.replies("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nnew")
            #expect(throws: (any Error).self) { try Self.ask(port) }
            // Half a head.
            backend.replies("HTTP/1.1 200 OK\r\nContent-")
            #expect(try Self.ask(port).body == "kept")
            backend.replies(Self.response("secret", "Cache-Control: no-store\r\n"))
            #expect(try Self.ask(port).body == "secret")
            backend.stop()
            #expect(try Self.ask(port).head.hasPrefix("HTTP/1.1 502 "))
            #expect(try Self.ask(port, path: "/other").body == "kept")
        }
        await harness.stop()
    }

    struct Renewal: Sendable, CustomTestStringConvertible {
        let name: String
        var first = "ETag: \"1\"\r\nAge: 100\r\nX-Own: 1\r\nContent-Type: text/a\r\n"
        var asked = "If-None-Match: \"1\"\r\n"
        /// Fields of the 304.
        var says: String
        var fields: [String]
        /// Empty where nothing may be kept any more.
        var body = "kept"
        var missing: [String] = []
        var testDescription: String { name }
    }

    @Test(arguments: [
        Renewal(
            name: "the same tag", says: "ETag: \"1\"\r\nX-Own: 2\r\nX-More: 3\r\n",
            fields: ["Age: 0", "X-Own: 2", "X-More: 3", "ETag: \"1\"", "Content-Type: text/a"], missing: ["X-Own: 1"]),
        Renewal(name: "an age of its own", says: "ETag: \"1\"\r\nAge: 5\r\n", fields: ["Age: 5", "X-Own: 1"]),
        Renewal(
            name: "an age beyond all numbers", says: "ETag: \"1\"\r\nAge: 9223372036854775807\r\n",
            fields: ["Age: 2147483648"]),
        Renewal(name: "an age that is no number", says: "ETag: \"1\"\r\nAge: -5\r\n", fields: ["Age: 0"]),
        Renewal(
            name: "great ages at first", first: "ETag: \"1\"\r\nAge: 99999999999999999999\r\n",
            says: "ETag: \"2\"\r\n", fields: ["Age: 2147483648"]),
        Renewal(
            name: "fields of a body and cookies",
            says: "etag: W/\"1\"\r\nContent-Type: text/b\r\nContent-Encoding: br\r\nSet-Cookie: a=b\r\n",
            fields: ["Age: 0", "Content-Type: text/a", "etag: W/\"1\"", "Content-Length: 4"],
            missing: ["text/b", "Content-Encoding", "Set-Cookie", "ETag: \"1\""]),
        Renewal(
            name: "a time", first: "Last-Modified: Thu, 01 Jan 2026 10:00:00 GMT\r\nAge: 100\r\n",
            asked: "If-Modified-Since: Thu, 01 Jan 2026 10:00:00 GMT\r\n",
            says: "Last-Modified: Thu, 01 Jan 2026 10:00:00 GMT\r\nX: 1\r\n", fields: ["Age: 0", "X: 1"]),
        Renewal(
            name: "another tag", says: "ETag: \"2\"\r\nX-Own: 2\r\n", fields: ["Age: 100", "X-Own: 1"],
            missing: ["X-Own: 2"]),
        Renewal(name: "no validator", says: "X-Own: 2\r\n", fields: ["Age: 100", "X-Own: 1"], missing: ["X-Own: 2"]),
        Renewal(
            name: "a time beside a tag", says: "ETag: \"1\"\r\nLast-Modified: Thu, 01 Jan 2026 10:00:00 GMT\r\n",
            fields: ["Age: 0", "Last-Modified: Thu, 01 Jan 2026 10:00:00 GMT"]),
        Renewal(name: "no-store", says: "ETag: \"1\"\r\nCache-Control: no-store\r\n", fields: [], body: ""),
        Renewal(
            name: "a field that it varies by now", says: "ETag: \"1\"\r\nVary: X-Lang\r\n",
            fields: ["Age: 0", "Vary: X-Lang"]),
    ])
    func `a response of 304 renews the kept one`(row: Renewal) async throws {
        let backend = Backend(Self.response("kept", row.first))
        let harness = try await Harness.start(
            profiles: ["only": Self.profile(backend.url)], active: "only", clock: { Self.now })
        let port = harness.port
        try await blocking {
            _ = try Self.ask(port)
            backend.replies("HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\(row.says)\r\n")
            #expect(try Self.ask(port, row.asked).head.hasPrefix("HTTP/1.1 304 "))
            backend.stop()
            let kept = try Self.ask(port)
            guard !row.body.isEmpty else { return #expect(kept.head.hasPrefix("HTTP/1.1 502 "), "\(kept)") }
            #expect(kept.head.hasPrefix("HTTP/1.1 200 OK\r\n") && kept.body == row.body, "\(kept)")
            for field in row.fields { #expect(kept.head.contains("\r\n\(field)\r\n"), "\(field): \(kept.head)") }
            for field in row.missing { #expect(!kept.head.contains(field), "\(field): \(kept.head)") }
        }
        await harness.stop()
    }

    @Test func `a response of 304 that is private keeps others from a public one`() async throws {
        let backend = Backend(Self.response("kept", "ETag: \"1\"\r\nCache-Control: public\r\n"))
        let harness = try await Harness.start(profiles: ["only": Self.profile(backend.url)], active: "only")
        let port = harness.port
        try await blocking {
            _ = try Self.ask(port, "Authorization: Bearer a\r\n")
            backend.replies(
                "HTTP/1.1 304 Not Modified\r\nConnection: close\r\nETag: \"1\"\r\nCache-Control: private\r\n\r\n")
            _ = try Self.ask(port, "Authorization: Bearer a\r\nIf-None-Match: \"1\"\r\n")
            backend.stop()
            #expect(try Self.ask(port, "Authorization: Bearer a\r\n").body == "kept")
            #expect(try Self.ask(port, "Authorization: Bearer b\r\n").head.hasPrefix("HTTP/1.1 502 "))
            #expect(try Self.ask(port).head.hasPrefix("HTTP/1.1 502 "))
        }
        await harness.stop()
    }

    /// An address of this machine that is none of loopback; nil where there is none.
    private static let lan = NetworkInterface.all().first { $0.address.family == .ipv4 }?.address

    @Test(.enabled(if: lan != nil), arguments: [false, true])
    func `no client gets what another one was sent`(isPaired: Bool) async throws {
        let backend = Backend(Self.response("secret"))
        let lan = try #require(Self.lan)
        let everywhere = SocketAddress(family: .ipv4, bytes: [0, 0, 0, 0], port: 0)
        let harness = try await Harness.start(
            profiles: ["only": Self.profile(backend.url)], active: "only", address: everywhere)
        if isPaired { _ = try #require(harness.proxy.devices.assign("only", at: lan)) }
        let port = harness.port
        // The system takes the address that is connected to for the client's, too.
        @Sendable func ask(_ host: [UInt8], _ path: String) throws -> String {
            let client = try RawConnection.connect(port, host: host)
            try client.send("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return try client.readHead()
        }
        let (here, there) = ([127, 0, 0, 1] as [UInt8], lan.bytes)
        try await blocking {
            _ = try ask(here, "/here")
            _ = try ask(there, "/there")
            backend.stop()
            #expect(try ask(here, "/here").contains("stale=") && ask(there, "/there").contains("stale="))
            #expect(try ask(here, "/there").hasPrefix("HTTP/1.1 502 "))
            #expect(try ask(there, "/here").hasPrefix("HTTP/1.1 502 "))
        }
        await harness.stop()
    }

    @Test func `a response that takes longer than the stated time is the kept one`() async throws {
        let backend = Backend(Self.response("kept"))
        let time = VirtualClock()
        let harness = try await Harness.start(
            profiles: ["only": Self.profile(backend.url, #"{"slowerThan": "2s"}"#)], active: "only",
            limits: shortLimits { $0.responseTime = 20 * Limits.second }, time: time)
        let port = harness.port
        try await blocking {
            _ = try Self.ask(port)
            backend.replies("")
            /// Until a response is there, or for so long; then it only has to come.
            func wait(_ path: String, _ limit: Double) throws -> (head: String, seconds: Double) {
                let client = try RawConnection.connect(port)
                let count = backend.requests.count
                try client.send("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                #expect(eventually { backend.requests.count > count })
                var seconds = 0.0
                #expect(
                    eventually {
                        if client.waitForInput(milliseconds: seconds < limit ? 10 : 60_000) { return true }
                        harness.proxy.advance(time, by: 0.25)
                        seconds += 0.25
                        return false
                    })
                return (try client.readHead(), seconds)
            }
            let kept = try wait("/a?b=1", 2.25)
            #expect(
                kept.head.contains("; tried=\"\(backend.url) did not respond within 2 s"), "\(kept)")
            #expect(kept.seconds >= 2, "\(kept)")
            // There is nothing to wait less for.
            let unknown = try wait("/unknown", 20.25)
            #expect(unknown.head.hasPrefix("HTTP/1.1 504 ") && unknown.seconds > 15, "\(unknown)")
        }
        await harness.stop()
    }

    @Test func `a profile never gets what another one has kept`() async throws {
        let backend = Backend(Self.response("secret"))
        let harness = try await Harness.start(
            profiles: [
                "production": Self.profile(backend.url, kind: "production"),
                "local": Self.profile(backend.url),
                "child": #"{"kind": "local", "extends": "production"}"#,
                "chain":
                    #"{"kind": "local", "offline": "serve-last", "cache": "as-is", "routes": [{"origin": ["http://127.0.0.1:\#(ScriptedOrigin.closedPort())", "profile:production"]}]}"#,
            ], active: "production")
        let port = harness.port
        func ask(_ profile: String) async throws -> String {
            try await blocking { try Self.ask(port, "Shunt-Profile: \(profile)\r\n").head }
        }
        _ = try await ask("production")
        backend.stop()
        let heads = (
            own: try await ask("production"), local: try await ask("local"), child: try await ask("child"),
            // It leads to the profile, which responds by what it has kept itself.
            chain: try await ask("chain")
        )
        await harness.stop()
        #expect(heads.own.contains("stale="), "\(heads.own)")
        for head in [heads.local, heads.child] { #expect(head.hasPrefix("HTTP/1.1 502 "), "\(head)") }
        #expect(heads.chain.contains("production; route=") && heads.chain.contains("stale="), "\(heads.chain)")
    }

    @Test func `what a chain got of another profile is not kept as its own`() async throws {
        let backend = Backend(Self.response("secret"))
        let dead = "http://127.0.0.1:\(ScriptedOrigin.closedPort())"
        let harness = try await Harness.start(
            profiles: [
                "production": #"{"kind": "production", "routes": [{"origin": "\#(backend.url)"}]}"#,
                "local":
                    #"{"kind": "local", "offline": "serve-last", "cache": "as-is", "routes": [{"origin": ["\#(dead)", "profile:production"]}]}"#,
            ], active: "local")
        let port = harness.port
        let heads = try await blocking {
            let first = try Self.ask(port).head
            backend.stop()
            return [first, try Self.ask(port).head]
        }
        await harness.stop()
        #expect(heads[0].hasPrefix("HTTP/1.1 200 ") && heads[1].hasPrefix("HTTP/1.1 502 "), "\(heads)")
    }

    @Test func `a reload keeps what an origin sent, and nothing of one that the route leaves`() async throws {
        let backend = Backend(Self.response("kept"))
        let dead = "http://127.0.0.1:\(ScriptedOrigin.closedPort())"
        let harness = try await Harness.start(profiles: ["only": Self.profile(backend.url)], active: "only")
        let port = harness.port
        let ask: @Sendable () throws -> String = { try Self.ask(port).head }
        _ = try await blocking(ask)
        backend.stop()
        for (url, isKept) in [(dead, false), (backend.url, true)] {
            try harness.proxy.replace(with: Harness.library(["only": Self.profile(url)]))
            let head = try await blocking(ask)
            #expect(head.contains("stale=") == isKept, "\(head)")
        }
        await harness.stop()
    }

    @Test func `a response longer than a quarter is not kept, and the first ones go where the space ends`() async throws
    {
        let backend = Backend(Self.response(String(repeating: "a", count: 16385)))
        let harness = try await Harness.start(
            profiles: ["only": Self.profile(backend.url, #"{"maxSize": "64kB"}"#)], active: "only")
        let port = harness.port
        let kept = try await blocking {
            _ = try Self.ask(port, path: "/long")
            backend.replies(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n4001\r\n"
                    + String(repeating: "b", count: 16385) + "\r\n0\r\n\r\n")
            _ = try Self.ask(port, path: "/chunked")
            backend.replies(Self.response(String(repeating: "c", count: 15_000)))
            for number in 0..<6 { _ = try Self.ask(port, path: "/\(number)") }
            backend.stop()
            return try ["/long", "/chunked", "/0", "/1", "/2", "/3", "/4", "/5"].filter {
                try Self.ask(port, path: $0).head.contains("stale=")
            }
        }
        await harness.stop()
        #expect(kept == ["/2", "/3", "/4", "/5"])
    }

    @Test func `a kept response is changed as the origin's own would be`() async throws {
        let backend = Backend(
            Self.response("kept", "X-Gone: 1\r\nAccess-Control-Allow-Origin: http://nobody.test\r\nVary: Origin\r\n"))
        let harness = try await Harness.start(
            profiles: [
                "only": #"""
                {"kind": "local", "routes": [{"origin": "\#(backend.url)", "offline": "serve-last", "cors": true,
                 "response": {"headers": {"remove": ["X-Gone"], "set": {"X-Own": "1"}}}}]}
                """#
            ], active: "only")
        let port = harness.port
        let heads = try await blocking {
            let first = try Self.ask(port, "Origin: http://page.test\r\n").head
            backend.stop()
            return [first, try Self.ask(port, "Origin: http://page.test\r\n").head]
        }
        await harness.stop()
        #expect(heads[1].contains("stale="))
        for head in heads {
            #expect(head.contains("X-Own: 1\r\n") && !head.contains("X-Gone"), "\(head)")
            #expect(head.contains("Access-Control-Allow-Origin: http://page.test\r\n"), "\(head)")
        }
    }

    @Test func `a fault that stands for an origin out of reach lets the kept response respond`() async throws {
        let backend = Backend(Self.response("kept"))
        func profile(_ more: String) -> String {
            #"{"kind": "local", "offline": "serve-last", "cache": "as-is", "routes": [{"origin": "\#(backend.url)"\#(more)}]}"#
        }
        let harness = try await Harness.start(profiles: ["only": profile("")], active: "only")
        let port = harness.port
        let ask: @Sendable () throws -> String = { try Self.ask(port).head }
        _ = try await blocking(ask)
        for (fault, isKept) in [("dns", true), ("tls", false), ("status", false)] {
            try harness.proxy.replace(with: Harness.library(["only": profile(", \"fault\": \"\(fault)\"")]))
            let head = try await blocking(ask)
            #expect(head.contains("stale=") == isKept, "\(fault): \(head)")
        }
        await harness.stop()
    }

    @Test func `false in a route keeps nothing, and mocks beside it are as ever`() async throws {
        let backend = Backend(Self.response("kept"))
        let harness = try await Harness.start(
            profiles: [
                "only": #"""
                {"kind": "local", "offline": "serve-last", "cache": "as-is", "routes": [{"path": "/m", "mock": {"text": "mock"}},
                 {"path": "/off", "origin": "\#(backend.url)", "offline": false}, {"origin": "\#(backend.url)"}]}
                """#
            ], active: "only")
        let port = harness.port
        let heads = try await blocking {
            for path in ["/off", "/on", "/m"] { _ = try Self.ask(port, path: path) }
            backend.stop()
            return try ["/off", "/on", "/m"].map { try Self.ask(port, path: $0).head }
        }
        await harness.stop()
        #expect(heads[0].hasPrefix("HTTP/1.1 502 ") && heads[1].contains("stale="))
        #expect(heads[2].hasPrefix("HTTP/1.1 200 ") && !heads[2].contains("stale="))
    }
}
