import JSON
import Patterns
import Rewriting
import TestSupport
import Testing

/// What a route edits in bodies: JSON as a whole, text while it streams, through content codings.
@Suite struct BodyEditTests {
    private static func edits(
        json: String? = nil, _ value: String = "true", text: [(String, String)] = [], regex: [(String, String)] = [],
        types: [String] = []
    ) throws -> BodyEdits {
        var all: [JSONEdits] = []
        if let json, let path = JSONPath(json) {
            var edits = JSONEdits()
            edits.set = [JSONEdits.Placed(path, JSONLiteral(try JSONReader.read(value)))]
            all = [edits]
        }
        let texts =
            text.map { TextReplacement(text: $0.0, by: $0.1) }
            + (try regex.map { pattern, other throws(PatternFailure) in
                try TextReplacement(pattern: pattern, by: other, limit: 500)
            })
        return BodyEdits(json: all, text: texts, types: types)
    }

    private static func rewriter(_ edits: BodyEdits, _ type: String, _ coding: String = "") -> BodyRewriter? {
        let contentType = ContiguousArray(type.utf8)
        let encoding = ContiguousArray(coding.utf8)
        guard let use = edits.use(for: contentType.span) else { return nil }
        return BodyRewriter.make(
            contentType: contentType.span, contentEncoding: encoding.span, map: nil, authority: [],
            client: ClientName(isSecure: false, hostLength: 0), editing: use)
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Replacements in a text: what is found, what it becomes, and the result.
    private static let replacements: [(text: [(String, String)], regex: [(String, String)], from: String, to: String)] =
        [
            ([("aab", "X")], [], "aaab aab aa", "aX X aa"),
            ([("abab", "-")], [], "abababab ababa", "-- -a"),
            ([("a", "aa")], [], "banana", "baanaanaa"),
            ([("staging", "")], [], "staging.staging", "."),
            ([("a", "b"), ("b", "c")], [], "ab", "cc"),
            ([("Ä", "Ae")], [], "ÄÄ A", "AeAe A"),
            ([], [("v[0-9]+", "v9")], "v1 v22 V333, v", "v9 v9 v9, v"),
            ([], [("a|ab|abc", "x")], "abcab a", "xx x"),
            ([], [("x*", "y")], "axxb", "ayb"),
            ([], [("^a", "-")], "aa\na", "-a\na"),
            ([], [("a$", "-")], "a aa", "a a-"),
            ([], [("\\bid\\b", "ID")], "id kid id2 (id)", "ID kid id2 (ID)"),
            ([], [("<[^>]*>", "")], "<b>x</b> <", "x <"),
            ([], [("(ab)+c", "!")], "ababab ababc", "ababab !"),
            ([], [("b.*d", "-")], "abcdcd x", "a- x"),
            ([], [("\"[^\"]*\"", "'")], "\"a\" \"b", "' \"b"),
            ([("1", "2")], [("2", "3")], "12", "33"),
        ]

    @Test(arguments: replacements.indices)
    func `text is replaced the same wherever the pieces end`(row: Int) throws {
        let (text, regex, from, to) = Self.replacements[row]
        let edits = try Self.edits(text: text, regex: regex)
        let body = Array(from.utf8)
        for border in 0...body.count {
            for flush in [false, true] {
                let run = try BodyRun(Self.rewriter(edits, "text/plain"), room: 1 + border % 5)
                let output = try run.feed([Array(body[..<border]), Array(body[border...])], flush: flush)
                #expect(Self.text(output) == to, "cut at \(border)")
                #expect(run.rewriter.hasChanged == (from != to))
            }
        }
        let single = try BodyRun(Self.rewriter(edits, "text/plain")).feed(body.map { [$0] } + [[]])
        #expect(Self.text(single) == to)
    }

    @Test func `a flush lets go of all but the beginning of a match`() throws {
        let run = try BodyRun(Self.rewriter(Self.edits(text: [("staging", "local")]), "text/event-stream"))
        #expect(try run.push("data: a stag", flush: true) == "data: a ")
        #expect(try run.push("ing\n\n", flush: true) == "local\n\n")
        let pattern = try BodyRun(Self.rewriter(Self.edits(regex: [("v[0-9]+", "v9")]), "text/event-stream"))
        #expect(try pattern.push("data: v1", flush: true) == "data: ")
        #expect(try pattern.push("2\n\n", flush: true) == "v9\n\n")
    }

    /// Patterns and texts of which each byte begins another match take no more than time in proportion, and what is
    /// held back is bounded.
    @Test(arguments: [
        ("a.*b", String(repeating: "a", count: 20_000)), ("(a|aa)*c", String(repeating: "a", count: 20_000)),
        ("a|a.*b", String(repeating: "a", count: 20_000)), ("(x+x+)+y", String(repeating: "x", count: 20_000)),
    ]) func `hostile texts pass`(pattern: String, text: String) throws {
        let run = try BodyRun(Self.rewriter(Self.edits(regex: [(pattern, "!")]), "text/plain"))
        var output: [UInt8] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: 1000) {
            try run.push(Array(bytes[start..<min(start + 1000, bytes.count)]), flush: true) { output += $0 }
        }
        #expect(bytes.count - output.count <= 17 << 10)
        try run.push([], isLast: true) { output += $0 }
        let isSame = output == (pattern == "a|a.*b" ? [UInt8](repeating: 0x21, count: bytes.count) : bytes)
        #expect(isSame)
    }

    @Test(arguments: CodingTool.allCases)
    func `JSON is edited through content codings, cut anywhere`(tool: CodingTool) throws {
        let body = try tool.encode(Array(#"{"a": [1, 2], "flag": false}"#.utf8))
        let edits = try Self.edits(json: "$.flag")
        let outputs = try Circle.some(of: 0...body.count).map { border in
            let run = try BodyRun(Self.rewriter(edits, "application/json", tool.contentEncoding), room: 16)
            return try run.feed([Array(body[..<border]), Array(body[border...])], flush: border % 2 == 0)
        }
        for output in try tool.decode(outputs) { #expect(Self.text(output) == #"{"a": [1, 2], "flag": true}"#) }
    }

    @Test func `nothing of JSON comes before its end, and what is none passes whole`() throws {
        let edits = try Self.edits(json: "$.flag")
        let run = try BodyRun(Self.rewriter(edits, "application/json"))
        #expect(try run.push(#"{"flag": "#, flush: true) == "")
        #expect(try run.push("0, no", flush: true) == "")
        var rest: [UInt8] = []
        try run.push(Array(" JSON".utf8), isLast: true) { rest += $0 }
        #expect(Self.text(rest) == #"{"flag": 0, no JSON"#)
        #expect(!run.rewriter.hasChanged && run.rewriter.editing?.obstacle == .notJSON)
    }

    @Test(arguments: [0, 1]) func `JSON of any length passes whole; beyond the limit it is not edited`(more: Int) throws
    {
        let frame = #"{"flag": 0, "x": ""}"#
        let fill = String(repeating: "x", count: BodyEdits.longest - frame.utf8.count + more)
        let body = Array(#"{"flag": 0, "x": "\#(fill)"}"#.utf8)
        let run = try BodyRun(Self.rewriter(Self.edits(json: "$.flag", "1"), "application/json"))
        let third = body.count / 3
        let output = try run.feed([Array(body[..<third]), Array(body[third...]), []])
        #expect(output.count == body.count)
        #expect(output[9] == UInt8(ascii: more == 0 ? "1" : "0"))
        #expect(run.rewriter.editing?.obstacle == (more == 0 ? nil : .tooLong))
    }

    @Test func `without memory to hold it a body passes whole`() throws {
        let run = try BodyRun(Self.rewriter(Self.edits(json: "$.flag"), "application/json"))
        var left = 20
        run.rewriter.editing?.takesMemory = { count in
            left -= count
            return left >= 0
        }
        let body = Array(#"{"flag": false, "other": [1, 2, 3]}"#.utf8)
        #expect(try run.feed([Array(body[..<10]), Array(body[10...])]) == body)
        #expect(run.rewriter.editing?.obstacle == .tooLong)
    }

    @Test(
        arguments: [
            ("application/json", [], true, true), ("application/json; charset=utf-8", [], true, true),
            ("APPLICATION/Problem+JSON", [], true, true), ("text/json", [], true, true),
            ("text/html", [], false, true), ("application/x-ndjson", [], false, true), ("image/png", [], false, false),
            ("application/json; charset=utf-16", [], false, false), ("", [], false, false), ("json", [], false, false),
            ("text/event-stream", [], false, true), ("application/grpc", [], false, false),
            ("text/html", ["text/*"], true, true), ("application/json", ["text/*"], false, false),
            ("image/png", ["*/*"], true, true), ("application/octet-stream", ["application/octet-stream"], true, true),
            ("text/html; charset=utf-16le", ["text/*"], false, false), ("textual/html", ["text/*"], false, false),
            ("application/vnd.a+json", ["application/*+json"], true, true),
        ] as [(String, [String], Bool, Bool)])
    func `each kind has its usual types, and may name others`(
        type: String, types: [String], isJSON: Bool, isText: Bool
    ) throws {
        let contentType = ContiguousArray(type.utf8)
        let json = try Self.edits(json: "$.a", types: types).use(for: contentType.span)
        let text = try Self.edits(text: [("a", "b")], types: types).use(for: contentType.span)
        #expect((json != nil, text != nil) == (isJSON, isText))
    }

    @Test func `edits come behind rewritten addresses, and in front of what is put in`() throws {
        let type = ContiguousArray("application/json".utf8)
        let world = BodyWorld()
        let rewriter = BodyRewriter.make(
            contentType: type.span, contentEncoding: Span(), map: AddressMap(own: world.own, others: world.others),
            authority: Array(world.authority.utf8), client: world.client,
            editing: try Self.edits(json: "$.own", "'https://o.test/stays'", text: [("localhost", "LOCALHOST")])
                .use(for: type.span))
        let output = try BodyRun(rewriter).feed([Array(#"{"a":"https://o.test/x"}"#.utf8)])
        #expect(Self.text(output) == #"{"a":"http://LOCALHOST:4884/x","own":"https://o.test/stays"}"#)
    }
}
