import Dispatch
import Exchanges
import Foundation
import Store
import Synchronization
import TestSupport
import Testing

/// Servers that go away, stall, and refuse.
@Suite(.enabled(if: PostgresBench.isThere, "PostgreSQL's server is not installed"))
struct PostgresAwayTests {
    private static let writer = URL(fileURLWithPath: ShuntBinary.path).deletingLastPathComponent()
        .appendingPathComponent("StoreWriter").path

    /// Tells the time that it is set to, in microseconds since 1970.
    private final class SetClock: Sendable {
        private let state = Mutex(Int64(1_800_000_000_000_000))
        var time: Int64 {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    private static func piece(_ number: Int) -> RecordedPiece {
        Pieces.whole(
            UInt64(number), Pieces.exchange(url: "https://shop.test/\(number)"),
            [(.responseBody, [UInt8](repeating: 3, count: 3000))])
    }

    /// Checks that each exchange is there once.
    private static func expectAll(_ count: Int, _ path: String) throws {
        let reader = try TrafficReader(path)
        var urls: [String] = []
        var last: Int64 = 0
        while true {
            let page = try reader.page(after: last, limit: 500)
            guard let end = page.last?.id else { break }
            urls += page.map(\.exchange.url)
            last = end
        }
        #expect(urls.count == count)
        #expect(Set(urls) == Set((1...count).map { "https://shop.test/\($0)" }))
    }

    @Test func `a server that is killed under load and comes back has every exchange once`() async throws {
        let own = try OwnServer()
        let (path, server) = (own.path, own.server)
        let troubles = TroubleLog()
        var settings = PostgresBench.settings("a")
        settings.trouble = { troubles.hear($0) }
        let store = try TrafficStore.open(path, settings)
        let count = 4000
        try await blocking {
            for number in 1...count {
                _ = store.offer(Self.piece(number))
                if number % 20 == 0 { usleep(1000) }
                if number == 1000 || number == 2500 { try server.stop(hard: true) }
                if number == 1000 { try server.start() }
                if number == 2600 {
                    #expect(eventually { troubles.all.last == "began: away" }, "\(troubles.all)")
                    try server.start()
                }
            }
            store.finish()
        }
        #expect(store.statistics.recorded == UInt64(count) && store.statistics.droppedExchanges == 0)
        #expect(troubles.all.first == "began: away" && troubles.all.last == "ended", "\(troubles.all)")
        try Self.expectAll(count, path)
        #expect(try TrafficReader(path).whole(3, .response).bytes.count == 3000)
    }

    @Test func `a network that stalls costs nothing that the queue has room for, and no exchange is there twice`()
        async throws
    {
        let own = try OwnServer()
        let relay = StallingRelay(to: own.server.port)
        let path = try own.path(through: relay)
        let troubles = TroubleLog()
        var settings = PostgresBench.settings("a")
        settings.trouble = { troubles.hear($0) }
        settings.postgres.patience = 700
        let store = try TrafficStore.open(path, settings)
        let count = 3000
        try await blocking {
            for number in 1...count {
                _ = store.offer(Self.piece(number))
                if number % 20 == 0 { usleep(1000) }
                if number == 1000 {
                    relay.stall()
                    #expect(eventually { !troubles.all.isEmpty })
                    relay.resume()
                }
            }
            store.finish()
        }
        #expect(store.statistics.recorded == UInt64(count), "\(store.statistics) \(troubles.all)")
        try Self.expectAll(count, own.path)
    }

    @Test(arguments: [true, false])
    func `secrets are replaced before anything is sent to the server`(isReplaced: Bool) throws {
        let own = try OwnServer()
        let relay = StallingRelay(to: own.server.port)
        var settings = PostgresBench.settings("a")
        if isReplaced { settings.redact() }
        let store = try TrafficStore.open(try own.path(through: relay), settings)
        let head = Array("GET / HTTP/1.1\r\nAuthorization: Bearer hunter22hunter22\r\n\r\n".utf8)
        let response = Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n".utf8)
        _ = store.offer(
            Pieces.whole(
                1, Pieces.exchange(url: "https://shop.test/?password=letmein99letmein99"),
                [
                    (.clientRequest, head), (.clientResponse, response),
                    (.responseBody, Array(#"{"access_token":"swordfish77swordfish77"}"#.utf8)),
                ]))
        store.finish()
        #expect(relay.hasSent("https://shop.test/"))
        for secret in ["hunter22hunter22", "letmein99letmein99", "swordfish77swordfish77"] {
            #expect(relay.hasSent(secret) != isReplaced, "\(secret)")
        }
    }

    @Test func `a full disk of the server is told once, and passes`() async throws {
        let bench = try PostgresBench()
        let troubles = TroubleLog()
        let store = try bench.open("a") { $0.trouble = { troubles.hear($0) } }
        _ = store.offer(Self.piece(1))
        #expect(try await blocking { eventually { store.statistics.recorded == 1 } })
        // What a full tablespace says.
        try bench.run(
            """
            CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
            CREATE TRIGGER full_disk BEFORE INSERT ON shunt.exchange FOR EACH STATEMENT EXECUTE FUNCTION full_disk()
            """)
        _ = store.offer(Self.piece(2))
        #expect(try await blocking { eventually { troubles.all == ["began: diskFull"] } }, "\(troubles.all)")
        _ = store.offer(Self.piece(3))
        try bench.run("DROP TRIGGER full_disk ON shunt.exchange")
        try await blocking { store.finish() }
        #expect(troubles.all == ["began: diskFull", "ended"])
        try Self.expectAll(3, bench.path)
    }

    @Test func `tables that are dropped are made anew`() async throws {
        let bench = try PostgresBench()
        let troubles = TroubleLog()
        let store = try bench.open("a") { $0.trouble = { troubles.hear($0) } }
        _ = store.offer(Self.piece(1))
        #expect(try await blocking { eventually { store.statistics.recorded == 1 } })
        try bench.run("DROP SCHEMA shunt CASCADE")
        _ = store.offer(Self.piece(2))
        try await blocking { store.finish() }
        #expect(store.statistics.recorded == 2, "\(troubles.all)")
        #expect(troubles.all.contains("begun anew"))
        #expect(try TrafficReader(bench.path).page(limit: 9).map(\.exchange.url) == ["https://shop.test/2"])
    }

    @Test func `old partitions are dropped, and those in which exchanges run are emptied`() async throws {
        let bench = try PostgresBench()
        let clock = SetClock()
        let troubles = TroubleLog()
        let store = try bench.open("a") {
            $0.ageLimit = 8 * 3600
            $0.clock = { clock.time }
            $0.postgres.care = 1
            $0.postgres.usesServerClock = false
            $0.trouble = { troubles.hear($0) }
        }
        defer { store.finish() }
        @Sendable func parts() throws -> [String] {
            try bench.run("SELECT number FROM shunt.part ORDER BY 1").split(separator: "\n").map(String.init)
        }
        _ = store.offer(Self.piece(1))
        _ = store.offer(Pieces.piece(2, Pieces.exchange(), isFirst: true, isLast: false))
        #expect(
            try await blocking {
                try eventually { try bench.run("SELECT began_us FROM shunt.part WHERE number = 0") != "" }
            })
        clock.time += 3600 * 1_000_000
        #expect(try await blocking { try eventually { try parts().contains("2") } })
        _ = store.offer(Self.piece(3))
        @Sendable func ids() throws -> [Int64] { try TrafficReader(bench.path).page(limit: 9).map(\.id) }
        #expect(try await blocking { try eventually { try ids().first == 1_000_000 } })
        #expect(
            try await blocking {
                try eventually { try bench.run("SELECT began_us FROM shunt.part WHERE number = 1") != "" }
            })
        clock.time += 12 * 3600 * 1_000_000
        // The third began later, but the partition of the first two is over.
        #expect(try await blocking { try eventually { try ids() == [1_000_000, 2] } })
        _ = store.offer(Pieces.piece(2, Pieces.exchange(), isFirst: false, isLast: true))
        #expect(try await blocking { try eventually { try parts().first == "1" } })
        #expect(troubles.all == [])
    }

    @Test func `partitions grow old by the clock of the server, whatever the nodes' clocks say`() async throws {
        let bench = try PostgresBench()
        let month: Int64 = 30 * 24 * 3600 * 1_000_000
        let store = try bench.open("ahead") {
            $0.clock = { Int64(Date().timeIntervalSince1970 * 1e6) + month }
            $0.postgres.care = 1
        }
        defer { store.finish() }
        _ = store.offer(Self.piece(1))
        @Sendable func began() throws -> Int64? {
            try Int64(bench.run("SELECT began_us FROM shunt.part WHERE number = 0"))
        }
        #expect(try await blocking { try eventually { try began() != nil } })
        #expect(abs(try #require(try began()) - Int64(Date().timeIntervalSince1970 * 1e6)) < month / 2)
    }

    @Test func `what is spilled is brought in exactly once, whenever the process is killed`() async throws {
        let own = try OwnServer()
        let (path, server) = (own.path, own.server)
        let folder = try TemporaryFolder()
        let (key, spill) = (folder.path + "/store.key", folder.path + "/spill.db")
        let acknowledged = try await blocking { () throws -> [String] in
            var acknowledged: [String] = []
            func kill(_ child: ChildProcess) throws {
                child.signal(SIGKILL)
                _ = try child.wait()
                acknowledged += child.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
                    String.init)
            }
            let first = try ChildProcess(Self.writer, ["spill", path, key, spill, "first"])
            #expect(eventually { first.output.utf8.count > 10_000 }, "\(first.output) \(first.errors)")
            try server.stop(hard: true)
            #expect(eventually { FileManager.default.fileExists(atPath: spill + "-wal") })
            let before = first.output.utf8.count
            #expect(eventually { first.output.utf8.count > before + 30_000 }, "nothing was spilled")
            try kill(first)
            // While it is away, Shunt starts without it.
            let second = try ChildProcess(Self.writer, ["spill", path, key, spill, "second"])
            #expect(eventually { second.output.utf8.count > 20_000 }, "\(second.errors)")
            try server.start()
            func stored() throws -> Int { Int(try server.run("SELECT count(*) FROM shunt.exchange")) ?? 0 }
            var known = try stored()
            #expect(try eventually { try stored() > known }, "nothing was brought in")
            try kill(second)
            for round in 2...5 {
                known = try stored()
                let next = try ChildProcess(Self.writer, ["spill", path, key, spill, "round\(round)"])
                // At another moment each time.
                #expect(try eventually { try stored() > known + 37 * round }, "\(next.errors)")
                try kill(next)
            }
            let last = try ChildProcess.run(Self.writer, ["spill", path, key, spill, "last", "500"], seconds: 60)
            #expect(last.status == 0, "\(last)")
            return acknowledged
        }
        // The last of them has brought in all, or left it for the next one.
        var settings = PostgresBench.settings("a")
        settings.postgres.key = .file(key)
        settings.postgres.spill = spill
        let troubles = TroubleLog()
        settings.trouble = { troubles.hear($0) }
        let store = try TrafficStore.open(path, settings)
        let reader = try TrafficReader(path)
        @Sendable func isBroughtIn() throws -> Bool {
            try server.run("SELECT count(*) FROM shunt.exchange WHERE url = 'https://shop.test/last/499'") == "1"
        }
        #expect(try await blocking { try eventually { try isBroughtIn() } }, "\(troubles.all)")
        store.finish()
        var urls: [String: Int] = [:]
        var last: Int64 = 0
        while true {
            let page = try reader.page(after: last, limit: 1000)
            guard let end = page.last?.id else { break }
            for summary in page { urls[summary.exchange.url, default: 0] += 1 }
            last = end
        }
        #expect(urls.values.allSatisfy { $0 == 1 }, "\(urls.filter { $0.value > 1 }.prefix(5))")
        let missing = acknowledged.filter { urls[$0] == nil }
        #expect(missing.isEmpty && acknowledged.count > 500, "\(missing.prefix(5)) of \(acknowledged.count)")
        #expect(try server.run("SELECT count(*) FROM shunt.brought") != "0")
        #expect(try reader.count(where: StoreCondition("ended = 1 AND error IS NULL")) > 500)
    }
}
