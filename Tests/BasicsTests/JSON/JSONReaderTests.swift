import JSON
import Testing

@Suite struct JSONReaderTests {
    @Test(arguments: [
        ("4.35", "0.01", true), ("0.3", "0.1", true), ("1.1", "0.1", true), ("19.99", "0.01", true),
        ("4.355", "0.01", false), ("7", "2", false), ("-9", "3", true), ("0", "7", true), ("0.0", "0.5", true),
        ("1e3", "250", true), ("1e300", "0.01", true), ("123456789012345678901234567890", "10", true),
        ("123456789012345678901234567891", "10", false), ("1.5e2", "15e1", true), ("1e-7", "1e-8", true),
        ("100", "1e2", true), ("50", "1e2", false), ("1e-399", "1", true), ("12345678901234567890124", "1.5", false),
    ])
    func `a number is a multiple as people count`(number: String, unit: String, isMultiple: Bool) throws {
        let (one, other) = (try JSONReader.read(number).number, try JSONReader.read(unit).number)
        #expect(try #require(one).isMultiple(of: try #require(other)) == isMultiple)
    }

    @Test(arguments: [1, 2, 15, 16, 17, 40], [0, 14, 15, 16, 39])
    func `a key that comes twice is found among few and among many`(count: Int, twice: Int) throws {
        let keys = (0..<count).map { "k\($0)" } + [twice < count ? "k\(twice)" : "e\u{301}", "\u{e9}"]
        let text = "{" + keys.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
        if twice < count {
            let failure = #expect(throws: JSONFailure.self) { try JSONReader.read(text) }
            #expect(failure?.message.hasPrefix("the key \"k\(twice)\" is already there") == true)
        } else {
            // Two spellings of one letter are two keys.
            #expect(try JSONReader.read(text).object?.count == count + 2)
        }
    }

    @Test(arguments: [
        "[]", "{}", " [ ] ", "null", "true", "false", "0", "-0", "-0.5e-7", "1E+2", "123456789012345678901234567890",
        "1e999999", "\"\"", #""\u0000\u001f\"\\\/\b\f\n\r\t""#, #""\ud834\udd1e""#, "\"\u{7F}\"", "\"\u{2028}\"",
        "\"€𝄞\"",
        #"{"":0}"#, #"{"a":1,"A":2}"#, "[[],[[]],{}]", "\u{FEFF}[1]", "\r\n[1\t,\n2]", "{\"e\u{301}\":1,\"\u{E9}\":2}",
        String(repeating: "[", count: 64) + String(repeating: "]", count: 64),
    ])
    func `valid JSON is read by both dialects`(text: String) throws {
        _ = try JSONReader.read(text, dialect: .strict)
        _ = try JSONReader.read(text, dialect: .json5)
    }

    @Test(arguments: [
        "", " ", "[", "]", "{", "}", "[1", "[1 2]", "[,]", "[,1]", "[1,,]", "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,,}"#,
        #"{"a" 1}"#, #"{"a":1 "b":2}"#, "[1]]", "{}{}", "nul", "TRUE", "truefalse", "-", "+", "1.2.3", "1e", "1e+",
        "01",
        "-01", "1a", "0x", "0xg", "--1", "\"", "\"\\", "\"\\u12\"", #""\ud834""#, #""\udd1e\ud834""#, #""\ud834A""#,
        "\"a\nb\"", "Infinity", "-Infinity", "NaN", "[1}", #"{"a":1]"#, "undefined", "{1:2}", "@", "\u{0}", "[1]\u{0}",
        "/", "/*", "/* *", "{a b: 1}", "0x1FFFFFFFFFFFFFFFF", ".", "-.", "'abc", #""\1""#, #"{"a":1,"a":1}"#,
        String(repeating: "[", count: 65), String(repeating: "[", count: 100_000),
        String(repeating: "{\"a\":", count: 100_000),
    ])
    func `invalid text is refused by both dialects`(text: String) {
        #expect(throws: JSONFailure.self) { try JSONReader.read(text, dialect: .strict) }
        #expect(throws: JSONFailure.self) { try JSONReader.read(text, dialect: .json5) }
    }

    @Test(arguments: [
        ("// one\n[1,/* two */2,]", "[1,2]"), ("{a:1,$b_2:2,ünï:3,}", #"{"a":1,"$b_2":2,"ünï":3}"#),
        ("'it\\'s \"so\"'", #""it's \"so\"""#), ("[0x1F, -0xff, +7, .5, 5., +.5e1]", "[31,-255,7,0.5,5,0.5e1]"),
        ("0xFFFFFFFFFFFFFFFF", "18446744073709551615"), ("'a\\\nb\\\r\nc'", #""abc""#),
        ("'\\x41\\v\\0\\q'", #""A\u000b\u0000q""#),
        ("\u{A0}\u{2003}\u{B}1\u{FEFF}", "1"), ("'\t'", #""\t""#), ("{true:1,Infinity:2}", #"{"true":1,"Infinity":2}"#),
    ])
    func `JSON5 alone has comments, commas, quotes and numbers of its own`(text: String, json: String) throws {
        #expect(throws: JSONFailure.self) { try JSONReader.read(text, dialect: .strict) }
        var writer = JSONWriter()
        writer.value(try JSONReader.read(text, dialect: .json5))
        #expect(writer.text == json)
    }

    @Test(arguments: [
        // A column counts scalars, not bytes; a byte order mark has none; three kinds of line ends.
        ("{\n  \"a\": 1,\n  \"é€𝄞\": tru\n}", "3:10: the word `tru`; expected a value; text stands in double quotes"),
        ("\u{FEFF}x", "1:1: the word `x`; expected a value; text stands in double quotes"),
        ("[\r\n1\r@", "3:1: `@` in the array that starts at line 1, column 1; expected `,` or `]`"),
        ("{\"a\":1,\n \"a\":2}", "2:2: the key \"a\" is already there, at line 1, column 2; expected each key once"),
        ("[1,\n", "2:1: the end of the text where a value should be; expected a value"),
        ("\"abc", "1:1: the string does not end; expected a closing quote"),
        ("[NaN]", "1:2: `Infinity` and `NaN` are not supported; expected a finite number"),
        ("{} x", "1:4: `x` after the value; expected the end of the text"),
        ("\u{7}", "1:1: the character U+0007 where a value should be; expected a value"),
        ("[1,\n/* x", "2:1: the comment does not end; expected `*/`"),
    ])
    func `a failure has its place and what was expected`(text: String, message: String) {
        let failure = #expect(throws: JSONFailure.self) { try JSONReader.read(text) }
        #expect(failure?.description == message)
    }

    @Test(
        arguments: [
            [0x22, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xE0, 0x80, 0x80, 0x22],
            [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xFF, 0x22], [0x22, 0xE2, 0x82], [0x22, 0xF0, 0x9F, 0x98],
        ] as [[UInt8]])
    func `bytes that are not UTF-8 are reported with their place`(bytes: [UInt8]) {
        let failure = #expect(throws: JSONFailure.self) { try JSONReader.read([0x20, 0x0A] + bytes) }
        #expect(failure?.position == JSONPosition(offset: 3, line: 2, column: 2))
    }

    @Test func `values, keys and members know where they are`() throws {
        let tree = try JSONReader.read("{ // x\n  \"é\": [1, 'b'],\n  c: {}\n}")
        let members = try #require(tree.object)
        #expect(members.map(\.key) == ["é", "c"])
        #expect(members[0].keyPosition == JSONPosition(offset: 9, line: 2, column: 3))
        #expect(members[0].value.array?[1].position == JSONPosition(offset: 19, line: 2, column: 12))
        #expect(tree["c"]?.position.line == 3)
    }

    @Test(
        arguments: [
            ("9223372036854775807", 9_223_372_036_854_775_807), ("-9223372036854775808", .min),
            ("9223372036854775808", nil),
            ("2.0", 2), ("1e3", 1000), ("1.5", nil), ("1e400", nil), ("0x10", 16), ("9007199254740993.0", nil),
        ] as [(String, Int64?)])
    func `a number is an integer where it is whole and fits`(text: String, value: Int64?) throws {
        #expect(try JSONReader.read(text).number?.int64 == value)
    }

    @Test func `a number beyond Double's range has no Double and keeps its text`() throws {
        let number = try #require(try JSONReader.read("-1e400").number)
        #expect(number.double == nil && number.json == "-1e400")
    }

    @Test func `a text beyond the size limit is refused`() throws {
        _ = try JSONReader.read(Array("[1]".utf8), sizeLimit: 3)
        #expect(throws: JSONFailure.self) { try JSONReader.read(Array("[1]".utf8), sizeLimit: 2) }
    }

    @Test func `no bytes make it crash`() {
        var random = SystemRandomNumberGenerator()
        let pieces = Array("{}[]\"'\\:,/*-+.0123456789eExXtruefalsn \n\r\u{FEFF}é𝄞ud8".utf8)
        for _ in 0..<3000 {
            let count = Int.random(in: 0...40, using: &random)
            let bytes = (0..<count).map { _ in
                Bool.random() ? pieces.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
            }
            _ = try? JSONReader.read(bytes)
            _ = try? JSONReader.read(bytes, dialect: .strict)
        }
    }
}
