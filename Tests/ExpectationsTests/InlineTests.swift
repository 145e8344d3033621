import Expectations
import JSON
import Profiles
import Testing

@Suite struct ExpectationTextTests {
    @Test(arguments: [
        // The text, and whether the golden traffic meets it; nil where it is none.
        ("~c 5xx: 0", false), ("~c 5xx: 1", true), ("~c 5xx : 1..", true), ("~u /v1/cart: 1..2", true),
        ("~u /v1/cart: ..1", false), ("~c 5xx & ~m GET: 0", true), ("never failure", true), ("never production", false),
        ("~u ^https://api.shop.test/login$: 1", true), (": 7", true),
        ("file.json5", nil), ("~c 5xx", nil), ("~c 5xx: x", nil), ("~c 5xx: 3..1", nil), ("~c 5xx: ..", nil),
        ("~c 5xx: -1", nil),
    ]) func `a text with a count is an expectation`(text: String, isMet: Bool?) throws {
        let expectation = try ExpectationFile.read(inline: text)
        #expect((expectation == nil) == (isMet == nil))
        guard let expectation, let isMet else { return }
        #expect(try Traffic.golden().observations.check([expectation])[0].isFulfilled == isMet)
    }

    @Test(arguments: ["~nope x: 0", "never prod", "never"]) func `a wrong text is refused`(text: String) {
        #expect(throws: ProfileProblems.self) { try ExpectationFile.read(inline: text) }
    }

    @Test func `what suggestions say is met by the traffic that they were made of`() throws {
        let traffic = try Traffic.golden()
        let text = try Suggestions(traffic.observations).text
        #expect(try !traffic.text(text).contains("NOT MET"), "\(text)")
        #expect(text.contains("order:") && text.contains("/v1/orders") && text.contains("never:"))
        // And not by others.
        #expect(try Traffic(Array(#"{"log":{"version":"1.2","entries":[]}}"#.utf8)).text(text).contains("NOT MET"))
    }

    @Test func `suggestions are met by Shunt's own address, by identifiers beside words, and by failures`() throws {
        let urls = [
            ("http://127.0.0.1:4884/v1/7", 200), ("http://127.0.0.1:4884/v1/8", 200),
            ("http://127.0.0.1:4884/v1/all", 404),
            ("https://localhost:4884/login", 0), ("https://localhost:4884/login", 200), ("http://[::1]:4884/x", 200),
        ]
        let entries = urls.map { url, status in
            """
            {"startedDateTime":"2026-05-01T10:00:00Z","time":1,"request":{"method":"GET","url":"\(url)",
            "httpVersion":"HTTP/1.1","headers":[],"cookies":[],"queryString":[]},"response":{"status":\(status),
            "statusText":"","httpVersion":"HTTP/1.1","headers":[],"cookies":[],"content":{"size":0,"mimeType":"text/plain"}},"timings":{}}
            """
        }
        let archive = #"{"log":{"version":"1.2","entries":[\#(entries.joined(separator: ","))]}}"#
        let traffic = try Traffic(Array(archive.utf8))
        let text = try Suggestions(traffic.observations).text
        #expect(try !traffic.text(text).contains("NOT MET"), "\(text)")
        #expect(text.contains("count: 3") && text.contains("login") && text.contains("::1"), "\(text)")
    }

    @Test func `production cannot be told without profiles`() throws {
        let archive = Array(#"{"log":{"version":"1.2","entries":[]}}"#.utf8)
        #expect(try Traffic(archive).text(#"{ expect: [{ never: "production" }] }"#).contains("--profiles DIR"))
    }

    @Test func `the schema for editors is JSON and names every check`() throws {
        let schema = try JSONReader.read(Array(ExpectationSchema.text.utf8), dialect: .strict)
        let keys = schema["$defs"]?["expectation"]?["properties"]?.object?.map(\.key) ?? []
        #expect(
            keys == [
                "name", "filter", "count", "order", "never", "latency", "request", "response", "idempotent", "retries",
                "size", "version", "tls", "reused",
            ])
    }
}

/// Values for a schema of JSON, and the difference that is reported first; nil where there is none.
private let schemas: [(String, String, String?)] = [
    (#"{"type":"integer"}"#, "1.0", nil), (#"{"type":"integer"}"#, "1.5", "$ is 1.5, not integer"),
    (#"{"type":["string","null"]}"#, "null", nil), (#"{"const":{"a":[1]}}"#, #"{"a":[1.0]}"#, nil),
    (#"{"enum":[1,"a"]}"#, #""b""#, #"$ is "b", not one of 1, "a""#),
    (#"{"properties":{"a":{"minimum":3}}}"#, #"{"a":2}"#, "$.a is 2, below 3"),
    (#"{"maximum":3}"#, "4", "$ is 4, above 3"), (#"{"exclusiveMinimum":3}"#, "3", "$ is 3, not above 3"),
    (#"{"exclusiveMaximum":3}"#, "3", "$ is 3, not below 3"), (#"{"multipleOf":2}"#, "3", "$ is 3, no multiple of 2"),
    (#"{"multipleOf":0.01}"#, "4.35", nil), (#"{"multipleOf":0.01}"#, "4.355", "$ is 4.355, no multiple of 0.01"),
    (#"{"minimum":3}"#, #""text""#, nil), (#"{"required":["a"]}"#, "{}", "$ has no member a"),
    (#"{"additionalProperties":false,"properties":{"a":true}}"#, #"{"a":1,"b":2}"#, "$.b may not be there"),
    (#"{"minProperties":1}"#, "{}", "$ has 0 members, not 1"),
    (#"{"maxProperties":0}"#, #"{"a":1}"#, "$ has 1 members, more than 0"),
    (#"{"prefixItems":[{"type":"string"}],"items":{"type":"number"}}"#, #"["a",1,"b"]"#, #"$[2] is "b", not number"#),
    (#"{"minItems":2}"#, "[1]", "$ has 1 items, not 2"), (#"{"maxItems":0}"#, "[1]", "$ has 1 items, more than 0"),
    (#"{"uniqueItems":true}"#, "[1,2,1.0]", "$[2] is there twice"),
    (#"{"minLength":2}"#, #""é""#, "$ has 1 characters, not 2"),
    (#"{"maxLength":1}"#, #""ab""#, "$ has 2 characters, more than 1"),
    (#"{"allOf":[{"type":"number"},{"minimum":2}]}"#, "1", "$ is 1, below 2"),
    (#"{"anyOf":[{"type":"string"},{"minimum":2}]}"#, "3", nil),
    (#"{"anyOf":[{"type":"string"},{"minimum":2}]}"#, "1", "$ fits none of anyOf: $ is 1, below 2"),
    (#"{"oneOf":[{"type":"number"},{"minimum":2}]}"#, "3", "$ fits 2 of oneOf, not one"),
    (#"{"not":{"type":"number"}}"#, "3", "$ fits what it may not"), (#"{"format":"date","title":"x"}"#, "3", nil),
    (
        ##"{"$defs":{"a/b":{"type":"null"}},"properties":{"x":{"$ref":"#/$defs/a~1b"}}}"##, #"{"x":1}"#,
        "$.x is 1, not null"
    ),
    (##"{"$ref":"#"}"##, "1", "$: the schema refers to itself without end"), ("false", "1", "$ may not be there"),
]

@Suite struct SchemaTests {
    @Test(arguments: schemas) func `a body is compared with its schema`(
        schema: String, body: String, difference: String?
    ) throws {
        func quoted(_ text: String) -> String {
            var writer = JSONWriter()
            writer.value(text)
            return writer.text
        }
        let archive = """
            {"log":{"version":"1.2","entries":[{"startedDateTime":"2026-05-01T10:00:00Z","time":1,"request":{"method":"GET",
            "url":"https://a.test/","httpVersion":"HTTP/1.1","headers":[],"cookies":[],"queryString":[]},"response":{"status":200,
            "statusText":"","httpVersion":"HTTP/1.1","headers":[],"cookies":[],"content":{"mimeType":"application/json",
            "text":\(quoted(body))}},"timings":{}}]}}
            """
        let text = try Traffic(Array(archive.utf8)).text("{ expect: [{ response: { schema: \(schema) } }] }")
        #expect(difference.map { text.contains("200: \($0)\n") } ?? text.hasPrefix("met"), "\(text)")
    }
}
