import Inspection
import JSON
import Testing

/// What mocks and the real API have in common is a shape, not values.
@Suite struct JSONShapeTests {
    private func texts(_ differences: [ResponseDifference]) -> [String] {
        differences.map { "\($0.place): \($0.old ?? "–") > \($0.new ?? "–")" }
    }

    @Test(
        arguments: [
            (#"{"a": 1, "b": "x", "c": [true]}"#, #"{"c": [false, true], "b": "", "a": 2.5}"#, []),
            (#"{"a": 1}"#, "{}", ["$.a: number > –"]),
            ("{}", #"{"a": {"b": 1}}"#, ["$.a: – > object"]),
            (#"{"a": 1}"#, #"{"a": "1"}"#, ["$.a: number > string"]),
            (#"{"a": {"b": [{"c": 1}]}}"#, #"{"a": {"b": [{"c": true}]}}"#, ["$.a.b[*].c: number > boolean"]),
            (#"{"odd name": []}"#, #"{"odd name": {}}"#, [#"$["odd name"]: array > object"#]),
            ("[1]", "{}", ["$: array > object"]), ("1", #""1""#, ["$: number > string"]),
            // Nothing is known of what null stands for, nor of the items of an empty array.
            (#"{"a": null, "b": [], "c": {}}"#, #"{"a": {"x": 1}, "b": [{"y": 2}], "c": null}"#, []),
            (#"[null, {"a": 1}]"#, #"[{"a": 1}, null]"#, []),
            (#"{"a": null}"#, "{}", ["$.a: null > –"]),
            // Each item counts, wherever in the array it is.
            ("[1, 2]", #"[1, 2, "x"]"#, ["$[*]: number > number or string"]),
            (#"[1, "x"]"#, "[2]", []),
            (#"[{"a": 1}, {"a": 1, "b": 2}]"#, #"[{"a": 1}]"#, []),
            (#"[{"a": 1}, {"a": 1, "b": 2}]"#, #"[{"a": 1, "b": 3}]"#, []),
            (#"[{"a": 1, "b": 2}]"#, #"[{"a": 1, "b": 2}, {"a": 1}]"#, ["$[*].b: number > number, not in every item"]),
            (#"[{"a": 1}]"#, #"[{"a": 1}, {"a": 1, "b": 2}]"#, ["$[*].b: – > number, not in every item"]),
            (#"[{"a": 1}, 2]"#, #"[{"b": 1}]"#, ["$[*].a: number > –", "$[*].b: – > number"]),
            (#"[[{"a": 1}], [{"b": 1}]]"#, #"[[{"a": ""}]]"#, ["$[*][*].a: number > string"]),
        ] as [(String, String, [String])])
    func `what is gone, new or of another type is told by its place`(old: String, new: String, found: [String]) throws {
        let differences = JSONShape(try JSONReader.read(old)).differences(from: JSONShape(try JSONReader.read(new)))
        #expect(texts(differences) == found)
    }

    @Test(
        arguments: [
            ("application/json", "{}", "application/json; charset=utf-8", "{}", []),
            ("Application/JSON;a=b", "{}", "application/json", "{}", []),
            ("application/json", "{}", "text/html", "<p>", ["Content-Type: application/json > text/html"]),
            ("application/json", "{}", nil, "", ["Content-Type: application/json > –"]),
            ("application/json", "{}", "application/json", "<p>", ["$: JSON > not readable as JSON"]),
            ("application/json", "{}", "application/json", "", ["$: JSON > –"]),
            ("text/plain", "one", "text/plain", "other", []),
            (nil, "", nil, "", []), (nil, "", "text/plain", "x", ["Content-Type: – > text/plain"]),
        ] as [(String?, String, String?, String, [String])])
    func `media types count without parameters, and JSON alone has a shape`(
        type: String?, body: String, realType: String?, realBody: String, found: [String]
    ) {
        let mock = MockComparison(status: 200, contentType: type, body: Array(body.utf8))
        #expect(texts(mock.differences(status: 200, contentType: realType, body: Array(realBody.utf8))) == found)
        let other = mock.differences(status: 404, contentType: type, body: Array(body.utf8))
        #expect(other == [ResponseDifference(part: .status, place: "", old: "200", new: "404")])
    }
}
