import GraphQL
import Testing

/// Documents as they are read, and as they are printed again.
@Suite struct GraphQLDocumentTests {
    @Test(
        arguments: [
            ("{a}", ["{", "  a", "}"]),
            (
                "query Q($id: ID! = 7, $l:[Int!]){me(id:$id){x:name ...F ...on T@skip(if:true){d}}}fragment F on U{e}",
                [
                    "query Q($id: ID! = 7, $l: [Int!]) {", "  me(id: $id) {", "    x: name", "    ...F",
                    "    ... on T @skip(if: true) {", "      d", "    }", "  }", "}", "", "fragment F on U {", "  e",
                    "}",
                ]
            ),
            (
                "mutation { a(s: \"x\\u0041\\n\", n: -1.5e3, e: RED, l: [1 2], o: {a: null}) }",
                [
                    "mutation {", "  a(s: \"xA\\n\", n: -1.5e3, e: RED, l: [1, 2], o: { a: null })", "}",
                ]
            ),
            ("subscription@live{a}", ["subscription @live {", "  a", "}"]),
            ("{a(s:\"\"\"\n    x\n      y\n  \"\"\")}", ["{", "  a(s: \"x\\n  y\")", "}"]),
        ] as [(String, [String])])
    func `a document is printed in lines`(text: String, lines: [String]) throws {
        let document = try GraphQLDocument(text)
        #expect(document.lines == lines)
        #expect(try GraphQLDocument(document.lines.joined(separator: "\n")).lines == lines)
    }

    @Test(
        arguments: [
            ("", 0, "an operation"), ("{a", 2, "a field"), ("{}", 1, "a field"), ("query Q", 7, "`{`"),
            ("{a(b:)}", 5, "a value"), ("type A {b: C}", 0, "`query`"), ("{a(b:\"\\x\")}", 5, "an escape"),
            ("{a} x", 4, "`query`"), ("fragment on on T {a}", 9, "name"), ("{ ..a }", 4, "`.`"),
            ("{a(b: \"x)}", 6, "a value"),
        ])
    func `what is wrong is told with its place`(text: String, place: Int, expected: String) {
        do throws(GraphQLProblem) {
            _ = try GraphQLDocument(text)
            Issue.record("\(text) was read")
        } catch {
            #expect(error.place == place && error.expected.contains(expected), "\(text): \(error)")
        }
    }

    @Test func `depth is bounded`() {
        for deep in [
            String(repeating: "{a", count: 100_000), "{a(b:" + String(repeating: "[", count: 100_000),
            "query Q($a:" + String(repeating: "[", count: 100_000),
        ] {
            #expect(throws: GraphQLProblem.self) { try GraphQLDocument(deep) }
        }
    }

    @Test func `outer fields are found through fragments`() throws {
        let document = try GraphQLDocument("{ x: a ...F ... { c } ...F } fragment F on Q { b } query Z { z }")
        #expect(document.outerFields(of: document.operations[0]).map(\.name) == ["a", "b", "c"])
        #expect(document.operation("Z")?.kind == .query && document.operation(nil) == nil)
        #expect(throws: GraphQLProblem.self) { try GraphQLDocument("{ ...F } fragment F on Q { b ...F }") }
    }
}
