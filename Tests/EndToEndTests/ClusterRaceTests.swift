import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

/// A cluster in which several things happen at the same time, or a second time.
@Suite(.postgres) struct ClusterRaceTests {
    @Test func `no change is lost when several nodes change the state at once`() throws {
        let cluster = try ClusterNodes()
        let refused = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 12) { [nodes = cluster.nodes] index in
            let used = Result { try nodes[index % 3].run("use", "staging", "--device", "10.0.0.\(index + 1)") }
            if let result = try? used.get(), result.status == 0 { return }
            refused.withLock { $0.append("\(used)") }
        }
        #expect(refused.withLock { $0 } == [])
        let wanted = Set((1...12).map { "10.0.0.\($0)" })
        for node in cluster.nodes {
            #expect(
                try eventually {
                    let devices = try JSONReader.read(try node.run("devices", "--json").output)["devices"]?.array ?? []
                    return Set(devices.compactMap { $0["address"]?.string }) == wanted
                })
        }
    }

    @Test func `wait also waits for requests that the old profile still has to answer, on each node`() throws {
        let gate = Gate()
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            gate.wait()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nold")
        }
        defer { origin.stop() }
        defer { gate.open() }
        let slow = #"{"kind": "local", "routes": [{"origin": "http://127.0.0.1:\#(origin.port)"}]}"#
        let cluster = try ClusterNodes(nil, ["one"])
        var profiles = ClusterNodes.profiles
        profiles["local"] = slow
        cluster.nodes.append(try cluster.start("two", profiles))
        let alone = try ServingShunt(profiles, ["--profile", "local", "--no-pages"])
        let clients = try [cluster[1], alone].map { node in
            let client = try RawConnection.connect(node.port)
            try client.send("GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n")
            return client
        }
        defer { for client in clients { client.close() } }
        #expect(eventually { origin.connectionCount == 2 })
        let missed = try cluster[0].run("use", "staging", "--wait", "--wait-time", "1s")
        #expect(missed.status == 1 && missed.output.contains("on 1 of 2 nodes"), "\(missed)")
        #expect(missed.output.contains("wait for their response: two (1)"), "\(missed)")
        // Without the wish to wait for them they are not in the way.
        #expect(try cluster[0].run("use", "staging").output.contains("on 2 of 2 nodes"))
        let own = try alone.run("use", "staging", "--wait", "--wait-time", "1s")
        #expect(own.status == 1 && own.output.contains("wait for their response: 1"), "\(own)")
        // Requests that wait leave connections for others.
        let record = try JSONReader.read(try alone.folder.read(".shunt/\(alone.port).json"))
        let token = record["token"]?.string ?? ""
        let admin = try #require(alone.admin.split(separator: ":").last.flatMap { UInt16($0) })
        let body = #"{"profile": "staging", "wait": true, "waitSeconds": 60}"#
        let waiting = try (0..<70).map { _ in
            let connection = try RawConnection.connect(admin)
            try connection.send(
                "POST /v1/use HTTP/1.1\r\nHost: 127.0.0.1:\(admin)\r\nAuthorization: Bearer \(token)\r\n"
                    + "Content-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return connection
        }
        defer { for connection in waiting { connection.close() } }
        #expect(
            try eventually {
                try alone.run("use", "staging", "--wait", "--wait-time", "1s").errors.contains("wait for changes")
            })
        #expect(try alone.run("lock", "production").status == 0)
        gate.open()
        #expect(try cluster[0].run("use", "staging", "--wait").status == 0)
        #expect(try eventually { try alone.run("use", "staging", "--wait").status == 0 })
        for client in clients { #expect(try client.readToEnd().hasSuffix("old")) }
    }

    @Test func `a node that starts is waited for, since it may begin with the state before the change`() throws {
        let cluster = try ClusterNodes(nil, ["one"])
        // As a node announces itself before it reads the state.
        try cluster.server.run(
            """
            INSERT INTO shunt_cluster.node
                (group_name, id, name, address, version, revision, active, digest, unanswered, heartbeat)
            VALUES ('\(cluster.group)', 'x', 'late', '', '', 0, '', '', 0, clock_timestamp())
            """)
        #expect(try cluster[0].run("status").output.contains("late  starts"))
        let used = try cluster[0].run("use", "staging", "--wait", "--wait-time", "1s")
        #expect(used.status == 1 && used.output.contains("late has not taken it over yet"), "\(used)")
    }

    @Test func `an unlocking that was ended does not come back with a database from before its end`() throws {
        let cluster = try ClusterNodes(nil, ["one", "two"])
        let group = "group_name = '\(cluster.group)'"
        #expect(
            try cluster[0].run("unlock", "production", "--for", "1h", "--reason", "refund 4711").output
                .contains("2 of 2"))
        try cluster.server.run("CREATE TABLE kept_\(cluster.group) AS SELECT * FROM shunt_cluster.state WHERE \(group)")
        #expect(try cluster[0].run("lock", "production").output.contains("locked on 2 of 2"))
        // A standby that lagged has taken over, or a backup was restored.
        try cluster.server.run(
            """
            UPDATE shunt_cluster.state state SET revision = kept.revision, change = kept.change,
                document = kept.document FROM kept_\(cluster.group) kept WHERE state.\(group);
            SELECT pg_notify('shunt_cluster', '\(cluster.group)')
            """)
        var written = Set<Int>()
        let isLocked = try eventually {
            for node in cluster.nodes { written.insert(try node.write()) }
            let unlocked = try cluster.server.run(
                "SELECT document->'unlocked' FROM shunt_cluster.state WHERE \(group)")
            return unlocked == "[]"
        }
        for node in cluster.nodes { written.insert(try node.write()) }
        #expect(isLocked && written == [403])
        // It can be unlocked again, by those who want that now.
        #expect(
            try eventually {
                try cluster[1].run("unlock", "production", "--for", "1h", "--reason", "again").status == 0
            })
        #expect(try eventually { try cluster.nodes.map { try $0.write() } == [502, 502] })
    }

    @Test func `a database that has lost its data gets the state again, locked, and can be unlocked`() throws {
        let cluster = try ClusterNodes(nil, ["one", "two"])
        for words in [["use", "staging"], ["lock", "production"], ["use", "local"], ["use", "staging"]] {
            #expect(
                try ChildProcess.run(ShuntBinary.path, words, directory: cluster[0].folder.path).status == 0)
        }
        #expect(try cluster[0].run("unlock", "production", "--for", "1h", "--reason", "r").status == 0)
        try cluster.server.run("DELETE FROM shunt_cluster.state WHERE group_name = '\(cluster.group)'")
        #expect(try eventually { try cluster.nodes.allSatisfy { try $0.write() == 403 } })
        #expect(try cluster.nodes.map { try $0.get() } == ["staging", "staging"])
        // Its revisions begin anew, below that of the last lock.
        #expect(
            try eventually {
                try cluster[1].run("unlock", "production", "--for", "1h", "--reason", "r").output.contains("2 of 2")
            })
        #expect(try cluster.nodes.map { try $0.write() } == [502, 502])
    }

    @Test func `the password is in no log, no status and no file`() throws {
        let server = try PostgresServer.shared.get()
        let cluster = try ClusterNodes(server, [])
        let node = try cluster.start(
            "one", address: server.networkAddress, environment: ["PGPASSWORD": PostgresServer.password])
        #expect(try node.run("use", "staging", "--wait").status == 0)
        let shown = try [node.run("status").output, node.run("status", "--json").output, node.process.errors]
        #expect(shown.allSatisfy { !$0.contains(PostgresServer.password) && $0.contains("cluster") }, "\(shown)")
        let found = try ChildProcess.run(
            "/usr/bin/env", ["grep", "-rl", PostgresServer.password, node.folder.path])
        #expect(found.output == "")
        // The refusal of a wrong one does not name it.
        let refused = try ChildProcess.run(
            ShuntBinary.path, ["serve", "--port", "0", "--cluster", server.networkAddress],
            directory: node.folder.path, environment: ["PGPASSWORD": "wr0ng"])
        #expect(refused.status == 1 && refused.errors.contains("authentication failed"), "\(refused)")
        #expect(!refused.errors.contains("wr0ng"))
    }
}

/// A gate that several threads wait at.
private final class Gate: Sendable {
    private let isOpen = Mutex(false)

    func wait() { _ = eventually { isOpen.withLock { $0 } } }

    func open() { isOpen.withLock { $0 = true } }
}
