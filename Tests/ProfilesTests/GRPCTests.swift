import Profiles
import Protobuf
import TestSupport
import Testing

/// The messages of gRPC calls in profiles.
@Suite struct GRPCTests {
    private func all(_ route: String, _ folder: TemporaryFolder) -> [String] {
        let text = route.replacing("PB", with: "\"grpc\": {\"descriptors\": \"\(folder.path)/shop.pb\"}")
        return problems(("p.json", "{\"kind\": \"local\", \"routes\": [{\(text)}]}"))
    }

    @Test(
        arguments: [
            (
                #""path": "/shop.v1.Cart/Get", PB, "mock": {"grpc": {"message": {"id": "a", "made": "2026-01-01T00:00:00Z"}}}"#,
                nil
            ),
            (#""path": "/shop.v1.Cart/Get", PB, "mock": {"grpc": {"status": "NOT_FOUND", "error": "no"}}"#, nil),
            (#""path": "/shop.v1.Cart/Get", PB, "mock": {"grpc": {"status": 5}}"#, nil),
            (
                #""path": "/shop.v1.Cart/Watch", PB, "mock": {"grpc": {"messages": [{"message": {}, "delay": "1s"}, {"message": {}}], "status": "ABORTED", "details": [{"@type": "t/shop.v1.GetRequest", "id": "x"}]}}"#,
                nil
            ),
            (#""path": "/shop.v1.Cart/Get", PB, "match": {"json": {"id": "a"}}, "mock": {}"#, nil),
            (#""path": "/shop.v1.Cart/*", PB, "mock": {}"#, nil),
            (#""path": "/shop.v1.Cart/Get", "mock": {"grpc": {"message": {}}}"#, "without the messages of the call"),
            (
                #""path": "/shop.v1.Cart/Gett", PB, "mock": {"grpc": {"message": {}}}"#,
                "the route's path names no method"
            ),
            (
                #""path": "/shop.v1.Cart/*", PB, "match": {"body": {"id": "a"}}, "mock": {}"#,
                "the route's path names no method"
            ),
            (#""path": "/shop.v1.Cart/Get", PB, "mock": {"grpc": {"message": {"idd": 1}}}"#, "has no field \"idd\""),
            (#""path": "/shop.v1.Cart/Get", PB, "mock": {"grpc": {}}"#, "0 messages for Get, which is unary"),
            (
                #""path": "/shop.v1.Cart/Get", PB, "mock": {"grpc": {"messages": [{"message": {}}, {"message": {}}]}}"#,
                "2 messages for Get"
            ),
            (
                #""path": "/shop.v1.Cart/Get", PB, "mock": {"grpc": {"message": {}, "messages": []}}"#,
                "has \"message\" and \"messages\""
            ),
            (#""path": "/shop.v1.Cart/Get", PB, "mock": {"grpc": {"status": "LOST"}}"#, "is no status of gRPC"),
            (
                #""path": "/shop.v1.Cart/Get", PB, "mock": {"grpc": {"message": {}, "error": "x"}}"#,
                "whose status is OK"
            ),
            (
                #""path": "/shop.v1.Cart/Get", PB, "mock": {"status": 503, "grpc": {"message": {}}}"#,
                "\"status\" beside \"grpc\""
            ),
            (
                #""path": "/shop.v1.Cart/Get", PB, "mock": {"json": {}, "grpc": {"message": {}}}"#,
                "has \"json\" and \"grpc\""
            ),
            (
                #""path": "/shop.v1.Cart/Get", PB, "mock": {"grpc": {"status": 5, "details": [{"@type": "t/x.Y"}]}}"#,
                "without the type of a message that is known"
            ),
            (
                #""path": "/shop.v1.Cart/Fill", PB, "match": {"json": {"id": "a"}}, "mock": {}"#,
                "a condition on the message of a call with several"
            ),
            (#""grpc": {}, "mock": {}"#, "\"grpc\" without messages"),
            (#""grpc": {"descriptors": "nothing.pb"}, "mock": {}"#, "cannot read \"nothing.pb\""),
            (#""grpc": {"imports": ["x"], "descriptors": "nothing.pb"}, "mock": {}"#, "\"imports\" without \"protos\""),
            (#""grpc": {"protos": ["nothing.proto"]}, "mock": {}"#, "cannot read \"nothing.proto\""),
            (#""grpc": {"protos": []}, "mock": {}"#, "\"protos\" is empty"),
        ] as [(String, String?)])
    func `a route says the messages of its calls, and what is wrong is told`(route: String, problem: String?) throws {
        let folder = try ShopSchema.folder()
        let found = all(route, folder)
        if let problem {
            #expect(found.contains { $0.contains(problem) }, "\(found)")
        } else {
            #expect(found == [])
        }
    }

    @Test func `a message is wrong at its place in the profile`() throws {
        let folder = try ShopSchema.folder()
        let text = """
            {"kind": "local", "routes": [{"path": "/shop.v1.Cart/Get", "grpc": {"descriptors": "\(folder.path)/shop.pb"},
              "mock": {"grpc": {"message": {"parent": {"price": "much"}}}}}]}
            """
        #expect(
            problems(("p.json", text)).first?.hasPrefix("Profiles/p.json:2:53: \"much\" for the field \"price\"")
                == true)
    }

    @Test func `explain says the method and its messages`() throws {
        let folder = try ShopSchema.folder()
        let library = try load(
            (
                "p.json",
                "{\"kind\": \"local\", \"routes\": [{\"grpc\": {\"descriptors\": \"\(folder.path)/shop.pb\"}, \"mock\": {}}]}"
            ))
        let grpc = try #require(library["p"]?.routes.first?.grpc)
        #expect(
            grpc.summary(ofPath: "/shop.v1.Cart/Talk").hasPrefix("shop.v1.Cart/Talk, bidirectional, shop.v1.Item to"))
        #expect(grpc.summary(ofPath: "/a").contains("no method for /a; its services: shop.v1.Cart"))
        let url = "http://h/shop.v1.Cart/Get?x=1"
        #expect(library.grpc.type(ofCall: url, profile: "p", isRequest: true)?.name == "shop.v1.GetRequest")
        #expect(library.grpc.type(ofCall: url, profile: nil, isRequest: false)?.name == "shop.v1.Item")
        #expect(library.grpc.type(ofCall: "http://h/x", profile: "p", isRequest: true) == nil)
    }

    @Test func `a changed file is read again`() throws {
        let folder = try ShopSchema.folder()
        let route = #""path": "/shop.v1.Cart/Get", PB, "mock": {"grpc": {"message": {}}}"#
        #expect(all(route, folder) == [])
        try write("broken", folder.path + "/shop.pb")
        #expect(all(route, folder).first?.contains("it is no descriptor set") == true)
    }

    @Test(
        arguments: [
            (#""origin": "h2c://a.test:1", "grpc": {"reflection": true}"#, nil),
            (#""origin": ["profile:p", "https://a.test"], "grpc": {"reflection": true}"#, nil),
            (
                #""path": "/a.B/C", "grpc": {"reflection": "h2c://a.test:1"}, "mock": {"grpc": {"message": {"x": 1}}}"#,
                nil
            ),
            (
                #""path": "/a.B/C", "grpc": {"reflection": true}, "mock": {"grpc": {"message": {}}}"#,
                "without an origin that could be asked"
            ),
            (#""origin": "h2c://a.test:1", "grpc": {"reflection": false}"#, "\"reflection\" is false"),
            (#""origin": "h2c://a.test:1", "grpc": {"reflection": "a.test"}"#, "has no scheme"),
            (
                #""origin": "h2c://a.test:1", "grpc": {"reflection": true, "protos": ["a.proto"]}"#,
                "has \"protos\" and \"reflection\""
            ),
        ] as [(String, String?)])
    func `reflection is asked of an origin or of a URL`(route: String, problem: String?) throws {
        let found = problems(
            ("q.json", "{\"kind\": \"local\", \"routes\": [{\(route)}]}"),
            ("p.json", #"{"kind": "local", "routes": [{"origin": "http://b.test"}]}"#))
        if let problem {
            #expect(found.contains { $0.contains(problem) }, "\(found)")
        } else {
            #expect(found.isEmpty, "\(found)")
        }
    }
}
