import Exchanges
import Filter
import Foundation
import Inspection
import Store
import TestSupport
import Testing

/// What exchanges have in common stands in rows of its own.
@Suite(.bothStores) struct StoreContextTests {
    /// Of rows that nobody refers to there are none, nor references to rows that are not there.
    private func isConsistent(_ reader: TrafficReader) throws -> Bool {
        let all = try reader.count()
        let orphans = "EXISTS (SELECT 1 FROM context AS c WHERE c.context NOT IN (SELECT context FROM exchange))"
        let found = "exchange.context IN (SELECT context FROM context)"
        let placed = """
            EXISTS (SELECT 1 FROM context AS c WHERE c.context = exchange.context
                AND exchange.id BETWEEN abs(c.context) AND c.last)
            """
        return try reader.count(where: StoreCondition(orphans)) == 0
            && reader.count(where: StoreCondition(found)) == all && reader.count(where: StoreCondition(placed)) == all
    }

    private func contexts(_ reader: TrafficReader) throws -> Int64 {
        let condition = "id = (SELECT max(id) FROM exchange) AND (SELECT count(*) FROM context) = "
        for count in 0...10_000 where try reader.count(where: StoreCondition(condition + "\(count)")) == 1 {
            return Int64(count)
        }
        return -1
    }

    private static func exchange(_ number: Int) -> Exchange {
        var exchange = Pieces.exchange(url: "https://api.shop.test/\(number)")
        exchange.client.address = "192.0.2.\(number % 3):\(1000 + number)"
        exchange.client.tls = number.isMultiple(of: 5) ? "TLSv1.3" : nil
        exchange.profile = "profile \(number % 2)"
        exchange.reason = "active"
        exchange.route = number.isMultiple(of: 7) ? nil : "/*"
        exchange.responder = "origin"
        exchange.rewritten = number.isMultiple(of: 4) ? ["Origin", "-Alt-Svc"] : []
        exchange.origin = .init(
            url: "http://localhost:1", address: "127.0.0.1:1", isReused: number.isMultiple(of: 3), tls: "TLSv1.2",
            trust: "strict", trustDecision: "verified", version: "HTTP/1.1")
        exchange.timings.total = UInt64(number)
        return exchange
    }

    @Test func `each exchange keeps what is its own beside what it has in common with others`() throws {
        let bench = try StoreBench()
        let all = (1...600).map { Self.exchange($0) }
        let types = ["text/a", "text/b"]
        let reader = try bench.recorded(
            all.enumerated().map { at, exchange in
                Pieces.whole(
                    UInt64(at), exchange,
                    [(.originResponse, Array("HTTP/1.1 200 OK\r\nContent-Type: \(types[at % 2])\r\n\r\n".utf8))])
            }, { $0.gathering = 500 })
        let kept = try reader.page(after: 0, limit: 1000)
        #expect(kept.count == all.count)
        for (summary, exchange) in zip(kept, all) {
            var expected = exchange
            expected.id = summary.id
            #expect("\(summary.exchange)" == "\(expected)")
            #expect(summary.responseType == types[Int(summary.id - 1) % 2])
        }
        #expect(try isConsistent(reader))
        // Three clients, TLS or not, two profiles with a type each, a route or none.
        #expect((24...60).contains(try contexts(reader)))
        #expect(try reader.count(where: StoreCondition("profile = 'profile 1' AND client = '192.0.2.1'")) == 100)
        #expect(try reader.groups(by: .profile).map { $0.count } == [300, 300])
    }

    @Test func `more contexts than are remembered at once do no harm`() throws {
        let reader = try StoreBench().recorded(
            (1...2000).map { number in
                var exchange = Self.exchange(number)
                exchange.origin?.trustDecision = "accepted unverified: \(number % 900)"
                return Pieces.whole(UInt64(number), exchange)
            })
        for summary in try reader.page(after: 0, limit: 2000) {
            #expect(summary.exchange.origin?.trustDecision == "accepted unverified: \(summary.id % 900)")
        }
        #expect(try isConsistent(reader))
    }

    @Test func `an exchange that ends otherwise than it began leaves others as they are`() throws {
        let bench = try StoreBench()
        let store = try bench.open { $0.gathering = 100 }
        _ = store.offer(Pieces.piece(1, Self.exchange(6), isFirst: true, isLast: false))
        _ = store.offer(Pieces.whole(2, Self.exchange(6)))
        #expect(eventually { store.statistics.recorded == 1 })
        var ended = Self.exchange(6)
        ended.profile = "another"
        _ = store.offer(Pieces.whole(3, Self.exchange(7)))
        _ = store.offer(Pieces.piece(1, ended, isFirst: false, isLast: true))
        // One that begins and ends between two transactions.
        _ = store.offer(Pieces.piece(4, Self.exchange(6), isFirst: true, isLast: false))
        _ = store.offer(Pieces.whole(5, Self.exchange(6)))
        _ = store.offer(Pieces.piece(4, ended, isFirst: false, isLast: true))
        store.finish()
        let reader = try TrafficReader(bench.path)
        let profiles = try reader.page(after: 0, limit: 9).map { $0.exchange.profile }
        #expect(profiles == ["another", "profile 0", "profile 1", "another", "profile 0"])
        let eraser = try TrafficEraser(bench.path)
        #expect(try eraser.remove(TrafficFilter("~id 1 | ~id 4")) == 2)
        let left = try reader.page(after: 0, limit: 9).map { $0.exchange.profile }
        #expect(left == ["profile 0", "profile 1", "profile 0"])
        #expect(try isConsistent(reader))
    }

    @Test func `contexts go with the last exchange that has them`() throws {
        // PostgreSQL drops partitions as a whole.
        guard StoreKind.current == .file else { return }
        let bench = try StoreBench()
        let store = try bench.open {
            $0.ageLimit = 3600
            $0.gathering = 50
        }
        let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
        for number in 1...1000 {
            var exchange = Self.exchange(number)
            exchange.startedAt = number.isMultiple(of: 2) || number > 600 ? now - 9_000_000_000 : now
            _ = store.offer(Pieces.whole(UInt64(number), exchange))
        }
        #expect(eventually { store.statistics.removed == 700 })
        let reader = try TrafficReader(bench.path)
        #expect(try isConsistent(reader))
        store.write(within: 60_000)
        _ = try TrafficEraser.removeAll(bench.path)
        _ = store.offer(Pieces.whole(1001, Self.exchange(1)))
        store.finish()
        #expect(try contexts(reader) == 1)
    }
}
