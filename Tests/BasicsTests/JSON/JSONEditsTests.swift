import Bytes
import JSON
import Testing

/// Edits of a JSON text by path: all bytes that no edit touches stay as they are.
@Suite struct JSONEditsTests {
    private static func literal(_ text: String) throws -> JSONLiteral { JSONLiteral(try JSONReader.read(text)) }

    /// `set $.a = 1`, one edit; `if $.a = 1` in front of others is their condition.
    private static func edits(_ lines: [String]) throws -> JSONEdits {
        var edits = JSONEdits()
        for line in lines {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            if words[0] == "merge" {
                edits.patch = try literal(words[1])
                continue
            }
            let parts = words[1].split(separator: " = ", maxSplits: 1).map(String.init)
            let path = try #require(JSONPath(parts[0]))
            guard words[0] != "remove" else {
                edits.remove.append(path)
                continue
            }
            let placed = JSONEdits.Placed(path, try literal(parts[1]))
            switch words[0] {
            case "if": edits.conditions.append(placed)
            case "set": edits.set.append(placed)
            case "append": edits.append.append(placed)
            default: edits.increment.append(placed)
            }
        }
        return edits
    }

    private static func edited(_ text: String, _ lines: [String]) throws -> String {
        let bytes = Array(text.utf8)
        return String(decoding: try JSONEdits.apply([edits(lines)], to: bytes) ?? bytes, as: UTF8.self)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        let lines: [String]
        let result: String

        init(_ name: String, _ text: String, _ lines: String..., gives result: String) {
            (testDescription, self.text, self.lines, self.result) = (name, text, lines, result)
        }
    }

    private static let pretty = "{\n  \"a\": 1.50,\n  \"b\" : [ 1, 2 ],\n  \"c\": {}\n}\n"

    @Test(arguments: [
        Case("a value", #"{"a":1,"b":2}"#, "set $.a = true", gives: #"{"a":true,"b":2}"#),
        Case("a member that is new", #"{"a":1}"#, "set $.b = 'x'", gives: #"{"a":1,"b":"x"}"#),
        Case("a member of nothing", "{}", "set $.b = null", gives: #"{"b":null}"#),
        Case(
            "in the style of its place", pretty, "set $.d = 1",
            gives: "{\n  \"a\": 1.50,\n  \"b\" : [ 1, 2 ],\n  \"c\": {},\n  \"d\": 1\n}\n"),
        Case(
            "spellings stay", #"{ "n" : 1.0e+2 , "u":"\u00e9\ud800", "x" :0 }"#, "set $.x = 1",
            gives: #"{ "n" : 1.0e+2 , "u":"\u00e9\ud800", "x" :1 }"#),
        Case("objects on the way", #"{"a":{}}"#, "set $.a.b.c = 1", gives: #"{"a":{"b":{"c":1}}}"#),
        Case("no object on the way", #"{"a":"x"}"#, "set $.a.b = 1", gives: #"{"a":"x"}"#),
        Case("an item", "[1, 2 ,3]", "set $[1] = {a: 1}", gives: #"[1, {"a":1} ,3]"#),
        Case("an item behind the end", "[1]", "set $[1] = 2", gives: "[1]"),
        Case("each item", #"{"i":[{"p":1},{"p":2},3]}"#, "set $.i[*].p = 9", gives: #"{"i":[{"p":9},{"p":9},3]}"#),
        Case("the whole text", "\u{FEFF} 1\n", "set $ = [0x10]", gives: "\u{FEFF} [16]\n"),
        Case("a key twice", #"{"a":1,"a":2}"#, "set $.a = 3", gives: #"{"a":3,"a":3}"#),
        Case("a key with escapes", #"{"\u0061":1,"b":0}"#, "set $.a = 3", gives: #"{"\u0061":3,"b":0}"#),
        Case("an odd name", #"{"a.b \"c\"":1}"#, #"set $["a.b \"c\""] = 3"#, gives: #"{"a.b \"c\"":3}"#),
        Case(
            "twice, the second in the first", #"{}"#, "set $.a = {n: 1}", "increment $.a.n = 1",
            gives: #"{"a":{"n":2}}"#),
        Case("the same value", #"{"a": 1}"#, "set $.a = 1", gives: #"{"a": 1}"#),
        Case("the first member", pretty, "remove $.a", gives: "{\n  \"b\" : [ 1, 2 ],\n  \"c\": {}\n}\n"),
        Case("the last member", pretty, "remove $.c", gives: "{\n  \"a\": 1.50,\n  \"b\" : [ 1, 2 ]\n}\n"),
        Case("all members", #"{"a":1,"b":2}"#, "remove $[*]", gives: "{}"),
        Case("an item", "[1,2,3]", "remove $[0]", gives: "[2,3]"),
        Case("all but the place", #"{"a":{"b":1,"c":2}}"#, "remove $.a.b", "remove $.x.y", gives: #"{"a":{"c":2}}"#),
        Case("removed and set", #"{"a":1}"#, "remove $.a", "set $.a = 2", gives: #"{"a":2}"#),
        Case(
            "an item at the end", pretty, "append $.b = 3",
            gives: "{\n  \"a\": 1.50,\n  \"b\" : [ 1, 2, 3 ],\n  \"c\": {}\n}\n"),
        Case("an array as one item", "[]", "append $ = [1]", gives: "[[1]]"),
        Case("to no array", #"{"a":{}}"#, "append $.a = 1", "append $.b = 1", gives: #"{"a":{}}"#),
        Case("a number", #"{"n":41}"#, "increment $.n = 1", gives: #"{"n":42}"#),
        Case("digits behind the point", #"{"n":19.90}"#, "increment $.n = 0.10", gives: #"{"n":20.00}"#),
        Case("below zero", #"{"n":0.05}"#, "increment $.n = -1", gives: #"{"n":-0.95}"#),
        Case("with an exponent", #"{"n":1e3}"#, "increment $.n = 1", gives: #"{"n":1001.0}"#),
        Case(
            "a number that is too long", #"{"n":9223372036854775807}"#, "increment $.n = 1",
            gives: #"{"n":9223372036854775807}"#),
        Case("a text", #"{"n":"1"}"#, "increment $.n = 1", gives: #"{"n":"1"}"#),
        Case(
            "a condition that holds", #"{"role":"user","n":1.0}"#, "if $.n = 1", "if $.role = 'user'",
            "set $.role = 'admin'", gives: #"{"role":"admin","n":1.0}"#),
        Case(
            "a condition that does not", #"{"role":"user"}"#, "if $.role = 'guest'", "set $.role = 'admin'",
            gives: #"{"role":"user"}"#),
        Case("a condition on any item", #"{"i":[{"k":1},{"k":2}]}"#, "if $.i[*].k = 2", "remove $.i", gives: "{}"),
        Case("a condition on what is missing", "{}", "if $.a = null", "set $.b = 1", gives: "{}"),
        // RFC 7396, appendix A.
        Case("merge 1", #"{"a":"b"}"#, #"merge {"a":"c"}"#, gives: #"{"a":"c"}"#),
        Case("merge 2", #"{"a":"b"}"#, #"merge {"b":"c"}"#, gives: #"{"a":"b","b":"c"}"#),
        Case("merge 3", #"{"a":"b"}"#, #"merge {"a":null}"#, gives: "{}"),
        Case("merge 4", #"{"a":"b","b":"c"}"#, #"merge {"a":null}"#, gives: #"{"b":"c"}"#),
        Case("merge 5", #"{"a":["b"]}"#, #"merge {"a":"c"}"#, gives: #"{"a":"c"}"#),
        Case("merge 6", #"{"a":"c"}"#, #"merge {"a":["b"]}"#, gives: #"{"a":["b"]}"#),
        Case("merge 7", #"{"a":{"b":"c"}}"#, #"merge {"a":{"b":"d","c":null}}"#, gives: #"{"a":{"b":"d"}}"#),
        Case("merge 8", #"{"a":[{"b":"c"}]}"#, #"merge {"a":[1]}"#, gives: #"{"a":[1]}"#),
        Case("merge 12", #"{"e":null}"#, #"merge {"a":1}"#, gives: #"{"e":null,"a":1}"#),
        Case("merge 13", "[1,2]", #"merge {"a":"b","c":null}"#, gives: #"{"a":"b"}"#),
        Case("merge 14", "{}", #"merge {"a":{"bb":{"ccc":null}}}"#, gives: #"{"a":{"bb":{}}}"#),
    ])
    func `an edit changes what its path names`(of row: Case) throws {
        #expect(try Self.edited(row.text, row.lines) == row.result)
    }

    /// What the reader refuses is refused, and stays as it was.
    @Test(arguments: [
        "", " ", "{", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "[1,]", "[1 2]", #"{"a":1} x"#, "01", "1.", "-", "nul",
        #"{a:1}"#,
        "'a'", #""a"#, "\"\u{1}\"", #"{"a":01}"#, #"[1,--2]"#, "[1e]", "// 1", "Infinity",
        String(repeating: "[", count: 5000),
    ])
    func `a text that is no JSON is refused`(text: String) throws {
        let edits = try Self.edits(["set $.a = 1"])
        #expect(throws: JSONFailure.self) { try JSONEdits.apply([edits], to: Array(text.utf8)) }
    }

    /// Cut anywhere it is no JSON, and not half of the result.
    @Test func `a text that is cut is refused at every byte`() throws {
        let text = Array(#"{"a": {"b": [1, -2.5e3, "x\"y"]}, "c": true}"#.utf8)
        let edits = try Self.edits(["set $.a.b[0] = 9"])
        for end in 0..<text.count {
            #expect(throws: JSONFailure.self) { try JSONEdits.apply([edits], to: Array(text[..<end])) }
        }
        #expect(try JSONEdits.apply([edits], to: text) == Array(#"{"a": {"b": [9, -2.5e3, "x\"y"]}, "c": true}"#.utf8))
    }

    private struct Numbers: RandomNumberGenerator {
        private var base = SplitMix64(seed: 7)
        mutating func next() -> UInt64 { base.next() }
    }

    /// An edit of a path gives what the tree of the text gives, whatever else is in it.
    @Test func `edits and reading agree on texts at random`() throws {
        var random = Numbers()
        func value(_ depth: Int) -> String {
            switch Int.random(in: 0..<(depth > 3 ? 4 : 7), using: &random) {
            case 0: return "\(Int.random(in: -99...99, using: &random))"
            case 1: return ["true", "false", "null", "1.50", "-0.0", "2E-3"].randomElement(using: &random) ?? ""
            case 2: return ["\"\"", "\"a b\"", #""\u0041\\\"""#, "\"é🙂\""].randomElement(using: &random) ?? ""
            case 3: return ["{}", "[]", "{ }", "[\n]"].randomElement(using: &random) ?? ""
            case 4:
                return "["
                    + (0..<Int.random(in: 1...4, using: &random)).map { _ in " \(value(depth + 1)) " }.joined(
                        separator: ",") + "]"
            default:
                let names = ["a", "b", "c", "d"].prefix(Int.random(in: 1...4, using: &random))
                return "{" + names.map { "\"\($0)\" :\(value(depth + 1))" }.joined(separator: ",\n") + "}"
            }
        }
        for _ in 0..<300 {
            let text = #"{"a":\#(value(0)),"n":1,"z":\#(value(0))}"#
            let result = try Self.edited(text, ["set $.n = 2", "set $.new = 3", "remove $.z"])
            let (old, new) = (
                try JSONReader.read(text, dialect: .strict), try JSONReader.read(result, dialect: .strict)
            )
            #expect(new["n"]?.number?.int64 == 2 && new["new"]?.number?.int64 == 3 && new["z"] == nil, "\(text)")
            let same = try #require(old["a"]).isEqual(to: try #require(new["a"]))
            #expect(same, "\(text)")
        }
    }
}
