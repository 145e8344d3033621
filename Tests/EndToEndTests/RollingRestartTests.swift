import Foundation
import JSON
import TestSupport
import Testing

/// Two Shunts behind haproxy are restarted one after the other while requests flow.
@Suite struct RollingRestartTests {
    /// One of the two, which keeps its port.
    private final class Node {
        let name: String
        let port = FreePort.find()
        let folder: TemporaryFolder
        private var process: ChildProcess?

        init(_ name: String) throws {
            self.name = name
            folder = try TemporaryFolder()
            try folder.write(
                "Profiles/local.json",
                """
                { kind: "local", routes: [
                  { path: "/fast", mock: { text: "fast" } }, { path: "/slow", mock: { text: "slow", delay: "20ms" } },
                ] }
                """)
            try start()
        }

        func start() throws {
            try? FileManager.default.removeItem(atPath: folder.path + "/ready.json")
            process = try ChildProcess(
                ShuntBinary.path,
                [
                    "serve", "--port", "\(port)", "--admin-port", "0", "--no-pages", "--ready-file", "ready.json",
                    "--drain-idle", "2s", "--drain-time", "30s",
                ], directory: folder.path)
            let folder = folder
            #expect(eventually { folder.exists("ready.json") }, "\(process?.errors ?? "")")
        }

        /// Ends it as supervisors do; returns its exit status.
        func stop() throws -> Int32? {
            process?.signal(15)
            return try process?.wait(seconds: 60).status
        }
    }

    @Test(arguments: [("HTTP/1.1", ""), ("HTTP/2", "proto h2")])
    func `no request is lost`(version: String, toNodes: String) throws {
        let nodes = [try Node("one"), try Node("two")]
        let (front, control) = (FreePort.find(), FreePort.find())
        let folder = try TemporaryFolder()
        let servers = nodes.map { "server \($0.name) 127.0.0.1:\($0.port) \(toNodes)" }
        // Sent again is only what reached no Shunt at all.
        let settings = try folder.write(
            "haproxy.cfg",
            """
            global
              stats socket ipv4@127.0.0.1:\(control) level admin
            defaults
              mode http
              timeout connect 5s
              timeout check 10s
              timeout client 60s
              timeout server 60s
              retries 3
              option redispatch 1
              retry-on conn-failure
              http-reuse always
              default-server check inter 50ms fall 1 rise 1
            frontend clients
              bind 127.0.0.1:\(front)
              default_backend shunts
            backend shunts
              \(servers.joined(separator: "\n  "))

            """)
        let balancer = try ChildProcess(
            "/usr/bin/env", ["haproxy", "-db", "-f", settings], directory: folder.path,
            environment: ["PATH": (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin"])
        /// Whether haproxy sends requests to it.
        func isUsed(_ node: Node) -> Bool {
            guard let connection = try? RawConnection.connect(control) else { return false }
            try? connection.send("show servers state shunts\n")
            let rows = ((try? connection.readToEnd()) ?? "").split(separator: "\n").map { $0.split(separator: " ") }
            return rows.contains { $0.count > 5 && $0[3] == node.name && $0[5] == "2" }
        }
        #expect(eventually { nodes.allSatisfy(isUsed) }, "\(balancer.errors)")
        let load = try ChildProcess(
            "/usr/bin/env", ["python3", "-B", ClientProgram.folder + "steady_load.py", "\(front)", "6"],
            directory: folder.path)
        #expect(eventually { load.output.contains("flowing") }, "\(load.errors)")
        for _ in 0..<2 {
            for node in nodes {
                #expect(try node.stop() == 0)
                try node.start()
                #expect(eventually { isUsed(node) })
            }
        }
        load.signal(15)
        let result = try load.wait()
        let counts = try JSONReader.read(result.output.replacingOccurrences(of: "flowing\n", with: ""))
        #expect((counts["wrong"]?.array ?? []).compactMap(\.string) == [], "\(result.errors)")
        // Enough for each of the four restarts; how many more there are depends on how fast the nodes start.
        #expect(counts["right"]?.number?.int64 ?? 0 > 100)
        for node in nodes { #expect(try node.stop() == 0) }
        withExtendedLifetime(balancer) {}
    }
}
