import Inspection
import Testing

/// Two who are asked the same, and what is not compared.
@Suite struct ResponseComparisonTests {
    private func response(_ body: String, _ fields: [(String, String)] = [], status: Int = 200) -> ComparedResponse {
        ComparedResponse(status: status, fields: fields.map { HeadText.Field($0, $1) }, body: Array(body.utf8))
    }

    @Test(
        arguments: [
            ("$", "$", true), ("$", "$.a[0]", true), ("$.a", "$.a", true), ("$.a", "$.a[3].b", true),
            ("$.a", "$.ab", false), ("$.a", "$.b", false), ("$.a.b", "$.a", false), ("$.a[*].b", "$.a[17].b", true),
            ("$.a[*].b", "$.a[17].c", false), ("$.*.b", "$.a.b", true), ("$[*].b", "$.a.b", true),
            ("$.a[1]", "$.a[1]", true), ("$.a[1]", "$.a[10]", false),
            (#"$["odd ] name"].b"#, #"$["odd ] name"].b"#, true),
            (#"$["a"]"#, "$.a", true), (#"$["q\"]"]"#, #"$["q\"]"].x"#, true), ("body", "$.a", true),
            ("body", "line 3", true),
            ("line 3", "line 3", true), ("line 3", "line 33", false), ("$", "line 3", false), ("status", "$", false),
            ("a", "$.a", false),
        ])
    func `a place covers what is there and below`(pattern: String, place: String, isCovered: Bool) throws {
        let ignored = try #require(IgnoredPlace(pattern))
        let difference = ResponseDifference(part: .body, place: place, old: nil, new: nil)
        #expect(ignored.covers(difference) == isCovered)
    }

    @Test(
        arguments: [
            ("X-Own", ResponseDifference.Part.field, "x-own", true), ("x-own", .field, "X-Other", false),
            ("status", .status, "", true), ("status", .field, "status", false), ("body", .field, "body", false),
        ])
    func `so do fields and the status`(
        pattern: String, part: ResponseDifference.Part, place: String, isCovered: Bool
    ) throws {
        let ignored = try #require(IgnoredPlace(pattern))
        #expect(ignored.covers(ResponseDifference(part: part, place: place, old: nil, new: nil)) == isCovered)
    }

    @Test(arguments: ["", "$a", "$.", "$.a[", "$.a[x]", "$.a[-1]", #"$["a]"#, #"$["a"b]"#, "$.a..b", "a: b", "a\nb"])
    func `anything else is no place`(text: String) { #expect(IgnoredPlace(text) == nil) }

    @Test(
        arguments: [
            // First, again, other; noise, differences.
            ("[1]", "[1]", "[2]", [], ["$[0]"]),
            (#"{"t":1,"a":1}"#, #"{"t":2,"a":1}"#, #"{"t":3,"a":2}"#, ["$.t"], ["$.a"]),
            (#"[{"t":1},{"t":1}]"#, #"[{"t":1},{"t":2}]"#, #"[{"t":5},{"t":1}]"#, ["$[*].t"], []),
            (#"{"a b":[1]}"#, #"{"a b":[2]}"#, #"{"a b":[3,4]}"#, [#"$["a b"][*]"#], []),
            ("a\nt1\nb", "a\nt2\nb", "a\nt3\nc", ["line 2"], ["line 3"]),
            ("a\nt1\nb", "a\nt1\nb", "x\na\nt1\nb", [], ["line 1"]),
            ("\u{0}1", "\u{0}2", "\u{0}3", ["line 1"], []),
        ] as [(String, String, String, [String], [String])])
    func `noise is what the first one does not repeat`(
        first: String, again: String, other: String, noise: [String], places: [String]
    ) {
        let comparison = ResponseComparison(response(first), again: response(again), response(other))
        #expect(comparison.noise.map(\.text) == noise)
        #expect(comparison.differences.map(\.place) == places)
    }

    @Test func `bytes that change each time are noise as a whole`() {
        func bytes(_ bytes: [UInt8]) -> ComparedResponse { ComparedResponse(status: 200, fields: [], body: bytes) }
        let comparison = ResponseComparison(bytes([0xFF, 1]), again: bytes([0xFF, 2]), bytes([0xFE, 1, 2]))
        #expect(comparison.noise.map(\.text) == ["body"] && comparison.differences.isEmpty)
    }

    @Test func `a status and fields can be noise, and what is ignored is none`() {
        let comparison = ResponseComparison(
            response("{}", [("X-Serial", "1"), ("X-Own", "a"), ("Date", "x")]),
            again: response("{}", [("X-Serial", "2"), ("X-Own", "b"), ("Date", "y")], status: 503),
            response("{}", [("X-Serial", "3"), ("X-Own", "c"), ("Date", "z")], status: 404),
            ignoring: [IgnoredPlace("x-own")].compactMap { $0 })
        #expect(comparison.noise.map(\.text) == ["status", "X-Serial"])
        #expect(comparison.differences.isEmpty)
    }

    @Test func `of a cookie its name and attributes count, its value and end do not`() {
        func cookies(_ lines: String...) -> ComparedResponse { response("", lines.map { ("Set-Cookie", $0) }) }
        let first = cookies("sid=1; Path=/; Secure; Max-Age=5", "b=2")
        let again = cookies("b=3", "sid=2; secure; path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT")
        let comparison = ResponseComparison(first, again: again, cookies("sid=3; Path=/", "c=1"))
        #expect(comparison.noise.isEmpty)
        #expect(
            comparison.differences.map { "\($0.place): \($0.old ?? "–") > \($0.new ?? "–")" } == [
                "Set-Cookie b:  > –", "Set-Cookie c: – > ", "Set-Cookie sid: path=/; secure > path=/",
            ])
    }
}
