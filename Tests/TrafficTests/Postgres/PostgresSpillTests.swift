import Dispatch
import Exchanges
import Foundation
import Store
import Synchronization
import TestSupport
import Testing

/// What a file keeps while the server is away, and how it is brought in.
@Suite(.postgres)
struct PostgresSpillTests {
    private static let writer = ShuntBinary.built("StoreWriter")

    @Test(arguments: ["COMMIT", "INSERT INTO shunt.brought"])
    func `what comes in is there once, also where the server's reply to it is lost`(last: String) async throws {
        let bench = try SpillBench()
        try await blocking {
            bench.relay.resume()
            let store = try bench.open()
            try bench.write(Numbered.piece(1), to: store)
            // The second took effect, which Shunt does not know.
            bench.relay.stall(after: "COMMIT")
            try bench.write(Numbered.piece(2), Numbered.piece(3), Numbered.piece(4), to: store)
            #expect(bench.troubles.all == ["spilling"])
            bench.relay.stall(after: last)
            bench.relay.resume()
            #expect(eventually { bench.relay.isStalled })
            let count = last == "COMMIT" ? "2" : "1"
            #expect(try eventually { try bench.run("SELECT count(*) FROM shunt.brought") == count })
            // It has given up when it connects again.
            let connections = bench.relay.connectionCount
            #expect(eventually { bench.relay.connectionCount > connections })
            try bench.bringIn()
            store.finish()
        }
        try Numbered.expectAll(4, bench.directPath)
    }

    @Test func `a long file gets shorter while it is brought in, and loses nothing`() async throws {
        let bench = try SpillBench()
        try await blocking {
            let store = try bench.open()
            for number in 1...100 { try bench.write(Numbered.piece(number, size: 60_000), to: store) }
            func size() throws -> Int {
                try FileManager.default.attributesOfItem(atPath: bench.file)[.size] as? Int ?? 0
            }
            #expect(try size() > 4 << 20)
            bench.relay.resume()
            #expect(try eventually { try size() < 3 << 20 })
            try bench.bringIn()
            store.finish()
            #expect(try size() == 64)
        }
        try Numbered.expectAll(100, bench.directPath)
    }

    @Test func `a file that is full holds up what comes only until the server is back`() async throws {
        let bench = try SpillBench()
        try await blocking {
            let store = try bench.open {
                $0.sizeLimit = 1 << 20
                $0.postgres.care = 1000
            }
            for number in 1...60 { _ = store.offer(Numbered.piece(number, size: 60_000)) }
            #expect(eventually { bench.troubles.all.contains("began: diskFull") }, "\(bench.troubles.all)")
            bench.relay.resume()
            #expect(eventually { store.statistics.recorded == 60 }, "\(store.statistics) \(bench.troubles.all)")
            try bench.bringIn()
            store.finish()
            #expect(store.statistics.droppedExchanges == 0)
        }
        try Numbered.expectAll(60, bench.directPath)
    }

    @Test(
        arguments: [(.count, .max, ""), (.first, -1, ""), (.attempt, .max, "1")] as [(SpillBench.Number, Int64, String)]
    )
    func `numbers that no Shunt has written are told, and harm nothing`(
        number: SpillBench.Number, value: Int64, xid: String
    ) async throws {
        let bench = try SpillBench()
        try await blocking {
            let store = try bench.open()
            try bench.write(Numbered.piece(1), to: store)
            store.finish()
            try bench.change(number, to: value, xid: xid)
            bench.relay.resume()
            let next = try bench.open()
            #expect(eventually { bench.troubles.all.contains("not brought in: damaged") }, "\(bench.troubles.all)")
            next.finish()
        }
    }

    @Test func `a batch that was spilled in part is cut off, and the others come in`() async throws {
        let bench = try SpillBench()
        try await blocking {
            let first = try bench.open()
            try bench.write(Numbered.piece(1), Numbered.piece(2), Numbered.piece(3), to: first)
            first.finish()
            let whole = try Data(contentsOf: URL(fileURLWithPath: bench.file))
            try whole.dropLast(1).write(to: URL(fileURLWithPath: bench.file))
            let second = try bench.open()
            try bench.write(Numbered.piece(3), to: second)
            try bench.bringIn()
            second.finish()
            #expect(try Data(contentsOf: URL(fileURLWithPath: bench.file)).count == 64)
        }
        try Numbered.expectAll(3, bench.directPath)
    }

    @Test func `a spilled batch that the server refuses is told once, and waits`() async throws {
        let bench = try SpillBench()
        try bench.run(
            """
            CREATE SEQUENCE attempts;
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                PERFORM nextval('attempts'); RAISE EXCEPTION 'not this one' USING ERRCODE = '22000'; END $$;
            CREATE TRIGGER refuse BEFORE INSERT ON shunt.exchange FOR EACH STATEMENT EXECUTE FUNCTION refuse()
            """)
        try await blocking {
            let store = try bench.open()
            try bench.write(Numbered.piece(1), to: store)
            bench.relay.resume()
            #expect(try eventually { try Int(bench.run("SELECT last_value FROM attempts")) ?? 0 >= 3 })
            #expect(bench.troubles.all == ["spilling", "not brought in: other"])
            try bench.write(Numbered.piece(2), to: store)
            try bench.run("DROP TRIGGER refuse ON shunt.exchange")
            try bench.bringIn()
            store.finish()
        }
        #expect(bench.troubles.all == ["spilling", "not brought in: other", "brought in 2"])
        try Numbered.expectAll(2, bench.directPath)
    }

    @Test func `a batch whose transaction a restored server does not know comes in`() async throws {
        let bench = try SpillBench()
        try await blocking {
            let first = try bench.open()
            try bench.write(Numbered.piece(1), to: first)
            first.finish()
            try bench.change(.attempt, to: 7, xid: "900000000000")
            bench.relay.resume()
            let second = try bench.open()
            try bench.write(Numbered.piece(2), to: second)
            #expect(try eventually { try bench.run("SELECT count(*) FROM shunt.exchange") == "2" })
            second.finish()
        }
        try Numbered.expectAll(2, bench.directPath)
    }

    @Test func `an exchange is told with its number of the store, or without one as long as it has none`() async throws
    {
        let bench = try SpillBench()
        try await blocking {
            bench.relay.resume()
            let store = try bench.open()
            _ = store.offer(Numbered.begin(1))
            try bench.write(Numbered.piece(2), to: store)
            bench.relay.stall()
            _ = store.offer(Numbered.begin(3))
            try bench.write(Numbered.end(1), Numbered.piece(4), to: store)
            try bench.bringIn()
            try bench.write(Numbered.end(3), to: store)
            store.finish()
        }
        try Numbered.expectAll(4, bench.directPath)
        let stored = try TrafficReader(bench.directPath).page(limit: 9)
        #expect(bench.committed.map { $0.url.suffix(1) } == ["2", "1", "4", "3"])
        for exchange in bench.committed {
            let id = stored.first { $0.exchange.url == exchange.url }?.id
            #expect(exchange.id == (exchange.url.hasSuffix("4") ? nil : id), "\(exchange.url)")
        }
    }

    @Test func `what ran when its Shunt ended is broken off once it comes in, and what runs is not`() async throws {
        let bench = try SpillBench()
        let sql = "SELECT right(url, 1), ended, error LIKE 'broken off%' FROM shunt.exchange ORDER BY url"
        try await blocking {
            let first = try bench.open()
            _ = first.offer(Numbered.begin(1))
            try bench.write(Numbered.piece(2), to: first)
            first.finish()
            let second = try bench.open()
            _ = second.offer(Numbered.begin(3))
            try bench.write(Numbered.piece(4), to: second)
            try bench.bringIn()
            #expect(try bench.run(sql) == "1|1|t\n2|1|\n3|0|\n4|1|")
            try bench.write(Numbered.end(3), to: second)
            second.finish()
            #expect(try bench.run(sql) == "1|1|t\n2|1|\n3|1|\n4|1|")
        }
    }

    @Test func `a server that swallows what it is sent holds up a Shunt that spills for a shorter time`() async throws {
        let (server, folder, troubles) = (FullListener(), try TemporaryFolder(), TroubleLog())
        let key = try folder.write("store.key", String(repeating: "5a", count: 32) + "\n")
        chmod(key, 0o600)
        var settings = PostgresBench.settings("a")
        settings.postgres.key = .file(key)
        settings.trouble = { troubles.hear($0) }
        let path = "postgres://shunt@127.0.0.1:\(server.port)/shunt?sslmode=disable"
        let other = Mutex<String?>(nil)
        try await blocking { [settings] in
            let hasEnded = DispatchSemaphore(value: 0)
            startThread {
                do { try TrafficStore.open(path, settings).finish() } catch { other.withLock { $0 = "\(error)" } }
                hasEnded.signal()
            }
            var spilling = settings
            spilling.postgres.spill = folder.path + "/spill.db"
            let store = try TrafficStore.open(path, spilling)
            #expect(other.withLock { $0 } == nil && troubles.all == ["spilling"])
            store.finish()
            hasEnded.wait()
        }
        #expect(other.withLock { $0 }?.contains("does not respond in time") == true)
    }

    @Test func `a server that is away is not told as back where nothing came meanwhile`() async throws {
        let bench = try SpillBench()
        try await blocking {
            let store = try bench.open()
            let connections = bench.relay.connectionCount
            #expect(eventually { bench.relay.connectionCount >= connections + 2 })
            #expect(bench.troubles.all == ["spilling"])
            try bench.bringIn()
            store.finish()
        }
    }

    @Test func `tables that are dropped are made anew, and no number is given out again`() async throws {
        let bench = try SpillBench()
        try await blocking {
            bench.relay.resume()
            let store = try bench.open()
            _ = store.offer(Numbered.begin(1))
            try bench.write(Numbered.piece(2), to: store)
            try bench.run("DROP SCHEMA shunt CASCADE")
            try bench.write(Numbered.piece(3), Numbered.piece(4), Numbered.end(1), to: store)
            store.finish()
        }
        #expect(bench.troubles.all.contains("begun anew"), "\(bench.troubles.all)")
        let urls = try TrafficReader(bench.directPath).page(limit: 9).map { $0.exchange.url.suffix(1) }
        #expect(urls.sorted() == ["1", "3", "4"])
    }

    @Test func `the store forgets what was brought in from a file that is empty`() async throws {
        let bench = try SpillBench()
        try await blocking {
            let first = try bench.open()
            try bench.write(Numbered.piece(1), to: first)
            try bench.bringIn()
            first.finish()
            #expect(try bench.run("SELECT count(*) FROM shunt.brought") == "1")
            try bench.open().finish()
            #expect(try bench.run("SELECT count(*) FROM shunt.brought") == "0")
        }
    }

    @Test(.extended) func `what is spilled is brought in exactly once, whenever the process is killed`() async throws {
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
            func spilled() throws -> UInt64 {
                try FileManager.default.attributesOfItem(atPath: spill)[.size] as? UInt64 ?? 0
            }
            #expect(try eventually { try spilled() > 64 })
            let told = first.output.utf8.count
            #expect(eventually { first.output.utf8.count > told + 30_000 }, "nothing was spilled")
            try kill(first)
            // While it is away, Shunt starts without it.
            let second = try ChildProcess(Self.writer, ["spill", path, key, spill, "second"])
            #expect(eventually { second.output.utf8.count > 20_000 }, "\(second.errors)")
            try server.start()
            func stored() throws -> Int { Int(try server.run("SELECT count(*) FROM shunt.exchange")) ?? 0 }
            var before = try stored()
            #expect(try eventually { try stored() > before }, "nothing was brought in")
            try kill(second)
            for round in Circle.values([2], andAll: [3, 4, 5]) {
                before = try stored()
                let next = try ChildProcess(Self.writer, ["spill", path, key, spill, "round\(round)"])
                // At another moment each time.
                #expect(try eventually { try stored() > before + 37 * round }, "\(next.errors)")
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
