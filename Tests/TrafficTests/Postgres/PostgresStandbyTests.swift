import Filter
import Foundation
import Inspection
import Postgres
import Store
import TestSupport
import Testing

/// Readers of a hot standby, which has neither the locks of those that write nor their newest rows.
@Suite(.postgres)
struct PostgresStandbyTests {
    private let own: OwnServer
    private let standby: PostgresServer

    init() throws {
        own = try OwnServer()
        try TrafficStore.open(own.path, PostgresBench.settings("a")).finish()
        standby = try PostgresServer(standbyOf: own.server)
    }

    private func follow(_ follower: TrafficFollower, _ seen: inout [Int64]) throws {
        try follower.look { summary, isNew in
            if isNew { seen.append(summary.id) }
            return true
        }
    }

    @Test func `nothing behind a transaction that has not ended is followed`() throws {
        let store = try TrafficStore.open(own.path, PostgresBench.settings("a"))
        defer { store.finish() }
        let reader = try TrafficReader(standby.address)
        let other = try PostgresConnection(try PostgresAddress(own.path))
        try other.run("BEGIN")
        #expect(try other.query("SELECT first FROM shunt.reserve(10)").integer(0, 0) == 1)
        _ = store.offer(Pieces.whole(1))
        #expect(try eventually { try reader.page(limit: 1).first?.id == 11 })
        #expect(try reader.newest() == nil)
        #expect(try reader.page(after: 0, limit: 9).isEmpty)
        try other.run("INSERT INTO shunt.exchange(id, ended, url) VALUES (1, 1, 'https://shop.test/late')")
        try other.run("COMMIT")
        #expect(try eventually { try reader.newest() == 11 })
        #expect(try reader.page(after: 0, limit: 9).map(\.id) == [1, 11])
    }

    @Test func `a follower gives each exchange once and in order, though the standby lags behind`() async throws {
        let follower = try TrafficFollower(standby.address, try TrafficFilter("~all"))
        var seen: [Int64] = []
        let count = 400
        let writing = DispatchGroup()
        for node in ["a", "b"] {
            let store = try TrafficStore.open(own.path, PostgresBench.settings(node))
            DispatchQueue(label: node).async(group: writing) {
                for number in 1...count {
                    _ = store.offer(Pieces.whole(UInt64(number)))
                    if number.isMultiple(of: 20) { usleep(1000) }
                }
                store.finish()
            }
        }
        #expect(
            try eventually {
                try follow(follower, &seen); return seen.count > 100
            })
        try standby.run("SELECT pg_wal_replay_pause()")
        await withCheckedContinuation { done in writing.notify(queue: .global()) { done.resume() } }
        try follow(follower, &seen)
        try standby.run("SELECT pg_wal_replay_resume()")
        #expect(
            try eventually {
                try follow(follower, &seen); return seen.count >= 2 * count
            })
        #expect(seen == seen.sorted() && Set(seen).count == 2 * count)
    }

    @Test func `a Shunt that is to write into it is told that it cannot`() throws {
        let failure = #expect(throws: StoreFailure.self) {
            try TrafficStore.open(standby.address, PostgresBench.settings("a"))
        }
        #expect(failure?.kind == .readOnly, "\(String(describing: failure))")
    }
}
