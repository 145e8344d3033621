import Engine
import Exchanges
import Synchronization
import TestSupport
import Testing

/// Several that may respond, asked in their order.
@Suite struct ChainTests {
    /// Responses everything with a status and its name, and remembers what it was sent.
    final class Named: Sendable {
        final class Requests: Sendable {
            private let all = Mutex<[String]>([])
            func add(_ request: String) { all.withLock { $0.append(request) } }
            var list: [String] { all.withLock { $0 } }
        }

        let origin: ScriptedOrigin
        private let requests = Requests()
        var received: [String] { requests.list }
        var url: String { "http://127.0.0.1:\(origin.port)" }

        init(_ name: String, status: Int = 200, fields: String = "") {
            let requests = requests
            origin = ScriptedOrigin { connection, _ in
                while true {
                    let head = try connection.readHead()
                    var body = ""
                    if let field = head.split(separator: "\r\n").first(where: { $0.hasPrefix("Content-Length: ") }) {
                        body = try connection.read(count: Int(field.dropFirst(16)) ?? 0)
                    } else if head.contains("Transfer-Encoding: chunked") {
                        body = try connection.read(until: "0\r\n\r\n")
                    }
                    requests.add(head + body)
                    try connection.send(
                        "HTTP/1.1 \(status) X\r\n\(fields)Content-Length: \(name.count)\r\n\r\n\(name)")
                }
            }
        }

        deinit { origin.stop() }
    }

    private static func chain(_ attempts: [String], fallback: String = "{}", more: String = "") -> String {
        let list = attempts.map { "\"\($0)\"" }.joined(separator: ", ")
        return
            #"{"kind": "local", "routes": [{"path": "/a/*", "origin": [\#(list)], "fallback": \#(fallback)\#(more)}]}"#
    }

    private func ask(
        _ port: UInt16, _ method: String = "GET", _ fields: String = "", _ body: String = ""
    ) async throws -> (head: String, body: String) {
        try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("\(method) /a/b HTTP/1.1\r\nHost: x\r\n\(fields)Connection: close\r\n\r\n\(body)")
            return (try client.readHead(), try client.readToEnd())
        }
    }

    @Test func `where nobody listens the next one responds, and is asked at once for some seconds`() async throws {
        let dead = ScriptedOrigin.closedPort()
        let next = Named("next")
        let harness = try await Harness.start(
            profiles: ["one": Self.chain(["http://127.0.0.1:\(dead)", next.url], fallback: #"{"remember": "60s"}"#)],
            active: "one")
        let first = try await ask(harness.port)
        #expect(first.body == "next")
        #expect(first.head.contains("; tried=\"http://127.0.0.1:\(dead) refused the connection\""))
        // Somebody listens there now, and is passed over all the same: that is what remembering means.
        let second = try await ask(harness.port, "POST", "Content-Length: 3\r\n", "abc")
        #expect(second.body == "next" && second.head.contains("passed over"))
        #expect(next.received.last?.hasSuffix("abc") == true)
        let attempts = harness.log.exchanges.map { $0.attempts.map(\.origin) }
        #expect(attempts == [["http://127.0.0.1:\(dead)"], ["http://127.0.0.1:\(dead)"]])
        await harness.stop()
    }

    @Test(arguments: [
        (fields: "Content-Length: 5\r\n", body: "hello"),
        (fields: "Transfer-Encoding: chunked\r\n", body: "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"),
        (fields: "Content-Length: 0\r\n", body: ""),
        (fields: "Expect: 100-continue\r\nContent-Length: 5\r\n", body: "hello"),
    ])
    func `a status that declines passes the request on, its body too`(fields: String, body: String) async throws {
        let (first, second) = (Named("no", status: 404), Named("yes"))
        let harness = try await Harness.start(
            profiles: ["one": Self.chain([first.url, second.url], fallback: #"{"statuses": [404, 501]}"#)],
            active: "one")
        var response = try await ask(harness.port, "POST", fields, body)
        if response.head.hasPrefix("HTTP/1.1 100 ") {
            #expect(fields.contains("Expect"))
            response.head = response.body
        }
        #expect(response.head.hasPrefix("HTTP/1.1 200 ") && response.body.hasSuffix("yes"))
        #expect(response.head.contains("responded 404"))
        #expect(first.received.count == 1 && second.received.count == 1)
        let bodies = [first, second].map { $0.received[0].components(after: "\r\n\r\n") }
        #expect(bodies[0] == bodies[1])
        if body.contains("hello") { #expect(bodies[0].contains("hello")) }
        if !body.isEmpty { #expect(bodies[0].contains("l")) }
        #expect(!second.received[0].contains("Expect"))
        await harness.stop()
    }

    @Test func `a body that is too long to be held goes to the first that can be reached, whatever it says`()
        async throws
    {
        let dead = ScriptedOrigin.closedPort()
        let (first, second) = (Named("no", status: 404), Named("yes"))
        let harness = try await Harness.start(
            profiles: [
                "one": Self.chain(
                    ["http://127.0.0.1:\(dead)", first.url, second.url],
                    fallback: #"{"statuses": [404], "hold": "10B"}"#)
            ], active: "one")
        let long = String(repeating: "x", count: 100)
        for fields in ["Content-Length: 100\r\n", "Transfer-Encoding: chunked\r\n"] {
            let isChunked = fields.hasPrefix("T")
            let response = try await ask(harness.port, "PUT", fields, isChunked ? "64\r\n\(long)\r\n0\r\n\r\n" : long)
            #expect(response.head.hasPrefix("HTTP/1.1 404 ") && response.body == "no")
            // In chunks of whatever size.
            #expect(first.received.last?.suffix(112).count { $0 == "x" } == 100)
        }
        #expect(second.received.isEmpty)
        await harness.stop()
    }

    @Test func `one that takes too long is left for the next, if asking twice does no harm`() async throws {
        let silent = ScriptedOrigin { connection, _ in _ = try? connection.read(until: "never") }
        let next = Named("next")
        let harness = try await Harness.start(
            profiles: [
                "one": Self.chain(
                    ["http://127.0.0.1:\(silent.port)", next.url], fallback: #"{"timeout": "100ms"}"#)
            ], active: "one")
        #expect(try await ask(harness.port).body == "next")
        #expect(try await ask(harness.port, "PUT", "Content-Length: 1\r\n", "x").body == "next")
        // It may have been done already.
        let posted = try await ask(harness.port, "POST", "Content-Length: 1\r\n", "x")
        #expect(posted.head.hasPrefix("HTTP/1.1 504 "))
        await harness.stop()
        silent.stop()
    }

    /// A profile that responds to requests with a field by a chain.
    private static func step(_ field: String, _ first: String, _ second: String) -> String {
        #"{"kind": "local", "routes": [{"headers": {"\#(field)": true}, "origin": ["\#(first)", "\#(second)"]}]}"#
    }

    @Test func `a profile in a chain responds with its own route, and chains end`() async throws {
        let staging = Named("staging")
        let dead = ScriptedOrigin.closedPort()
        let harness = try await Harness.start(
            profiles: [
                "local": Self.chain(["http://127.0.0.1:\(dead)", "profile:staging"]),
                "staging": #"{"kind": "staging", "routes": [{"origin": "\#(staging.url)"}]}"#,
                "a": Self.chain(["http://127.0.0.1:\(dead)", "profile:b"]),
                // A circle for requests with both fields alone is none that loading could see.
                "b": Self.step("X-B", "http://127.0.0.1:\(dead)", "profile:c"),
                "c": Self.step("X-C", "http://127.0.0.1:\(dead)", "profile:a"),
            ], active: "local")
        let response = try await ask(harness.port)
        #expect(response.body == "staging")
        #expect(response.head.contains("Shunt-Answered-By: staging; route=\"*\"; tried=\"http://127.0.0.1:\(dead)"))
        let circle = try await ask(harness.port, "GET", "Shunt-Profile: a\r\nX-B: 1\r\nX-C: 1\r\n")
        #expect(circle.head.hasPrefix("HTTP/1.1 508 "))
        await harness.stop()
    }

    @Test func `when nobody responds the last one's failure is told`() async throws {
        let (one, two) = (ScriptedOrigin.closedPort(), ScriptedOrigin.closedPort())
        let harness = try await Harness.start(
            profiles: ["one": Self.chain(["http://127.0.0.1:\(one)", "http://127.0.0.1:\(two)"])], active: "one")
        let response = try await ask(harness.port)
        #expect(response.head.hasPrefix("HTTP/1.1 502 ") && response.body.contains("127.0.0.1:\(two)"))
        #expect(response.body.contains("Asked before: http://127.0.0.1:\(one) ("))
        await harness.stop()
    }

    @Test func `a connection serves on after a chain`() async throws {
        let (first, second) = (Named("no", status: 501), Named("yes"))
        let harness = try await Harness.start(
            profiles: ["one": Self.chain([first.url, second.url], fallback: #"{"statuses": [501]}"#)], active: "one")
        let port = harness.port
        try await blocking {
            let client = try RawConnection.connect(port)
            for _ in 0..<3 {
                try client.send("POST /a/b HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi")
                #expect(try client.readHead().hasPrefix("HTTP/1.1 200 "))
                #expect(try client.read(count: 3) == "yes")
            }
        }
        await harness.stop()
    }

    @Test(arguments: [
        (fields: "Transfer-Encoding: chunked\r\n", begin: "1000\r\nyyyyyyyyy", isReached: false),
        (fields: "Content-Length: 4096\r\n", begin: "", isReached: true),
    ])
    func `a body that nobody took is no request when a mock ends the chain`(
        fields: String, begin: String, isReached: Bool
    ) async throws {
        // It looks at the head and goes: the head has left the input then, and the body has not come.
        let leaving = ScriptedOrigin { connection, _ in _ = try connection.readHead() }
        let first = isReached ? leaving.port : ScriptedOrigin.closedPort()
        let harness = try await Harness.start(
            profiles: [
                "one": Self.chain(["http://127.0.0.1:\(first)", "profile:mocked"], fallback: #"{"hold": "8B"}"#),
                "mocked": #"{"kind": "local", "routes": [{"mock": {"text": "mock"}}]}"#,
            ], active: "one")
        let port = harness.port
        let responses = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("PUT /a/b HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\(begin)")
            let head = try client.readHead()
            try client.send("GET /smuggled HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return head + (try client.readToEnd())
        }
        #expect(responses.hasPrefix("HTTP/1.1 200 ") && responses.hasSuffix("mock"), "\(responses)")
        #expect(responses.contains("Connection: close\r\n"))
        #expect(!harness.log.exchanges.contains { $0.url.hasSuffix("/smuggled") })
        await harness.stop()
        leaving.stop()
    }

    @Test func `one that accepts connections and does not get TLS going is left for the next`() async throws {
        let silent = ScriptedOrigin { connection, _ in _ = try? connection.read(until: "never") }
        // As whoever forwards a port does while nobody is behind it.
        let closing = ScriptedOrigin { _, _ in }
        let plain = ScriptedOrigin { connection, _ in try connection.send("HTTP/1.1 400 Bad Request\r\n\r\n") }
        let next = Named("next")
        for (port, body) in [(silent.port, "next"), (closing.port, "next"), (plain.port, nil)] {
            let harness = try await Harness.start(
                profiles: [
                    "one": Self.chain(["https://127.0.0.1:\(port)", next.url], fallback: #"{"timeout": "200ms"}"#)
                ], active: "one")
            let response = try await ask(harness.port, "POST", "Content-Length: 1\r\n", "x")
            if let body {
                #expect(response.body == body, "\(response)")
                if port == silent.port { #expect(response.head.contains("within 200 ms")) }
            } else {
                // It is there, but not what the profile says: nobody would find out.
                #expect(response.head.hasPrefix("HTTP/1.1 502 "), "\(response)")
            }
            await harness.stop()
        }
        for origin in [silent, closing, plain] { origin.stop() }
    }
}

extension String {
    /// What follows the first `marker`.
    fileprivate func components(after marker: String) -> Substring {
        var at = startIndex
        while at < endIndex {
            if self[at...].hasPrefix(marker) { return self[index(at, offsetBy: marker.count)...] }
            at = index(after: at)
        }
        return ""
    }
}
