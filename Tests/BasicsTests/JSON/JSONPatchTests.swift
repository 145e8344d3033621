import Foundation
import JSON
import Testing

/// Changes as RFC 6902 writes them.
@Suite struct JSONPatchTests {
    /// The changed value, or why there is none.
    private static func patched(_ text: String, _ patch: String) throws -> String {
        do throws(JSONPatch.Failure) {
            let value = try JSONPatch(read(patch)).apply(to: read(text))
            return String(decoding: JSONLiteral(value).text, as: UTF8.self)
        } catch {
            return "\(error.kind): \(error.message)"
        }
    }

    private static func read(_ text: String) -> JSONValue {
        (try? JSONReader.read(Array(text.utf8), dialect: .strict))
            ?? JSONValue(kind: .null, position: JSONPosition(offset: 0, line: 1, column: 1))
    }

    private static let item = #"{"a":{"b":[1,2]},"c/d":"x","e~f":null}"#

    @Test(
        arguments: [
            (#"[{"op":"add","path":"/a/b/1","value":9}]"#, #"{"a":{"b":[1,9,2]},"c/d":"x","e~f":null}"#),
            (#"[{"op":"add","path":"/a/b/-","value":[]}]"#, #"{"a":{"b":[1,2,[]]},"c/d":"x","e~f":null}"#),
            (#"[{"op":"replace","path":"/c~1d","value":"y"}]"#, #"{"a":{"b":[1,2]},"c/d":"y","e~f":null}"#),
            (#"[{"op":"remove","path":"/e~0f","more":1},{"op":"remove","path":"/a"}]"#, #"{"c/d":"x"}"#),
            (#"[{"op":"move","from":"/a/b/0","path":"/a/b/1"}]"#, #"{"a":{"b":[2,1]},"c/d":"x","e~f":null}"#),
            (#"[{"op":"move","from":"/a/b","path":"/a"}]"#, #"{"a":[1,2],"c/d":"x","e~f":null}"#),
            (#"[{"op":"copy","from":"/a/b/1","path":"/e~0f"}]"#, #"{"a":{"b":[1,2]},"c/d":"x","e~f":2}"#),
            (#"[{"op":"test","path":"/a","value":{"b":[1.0,2e0]}},{"op":"add","path":"","value":1}]"#, "1"),
            (
                #"[{"op":"add","path":"/e~0f/x","value":1}]"#,
                "conflict: the operation at index 0, add \"/e~0f/x\": nothing"
            ),
            (
                #"[{"op":"remove","path":"/a"},{"op":"test","path":"/c~1d","value":"z"}]"#,
                #"conflict: the operation at index 1, test "/c~1d": it is "x", not "z""#
            ),
            (
                #"[{"op":"replace","path":"/a/n","value":1}]"#,
                #"conflict: the operation at index 0, replace "/a/n": there is no member "n""#
            ),
            (
                #"[{"op":"remove","path":"/a/b/2"}]"#,
                "conflict: the operation at index 0, remove \"/a/b/2\": there is no item 2"
            ),
            (
                #"[{"op":"add","path":"/a/b/01","value":1}]"#,
                "conflict: the operation at index 0, add \"/a/b/01\": there is no item 01"
            ),
            (#"[{"op":"remove","path":""}]"#, "conflict: the operation at index 0, remove \"\": the whole value"),
            (
                #"[{"op":"move","from":"/a","path":"/a/b"}]"#,
                "malformed: line 1, column 34: the operation at index 0 moves"
            ),
            (#"[{"op":"add","path":"/a"}]"#, "malformed: line 1, column 2: the operation at index 0 has no \"value\""),
            (
                #"[{"op":"add","path":"a","value":1}]"#,
                "malformed: line 1, column 21: the operation at index 0 has the path \"a\""
            ),
            (#"[{"op":"add","path":"/~2","value":1}]"#, "malformed: "), (#"[{"op":"spin","path":""}]"#, "malformed: "),
            (#"[{"path":""}]"#, "malformed: line 1, column 2: the operation at index 0 has no \"op\"; expected add"),
            ("[1]", "malformed: line 1, column 2: the operation at index 0 is a number"), ("{}", "malformed: "),
        ])
    func `operations are made one after the other`(patch: String, expected: String) throws {
        let result = try Self.patched(Self.item, patch)
        #expect(expected.hasPrefix("{") ? result == expected : result.hasPrefix(expected), "\(result)")
    }

    @Test func `names are compared by their bytes`() throws {
        let (composed, apart) = ("\u{E9}", "e\u{301}")
        let value = #"{"\#(composed)":1,"\#(apart)":2}"#
        #expect(
            try Self.patched(value, #"[{"op":"replace","path":"/\#(apart)","value":3}]"#)
                == #"{"\#(composed)":1,"\#(apart)":3}"#)
        #expect(
            try Self.patched(#"{"\#(composed)":1}"#, #"[{"op":"remove","path":"/\#(apart)"}]"#).contains("no member"))
        #expect(
            try Self.patched(#"{"\#(composed)":1}"#, #"[{"op":"add","path":"/\#(apart)","value":2}]"#) == value)
        #expect(
            try Self.patched(value, #"[{"op":"move","from":"/\#(composed)","path":"/\#(apart)/x"}]"#)
                .contains("nothing is inside of a number"))
        let test = #"[{"op":"test","path":"/\#(composed)","value":"\#(apart)"}]"#
        #expect(try Self.patched(#"{"\#(composed)":"\#(composed)"}"#, test).hasPrefix("conflict"))
    }

    @Test func `a patch that multiplies or takes long is refused`() throws {
        let many = (0...JSONPatch.most).map { _ in #"{"op":"test","path":"","value":1}"# }.joined(separator: ",")
        #expect(try Self.patched("1", "[\(many)]").hasPrefix("tooMuch: the patch has 1001 operations"))
        // Each doubles the value, or puts it one level deeper.
        let copies = (0..<60).map { #"{"op":"copy","from":"/a","path":"/a/\#($0)"}"# }.joined(separator: ",")
        #expect(try Self.patched(#"{"a":{}}"#, "[\(copies)]").hasPrefix("tooMuch: the operation at index "))
        let deep = (0..<100).map { _ in #"{"op":"copy","from":"","path":"/a"}"# }.joined(separator: ",")
        #expect(try Self.patched("{}", "[\(deep)]").contains("levels deep"))
        let wide = "[" + Array(repeating: "0", count: 100_000).joined(separator: ",") + "]"
        let inserts = (0..<900).map { _ in #"{"op":"add","path":"/0","value":1}"# }.joined(separator: ",")
        #expect(try Self.patched(wide, "[\(inserts)]").contains("takes too much work"))
    }

    // MARK: The official suite

    private static let suite = ProcessInfo.processInfo.environment["SHUNT_PATCH_SUITE"]

    @Test(.enabled(if: suite != nil, "SHUNT_PATCH_SUITE names no folder with json-patch-tests"))
    func `the cases of the official suite pass`() throws {
        var (count, wrong) = (0, [String]())
        for file in ["tests.json", "spec_tests.json"] {
            let data = try Data(contentsOf: URL(fileURLWithPath: (Self.suite ?? "") + "/" + file))
            // Foundation takes the disabled cases that have a key twice, as no reader of ours does.
            let taken = try JSONSerialization.data(withJSONObject: JSONSerialization.jsonObject(with: data))
            let cases = try JSONReader.read(Array(taken))
            for one in cases.array ?? [] where one["disabled"]?.bool != true {
                guard let value = one["doc"], let patch = one["patch"] else { continue }
                count += 1
                let result: JSONValue?
                do throws(JSONPatch.Failure) { result = try JSONPatch(patch).apply(to: value) } catch { result = nil }
                let wanted = one["error"] == nil ? one["expected"] ?? value : nil
                let isRight = wanted.map { result?.isEqual(to: $0) ?? false } ?? (result == nil)
                if !isRight {
                    wrong.append("\(file) \(count): \(one["comment"]?.string ?? one["error"]?.string ?? "")")
                }
            }
        }
        print("\(count - wrong.count) of \(count) cases of json-patch-tests pass")
        #expect(count > 100 && wrong.isEmpty, "\(wrong)")
    }
}
