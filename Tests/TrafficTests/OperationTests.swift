import Exchanges
import Inspection
import Metrics
import Store
import TestSupport
import Testing

/// The operations of GraphQL that the recorder finds in what it keeps.
@Suite(.bothStores) struct OperationTests {
    private static let json = "Content-Type: application/json\r\n"
    private static let cart = #"{"query":"query Cart { cart { id } }"}"#

    private static func head(_ fields: String = json) -> (RecordedPiece.Part.Kind, [UInt8]) {
        (.clientRequest, Array("POST /graphql HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8))
    }

    private static func response(_ fields: String = json) -> (RecordedPiece.Part.Kind, [UInt8]) {
        (.clientResponse, Array("HTTP/1.1 200 OK\r\n\(fields)\r\n".utf8))
    }

    private static func exchange(_ url: String = "https://a.test/graphql", _ status: Int = 200) -> Exchange {
        Pieces.exchange(url: url, status: status)
    }

    private static func call(_ id: UInt64, _ body: String, _ answer: String = #"{"data":{}}"#) -> RecordedPiece {
        Pieces.whole(
            id, exchange(),
            [head(), (.requestBody, Array(body.utf8)), response(), (.responseBody, Array(answer.utf8))])
    }

    private func found(_ pieces: [RecordedPiece]) throws -> [String] {
        try StoreBench().recorded(pieces) { $0.redact() }.page(after: 0, limit: 100).map {
            "\($0.exchange.operation ?? "-") \($0.exchange.graphQLErrors.map { "\($0)" } ?? "-")"
        }
    }

    @Test func `operations and errors are found in bodies`() throws {
        #expect(
            try found([
                Self.call(1, Self.cart), Self.call(2, Self.cart, #"{"errors":[{"message":"no"},{}]}"#),
                Self.call(3, "[\(Self.cart),{\"query\":\"mutation Pay { pay }\"}]", #"[{"data":1},{"errors":[1]}]"#),
                Self.call(4, #"{"name":"query"}"#, #"{"errors":[1]}"#), Self.call(5, Self.cart, "<html>"),
                Pieces.whole(6, Self.exchange("https://a.test/graphql?query=query+Get%7Ba%7D")),
                Pieces.whole(7, Self.exchange("https://a.test/find?query=shoes")),
            ]) == [
                "query Cart 0", "query Cart 2", "query Cart, mutation Pay 1", "- -", "query Cart -", "query Get -",
                "- -",
            ])
    }

    @Test func `a stored query has the name under which it was seen`() throws {
        func extensions(_ hash: String) -> String {
            #""extensions":{"persistedQuery":{"version":1,"sha256Hash":"\#(hash)"}}"#
        }
        let (first, other) = (String(repeating: "0123456789abcdef", count: 4), String(repeating: "fedcba98", count: 8))
        let operations = try found([
            Self.call(1, "{\(extensions(first))}", #"{"errors":[{"message":"PersistedQueryNotFound"}]}"#),
            Self.call(2, #"{"query":"query Cart { a }","# + extensions(first) + "}"),
            Self.call(3, "{\(extensions(first))}"), Self.call(4, "{\(extensions(other))}"),
            Self.call(5, #"{"operationName":"Pay","# + extensions(other) + "}"),
        ])
        #expect(operations == ["- 1", "query Cart 0", "query Cart 0", "- 0", "Pay 0"])
    }

    @Test func `a call that comes in pieces is named`() throws {
        let body = Array(
            #"{"variables":{"x":"\#(String(repeating: "y", count: 70_000))"},"query":"query Long{a}"}"#.utf8)
        let answer = Array(#"{"errors":[{"message":"\#(String(repeating: "z", count: 90_000))"}]}"#.utf8)
        let operations = try found([
            Pieces.piece(
                1, Self.exchange(), isFirst: true, isLast: false, [Self.head(), (.requestBody, Array(body[..<65_536]))]),
            Pieces.piece(
                1, nil, isFirst: false, isLast: false,
                [(.requestBody, Array(body[65_536...])), Self.response(), (.responseBody, Array(answer[..<65_536]))]),
            Pieces.piece(
                1, Self.exchange(), isFirst: false, isLast: true, [(.responseBody, Array(answer[65_536...]))]),
        ])
        #expect(operations == ["query Long 1"])
        let events = try found([
            Pieces.piece(
                1, Self.exchange(), isFirst: true, isLast: false,
                [
                    Self.head(), (.requestBody, Array(Self.cart.utf8)),
                    Self.response("Content-Type: text/event-stream\r\n"),
                ]),
            Pieces.piece(1, nil, isFirst: false, isLast: false, [Self.message(.event, .origin, #"{"errors":[{}]}"#)]),
            Pieces.piece(1, Self.exchange(), isFirst: false, isLast: true),
        ])
        #expect(events == ["query Cart 1"])
    }

    private static func message(
        _ kind: MessageFacts.Kind, _ sender: MessageFacts.Sender, _ text: String
    ) -> (RecordedPiece.Part.Kind, [UInt8]) {
        let bytes = Array(text.utf8)
        return (.message(MessageFacts(time: 1, sender: sender, kind: kind, length: Int64(bytes.count))), bytes)
    }

    @Test func `a WebSocket has the operations of its subscriptions while it is open`() throws {
        let bench = try StoreBench()
        let store = try bench.open()
        func subscribe(_ name: String, _ type: String) -> (RecordedPiece.Part.Kind, [UInt8]) {
            Self.message(
                .text, .client, #"{"id":"1","type":"\#(type)","payload":{"query":"subscription \#(name){a}"}}"#)
        }
        _ = store.offer(Pieces.piece(1, Self.exchange("wss://a.test/", 101), isFirst: true, isLast: false))
        for part in [
            subscribe("A", "subscribe"), Self.message(.text, .origin, #"{"type":"next","payload":{"errors":[{}]}}"#),
            subscribe("B", "start"), subscribe("A", "subscribe"), Self.message(.text, .client, #"{"query":"no"}"#),
        ] {
            _ = store.offer(Pieces.piece(1, nil, isFirst: false, isLast: false, [part]))
        }
        #expect(store.write(within: 30_000))
        let running = try #require(try TrafficReader(bench.path).page(limit: 1).first)
        #expect(!running.isEnded && running.exchange.operation == "subscription A, subscription B")
        _ = store.offer(Pieces.piece(1, Self.exchange("wss://a.test/", 101), isFirst: false, isLast: true))
        store.finish()
        let ended = try #require(try TrafficReader(bench.path).page(limit: 1).first)
        #expect(ended.exchange.operation == "subscription A, subscription B" && ended.exchange.graphQLErrors == 1)
    }

    @Test func `operations are found by filters, and errors are counted beside failures`() throws {
        let reader = try StoreBench().recorded([
            Self.call(1, Self.cart), Self.call(2, #"{"query":"mutation Pay { a }"}"#, #"{"errors":[1]}"#),
            Self.call(3, "[\(Self.cart),{\"query\":\"{ a }\"}]"), Pieces.whole(4),
        ])
        for (text, ids) in [
            ("~gql ^cart$", [1, 3]), ("~gql .", [1, 2, 3]), ("!~gql .", [4]), ("~gqlerror", [2]),
            ("!~gqlerror", [1, 3, 4]), ("~gql ^mutation ~c 200", [2]), ("~gql ^query$", [3]),
        ] as [(String, [Int64])] {
            let search = try TrafficSearch(reader, matching: text)
            #expect(try search.page(.oldestFirst(after: 0), limit: 10).map(\.id) == ids, "\(text)")
        }
        for filter in ["~all", "~gql .  | !~gql ."] {
            let statistics = try TrafficSearch(reader, matching: filter).statistics(by: .operation)
            #expect(
                Set(statistics.groups.map { "\($0.name ?? "-") \($0.count) \($0.errors)" })
                    == ["query Cart 1 0", "mutation Pay 1 1", "query Cart, query 1 0", "- 1 0"])
            #expect(statistics.total.errors == 1 && statistics.total.failed == 0)
        }
    }

    @Test func `a span names the operation of a short request`() throws {
        #expect(Self.call(1, Self.cart).operation(url: "https://a.test/graphql") == "query Cart")
        #expect(Self.call(1, "{}").operation(url: "https://a.test/?query=query+Q%7Ba%7D") == nil)
        #expect(Pieces.whole(1).operation(url: "https://a.test/?a&query=query+Q%7Ba%7D") == "query Q")
        let long = #"{"query":"query Long {\#(String(repeating: "a ", count: 10_000))}"}"#
        #expect(Self.call(1, long).operation(url: "") == nil)

        func names(_ operation: String?) throws -> [String] {
            var exchange = Self.exchange()
            exchange.operation = operation
            let id = try #require(TraceParent.TraceID(high: 1, low: 2))
            exchange.trace = .init(id: id, span: 1, parent: nil, isSampled: true)
            let message = SpanMessage(resource: [], version: "1").bytes(of: [exchange])
            let text = String(decoding: message.map { $0 >= 0x20 && $0 < 0x7F ? $0 : 0x7C }, as: UTF8.self)
            return ["graphql.operation.name", "graphql.operation.type", "|Cart", "|mutation"].filter {
                text.contains($0)
            }
        }
        #expect(
            try names("mutation Cart") == ["graphql.operation.name", "graphql.operation.type", "|Cart", "|mutation"])
        #expect(try names("mutation") == ["graphql.operation.type", "|mutation"])
        #expect(try names("Cart") == ["graphql.operation.name", "|Cart"])
        #expect(try names("query Cart, mutation Pay") == [] && names("shop.Cart/Add") == [] && names(nil) == [])
    }
}
