import Exchanges
import Foundation
import Store
import TestSupport
import Testing

@Suite struct StoreRetentionTests {
    private func large(_ id: UInt64, started: Int64 = 1_700_000_000_000_000) -> RecordedPiece {
        Pieces.whole(
            id, Pieces.exchange(started: started),
            [(.responseBody, [UInt8](repeating: UInt8(id & 0xFF), count: 100_000))]
        )
    }

    @Test func `the oldest go when the store is too large, those that run stay`() throws {
        let bench = try StoreBench()
        let store = try bench.open { $0.sizeLimit = 8 << 20 }
        let event = MessageFacts(time: 1, sender: .origin, kind: .event, length: 1)
        _ = store.offer(Pieces.piece(1, Pieces.exchange(), isFirst: true, isLast: false, [(.message(event), [1])]))
        for id in 2...1000 { _ = store.offer(large(UInt64(id))) }
        #expect(eventually { store.statistics.waiting == 0 && store.statistics.removed >= 700 })
        #expect(eventually { store.statistics.size <= 8 << 20 })
        _ = store.offer(Pieces.piece(1, Pieces.exchange(status: 299), isFirst: false, isLast: true))
        store.finish()
        let reader = try TrafficReader(bench.path)
        #expect(try reader.newest() == 1000)
        let kept = try reader.page(after: 0, limit: 5000)
        #expect(kept.first?.exchange.status == 299)
        #expect(try reader.record(1)?.messageCount == 1)
        #expect(kept.dropFirst().map { $0.id } == Array((1002 - Int64(kept.count))..<1001))
        #expect(kept.count > 60 && kept.count < 90)
        for orphan in [
            "entry WHERE exchange NOT IN (SELECT id FROM exchange)",
            """
            frame WHERE NOT EXISTS (SELECT 1 FROM exchange AS e WHERE e.id BETWEEN frame.first AND frame.last)
                AND NOT EXISTS (SELECT 1 FROM entry WHERE entry.frame = frame.number)
            """,
        ] { #expect(try reader.count(where: StoreCondition("EXISTS (SELECT 1 FROM \(orphan))")) == 0) }
        #expect(try reader.damages() == [])
    }

    @Test func `what is too old goes, even if it was written last`() throws {
        let bench = try StoreBench()
        let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
        let store = try bench.open { $0.ageLimit = 3600 }
        for id in 1...10 { _ = store.offer(large(UInt64(id), started: now)) }
        // The clock may have been set back and forth.
        for id in 11...20 { _ = store.offer(large(UInt64(id), started: now - 3_700_000_000)) }
        _ = store.offer(
            Pieces.piece(21, Pieces.exchange(started: now - 9_000_000_000), isFirst: true, isLast: false))
        for id in 22...30 { _ = store.offer(large(UInt64(id), started: now + 86_400_000_000)) }
        #expect(eventually { store.statistics.removed == 10 })
        store.finish()
        let kept = try TrafficReader(bench.path).page(after: 0, limit: 100).map { $0.id }
        #expect(kept == Array(1...10) + Array(21...30))
    }

    @Test func `the number of the newest is not given out again after it went for its age`() throws {
        let bench = try StoreBench()
        let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
        let store = try bench.open { $0.ageLimit = 3600 }
        for id in 1...5 { _ = store.offer(large(UInt64(id), started: now - 3_700_000_000)) }
        #expect(eventually { store.statistics.removed == 5 })
        store.finish()
        let next = try bench.open()
        _ = next.offer(large(1, started: now))
        next.finish()
        #expect(try TrafficReader(bench.path).newest() == 6)
    }

    @Test func `messages of an exchange that never ends make room as well`() throws {
        let bench = try StoreBench()
        let store = try bench.open { $0.sizeLimit = 4 << 20 }
        let facts = MessageFacts(time: 1, sender: .origin, kind: .text, length: 50_000)
        let bytes = [UInt8](repeating: 1, count: 50_000)
        _ = store.offer(Pieces.piece(1, Pieces.exchange(), isFirst: true, isLast: false))
        for _ in 0..<400 {
            _ = store.offer(Pieces.piece(1, nil, isFirst: false, isLast: false, [(.message(facts), bytes)]))
        }
        #expect(eventually { store.statistics.waiting == 0 && (1...(4 << 20)).contains(store.statistics.size) })
        // What was written last may still be too much.
        let reader = try TrafficReader(bench.path)
        #expect(try eventually { try reader.messages(of: 1, limit: 1000).count < 100 })
        store.finish()
        let kept = try reader.messages(of: 1, limit: 1000).map { $0.number }
        #expect(!kept.isEmpty && kept.count < 100)
        #expect(kept == Array((400 - Int64(kept.count))..<400))
    }

    @Test func `removed bytes that a reader keeps in the log go when it has ended`() throws {
        let bench = try StoreBench()
        guard StoreKind.current == .file else { return }
        let store = try bench.open()
        let mark = Data("the mark of the removed".utf8)
        for id in 1...50 {
            _ = store.offer(Pieces.whole(UInt64(id), Pieces.exchange(), [(.responseBody, Array(mark))]))
        }
        #expect(store.write(within: 60_000))
        func isLeft() throws -> Bool { try bench.stored().contains { $0.range(of: mark) != nil } }
        let reader = try TrafficReader(bench.path)
        let (removed, obstacle) = try reader.atOnce { () throws(StoreFailure) in
            _ = try reader.newest()
            return (try TrafficEraser.removeAll(bench.path), try TrafficEraser.obstacle(bench.path, within: 1))
        }
        #expect(removed == 50 && obstacle?.isContinued == true && obstacle?.file == bench.path + "-wal")
        // The recorder does it, once a second.
        #expect(try eventually { try !isLeft() })
        #expect(try TrafficEraser.obstacle(bench.path, within: 0) == nil)
        store.finish()
    }

    @Test(arguments: [false, true])
    func `clearing leaves nothing, gives the space back and uses no number twice`(isRunning: Bool) throws {
        let bench = try StoreBench()
        var store = try bench.open()
        for id in 1...300 { _ = store.offer(large(UInt64(id))) }
        if isRunning { _ = store.offer(Pieces.piece(301, Pieces.exchange(), isFirst: true, isLast: false)) }
        store.write(within: 60_000)
        _ = try TrafficEraser.removeAll(bench.path)
        let reader = try TrafficReader(bench.path)
        #expect(try reader.page(after: 0, limit: 9).map { $0.id } == (isRunning ? [301] : []))
        let size = try ["", "-wal"].map {
            try FileManager.default.attributesOfItem(atPath: bench.path + $0)[.size] as? Int ?? 0
        }
        #expect(size[0] < 1 << 20 && size[1] == 0, "\(size)")
        store.finish()
        store = try bench.open()
        _ = store.offer(Pieces.whole(1))
        store.finish()
        #expect(try reader.newest() == (isRunning ? 302 : 301))
    }
}
