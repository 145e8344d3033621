import Contracts
import JSON
import Testing

/// YAML, and the same as JSON.
private let rows: [(String, String)] = [
    ("a: 1\nb: [x, y]\n", #"{"a":1,"b":["x","y"]}"#),
    ("- yes\n- no\n- on\n- true\n- False\n", #"["yes","no","on",true,false]"#),
    ("- 1e3\n- 0x1F\n- 0o17\n- 007\n- -.5\n- +12\n- 1.\n", #"[1e3,31,15,7,-0.5,12,1]"#),
    ("- '1'\n- \"true\"\n- !!str 3\n- !!int 5\n", #"["1","true","3",5]"#),
    ("- ~\n- null\n-\n- ''\n", #"[null,null,null,""]"#),
    ("- 2026-05-01\n- 1:30\n- 1_000\n- 0xZ\n- .\n", #"["2026-05-01","1:30","1_000","0xZ","."]"#),
    ("text: |\n  one\n  two\nfolded: >-\n  one\n  two\n", #"{"text":"one\ntwo\n","folded":"one two"}"#),
    ("base: &b {x: 1, y: 2}\nown:\n  <<: *b\n  y: 3\n", #"{"base":{"x":1,"y":2},"own":{"y":3,"x":1}}"#),
    ("- &a {x: 1}\n- &b {x: 2, y: 2}\n- <<: [*a, *b]\n", #"[{"x":1},{"x":2,"y":2},{"x":1,"y":2}]"#),
    ("200: ok\n'<<': text\ntrue: yes\n", #"{"200":"ok","<<":"text","true":"yes"}"#),
    ("{\"a\": [1, \"\\u00e9\"]}", #"{"a":[1,"é"]}"#), ("--- x\n...\n", #""x""#), ("- &n 1\n- *n\n", "[1,1]"),
]

/// YAML that is refused, with the place and a part of the reason.
private let problems: [(String, String)] = [
    ("a: 1\nb: 2\na: 3\n", "3:1: the key \"a\" is already there, at line 1, column 1"),
    ("a: 1\n---\nb: 2\n", "2:1: a second document begins here"), ("", "there is no document"),
    ("a: *none\n", "1:4: the alias *none has no anchor"), ("a: &x [1, *x]\n", "1:11: the alias *x lies within"),
    ("a: [1\n", "expected YAML"), ("a: .inf\n", "1:4: `.inf` is no number of JSON"),
    ("? [a]\n: 1\n", "1:3: a key that is no scalar"),
    ("a: !local 1\n", "1:4: the tag !local is unknown"), ("a: !!int x\n", "1:4: `x` is no !!int"),
    ("<<: 1\n", "1:1: the merge key << has a number"), ("a:\n\t- b\n", "2:"),
    (String(repeating: "[", count: 70) + String(repeating: "]", count: 70), "1:66: collections nest too deep"),
    (
        "a0: &a0 [x, x]\n" + (1..<40).map { "a\($0): &a\($0) [*a\($0 - 1), *a\($0 - 1)]\n" }.joined(),
        "aliases stand for too many values"
    ),
    (
        "a0: &a0 [x]\n" + (1..<70).map { "a\($0): &a\($0) [*a\($0 - 1)]\n" }.joined(),
        "collections nest too deep through the alias"
    ),
]

@Suite struct YAMLTests {
    @Test(arguments: rows) func `a document becomes the tree of JSON`(yaml: String, json: String) throws {
        var writer = JSONWriter()
        writer.value(try YAMLReader.read(Array(yaml.utf8)))
        #expect(try JSONReader.read(writer.text).isEqual(to: try JSONReader.read(json)), "\(writer.text)")
    }

    @Test(arguments: problems) func `what cannot be read is refused with its place`(yaml: String, problem: String) {
        let error = #expect(throws: JSONFailure.self) { _ = try YAMLReader.read(Array(yaml.utf8)) }
        #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
    }

    @Test func `bytes that are no UTF-8 are refused`() {
        #expect(throws: JSONFailure.self) { _ = try YAMLReader.read([0x61, 0x3A, 0x20, 0xFF, 0xFE]) }
        #expect(throws: JSONFailure.self) { _ = try YAMLReader.read([0xFF, 0xFE, 0x61, 0x00]) }
    }

    @Test func `every value has its line and column`() throws {
        let value = try YAMLReader.read(Array("a:\n  - é: 1\n    b: 2\n".utf8))
        let inner = value["a"]?.array?.first
        #expect(inner?.position.line == 2 && inner?.position.column == 5)
        #expect(inner?["b"]?.position.line == 3 && inner?["b"]?.position.column == 8)
    }
}
