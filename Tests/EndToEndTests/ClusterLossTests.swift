import Foundation
import JSON
import TestSupport
import Testing

/// A cluster whose database goes away.
@Suite(.postgres) struct ClusterLossTests {
    private func remaining(_ node: ServingShunt) throws -> Int64? {
        try node.status()["unlocked"]?.array?.first?["seconds"]?.number?.int64
    }

    private func unlock(_ node: ServingShunt, _ time: String) throws -> ChildProcess.Result {
        try node.run("unlock", "production", "--for", time, "--reason", "refund 4711")
    }

    @Test func `a database that is killed stops changes, not traffic, and a lock counts at once`() throws {
        let cluster = try ClusterNodes(PostgresServer())
        #expect(try cluster[0].run("use", "staging", "--wait").status == 0)
        let unlocked = try unlock(cluster[0], "1h")
        #expect(unlocked.output.contains("on 3 of 3 nodes"), "\(unlocked.output) \(unlocked.errors)")
        #expect(try cluster.nodes.map { try $0.write() } == [502, 502, 502])
        let load = ClusterLoad(cluster.nodes)
        try cluster.server.stop(hard: true)
        #expect(try eventually { try cluster.nodes.allSatisfy { try $0.clusterField().hasSuffix("; database=away") } })
        for words in [
            ["use", "local"], ["use", "local", "--device", "10.0.0.1"],
            ["mocks", "off", "promo", "--profile", "local"],
            ["network", "lte"], ["unlock", "production", "--for", "1m", "--reason", "r"],
        ] {
            let refused = try ChildProcess.run(ShuntBinary.path, words, directory: cluster[1].folder.path)
            #expect(refused.status == 1, "\(words)")
            #expect(refused.errors.contains("is away, and nothing was changed"), "\(words): \(refused.errors)")
        }
        let status = try cluster[1].run("status").output
        #expect(status.contains("WARNING: the database is away"), "\(status)")
        #expect(cluster[1].process.errors.contains("the database of the cluster is away"))
        // A lock counts here at once, and elsewhere when the database is back.
        let locked = try cluster[1].run("lock", "production")
        #expect(locked.status == 0 && locked.output.contains("is locked on this node"), "\(locked.output)")
        #expect(try cluster.nodes.map { try $0.write() } == [502, 403, 502])
        #expect(try cluster[1].run("status").output.contains("not yet on the other nodes"))

        try cluster.server.start()
        #expect(try eventually { try cluster.nodes.allSatisfy { try $0.write() == 403 } })
        #expect(
            try eventually {
                let used = try cluster[2].run("use", "local", "--wait")
                return used.status == 0 && used.output.contains("3 of 3")
            })
        let late = try load.responses(sentAfter: .now, atLeast: 5)
        #expect(late.allSatisfy { $0 == "local" }, "\(late)")
        load.stop()
        #expect(load.failures == [])
        #expect(cluster[1].process.errors.contains("is back after"))
        #expect(try !cluster[1].run("status").output.contains("WARNING"))
    }

    @Test func `a node that restarts without the database is locked, and has the profile that it knew`() throws {
        let cluster = try ClusterNodes(PostgresServer(), ["one", "two"])
        #expect(try cluster[0].run("use", "staging", "--wait").status == 0)
        #expect(try unlock(cluster[0], "1h").status == 0)
        #expect(try cluster.nodes.map { try $0.write() } == [502, 502])
        let file = "Profiles/../.shunt"
        #expect(
            try eventually {
                try FileManager.default.contentsOfDirectory(atPath: cluster[1].folder.path + "/" + file)
                    .contains { $0.hasPrefix("cluster-\(cluster.group)-") }
            })
        try cluster.server.stop(hard: true)
        cluster[1].process.signal(9)
        _ = try cluster[1].process.wait()
        // The port names the file of what was known.
        let names = try FileManager.default.contentsOfDirectory(atPath: cluster[1].folder.path + "/.shunt")
        let known = try #require(names.first { $0.hasPrefix("cluster-") })
        let text = try cluster[1].folder.read(".shunt/" + known)
        #expect(text.contains("staging") && !text.contains("refund"), "\(text)")
        try cluster[1].folder.write(".shunt/cluster-\(cluster.group)-\(cluster[1].port).json", text)
        chmod(cluster[1].folder.path + "/.shunt/cluster-\(cluster.group)-\(cluster[1].port).json", 0o600)
        let process = try cluster[1].again(cluster.arguments("two"))
        #expect(try cluster[1].get() == "staging")
        #expect(try cluster[1].write() == 403 && cluster[0].write() == 502)
        #expect(process.errors.contains("as it was last known"), "\(process.errors)")
        try cluster.server.start()
        // The unlocking goes on, for the time that is left.
        #expect(try eventually { try cluster[1].write() == 502 })
        let left = try #require(try remaining(cluster[1]))
        #expect(left <= 3600)
    }

    @Test func `an unlocking ends on time on every node, also on one that is cut off`() throws {
        let server = try PostgresServer()
        let relay = StallingRelay(to: server.port)
        defer { relay.stop() }
        let cluster = try ClusterNodes(server, ["one", "two"])
        let address = "postgres://shunt@127.0.0.1:\(relay.port)/shunt?sslmode=disable"
        cluster.nodes.append(
            try cluster.start("three", address: address, environment: ["PGPASSWORD": PostgresServer.password]))
        let asked = ContinuousClock.now
        #expect(try unlock(cluster[0], "4s").output.contains("3 of 3 nodes"))
        let began = ContinuousClock.now
        relay.stall()
        let first = try cluster.nodes.map { try $0.write() }
        // On a machine that took longer to ask them it may be over.
        #expect(first == [502, 502, 502] || asked.duration(to: .now) > .seconds(4), "\(first)")
        var last = [began, began, began]
        #expect(
            try eventually {
                var areLocked = true
                for (index, node) in cluster.nodes.enumerated() {
                    let sent = ContinuousClock.now
                    if try node.write() != 403 { (last[index], areLocked) = (sent, false) }
                }
                return areLocked
            })
        // Never longer than asked for, and not much shorter.
        for moment in last { #expect(asked.duration(to: moment) < .seconds(4) + asked.duration(to: began)) }
        #expect(asked.duration(to: .now) > .seconds(3))
    }

    @Test func `a node behind a connection that stalls is named, goes on with what it knew, and catches up`() throws {
        let server = try PostgresServer()
        let relay = StallingRelay(to: server.port)
        defer { relay.stop() }
        let cluster = try ClusterNodes(server, ["one", "two"])
        let address = "postgres://shunt@127.0.0.1:\(relay.port)/shunt?sslmode=disable"
        cluster.nodes.append(
            try cluster.start("three", address: address, environment: ["PGPASSWORD": PostgresServer.password]))
        #expect(try cluster[0].run("use", "staging", "--wait").output.contains("3 of 3"))
        relay.stall()
        let used = try cluster[0].run("use", "local", "--wait", "--wait-time", "2s")
        #expect(used.status == 1 && used.output.contains("on 2 of 3 nodes"), "\(used.output)")
        #expect(used.output.contains("three"), "\(used.output)")
        #expect(try cluster.nodes.map { try $0.get() } == ["local", "local", "staging"])
        // Nothing is unlocked on the other side of the cut.
        #expect(try unlock(cluster[0], "1h").output.contains("2 of 3 nodes"))
        #expect(try cluster.nodes.map { try $0.write() } == [502, 502, 403])
        #expect(try eventually { try cluster[2].clusterField().hasSuffix("; database=away") })
        #expect(try eventually { try cluster[0].run("status").output.contains("SILENT") })
        relay.resume()
        #expect(try eventually { try cluster[2].get() == "local" && cluster[2].write() == 502 })
        #expect(try cluster[0].run("use", "staging", "--wait").output.contains("3 of 3"))
    }

    @Test func `a Shunt that cannot be let in does not start`() throws {
        let server = try PostgresServer()
        let shunt = try Shunt()
        try shunt.folder.write("Profiles/local.json", ClusterNodes.profiles["local"] ?? "")
        let result = try shunt.run(
            "serve", "--port", "0", "--cluster",
            "postgres://nobody@/shunt?host=\(server.folder.path)&port=\(server.port)")
        #expect(result.status == 1 && result.errors.contains("--cluster"), "\(result.errors)")
    }
}
