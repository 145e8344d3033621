import Engine
import GraphQL
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
            (
                "query Q($a: Int = 1 @d(x: \"y\")) @b { a: c(d: [1, \"x\", {e: $a}]) @include(if: true) { ...F ... on T { d } } }",
                [.init(kind: .query, name: "Q")]
            ),
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
        "{ a } # \u{2028} mutation B { b }", "{ a } #\u{85}", "{ a } #\u{b}", "mutat\u{feff}ion { a }",
        "query {", "query", "}", "type A { b: C }", "\"\" { a }", "query { a(s: \"x) }", "1", "query Q(a: { b }",
        // What servers take for another encoding of a request.
        #"{"query": "mutation { a }"}"#, #"{"query": "{ a }", "id": "7"}"#, "query=mutation { a }", "query={ a }",
        "query = { a }", #"{ "a" }"#, "{ a = 1 }", "query $a { b }", "{ a [b] }", "query [a] { b }",
        #"{ a(b: {c: "x"]) }"#, "{ a ( } )", "{ a } & mutation { b }", "query A: b { c }",
    ])
    func `what cannot be executed is nothing`(document: String) {
        #expect(GraphQLOperation.read(Array(document.utf8)) == nil)
    }

    private func refusal(
        _ body: String, type: String = "application/json; charset=utf-8", query: String = "", named: [String] = []
    ) -> String? {
        var request = GraphQLRequest()
        request.contentType = type
        request.query = Array(query.utf8)
        request.namedByFields = named
        return request.refusal(of: Array(body.utf8))
    }

    @Test(arguments: [
        (#"{"query": "{ a }"}"#, true), (#"{"query": "mutation { a }"}"#, false),
        (#"{"query": "query A { a } mutation B { b }", "operationName": "A"}"#, true),
        (#"{"query": "query A { a } mutation B { b }", "operationName": "B"}"#, false),
        (#"{"query": "query A { a } mutation B { b }"}"#, false),
        (#"{"query": "query A { a } mutation B { b }", "operationName": null}"#, false),
        (#"{"query": "query A { a } mutation B { b }", "operationName": ""}"#, false),
        (#"{"query": "query A { a } mutation B { b }", "operationName": ["B"]}"#, false),
        (#"{"query": "query A { a }", "operationName": "C"}"#, false),
        (#"{"query": "query A { a }", "operationName": "a"}"#, false),
        (#"{"query": "{ a }", "query": "mutation { a }"}"#, false),
        (#"{"query": "{ a }", "Query": "mutation { a }"}"#, false),
        (#"{"query": "{ a }", "\u0051uery": "mutation { a }"}"#, false),
        (#"{"query": "{ a }", "OperationName": "B"}"#, false), (#"{"query": "{ a }", "query ": "b"}"#, false),
        (#"{"query": "{ a }", "mutation": "mutation { a }"}"#, false),
        (#"{"query": "{ a }", "variables": {"query": "mutation { a }"}}"#, true),
        (#"[{"query": "{ a }"}, {"query": "{ b }"}]"#, true),
        (#"[{"query": "{ a }"}, {"query": "mutation { b }"}]"#, false), ("[]", false),
        (#"[{"query": "{ a }"}, {"query": "{ b }", "id": "7"}]"#, false), (#"[[{"query": "{ a }"}]]"#, false),
        (#"[{"query": "{ a }"}, "mutation { b }"]"#, false),
        (#"{"extensions": {"persistedQuery": {"version": 1}}}"#, false), ("nonsense", false), ("", false),
        (#"{"query": "{ a }", "extensions": {"persistedQuery": {"version": 1}}}"#, false),
        (#"{"query": "{ a }", "extensions": {"PersistedQuery": {}}}"#, false),
        (#"{"query": "{ a }", "extensions": {"documentId": "7"}}"#, false),
        (#"{"query": "{ a }", "extensions": "{\"persistedQuery\": 1}"}"#, false),
        (#"{"query": "{ a }", "extensions": {"clientLibrary": {"name": "b"}}}"#, true),
        (#"{"query": "{ a }", "extensions": null}"#, true),
        (#"{"query": "{ a }", "documentId": "7"}"#, false), (#"{"query": "{ a }", "doc_id": "7"}"#, false),
        (#"{"query": "{ a }", "id": "7"}"#, false), (#"{"query": "{ a }", "hash": "7"}"#, false),
        (#"{"query": "{ a }", "_method": "DELETE"}"#, false),
        (#"{"query": "\u006dutation { a }"}"#, false), (#"{"query": ""}"#, false), (#"{"query": ["{ a }"]}"#, false),
        (#"{"query": null}"#, false), ("\u{feff}" + #"{"query": "{ a }"}"#, false), (#"{"query": "{ a }"} {}"#, false),
        (#"{query: "{ a }"}"#, false), (#"{"query": "{ a }",}"#, false),
    ])
    func `a request passes if it only asks`(body: String, passes: Bool) {
        let reason = refusal(body)
        #expect((reason == nil) == passes, "\(body): \(reason ?? "passes")")
    }

    @Test(arguments: [
        ("application/json", true), ("application/json ; charset=\"utf-8\"", true),
        ("application/json; charset = utf-8", true), ("application/json; charset=utf-7", false),
        ("application/json; charset=utf-16le", false), ("application/json; charset=utf-8; charset=utf-7", false),
        ("application/json; charset*=utf-7", false), ("application/json; a=b; charset=utf-7", false),
        ("application/json, text/plain", false), ("application/json5", false), ("application/graphql+json", false),
        ("multipart/form-data; boundary=x", false), ("text/plain", false), ("", false),
        ("application/x-www-form-urlencoded", false),
    ])
    func `only JSON of UTF-8 is read`(type: String, passes: Bool) {
        #expect((refusal(#"{"query": "{ a }"}"#, type: type) == nil) == passes, "\(type)")
    }

    @Test func `a document may stand alone`() {
        #expect(refusal("{ a }", type: "application/graphql") == nil)
        #expect(refusal("mutation { a }", type: "application/graphql") != nil)
        // Some servers read these, too.
        #expect(refusal(#"{"query": "mutation { a }"}"#, type: "application/graphql") != nil)
        #expect(refusal("query=mutation { a }", type: "application/graphql") != nil)
        #expect(refusal("\u{feff}{ a }", type: "application/graphql") != nil)
    }

    @Test(arguments: [
        ("operationName=A", [], "A", true), ("", ["A"], "A", true), ("operationName=A", ["A"], "A", true),
        ("operationName=B", [], "A", false), ("", ["B"], "A", false),
        ("operationName=A&operationName=B", [], "A", false),
        ("operationName=%41", [], "A", true), ("operationNam%65=B", [], "A", false),
        ("OperationName=A", [], "A", false),
        ("operationName=A", [], "", false), ("", ["A"], "", false), ("query=%7Ba%7D", [], "A", false),
        ("id=7", [], "A", false), ("a", [], "A", false), ("extensions=%7B%7D", [], "A", false),
    ])
    func `whatever names an operation names the same`(query: String, named: [String], name: String, passes: Bool) {
        let reason = refusal(#"{"query": "query \#(name) { a }"}"#, query: query, named: named)
        #expect((reason == nil) == passes, "\(query) \(named): \(reason ?? "passes")")
        // Of several items in one request it cannot be told which one is meant.
        let several = refusal(#"[{"query": "query A { a }"}, {"query": "query A { a }"}]"#, query: query, named: named)
        #expect(several != nil)
    }

    @Test(arguments: [UInt64.random(in: 1...UInt64.max)]) func `random text never crashes`(seed: UInt64) {
        print("GraphQLTests: the seed is \(seed)")
        var state = seed
        func next(below bound: Int) -> Int {
            // xorshift64.
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
        let alphabet = Array("{}()[]\"\\#\n ,querymutationfragment@$:1".utf8)
        for _ in 0..<2000 {
            let text = (0..<next(below: 40)).map { _ in alphabet[next(below: alphabet.count)] }
            let operations = GraphQLOperation.read(text) ?? []
            // An operation has a selection, so that no more of them are found than braces open.
            #expect(operations.count <= text.count { $0 == UInt8(ascii: "{") }, "seed \(seed): \(text)")
        }
    }
}
