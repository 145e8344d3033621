import Engine
import Exchanges
import Foundation
import Profiles
import TestSupport
import Testing

/// Requests of every kind for every responder, cut at any byte, with any end: what meets in them is drawn by a seed.
@Suite struct ServingSweepTests {
    private static let cases = 700

    private struct Pages: Handler {
        func response(_ request: HandledRequest) async -> HandledResponse {
            HandledResponse(
                status: request.target.contains("bad") ? 404 : 200, fields: [("A", "1")], body: request.body)
        }
    }

    /// Some of what each run has to meet: who responds, and the status.
    private static let outcomes = ["mock 200", "shunt 404", "kept 200"]

    private static let kinds = Fault.Kind.allCases.map(\.rawValue)
    private static let faults = kinds.map {
        #"{"path": "/fault/\#($0)", "mock": {"text": "0123456789"}, "fault": \#(fault($0))}"#
    }

    private static func fault(_ kind: String) -> String {
        kind == "slow" ? #"{"kind": "slow", "rate": "8kbit/s"}"# : "\"\(kind)\""
    }

    /// A project with a route for each responder and wrapper.
    private static func project() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let routes =
            [
                #"{"path": "/mock", "mock": {"text": "hello"}, "cors": true}"#,
                #"{"path": "/delay", "mock": {"text": "late", "delay": "20ms"}}"#,
                ##"{"path": "/template", "mock": {"text": "{{body.a}} {{now +9d http}} {{query.q}}", "template": true}}"##,
                #"{"path": "/match", "match": {"json": {"a": 1}}, "mock": {"json": {"a": [1]}}}"#,
                #"{"path": "/turns", "mock": {"responses": [{"text": "1"}, {"status": 503}], "loop": true}}"#,
                #"{"path": "/redirect", "redirect": "https://other.test/x"}"#,
                #"{"path": "/files/*", "files": "../site", "fallthrough": true, "origin": "http://files.test"}"#,
                #"{"path": "/recording/*", "recording": "shop"}"#,
                #"{"path": "/chain", "origin": ["http://one.test", "http://two.test"], "fallback": {"statuses": [404]}}"#,
                #"{"path": "/origin", "origin": "http://origin.test"}"#,
                #"{"path": "/kept", "origin": "http://kept.test", "offline": "serve-last"}"#,
                #"{"path": "/network", "mock": {"text": "x"}, "network": {"latency": "30ms", "down": "1Mbit/s"}}"#,
                """
                {"path": "/edits", "origin": "http://edits.test", "request": {"headers": {"set": {"X": "1"}}},
                "response": {"status": {"200": 201}}, "inject": {"body": "<p>"}, "rewrite": {"bodies": true}}
                """,
                #"{"path": "/bridge", "mock": {"text": "<body>", "headers": {"Content-Type": "text/html"}}, "bridge": "../bridge.json"}"#,
                #"{"path": "/3/device/*", "push": {"environment": "mock"}}"#,
            ] + faults
        try folder.write("Profiles/only.json", #"{"kind": "local", "routes": [\#(routes.joined(separator: ","))]}"#)
        try folder.write("Profiles/production.json", Harness.origin("http://production.test", kind: "production"))
        try folder.write("site/index.html", "<body></body>")
        try folder.write("bridge.json", "{ webkit: { a: {} } }")
        let entry = """
            {"startedDateTime": "2020-01-01T00:00:00.000Z", "request": {"method": "GET", "url": "http://localhost/recording/x"},
            "response": {"status": 200, "headers": [], "content": {"mimeType": "text/plain", "text": "recorded"}}}
            """
        try folder.write("Recordings/shop.har", #"{"log": {"entries": [\#(entry)]}}"#)
        return folder
    }

    private static let paths =
        [
            "/mock", "/delay?a=1", "/template?q=%00", "/match", "/turns", "/redirect", "/files/index.html", "/files/no",
            "/recording/x", "/recording/no", "/chain", "/origin", "/network",
            "/edits", "/bridge", "/no",
            "/3/device/00", "/__shunt/bad", "/__shunt/bad", "*", "http://localhost/mock", "/%ff/../mock",
        ] + kinds.map { "/fault/\($0)" }
    /// What several requests have to meet, or all of a request.
    private static let wanted = ["/kept", "/kept", "/__shunt/x"]
    private static let methods = [
        "GET", "GET", "GET", "GET", "HEAD", "POST", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW",
        "CONNECT",
    ]
    private static let fields = [
        "", "", "Accept: text/html\r\n", "Accept: application/problem+json\r\n", "Accept: application/json\r\n",
        "Connection: close\r\n", "Shunt-Profile: production\r\n", "Shunt-Profile: no\r\n", "Range: bytes=0-3,5-\r\n",
        "Max-Forwards: 0\r\n", "Cookie: shunt-device=1\r\n", "If-None-Match: \"1\"\r\n", "Origin: http://localhost\r\n",
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
        "Authorization: bearer a.b.c\r\n", "X-HTTP-Method-Override: DELETE\r\n",
    ]
    /// Field lines with a body, and its content.
    private static let bodies = [
        ("\r\n", ""), ("\r\n", ""), ("\r\n", ""), ("Content-Length: 0\r\n\r\n", ""),
        ("Content-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}", "{\"a\":1}"),
        ("Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\n_method=x", "_method=x"),
        (
            "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 12\r\n\r\n--b\r\n\r\n--b--",
            "--b\r\n\r\n--b--"
        ),
        ("Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: 1\r\n\r\n", "abc"),
        ("Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc", "abc"),
        ("Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc", ""),
    ]

    private struct Request {
        let method: String
        let path: String
        let text: String
        /// Its response need not be one that a client can read.
        let isWild: Bool
        /// The body that comes back, for one that the program's own handler responds to.
        let echo: String?

        init(_ random: inout SweepRandom) {
            let drawn = random.pick(random.once(in: 4) ? ServingSweepTests.wanted : ServingSweepTests.paths)
            // What is kept comes again where just the same is asked for.
            let isBare = drawn == "/kept" && !random.once(in: 4)
            method = isBare ? "GET" : random.pick(ServingSweepTests.methods)
            path = method == "CONNECT" ? "a.test:443" : drawn
            let version = random.once(in: 8) ? "1.0" : "1.1"
            let fields = isBare ? "" : random.pick(ServingSweepTests.fields) + random.pick(ServingSweepTests.fields)
            let body = isBare ? ServingSweepTests.bodies[0] : random.pick(ServingSweepTests.bodies)
            text = "\(method) \(path) HTTP/\(version)\r\nHost: localhost\r\n\(fields)\(body.0)"
            echo = path == "/__shunt/x" && method != "HEAD" ? body.1 : nil
            isWild = path.hasPrefix("/fault") || method == "CONNECT" || fields.contains("Upgrade")
        }
    }

    @Test(arguments: Sweep.seeds)
    func `each request gets its response or the connection's end, and nothing stays`(seed: UInt64) async throws {
        let folder = try Self.project()
        let library = try ProfileLibrary.load(directory: folder.path + "/Profiles")
        var met: Set<String> = []
        for block in 0..<UInt64(Self.cases / 50) {
            met.formUnion(
                try await MemoryWorker.run(library: library, pages: Pages()) { worker in
                    var random = SweepRandom(seed: seed << 16 | block)
                    worker.reapIdleConnections()
                    for number in 0..<50 { await Self.serve("\(seed) \(block) \(number)", &random, worker) }
                    // Idle connections, timers and limits end.
                    for _ in 0..<3 { await worker.advance(by: 700) }
                    let counters = worker.state.counters
                    #expect(counters.active == 0 && counters.connecting == 0, "seed \(seed), block \(block)")
                    #expect(counters.webSockets == 0 && counters.openTunnels == 0, "seed \(seed), block \(block)")
                    #expect(worker.state.pools.idleCount == 0, "seed \(seed), block \(block)")
                    #expect(!worker.origins.channels.contains { $0.isOpen }, "seed \(seed), block \(block)")
                    return worker.log.exchanges.map { "\($0.responder ?? "") \($0.status ?? 0)" }
                })
        }
        // Otherwise the requests are refused before anything can happen to them.
        #expect(met.isSuperset(of: Self.outcomes), "\(Set(Self.outcomes).subtracting(met))")
        #expect(!met.contains { $0.hasSuffix(" 421") })
    }

    private static func serve(_ name: String, _ random: inout SweepRandom, _ worker: isolated MemoryWorker) async {
        let requests = (0..<random.pick([1, 1, 2, 3])).map { _ in Request(&random) }
        let bytes = Array(requests.map(\.text).joined().utf8)
        let cut = random.once(in: 3) ? bytes.count : Int(random.next() % UInt64(bytes.count + 1))
        let how = random.pick(["fin", "reset", "silence"])
        let (isTogether, pieces) = (random.once(in: 2), random.pick([Int.max, 1, 7, 64]))
        Sweep.begins(
            "\(name): \(String(decoding: bytes[..<cut], as: UTF8.self).debugDescription), \(how), \(isTogether)")
        func end(_ client: MemoryChannel) {
            if how == "fin" { client.receiveEnd() } else if how == "reset" { client.receiveReset() }
        }
        let client = await worker.connect(window: random.pick([Int.max, .max, .max, 40])) { client in
            client.pieceSize = pieces
            client.receive(bytes[..<cut])
            if isTogether { end(client) }
        }
        await worker.letOriginsRespond(&random)
        if !isTogether { end(client) }
        await worker.letOriginsRespond(&random)
        client.widen(by: Int.max)
        // Delays, faults and what waits for a client that says no more.
        for seconds in [1.0, 200, 400] {
            await worker.advance(by: seconds)
            await worker.letOriginsRespond(&random)
        }
        var ends: [Int] = []
        for request in requests { ends.append((ends.last ?? 0) + request.text.utf8.count) }
        let (begun, whole) = (ends.count { ($0 == ends[0] ? 0 : $0) <= cut }, ends.count { $0 <= cut })
        if how != "reset", !requests.contains(where: \.isWild) {
            let got = SweptResponses(client.takeSent()) { $0 < requests.count && requests[$0].method == "HEAD" }
            #expect(got.count <= max(begun, whole + 1), "\(name): \(got), \(begun), \(whole)")
            for (request, response) in zip(requests, got.all) where response.isWhole && response.status == 200 {
                if let echo = request.echo { #expect(response.body == Array(echo.utf8), "\(name): \(request)") }
            }
            if client.isOpen {
                #expect(got.isWhole && got.count >= whole, "\(name): \(got), \(whole): \(requests.map(\.text))")
            }
        }
        client.receiveEnd()
        await worker.letOriginsRespond(&random)
        await worker.advance(by: 700)
        #expect(!client.isOpen, "\(name): it stays open")
    }
}
