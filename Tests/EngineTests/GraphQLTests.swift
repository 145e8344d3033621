import Engine
import Testing

/// Which GraphQL requests only ask.
@Suite struct GraphQLTests {
    @Test(
        arguments: [
            ("{ me { name } }", [.init(kind: .query, name: nil)]),
            ("query { me }", [.init(kind: .query, name: nil)]),
            (
                "query Me($id: ID = \"}{\", $all: [Int!]! = [1, 2]) @cached(ttl: {s: 1}) { me(id: $id) { a } }",
                [.init(kind: .query, name: "Me")]
            ),
            ("# mutation { x }\nquery Q { a(s: \"mutation {\") }", [.init(kind: .query, name: "Q")]),
            ("query Q { a(s: \"\"\"\nmutation { \\\"\"\" } {\"\"\") }", [.init(kind: .query, name: "Q")]),
            ("mutation Buy { buy }", [.init(kind: .mutation, name: "Buy")]),
            ("mutation{buy}", [.init(kind: .mutation, name: nil)]),
            ("\u{feff},,query A{a}mutation B{b}", [.init(kind: .query, name: "A"), .init(kind: .mutation, name: "B")]),
            ("fragment F on User { name } { me { ...F } }", [.init(kind: .query, name: nil)]),
            ("subscription S { news }", [.init(kind: .subscription, name: "S")]),
            ("query query { mutation }", [.init(kind: .query, name: "query")]),
            ("query @a { b } mutation @c { d }", [.init(kind: .query, name: nil), .init(kind: .mutation, name: nil)]),
        ] as [(String, [GraphQLOperation])])
    func `operations are found where they are`(document: String, operations: [GraphQLOperation]) {
        let read = GraphQLOperation.read(Array(document.utf8))
        #expect(read?.map(\.kind) == operations.map(\.kind), "\(document)")
        #expect(read?.first?.name == operations.first?.name)
    }

    @Test(arguments: [
        "query {", "query", "}", "type A { b: C }", "\"\" { a }", "query { a(s: \"x) }", "1", "query Q(a: { b }",
    ])
    func `what cannot be executed is nothing`(document: String) {
        #expect(GraphQLOperation.read(Array(document.utf8)) == nil)
    }

    @Test(arguments: [
        (#"{"query": "{ a }"}"#, true), (#"{"query": "mutation { a }"}"#, false),
        (#"{"query": "query A { a } mutation B { b }", "operationName": "A"}"#, true),
        (#"{"query": "query A { a } mutation B { b }", "operationName": "B"}"#, false),
        (#"{"query": "query A { a } mutation B { b }"}"#, false),
        (#"{"query": "query A { a }", "operationName": "C"}"#, false),
        (#"{"query": "{ a }", "query": "mutation { a }"}"#, false),
        (#"[{"query": "{ a }"}, {"query": "{ b }"}]"#, true),
        (#"[{"query": "{ a }"}, {"query": "mutation { b }"}]"#, false), ("[]", false),
        (#"{"extensions": {"persistedQuery": {"version": 1}}}"#, false), ("nonsense", false), ("", false),
        (#"{"query": "\u006dutation { a }"}"#, false), (#"{"query": ""}"#, false),
    ])
    func `a request passes if it only asks`(content: String, passes: Bool) {
        let reason = GraphQLOperation.refusal(of: Array(content.utf8), contentType: "application/json; charset=utf-8")
        #expect((reason == nil) == passes, "\(content): \(reason ?? "passes")")
    }

    @Test func `other types of content`() {
        #expect(GraphQLOperation.refusal(of: Array("{ a }".utf8), contentType: "application/graphql") == nil)
        #expect(GraphQLOperation.refusal(of: Array("mutation{a}".utf8), contentType: "application/graphql") != nil)
        #expect(
            GraphQLOperation.refusal(of: Array("{ a }".utf8), contentType: "multipart/form-data; boundary=x") != nil)
        #expect(GraphQLOperation.refusal(of: Array("{ a }".utf8), contentType: "") != nil)
        for (charset, passes) in [("utf-8", true), ("\"utf-8\"", true), ("utf-7", false), ("utf-16le", false)] {
            let type = "application/json; a=b;charset=\(charset)"
            let content = Array(#"{"query": "{ a }"}"#.utf8)
            #expect((GraphQLOperation.refusal(of: content, contentType: type) == nil) == passes, "\(type)")
        }
    }

    @Test func `random text never crashes`() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("{}()[]\"\\#\n ,querymutationfragment@$:1".utf8)
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
            }
            _ = GraphQLOperation.read(text)
        }
    }
}
