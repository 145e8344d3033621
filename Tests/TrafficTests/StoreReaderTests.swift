import Dispatch
import Exchanges
import Store
import TestSupport
import Testing

@Suite(.bothStores) struct StoreReaderTests {
    private func shop() throws -> TrafficReader {
        try StoreBench().recorded(
            (1...100).map { number in
                var exchange = Pieces.exchange(
                    url: "https://\(number.isMultiple(of: 4) ? "img" : "api").shop.test/\(number)",
                    status: number.isMultiple(of: 10) ? 404 : 200)
                if number.isMultiple(of: 10) {
                    exchange.failure = .init(side: "origin", stage: "wait", message: "no")
                }
                exchange.profile = number > 90 ? nil : "local"
                exchange.timings.total = UInt64(number) * 100
                exchange.bytes.response = 10
                exchange.bytes.request = 1
                return Pieces.whole(UInt64(number), exchange)
            } + [Pieces.piece(200, Pieces.exchange(status: nil), isFirst: true, isLast: false)])
    }

    @Test func `pages go on where the last one ended, either way`() throws {
        let reader = try shop()
        #expect(try reader.newest() == 101)
        #expect(try reader.page(limit: 3).map { $0.id } == [101, 100, 99])
        #expect(try reader.page(before: 3, limit: 9).map { $0.id } == [2, 1])
        #expect(try reader.page(after: 99, limit: 9).map { $0.id } == [100, 101])
        #expect(try reader.page(before: 10, after: 5, limit: 9).map { $0.id } == [9, 8, 7, 6])
        #expect(try reader.page(limit: 0).isEmpty && reader.page(limit: -1).isEmpty)
        let images = StoreCondition("host = ? AND status = ?", [.text("img.shop.test"), .integer(404)])
        #expect(try reader.page(where: images, limit: 3).map { $0.id } == [100, 80, 60])
        #expect(try reader.page(where: images, before: 60, limit: 3).map { $0.id } == [40, 20])
        #expect(try reader.page(where: images, after: 60, limit: 9).map { $0.id } == [80, 100])
        #expect(try reader.count(where: images) == 5)
        let either = StoreCondition("id = 1 OR id = 2")
        #expect(try reader.page(where: either, before: 2, limit: 9).map { $0.id } == [1])
    }

    @Test(
        arguments: [
            ("1", [], []), ("host = ?", [.text("a")], ["exchange_host"]),
            ("status = ?", [.integer(404)], ["exchange_status"]), ("profile = 'a' AND route = 'b'", [], []),
            ("host = ? AND status = ?", [.text("a"), .integer(404)], ["exchange_host", "exchange_status"]),
        ] as [(String, [StoreCondition.Value], [String])])
    func `pages are found by an index, without sorting`(
        clause: String, values: [StoreCondition.Value], indexes: [String]
    ) throws {
        // PostgreSQL's plans depend on what there is: PostgresStoreTests.
        guard StoreKind.current == .file else { return }
        let reader = try shop()
        for (before, after) in [(nil, nil), (50, nil), (nil, 50)] as [(Int64?, Int64?)] {
            let plan = try reader.plan(where: StoreCondition(clause, values), before: before, after: after)
            #expect(plan.count == 2 && plan[1].hasPrefix("SEARCH context USING INTEGER PRIMARY KEY"), "\(plan)")
            #expect(indexes.isEmpty || indexes.contains { plan[0].contains($0) }, "\(plan)")
            #expect(indexes.isEmpty || plan[0].hasPrefix("SEARCH"), "\(plan)")
        }
        let old = try reader.plan(where: StoreCondition("started_us BETWEEN 1 AND 2"))
        #expect(old.contains { $0.contains("exchange_started") }, "\(old)")
    }

    @Test func `groups have sums and percentiles`() throws {
        let reader = try shop()
        let hosts = try reader.groups(by: .host)
        #expect(hosts.map { $0.name } == ["api.shop.test", "img.shop.test"])
        #expect(hosts.map { $0.count } == [76, 25])
        #expect(hosts.map { $0.failed } == [5, 5])
        #expect(hosts.map { $0.requestBytes } == [75, 25])
        #expect(hosts.map { $0.responseBytes } == [750, 250])
        for (time, exact) in zip(hosts.flatMap { [$0.median, $0.percentile95] }, [5000, 9500, 5200, 9600] as [Int64]) {
            let time = try #require(time)
            #expect(time >= exact && time * 1000 <= exact * 1016, "\(time) for \(exact)")
        }
        #expect(try reader.groups(by: .status).map { $0.name } == ["200", "404", nil])
        #expect(try reader.groups(by: .profile).map { $0.count } == [90, 11])
        #expect(try reader.groups(by: .node).map { $0.count } == [101])
        #expect(try reader.groups(by: .profile, limit: 1).count == 1)
        let none = try reader.groups(by: .host, where: StoreCondition("status IS NULL"))
        #expect(none.map { $0.median } == [nil])
    }

    @Test(arguments: [0, 1, 127, 128, 129, 1000, 65_535, 1 << 40, Int64.max - 1, Int64.max])
    func `percentiles are close for times of any size`(time: Int64) throws {
        var exchange = Pieces.exchange()
        exchange.timings.total = UInt64(time)
        let reader = try StoreBench().recorded([Pieces.whole(1, exchange)])
        let median = try #require(try reader.groups(by: .host).first?.median)
        #expect(median >= time && Double(median) <= Double(time) * 1.016)
    }

    @Test func `one reads while another writes, and sees whole exchanges only`() throws {
        let bench = try StoreBench()
        let store = try bench.open()
        let body = [UInt8](repeating: 3, count: 200_000)
        let writing = DispatchGroup()
        DispatchQueue(label: "writer").async(group: writing) {
            for id in 1...300 {
                _ = store.offer(Pieces.whole(UInt64(id), Pieces.exchange(), [(.responseBody, body)]))
            }
            store.finish()
        }
        let reader = try TrafficReader(bench.path)
        var seen: Int64 = 0
        let isAllSeen = try eventually {
            for summary in try reader.page(after: seen, limit: 50) {
                #expect(summary.id == seen + 1)
                seen = summary.id
                #expect(try reader.whole(seen, .response).bytes.count == body.count)
            }
            return seen == 300
        }
        #expect(isAllSeen)
        writing.wait()
    }

    @Test func `whoever has read enough of a body says so`() throws {
        let body = [UInt8](repeating: 3, count: 200_000)
        let reader = try StoreBench().recorded([Pieces.whole(1, Pieces.exchange(), [(.responseBody, body)])])
        for limit in 1...3 {
            var count = 0
            try reader.body(of: 1, .response) { _ in
                count += 1
                return count < limit
            }
            #expect(count == limit)
        }
    }
}
