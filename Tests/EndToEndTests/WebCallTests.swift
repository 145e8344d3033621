import JSON
import TestSupport
import Testing

/// Clients of gRPC-Web before a server of grpcio, which speaks gRPC alone.
@Suite(.serialized, .enabled(if: ClientProgram.hasPython, "grpcio \(ClientProgram.hint)"))
struct WebCallTests {
    private static let cases = [
        "unary, binary and text", "server streaming, binary and text", "a status after messages", "a status alone",
        "a method that is not there", "a page of another origin", "text that is no Base64",
    ]

    @Test(arguments: [("1", "h2c"), ("2", "https")])
    func `calls of pages reach a server of gRPC, and are shown`(version: String, kind: String) throws {
        let schema = try ShopSchema.folder()
        let server = try ServerProgram(
            ClientProgram.python("grpc_shop_server.py", schema.path + "/shop.pb", "none", "0"))
        let route = """
            {"origin": "\(server.address(kind))", "grpcWeb": true, "cors": true,
             "grpc": {"descriptors": "\(schema.path)/shop.pb"}}
            """
        let authority = #", "certificateAuthorities": ["\#(server.authority)"]"#
        let shunt = try ServingShunt(["local": #"{"kind": "local", "routes": [\#(route)]\#(authority)}"#], [])
        let url = "http://127.0.0.1:\(shunt.port)"
        try ClientProgram.expect(Self.cases, of: ClientProgram.python("grpc_web_client.py", url, version))
        // What speaks gRPC itself passes as before.
        let grpc = try ClientProgram.run(
            ClientProgram.python("grpc_call.py", "127.0.0.1:\(shunt.port)", "/shop.v1.Cart/Watch", "a7"))
        #expect(grpc.output.contains("3 messages, OK"), "\(grpc)")
        // The exchange in text, which is the second of its kind.
        let list = try shunt.run("logs", "--json", "~grpc Cart/Get").output.split(separator: "\n")
        let ids = try list.compactMap { try JSONReader.read(String($0))["id"]?.number?.int64 }
        let id = try #require(ids.dropFirst().first)
        let shown = try shunt.run("show", "\(id)").output
        for part in ["application/grpc-web-text", "message 1 shop.v1.GetRequest", "message 1 shop.v1.Item, 7 bytes"] {
            #expect(shown.contains(part), "\(shown)")
        }
        let archive = try JSONReader.read(try shunt.run("export", "--har", "~id \(id)").output)
        let entry = archive["log"]?["entries"]?.array?.first
        #expect(entry?["_grpc"]?["request"]?.array?.compactMap { $0["id"]?.string } == ["a7"], "\(archive)")
        #expect(entry?["_grpc"]?["response"]?.array?.compactMap { $0["price"]?.string } == ["7"])
        #expect(entry?["response"]?["content"]?["text"]?.string?.hasPrefix("AAAAAAcK") == true)
        let failed = try shunt.run("logs", "~grpcstatus NOT_FOUND").output.split(separator: "\n")
        #expect(failed.count == 2 && failed.allSatisfy { $0.contains("gRPC-Web") }, "\(failed)")
    }

    @Test(.extended, .enabled(if: ClientProgram.browser != nil, "Chromium \(ClientProgram.hint)"))
    func `a page in Chromium calls a server of another origin by fetch`() throws {
        let schema = try ShopSchema.folder()
        let server = try ServerProgram(
            ClientProgram.python("grpc_shop_server.py", schema.path + "/shop.pb", "none", "0"))
        let grpc = "\"grpc\": {\"descriptors\": \"\(schema.path)/shop.pb\"}"
        let cors = #""cors": {"origins": ["https://app.shop.test:*"]}"#
        let origin = server.address("h2c")
        let routes = """
            {"host": "app.shop.test", "mock": {"headers": {"Content-Type": "text/html"}, "text": "<title>app</title>"}},
            {"host": "api.shop.test", "origin": "\(origin)", "grpcWeb": true, \(cors)},
            {"host": "api.shop.test", "path": "/shop.v1.Cart/Fill", \(grpc), \(cors),
             "mock": {"grpc": {"message": {"id": "mocked"}}}},
            {"host": "closed.shop.test", "origin": "\(origin)", "grpcWeb": true,
             "cors": {"origins": ["https://other.shop.test"]}}
            """
        let shunt = try ServingShunt(["local": "{\"kind\": \"local\", \"routes\": [\(routes)]}"], ["--log", "off"])
        let cases = ["unary", "server streaming", "a status after messages", "a mock"].flatMap { name in
            ["binary", "text"].map { "\(name), \($0)" }
        }
        try ClientProgram.expect(
            cases + ["a page that may not ask"],
            of: [
                "python3", "-B", SampleApp.scripts + "/web_calls.py", shunt.folder.path + "/certs/ca.pem",
                "\(shunt.port)",
            ])
    }
}
