import Engine
import Exchanges
import Reactor
import Store
import TestSupport
import Testing

/// What is recorded lies in memory that one exchange takes over from another.
@Suite struct RecordingReuseTests {
    private static let profile = """
        {"kind": "local", "routes": [{"path": "/short", "mock": {"text": "brief!"}}, {"mock": {"text": "other!"}}]}
        """

    @Test func `no exchange is recorded with what belongs to another one`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/traffic.db"
        var settings = StoreSettings()
        settings.queueLimit = 256 << 20
        let store = try TrafficStore.open(path, settings)
        var configuration = Proxy.Configuration(addresses: [.loopback(.ipv4, port: 0)])
        configuration.store = store
        configuration.workers = 2
        let proxy = try await Proxy.start(
            configuration, profiles: try Harness.library(["only": Self.profile]), active: "only")
        let port = proxy.addresses[0].port
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<6 {
                group.addTask {
                    try await blocking {
                        let connection = try RawConnection.connect(port)
                        for number in 0..<60 {
                            let body = String(repeating: "\(client).\(number) ", count: 1 + number % 7 * 20)
                            let target = (number.isMultiple(of: 3) ? "/short" : "/other") + "?\(client).\(number)"
                            try connection.send(
                                "POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                            )
                            _ = try connection.read(until: number.isMultiple(of: 3) ? "brief!" : "other!")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        await proxy.drain()
        proxy.stop()
        store.finish()
        let reader = try TrafficReader(path)
        let summaries = try reader.page(after: 0, limit: 1000)
        #expect(summaries.count == 360)
        #expect(Set(summaries.map(\.exchange.url)).count == 360)
        for summary in summaries {
            let record = try #require(try reader.record(summary.id))
            let target = try #require(summary.exchange.url.split(separator: "/", maxSplits: 2).last)
            let name = try #require(target.split(separator: "?").last)
            let head = String(decoding: record.clientRequest ?? [], as: UTF8.self)
            #expect(head.hasPrefix("POST /\(target) HTTP/1.1\r\n"))
            var bodies: [[UInt8]] = [[], []]
            try reader.body(of: summary.id, .request) {
                bodies[0] += $0; return true
            }
            try reader.body(of: summary.id, .response) {
                bodies[1] += $0; return true
            }
            let body = String(decoding: bodies[0], as: UTF8.self)
            #expect(!body.isEmpty && body.split(separator: " ").allSatisfy { $0 == name })
            let number = try #require(name.split(separator: ".").last.flatMap { Int($0) })
            #expect(body.split(separator: " ").count == 1 + number % 7 * 20)
            #expect(String(decoding: bodies[1], as: UTF8.self) == (target.hasPrefix("short") ? "brief!" : "other!"))
        }
    }

    @Test func `exchanges on one connection to an origin are recorded as they are told`() async throws {
        let origin = ScriptedOrigin { connection, _ in
            while true {
                _ = try connection.readHead()
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        defer { origin.stop() }
        let address = "http://127.0.0.1:\(origin.port)"
        let profile = """
            {"kind": "local", "routes": [{"path": "/a/*", "origin": "\(address)"}, {"origin": "\(address)"}]}
            """
        let folder = try TemporaryFolder()
        let store = try TrafficStore.open(folder.path + "/traffic.db", StoreSettings())
        let log = Harness.Log()
        var configuration = Proxy.Configuration(addresses: [.loopback(.ipv4, port: 0)], observer: log)
        configuration.store = store
        configuration.workers = 1
        let proxy = try await Proxy.start(
            configuration, profiles: try Harness.library(["one": profile, "two": profile]), active: "one")
        let port = proxy.addresses[0].port
        let usual = "GET / HTTP/1.1\r\nHost: a\r\n"
        let requests = [
            usual, usual, "HEAD / HTTP/1.1\r\nHost: a\r\n", usual, "GET /a/b HTTP/1.1\r\nHost: a\r\n",
            "GET / HTTP/1.0\r\nHost: a\r\n", "GET / HTTP/1.0\r\nHost: a\r\n", usual + "Shunt-Profile: one\r\n",
            usual + "Shunt-Profile: two\r\n", usual, usual + "Origin: http://a\r\n", usual + "Origin: http://a\r\n",
            usual,
        ]
        try await blocking {
            for request in requests {
                let connection = try RawConnection.connect(port)
                try connection.send(request + "Connection: close\r\n\r\n")
                _ = try connection.readToEnd()
            }
        }
        await proxy.drain()
        proxy.stop()
        store.finish()
        #expect(origin.connectionCount == 1)
        let recorded = try TrafficReader(folder.path + "/traffic.db").page(after: 0, limit: 100)
        #expect(recorded.count == requests.count && log.exchanges.count == requests.count)
        for (summary, told) in zip(recorded, log.exchanges) {
            var told = told
            // The clock is read for each, and the store alone waits until the client's program is found.
            (told.id, told.startedAt) = (summary.id, summary.exchange.startedAt)
            told.client.app = summary.exchange.client.app
            #expect("\(summary.exchange)" == "\(told)")
        }
        #expect(Set(recorded.map { $0.exchange.method }) == ["GET", "HEAD"])
        #expect(Set(recorded.map { $0.exchange.client.version }) == ["HTTP/1.0", "HTTP/1.1"])
        #expect(Set(recorded.map { $0.exchange.route }).count == 2)
        #expect(Set(recorded.map { $0.exchange.profile }) == ["one", "two"])
        #expect(Set(recorded.map { $0.exchange.reason }) == ["active", "header"])
        #expect(Set(recorded.map { $0.exchange.rewritten }).count == 2)
    }
}
