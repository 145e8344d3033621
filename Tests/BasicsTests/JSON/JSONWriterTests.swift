import JSON
import Testing

@Suite struct JSONWriterTests {
    @Test func `members and values are separated by commas`() {
        var writer = JSONWriter()
        writer.object {
            $0.member("text", "a")
            $0.member("none", nil as String?)
            $0.member("flag", true)
            $0.member("list", ["x", "y"])
            $0.array("mixed") {
                $0.value(1)
                $0.null()
                $0.object { _ in }
                $0.array { _ in }
                $0.raw("[2]".utf8)
            }
            $0.object("inner") { $0.member("n", -1) }
        }
        #expect(
            writer.text
                == #"{"text":"a","none":null,"flag":true,"list":["x","y"],"mixed":[1,null,{},[],[2]],"inner":{"n":-1}}"#
        )
    }

    @Test func `pretty puts each member on its line`() {
        var writer = JSONWriter(style: .pretty)
        writer.object {
            $0.member("a", 1)
            $0.array("b") { $0.value("c") }
            $0.object("d") { _ in }
        }
        #expect(writer.text == "{\n  \"a\": 1,\n  \"b\": [\n    \"c\"\n  ],\n  \"d\": {}\n}")
    }

    @Test(arguments: [
        ("plain é𝄞\u{7F}", "\"plain é𝄞\u{7F}\""), ("\"\\/", #""\"\\/""#),
        ("\u{0}\u{8}\t\n\u{B}\u{C}\r\u{1F}", #""\u0000\b\t\n\u000b\f\r\u001f""#),
        ("", "\"\""), ("end\n", #""end\n""#),
    ])
    func `text is escaped where it must be`(text: String, json: String) throws {
        var writer = JSONWriter()
        writer.value(text)
        #expect(writer.text == json)
        #expect(try JSONReader.read(writer.bytes, dialect: .strict).string == text)
    }

    @Test(arguments: ["\"", "\u{0}", "é", "𝄞", "\u{7F}", "\\"])
    func `long text is escaped at every place`(one: String) throws {
        for count in 120...136 {
            let text = String(repeating: "a", count: count) + one + String(repeating: "b", count: 130) + one
            var (writer, bytes) = (JSONWriter(), JSONWriter())
            writer.value(text)
            bytes.value(utf8: Array(text.utf8).span)
            #expect(writer.bytes == bytes.bytes)
            #expect(try JSONReader.read(writer.bytes, dialect: .strict).string == text)
        }
    }

    @Test func `numbers keep their value`() throws {
        var writer = JSONWriter()
        writer.array {
            $0.value(Int.min)
            $0.value(Int.max)
            $0.value(UInt64.max)
            $0.value(UInt8(0))
            $0.value(0.1)
            $0.value(1e300)
            $0.value(-0.0)
            $0.value(Double.infinity)
            $0.value(Double.nan)
            $0.value(Int128.min)
        }
        #expect(
            writer.text
                == "[\(Int.min),\(Int.max),\(UInt64.max),0,0.1,1e+300,-0.0,null,null,\(Int128.min)]")
        _ = try JSONReader.read(writer.bytes, dialect: .strict)
    }

    @Test(arguments: Array("\"\\\n\u{1F}\u{7F} !#[]\u{80}é"))
    func `what has to be escaped is found wherever it stands`(character: Character) throws {
        let mustEscape = "\"\\\n\u{1F}".contains(character)
        for length in 1...40 {
            for place in 0..<length {
                let text =
                    String(repeating: "x", count: place) + [character]
                    + String(repeating: "y", count: length - place - 1)
                var writer = JSONWriter()
                writer.object { $0.member(text, text) }
                #expect(writer.text.contains("\\") == mustEscape)
                let read = try JSONReader.read(writer.bytes, dialect: .strict)
                #expect(read[text]?.string == text)
            }
        }
    }

    @Test(
        arguments: [
            (0, "0"), (1, "0.001"), (10, "0.01"), (100, "0.1"), (1000, "1"), (1_234_567, "1234.567"),
            (9_999_999_990, "9999999.99"), (UInt64.max, "18446744073709551.615"),
        ] as [(UInt64, String)])
    func `microseconds become milliseconds`(time: UInt64, text: String) {
        var writer = JSONWriter()
        writer.value(milliseconds: time)
        #expect(writer.text == text)
    }

    @Test func `bytes that are no text become replacement characters`() throws {
        var writer = JSONWriter()
        let bytes: [UInt8] = [0x61, 0xFF, 0x62]
        bytes[...].withUnsafeBufferPointer { writer.value(utf8: $0.span) }
        #expect(writer.text == "\"a\u{FFFD}b\"")
    }

    @Test func `lines of JSON Lines do not share commas`() {
        var writer = JSONWriter()
        for number in 1...2 {
            writer.object { $0.member("n", number) }
            writer.endLine()
        }
        #expect(writer.text == "{\"n\":1}\n{\"n\":2}\n")
        writer.removeAll()
        writer.value(true)
        #expect(writer.text == "true")
    }

    @Test(arguments: [JSONWriter.Style.compact, .pretty])
    func `a tree survives writing and reading`(style: JSONWriter.Style) throws {
        let text = #"{"a":[1,-2.5e3,"x\n",null,true,{}],"b":{"c":[]}}"#
        var writer = JSONWriter(style: style)
        writer.value(try JSONReader.read(text))
        var again = JSONWriter()
        again.value(try JSONReader.read(writer.bytes, dialect: .strict))
        #expect(again.text == text)
    }
}
