import Contracts
import Foundation
import JSON
import Platform
import Testing

/// A schema as text, on its own or with files beside it.
func schema(_ text: String, files: [String: String] = [:], assertsFormats: Bool = false) throws -> Schema {
    let sources = ContractSources { path throws(FileFailure) in
        guard let text = files[Path.name(of: path)] else { throw FileFailure(path, "read", code: ENOENT) }
        return Array(text.utf8)
    }
    let document = sources.add(try JSONReader.read(text), uri: "file:///contract/schema.json", name: "schema.json")
    return try Schema(document: document, of: sources, refusesUnknown: true, assertsFormats: assertsFormats)
}

private func failures(_ schema: Schema, _ value: String) throws -> [String] {
    schema.failures(of: try JSONTape(Array(value.utf8)), most: 10).map { "\($0.text) [\($0.rule)]" }
}

/// Schema, value, and what is wrong; nothing where it fits.
private let rows: [(String, String, [String])] = [
    (
        #"{"properties": {"a": {"type": "integer"}, "b": {"maximum": 3}}}"#, #"{"a": "x", "b": 4}"#,
        [
            #"$.a is "x", not integer [schema.json:1:31 /properties/a/type]"#,
            "$.b is 4, above 3 [schema.json:1:60 /properties/b/maximum]",
        ]
    ),
    (
        #"{"patternProperties": {"^x-": false}}"#, #"{"x-a": 1}"#,
        [#"$["x-a"] may not be there [schema.json:1:31 /patternProperties/^x-]"#]
    ),
    (
        #"{"unevaluatedProperties": false, "anyOf": [{"properties": {"a": true}}, {"properties": {"b": true}, "required": ["b"]}]}"#,
        #"{"a": 1, "b": 2, "c": 3}"#, ["$.c may not be there [schema.json:1:27 /unevaluatedProperties]"]
    ),
    (#"{"if": {"const": 1}, "then": true, "else": {"type": "string"}}"#, "1", []),
    (
        #"{"dependentRequired": {"card": ["address"]}}"#, #"{"card": 1}"#,
        ["$ has card, but no member address [schema.json:1:23 /dependentRequired]"]
    ),
    (
        #"{"contains": {"type": "null"}}"#, "[1]",
        ["$ has no item that `contains` asks for [schema.json:1:14 /contains]"]
    ),
    (#"{"pattern": "^\\p{Lu}[^é]$"}"#, #""Éa""#, []),
    (
        #"{"pattern": "^[a-z]+$"}"#, #""Ab""#,
        [#"$ is "Ab", which does not match ^[a-z]+$ [schema.json:1:13 /pattern]"#]
    ),
    (#"{"enum": ["\u00e9"]}"#, #""\u00e9""#, []),
    (#"{"$ref": "other.json#/$defs/a"}"#, "1", [#"$ is 1, not string [other.json:2:17 /$defs/a/type]"#]),
    (#"{"$ref": "types.yaml#named"}"#, "[]", ["$ is [], not integer [types.yaml:4:11 /$defs/count/type]"]),
]

/// Schemas that cannot be used, and the problem.
private let problems: [(String, String)] = [
    (#"{"type": "map"}"#, #"schema.json:1:10: a wrong "type"; expected one of null, boolean"#),
    (
        #"{"propertes": {}}"#,
        #"schema.json:1:2: "propertes" is no keyword of JSON Schema; expected one such as "properties""#
    ),
    (##"{"$ref": "#/$defs/none"}"##, ##"schema.json:1:10: "$ref" leads nowhere: #/$defs/none"##),
    (#"{"$ref": "none.json"}"#, "none.json: cannot be read: No such file"),
    (
        #"{"pattern": "a(?=b)"}"#,
        "schema.json:1:13: the pattern \"a(?=b)\" cannot be used, in column 2: an unknown kind of group"
    ),
    (#"{"pattern": "(a)\\1"}"#, "a back-reference"),
    (#"{"pattern": "\\p{Script=Greek}"}"#, "scripts are not supported"),
    (#"{"items": [true]}"#, "schema.json:1:11: an array where a schema should be"),
    (#"{"allOf": []}"#, "schema.json:1:11: \"allOf\" is an array; expected a list of schemas"),
    (#"{"minLength": -1}"#, "expected a count"), (#"{"multipleOf": 0}"#, "expected a number above 0"),
]

@Suite struct JSONSchemaTests {
    @Test(arguments: rows) func `a value is compared with its schema`(text: String, value: String, wrong: [String])
        throws
    {
        let schema = try schema(
            text,
            files: [
                "other.json": "{\"$defs\":\n {\"a\": {\"type\": \"string\"}}}",
                "types.yaml": "$defs:\n  count:\n    $anchor: named\n    type: integer\n",
            ])
        #expect(try failures(schema, value) == wrong)
    }

    @Test(arguments: problems) func `a schema that cannot be used is refused with its place`(
        text: String, problem: String
    ) {
        let error = #expect(throws: ContractProblems.self) { _ = try schema(text) }
        #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        ("date-time", "2026-02-28T10:00:00.5+01:00", "2026-02-29T10:00:00Z"), ("time", "23:59:60Z", "23:58:60Z"),
        ("email", "a.b@shop.test", "a@b@"), ("hostname", "shop.test", "-shop"), ("ipv4", "127.0.0.1", "127.0.0.256"),
        ("ipv6", "2001:db8::1.2.3.4", "1::2::3"), ("uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8aa08"),
        ("uri", "https://shop.test/a?b#c", "/a"), ("uri-reference", "/a%20b", "/a%2"),
        ("json-pointer", "/a~1b", "/a~2"), ("date", "2024-02-29", "2024-2-1"), ("byte", "YQ==", "Y?=="),
    ]) func `formats are checked where that is asked for`(format: String, good: String, bad: String) throws {
        let text = #"{"format": "\#(format)"}"#
        #expect(try failures(try schema(text, assertsFormats: true), "\"\(good)\"") == [])
        #expect(try failures(try schema(text, assertsFormats: true), "\"\(bad)\"").count == 1)
        #expect(try failures(try schema(text), "\"\(bad)\"") == [])
    }

    /// Members that were replaced when they were recorded are not known.
    @Test func `a value that is masked fits every schema`() throws {
        let schema = try schema(#"{"properties": {"id": {"type": "integer"}, "at": {"type": "integer"}}}"#)
        let tape = try JSONTape(Array(#"{"id": "<redacted:01>", "at": "x"}"#.utf8))
        #expect(schema.failures(of: tape, most: 5, mask: "<redacted:").map(\.path) == ["$.at"])
    }

    /// What most values fit is seen without texts, counts and searches; what lies beside them is looked at closely.
    @Test(arguments: [
        (#"{"minimum": -9223372036854775808, "maximum": 9223372036854775807}"#, "9223372036854775807", true),
        (#"{"maximum": 9223372036854775807}"#, "92233720368547758080", false),
        (#"{"exclusiveMinimum": 9223372036854775807}"#, "9223372036854775807", false),
        (#"{"exclusiveMinimum": 1, "exclusiveMaximum": 2}"#, "1", false),
        (#"{"exclusiveMinimum": 1, "exclusiveMaximum": 2}"#, "1.5", true),
        (#"{"minimum": -5, "exclusiveMaximum": -3}"#, "-4", true),
        (#"{"minimum": -5, "exclusiveMaximum": -3}"#, "-3", false), (#"{"minimum": 0}"#, "-0", true),
        (#"{"minimum": 0.5}"#, "0", false), (#"{"minimum": 3, "maximum": 1}"#, "2", false),
        (#"{"minLength": 2, "maxLength": 2}"#, "\"\u{E9}\u{1F600}\"", true),
        (#"{"minLength": 2}"#, "\"\u{1F600}\"", false), (#"{"minLength": 1, "maxLength": 1}"#, #""\u00e9""#, true),
        (#"{"maxLength": 3}"#, "\"\u{1F600}\u{1F600}\u{1F600}\"", true), (#"{"enum": ["a", "é"]}"#, #""\u00e9""#, true),
        (#"{"enum": ["a", "b"]}"#, "1", false), (#"{"enum": ["1", 1]}"#, "1.0", true),
        (#"{"enum": []}"#, #""a""#, false),
        (#"{"const": ""}"#, #""""#, true), (#"{"required": ["", "b"]}"#, #"{"b": 1, "": 2}"#, true),
        (#"{"required": ["a", "b"]}"#, #"{"a": 1, "a": 2}"#, false),
        (#"{"properties": {"a": true, "b": {"type": "string"}, "c": true}}"#, #"{"c": 1, "a": 1, "b": 1}"#, false),
    ]) func `the edges of what is seen at once are kept`(text: String, value: String, isValid: Bool) throws {
        #expect(try failures(try schema(text), value).isEmpty == isValid)
    }

    @Test func `two spellings of one letter are two members`() throws {
        let schema = try schema(
            "{\"properties\": {\"\u{E9}\": {\"type\": \"integer\"}, \"e\u{301}\": {\"type\": \"string\"}}, "
                + "\"additionalProperties\": false, \"required\": [\"\u{E9}\", \"e\u{301}\"]}")
        #expect(try failures(schema, "{\"e\u{301}\": \"x\", \"\u{E9}\": 1}") == [])
        #expect(try failures(schema, "{\"e\u{301}\": 1}").count == 2)
    }

    // MARK: Hostile schemas

    @Test func `schemas that double at each step are given up`() throws {
        let steps = (0..<60).map {
            ##""s\##($0)": {"anyOf": [{"$ref": "#/$defs/s\##($0 + 1)"}, {"$ref": "#/$defs/s\##($0 + 1)"}]}"##
        }
        let schema = try schema(
            ##"{"$ref": "#/$defs/s0", "$defs": {\##(steps.joined(separator: ",")), "s60": false}}"##)
        #expect(try failures(schema, "1").first?.hasPrefix("$: the schema takes too many steps") == true)
    }

    @Test(arguments: [
        ##"{"$ref": "#"}"##, ##"{"allOf": [{"$ref": "#"}]}"##, ##"{"not": {"not": {"$ref": "#"}}}"##,
        ##"{"$dynamicAnchor": "a", "$dynamicRef": "#a"}"##,
    ]) func `a schema that refers to itself is given up`(text: String) throws {
        #expect(try failures(try schema(text), "1").first?.hasPrefix("$: the schema refers to itself") == true)
    }

    @Test func `a chain of ten thousand references is compiled`() throws {
        let steps = (0..<10_000).map { ##""s\##($0)": {"$ref": "#/$defs/s\##($0 + 1)"}"## }
        let schema = try schema(
            ##"{"$ref": "#/$defs/s0", "$defs": {\##(steps.joined(separator: ",")), "s10000": true}}"##)
        #expect(try failures(schema, "1").first?.hasPrefix("$: the schema refers to itself") == true)
    }

    @Test func `a pattern that others go back in takes linear time`() throws {
        let schema = try schema(#"{"pattern": "^(a|a|aa)*(a+)*$"}"#)
        #expect(try failures(schema, "\"\(String(repeating: "a", count: 20_000))b\"").count == 1)
    }

    @Test func `large enums and lists of unlike items are looked up`() throws {
        let numbers = (0..<20_000).map(String.init).joined(separator: ",")
        let schema = try schema(#"{"uniqueItems": true, "items": {"enum": [\#(numbers)]}}"#)
        #expect(try failures(schema, "[\(numbers)]") == [])
        #expect(try failures(schema, "[1,2,1.0]").first?.hasPrefix("$[2] is there twice") == true)
    }

    // MARK: The official suite

    private static let suite = ProcessInfo.processInfo.environment["SHUNT_SCHEMA_SUITE"]

    @Test(.enabled(if: suite != nil, "SHUNT_SCHEMA_SUITE names no folder with the JSON-Schema-Test-Suite"))
    func `the required cases of the official suite pass`() throws {
        let folder = Self.suite ?? ""
        let remotes = (FileManager.default.enumerator(atPath: folder + "/remotes")?.allObjects as? [String] ?? [])
            .filter {
                $0.hasSuffix(".json") && (!$0.hasPrefix("draft") && !$0.hasPrefix("v1") || $0.hasPrefix("draft2020-12"))
            }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/tests/draft2020-12")
            .filter { $0.hasSuffix(".json") }.sorted()
        var (count, wrong) = (0, [String]())
        for file in files {
            let groups = try JSONReader.read(
                Array(try Data(contentsOf: URL(fileURLWithPath: folder + "/tests/draft2020-12/" + file))))
            for group in groups.array ?? [] {
                let sources = ContractSources()
                for remote in remotes {
                    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: folder + "/remotes/" + remote)))
                    sources.add(try JSONReader.read(bytes), uri: "http://localhost:1234/" + remote, name: remote)
                }
                guard let root = group["schema"] else { continue }
                let document = sources.add(root, uri: "http://suite.test/\(file)", name: file)
                let name = "\(file): \(group["description"]?.string ?? "")"
                do {
                    let schema = try Schema(document: document, of: sources)
                    for test in group["tests"]?.array ?? [] {
                        guard let data = test["data"] else { continue }
                        count += 1
                        var writer = JSONWriter()
                        writer.value(data)
                        let isValid = schema.failures(of: try JSONTape(writer.bytes)).isEmpty
                        if isValid != test["valid"]?.bool {
                            wrong.append("\(name): \(test["description"]?.string ?? "")")
                        }
                    }
                } catch {
                    wrong.append("\(name): \(error)")
                }
            }
        }
        print("\(count - wrong.count) of \(count) cases of the JSON-Schema-Test-Suite pass")
        #expect(wrong == [])
        #expect(count > 1200, "\(count) cases")
    }
}
