import Dispatch
import Postgres
import TestSupport
import Testing

/// Against a real server.
@Suite(.postgres) struct ConnectionTests {
    private func connect() throws -> PostgresConnection {
        try PostgresConnection(PostgresAddress(try PostgresServer.shared.get().newDatabase()))
    }

    private func connect(_ server: PostgresServer) throws -> PostgresConnection {
        try PostgresConnection(PostgresAddress(server.address))
    }

    @Test func `statements, values, rows and failures go both ways`() throws {
        let connection = try connect()
        #expect(connection.isUsable)
        #expect(connection.serverVersion >= 90_000)
        try connection.run("CREATE TABLE t(n bigint, s text, b bytea, f bool); SET synchronous_commit = off")
        let rows: [[PostgresValue]] = [
            [.integer(.min), .text(""), .bytes([]), .boolean(true)],
            [.integer(.max), .text("ä\u{0}€"), .bytes([0, 255, 10, 92]), .boolean(false)],
            [.null, .null, .null, .null],
        ]
        for row in rows {
            try connection.query("INSERT INTO t VALUES ($1::bigint, $2::text, $3::bytea, $4::boolean)", row)
        }
        let found = try connection.query("SELECT n, s, b, f, n = $1::bigint FROM t", [.integer(.max)])
        #expect(found.count == 3)
        #expect((0..<3).map { found.integer($0, 0) } == [.min, .max, nil])
        #expect((0..<3).map { found.text($0, 1) } == ["", "ä €", nil])
        #expect((0..<3).map { found.bytes($0, 2) } == [[], [0, 255, 10, 92], nil])
        #expect((0..<3).map { found.integer($0, 3) } == [1, 0, nil])
        #expect((0..<3).map { found.integer($0, 4) } == [0, 1, nil])

        let failure = #expect(throws: PostgresFailure.self) { try connection.query("SELECT * FROM missing") }
        #expect(failure?.state == "42P01")
        #expect(failure?.mayPass == false)
        #expect(try connection.query("SELECT 7::int").integer(0, 0) == 7)
    }

    @Test func `rows are streamed until the reader has enough`() throws {
        let connection = try connect()
        var sum: Int64 = 0
        try connection.stream("SELECT generate_series(1, 100000)") { rows in
            sum += rows.integer(0, 0) ?? 0
            return sum < 10
        }.get()
        #expect(sum == 10)
        #expect(try connection.query("SELECT 1::int").integer(0, 0) == 1)
    }

    @Test func `copied rows are there, and a refused copy leaves the connection usable`() throws {
        let connection = try connect()
        try connection.run("CREATE TABLE t(n int PRIMARY KEY, s text)")
        let text = Array((0..<100_000).map { "\($0)\tline \($0)\n" }.joined().utf8)
        try text.withUnsafeBytes { try connection.copy("COPY t FROM STDIN", $0) }
        #expect(try connection.query("SELECT count(*) FROM t").integer(0, 0) == 100_000)
        for (bytes, sql) in [
            ("1\tx\n", "COPY t FROM STDIN"), ("a\tx\n", "COPY t FROM STDIN"), ("", "COPY u FROM STDIN"),
        ] {
            #expect(throws: PostgresFailure.self) {
                try Array(bytes.utf8).withUnsafeBytes { try connection.copy(sql, $0) }
            }
            #expect(connection.isUsable)
        }
        #expect(try connection.query("SELECT count(*) FROM t").integer(0, 0) == 100_000)
    }

    @Test func `notifications arrive, and the wait for them ends`() throws {
        let server = try PostgresServer.shared.get()
        let (one, other) = (try connect(server), try connect(server))
        try one.listen("news")
        #expect(try one.notifications(until: .after(milliseconds: 0)) == [])
        try other.query("SELECT pg_notify('news', $1::text)", [.text("ä")])
        let found = try one.notifications(until: .after(milliseconds: 60_000))
        #expect(found.map(\.payload) == ["ä"])
        #expect(found.map(\.sender) == [other.serverProcess])
    }

    @Test func `a server that ends, and one that is silent, are failures in time`() throws {
        let server = try PostgresServer()
        let connection = try connect(server)
        let slow = #expect(throws: PostgresFailure.self) {
            try connection.query("SELECT pg_sleep(60)", until: .after(milliseconds: 50))
        }
        #expect(slow?.kind == .timedOut)
        #expect(slow?.mayPass == true)
        let next = try connect(server)
        try server.stop(hard: true)
        // The server's process for this connection ends a moment after the others.
        var lost: PostgresFailure?
        _ = eventually {
            do throws(PostgresFailure) {
                _ = try next.query("SELECT 1")
            } catch {
                lost = error
            }
            return lost != nil
        }
        #expect(lost?.kind == .lost)
        #expect(!next.isUsable)
        let away = #expect(throws: PostgresFailure.self) { try connect(server) }
        #expect(away?.kind == .unreachable)
        try server.start()
        #expect(try connect(server).isUsable)
    }

    @Test func `who may not come in is told so`() throws {
        let server = try PostgresServer.shared.get()
        for address in [
            "postgres://nobody@/shunt?host=\(server.folder.path)&port=\(server.port)", server.networkAddress,
            "postgres://shunt@/missing?host=\(server.folder.path)&port=\(server.port)",
        ] {
            let failure = #expect(throws: PostgresFailure.self) { try PostgresConnection(PostgresAddress(address)) }
            #expect(failure?.kind == .refused, "\(address): \(String(describing: failure))")
            #expect(failure?.mayPass == false)
        }
        // It has no TLS, so that nobody can be sure of it.
        let unsafe = #expect(throws: PostgresFailure.self) {
            try PostgresConnection(PostgresAddress("postgres://shunt@127.0.0.1:\(server.port)/shunt"))
        }
        #expect(unsafe?.kind == .refused && unsafe?.mayPass == false)
    }

    @Test func `a host's look-up ends with the connection's time, and serves the next one`() throws {
        let gate = DispatchSemaphore(value: 0)
        let count = Kept(0)
        let lookUp: @Sendable (String) -> [String] = { _ in
            count.change { $0 += 1 }
            gate.wait()
            return []
        }
        let address = try PostgresAddress("postgres://shunt@db-\(UInt64.random(in: 0 ... .max)).test/shunt")
        for _ in 0..<3 {
            let failure = #expect(throws: PostgresFailure.self) {
                try PostgresConnection(address, until: .after(milliseconds: 20), lookUp: lookUp)
            }
            #expect(failure?.kind == .unreachable && failure?.message.contains("looked up in time") == true)
        }
        gate.signal()
        // One look-up for the three, however late it began.
        #expect(count.value <= 1)
    }

    @Test(.postgres) func `a host's addresses are tried in turn, with the port that it has`() throws {
        let server = try PostgresServer.shared.get()
        let asked = Kept<[String]>([])
        let address = try PostgresAddress(
            "postgres://nobody@none.test,db.test:\(server.port),db.test/shunt?sslmode=disable")
        let failure = #expect(throws: PostgresFailure.self) {
            try PostgresConnection(address, until: .after(milliseconds: 60_000)) { host in
                asked.change { $0.append(host) }
                return host == "none.test" ? [] : ["127.0.0.1"]
            }
        }
        // It was reached, and refuses this user.
        #expect(failure?.kind == .refused, "\(String(describing: failure))")
        #expect(Set(asked.value) == ["none.test", "db.test"])
    }
}
