import Engine
import Exchanges
import Foundation
import JSON
import Store
import TestSupport
import Testing

/// Exchanges as server-sent events.
@Suite struct TrafficEventTests {
    /// One event, cut up.
    struct Event: Equatable {
        var id: String?
        var name: String?
        var data: String?

        init(_ text: String) {
            for line in text.split(separator: "\n") {
                if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
                if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
                if line.hasPrefix("data: ") { data = String(line.dropFirst(6)) }
            }
        }

        var json: JSONValue? { data.flatMap { try? JSONReader.read($0) } }
        var exchange: Int64? { json?["id"]?.number?.int64 }
    }

    /// Reads chunked events from a connection.
    final class Listener: @unchecked Sendable {
        private let client: RawConnection
        private var text = ""

        init(_ admin: AskedAdmin, _ query: String = "", _ fields: String = "") throws {
            client = try admin.connect("GET", "/v1/traffic/events\(query)", fields)
            let head = try client.readHead()
            #expect(head.contains("\r\nContent-Type: text/event-stream\r\n"), "\(head)")
            // What is said at the beginning says that everything from now on will come.
            #expect(try next().isEmpty)
        }

        private func next() throws -> [Event] {
            while true {
                if let end = text.range(of: "\n\n") {
                    let event = Event(String(text[..<end.lowerBound]))
                    text = String(text[end.upperBound...])
                    return event.name == nil ? [] : [event]
                }
                // A line's end is one character.
                let size = Int(try client.read(until: "\r\n").dropLast(), radix: 16) ?? 0
                try #require(size > 0, "the events have ended")
                text += try client.read(count: size)
                _ = try client.read(count: 2)
            }
        }

        func events(_ count: Int) throws -> [Event] {
            var events: [Event] = []
            while events.count < count { events += try next() }
            return events
        }

        func close() { client.close() }
    }

    private func listening(
        _ query: String = "", _ fields: String = "", _ body: @escaping @Sendable (AskedAdmin, Listener) throws -> Void
    ) async throws {
        let admin = try await AskedAdmin()
        try await blocking {
            let listener = try Listener(admin, query, fields)
            try body(admin, listener)
            listener.close()
        }
        await admin.stop()
    }

    @Test func `each exchange comes once it is in the store`() async throws {
        try await listening { admin, listener in
            for id in 1...3 {
                admin.offer(UInt64(id), AskedAdmin.exchange("/\(id)"))
                let event = try listener.events(1)[0]
                #expect(event.id == "\(id)" && event.name == "exchange" && event.exchange == Int64(id))
                #expect(event.json?["url"]?.string == "https://api.shop.test/\(id)")
            }
        }
    }

    @Test func `the filter decides`() async throws {
        try await listening("?filter=~c+500") { admin, listener in
            for id in 1...4 { admin.offer(UInt64(id), AskedAdmin.exchange("/", status: id % 2 == 0 ? 500 : 200)) }
            let found = try listener.events(2)
            #expect(found.map(\.exchange) == [2, 4])
        }
    }

    @Test func `rows come together, each exchange once`() async throws {
        try await listening("?form=row&filter=!~u+/hidden") { admin, listener in
            for id in 1...300 { admin.offer(UInt64(id), AskedAdmin.exchange(id % 3 == 0 ? "/hidden" : "/\(id)")) }
            var rows: [JSONValue] = []
            while rows.count < 200 {
                let event = try listener.events(1)[0]
                let more = try #require(event.json?.array)
                #expect(event.name == "rows" && event.id == more.last?.array?[0].number.map { "\($0.text)" })
                rows += more
            }
            #expect(rows.compactMap { $0.array?[0].number?.int64 } == (1...300).filter { $0 % 3 != 0 })
            #expect(rows[0].array?[3].string == "https://api.shop.test/1" && rows[0].array?[12].bool == false)
        }
    }

    @Test func `a row has what the exchange has`() async throws {
        try await listening("?form=row") { admin, listener in
            var exchange = AskedAdmin.exchange("/a")
            exchange.origin = .init(url: "https://two.test", trust: "pinned", trustDecision: "accepted")
            exchange.failure = .init(side: "origin", stage: "body", message: "it “ended”")
            exchange.attempts = [.init(origin: "https://one.test", outcome: "refused")]
            (exchange.profile, exchange.route, exchange.responder) = ("local", "/*", "origin")
            (exchange.timings.total, exchange.timings.send, exchange.timings.wait) = (5250, 250, 1000)
            (exchange.timings.dns, exchange.timings.connect, exchange.timings.receive) = (10, 20, 2500)
            exchange.origin?.isReused = true
            exchange.client.app = "curl"
            exchange.session = "1a"
            (exchange.operation, exchange.graphQLErrors, exchange.grpcStatus) = ("query Cart", 1, nil)
            exchange.rewritten = ["Location", "+network"]
            exchange.bytes.response = 15
            exchange.startedAt += 1500
            admin.offer(1, exchange, [(.clientResponse, "HTTP/1.1 200 OK\r\nContent-Type: Text/Plain; q=1\r\n\r\n")])
            let row = #"""
                [[1,1700000000001.5,"GET","https://api.shop.test/a",200,"local","/*","origin","text/plain",15,5.25,1.25,false,\#
                "origin/body: it “ended”","https://two.test","pinned","accepted",false,1,0.03,2.5,true,true,"curl","1a",\#
                "query Cart",1,null,0]]
                """#
            let event = try listener.events(1)[0]
            #expect(event.data == row)
            admin.offer(2, AskedAdmin.exchange("/b", status: nil))
            let bare = #"""
                [[2,1700000000000,"GET","https://api.shop.test/b",null,null,null,null,null,0,0,0,false,null,null,null,null,false,0,0,0,false,false,null,null,null,null,null,0]]
                """#
            let next = try listener.events(1)[0]
            #expect(next.data == bare)
        }
    }

    @Test func `a row that lasts comes twice`() async throws {
        try await listening("?form=row") { admin, listener in
            admin.offer(1, AskedAdmin.exchange("/long", status: nil), isLast: false)
            let began = try listener.events(1)[0]
            #expect(began.id == "1" && began.json?.array?[0].array?[12].bool == true)
            admin.offer(1, AskedAdmin.exchange("/long"), isFirst: false)
            let ended = try listener.events(1)[0]
            #expect(ended.id == nil && ended.json?.array?[0].array?[12].bool == false)
        }
    }

    @Test func `another form is refused`() async throws {
        let admin = try await AskedAdmin()
        #expect(try await admin.get("/v1/traffic/events?form=column").status == 400)
        await admin.stop()
    }

    @Test func `one that lasts comes twice, and the second time it does not move the place to go on from`() async throws
    {
        try await listening { admin, listener in
            admin.offer(1, AskedAdmin.exchange("/long", status: nil), isLast: false)
            let began = try listener.events(1)[0]
            #expect(began.id == "1" && began.json?["running"]?.bool == true)
            admin.offer(2, AskedAdmin.exchange("/short"))
            #expect(try listener.events(1)[0].id == "2")
            admin.offer(1, AskedAdmin.exchange("/long"), isFirst: false)
            let ended = try listener.events(1)[0]
            #expect(ended.id == nil && ended.exchange == 1 && ended.json?["running"] == nil)
            #expect(ended.json?["status"]?.number?.int64 == 200)
        }
    }

    @Test(arguments: [(0, [1, 2, 3]), (2, [3])] as [(Int, [Int64])])
    func `a listener goes on where it was`(last: Int, expected: [Int64]) async throws {
        let admin = try await AskedAdmin()
        for id in 1...3 { admin.offer(UInt64(id), AskedAdmin.exchange("/\(id)")) }
        try await admin.waitForCount(3)
        try await blocking {
            let listener = try Listener(admin, "", "Last-Event-ID: \(last)\r\n")
            #expect(try listener.events(expected.count).map(\.exchange) == expected)
            // Nothing more of those that were there.
            admin.offer(4, AskedAdmin.exchange("/4"))
            #expect(try listener.events(1)[0].exchange == 4)
            let fresh = try Listener(admin)
            admin.offer(5, AskedAdmin.exchange("/5"))
            #expect(try fresh.events(1)[0].exchange == 5)
            listener.close()
            fresh.close()
        }
        #expect(try await admin.get("/v1/traffic/events", "Last-Event-ID: x\r\n").status == 400)
        await admin.stop()
    }

    @Test func `a listener that is far behind is told what it has missed`() async throws {
        let admin = try await AskedAdmin()
        for id in 1...1500 { admin.offer(UInt64(id), AskedAdmin.exchange("/\(id)")) }
        try await admin.waitForCount(1500)
        try await blocking {
            let listener = try Listener(admin, "", "Last-Event-ID: 100\r\n")
            let first = try listener.events(2)
            #expect(first[0].name == "skipped" && first[0].json?["exchanges"]?.number?.int64 == 400)
            #expect(first[1].exchange == 501)
            listener.close()
        }
        await admin.stop()
    }

    /// Its end would wait for minutes, which a response may stand still.
    @Test(.timeLimit(.minutes(2)))
    func `one who does not read holds nobody up, and Shunt's end least of all`() async throws {
        let admin = try await AskedAdmin()
        let path = "/" + String(repeating: "x", count: 4000)
        for id in 1...1000 { admin.offer(UInt64(id), AskedAdmin.exchange(path)) }
        try await admin.waitForCount(1000)
        let silent = try await blocking {
            let silent = try admin.connect("GET", "/v1/traffic/events", "Last-Event-ID: 0\r\n")
            let reader = try Listener(admin)
            admin.offer(1001, AskedAdmin.exchange("/new"))
            #expect(try reader.events(1)[0].exchange == 1001)
            reader.close()
            return silent
        }
        #expect(try await admin.get("/v1/traffic?limit=1").status == 200)
        await admin.stop()
        silent.close()
    }

    @Test func `there is room for so many, and each one that leaves makes some`() async throws {
        let admin = try await AskedAdmin()
        try await blocking {
            var listeners = try (0..<16).map { _ in try Listener(admin) }
            let refused = try admin.connect("GET", "/v1/traffic/events")
            let head = try refused.readHead()
            #expect(head.hasPrefix("HTTP/1.1 503 ") && head.contains("\r\nRetry-After: 1\r\n"))
            listeners.removeFirst().close()
            let isAdmitted = try eventually {
                let client = try admin.connect("GET", "/v1/traffic/events")
                return try client.readHead().hasPrefix("HTTP/1.1 200 ")
            }
            #expect(isAdmitted)
            for listener in listeners { listener.close() }
        }
        await admin.stop()
    }
}
