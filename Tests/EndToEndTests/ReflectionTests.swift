import JSON
import TestSupport
import Testing

/// Schemas that servers of grpcio give themselves.
@Suite(.serialized, .enabled(if: ClientProgram.hasPython, "grpcio \(ClientProgram.hint)"))
struct ReflectionTests {
    private static func server(_ version: String, port: String = "0") throws -> ServerProgram {
        let schema = try ShopSchema.folder()
        defer { withExtendedLifetime(schema) {} }
        return try ServerProgram(
            ClientProgram.python("grpc_shop_server.py", schema.path + "/shop.pb", version, port))
    }

    /// What a running Shunt says of the servers that it asks.
    private static func status(_ shunt: ServingShunt) throws -> String {
        try shunt.run("status").output.split(separator: "\n").filter { $0.hasPrefix("  grpc ") }
            .joined(separator: "\n")
    }

    private static func call(_ method: String, _ shunt: ServingShunt) throws -> String {
        // A message {"id": "a7"}.
        try shunt.folder.write("message", "\u{0}\u{0}\u{0}\u{0}\u{4}\n\u{2}a7")
        return try shunt.curl(
            "--http2-prior-knowledge", "-H", "Content-Type: application/grpc", "-H", "TE: trailers", "-i",
            "--data-binary",
            "@message", "http://127.0.0.1:\(shunt.port)/shop.v1.Cart/\(method)"
        ).output
    }

    @Test(arguments: [("v1", "https"), ("v1alpha", "h2c")])
    func `a server's own schema serves show, filters, mocks and explain`(version: String, kind: String) throws {
        let server = try Self.server(version)
        let origin = server.address(kind)
        let routes = """
            {"path": "/shop.v1.Cart/Watch", "grpc": {"reflection": "\(origin)"},
             "mock": {"grpc": {"messages": [{"message": {"id": "mocked"}}]}}},
            {"origin": "\(origin)", "grpc": {"reflection": true}}
            """
        let authority = #", "certificateAuthorities": ["\#(server.authority)"]"#
        let shunt = try ServingShunt(["local": #"{"kind": "local", "routes": [\#(routes)]\#(authority)}"#], [])
        #expect(
            try eventually { try Self.status(shunt).contains("\(origin) describes 1 service with 4 methods") },
            "\(shunt.process.errors)")
        #expect(server.output.hasPrefix("asked"))
        #expect(try eventually { try Self.call("Watch", shunt).contains("mocked") }, "\(shunt.process.errors)")
        _ = try Self.call("Get", shunt)
        let list = try shunt.run("logs", "--json", "~grpc Cart/Get").output
        let id = try #require(
            try JSONReader.read(String(list.split(separator: "\n").first ?? ""))["id"]?.number?.int64)
        let shown = try shunt.run("show", "\(id)").output
        #expect(shown.contains("message 1 shop.v1.GetRequest") && shown.contains("\"price\": \"7\""), "\(shown)")
        let explained = try shunt.run(
            "explain", "http://127.0.0.1:\(shunt.port)/shop.v1.Cart/Get", "--method", "POST"
        ).output
        #expect(explained.contains("shop.v1.GetRequest to shop.v1.Item, by the reflection of \(origin)"))
        // Nothing of it is traffic.
        #expect(try shunt.run("logs", "~u reflection").output.isEmpty)
    }

    @Test func `a server that comes later, or anew, is asked then`() throws {
        var server: ServerProgram? = try Self.server("none")
        let origin = try #require(server?.address("h2c"))
        let mock = """
            {"path": "/shop.v1.Cart/Watch", "grpc": {"reflection": "\(origin)"},
             "mock": {"grpc": {"messages": [{"message": {"id": "mocked"}}]}}}
            """
        let shunt = try ServingShunt(["local": #"{"kind": "local", "routes": [\#(mock)]}"#], [])
        #expect(try eventually { try Self.status(shunt).contains("\(origin) has no server reflection (local)") })
        #expect(try Self.call("Watch", shunt).contains("the messages of this mock are not known yet"))
        server = nil
        server = try Self.server("v1", port: String(origin.split(separator: ":")[2]))
        #expect(try eventually { try Self.call("Watch", shunt).contains("mocked") }, "\(shunt.process.errors)")
        let doctor = try shunt.run("doctor").output
        #expect(doctor.contains("grpc      \(origin) describes 1 service (local)"), "\(doctor)")
        withExtendedLifetime(server) {}
    }

    @Test func `locked production is not asked, and a certificate is judged`() throws {
        let server = try Self.server("v1")
        let route = #"{"origin": "\#(server.address("h2c"))", "grpc": {"reflection": true}}"#
        let judged = #"{"path": "/a", "origin": "\#(server.address("https"))", "grpc": {"reflection": true}}"#
        let shunt = try ServingShunt(
            [
                "production": #"{"kind": "production", "routes": [\#(route)]}"#,
                "staging": #"{"kind": "staging", "routes": [\#(judged), \#(route)]}"#,
            ], ["--profile", "staging"])
        #expect(
            try eventually {
                let text = try Self.status(shunt)
                return text.contains("production is read-only: a gRPC call can change anything")
                    && text.contains("certificate was rejected")
            }, "\(shunt.process.errors)")
        #expect(server.output.isEmpty)
        try shunt.folder.write(
            "Profiles/production.json",
            #"{"kind": "production", "routes": [\#(route.dropLast()), "allow": ["grpc"]}]}"#)
        #expect(try eventually { try Self.status(shunt).contains("describes 1 service") }, "\(shunt.process.errors)")
    }

    @Test(arguments: [false, true])
    func `a mock describes itself to clients, also one of a session`(isOfSession: Bool) throws {
        let schema = try ShopSchema.folder()
        let mock = """
            {"path": "/shop.v1.Cart/Get", "grpc": {"descriptors": "\(schema.path)/shop.pb"},
             "mock": {"grpc": {"message": {"id": "first", "price": 7}}}}
            """
        let shunt = try ServingShunt(
            ["local": #"{"kind": "local", "routes": [\#(isOfSession ? "" : mock)]}"#], ["--log", "off"])
        var port = "\(shunt.port)"
        if isOfSession {
            let file = try shunt.folder.write("routes.json", "[\(mock)]")
            let started = try shunt.run("session", "start", "--own-port").output.split(separator: " ")
            let id = try #require(started.first.map(String.init))
            port = try #require(started.last?.split(separator: ":").last.map { String($0.prefix { $0.isNumber }) })
            #expect(try shunt.run("session", "routes", id, file).status == 0)
        }
        let cases = [
            "services", "a call by what the mock says of itself", "symbols and files that are not there",
            "many questions on one stream, in both versions",
        ]
        try ClientProgram.expect(cases, of: ClientProgram.python("grpc_reflection_client.py", "127.0.0.1:\(port)"))
    }

    /// Shunt as the client of a Shunt.
    @Test func `a mock describes itself to another Shunt`() throws {
        let schema = try ShopSchema.folder()
        let mock = """
            {"path": "/shop.v1.Cart/Get", "grpc": {"descriptors": "\(schema.path)/shop.pb"},
             "mock": {"grpc": {"message": {"id": "first", "price": 7}}}}
            """
        let server = try ServingShunt(["local": #"{"kind": "local", "routes": [\#(mock)]}"#], [])
        let origin = "h2c://127.0.0.1:\(server.port)"
        let shunt = try ServingShunt(
            ["local": #"{"kind": "local", "routes": [{"origin": "\#(origin)", "grpc": {"reflection": true}}]}"#], [])
        #expect(
            try eventually { try Self.status(shunt).contains("\(origin) describes 1 service with 4 methods") },
            "\(shunt.process.errors)")
    }
}
