import Engine
import Exchanges
import Reactor
import Store
import TestSupport
import Testing

/// What the store keeps of the request that an origin was sent, and of its protocol.
@Suite struct OriginRecordTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var method = "POST"
        var path = "/a"
        var fields = ""
        var body: String? = "0123456789"
        var hasLength = true
        var trailers = ""
        /// Lines behind those of pseudo-header fields, the last one apart.
        var sent: [String] = []
    }

    private static let cases = [
        Case(testDescription: "without a body", method: "GET", body: nil),
        Case(testDescription: "with a length", sent: ["content-length: 10"]),
        Case(testDescription: "without a length", hasLength: false),
        Case(testDescription: "with trailers", fields: "TE: trailers\r\n", hasLength: false, trailers: "x-sum: 1\r\n"),
        Case(
            testDescription: "gRPC", path: "/shop.Cart/Add",
            fields: "Content-Type: application/grpc\r\nTE: trailers\r\n", hasLength: false,
            sent: ["content-type: application/grpc"]),
        Case(
            testDescription: "with secrets", method: "GET", path: "/a?token=hunter2hunter2&b=1",
            fields: "X-Api-Key: hunter2hunter2\r\nCookie: a=hunter2hunter2\r\n", body: nil,
            sent: ["x-api-key: <redacted:x-api-key:", "cookie: a=<redacted:a:"]),
        Case(testDescription: "to the server itself", method: "OPTIONS", path: "*", body: nil),
    ]

    private static func origin(_ version: String = "HTTP/1.1") -> ScriptedOrigin {
        ScriptedOrigin { connection, _ in
            while let head = try? connection.readHead().lowercased() {
                if head.contains("transfer-encoding: chunked") {
                    _ = try connection.read(until: "0\r\n")
                    while try connection.read(until: "\r\n") != "\r\n" {}
                } else if head.contains("content-length: 10") {
                    _ = try connection.read(count: 10)
                }
                try connection.send("\(version) 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n")
            }
        }
    }

    /// Asks through a proxy with a store, and gives what is recorded.
    private func records(
        _ url: String, _ ask: @escaping @Sendable (UInt16) throws -> Void
    ) async throws -> (records: [TrafficRecord], told: [Exchange]) {
        let folder = try TemporaryFolder()
        var settings = StoreSettings()
        settings.redact()
        let store = try TrafficStore.open(folder.path + "/traffic.db", settings)
        let log = Harness.Log()
        var configuration = Proxy.Configuration(addresses: [.loopback(.ipv4, port: 0)], observer: log)
        configuration.store = store
        configuration.workers = 1
        let profile = Harness.origin(url, more: #", "trust": {"@loopback": "disabled"}"#)
        let proxy = try await Proxy.start(
            configuration, profiles: try Harness.library(["only": profile]), active: "only")
        let port = proxy.addresses[0].port
        try await blocking { try ask(port) }
        await proxy.drain()
        proxy.stop()
        store.finish()
        let reader = try TrafficReader(folder.path + "/traffic.db")
        let records = try reader.page(after: 0, limit: 100).compactMap { try reader.record($0.id) }
        return (records, log.exchanges)
    }

    private func lines(_ head: [UInt8]?) -> [String] {
        String(decoding: head ?? [], as: UTF8.self).split(separator: "\r\n").map { String($0) }
    }

    @Test(arguments: ClientKind.allCases, [OriginKind.h2c, .h2])
    func `a request to an origin of HTTP/2 is recorded as it was sent`(
        client: ClientKind, kind: OriginKind
    ) async throws {
        let origin = Self.origin()
        let stage = try await kind.start(origin)
        let inner = try #require(stage.inner)
        let authority = kind == .h2 ? "localhost:\(inner.port)" : "127.0.0.1:\(inner.port)"
        let (records, told) = try await records((kind == .h2 ? "https://" : "h2c://") + authority) { port in
            for test in Self.cases {
                let seen = try client.ask(
                    port, test.method, test.path, fields: test.fields, body: test.body,
                    hasLength: test.hasLength, trailers: test.trailers)
                #expect(seen.status == "HTTP/1.1 200")
            }
        }
        #expect(records.count == Self.cases.count && told.count == Self.cases.count)
        for (record, test) in zip(records, Self.cases) {
            let sent = lines(record.originRequest)
            #expect(String(decoding: record.originRequest ?? [], as: UTF8.self).hasSuffix("\r\n\r\n"))
            #expect(!"\(sent)".contains("hunter2"))
            #expect(sent.prefix(4).first == ":method: \(test.method)")
            #expect(
                sent.dropFirst(2).prefix(2) == [
                    ":scheme: \(kind == .h2 ? "https" : "http")", ":authority: \(authority)",
                ])
            if test.path.contains("token") {
                #expect(sent[1].hasPrefix(":path: /a?token=%3Credacted:token:") && sent[1].hasSuffix("&b=1"))
            } else {
                #expect(sent[1] == ":path: \(test.path)")
            }
            for line in test.sent { #expect(sent.contains { $0.hasPrefix(line) }, "\(line) in \(sent)") }
            #expect(sent.contains(client == .h1 ? "via: 1.1 shunt" : "via: 2 shunt"))
            #expect(sent.contains("te: trailers") == test.fields.contains("TE:"))
            // Eight of every request, and the test's own: nothing was put down that was not sent.
            #expect(sent.count == 8 + test.sent.count + (test.fields.contains("TE:") ? 1 : 0), "\(sent)")
            #expect(lines(record.clientRequest).first?.hasSuffix(" HTTP/1.1") == true)
            #expect(record.summary.exchange.origin?.version == "HTTP/2")
        }
        #expect(told.allSatisfy { $0.origin?.version == "HTTP/2" })
        await stage.stop()
        origin.stop()
    }

    @Test(arguments: ClientKind.allCases)
    func `a request to an origin of HTTP/1.1 is recorded with what was sent for its connection`(
        client: ClientKind
    ) async throws {
        let origin = Self.origin()
        let (records, told) = try await records("http://127.0.0.1:\(origin.port)") { port in
            _ = try client.ask(port, "POST", "/a", body: "0123456789", hasLength: false)
        }
        let sent = lines(records.first?.originRequest)
        #expect(sent.first == "POST /a HTTP/1.1")
        #expect(sent.contains("Transfer-Encoding: chunked") && sent.contains("Host: 127.0.0.1:\(origin.port)"))
        #expect(records.first?.summary.exchange.origin?.version == "HTTP/1.1" && told[0].origin?.version == "HTTP/1.1")
        origin.stop()
    }

    @Test func `the protocol of an origin is the one that it responds in`() async throws {
        // The second connection's responses are of HTTP/1.1, and one that breaks off leaves what was sent.
        let origin = ScriptedOrigin { connection, _ in
            for version in ["HTTP/1.0", "HTTP/1.1", "HTTP/1.0"] {
                _ = try connection.readHead()
                try connection.send("\(version) 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n")
            }
            _ = try connection.readHead()
        }
        let (records, told) = try await records("http://127.0.0.1:\(origin.port)") { port in
            let client = try RawConnection.connect(port)
            // The last one cannot be sent again.
            for method in ["POST", "GET", "GET", "POST"] {
                try client.send("\(method) / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try client.readHead()
            }
        }
        let expected = ["HTTP/1.0", "HTTP/1.1", "HTTP/1.0", "HTTP/1.1"]
        #expect(records.map { $0.summary.exchange.origin?.version } == expected)
        #expect(told.map { $0.origin?.version } == expected)
        origin.stop()
    }
}
