import Engine
import Exchanges
import Profiles
import TestSupport
import Testing

/// Mocks chosen by what a request carries, as clients see them.
@Suite struct MockMatchTests {
    private static let profile = """
        {"kind": "local", "routes": [
          {"path": "/login", "match": {"json": {"user": {"name": "ann"}}}, "mock": {"text": "ann"}},
          {"path": "/login", "match": {"body": {"user.name": "bob", "items.1": 2}}, "mock": {"text": "bob"}},
          {"path": "/login", "match": {"query": {"q": "1", "z": false}, "json": {"x": [1, {"y": null}]}}, "mock": {"text": "x"}},
          {"path": "/login", "mock": {"text": "nobody"}}
        ]}
        """

    @Test(
        arguments: [
            (#"{"user": {"name": "ann", "age": 7}}"#, "ann"), (#"{"user": {"name": "Ann"}}"#, "nobody"),
            (#"{"user": {"name": "bob"}, "items": [1, 2]}"#, "bob"), (#"{"user": {"name": "bob"}}"#, "nobody"),
            (#"{"x": [1.0, {"y": null}]}"#, "x"), (#"{"x": [1, {"y": null}, 2]}"#, "nobody"), ("{", "nobody"),
            ("", "nobody"), (#"{"user": "ann"}"#, "nobody"),
        ], ClientKind.allCases)
    func `a JSON body decides`(sent: (body: String, mock: String), client: ClientKind) async throws {
        let harness = try await Harness.start(profiles: ["only": Self.profile], active: "only")
        let port = harness.port
        let seen = try await blocking {
            try client.ask(port, "POST", "/login?q=1", body: sent.body, hasLength: true)
        }
        await harness.stop()
        #expect(seen.body == sent.mock)
        #expect(harness.log.exchanges.map(\.bytes.request) == [UInt64(sent.body.utf8.count)])
    }

    private static let graphQL = """
        {"kind": "local", "routes": [
          {"match": {"graphql": {"operation": "Cart", "variables": {"id": 7, "deep": {"a": 1}}}}, "mock": {"text": "cart 7"}},
          {"match": {"graphql": {"operation": {"regex": "^cart"}}}, "mock": {"text": "some cart"}},
          {"match": {"graphql": {"kind": "mutation", "operation": false}}, "mock": {"text": "unnamed"}},
          {"match": {"graphql": {"fields": ["a", "b"]}}, "mock": {"text": "fields"}},
          {"mock": {"text": "other"}}
        ]}
        """

    @Test(
        arguments: [
            ("/", #"{"query":"query Cart{x}","variables":{"id":7,"deep":{"a":1,"b":2},"c":3}}"#, "cart 7"),
            ("/", #"{"query":"query Cart{x}","variables":{"id":8}}"#, "some cart"),
            ("/", #"{"operationName":"CartTwo","query":"query A{x} query CartTwo{x}"}"#, "some cart"),
            ("/", #"{"operationName":"Cart","extensions":{"persistedQuery":{"sha256Hash":"f"}}}"#, "some cart"),
            ("/", #"[{"query":"query Cart{x}"},{"query":"query CartTwo{x}"}]"#, "some cart"),
            ("/", #"[{"query":"query Cart{x}"},{"query":"query Other{x}"}]"#, "other"),
            ("/", #"{"query":"mutation{x}"}"#, "unnamed"), ("/", #"{"query":"mutation Buy{x}"}"#, "other"),
            ("/", #"{"query":"{z: a ...F} fragment F on Q{b}"}"#, "fields"), ("/", #"{"query":"{a: z b}"}"#, "other"),
            ("/", #"{"query":"shoes"}"#, "other"), ("/", "", "other"), ("/?query=query+Cart%7Bx%7D", "", "some cart"),
            ("/?query=query+Cart%7Bx%7D&variables=%7B%22id%22:7,%22deep%22:%7B%22a%22:1%7D%7D", "", "cart 7"),
        ])
    func `an operation of GraphQL decides`(target: String, body: String, mock: String) async throws {
        try await MemoryWorker.run(profile: Self.graphQL) { worker in
            let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
            let response = await worker.connect(
                "\(body.isEmpty ? "GET" : "POST") \(target) HTTP/1.1\r\nHost: a\r\n\(length)\r\n\(body)")
            #expect(response.text.hasSuffix("\r\n\r\n" + mock), "\(response.text)")
        }
    }

    @Test func `a schema responds to calls by their types`() async throws {
        let folder = try TemporaryFolder()
        let schema = try folder.write(
            "s.graphql", "type Query { cart(id: ID!): Cart } type Cart { id: ID! open: Boolean! }")
        let profile = #"{"kind": "local", "routes": [{"mock": {"graphql": "\#(schema)", "seed": 3}}]}"#
        try await MemoryWorker.run(profile: profile) { worker in
            for (body, response) in [
                (#"{"query":"{ c: cart(id: 7) { id } }"}"#, #"{"data":{"c":{"id":"7"}}}"#),
                (#"[{"query":"{ __typename }"}]"#, #"[{"data":{"__typename":"Query"}}]"#),
                (
                    #"{"query":"{ no }"}"#,
                    #"{"errors":[{"message":"the query, 1:3: Query has no field no","locations":"#
                ),
                ("shoes", #"{"errors":[{"message":"the request is none of GraphQL"#),
            ] {
                let client = await worker.connect(
                    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
                // By way of another thread.
                let text = await worker.response(to: client)
                #expect(text.contains("\r\n\r\n" + response), "\(text)")
            }
        }
    }

    @Test func `a body that no mock wants goes to the origin whole, and one that is too long unread`() async throws {
        let origin = ScriptedOrigin { connection, _ in
            let head = try connection.readHead()
            let length =
                head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                .flatMap { Int($0.split(separator: " ")[1]) } ?? 0
            let body = try connection.read(count: length)
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \("\(body.count)".count)\r\n\r\n\(body.count)")
        }
        let profile = """
            {"kind": "local", "routes": [
              {"match": {"json": {"a": 1}}, "mock": {"text": "mock"}}, {"origin": "http://127.0.0.1:\(origin.port)"}
            ]}
            """
        let harness = try await Harness.start(profiles: ["only": profile], active: "only")
        #expect(try await askOnce(harness.port, "POST", "/", "", #"{"a":1}"#).body == "mock")
        for length in [10, 1 << 20, (1 << 20) + 1, 3 << 20] {
            let sent = #"{"a":2,"b":""# + String(repeating: "x", count: length) + #""}"#
            #expect(try await askOnce(harness.port, "POST", "/", "", sent).body == "\(sent.utf8.count)")
        }
        await harness.stop()
        origin.stop()
    }

    /// What takes long is compared on another thread, and the choice is the same.
    @Test(arguments: [1000, 300_000]) func `long bodies and fields decide as short ones do`(length: Int) async throws {
        let profile = """
            {"kind": "local", "routes": [
              {"match": {"body": {"a": {"regex": "(x|y)+c$"}}}, "mock": {"text": "c"}},
              {"match": {"json": {"b": 1}, "body": {"a": {"regex": "(x|y)+d$"}}}, "mock": {"text": "d"}},
              {"path": "/fields", "mock": {"text": "none"}},
              {"path": "/fields", "match": {"headers": {"X-A": {"regex": "(x|y){30}7$"}}}, "mock": {"text": "7"}}]}
            """
        let harness = try await Harness.start(profiles: ["only": profile], active: "only")
        let long = String(repeating: "x", count: length)
        for (body, mock) in [
            (#"{"a": "\#(long)c"}"#, "c"), (#"{"a": "\#(long)d", "b": 1}"#, "d"), (#"{"a": "\#(long)d"}"#, nil),
        ] as [(String, String?)] {
            let response = try await askOnce(harness.port, "POST", "/", "", body)
            #expect(mock.map { response.body == $0 } ?? response.head.hasPrefix("HTTP/1.1 404 "), "\(response)")
        }
        let field = String(repeating: "y", count: min(length, 20_000))
        for (value, mock) in [("\(field)7", "7"), ("\(field)c", "none")] {
            #expect(try await askOnce(harness.port, "GET", "/fields", "X-A: \(value)\r\n").body == mock)
        }
        await harness.stop()
    }

    @Test func `a mock that is off leaves the body alone, and the page for what no route matches says so`() async throws
    {
        let profile = #"{"kind": "local", "routes": [{"name": "bob", "match": {"json": {"a": 1}}, "mock": {}}]}"#
        let harness = try await Harness.start(profiles: ["only": profile], active: "only")
        let only = try #require(harness.proxy.profiles?.library["only"])
        #expect(try await askOnce(harness.port, "POST", "/", "", #"{"a":1}"#).head.hasPrefix("HTTP/1.1 200 "))
        try harness.proxy.change(.off, ["bob"], of: only)
        let seen = try await askOnce(harness.port, "POST", "/", "", #"{"a":1}"#)
        #expect(seen.head.hasPrefix("HTTP/1.1 404 ") && seen.body.contains("the mock bob is off"), "\(seen)")
        await harness.stop()
    }

    @Test func `states lead from mock to mock, and a reload and a reset do what they should`() async throws {
        let profile = """
            {"kind": "local", "routes": [
              {"path": "/me", "when": "loggedOut", "mock": {"status": 401}},
              {"path": "/me", "when": "loggedIn", "mock": {"text": "ann"}},
              {"path": "/login", "method": "POST", "then": "loggedIn", "mock": {}},
              {"path": "/logout", "then": "loggedOut", "mock": {}},
              {"path": "/cart", "scenario": "cart", "when": "empty", "then": "full", "mock": {"text": "empty"}},
              {"path": "/cart", "scenario": "cart", "when": "full", "mock": {"text": "full"}}
            ]}
            """
        let harness = try await Harness.start(profiles: ["only": profile], active: "only")
        func ask(_ path: String, _ method: String = "GET") async throws -> String {
            let seen = try await askOnce(harness.port, method, path)
            return "\(seen.head.split(separator: " ")[1]) \(seen.body)"
        }
        #expect(try await ask("/me") == "401 ")
        #expect(try await ask("/login", "POST") == "200 ")
        #expect(try await ask("/me") == "200 ann")
        #expect(try await ask("/cart") == "200 empty")
        #expect(try await ask("/cart") == "200 full")
        try harness.proxy.replace(with: try Harness.library(["only": profile]))
        #expect(try await ask("/me") == "200 ann")
        #expect(try await ask("/logout") == "200 ")
        #expect(try await ask("/me") == "401 ")
        #expect(try await ask("/cart") == "200 full")
        let only = try #require(harness.proxy.profiles?.library["only"])
        #expect(harness.proxy.scenarios(of: only).map { "\($0.name)=\($0.state)" } == ["=loggedOut", "cart=full"])
        try harness.proxy.change(.reset, nil, of: only)
        #expect(try await ask("/cart") == "200 empty")
        await harness.stop()
    }

    @Test func `the page for what no route matches names what differed`() async throws {
        let profile = """
            {"kind": "local", "routes": [
              {"path": "/a", "match": {"query": {"page": "2"}}, "mock": {}},
              {"path": "/b", "match": {"json": {"a": {"b": 1}}}, "mock": {}},
              {"path": "/c", "match": {"graphql": {"operation": "Cart"}}, "mock": {}},
              {"path": "/d", "match": {"graphql": {"variables": {"id": 1}}}, "mock": {}},
              {"path": "/e", "match": {"graphql": {"fields": ["cart"]}}, "mock": {}}
            ]}
            """
        let harness = try await Harness.start(profiles: ["only": profile], active: "only")
        let first = try await askOnce(harness.port, "GET", "/a?page=1").body
        #expect(first.contains(#"the query parameter page is "1", not "2""#), "\(first)")
        let second = try await askOnce(harness.port, "POST", "/b", "", #"{"a":{"b":3}}"#).body
        #expect(second.contains("the JSON body has a.b: 3, not 1"), "\(second)")
        for (path, body, reason) in [
            ("/c", #"{"query":"query Pay{a}"}"#, #"the operation's name is "Pay", not "Cart""#),
            ("/c", #"{"q":1}"#, "it asks for no operation of GraphQL"),
            ("/d", #"{"query":"query Pay{a}","variables":{"id":2}}"#, "the variables have id: 2, not 1"),
            ("/e", #"{"query":"query Pay{a}"}"#, "the operation query Pay does not ask for the field cart"),
        ] {
            let page = try await askOnce(harness.port, "POST", path, "", body).body
            #expect(page.contains(reason), "\(page)")
        }
        await harness.stop()
    }
}
