import Foundation
import JSON
import Testing

@Suite struct JSONFormatterTests {
    @Test(arguments: [
        // Space, brackets and lines.
        ("{}", "{}\n"), (" [ ] ", "[]\n"), ("{\n\n}", "{}\n"), ("[[],{ }]", "[[], {}]\n"), ("\u{FEFF}\t1 ", "1\n"),
        (#"{"a":1,"b":[1,2,{"c":null}]}"#, #"{ "a": 1, "b": [1, 2, { "c": null }] }"# + "\n"),
        ("{\"a\":1,\r\n\"b\":{\"c\":2}}", "{\n  \"a\": 1,\n  \"b\": { \"c\": 2 }\n}\n"),
        ("[\r1,\r\r\r\r2\r]", "[\n  1,\n\n  2\n]\n"),
        ("{\"a\":\n1}", "{\n  \"a\": 1\n}\n"), ("[[\n1],[2]]", "[\n  [\n    1\n  ],\n  [2]\n]\n"),
        ("[\n\n\n1,\n\n\n2\n\n\n]", "[\n  1,\n\n  2\n]\n"), ("[\n1\n\n,\n2]", "[\n  1,\n\n  2\n]\n"),
        ("[\n1\n,\n2]", "[\n  1,\n  2\n]\n"),
        // JSON5 has commas at lines' ends; each spelling stays.
        ("{a:1,}", "{ a: 1 }\n"), ("{a:1,\nb:2}", "{\n  a: 1,\n  b: 2,\n}\n"), ("[\n1,\n2,\n]", "[\n  1,\n  2,\n]\n"),
        ("[0x1F,+.5,5.,'\\x41\"','\\q']", "[0x1F, +.5, 5., '\\x41\"', '\\q']\n"),
        (#"{"a":1,'b':2,ü:3}"#, #"{ "a": 1, 'b': 2, ü: 3 }"# + "\n"),
        ("[1e+07,-0,\"\\u00e4\\/\"]", "[1e+07, -0, \"\\u00e4\\/\"]\n"),
        ("\u{A0}[\u{2003}1\u{B},\u{2028}2\u{FEFF}]", "[1, 2]\n"),
        // A string that goes on behind a backslash is more than one line.
        ("['a\\\r\n  b',1]", "[\n  'a\\\n  b',\n  1,\n]\n"),
    ])
    func `text is laid out in one way`(text: String, formatted: String) throws {
        #expect(try JSONFormatter.format(text) == formatted)
        #expect(try JSONFormatter.format(formatted) == formatted)
    }

    @Test(arguments: [
        // On lines of their own.
        ("// a\n\n\n//b  \n{\n//c\n\n\"x\":1,\n\n// d\n}", "// a\n\n//b\n{\n  //c\n\n  \"x\": 1,\n\n  // d\n}\n"),
        ("{\n// a\n}", "{\n  // a\n}\n"), ("[ // a\n\n// b\n\n]", "[ // a\n  // b\n]\n"), ("[/**/]", "[/**/]\n"),
        ("{/* a */}", "{ /* a */ }\n"), ("/* a */ /* b */\n1", "/* a */ /* b */\n1\n"),
        // At the end of a line.
        ("{ // a\n\"x\":1 // b\n,// c\n\"y\":2// d\n}", "{ // a\n  \"x\": 1, // b\n  // c\n  \"y\": 2, // d\n}\n"),
        ("{a:1, /* a */ // b\nb:2}", "{\n  a: 1, /* a */ // b\n  b: 2,\n}\n"),
        ("1 // a", "1 // a\n"), ("1\n\n\n// a\n\n", "1\n\n// a\n"),
        ("[1] /* a */ // b\n// c", "[1] /* a */ // b\n// c\n"),
        // Their columns stay.
        ("{\n  a: 1,   // a\n  bb: 2   // b\n}", "{\n  a: 1,   // a\n  bb: 2,  // b\n}\n"),
        ("{\n  a: 1,\t// a\n}", "{\n  a: 1, // a\n}\n"),
        // Within a line.
        ("[/*a*/1/*b*/,/*c*/2,/*d*/]", "[/*a*/ 1 /*b*/, /*c*/ 2 /*d*/]\n"),
        ("{a/*a*/:/*b*/1/*c*/,\nb:2}", "{\n  a /*a*/: /*b*/ 1 /*c*/,\n  b: 2,\n}\n"),
        ("[\n1, /* a */ 2, /* b */ ]", "[\n  1,\n  /* a */ 2, /* b */\n]\n"),
        ("[/* a\n*/]", "[\n  /* a\n*/\n]\n"),
        // Between key and value there is no room for a line's end.
        ("{\n\nx:1,\n\na: // a\n1}", "{\n  x: 1,\n\n  // a\n  a: 1,\n}\n"),
        ("{x:1, /* a */ b // b\n: /* c */ [2]}", "{\n  x: 1,\n  // b\n  /* a */ b: /* c */ [2],\n}\n"),
        // Lines of one comment move together.
        ("[\n\t/*\n\t * a\n\t\tb\n\n\t*/\n1]", "[\n  /*\n   * a\n  \tb\n\n  */\n  1,\n]\n"),
        ("[\n      /* a\r\n      b\r   c  \n        d */\n1]", "[\n  /* a\n  b\n   c\n    d */\n  1,\n]\n"),
        ("[1, /* a\n  b */ 2]", "[\n  1,\n  /* a\n  b */ 2,\n]\n"),
        // What looks like a comment within a string is none.
        (#"{"a//":"/* b */"}"#, #"{ "a//": "/* b */" }"# + "\n"),
    ])
    func `comments stay where they are`(text: String, formatted: String) throws {
        #expect(try JSONFormatter.format(text) == formatted)
        #expect(try JSONFormatter.format(formatted) == formatted)
    }

    @Test func `a line that is full stays, and a longer one is spread`() throws {
        // `[` `"` n × 𝄞 `"` `,` space `[1]` `]` on a level further in, with a comma.
        func text(_ count: Int) -> String { "[\n[\"" + String(repeating: "𝄞", count: count) + "\",[1]],\n2]" }
        let full = JSONFormatter.width - "  [\"\", [1]],".count
        let kept = try JSONFormatter.format(text(full)).split(separator: "\n")
        #expect(kept.count == 4 && kept[1].unicodeScalars.count == JSONFormatter.width)
        let spread = try JSONFormatter.format(text(full + 1))
        #expect(spread.hasSuffix("𝄞\",\n    [1]\n  ],\n  2\n]\n"))
        let long = try JSONFormatter.format("{a:[" + String(repeating: "1,", count: 5000) + "1],b:[1]}")
        #expect(long.split(separator: "\n").count == 5001 + 5)
        #expect(long.hasSuffix("    1,\n  ],\n  b: [1],\n}\n"))
    }

    @Test func `what is no JSON5 is refused as the reader refuses it`() {
        for text in ["", "[1", "{a:1,a:2}", "[1] x", "/* ", "[NaN]", String(repeating: "[", count: 65), "//"] {
            let expected = #expect(throws: JSONFailure.self) { try JSONReader.read(text) }
            let failure = #expect(throws: JSONFailure.self) { try JSONFormatter.format(text) }
            #expect(failure == expected, "\(text)")
        }
        let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(throws: Never.self) { try JSONFormatter.format(deep) }
        #expect(throws: JSONFailure.self) { try JSONFormatter.format(Array("[1]".utf8), sizeLimit: 2) }
    }

    @Test func `text that would grow beyond the size limit is refused`() throws {
        let text = Array("[[\n1,2]]".utf8)
        let count = try JSONFormatter.format(text).count
        #expect(try JSONFormatter.format(text, sizeLimit: count).count == count)
        #expect(throws: JSONFailure.self) { try JSONFormatter.format(text, sizeLimit: count - 1) }
        // Nearly all of what it would become, 64 levels deep, is never written.
        let deep = String(repeating: "[", count: 64) + String(repeating: "1,", count: 100_000) + "1"
        let failure = #expect(throws: JSONFailure.self) {
            try JSONFormatter.format(Array((deep + String(repeating: "]", count: 64)).utf8), sizeLimit: 1 << 20)
        }
        #expect(failure?.message.contains("formatted") == true)
    }

    @Test func `this repository's profiles stay as they are`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../../Profiles")
        let files = try FileManager.default.contentsOfDirectory(at: root, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
        #expect(files.count >= 4)
        for file in files {
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            #expect(try JSONFormatter.format(text) == text, "\(file.lastPathComponent)")
        }
    }

    @Test func `any text keeps its value and its comments, and comes out the same again`() throws {
        for seed in 0..<800 {
            var text = RandomText(seed: UInt64(seed), dialect: seed % 4 == 0 ? .strict : .json5)
            let source = text.document()
            let formatted = try JSONFormatter.format(source)
            let note = Comment(rawValue: "seed \(seed)\n\(source)\n→\n\(formatted)")
            #expect(canonical(try JSONReader.read(formatted)) == canonical(try JSONReader.read(source)), note)
            #expect(try JSONFormatter.format(formatted) == formatted, note)
            for number in 0..<text.comments {
                #expect(formatted.components(separatedBy: "#\(number)#").count == 2, note)
            }
            // Only a string's own line may look otherwise.
            #expect(!formatted.utf8.contains(0x0D) && formatted.hasSuffix("\n"), note)
            #expect(!formatted.contains("\n\n\n") && !formatted.contains(" \n"), note)
            if let value = try? JSONReader.read(source, dialect: .strict) {
                #expect(canonical(try JSONReader.read(formatted, dialect: .strict)) == canonical(value), note)
            }
        }
    }

    /// The tree with each number in its own spelling.
    private func canonical(_ value: JSONValue) -> String {
        switch value.kind {
        case .number(let number): number.text
        case .string(let text): "\(Array(text.utf8))"
        case .array(let items): "[" + items.map(canonical).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\(Array($0.key.utf8)):" + canonical($0.value) }.joined(separator: ",") + "}"
        case .bool(let flag): "\(flag)"
        case .null: "null"
        }
    }
}

/// Texts with space and comments between any two tokens, the same ones for the same seed.
private struct RandomText {
    private var state: UInt64
    private let dialect: JSONReader.Dialect
    private let isDense: Bool
    /// How many there are; each has its number.
    private(set) var comments = 0

    init(seed: UInt64, dialect: JSONReader.Dialect) {
        state = seed
        self.dialect = dialect
        isDense = seed % 3 == 0
    }

    mutating func document() -> String { space() + value(depth: 0) + space() }

    private mutating func value(depth: Int) -> String {
        switch random(depth > 4 ? 4 : 8) {
        case 0, 1: return pick(dialect == .strict ? ["0", "-1.50e+3", "12"] : ["0x1F", "+1", ".5", "-5.", "1e3"])
        case 2: return pick(["true", "false", "null"])
        case 3: return string()
        case 4, 5: return list("[", "]") { $0.value(depth: depth + 1) }
        default:
            var number = 0
            return list("{", "}") { text in
                number += 1
                return text.key(number) + text.space() + ":" + text.space() + text.value(depth: depth + 1)
            }
        }
    }

    private mutating func list(
        _ opening: String, _ closing: String, _ item: (inout RandomText) -> String
    ) -> String {
        var text = opening + space()
        let count = random(5)
        for index in 0..<count {
            text += item(&self) + space()
            if index < count - 1 || (dialect == .json5 && random(3) == 0) { text += "," + space() }
        }
        return text + closing
    }

    private mutating func key(_ number: Int) -> String {
        pick(dialect == .strict ? ["\"k\(number)\""] : ["\"k\(number)\"", "'k\(number)'", "k\(number)", "ü\(number)"])
    }

    private mutating func string() -> String {
        let long = String(repeating: "long ", count: 1 + random(12))
        let strict = ["\"\"", "\"// no\"", "\"/* no */\"", "\"\\u00e4\\\"\"", "\"é𝄞{[,\"", "\"\(long)\""]
        return pick(dialect == .strict ? strict : strict + ["'\\x41\"'", "'a\\\nb'", "'a\\\r\n  b'", "'\\\\'"])
    }

    private mutating func space() -> String {
        if isDense, random(10) > 0 { return "" }
        let blanks = ["", "", "", " ", "  ", "\t", "\n", "\r\n", "\n  ", "\n\n\n", "\n \t\n"]
        if dialect == .strict { return pick(blanks) }
        var text = ""
        for _ in 0..<random(3) {
            text += pick(blanks + ["\u{A0}", "\u{B}", "\r", "\u{2028}"])
            let mark = "#\(comments)#"
            switch random(5) {
            case 0: text += "/*\(mark)*/"
            case 1: text += "// \(mark)" + pick([" \t\n", "\n", "\r\n", "\r", "\n\n\n"])
            case 2: text += "/* \(mark)" + pick(["\n", "\r\n   ", "\n  * ", " \n\t "]) + "x */"
            default: continue
            }
            comments += 1
        }
        return text + pick(blanks)
    }

    private mutating func pick(_ choices: [String]) -> String { choices[random(choices.count)] }

    /// SplitMix64.
    private mutating func random(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }
}
