import GraphQL
import JSON
import Testing

/// Schemas, what calls break of them, and responses made of them.
@Suite struct GraphQLSchemaTests {
    private static let types = """
        "All that can be asked for"
        schema { query: Query mutation: Change }
        directive @auth(role: String = "user") repeatable on FIELD_DEFINITION | QUERY
        type Query {
          \"\"\"
          Of one cart
          \"\"\"
          cart(id: ID!, deep: Boolean = false): Cart
          carts(first: Int = 10, filter: Filter): [Cart!]!
          find(text: String!): [Hit]
          node(id: ID!): Node
          old: String @deprecated(reason: "use cart")
        }
        type Change { pay(input: Pay!): Cart }
        interface Node { id: ID! }
        type Cart implements Node { id: ID! total: Float! state: State! at: DateTime items(first: Int): [Item!]! }
        type Item implements Node { id: ID! name: String! cart: Cart }
        union Hit = Cart | Item
        enum State { OPEN CLOSED }
        input Filter { state: State, min: Float }
        input Pay { id: ID!, note: String, filter: Filter }
        scalar DateTime @specifiedBy(url: "https://example.com")
        extend type Query { version: Int! }
        """

    private static func schema() throws -> GraphQLSchema {
        try GraphQLSchema(Array(types.utf8), name: "shop.graphql")
    }

    private static func call(_ query: String, _ variables: String? = nil) throws -> GraphQLCall {
        var writer = JSONWriter()
        writer.object { object in
            object.member("query", query)
            if let variables, let value = try? JSONReader.read(variables) { object.member("variables", value) }
        }
        return try #require(GraphQLCall.all(in: JSONReader.read(writer.bytes)).first)
    }

    @Test(
        arguments: [
            ("{ cart(id: 1) { id total state at items { name cart { id } } } version __typename }", nil, []),
            ("query Q($id: ID!) { cart(id: $id) { ...F } } fragment F on Cart { id }", #"{"id": 7}"#, []),
            ("{ find(text: \"a\") { __typename ... on Cart { total } ... on Item { name } } }", nil, []),
            ("{ carts(filter: {state: OPEN, min: 1}) { id } __schema { types { name } } }", nil, []),
            (
                "mutation($in: Pay!) { pay(input: $in) { id } }", #"{"in": {"id": "1", "filter": {"state": "OPEN"}}}"#,
                []
            ),
            ("{ cart(id: 1) { price } }", nil, ["the query, 1:17: Cart has no field price"]),
            ("{\n  basket\n}", nil, ["the query, 2:3: Query has no field basket"]),
            ("{ cart { id } }", nil, ["the query, 1:3: Query.cart lacks the argument id"]),
            ("{ cart(id: 1, x: 2) { id } }", nil, ["the query, 1:15: Query.cart has no argument x"]),
            (
                "{ carts(first: \"x\") { id } }", nil,
                ["the query, 1:9: the argument first of Query.carts is \"x\", not Int"]
            ),
            (
                "{ carts(filter: {state: GONE}) { id } }", nil,
                [
                    "the query, 1:9: the argument filter of Query.carts is an object whose state is GONE, not State"
                ]
            ),
            (
                "{ version { a } carts }", nil,
                [
                    "the query, 1:3: version is Int!, which has no fields",
                    "the query, 1:17: carts is [Cart!]!, and nothing of it is asked for",
                ]
            ),
            ("{ cart(id: 1) { ... on Item { name } } }", nil, ["the query, 1:17: Cart is never Item"]),
            ("{ cart(id: 1) { ...G } }", nil, ["the query, 1:17: there is no fragment G"]),
            ("{ a: version @no }", nil, ["the query, 1:14: there is no directive @no"]),
            (
                "query($id: Int) { cart(id: $id) { id } }", nil,
                [
                    "the query, 1:24: the argument id of Query.cart is the variable id of type Int, not ID!"
                ]
            ),
            (
                "query($id: ID!, $x: Int) { cart(id: $id) { id } }", "{}",
                [
                    "the variable id, 1:7: it is missing", "the query, 1:17: the variable x is not used",
                ]
            ),
            (
                "query($f: Filter) { carts(filter: $f) { id } }", #"{"f": {"state": 1}}"#,
                [
                    "the variable f: it is an object whose state is a number, not State"
                ]
            ),
            ("subscription { a }", nil, ["the query, 1:1: the schema has no subscriptions"]),
            ("{ old }", nil, ["warning the query, 1:3: Query.old is deprecated: use cart"]),
            (
                "{ ...F } fragment F on Query { version ...F }", nil,
                ["the query, 1:40: the fragment F contains itself; expected fragments without a circle"]
            ),
        ] as [(String, String?, [String])])
    func `calls are compared with the types`(query: String, variables: String?, wrong: [String]) throws {
        let findings = try Self.schema().findings(in: Self.call(query, variables))
        #expect(findings.map { ($0.isWarning ? "warning " : "") + $0.text } == wrong)
    }

    @Test func `an introspection says the same as a document of types`() throws {
        let text = #"""
            {"data":{"__schema":{"queryType":{"name":"Query"},"mutationType":null,"types":[
            {"kind":"OBJECT","name":"Query","interfaces":[],"fields":[{"name":"cart","args":[{"name":"id","type":
            {"kind":"NON_NULL","ofType":{"kind":"SCALAR","name":"ID"}},"defaultValue":null}],"type":{"kind":"OBJECT",
            "name":"Cart"},"isDeprecated":true,"deprecationReason":"gone"}]},
            {"kind":"OBJECT","name":"Cart","fields":[{"name":"id","args":[],"type":{"kind":"SCALAR","name":"ID"}}]},
            {"kind":"SCALAR","name":"ID"}],"directives":[]}}}
            """#
        let schema = try GraphQLSchema(Array(text.utf8), name: "i.json")
        #expect(
            schema.findings(in: try Self.call("{ cart { id x } }")).map(\.text) == [
                "the query, 1:3: Query.cart is deprecated: gone", "the query, 1:3: Query.cart lacks the argument id",
                "the query, 1:13: Cart has no field x",
            ])
    }

    @Test(
        arguments: [
            ("type Query { a: B }", "s:1:14: there is no type B; expected a type of the document"),
            ("type A { a: Int }", "s: it has no type for queries; expected a type Query"),
            (
                "type Query { a: Int }\ntype Query { b: Int }",
                "s:2:1: the type Query is already there, at 1:1; expected"
            ),
            ("type Query { a Int }", "s:1:16: found `Int`; expected `:`"), ("query { a }", "s:1:1: found `query`"),
            ("{\"a\": 1}", "s:1:1: it is no result of an introspection"), ("{", "s:1:2: "),
            ("extend type X { a: Int }", "s:1:1: there is no type X to extend"),
        ])
    func `what is wrong with a schema is told with its place`(text: String, message: String) {
        do throws(GraphQLSchemaFailure) {
            _ = try GraphQLSchema(Array(text.utf8), name: "s")
            Issue.record("\(text) was read")
        } catch {
            #expect("\(error)".hasPrefix(message), "\(error)")
        }
    }

    private static func respond(_ query: String, _ variables: String? = nil, seed: UInt64 = 1) throws -> JSONValue {
        try JSONReader.read(
            GraphQLSample(schema(), seed: seed).response(to: [call(query, variables)], isBatch: false), dialect: .strict
        )
    }

    @Test func `a response has what is asked for, of the right types, and the same each time`() throws {
        let query = """
            query Q($id: ID!, $no: Boolean = false) {
              it: cart(id: $id) { id ...F items(first: 1) { name @include(if: $no) cart { id } } at }
              find(text: "x") { __typename ... on Cart { total } ... on Item { name } }
              node(id: 3) { __typename id }
            }
            fragment F on Cart { sum: total state }
            """
        let response = try Self.respond(query, #"{"id": "c7"}"#)
        #expect(try Self.respond(query, #"{"id": "c7"}"#).isEqual(to: response))
        #expect(try !Self.respond(query, #"{"id": "c7"}"#, seed: 2).isEqual(to: response))
        let cart = try #require(response["data"]?["it"])
        #expect(cart.object?.map(\.key) == ["id", "sum", "state", "items", "at"] && cart["id"]?.string == "c7")
        #expect(cart["sum"]?.number != nil && ["OPEN", "CLOSED"].contains(cart["state"]?.string))
        let items = try #require(cart["items"]?.array)
        #expect(items.count == 2 && items.allSatisfy { $0.object?.map(\.key) == ["cart"] })
        for hit in response["data"]?["find"]?.array ?? [] {
            #expect(hit.object?.map(\.key) == ["__typename", hit["__typename"]?.string == "Cart" ? "total" : "name"])
        }
        #expect(response["data"]?["node"]?["id"]?.number?.int64 == 3)
        #expect(["Cart", "Item"].contains(response["data"]?["node"]?["__typename"]?.string))
    }

    @Test func `what is wrong is responded as an error, and a response is bounded`() throws {
        let wrong = try Self.respond("{\n  cart(id: 1) { price } }")
        #expect(wrong["errors"]?.array?.first?["message"]?.string == "the query, 2:17: Cart has no field price")
        #expect(wrong["errors"]?.array?.first?["locations"]?.array?.first?["line"]?.number?.int64 == 2)
        let deep =
            "{ carts { id " + String(repeating: "items { cart { id ", count: 20)
            + String(repeating: "} }", count: 20) + " } }"
        #expect(try Self.respond(deep)["errors"] != nil)
        let batch = try JSONReader.read(
            GraphQLSample(Self.schema(), seed: 1).response(
                to: [Self.call("{version}"), Self.call("{no}")], isBatch: true))
        #expect(batch.array?.map { $0.object?.first?.key } == ["data", "errors"])
    }

    @Test(arguments: [(100, true), (1000, false), (20000, false)])
    func `fragments lead so deep and no deeper`(count: Int, isRead: Bool) throws {
        let chain = (0..<count).map { "fragment F\($0) on Cart { ...F\($0 + 1) }" }.joined(separator: " ")
        let query = "{ cart(id: 1) { ...F0 } } \(chain) fragment F\(count) on Cart { id }"
        let found = try Self.schema().findings(in: Self.call(query)).map(\.message)
        #expect(found == (isRead ? [] : ["the fragments nest too deeply; expected at most 128 levels"]))
        #expect((try Self.respond(query)["errors"] == nil) == isRead)
        #expect(try GraphQLCall.all(in: JSONReader.read(#"{"query": "\#(query)"}"#)).count == 1)
    }

    @Test func `an error is found behind any number of warnings`() throws {
        let old = (0..<20_000).map { "a\($0): old" }.joined(separator: " ")
        let found = try Self.schema().findings(in: Self.call("{ \(old) none }"))
        #expect(found.filter(\.isWarning).count == 100)
        #expect(found.filter { !$0.isWarning }.map(\.message) == ["Query has no field none"])
    }
}
