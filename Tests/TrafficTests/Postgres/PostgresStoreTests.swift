import Dispatch
import Exchanges
import Filter
import Foundation
import Inspection
import Postgres
import Store
import Synchronization
import TestSupport
import Testing

/// What only a store in PostgreSQL has; all else is tested with both kinds.
@Suite(.postgres)
struct PostgresStoreTests {
    private static func body(_ size: Int, _ seed: UInt8) -> [UInt8] { (0..<size).map { UInt8($0 & 0x3F) &+ seed } }

    private static func exchange(_ url: String) -> Exchange { Pieces.exchange(url: "https://shop.test/\(url)") }

    @Test func `two Shunts write one store, and a follower gives each exchange once and in order`() async throws {
        let bench = try PostgresBench()
        try bench.open().finish()
        let follower = try TrafficFollower(bench.path, try TrafficFilter("~all"))
        let count = 1500
        let writing = DispatchGroup()
        for node in ["a", "b", "c"] {
            let store = try bench.open(node)
            DispatchQueue(label: node).async(group: writing) {
                for number in 1...count {
                    _ = store.offer(Pieces.whole(UInt64(number), Self.exchange("\(node)/\(number)")))
                    if number.isMultiple(of: 50) { usleep(1000) }
                }
                store.finish()
            }
        }
        var seen: [Int64] = []
        var nodes: [String: Int] = [:]
        let isAll = try eventually {
            try follower.look { summary, isNew in
                if isNew {
                    seen.append(summary.id)
                    nodes[summary.node ?? "", default: 0] += 1
                }
                return true
            }
            return seen.count >= 3 * count
        }
        await withCheckedContinuation { done in writing.notify(queue: .global()) { done.resume() } }
        #expect(isAll && seen.count == 3 * count)
        #expect(seen == seen.sorted() && Set(seen).count == seen.count)
        #expect(nodes == ["a": count, "b": count, "c": count])
    }

    @Test func `nothing behind a transaction that has not ended is followed`() throws {
        let bench = try PostgresBench()
        let store = try bench.open()
        defer { store.finish() }
        let reader = try TrafficReader(bench.path)
        // Another Shunt has taken numbers, and has not committed yet.
        let other = try PostgresConnection(try PostgresAddress(bench.path))
        try other.run("BEGIN")
        #expect(try other.query("SELECT first FROM shunt.reserve(10)").integer(0, 0) == 1)
        _ = store.offer(Pieces.whole(1, Self.exchange("late")))
        #expect(try eventually { try reader.page(limit: 1).first?.id == 11 })
        let before = try reader.version()
        #expect(try reader.newest() == nil)
        #expect(try reader.page(after: 0, limit: 9).isEmpty)
        try other.run("ROLLBACK")
        #expect(try eventually { try reader.version() != before })
        #expect(try reader.newest() == 11)
        #expect(try reader.page(after: 0, limit: 9).map(\.id) == [11])
    }

    @Test func `nodes that begin at the same moment make the tables once`() async throws {
        let bench = try PostgresBench()
        let failures = try await blocking {
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 6) { number in
                do {
                    let store = try bench.open("node\(number)")
                    _ = store.offer(Pieces.whole(1, Self.exchange("\(number)")))
                    store.finish()
                } catch { failures.withLock { $0.append("\(error)") } }
            }
            return failures.withLock { $0 }
        }
        #expect(failures == [])
        #expect(try TrafficReader(bench.path).count() == 6)
    }

    @Test func `nodes that have waited while another made the tables use them`() throws {
        let bench = try PostgresBench()
        let other = try PostgresConnection(try PostgresAddress(bench.path))
        // The lock under which tables are made.
        try other.run("BEGIN; SELECT pg_advisory_xact_lock(\(0x53_4855_4E54))")
        let failures = Mutex<[String]>([])
        let opened = DispatchSemaphore(value: 0)
        for node in ["a", "b"] {
            startThread {
                do { try bench.open(node).finish() } catch { failures.withLock { $0.append("\(error)") } }
                opened.signal()
            }
        }
        // Both have found no tables, and wait.
        let waiting = """
            SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """
        let areWaiting = try eventually { try other.query(waiting).integer(0, 0) == 2 }
        try other.run("COMMIT")
        for _ in 0..<2 { opened.wait() }
        #expect(areWaiting && failures.withLock { $0 } == [])
    }

    @Test func `a later schema is refused with words, by writers and readers`() throws {
        let bench = try PostgresBench()
        try bench.open().finish()
        try bench.run("UPDATE shunt.meta SET number = 99 WHERE key = 'version'")
        for open in [{ _ = try bench.open() }, { _ = try TrafficReader(bench.path) }] as [() throws -> Void] {
            let failure = try #require(throws: StoreFailure.self) { try open() }
            #expect(failure.message.contains("a later Shunt") && failure.message.contains("version 99"), "\(failure)")
        }
        #expect(throws: StoreFailure.self) { try TrafficReader(try PostgresBench().path) }
    }

    @Test func `an earlier schema is set aside for a new one, unless one of its Shunts still records`() throws {
        let bench = try PostgresBench()
        let old = try bench.open("old")
        _ = old.offer(Pieces.whole(1))
        #expect(eventually { old.statistics.recorded == 1 })
        let told = Mutex<[SetAsideStore]>([])
        func openSettingAside(_ node: String) throws -> TrafficStore {
            try bench.run("UPDATE shunt.meta SET number = 1 WHERE key = 'version'")
            return try bench.open(node) { settings in
                settings.clock = { 1_700_000_000_000_000 }
                settings.setAside = { aside in told.withLock { $0.append(aside) } }
            }
        }
        let failure = try #require(throws: StoreFailure.self) { try openSettingAside("new") }
        #expect(failure.kind == .busy && failure.message.contains("old records into it"), "\(failure)")
        old.finish()
        #expect { try bench.open() } throws: { ($0 as? StoreFailure)?.kind == .earlierVersion }
        #expect { try TrafficReader(bench.path) } throws: { ($0 as? StoreFailure)?.kind == .earlierVersion }
        for name in ["shunt_2023-11-14", "shunt_2023-11-14_2"] {
            let store = try openSettingAside("new")
            _ = store.offer(Pieces.whole(1))
            store.finish()
            #expect(told.withLock { $0.last?.schema } == name)
            #expect(try TrafficReader(bench.path).page(limit: 9).map(\.id) == [1])
            #expect(try bench.run("SELECT count(*) FROM \"\(name)\".exchange") == "1")
        }
    }

    @Test func `a password in the address is refused without being repeated`() {
        let failure = #expect(throws: StoreFailure.self) {
            try TrafficReader("postgres://ada:hunter22@127.0.0.1/shunt")
        }
        #expect(failure.map { "\($0)" }?.contains("hunter22") == false)
        #expect(failure?.message.contains("PGPASSFILE") == true)
    }

    @Test func `the key stays in its file, and every Shunt must have the same`() throws {
        let bench = try PostgresBench()
        let file = bench.folder.path + "/store.key"
        func open(_ key: String, _ node: String) throws -> TrafficStore {
            try bench.open(node) {
                $0.postgres.key = .file(key)
                $0.redact()
            }
        }
        let store = try open(file, "a")
        var facts = stat()
        #expect(stat(file, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
        for mode in [0o604, 0o620] as [mode_t] {
            chmod(file, mode)
            let refused = #expect(throws: StoreFailure.self) { try open(file, "b") }
            #expect(refused?.message.contains("chmod 600") == true)
        }
        chmod(file, 0o600)
        let head = Array("GET / HTTP/1.1\r\nAuthorization: Bearer hunter22hunter22\r\n\r\n".utf8)
        _ = store.offer(Pieces.whole(1, Self.exchange("a"), [(.clientRequest, head)]))
        store.finish()
        let other = try open(file, "b")
        _ = other.offer(Pieces.whole(1, Self.exchange("b"), [(.clientRequest, head)]))
        other.finish()
        let reader = try TrafficReader(bench.path)
        let heads = try [1, 2].map { try reader.record($0)?.clientRequest }
        #expect(heads[0] == heads[1] && heads[0] != head)
        #expect(try bench.run("SELECT count(*) FROM shunt.meta WHERE key = 'redaction_key'") == "0")
        let dump = try bench.run(
            "SELECT string_agg(key || ' ' || coalesce(encode(value, 'hex'), ''), ' ') FROM shunt.meta")
        let digits = try String(contentsOfFile: file, encoding: .utf8).prefix(64)
        #expect(digits.count == 64 && !dump.contains(digits))

        let second = bench.folder.path + "/second.key"
        #expect(throws: StoreFailure.self) { try open(second, "c") }
        #expect(!FileManager.default.fileExists(atPath: second))
        try String(repeating: "ab", count: 32).write(toFile: second, atomically: true, encoding: .utf8)
        chmod(second, 0o600)
        let failure = #expect(throws: StoreFailure.self) { try open(second, "c") }
        #expect(failure?.message.contains("another key") == true)
    }

    @Test(arguments: [2048, 60_000, 400_000])
    func `equal bodies are stored once, whichever Shunt recorded them`(size: Int) throws {
        let bench = try PostgresBench()
        let body = Self.body(size, 0)
        for node in ["a", "b"] {
            let store = try bench.open(node)
            for number in 1...20 {
                _ = store.offer(
                    Pieces.whole(
                        UInt64(number), Self.exchange("\(number)"), [(.responseBody, body), (.requestBody, [1])]))
            }
            store.finish()
        }
        // Long ones are compared in parts of 64 KiB, of which these have equal ones within, too.
        let stored = try bench.run("SELECT count(*), sum(length(bytes)) <= \(size) FROM shunt.body").split(
            separator: "|")
        #expect(stored.last == "t", "\(stored)")
        let reader = try TrafficReader(bench.path)
        for id in Int64(1)...40 {
            #expect(try reader.whole(id, .response).bytes == body)
            #expect(try reader.whole(id, .request).bytes == [1])
            #expect(try reader.record(id)?.responseBody.kept == Int64(size))
        }
        // An archive looks for content that it had before.
        #expect(try Exports.har(reader).components(separatedBy: "startedDateTime").count == 41)
    }

    @Test func `what is cleared by a filter leaves neither rows nor bodies, and what remains is whole`() throws {
        let bench = try PostgresBench()
        let store = try bench.open()
        let (secret, shared) = (Self.body(5000, 1), Self.body(5000, 2))
        for number in 1...30 {
            let isVictim = number.isMultiple(of: 3)
            _ = store.offer(
                Pieces.whole(
                    UInt64(number), Self.exchange(isVictim ? "victim" : "kept"),
                    [(.responseBody, isVictim ? secret : shared), (.requestBody, shared)]))
        }
        store.finish()
        #expect(try bench.run("SELECT count(*) FROM shunt.body") == "2")
        #expect(try TrafficEraser(bench.path).remove(try TrafficFilter("~u victim")) == 10)
        #expect(try bench.run("SELECT count(*) FROM shunt.body") == "1")
        let reader = try TrafficReader(bench.path)
        #expect(try reader.count() == 20)
        for summary in try reader.page(limit: 30) {
            #expect(try reader.whole(summary.id, .response).bytes == shared)
        }
        // A Shunt that knew the body as stored stores it again.
        let again = try bench.open()
        _ = again.offer(Pieces.whole(1, Self.exchange("new"), [(.responseBody, secret)]))
        again.finish()
        #expect(try reader.whole(try #require(try reader.newest()), .response).bytes == secret)
        #expect(try TrafficEraser.removeAll(bench.path) == 21)
        #expect(try reader.count() == 0)
        for table in ["body", "frame", "entry", "context", "certificate"] {
            #expect(try bench.run("SELECT count(*) FROM shunt.\(table)") == "0", "\(table)")
        }
    }

    @Test func `what a stream has in a later partition stays when that one is cleared`() throws {
        let bench = try PostgresBench()
        let store = try bench.open()
        func offer(_ byte: UInt8, _ others: RecordedPiece...) {
            let facts = MessageFacts(time: 1, sender: .origin, kind: .event, length: 1)
            for piece in [Pieces.piece(1, nil, isFirst: false, isLast: false, [(.message(facts), [byte])])] + others {
                _ = store.offer(piece)
            }
            #expect(store.write(within: 60_000))
        }
        _ = store.offer(Pieces.piece(1, Self.exchange("stream"), isFirst: true, isLast: false))
        offer(1)
        try bench.run("SELECT shunt.cut(0)")
        offer(2, Pieces.whole(2, Self.exchange("other"), [(.responseBody, Array("of the other".utf8))]))
        #expect(try bench.run("SELECT count(*) FROM shunt.exchange_1") == "1")
        #expect(try TrafficEraser.removeAll(bench.path) == 1)
        let reader = try TrafficReader(bench.path)
        #expect(try reader.messages(of: 1, limit: 9).map(\.bytes) == [[1], [2]])
        #expect(try bench.run("SELECT count(*) FROM shunt.frame WHERE position('other'::bytea in bytes) > 0") == "0")
        store.finish()
    }

    @Test func `a Shunt that knows a body as stored writes it again after others have removed it`() throws {
        let bench = try PostgresBench()
        let store = try bench.open()
        let body = Self.body(5000, 1)
        _ = store.offer(Pieces.whole(1, Self.exchange("one"), [(.responseBody, body)]))
        #expect(eventually { store.statistics.recorded == 1 })
        #expect(try TrafficEraser.removeAll(bench.path) == 1)
        _ = store.offer(Pieces.whole(2, Self.exchange("two"), [(.responseBody, body)]))
        store.finish()
        let reader = try TrafficReader(bench.path)
        let id = try #require(try reader.newest())
        #expect(id == 2 && reader.hasNodes)
        #expect(try reader.whole(id, .response).bytes == body)
    }

    @Test func `text that PostgreSQL cannot store comes back as readers of any store see it`() throws {
        let bench = try PostgresBench()
        var exchange = Pieces.exchange()
        exchange.failure = .init(side: "origin", stage: "wait", message: "a\u{0}b")
        let head = Array("GET / HTTP/1.1\r\nContent-Type: t\u{0}ext/pl".utf8) + [0xFF] + Array("in\r\n\r\n".utf8)
        let store = try bench.open()
        _ = store.offer(Pieces.whole(1, exchange, [(.clientRequest, head)]))
        store.finish()
        let record = try #require(try TrafficReader(bench.path).record(1))
        #expect(record.summary.exchange.failure?.message == "a\u{2400}b")
        #expect(record.clientRequest == head)
    }

    @Test func `one finds the exchanges of a node, and the indexes serve`() throws {
        let bench = try PostgresBench()
        for (node, count) in [("phone-lab", 3), ("ci-7", 400)] {
            let store = try bench.open(node)
            for number in 1...count { _ = store.offer(Pieces.whole(UInt64(number), Self.exchange("\(number)"))) }
            store.finish()
        }
        let reader = try TrafficReader(bench.path)
        #expect(try reader.groups(by: .node).map { "\($0.name ?? "none") \($0.count)" } == ["ci-7 400", "phone-lab 3"])
        func found(_ filter: String) throws -> Int {
            try TrafficSearch(reader, try TrafficFilter(filter)).page(.oldestFirst(after: 0), limit: .max).count
        }
        #expect(try found("~node phone-lab") == 3)
        #expect(try found("!~node phone-lab") == 400)
        #expect(try found("~node phone") == 0)
        #expect(try found("~node phone-lab|ci-7") == 403)
        #expect(try found("~node ci-7 ~b x") == 0)
        let file = try StoreBench().recorded([Pieces.whole(1)])
        #expect(try TrafficSearch(file, try TrafficFilter("~node ci-7")).page(.oldestFirst(after: 0), limit: 1).isEmpty)
    }

    @Test func `filters become plans with indexes`() throws {
        let bench = try PostgresBench()
        try bench.open().finish()
        try bench.run(PostgresFill.sql(60_000))
        let reader = try TrafficReader(bench.path)
        for (filter, index) in [
            ("~d ^api7.shop.test$ ~c 404", "_host_"), ("~c 599", "_status_"), ("~d ^api7.shop.test$", "_host_"),
            ("~id 77", "_pkey"), ("~all", "_pkey"), ("~node build-2", "_pkey"),
        ] {
            let search = try TrafficFilter(filter).sql(hasNodes: true)
            let plan = try reader.plan(where: StoreCondition(search))
            #expect(plan.contains { $0.contains("Index") && $0.contains(index) }, "\(filter): \(plan)")
            #expect(!plan.contains { $0.contains("Seq Scan on exchange_0") }, "\(filter): \(plan)")
        }
    }
}
