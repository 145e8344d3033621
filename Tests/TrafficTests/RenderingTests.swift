import Inspection
import Testing

@Suite struct RenderingTests {
    private func lines(
        _ bytes: [UInt8], _ type: String, isCut: Bool = false, isCoded: Bool = false, limit: Int = .max,
        width: Int = .max
    ) -> [String] {
        var lines: [String] = []
        let sink = LineSink(limit: limit, width: width) { lines.append($0) }
        BodyText.render(
            bytes[...], contentType: type.isEmpty ? nil : Array(type.utf8), isCut: isCut, isCoded: isCoded, to: sink)
        #expect(lines.count <= limit)
        return lines
    }

    @Test(
        arguments: [
            (
                "{\"b\":[1,2.50,{}],\"a\":\"x\\u00e9\"}", false,
                ["{", "  \"b\": [", "    1,", "    2.50,", "    {}", "  ],", "  \"a\": \"x\\u00e9\"", "}"]
            ),
            (" [ ] ", false, ["[]"]), ("null", false, ["null"]), ("-1e5", false, ["-1e5"]), ("\"a\"", false, ["\"a\""]),
            ("{\"a\":1,\"a\":2}", false, ["{", "  \"a\": 1,", "  \"a\": 2", "}"]),
            // What is no JSON stays as it is.
            ("{\"a\":1", false, ["{\"a\":1"]), ("[1,]", false, ["[1,]"]), ("{a:1}", false, ["{a:1}"]),
            ("[1 2]", false, ["[1 2]"]), ("[,1]", false, ["[,1]"]), ("[1,,2]", false, ["[1,,2]"]),
            ("{\"a\",1}", false, ["{\"a\",1}"]), ("{1:1}", false, ["{1:1}"]), ("[1:1]", false, ["[1:1]"]),
            ("1,", false, ["1,"]), ("{]", false, ["{]"]), ("]", false, ["]"]), ("1 1", false, ["1 1"]),
            ("{\"a\" 1}", false, ["{\"a\" 1}"]), ("nul", false, ["nul"]), ("<p>\nno", false, ["<p>", "no"]),
            ("[\"\\", false, ["[\"\\"]),
            // What was cut is laid out up to there.
            ("{\"a\":1", true, ["{", "  \"a\": 1"]), ("[1,\"b", true, ["[", "  1,", "  \"b"]),
            ("[tru", true, ["[", "  tru"]),
            ("[\"\\", true, ["[", "  \"\\"]),
        ] as [(String, Bool, [String])])
    func `JSON is laid out, or stays text`(text: String, isCut: Bool, expected: [String]) {
        #expect(lines(Array(text.utf8), "application/json", isCut: isCut) == expected)
        #expect(lines(Array(text.utf8), "Application/Problem+JSON; charset=utf-8", isCut: isCut) == expected)
    }

    @Test(
        arguments: [
            (
                #"{"operationName":"Q","variables":{"id":1.50},"query":"query Q($id: Int) { a(id: $id) { b } }"}"#,
                "application/json",
                [
                    "query Q($id: Int) {", "  a(id: $id) {", "    b", "  }", "}", "{", "  \"variables\": {",
                    "    \"id\": 1.50", "  }", "}",
                ]
            ),
            (
                #"[{"query":"query A {\n    a # it\n}","variables":{}},{"query":"{b}","variables":null}]"#, "",
                ["query A {", "    a # it", "}", "", "{", "  b", "}"]
            ),
            (
                #"{"operationName":"B","query":"query A{a} query B{b}"}"#, "application/json",
                [
                    "query A {", "  a", "}", "", "query B {", "  b", "}", "{", "  \"operationName\": \"B\"", "}",
                ]
            ),
            (
                #"{"type":"start","id":"1","payload":{"query":"subscription S{s}"}}"#, "",
                [
                    "{", "  \"type\": \"start\",", "  \"id\": \"1\"", "}", "subscription S {", "  s", "}",
                ]
            ),
            ("query Q{a}", "application/graphql", ["query Q {", "  a", "}"]),
            // Not of GraphQL.
            (#"{"query":"shoes"}"#, "application/json", ["{", "  \"query\": \"shoes\"", "}"]),
            ("query Q{a", "application/graphql", ["query Q{a"]),
        ] as [(String, String, [String])])
    func `a document of GraphQL is shown in lines, then its variables`(text: String, type: String, expected: [String]) {
        #expect(lines(Array(text.utf8), type) == expected)
    }

    @Test func `JSON that nests deep is shown, or left as it is, without harm`() {
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        #expect(lines(deep, "application/json", isCut: true) == [String(decoding: deep, as: UTF8.self)])
        let shallow = Array(String(repeating: "[", count: 500).utf8) + Array(String(repeating: "]", count: 500).utf8)
        #expect(lines(shallow, "application/json").count == 999)
    }

    @Test(
        arguments: [
            ("a=1&name=J+%C3%BC%26&x", "application/x-www-form-urlencoded", ["a     1", "name  J ü&", "x     "]),
            ("a=%zz%4", "application/x-www-form-urlencoded", ["a  %zz%4"]),
            ("{\"a\":1}\n\nno\n", "application/x-ndjson", ["{", "  \"a\": 1", "}", "", "no"]),
            ("\u{1e}1\n\u{1e}2\n", "application/json-seq", ["1", "2"]),
            ("a\r\nb\n\nc", "text/html", ["a", "b", "", "c"]), ("{\"a\":1}", "", ["{", "  \"a\": 1", "}"]),
            ("<a/>", "application/soap+xml", ["<a/>"]), ("plain", "", ["plain"]), ("", "application/json", []),
            ("{\"a\":1}", "text/plain", ["{\"a\":1}"]),
            // What a terminal would obey, and what turns text round.
            ("a\u{1b}[2Jb\u{7}\tc\u{9b}", "text/plain", ["a?[2Jb?\tc?"]), ("x\u{202e}y", "text/plain", ["x?y"]),
            ("\"\u{1b}[0m\"", "application/json", nil), ("a=%1b%5bm", "application/x-www-form-urlencoded", ["a  ?[m"]),
        ] as [(String, String, [String]?)])
    func `text is shown by its type`(text: String, type: String, expected: [String]?) {
        let lines = lines(Array(text.utf8), type)
        if let expected { #expect(lines == expected) }
        #expect(lines.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\t" } })
    }

    @Test func `parts of a multipart body are shown by their own types`() {
        let body = """
            preamble\r
            --b1\r
            Content-Disposition: form-data; name="a"\r
            \r
            one\r
            --b1\r
            Content-Type: application/json\r
            \r
            {"x":1}\r
            --b1--\r
            epilogue
            """
        let type = "multipart/form-data; boundary=\"b1\""
        let expected = [
            "part 1", "  Content-Disposition: form-data; name=\"a\"", "    one", "part 2",
            "  Content-Type: application/json", "    {", "      \"x\": 1", "    }",
        ]
        #expect(lines(Array(body.utf8), type) == expected)
        // Cut within the second part, and without any boundary.
        let cut = Array(body.utf8.prefix(body.utf8.count - 30))
        #expect(lines(cut, type, isCut: true)[3] == "part 2 (cut)")
        #expect(lines(Array("no\nparts".utf8), type) == ["no", "parts"])
        #expect(lines(Array("no\nparts".utf8), "multipart/mixed") == ["no", "parts"])
    }

    @Test func `parts within parts come to an end`() {
        var body = Array("x".utf8)
        for _ in 0..<50 {
            body = Array("--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n".utf8) + body
        }
        #expect(!lines(body, "multipart/mixed; boundary=b").isEmpty)
    }

    private static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [
            0, 0, 2, 0x80, 0, 0, 1, 0xE0,
        ]
    private static let jpeg: [UInt8] = [
        0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xC4, 0, 3, 9, 0xFF, 0xC2, 0, 17, 8, 1, 0xE0, 2, 0x80, 3,
    ]
    private static let riff = Array("RIFF....WEBP".utf8)

    @Test(
        arguments: [
            (png, "PNG of 640 × 480"), (jpeg, "JPEG of 640 × 480"),
            (Array("GIF89a".utf8) + [0x80, 2, 0xE0, 1], "GIF of 640 × 480"),
            (riff + Array("VP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0, 0x7F, 2, 0, 0xDF, 1, 0], "WebP of 640 × 480"),
            (riff + Array("VP8L".utf8) + [0, 0, 0, 0, 0x2F, 0x7F, 0xC2, 0x77, 0], "WebP of 640 × 480"),
            (
                riff + Array("VP8 ".utf8) + [0, 0, 0, 0, 1, 1, 1, 0x9D, 1, 0x2A, 0x80, 2, 0xE0, 1],
                "WebP of 640 × 480"
            ),
        ] as [([UInt8], String)])
    func `pictures are told by their size, whatever is cut off`(bytes: [UInt8], expected: String) {
        #expect(lines(bytes, "image/x") == ["image/x, \(expected), \(bytes.count)B"])
        #expect(lines(bytes, "application/octet-stream") == ["\(expected), \(bytes.count)B"])
        for count in 1..<bytes.count {
            let cut = lines(Array(bytes.prefix(count)), "image/x", isCut: true)
            #expect(cut.count == 1 && cut[0].hasPrefix("image/x, "))
        }
    }

    private static let message: [UInt8] =
        [0x08, 0x96, 0x01] + [0x12, 7] + Array("testing".utf8) + [0x1A, 2, 0x08, 0x01] + [0x25, 0, 0, 0x80, 0x3F]
        + [0x29, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F] + [0x33, 0x08, 0x02, 0x34] + [0x3A, 2, 0xFF, 0x00]
        + [0x40, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]
    private static let shown = [
        "1 varint  150", "2 string  \"testing\"", "3 message {", "  1 varint  1", "}",
        "4 fixed32  1065353216 (float 1.0)", "5 fixed64  4607182418800017408 (double 1.0)", "6 group {",
        "  1 varint  2", "}", "7 bytes  (2) ff 00", "8 varint  18446744073709551615 (-1)",
    ]

    @Test func `protobuf is shown without a schema`() {
        let message = Self.message
        #expect(lines(message, "application/x-protobuf") == Self.shown)
        let frame: [UInt8] = [0, 0, 0, 0, UInt8(message.count)] + message
        #expect(
            lines(frame + [0, 0, 0, 0, 0], "application/grpc+proto")
                == ["message 1, \(message.count) bytes"] + Self.shown.map { "  " + $0 } + ["message 2, 0 bytes"])
        #expect(
            lines([1, 0, 0, 0, 1, 0xAB, 0x80, 0, 0, 0, 3] + Array("a:1".utf8), "application/grpc-web") == [
                "message 1, 1 byte, compressed", "  00000000  ab" + String(repeating: " ", count: 48) + ".",
                "trailers, 3 bytes", "  a:1",
            ])
        #expect(lines(Array(frame.prefix(10)), "application/grpc", isCut: true)[0].hasSuffix(", cut"))
        // Neither frames nor a message.
        #expect(lines([9, 9], "application/grpc") == lines([9, 9], ""))
        #expect(lines([0x0F], "application/protobuf").first?.hasPrefix("00000000  0f") == true)
    }

    @Test func `no bytes under any type do harm, and none reach a terminal as they are`() {
        var generator = Generator(seed: 7)
        let seeds: [[UInt8]] = [
            Self.message, Self.png, Self.jpeg, Self.riff, Array("{\"a\":[1,\"\\u00e9\"]}".utf8),
            Array("--b\r\nContent-Type: application/json\r\n\r\n{}\r\n--b--".utf8), [0, 0, 0, 0, 3, 8, 1, 8],
        ]
        let types = [
            "application/json", "application/x-protobuf", "application/grpc", "multipart/x; boundary=b", "image/png",
            "application/x-www-form-urlencoded", "application/x-ndjson", "text/plain; charset=latin1", "",
        ]
        for _ in 0..<3000 {
            var bytes = seeds[Int(generator.next() % UInt64(seeds.count))]
            for _ in 0..<Int(generator.next() % 6) where !bytes.isEmpty {
                let place = Int(generator.next() % UInt64(bytes.count))
                switch generator.next() % 3 {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: generator.next())
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8(truncatingIfNeeded: generator.next()), at: place)
                }
            }
            let type = types[Int(generator.next() % UInt64(types.count))]
            let isCut = generator.next() % 2 == 0
            for line in lines(bytes, type, isCut: isCut) {
                let isClean = line.unicodeScalars.allSatisfy { $0 == "\t" || $0.value >= 0x20 && $0.value != 0x7F }
                #expect(isClean, "\(type): \(bytes)")
            }
        }
    }

    @Test func `bytes are dumped, and what is still coded always`() {
        let bytes = Array(UInt8(0)..<17) + Array("AZ".utf8)
        let expected = [
            "00000000  00 01 02 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f  ................",
            "00000010  10 41 5a" + String(repeating: " ", count: 42) + ".AZ",
        ]
        #expect(lines(bytes, "application/octet-stream") == expected)
        #expect(lines(bytes, "application/json", isCoded: true) == expected)
        #expect(lines(bytes, "text/plain") == expected)
        #expect(lines([0xE9], "text/plain; charset=ISO-8859-1") == ["é"])
    }

    @Test func `lines are counted and cut where that is wanted`() {
        var lines: [String] = []
        let sink = LineSink(limit: 2, width: 3) { lines.append($0) }
        sink.add("abc")
        #expect(!sink.isCut)
        sink.add("äöüx")
        #expect(sink.isCut && !sink.isOver)
        sink.add("c")
        #expect(sink.isOver)
        #expect(lines == ["abc", "äöü…"])
    }
}

/// A sequence that is the same in every run.
private struct Generator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}
