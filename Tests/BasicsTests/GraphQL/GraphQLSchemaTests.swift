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
                    "the query, 1:17: the variable x is not used", "the variable id, 1:7: it is missing",
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
            ("{ a: version a: version ...F } fragment F on Query { a: version }", nil, []),
            (
                "{ a: version a: __typename }", nil,
                [
                    "the query, 1:14: a is __typename, and version at 1:3, so that they cannot be one field",
                    "the query, 1:14: a is String!, and Int! at 1:3, so that they cannot be one field",
                ]
            ),
            (
                "{ cart(id: 1) { id } ...F } fragment F on Query { cart(id: 2) { id } }", nil,
                ["the query, 1:51: cart has other arguments than at 1:3, so that they cannot be one field"]
            ),
            (
                "{ find(text: \"a\") { ... on Cart { a: id } ... on Item { a: name } } }", nil,
                [
                    "the query, 1:57: a is String!, and ID! at 1:35, so that they cannot be one field"
                ]
            ),
            ("{ node(id: 1) { ... on Cart { a: id } ... on Item { a: id } } }", nil, []),
            (
                "query A { version } query A { version } { version } fragment F on Cart { id }", nil,
                [
                    "the query, 1:21: the operation A is there twice",
                    "the query, 1:41: an operation without a name is not the only one",
                    "the query, 1:62: the fragment F is not used", "the query: none of several operations is chosen",
                ]
            ),
            (
                "query Q @skip(if: true) { version @include(if: true) @include(if: true) }", nil,
                [
                    "the query, 1:9: @skip cannot stand here, at QUERY", "the query, 1:54: @include is there twice",
                ]
            ),
            (
                "query($n: Int = \"x\") { carts(first: $n, first: 2) { id } }", nil,
                [
                    "the query, 1:7: the default of the variable n is \"x\", not Int",
                    "the query, 1:41: the argument first is there twice",
                ]
            ),
            (
                "{ ...F } fragment F on Query { version ...F }", nil,
                ["the query, 1:40: the fragment F contains itself; expected fragments without a circle"]
            ),
        ] as [(String, String?, [String])])
    func `calls are compared with the types`(query: String, variables: String?, wrong: [String]) throws {
        let findings = try Self.schema().findings(in: Self.call(query, variables))
        #expect(findings.map { ($0.isWarning ? "warning " : "") + $0.text } == wrong)
    }

    private static let asked = """
        query Q($deep: Boolean!) {
          cart(id: 1) { id sum: total state at ...F items { name @include(if: $deep) } }
          find(text: "a") { ... on Cart { total } ... on Item { name } }
          node(id: 2) { __typename id ... on Item { name } }
        }
        fragment F on Node { ... on Cart { again: id } }
        """
    private static let whole = #"""
        {"data": {"cart": {"id": "1", "sum": 2.5, "state": "OPEN", "at": 7, "again": "1", "items": [{}, {}]},
        "find": [{"total": 1}, null, {"name": "a"}], "node": {"__typename": "Cart", "id": "2"}}}
        """#

    @Test(
        arguments: [
            ("", "", []), (#""at": 7"#, #""at": {"any": []}"#, []), (#""id": "1", "#, #""id": "<redacted:x>", "#, []),
            (
                #""cart": {"#, #""other": {}, "cart": {"#,
                ["the response other: Query has other, which was not asked for"]
            ),
            (#""id": "1", "#, "", ["the response cart: Cart.id is missing"]),
            (#""id": "1""#, #""id": 1"#, ["the response cart.id: Cart.id is a number, not ID"]),
            ("2.5", "null", ["the response cart.sum: Cart.total is null, not Float!"]),
            ("2.5", #""2.5""#, ["the response cart.sum: Cart.total is a string, not Float"]),
            ("OPEN", "LOST", [#"the response cart.state: Cart.state is "LOST", not State"#]),
            (#", "again": "1""#, "", ["the response cart: Cart.id is missing"]),
            ("[{}, {}]", "{}", ["the response cart.items: Cart.items is an object, not [Item!]"]),
            ("[{}, {}]", "[{}, 1]", ["the response cart.items.1: an item of Cart.items is a number, not Item"]),
            ("[{}, {}]", "[null]", ["the response cart.items.0: an item of Cart.items is null, not Item!"]),
            ("[{}, {}]", "null", ["the response cart.items: Cart.items is null, not [Item!]!"]),
            (#"{}, {}"#, #"{"name": "b"}"#, ["the response cart.items.0.name: Item has name, which was not asked for"]),
            (
                #"{"name": "a"}"#, #"{"name": "a", "total": 1}"#,
                ["the response find.2.name: Cart has name, which was not asked for"]
            ),
            (#"{"name": "a"}"#, "{}", ["the response find.2: Cart.total is missing"]),
            (
                #""Cart", "id""#, #""Query", "id""#,
                [
                    "the response node.__typename: __typename is Query, not Cart or Item"
                ]
            ),
            (#""Cart", "id""#, #""Item", "id""#, ["the response node: Item.name is missing"]),
        ] as [(String, String, [String])])
    func `data is compared with what was asked for and with the types`(
        old: String, new: String, wrong: [String]
    ) throws {
        let response = try JSONReader.read(old.isEmpty ? Self.whole : Self.whole.replacing(old, with: new))
        let call = try Self.call(Self.asked, #"{"deep": false}"#)
        let schema = try Self.schema()
        #expect(schema.findings(in: call, response: response).map(\.text) == wrong)
        // What cannot be known may be there or not.
        if old == "{}, {}" {
            let unknown = try Self.call(Self.asked, #"{"deep": "<redacted:x>"}"#)
            #expect(schema.findings(in: unknown, response: response).map(\.text).isEmpty)
        }
    }

    @Test(
        arguments: [
            (#"{"errors": [{"message": "no"}]}"#, [#"the response: it reports the error "no""#]),
            (#"{"data": null, "errors": [{"message": "no"}]}"#, [#"the response: it reports the error "no""#]),
            (#"{"data": null}"#, ["the response: it has neither data nor errors"]),
            ("{}", ["the response: it has neither data nor errors"]),
            (#"{"data": [1]}"#, ["the response: its data is an array, not Query"]),
            (
                #"{"data": {"carts": [null]}, "errors": [{"message": "gone", "path": ["carts", 0, "total"]}]}"#,
                [#"the response carts.0.total: it reports the error "gone""#]
            ),
            (
                #"{"data": {"carts": null}, "errors": [{"message": "gone", "path": ["version"]}]}"#,
                [
                    #"the response version: it reports the error "gone""#,
                    "the response carts: Query.carts is null, not [Cart!]!",
                ]
            ),
        ] as [(String, [String])])
    func `an error explains a null`(response: String, wrong: [String]) throws {
        let found = try Self.schema().findings(
            in: Self.call("{ carts { total } }"), response: JSONReader.read(response))
        #expect(found.map(\.text) == wrong)
    }

    /// Each is answered at once, or given up with a warning.
    @Test func `fields and data that multiply are bounded`() throws {
        let doubling = (0..<30).map { at in
            "fragment F\(at) on Cart { items { cart { ...F\(at + 1) } } a\(at): items { cart { ...F\(at + 1) } } }"
        }.joined()
        let schema = try Self.schema()
        let query = "{ cart(id: 1) { ...F0 } } \(doubling) fragment F30 on Cart { id }"
        #expect(try schema.findings(in: Self.call(query)).map(\.text) == [])
        let many = (0..<20_000).map { "a: version b\($0): version" }.joined(separator: " ")
        #expect(try schema.findings(in: Self.call("{ \(many) }")).filter { !$0.isWarning }.map(\.text) == [])
        // Every selection with every other one, for what a variable does not say.
        let unsure = (0..<60).map { at in
            "fragment G\(at) on Cart { ...G\(at + 1) @skip(if: $no) ... @skip(if: $no) { ...G\(at + 1) } }"
        }.joined()
        let call = try Self.call(
            "query($no: Boolean!) { cart(id: 1) { ...G0 } } \(unsure) fragment G60 on Cart { id }",
            "{\"no\": \"<redacted:x>\"}")
        let found = try schema.findings(in: call, response: JSONReader.read(#"{"data": {"cart": {}}}"#))
        #expect(found.map(\.text) == [])
        let fields = (0..<5000).map { "a\($0): id" }.joined(separator: " ")
        let items = Array(repeating: "{}", count: 5000).joined(separator: ",")
        let texts = try schema.findings(
            in: Self.call("{ carts { \(fields) } }"), response: JSONReader.read("{\"data\": {\"carts\": [\(items)]}}")
        ).map(\.text)
        #expect(
            texts == [
                "the response carts.0: Cart.id is missing",
                "the response: its data has too many fields to be compared with the schema",
            ])
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

    // MARK: Introspection

    /// What clients send, in the form of graphql-js and with the flags of older ones.
    private static let introspection = """
        query Q($all: Boolean = true) {
          __schema {
            queryType { name } types { ...T }
            directives { name locations isRepeatable args(includeDeprecated: true) { ...I } }
          }
          __type(name: "Cart") { name fields(includeDeprecated: $all) { name isDeprecated } }
          __typename
        }
        fragment T on __Type {
          kind name specifiedByURL isOneOf
          fields(includeDeprecated: true) { name args { ...I } type { ...R } isDeprecated deprecationReason }
          inputFields { ...I } interfaces { ...R } enumValues { name gone: isDeprecated } possibleTypes { ...R }
        }
        fragment I on __InputValue { name type { ...R } defaultValue }
        fragment R on __Type { kind name ofType { kind name ofType { kind name } } }
        """
    private static let introspected = #"""
        {"data": {"__schema": {"queryType": {"name": "Query"}, "types": [
        {"kind": "OBJECT", "name": "Query", "specifiedByURL": null, "isOneOf": null, "fields": [
        {"name": "old", "args": [], "type": {"kind": "SCALAR", "name": "String", "ofType": null}, "isDeprecated": true,
        "deprecationReason": "use cart"}], "inputFields": null, "interfaces": [], "enumValues": null,
        "possibleTypes": null},
        {"kind": "ENUM", "name": "State", "specifiedByURL": null, "isOneOf": null, "fields": null, "inputFields": null,
        "interfaces": null, "enumValues": [{"name": "OPEN", "gone": false}], "possibleTypes": null}],
        "directives": [{"name": "skip", "locations": ["FIELD"], "isRepeatable": false, "args": []}]},
        "__type": {"name": "Cart", "fields": [{"name": "id", "isDeprecated": true}]}, "__typename": "Query"}}
        """#

    @Test(
        arguments: [
            ("", "", nil, []),
            (
                #""queryType": {"name""#, #""queryType": null, "other": {"name""#, nil,
                [
                    "the response __schema.queryType: __Schema.queryType is null, not __Type!",
                    "the response __schema.other: __Schema has other, which was not asked for",
                ]
            ),
            (
                #""OBJECT""#, #""CLASS""#, nil,
                [
                    #"the response __schema.types.0.kind: __Type.kind is "CLASS", not __TypeKind"#
                ]
            ),
            (
                #"["FIELD"]"#, #"["PLANET"]"#, nil,
                [
                    "the response __schema.directives.0.locations.0: an item of __Directive.locations is \"PLANET\", not "
                        + "__DirectiveLocation"
                ]
            ),
            (
                #""isDeprecated": true,"#, #""isDeprecated": "yes","#, nil,
                [
                    "the response __schema.types.0.fields.0.isDeprecated: __Field.isDeprecated is a string, not Boolean"
                ]
            ),
            (
                #"{"name": "OPEN", "gone": false}"#, #"{"name": "OPEN", "gone": true}"#, nil,
                [
                    "the response __schema.types.1.enumValues.0: __Type.enumValues has what is deprecated, and "
                        + "includeDeprecated does not ask for it"
                ]
            ),
            (
                "", "", #"{"all": false}"#,
                [
                    "the response __type.fields.0: __Type.fields has what is deprecated, and includeDeprecated does not ask "
                        + "for it"
                ]
            ),
            ("", "", #"{"all": "<redacted:x>"}"#, []),
            (
                #""__typename": "Query""#, #""__typename": "Cart""#, nil,
                [
                    "the response __typename: __typename is Cart, not Query"
                ]
            ),
            (
                #""__type": {"name": "Cart", "fields": [{"name": "id", "isDeprecated": true}]}"#, #""__type": null"#,
                nil, []
            ),
        ] as [(String, String, String?, [String])])
    func `an introspection is compared with the types of the language`(
        old: String, new: String, variables: String?, wrong: [String]
    ) throws {
        let call = try Self.call(Self.introspection, variables)
        let text = old.isEmpty ? Self.introspected : Self.introspected.replacing(old, with: new)
        #expect(try Self.schema().findings(in: call, response: JSONReader.read(text)).map(\.text) == wrong)
    }

    @Test(
        arguments: [
            ("{ __schema { kinds } }", ["the query, 1:14: __Schema has no field kinds"]),
            ("{ __schema }", ["the query, 1:3: __schema is __Schema!, and nothing of it is asked for"]),
            ("{ __type { name } }", ["the query, 1:3: Query.__type lacks the argument name"]),
            (
                "{ __type(name: 1) { name { a } } }",
                [
                    "the query, 1:10: the argument name of Query.__type is 1, not String",
                    "the query, 1:21: name is String, which has no fields",
                ]
            ),
            (
                "{ version { __schema { types { name } } } }",
                [
                    "the query, 1:3: version is Int!, which has no fields"
                ]
            ),
            ("{ cart(id: 1) { __type(name: \"A\") { name } } }", ["the query, 1:17: Cart has no field __type"]),
            (
                "{ __schema { types { fields(includeDeprecated: 1) { name } } } }",
                [
                    "the query, 1:29: the argument includeDeprecated of __Type.fields is 1, not Boolean"
                ]
            ),
            (
                "{ __schema { directives { onField } } }",
                [
                    "warning the query, 1:27: __Directive.onField is deprecated: ask for locations"
                ]
            ),
            (
                "{ ...F } fragment F on Query { __schema { types { ... on __Field { name } } } }",
                [
                    "the query, 1:51: __Type is never __Field"
                ]
            ),
        ] as [(String, [String])])
    func `what an introspection asks for is compared with the types of the language`(
        query: String, wrong: [String]
    ) throws {
        let findings = try Self.schema().findings(in: Self.call(query))
        #expect(findings.map { ($0.isWarning ? "warning " : "") + $0.text } == wrong)
    }

    @Test func `a server's own types of types take the place of those of the language`() throws {
        let schema = try GraphQLSchema(
            Array("type Query { a: Int } type __Directive { name: String! speed: Int }".utf8), name: "s")
        let found = schema.findings(in: try Self.call("{ __schema { directives { name speed isRepeatable } } }"))
        #expect(found.map(\.text) == ["the query, 1:38: __Directive has no field isRepeatable"])
        #expect(found.first?.rule == nil || found.first?.rule?.line == 1)
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
        #expect(response["data"]?["node"]?["id"]?.string == "3")
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
