import JSON
import TestSupport
import Testing

/// grpcio's client and grpcio's server with Shunt between them.
@Suite(.serialized, .enabled(if: ClientProgram.hasPython, "grpcio \(ClientProgram.hint)"))
struct GRPCTests {
    private static let cases = [
        "unary", "client streaming", "server streaming",
        "bidirectional: each message is seen before the next one is sent", "big messages", "status codes",
        "a status after messages", "a method that is not there", "metadata", "a deadline reaches the server",
        "a deadline that passes", "a cancellation is seen by the server", "many calls at once",
        "a stream goes on while others come and go",
    ]

    @Test(arguments: Circle.values([(true, "https"), (false, "h2c")], andAll: [(true, "h2c"), (false, "https")]))
    func `calls of every kind, in TLS and in plain text on either side`(tls: Bool, kind: String) throws {
        let server = try ServerProgram(ClientProgram.python("grpc_server.py"))
        let shunt = try server.shunt(kind)
        let client =
            tls
            ? ClientProgram.python("grpc_client.py", "localhost:\(shunt.port)", shunt.authority)
            : ClientProgram.python("grpc_client.py", "127.0.0.1:\(shunt.port)")
        try ClientProgram.expect(Self.cases, of: client)
    }

    /// Routes beside which bodies are held: a chain that could ask another origin, and a mock that looks into JSON.
    @Test(arguments: ["chain", "match"])
    func `calls of every kind, where other requests are read ahead`(kind: String) throws {
        let server = try ServerProgram(ClientProgram.python("grpc_server.py"))
        let origin = server.address("h2c")
        let routes =
            kind == "chain"
            ? #"{"origin": ["\#(origin)", "http://127.0.0.1:1"]}"#
            : #"{"match": {"json": {"a": 1}}, "mock": {}}, {"origin": "\#(origin)"}"#
        let shunt = try ServingShunt(["local": #"{"kind": "local", "routes": [\#(routes)]}"#], ["--log", "off"])
        try ClientProgram.expect(Self.cases, of: ClientProgram.python("grpc_client.py", "127.0.0.1:\(shunt.port)"))
    }

    /// What gRPC's implementations test each other with (interop-test-descriptions), in its own names.
    @Test(arguments: Circle.values([(true, "h2c")], andAll: [(true, "https"), (false, "h2c"), (false, "https")]))
    func `gRPC's interoperability cases`(tls: Bool, kind: String) throws {
        let server = try ServerProgram(ClientProgram.python("grpc_interop.py", "server"))
        let shunt = try server.shunt(kind)
        let cases = [
            "empty_unary", "large_unary", "client_streaming", "server_streaming", "ping_pong", "empty_stream",
            "cancel_after_begin", "cancel_after_first_response", "status_code_and_message", "special_status_message",
            "unimplemented_method", "unimplemented_service", "custom_metadata", "timeout_on_sleeping_server",
        ]
        let address = tls ? ["localhost:\(shunt.port)", shunt.authority] : ["127.0.0.1:\(shunt.port)"]
        try ClientProgram.expect(cases, of: ClientProgram.python("grpc_interop.py") + address)
    }

    @Test func `mocks of calls, and what is shown of them`() throws {
        let schema = try ShopSchema.folder()
        let grpc = "\"grpc\": {\"descriptors\": \"\(schema.path)/shop.pb\"}"
        let routes = """
            {"path": "/shop.v1.Cart/Get", \(grpc), "match": {"json": {"id": "a"}},
             "mock": {"grpc": {"message": {"id": "first", "price": 7}}}},
            {"path": "/shop.v1.Cart/Get", \(grpc), "match": {"json": {"id": "b"}},
             "mock": {"template": true, "grpc": {"message": {"id": "got {{body.id}}"}}}},
            {"path": "/shop.v1.Cart/Get", \(grpc), "mock": {"grpc": {"status": "NOT_FOUND", "error": "no c: 100 % ü",
             "details": [{"@type": "type.googleapis.com/shop.v1.GetRequest", "id": "c"}]}}},
            {"path": "/shop.v1.Cart/Watch", \(grpc), "mock": {"grpc": {"messages": [{"message": {"id": "1"}},
             {"message": {"id": "2"}, "delay": "20ms"}], "status": "UNAVAILABLE"}}},
            {"path": "/shop.v1.Cart/Fill", \(grpc), "mock": {"grpc": {"message": {"id": "sum"}}}},
            {"path": "/shop.v1.Cart/Talk", \(grpc), "mock": {"grpc": {"messages": [{"message": {"id": "hello"}},
             {"message": {"id": "bye"}}]}}}
            """
        let shunt = try ServingShunt(["local": "{\"kind\": \"local\", \"routes\": [\(routes)]}"], ["--log", "off"])
        let cases = [
            "unary, by its message", "unary, compressed", "unary, a template", "a status with details",
            "server streaming, then a status", "client streaming", "bidirectional, whose client ends last",
            "many calls at once",
        ]
        try ClientProgram.expect(cases, of: ClientProgram.python("grpc_mock_client.py", "127.0.0.1:\(shunt.port)"))
        let failed = try shunt.run("logs", "~grpcstatus UNAVAILABLE").output
        #expect(failed.split(separator: "\n").count == 1 && failed.contains("gRPC UNAVAILABLE"), "\(failed)")
        let list = try shunt.run("logs", "--json", "~grpc Cart/Watch").output
        let id = try #require(
            try JSONReader.read(String(list.split(separator: "\n").first ?? ""))["id"]?.number?.int64)
        let shown = try shunt.run("show", "\(id)").output
        for part in ["message 1 shop.v1.GetRequest, 3 bytes", "\"id\": \"w\"", "message 2 shop.v1.Item, 3 bytes"] {
            #expect(shown.contains(part), "\(shown)")
        }
        let bodies = try JSONReader.read(try shunt.run("show", "\(id)", "--json").output)["bodies"]
        #expect(bodies?["response"]?["grpc"]?.array?.compactMap { $0["id"]?.string } == ["1", "2"])
        let lines = try shunt.run("export", "--jsonl", "~id \(id)").output
        #expect(lines.contains("\"response_grpc\":[{\"id\":\"1\"},{\"id\":\"2\"}]"))
        let command = try shunt.run("export", "--grpcurl", "\(id)").output
        #expect(command.contains("-d '{\"id\":\"w\"}'") && command.contains("'shop.v1.Cart/Watch'"), "\(command)")
        let expectations = """
            {"expect": [{"filter": "~grpc Cart/Watch", "response": {"json": {"id": "2"}}},
             {"filter": "~grpc Cart/Watch", "request": {"json": {"id": "other"}}}]}
            """
        try shunt.folder.write("checks.json", expectations)
        let report = try shunt.run("expect", "checks.json").errors
        #expect(report.contains("id: \"w\", not \"other\"") && report.contains("1 of 2"), "\(report)")
    }
}
