import Dispatch
import Exchanges
import Store
import Synchronization
import TestSupport
import Testing

@Suite struct StoreQueueTests {
    /// A store whose recorder stands still behind its first transaction.
    private func held(
        _ bench: StoreBench, limit: Int, _ whenFull: StoreSettings.WhenFull
    ) throws -> (TrafficStore, SlowDisk) {
        let disk = SlowDisk()
        let store = try bench.open { settings in
            settings.queueLimit = limit
            settings.whenFull = whenFull
            settings.committed = { _ in disk.hold() }
        }
        _ = store.offer(Pieces.whole(0))
        disk.waitUntilHeld()
        return (store, disk)
    }

    private func large(_ id: UInt64) -> RecordedPiece {
        Pieces.whole(
            id, Pieces.exchange(), [(.clientRequest, [1]), (.responseBody, [UInt8](repeating: 7, count: 10_000))])
    }

    @Test func `what was handed over is written at once for one who asks`() throws {
        let bench = try StoreBench()
        let store = try bench.open { $0.gathering = 600_000 }
        for id in 1...3 {
            _ = store.offer(Pieces.whole(UInt64(id)))
            #expect(store.write(within: 60_000))
            #expect(try TrafficReader(bench.path).newest() == Int64(id))
        }
        store.finish()
        #expect(!store.write(within: 60_000))
    }

    @Test func `an exchange is written when the program that sent it is known, and behind the earlier ones`() throws {
        let bench = try StoreBench()
        let store = try bench.open()
        let (sought, late) = (AwaitedApp(within: 600_000), AwaitedApp(within: 0))
        var known = Pieces.exchange()
        known.client.app = "node"
        var pieces = [Pieces.whole(1), Pieces.whole(2), Pieces.whole(3, known), Pieces.whole(4), Pieces.whole(5)]
        for at in 0..<3 { pieces[at].app = sought }
        pieces[4].app = late
        for piece in pieces { #expect(store.offer(piece)) }
        #expect(!store.write(within: 1) && store.statistics.recorded == 0)
        sought.finish("curl")
        #expect(store.write(within: 60_000))
        let apps = try TrafficReader(bench.path).page(after: 0, limit: 10).map(\.exchange.client.app)
        #expect(apps == ["curl", "curl", "node", nil, nil])
        store.finish()
    }

    @Test func `a slow disk costs bodies first, then exchanges, and all of it is counted`() throws {
        let bench = try StoreBench()
        let (store, disk) = try held(bench, limit: 100_000, .dropBodies)
        for id in 1...1000 { #expect(store.offer(large(UInt64(id)))) }
        let full = store.statistics
        #expect(full.waiting <= 200_000)
        #expect(full.droppedBodies > 0 && full.droppedBytes == full.droppedBodies * 10_000)
        #expect(full.droppedExchanges > 0)
        disk.release()
        store.finish()
        let end = store.statistics
        #expect(end.recorded + end.droppedExchanges == 1001)
        #expect(end.waiting == 0)

        let reader = try TrafficReader(bench.path)
        #expect(try reader.count() == Int64(end.recorded))
        let records = try (2...Int64(end.recorded)).map { try #require(try reader.record($0)) }
        #expect(records.allSatisfy { $0.clientRequest == [1] })
        #expect(records.allSatisfy { $0.responseBody.isDropped == ($0.responseBody.kept == 0) })
        #expect(records.first?.responseBody.kept == 10_000)
        #expect(records.last?.responseBody.isDropped == true)
    }

    @Test func `who shall wait is told so, and called when there is room`() throws {
        let bench = try StoreBench()
        let (store, disk) = try held(bench, limit: 100_000, .wait)
        var taken: UInt64 = 0
        while store.offer(large(taken + 1)) { taken += 1 }
        #expect(taken > 5 && store.statistics.waiting <= 100_000)
        let room = DispatchSemaphore(value: 0)
        store.whenRoom { room.signal() }
        #expect(room.wait(timeout: .now()) == .timedOut)
        disk.release()
        room.wait()
        #expect(store.offer(large(taken + 1)))
        store.finish()
        store.whenRoom { room.signal() }
        room.wait()
        #expect(store.statistics.recorded == taken + 2)
        #expect(store.statistics.droppedBodies == 0 && store.statistics.droppedExchanges == 0)
    }

    @Test func `a piece larger than the queue is taken when nothing else waits`() throws {
        let bench = try StoreBench()
        let store = try bench.open {
            $0.queueLimit = 1000
            $0.whenFull = .wait
        }
        #expect(store.offer(large(1)))
        store.finish()
        #expect(try TrafficReader(bench.path).record(1)?.responseBody.kept == 10_000)
    }

    @Test func `an exchange whose pieces were dropped still ends, and says what it lacks`() throws {
        let bench = try StoreBench()
        let disk = SlowDisk()
        let store = try bench.open { settings in
            settings.queueLimit = 50_000
            settings.committed = { _ in disk.hold() }
        }
        _ = store.offer(Pieces.piece(1, Pieces.exchange(), isFirst: true, isLast: false, [(.responseBody, [1, 2])]))
        _ = store.offer(Pieces.piece(2, Pieces.exchange(), isFirst: true, isLast: false))
        _ = store.offer(Pieces.whole(3))
        disk.waitUntilHeld()
        // Heads fill the queue to twice its bound; then nothing of these is taken.
        for id in 100..<400 { _ = store.offer(large(UInt64(id))) }
        let event = MessageFacts(time: 1, sender: .origin, kind: .event, length: 9)
        _ = store.offer(Pieces.piece(1, nil, isFirst: false, isLast: false, [(.responseBody, [3])]))
        _ = store.offer(Pieces.piece(2, Pieces.exchange(), isFirst: false, isLast: true))
        _ = store.offer(Pieces.piece(4, Pieces.exchange(), isFirst: true, isLast: false))
        disk.release()
        #expect(eventually { store.statistics.waiting == 0 })
        _ = store.offer(
            Pieces.piece(
                1, Pieces.exchange(status: 201), isFirst: false, isLast: true,
                [(.responseBody, [4]), (.message(event), [UInt8](repeating: 1, count: 9))]))
        _ = store.offer(Pieces.piece(4, Pieces.exchange(), isFirst: false, isLast: true))
        store.finish()

        let reader = try TrafficReader(bench.path)
        let first = try #require(try reader.record(1))
        #expect(first.summary.isEnded && first.summary.exchange.status == 201)
        #expect(first.responseBody.isDropped && first.responseBody.kept == 2 && first.messageCount == 1)
        let second = try #require(try reader.record(2))
        #expect(second.summary.isEnded && second.summary.exchange.failure?.stage == "record")
        #expect(try reader.count(where: StoreCondition("ended = 0")) == 0)
        let statistics = store.statistics
        #expect(try UInt64(reader.count()) + statistics.droppedExchanges - 1 == 3 + 300 + 1)
    }

    @Test func `many threads offer at once, and every exchange is told of once, after it is on disk`() throws {
        let bench = try StoreBench()
        let told = Mutex<[Int64: String]>([:])
        let store = try bench.open { settings in
            settings.committed = { exchanges in
                // Another connection sees only what was committed.
                let reader = try? TrafficReader(bench.path)
                let newest = try? reader?.newest()
                told.withLock { told in
                    for exchange in exchanges {
                        let id = exchange.id ?? -1
                        told[id] = id <= newest ?? 0 && told[id] == nil ? exchange.exchange.url : "wrong"
                    }
                }
            }
        }
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for index in 0..<250 {
                let exchange = Pieces.exchange(url: "https://a/\(thread)/\(index)")
                let id = UInt64(thread * 1000 + index)
                if index.isMultiple(of: 5) {
                    _ = store.offer(Pieces.piece(id, exchange, isFirst: true, isLast: false))
                    _ = store.offer(Pieces.piece(id, exchange, isFirst: false, isLast: true))
                } else {
                    _ = store.offer(Pieces.whole(id, exchange))
                }
            }
        }
        store.finish()
        let summaries = try TrafficReader(bench.path).page(after: 0, limit: 5000)
        #expect(summaries.map { $0.id } == Array(1...2000))
        #expect(Dictionary(uniqueKeysWithValues: summaries.map { ($0.id, $0.exchange.url) }) == told.withLock { $0 })
        for thread in 0..<8 {
            let own = summaries.map { $0.exchange.url }.filter { $0.hasPrefix("https://a/\(thread)/") }
            #expect(own == (0..<250).map { "https://a/\(thread)/\($0)" })
        }
    }

    @Test func `after the end nothing is taken, and nobody waits for ever`() throws {
        let bench = try StoreBench()
        let store = try bench.open { $0.whenFull = .wait }
        store.finish()
        #expect(store.offer(Pieces.whole(1)))
        #expect(store.statistics.droppedExchanges == 1)
        #expect(!store.write(within: 60_000))
    }
}
