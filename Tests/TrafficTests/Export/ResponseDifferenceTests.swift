import Inspection
import Testing

@Suite struct ResponseDifferenceTests {
    private func response(_ body: String, _ fields: [(String, String)] = [], status: Int? = 200) -> ComparedResponse {
        ComparedResponse(status: status, fields: fields.map { HeadText.Field($0, $1) }, body: Array(body.utf8))
    }

    private func texts(_ differences: [ResponseDifference]) -> [String] {
        differences.map {
            "\($0.part.rawValue) \($0.place): \($0.old ?? "–") > \($0.new ?? "–")\($0.isVolatile ? " ~" : "")"
        }
    }

    @Test(
        arguments: [
            (#"{"a":1,"b":[1,2]}"#, #"{ "b": [1, 2.0], "a": 1e0 }"#, []),
            (#"{"a":1}"#, #"{"a":"1"}"#, [#"body $.a: 1 > "1""#]),
            (
                #"{"a":{"b c":[true]}}"#, #"{"a":{"b c":[false,null]}}"#,
                [
                    #"body $.a["b c"][0]: true > false"#, #"body $.a["b c"][1]: – > null"#,
                ]
            ),
            (#"{"a":1,"b":2}"#, #"{"b":2,"c":{}}"#, ["body $.a: 1 > –", "body $.c: – > {}"]),
            ("[1]", "{}", ["body $: [1] > {}"]),
            ("\"\u{e9}\"", "\"e\u{301}\"", ["body $: \"\u{e9}\" > \"e\u{301}\""]),
            (
                "9007199254740993", "9007199254740992",
                [
                    "body $: 9007199254740993 > 9007199254740992"
                ]
            ), ("a\nb\nc", "a\nx\nc\nd", ["body line 2: b > x", "body line 4: – > d"]),
            ("", "", []),
            ("same", "same", []),
        ] as [(String, String, [String])])
    func `bodies are compared as what they are`(old: String, new: String, found: [String]) {
        #expect(Set(texts(response(old).differences(from: response(new)))) == Set(found))
    }

    @Test func `fields have no order, and some mean nothing`() {
        let old = response(
            "", [("A", "1"), ("b", "2"), ("D", "4"), ("Date", "x"), ("Set-Cookie", "s=1"), ("Connection", "close")])
        let new = response("", [("B", "2"), ("a", "3"), ("date", "y"), ("Set-Cookie", "s=2"), ("C", "1")], status: nil)
        #expect(
            texts(old.differences(from: new)) == [
                "status : 200 > –", "field a: 1 > 3", "field C: – > 1", "field D: 4 > –", "field date: x > y ~",
                "field Set-Cookie: s=1 > s=2 ~",
            ])
    }

    @Test func `what was cut is compared as far as it is known`() {
        var old = response(#"{"a":1,"#)
        old.isCut = true
        #expect(old.differences(from: response(#"{"a":1,"b":2}"#)).isEmpty)
        #expect(!old.differences(from: response(#"{"a":2,"b":2}"#)).isEmpty)
        let bytes = ComparedResponse(status: 200, fields: [], body: [0xFF, 1, 2])
        let others = ComparedResponse(status: 200, fields: [], body: [0xFF, 1, 3, 4])
        #expect(
            texts(bytes.differences(from: others)) == [
                "body byte 2: 3 bytes, SHA-256 ca66882b2aacc5b0… > 4 bytes, SHA-256 bb422431518ea3a1…"
            ])
    }

    @Test func `differences have a limit`() {
        let old = "[" + (0..<1000).map { "\($0)" }.joined(separator: ",") + "]"
        let new = "[" + (0..<1000).map { "\($0 + 1)" }.joined(separator: ",") + "]"
        #expect(response(old).differences(from: response(new), limit: 10).count == 10)
    }
}
