import Engine
import Exchanges
import TestSupport
import Testing

/// What becomes of the fields of distributed traces on their way (W3C Trace Context).
@Suite struct TraceTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let span = "b7ad6b7169203331"
    private static let parent = "00-\(trace)-\(span)-01"

    /// The fields of traces in a head, in small letters.
    private func fields(_ head: String) -> (parents: [String], states: [String]) {
        let lines = head.split(separator: "\r\n").map { $0.split(separator: ":", maxSplits: 1).map(String.init) }
        func values(_ name: String) -> [String] {
            lines.filter { $0.count == 2 && $0[0].lowercased() == name }.map { String($0[1].dropFirst()) }
        }
        return (values("traceparent"), values("tracestate"))
    }

    /// The head that an origin gets for a request with these fields.
    private func sent(
        _ requestFields: String, _ client: ClientKind = .h1, _ kind: OriginKind = .h1,
        _ tracing: TraceSampling? = TraceSampling()
    ) async throws -> (head: String, exchange: Exchange?) {
        let heads = Box()
        let origin = ScriptedOrigin { connection, _ in
            while let head = try? connection.readHead(), !head.isEmpty {
                heads.put(head)
                try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
            }
        }
        defer { origin.stop() }
        let stage = try await kind.start(origin, tracing: tracing)
        let port = stage.port
        let seen = try await blocking { try client.ask(port, "GET", "/a", fields: requestFields) }
        #expect(seen.status == "HTTP/1.1 204", "\(seen.status)")
        await stage.stop()
        return (heads.take(), stage.outer.log.exchanges.first)
    }

    @Test(arguments: HTTP2MatrixTests.mixes)
    func `a trace goes on with a span of its own, in every version`(client: ClientKind, kind: OriginKind) async throws {
        let (head, exchange) = try await sent(
            "traceparent: \(Self.parent)\r\ntracestate: a=1,b=2\r\ntracestate: c=3\r\n", client, kind)
        let (parents, states) = fields(head)
        let parts = (parents.first ?? "").split(separator: "-")
        #expect(parents.count == 1 && parts.count == 4 && parts[0] == "00" && parts[3] == "01")
        #expect(parts.count == 4 && parts[1] == Self.trace && parts[2] != Self.span && parts[2].count == 16)
        #expect(states.joined(separator: ",") == "a=1,b=2,c=3")
        let trace = try #require(exchange?.trace)
        #expect(trace.id.text == Self.trace && trace.parent.map(TraceParent.text) == Self.span && trace.isSampled)
        // The origin's parent is the attempt, whose parent is the exchange.
        #expect(trace.attempts.map { TraceParent.text(ofSpan: $0.span) } == [String(parts[2])])
        #expect(trace.span != trace.attempts.first?.span)
    }

    @Test(arguments: [
        "", "traceparent: 00-\(trace)-\(span)-1\r\n", "traceparent: ff-\(trace)-\(span)-01\r\n",
        "traceparent: 00-\(trace.uppercased())-\(span)-01\r\n", "traceparent: \(parent)\r\ntraceparent: \(parent)\r\n",
        "traceparent: \(parent), \(parent)\r\n", "traceparent:\r\n",
    ])
    func `a trace begins where there is none that can be read, and takes no state over`(given: String) async throws {
        let (head, exchange) = try await sent(given + "tracestate: a=1\r\n")
        let (parents, states) = fields(head)
        let parts = (parents.first ?? "").split(separator: "-")
        #expect(parents.count == 1 && parts.count == 4 && parts[3] == "01", "\(parents)")
        #expect(parts.count == 4 && parts[1] != Self.trace && states.isEmpty)
        #expect(exchange?.trace?.parent == nil)
    }

    @Test func `a name in capital letters is the same field`() async throws {
        let (parents, _) = fields(try await sent("TraceParent: \(Self.parent)\r\n").head)
        #expect(parents.count == 1 && parents[0].hasPrefix("00-\(Self.trace)-"))
    }

    @Test func `a faulty state ends, and the trace goes on; a long one is shortened`() async throws {
        let faulty = fields(try await sent("traceparent: \(Self.parent)\r\ntracestate: A=1\r\n").head)
        #expect(faulty.parents.first?.hasPrefix("00-\(Self.trace)-") == true && faulty.states.isEmpty)
        let long = "b=" + String(repeating: "v", count: 200)
        let short = (0..<4).map { "k\($0)=" + String(repeating: "v", count: 90) }.joined(separator: ",")
        let shortened = fields(
            try await sent("traceparent: \(Self.parent)\r\ntracestate: \(long)\r\ntracestate: \(short)\r\n").head)
        #expect(shortened.states == [short])
    }

    @Test func `what a client does not want recorded stays so`() async throws {
        let given = "traceparent: 00-\(Self.trace)-\(Self.span)-00\r\n"
        let (head, exchange) = try await sent(given)
        #expect(fields(head).parents.first?.hasSuffix("-00") == true)
        #expect(exchange?.trace?.isSampled == false)
    }

    @Test func `the share of traces that begin here says so in their flags`() async throws {
        let none = try await sent("", .h1, .h1, TraceSampling(share: 0))
        #expect(fields(none.head).parents.first?.hasSuffix("-00") == true)
        let all = try await sent("", .h1, .h1, TraceSampling(share: 1))
        #expect(fields(all.head).parents.first?.hasSuffix("-01") == true)
    }

    @Test func `without tracing the fields pass as they are`() async throws {
        let given = "traceparent: nonsense\r\ntracestate: A=1\r\n"
        let (head, exchange) = try await sent(given, .h1, .h1, nil)
        #expect(fields(head).parents == ["nonsense"] && fields(head).states == ["A=1"])
        #expect(exchange?.trace == nil)
    }

    @Test func `a handshake of a WebSocket has its span, too`() async throws {
        let heads = Box()
        let origin = ScriptedOrigin { connection, _ in
            heads.put(try connection.readHead())
            try connection.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        }
        defer { origin.stop() }
        let harness = try await Harness.start(
            profiles: ["only": Harness.origin("http://127.0.0.1:\(origin.port)")], active: "only",
            tracing: TraceSampling())
        let port = harness.port
        let head = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send(
                "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                    + "traceparent: \(Self.parent)\r\n\r\n")
            return try client.readHead()
        }
        #expect(head.hasPrefix("HTTP/1.1 101 "), "\(head)")
        await harness.stop()
        let (parents, _) = fields(heads.take())
        #expect(parents.count == 1 && parents[0].hasPrefix("00-\(Self.trace)-") && !parents[0].contains(Self.span))
    }

    @Test func `each candidate of a chain has a span of its own, which says how it ended`() async throws {
        let (first, second) = (Box(), Box())
        let busy = ScriptedOrigin { connection, _ in
            first.put(try connection.readHead())
            try connection.send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")
        }
        let good = ScriptedOrigin { connection, _ in
            second.put(try connection.readHead())
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        defer {
            busy.stop()
            good.stop()
        }
        let closed = FreePort.find()
        let chain = """
            {"kind": "local", "routes": [{"origin": ["http://127.0.0.1:\(closed)", "http://127.0.0.1:\(busy.port)",
              "http://127.0.0.1:\(good.port)"], "fallback": {"statuses": [503]}}]}
            """
        let harness = try await Harness.start(profiles: ["only": chain], active: "only", tracing: TraceSampling())
        let port = harness.port
        let seen = try await blocking { try ClientKind.h1.ask(port, "GET", "/a", fields: "") }
        await harness.stop()
        #expect(seen.status == "HTTP/1.1 200", "\(seen.status)")
        let trace = try #require(harness.log.exchanges.first?.trace)
        #expect(trace.attempts.map(\.failure) == ["origin.connect", "origin.status", nil])
        #expect(trace.attempts.map(\.origin).map { $0.hasPrefix("http://127.0.0.1:") } == [true, true, true])
        #expect(Set(trace.attempts.map(\.span)).count == 3)
        #expect(zip(trace.attempts, trace.attempts.dropFirst()).allSatisfy { $0.start <= $0.end && $0.end <= $1.start })
        let sent = fields(first.take()).parents + fields(second.take()).parents
        let spans = trace.attempts.dropFirst().map { TraceParent.text(ofSpan: $0.span) }
        #expect(sent.map { String($0.split(separator: "-")[2]) } == spans)
    }
}
