import Foundation
import TestSupport
import Testing

/// `shunt expect --graphql` on an archive, and `shunt mocks from` a schema.
@Suite struct GraphQLCommandTests {
    private static let schema = """
        type Query { cart(id: ID!): Cart old: Int @deprecated(reason: "use cart") }
        type Cart { id: ID! total: Float! }
        """

    private func archive(_ query: String, _ response: String) throws -> String {
        let body = String(decoding: try JSONSerialization.data(withJSONObject: ["query": query]), as: UTF8.self)
        let texts = try [body, response].map {
            String(decoding: try JSONSerialization.data(withJSONObject: $0, options: .fragmentsAllowed), as: UTF8.self)
        }
        return #"""
            {"log":{"version":"1.2","entries":[{"startedDateTime":"2026-05-01T10:00:00Z","time":1,"request":{"method":"POST",
            "url":"https://api.shop.test/graphql","httpVersion":"HTTP/1.1",
            "headers":[{"name":"Content-Type","value":"application/json"}],"cookies":[],"queryString":[],
            "postData":{"mimeType":"application/json","text":\#(texts[0])}},
            "response":{"status":200,"statusText":"","httpVersion":"HTTP/1.1",
            "headers":[{"name":"Content-Type","value":"application/json"}],"cookies":[],
            "content":{"mimeType":"application/json","text":\#(texts[1])}},"timings":{}}]}}
            """#
    }

    @Test(arguments: [
        ("query A { cart(id: 1) { id } }", #"{"data":{"cart":{"id":"1"}}}"#, 0, "met     S: query A"),
        ("query A { cart(id: 1) { id } }", #"{"data":{"cart":{}}}"#, 2, "the response cart: Cart.id is missing"),
        ("query A { cart(id: 1) { total } }", #"{"data":{"cart":{"total":null}}}"#, 2, "expected  S:2:21"),
        ("query A { cart(id: 1) { total } }", "unavailable", 0, "met     S: query A"),
        ("query A { cart { id } }", #"{"data":{}}"#, 2, "the query, 1:11: Query.cart lacks the argument id"),
        ("query A { cart(id: 1) { no } }", #"{"data":{}}"#, 2, "expected  S:2:1"),
        (
            "query A { cart(id: 1) { id } }", #"{"data":{"cart":null},"errors":[{"message":"gone","path":["cart"]}]}"#,
            2,
            #"the response cart: it reports the error "gone""#
        ),
        ("{ old }", #"{"data":{"old":null}}"#, 0, "warning: the query, 1:3: Query.old is deprecated: use cart"),
    ])
    func `calls of an archive are compared with a schema`(
        query: String, response: String, status: Int32, words: String
    ) async throws {
        let folder = try TemporaryFolder()
        let (schema, har) = (
            try folder.write("s.graphql", Self.schema), try folder.write("shop.har", archive(query, response))
        )
        let result = await CapturedRun.run("expect", "--graphql", schema, "--har", har)
        let text = result.errors.replacingOccurrences(of: schema, with: "S")
        #expect(result.status == status && text.contains(words), "\(result)")
    }

    @Test func `reports have warnings, and without a call the expectation is not met`() async throws {
        let folder = try TemporaryFolder()
        let (schema, har) = (
            try folder.write("s.graphql", Self.schema), try folder.write("a.har", archive("{ old }", ""))
        )
        let report = folder.path + "/junit.xml"
        let result = await CapturedRun.run("expect", "--graphql", schema, "--har", har, "--report", "junit=\(report)")
        #expect(result.status == 0, "\(result)")
        let junit = try String(contentsOfFile: report, encoding: .utf8)
        #expect(junit.contains("<system-out>warning: the query, 1:3: Query.old is deprecated"), "\(junit)")
        let none = await CapturedRun.run(
            "expect", "--graphql", schema, "--har", try folder.write("b.har", archive("shoes", "")))
        #expect(none.status == 2 && none.errors.contains("a request of GraphQL to compare with"), "\(none)")
    }

    @Test func `a schema makes one mock with a copy of it`() async throws {
        let folder = try TemporaryFolder()
        let profile = try folder.write("Profiles/local.json", #"{"kind": "local", "routes": []}"#)
        let schema = try folder.write("s.graphql", Self.schema)
        let result = await CapturedRun.run(
            "mocks", "from", schema, "--profile", "local", "--seed", "7", "--profiles", folder.path + "/Profiles")
        #expect(result.status == 0, "\(result)")
        let text = try String(contentsOfFile: profile, encoding: .utf8)
        #expect(text.contains(#""graphql": "mocks/local/post-graphql.graphql", "seed": 7"#), "\(text)")
        let copy = try String(
            contentsOfFile: folder.path + "/Profiles/mocks/local/post-graphql.graphql", encoding: .utf8)
        #expect(copy == Self.schema)
        let wrong = try folder.write("w.graphql", "type Query { a: B }")
        let refused = await CapturedRun.run(
            "mocks", "from", wrong, "--profile", "local", "--profiles", folder.path + "/Profiles")
        #expect(refused.status == 1 && refused.errors.contains("w.graphql:1:14: there is no type B"), "\(refused)")
    }
}
