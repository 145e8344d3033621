import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

/// Three nodes, one database, one switch.
@Suite(.postgres) struct ClusterTests {
    @Test func `use on any node reaches all, and no request is answered by the old profile after it`() throws {
        let cluster = try ClusterNodes()
        #expect(try cluster.nodes.map { try $0.get() } == ["local", "local", "local"])
        // Requests all the time, each noted with when it was sent.
        let load = ClusterLoad(cluster.nodes)
        for turn in 0..<6 {
            let wanted = turn.isMultiple(of: 2) ? "staging" : "local"
            let result = try cluster[turn % 3].run("use", wanted, "--wait")
            let returned = ContinuousClock.now
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.contains("Profile \(wanted) is active on 3 of 3 nodes"), "\(result.output)")
            let late = try load.responses(sentAfter: returned, atLeast: 5)
            #expect(late.allSatisfy { $0 == wanted }, "\(late)")
        }
        load.stop()
        #expect(load.failures == [])
        let status = try cluster[1].run("status").output
        for name in ClusterNodes.names { #expect(status.contains("\(name)  local, revision"), "\(status)") }
        #expect(!status.contains("differ") && !status.contains("WARNING"), "\(status)")
        // A node that ends in good order is not counted any more.
        try cluster[2].stop()
        let two = try cluster[0].run("use", "staging", "--wait")
        #expect(two.status == 0 && two.output.contains("on 2 of 2 nodes"), "\(two.output)")
    }

    @Test func `a node that lacks the profile is named, and takes it over when it has it`() throws {
        let cluster = try ClusterNodes(without: ["three": "staging"])
        let status = try cluster[0].run("status").output
        #expect(status.components(separatedBy: "its profiles differ").count == 2, "\(status)")
        let used = try cluster[0].run("use", "staging")
        #expect(used.status == 0 && used.output.contains("on 2 of 3 nodes"), "\(used.output)")
        #expect(used.output.contains("There is no profile staging on three (which stays with local)"), "\(used.output)")
        #expect(try cluster[0].run("use", "staging", "--wait").status == 1)
        #expect(try cluster.nodes.map { try $0.get() } == ["staging", "staging", "local"])
        #expect(cluster[2].process.errors.contains("which is not here"))
        try cluster[2].folder.write("Profiles/staging.json", ClusterNodes.profiles["staging"] ?? "")
        #expect(try eventually { try cluster[2].get() == "staging" })
        #expect(try eventually { try cluster[0].run("use", "staging", "--wait").status == 0 })
        // Only a profile that the asked node has can be meant.
        #expect(try cluster[0].run("use", "stagin").errors.contains("staging"))
    }

    @Test func `devices, mocks and networks are those of all nodes`() throws {
        let cluster = try ClusterNodes()
        #expect(try cluster[0].run("use", "staging", "--device", "127.0.0.1").status == 0)
        #expect(try eventually { try cluster.nodes.allSatisfy { try $0.get() == "staging" } })
        #expect(try cluster[1].run("devices", "forget", "127.0.0.1").status == 0)
        #expect(try eventually { try cluster.nodes.allSatisfy { try $0.get() == "local" } })
        #expect(try cluster[1].run("mocks", "off", "promo").status == 0)
        #expect(try eventually { try cluster.nodes.allSatisfy { try $0.get() != "local" } })
        #expect(try cluster[2].run("mocks", "on", "promo").status == 0)
        #expect(try eventually { try cluster.nodes.allSatisfy { try $0.get() == "local" } })
        #expect(try cluster[2].run("network", "lte", "--for", "1h").status == 0)
        #expect(
            try eventually {
                try cluster.nodes.allSatisfy { try $0.status()["networks"]?.array?.first?.string == "lte" }
            })
        // One that comes later begins with all of it.
        #expect(try cluster[0].run("use", "staging").status == 0)
        #expect(try cluster[0].run("mocks", "off", "promo", "--profile", "local").status == 0)
        let four = try cluster.start("four")
        #expect(try four.get() == "staging")
        let state = try four.status()
        #expect(state["networks"]?.array?.first?.string == "lte" && state["cluster"]?["group"]?.string == cluster.group)
        #expect(try four.run("mocks", "--profile", "local").output.contains("off"))
        #expect(four.process.errors.contains("--profile local does not count"))
    }

    @Test func `users' devices and choices count where the user has a token, until the last one is gone`() throws {
        let cluster = try ClusterNodes()
        func token(_ index: Int) throws -> String {
            let made = try cluster[index].run("token", "new", "ada", "--may", "status,devices,unlock")
            return made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let tokens = [try token(0), try token(1)]
        let paired = try cluster[0].run(as: tokens[0], "pair", "--app", "nightly", "--json")
        let cookie = try #require(try JSONReader.read(paired.output)["cookie"]?.string, "\(paired)")
        let used = try cluster[1].run(as: tokens[1], "use", "staging", "--mine")
        #expect(used.status == 0, "\(used)")
        func answers() throws -> [String] { try cluster.nodes.map { try $0.get(cookie: cookie) } }
        // The third node has no user of that name.
        #expect(try eventually { try answers() == ["staging", "staging", "local"] })
        #expect(try cluster.nodes.map { try $0.get() } == ["local", "local", "local"])
        let third = try token(2)
        #expect(try eventually { try answers() == ["staging", "staging", "staging"] })
        // Each change is in the trail of the node that was asked for it.
        let unlocked = try cluster[2].run(as: third, "unlock", "production", "--for", "1m", "--reason", "refund 4711")
        #expect(unlocked.status == 0, "\(unlocked)")
        let trail = try cluster[2].run("audit").output
        #expect(trail.contains("ada") && trail.contains("refund 4711"), "\(trail)")
        #expect(try !cluster[0].run("audit").output.contains("refund 4711"))
        // Who has no token any more on a node loses the devices on all; those of the others stay.
        #expect(try cluster[0].run("token", "revoke", "ada").status == 0)
        #expect(try eventually { try answers() == ["local", "local", "local"] })
        #expect(try eventually { try cluster[1].run("devices").output.contains("No device") })
    }

    @Test func `a notification that is lost is made up for, and so is a listener`() throws {
        // Connections of all clusters on a server are ended here.
        let cluster = try ClusterNodes(PostgresServer())
        // Written by another program, without a notification.
        try cluster.server.run(
            """
            UPDATE shunt_cluster.state SET revision = revision + 1, change = 'silent',
                document = jsonb_set(document, '{active}', '"staging"') WHERE group_name = '\(cluster.group)'
            """)
        #expect(try eventually { try cluster.nodes.allSatisfy { try $0.get() == "staging" } })
        try cluster.server.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'shunt cluster %'")
        #expect(
            try eventually {
                let used = try cluster[1].run("use", "local", "--wait")
                return used.status == 0 && used.output.contains("3 of 3")
            })
        #expect(try cluster.nodes.map { try $0.get() } == ["local", "local", "local"])
        #expect(try !cluster[0].run("status").output.contains("WARNING"))
    }

    @Test func `a state of a newer Shunt is left alone, and the node keeps what it knows`() throws {
        let cluster = try ClusterNodes(nil, ["one"])
        #expect(try cluster[0].run("use", "staging").status == 0)
        #expect(try cluster[0].clusterMetrics().contains("shunt_cluster_database_up{group=\"\(cluster.group)\"} 1"))
        try cluster.server.run(
            """
            UPDATE shunt_cluster.state SET change = 'newer', document = jsonb_set(document, '{version}', '9')
                WHERE group_name = '\(cluster.group)'
            """)
        #expect(try eventually { try cluster[0].clusterField().hasSuffix("; database=away") })
        let metrics = try cluster[0].clusterMetrics()
        for line in ["revision{group=\"\(cluster.group)\"} 2", "database_up{group=\"\(cluster.group)\"} 0"] {
            #expect(metrics.contains("shunt_cluster_\(line)"), "\(metrics)")
        }
        #expect(try cluster[0].get() == "staging")
        let refused = try cluster[0].run("use", "local")
        #expect(refused.status == 1 && refused.errors.contains("version 9"), "\(refused.errors)")
        try cluster.server.run(
            "UPDATE shunt_cluster.state SET change = 'last', revision = 9223372036854775807 WHERE group_name = '\(cluster.group)'"
        )
        #expect(try eventually { try cluster[0].run("use", "local").errors.contains("no cluster reaches") })
        #expect(try cluster[0].run("lock", "production").status == 0)
        #expect(try cluster[0].get() == "staging")
    }

    @Test(arguments: ["infinity", "9999-01-01"])
    func `a node that pretends to be heard of for ever is forgotten`(heartbeat: String) throws {
        let cluster = try ClusterNodes(nil, ["one"])
        try cluster.server.run(
            """
            INSERT INTO shunt_cluster.node
                (group_name, id, name, address, version, revision, active, digest, unanswered, heartbeat)
            VALUES ('\(cluster.group)', 'x', 'ghost', 'h', '', 1, 'local', '', 0, '\(heartbeat)')
            """)
        #expect(try cluster[0].run("status").output.contains("ghost"))
        #expect(try !cluster[0].run("status").output.contains("database is away"))
        #expect(try eventually { try !cluster[0].run("status").output.contains("ghost") })
    }

    @Test func `a node without the profile can lock what another one has unlocked`() throws {
        let cluster = try ClusterNodes(nil, ["one", "two"])
        #expect(try cluster[0].run("unlock", "production", "--for", "5m", "--reason", "why").status == 0)
        try FileManager.default.removeItem(atPath: cluster[1].folder.path + "/Profiles/production.json")
        #expect(try cluster[1].run("reload").status == 0)
        let locked = try cluster[1].run("lock", "production")
        #expect(locked.status == 0 && locked.output.contains("2 of 2"), "\(locked)")
        #expect(try cluster[0].write() == 403)
        #expect(try cluster[1].run("lock", "prodction").status == 1)
    }

    @Test func `groups in one database know nothing of each other`() throws {
        let (first, second) = try (ClusterNodes(nil, ["one"]), ClusterNodes(nil, ["one"]))
        #expect(try first[0].run("use", "staging", "--wait").output.contains("1 of 1 node;"))
        #expect(try second[0].get() == "local")
        #expect(try second[0].clusterField() == "one; revision=1")
        #expect(try first[0].clusterField() == "one; revision=2")
    }

    @Test func `a role that may only read and write the rows is enough once the tables are there`() throws {
        let owner = try ClusterNodes(nil, ["one"])
        try owner.server.run(
            """
            CREATE ROLE gateway LOGIN;
            -- Tables in a schema of a role's name must not come in front.
            CREATE SCHEMA gateway AUTHORIZATION gateway;
            CREATE TABLE gateway.state (LIKE shunt_cluster.state);
            REVOKE CREATE ON SCHEMA public FROM PUBLIC;
            GRANT USAGE ON SCHEMA shunt_cluster TO gateway;
            GRANT SELECT, INSERT, UPDATE ON shunt_cluster.state TO gateway;
            GRANT SELECT, INSERT, UPDATE, DELETE ON shunt_cluster.node TO gateway;
            """)
        let address = owner.server.address.replacing("//shunt@", with: "//gateway@")
        let node = try owner.start("two", address: address)
        #expect(try node.run("use", "staging", "--wait").output.contains("2 of 2 nodes"))
        #expect(try owner[0].get() == "staging")
    }

    @Test(arguments: [
        (["--cluster-group", "a"], "--cluster-group needs --cluster"),
        (["--cluster", "postgres://u:s3cret@localhost/d"], "the address has a password"),
        (["--cluster", "mysql://localhost"], "no address of PostgreSQL"),
        (["--cluster", "postgres://localhost/d", "--cluster-group", "a/b"], "--cluster-group"),
        (["--cluster", "postgres://localhost/d", "--node", "a b"], "--node"),
    ])
    func `options that cannot be meant are refused, and no password is shown`(words: [String], why: String) throws {
        let shunt = try Shunt()
        let result = try ChildProcess.run(ShuntBinary.path, ["serve"] + words, directory: shunt.folder.path)
        #expect(result.status == 64 && result.errors.contains(why), "\(result.errors)")
        #expect(!result.errors.contains("s3cret"))
    }
}

/// Requests to several nodes without a pause, each with its response and with when it was sent.
final class ClusterLoad: Sendable {
    private struct State {
        var responses: [(sent: ContinuousClock.Instant, text: String)] = []
        var failures: [String] = []
        var hasEnded = false
    }

    private let state = Mutex(State())

    init(_ nodes: [ServingShunt]) {
        for node in nodes {
            Thread.detachNewThread { [self] in
                while !state.withLock({ $0.hasEnded }) {
                    let sent = ContinuousClock.now
                    let result = Result { try node.get() }
                    state.withLock { state in
                        switch result {
                        case .success(let text): state.responses.append((sent, text))
                        case .failure(let error): state.failures.append("\(error)")
                        }
                    }
                    Thread.sleep(forTimeInterval: 0.002)
                }
            }
        }
    }

    var failures: [String] { state.withLock { $0.failures } }

    /// What was answered to requests that were sent after a moment, once there are some; forgets them.
    func responses(sentAfter moment: ContinuousClock.Instant, atLeast count: Int) throws -> [String] {
        var found: [String] = []
        _ = eventually {
            found = state.withLock { state in state.responses.filter { $0.sent > moment }.map(\.text) }
            return found.count >= count
        }
        try #require(found.count >= count)
        state.withLock { $0.responses = [] }
        return found
    }

    func stop() { state.withLock { $0.hasEnded = true } }
}
