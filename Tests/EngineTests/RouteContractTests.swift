import Engine
import Exchanges
import Profiles
import Reactor
import Store
import TestSupport
import Testing

/// Exchanges of routes with a `contract`, compared as they are recorded.
@Suite struct RouteContractTests {
    private static let document = """
        openapi: 3.0.3
        info: {title: Shop, version: '1'}
        paths:
          /v1/cart/{id}:
            post:
              parameters:
                - {name: id, in: path, required: true, schema: {type: integer}}
                - {name: limit, in: query, schema: {type: integer, maximum: 9}}
              requestBody: {content: {application/json: {schema: {required: [name], properties: {token: {type: integer}}}}}}
              responses:
                '200': {description: one, content: {application/json: {schema: {$ref: '#/components/schemas/Cart'}}}}
        components:
          schemas:
            Cart: {required: [total], properties: {total: {type: number}, password: {type: string, maxLength: 3}}}
        """

    private static let profile = """
        {"kind": "local", "contract": "../api.yaml", "routes": [
          {"path": "/v1/*", "mock": {"json": {"total": 1, "password": "hunter2hunter2"}}},
          {"path": "/v1/cart/2", "mock": {"json": {"total": "1"}}},
          {"path": "/v1/cart/3", "mock": {"text": "one"}},
          {"path": "/v1/cart/4", "mock": {"status": 404}},
          {"path": "/v1/cart/5", "fault": {"kind": "status", "status": 503}, "mock": {"json": {"total": "1"}}},
          {"path": "/v1/cart/6", "contract": false, "mock": {"json": {"total": "1"}}},
          {"path": "/v1/cart/7", "mock": {"json": {"total": 1, "long": "\(String(repeating: "x", count: 70_000))"}}},
          {"path": "/v1/cart/8", "mock": {"json": {"total": "1", "long": "\(String(repeating: "y", count: 70_000))"}}}]}
        """

    private static let name = #"{"name": "a"}"#

    /// A target and a body, and the beginnings of what is found.
    private static let rows: [(target: String, body: String, findings: [String])] = [
        ("/v1/cart/1", name, []),
        (
            "/v1/cart/2", name,
            [#"the response body $.total is "1", not number (../api.yaml:14:"#]
        ),
        ("/v1/cart/3", name, ["the response body has the media type text/plain, not application/json ("]),
        ("/v1/cart/4", name, ["the status 404 is not documented, which has 200 ("]),
        ("/v1/cart/5", name, []), ("/v1/cart/6", name, []), ("/v1/cart/7", name, []),
        ("/v1/cart/8", name, [#"the response body $.total is "1", not number ("#]),
        ("/v1/orders", name, ["the path /v1/orders is not documented ("]),
        (
            "/v1/cart/x?limit=10&sort=up", "{}",
            [
                #"the path parameter id is "x", not integer ("#, "the query parameter limit is 10, above 9 (",
                "the query parameter sort is not documented (", "the request body $ has no member name (",
            ]
        ),
        // A secret fits whatever is asked of it, and no finding has it.
        (
            "/v1/cart/1?token=hunter2hunter2", #"{"name": 1, "token": "hunter2hunter2"}"#,
            ["the query parameter token is "]
        ),
        ("/v1/cart/1", #"{"name": 1, "filler": "\#(String(repeating: "z", count: 70_000))"}"#, []),
    ]

    /// A session's routes in the places of the profile's.
    private static let sessionRoutes = """
        [{"path": "/v1/cart/1", "mock": {"json": {"total": "session"}}},
         {"path": "/v1/cart/2", "mock": {"json": {"total": 2}}},
         {"path": "/v1/cart/3", "contract": false, "mock": {"json": {"total": "own"}}},
         {"path": "/v1/cart/6", "mock": {"json": {"total": "as in the profile"}}},
         {"path": "/v1/cart/9", "match": {"body": {"name": "a"}}, "mock": {"json": {"total": "matched"}}},
         {"path": "/elsewhere", "mock": {"text": "no route of the profile"}}]
        """

    @Test func `routes of a session have the contract of those in whose place they are`() async throws {
        let wrong = "the response body $.total is "
        let rows: [(target: String, body: String, findings: [String])] = [
            ("/v1/cart/1", Self.name, [wrong + #""session", not number ("#]), ("/v1/cart/2", Self.name, []),
            ("/v1/cart/3", Self.name, []), ("/v1/cart/6", Self.name, []),
            ("/v1/cart/9", Self.name, [wrong + #""matched", not number ("#]), ("/elsewhere", Self.name, []),
            ("/v1/cart/5", Self.name, []), ("/v1/cart/4", Self.name, ["the status 404 is not documented"]),
        ]
        let (told, stored, counts) = try await recorded(rows, sessionRoutes: Self.sessionRoutes)
        for (row, exchange) in zip(rows, stored) {
            #expect(exchange.contract.count == row.findings.count, "\(row.target): \(exchange.contract)")
            for (found, wanted) in zip(exchange.contract, row.findings) { #expect(found.hasPrefix(wanted), "\(found)") }
            #expect(exchange.session != nil)
        }
        #expect(told.map(\.contract) == stored.map(\.contract) && stored.count == rows.count)
        #expect(counts.checked == 5 && counts.differing == 3)
    }

    /// Asks each row of a proxy, and gives what was written, by its order, with the counts of the store.
    private func recorded(
        _ rows: [(target: String, body: String, findings: [String])] = rows, sessionRoutes: String? = nil,
        _ change: (inout StoreSettings) -> Void = { _ in }
    ) async throws -> (told: [Exchange], stored: [Exchange], counts: ContractCounts) {
        let folder = try TemporaryFolder()
        try folder.write("api.yaml", Self.document)
        try folder.write("Profiles/only.json", Self.profile)
        let told = Kept<[Exchange]>([])
        var settings = StoreSettings()
        settings.gathering = 1
        settings.whenFull = .wait
        settings.redact()
        settings.decode()
        settings.committed = { exchanges in told.change { $0 += exchanges.map(\.exchange) } }
        change(&settings)
        let store = try TrafficStore.open(folder.path + "/traffic.db", settings)
        var configuration = Proxy.Configuration(addresses: [.loopback(.ipv4, port: 0)])
        configuration.store = store
        configuration.workers = 1
        let library = try ProfileLibrary.load(directory: folder.path + "/Profiles")
        let proxy = try await Proxy.start(configuration, profiles: library, active: "only")
        let port = proxy.addresses[0].port
        var field = ""
        if let sessionRoutes {
            let session = try await proxy.sessions.start(SessionWish()).session
            _ = try proxy.sessions.addRoutes(Array(sessionRoutes.utf8), to: session.id, isTrusted: true)
            field = "Shunt-Session: \(session.id)\r\n"
        }
        try await blocking { [field] in
            for row in rows {
                let connection = try RawConnection.connect(port)
                try connection.send(
                    "POST \(row.target) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                        + field + "Content-Length: \(row.body.utf8.count)\r\n\r\n\(row.body)")
                let head = try connection.readHead()
                let length = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }?.dropFirst(16)
                _ = try connection.readBytes(length.flatMap { Int($0) } ?? 0)
            }
        }
        await proxy.drain()
        proxy.stop()
        store.finish()
        let reader = try TrafficReader(folder.path + "/traffic.db")
        return (told.value, try reader.page(after: 0, limit: 100).map(\.exchange), store.statistics.contracts)
    }

    @Test func `each exchange of a route has what its contract says against it`() async throws {
        let (told, stored, counts) = try await recorded()
        #expect(told.count == Self.rows.count && stored.count == Self.rows.count)
        for (row, exchange) in zip(Self.rows, stored) {
            #expect(exchange.url.hasPrefix("http://a" + row.target.prefix { $0 != "?" }), "\(exchange.url)")
            #expect(exchange.contract.count == row.findings.count, "\(row.target): \(exchange.contract)")
            for (found, wanted) in zip(exchange.contract, row.findings) {
                #expect(found.hasSuffix(")") && found.hasPrefix(wanted) && !found.contains("hunter2"), "\(found)")
            }
        }
        #expect(told.map(\.contract) == stored.map(\.contract))
        #expect(counts.checked == UInt64(Self.rows.count - 1) && counts.leftOut == 0)
        #expect(counts.differing == UInt64(Self.rows.count { !$0.findings.isEmpty }))
    }

    @Test func `a body that is kept in part only is left out and counted`() async throws {
        let (_, stored, counts) = try await recorded(Array(Self.rows[5...7])) { $0.bodyLimit = 1000 }
        #expect(stored.map(\.contract) == [[], [], []])
        #expect(counts.leftOut == 2 && counts.checked == 0)
    }

    @Test func `where more comes than can be written nothing is compared, and that is told`() async throws {
        let told = Kept<[UInt64]>([])
        let (_, stored, counts) = try await recorded(Array(Self.rows[1...1])) {
            // Whatever waits is more than half of this.
            ($0.queueLimit, $0.whenFull) = (1, .dropBodies)
            $0.trouble = { if case .contractsLeftOut(let counts) = $0 { told.change { $0.append(counts.leftOut) } } }
        }
        #expect(stored.map(\.contract) == [[]])
        #expect(counts.leftOut == 1 && counts.checked == 0 && told.value == [1])
    }
}
