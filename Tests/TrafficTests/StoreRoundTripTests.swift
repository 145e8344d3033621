import Exchanges
import Store
import TestSupport
import Testing

@Suite(.bothStores) struct StoreRoundTripTests {
    @Test func `every fact comes back as it was`() throws {
        var exchange = Exchange(
            startedAt: 1_700_000_000_123_456,
            client: .init(address: "[::1]:50123", version: "HTTP/1.1", tls: "TLSv1.3"),
            method: "PUT", url: "https://API.Shop.test:8443/v1/ü?q=1&q=2#part", status: 503, profile: "staging",
            route: "api.shop.test/v1/*", retries: 2, responder: "origin")
        exchange.reason = "header"
        exchange.client.app = "python3 tests.py"
        exchange.session = "7c0ffee1deadbeef"
        exchange.operation = "query Cart"
        (exchange.graphQLErrors, exchange.grpcStatus) = (2, 14)
        exchange.isUnlocked = true
        exchange.rewritten = ["-cookie", "+x-shunt"]
        exchange.attempts = [
            .init(origin: "https://a.test", outcome: "refused \"it\"\n"), .init(origin: "", outcome: ""),
        ]
        exchange.origin = .init(
            url: "https://origin.test", address: "192.0.2.1:443", isReused: true, tls: "TLSv1.2", isResumed: true,
            trust: "default", trustDecision: "verified", version: "HTTP/1.1")
        exchange.timings.blocked = 1
        exchange.timings.dns = 0
        exchange.timings.connect = 3
        exchange.timings.tls = 4
        exchange.timings.send = 5
        exchange.timings.wait = 6
        exchange.timings.receive = 7
        exchange.timings.total = 25
        exchange.bytes.request = 1 << 40
        exchange.bytes.response = 17
        exchange.failure = .init(side: "origin", stage: "wait", message: "it said \u{0}nothing\u{0}")

        let reader = try StoreBench().recorded([Pieces.whole(9, exchange)])
        if StoreKind.current == .postgres {
            // It cannot store a NUL.
            exchange.failure?.message = "it said \u{2400}nothing\u{2400}"
        }
        let summary = try #require(try reader.page(limit: 10).first)
        #expect(summary.isEnded)
        exchange.id = summary.id
        #expect("\(summary.exchange)" == "\(exchange)")
        let record = try #require(try reader.record(summary.id))
        #expect("\(record.summary.exchange)" == "\(exchange)")
    }

    @Test(arguments: [
        ("https://API.Shop.test:8443/a/b?x=1?2#f?", "api.shop.test"), ("http://shop.test", "shop.test"),
        ("https://u:p@[2001:DB8::1]/?", "2001:db8::1"), ("ws://[::1]:90/x", "::1"), ("wss://shop.test?q", "shop.test"),
        ("https://shop.test:99999999999999999999/", "shop.test"), ("https://2001:db8::1/", "2001:db8::1"),
        ("http://shop.test#a@b", "shop.test"), ("http://a@b@shop.test:1/@c", "shop.test"),
        ("https://", ""), ("/only/path?q", ""), ("", ""), ("a:b", ""), ("a:/", ""), ("a://", ""), ("a:/b/c", ""),
    ])
    func `a host is found whatever stands around it in the URL`(url: String, host: String) throws {
        let reader = try StoreBench().recorded([Pieces.whole(1, Pieces.exchange(url: url))])
        #expect(try reader.count(where: StoreCondition("coalesce(host, '') = ?", [.text(host)])) == 1)
        #expect(try reader.page(limit: 1).first?.exchange.url == url)
    }

    @Test func `heads and trailers come back byte for byte`() throws {
        let odd: [UInt8] = [0x47, 0x00, 0xFF, 0xFE, 0x0D, 0x0A, 0xC3]
        let heads: [(RecordedPiece.Part.Kind, [UInt8])] = [
            (.clientRequest, odd + [1]), (.originRequest, odd + [2]), (.originResponse, odd + [3]),
            (.clientResponse, odd + [4]), (.requestTrailers, odd + [5]), (.responseTrailers, []),
        ]
        let reader = try StoreBench().recorded([Pieces.whole(1, Pieces.exchange(), heads)])
        let record = try #require(try reader.record(1))
        #expect(record.clientRequest == odd + [1])
        #expect(record.originRequest == odd + [2])
        #expect(record.originResponse == odd + [3])
        #expect(record.clientResponse == odd + [4])
        #expect(record.requestTrailers == odd + [5])
        #expect(record.responseTrailers == [])
        let body = record.requestBody
        #expect(body.kept == 0 && !body.isCut && !body.isDecoded && !body.isUndecodable && !body.isDropped)
        let isThere = try reader.record(2) != nil
        #expect(!isThere)
    }

    @Test(arguments: Circle.values([0, 1, 65_535, 65_536, 65_537, 1 << 20], andAll: [10 << 20]))
    func `a body comes back byte for byte, in pieces`(size: Int) throws {
        var seed: UInt64 = 1
        let body = (0..<size).map { _ -> UInt8 in
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: seed >> 33)
        }
        let reader = try StoreBench().recorded(
            [Pieces.whole(1, Pieces.exchange(), [(.requestBody, body), (.responseBody, body.reversed())])]
        ) { $0.bodyLimit = 16 << 20 }
        let request = try reader.whole(1, .request)
        #expect(request.bytes == body)
        #expect(request.sizes.allSatisfy { $0 <= 65_536 })
        #expect(try reader.whole(1, .response).bytes == body.reversed())
        #expect(try reader.record(1)?.responseBody.kept == Int64(size))
    }

    @Test func `a long exchange is put together from its pieces, and can be read while it runs`() async throws {
        let bench = try StoreBench()
        let store = try bench.open()
        var facts = Pieces.exchange(status: nil)
        let head = Array("GET / HTTP/1.1\r\nContent-Type: Text/Plain; charset=utf-8\r\n\r\n".utf8)
        _ = store.offer(
            Pieces.piece(5, facts, isFirst: true, isLast: false, [(.clientRequest, head), (.requestBody, [1, 2])]))
        #expect(try await blocking { eventually { (try? TrafficReader(bench.path).newest()) == 1 } })
        let reader = try TrafficReader(bench.path)
        let before = try reader.version()
        #expect(try reader.page(limit: 1).first?.isEnded == false)
        #expect(try reader.whole(1, .request).bytes == [1, 2])

        // In one transaction or in several: both must do.
        for byte in UInt8(3)...9 {
            _ = store.offer(
                Pieces.piece(
                    5, nil, isFirst: false, isLast: false, [(.requestBody, [byte]), (.responseBody, [byte, 0])]))
        }
        facts.status = 200
        _ = store.offer(
            Pieces.piece(
                5, facts, isFirst: false, isLast: true,
                [(.clientResponse, head), (.responseBody, [7]), (.responseTrailers, [8])]))
        store.finish()
        #expect(try reader.version() != before)
        let record = try #require(try reader.record(1))
        #expect(record.summary.isEnded && record.summary.exchange.status == 200)
        #expect(record.summary.requestType == "text/plain")
        #expect(record.clientRequest == head && record.clientResponse == head && record.responseTrailers == [8])
        #expect(try reader.whole(1, .request).bytes == Array(1...9))
        #expect(try reader.whole(1, .response).bytes == (UInt8(3)...9).flatMap { [$0, 0] } + [7])
        #expect(record.requestBody.kept == 9 && record.responseBody.kept == 15)
        #expect(try reader.count() == 1)
    }

    @Test func `messages come back in order, page by page`() throws {
        let kinds = MessageFacts.Kind.allCases
        let facts = (0..<25).map {
            MessageFacts(
                time: Int64($0) * 10, sender: $0.isMultiple(of: 3) ? .client : .origin, kind: kinds[$0 % kinds.count],
                length: Int64($0))
        }
        var pieces = [Pieces.piece(1, Pieces.exchange(), isFirst: true, isLast: false)]
        for (index, fact) in facts.enumerated() {
            let bytes = [UInt8](repeating: UInt8(index), count: index)
            pieces.append(Pieces.piece(1, nil, isFirst: false, isLast: false, [(.message(fact), bytes)]))
        }
        pieces.append(Pieces.piece(1, Pieces.exchange(), isFirst: false, isLast: true))
        let reader = try StoreBench().recorded(pieces)
        var read: [RecordedMessage] = []
        while true {
            let page = try reader.messages(of: 1, after: read.last?.number ?? -1, limit: 10)
            if page.isEmpty { break }
            read += page
        }
        #expect(read.map { $0.number } == Array(0..<25))
        #expect(read.map { $0.facts } == facts)
        #expect(read.map { $0.bytes?.count } == Array(0..<25))
        #expect(try reader.record(1)?.messageCount == 25)
    }

    @Test func `a piece that promises more than it has is taken for what it has`() throws {
        var piece = Pieces.whole(1, Pieces.exchange(), [(.clientRequest, [1, 2])])
        piece.parts.append(.init(.responseBody, length: 1000))
        piece.parts.append(.init(.requestBody, length: -5))
        piece.bytes += [3]
        let reader = try StoreBench().recorded([piece])
        #expect(try reader.whole(1, .response).bytes == [3])
        #expect(try reader.record(1)?.clientRequest == [1, 2])
    }
}
