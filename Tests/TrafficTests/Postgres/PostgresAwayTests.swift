import Dispatch
import Exchanges
import Foundation
import Postgres
import Store
import Synchronization
import TestSupport
import Testing

/// Servers that go away, stall, and refuse.
@Suite(.postgres)
struct PostgresAwayTests {
    /// Tells the time that it is set to, in microseconds since 1970.
    private final class SetClock: Sendable {
        private let state = Mutex(Int64(1_800_000_000_000_000))
        var time: Int64 {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
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
                _ = store.offer(Numbered.piece(number))
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
        try Numbered.expectAll(count, path)
        let reader = try TrafficReader(path)
        // A batch that was lost with the server is written again, with other numbers.
        let some = try #require(reader.page(after: 0, limit: 500).last).id
        #expect(try reader.whole(some, .response).bytes.count == 3000)
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
                _ = store.offer(Numbered.piece(number))
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
        try Numbered.expectAll(count, own.path)
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
        _ = store.offer(Numbered.piece(1))
        #expect(try await blocking { eventually { store.statistics.recorded == 1 } })
        // What a full tablespace says.
        try bench.run(
            """
            CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
            CREATE TRIGGER full_disk BEFORE INSERT ON shunt.exchange FOR EACH STATEMENT EXECUTE FUNCTION full_disk()
            """)
        _ = store.offer(Numbered.piece(2))
        #expect(try await blocking { eventually { troubles.all == ["began: diskFull"] } }, "\(troubles.all)")
        _ = store.offer(Numbered.piece(3))
        try bench.run("DROP TRIGGER full_disk ON shunt.exchange")
        try await blocking { store.finish() }
        #expect(troubles.all == ["began: diskFull", "ended"])
        try Numbered.expectAll(3, bench.path)
    }

    @Test func `tables that are dropped are made anew`() async throws {
        let bench = try PostgresBench()
        let troubles = TroubleLog()
        let store = try bench.open("a") { $0.trouble = { troubles.hear($0) } }
        _ = store.offer(Numbered.piece(1))
        #expect(try await blocking { eventually { store.statistics.recorded == 1 } })
        try bench.run("DROP SCHEMA shunt CASCADE")
        _ = store.offer(Numbered.piece(2))
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
        _ = store.offer(Numbered.piece(1))
        _ = store.offer(Pieces.piece(2, Pieces.exchange(), isFirst: true, isLast: false))
        #expect(
            try await blocking {
                try eventually { try bench.run("SELECT began_us FROM shunt.part WHERE number = 0") != "" }
            })
        clock.time += 3600 * 1_000_000
        #expect(try await blocking { try eventually { try parts().contains("2") } })
        _ = store.offer(Numbered.piece(3))
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
        _ = store.offer(Numbered.piece(1))
        @Sendable func began() throws -> Int64? {
            try Int64(bench.run("SELECT began_us FROM shunt.part WHERE number = 0"))
        }
        #expect(try await blocking { try eventually { try began() != nil } })
        #expect(abs(try #require(try began()) - Int64(Date().timeIntervalSince1970 * 1e6)) < month / 2)
    }

    @Test func `certificates are stored also where the first attempt to write them fails at its end`() async throws {
        let bench = try PostgresBench()
        let troubles = TroubleLog()
        let store = try bench.open("a") { $0.trouble = { troubles.hear($0) } }
        try bench.run(
            """
            CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
            CREATE CONSTRAINT TRIGGER full_disk AFTER INSERT ON shunt.certificate DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION full_disk()
            """)
        let chain = CertificateChain(
            name: String(repeating: "c", count: 32),
            certificates: [
                .init(subject: "CN=a", issuer: "CN=b", notAfter: "2030-01-01T00:00:00Z", publicKey: "sha256/c=")
            ])
        store.know(chain)
        var exchange = Numbered.exchange(1)
        exchange.origin = .init(
            url: "https://shop.test", tls: "TLSv1.3", trust: "default", trustDecision: "verified")
        exchange.origin?.chain = chain.name
        _ = store.offer(Pieces.whole(1, exchange))
        #expect(try await blocking { eventually { troubles.all == ["began: diskFull"] } }, "\(troubles.all)")
        try bench.run("DROP TRIGGER full_disk ON shunt.certificate")
        try await blocking { store.finish() }
        let reader = try TrafficReader(bench.path)
        // The first attempt has used up a number.
        let id = try #require(try reader.newest())
        #expect(try reader.record(id)?.certificates == chain.certificates)
    }

    /// The process of the server that a Shunt's connection has, if the lock that says that it lives is held.
    private static func recorder(_ bench: PostgresBench) throws -> String {
        try bench.run(
            """
            SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND objsubid = 2
                AND classid = 'shunt.recorder'::regclass AND application_name = 'shunt a'
                AND datname = current_database()
            """)
    }

    @Test func `a Shunt that could not take its lock on a new connection takes it later`() async throws {
        let bench = try PostgresBench()
        let store = try bench.open("a")
        defer { store.finish() }
        try await blocking {
            let first = try Self.recorder(bench)
            #expect(first != "")
            // As by its own earlier connection, whose end the server has not noticed.
            let (isLocked, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            startThread {
                let other = try? PostgresConnection(try PostgresAddress(bench.path))
                _ = try? other?.query("SELECT pg_advisory_lock('shunt.recorder'::regclass::oid::integer, 1)")
                isLocked.signal()
                isOver.wait()
            }
            let waiting = """
                SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
                    WHERE NOT granted AND datname = current_database()
                """
            #expect(try eventually { try bench.run(waiting) == "1" })
            try bench.run("SELECT pg_terminate_backend(\(first))")
            isLocked.wait()
            _ = store.offer(Numbered.piece(1))
            #expect(eventually { store.statistics.recorded == 1 })
            #expect(try Self.recorder(bench) == "")
            isOver.signal()
            #expect(try eventually { try Self.recorder(bench) != "" })
        }
    }

    @Test func `a transaction that the server refuses ends neither the connection nor the lock of its Shunt`()
        async throws
    {
        let bench = try PostgresBench()
        let troubles = TroubleLog()
        let store = try bench.open("a") { $0.trouble = { troubles.hear($0) } }
        defer { store.finish() }
        try await blocking {
            _ = store.offer(Numbered.piece(1))
            #expect(eventually { store.statistics.recorded == 1 })
            let process = try Self.recorder(bench)
            try bench.run("ALTER TABLE shunt.exchange ADD CONSTRAINT refuse CHECK (id < 2) NOT VALID")
            _ = store.offer(Numbered.piece(2))
            #expect(eventually { troubles.all == ["began: other"] }, "\(troubles.all)")
            #expect(try Self.recorder(bench) == process && process != "")
        }
    }
}
