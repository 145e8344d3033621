import Filter
import Inspection
import Store
import TestSupport
import Testing

/// Going along with what a store gets.
@Suite struct TrafficFollowerTests {
    @Test func `an exchange that ends before it was reached comes once`() throws {
        let bench = try StoreBench()
        let store = try bench.open()
        defer { store.finish() }
        let filter = try TrafficFilter("~all")
        let follower = try TrafficFollower(bench.path, filter)
        let exchange = Pieces.exchange(url: "https://shop.test/")
        for number in 1...3 {
            _ = store.offer(Pieces.piece(UInt64(number), exchange, isFirst: true, isLast: number != 3))
        }
        let search = TrafficSearch(try TrafficReader(bench.path), filter)
        #expect(try eventually { try search.exchange(3)?.isEnded == false })
        var given: [Int64] = []
        // As where a recording cannot be written further.
        try follower.lookAtNumbers { ids in
            given.append(ids[0])
            return 1
        }
        _ = store.offer(Pieces.piece(3, exchange, isFirst: false, isLast: true))
        #expect(try eventually { try search.exchange(3)?.isEnded == true })
        try follower.lookAtNumbers { ids in
            given += ids
            return ids.count
        }
        #expect(given == [1, 2, 3])
    }
}
