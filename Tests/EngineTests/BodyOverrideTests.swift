import Engine
import TestSupport
import Testing

/// What the guard of production finds in bodies, in time that grows with their length and no faster.
@Suite struct BodyOverrideTests {
    /// Bodies that took the square of their length, or microseconds for each byte.
    enum Shape: String, CaseIterable, Sendable {
        case wordsOfPart, methodsOfPart, partWithoutEnd, boundaries, parameters, escapedParameters, members, items
        case brokenJSON, tokens

        var type: String {
            switch self {
            case .wordsOfPart, .methodsOfPart, .partWithoutEnd: "multipart/form-data; boundary=b"
            case .boundaries: "multipart/form-data; boundary=" + String(repeating: "-", count: 900) + "x"
            case .parameters, .escapedParameters, .tokens: "application/x-www-form-urlencoded"
            case .members, .items, .brokenJSON: "application/json"
            }
        }

        func body(_ size: Int) -> [UInt8] {
            func many(_ text: String) -> String { String(repeating: text, count: size / text.utf8.count) }
            let text =
                switch self {
                case .wordsOfPart: "--b\r\n" + String(repeating: "a ", count: 8000) + "\r\n\r\n" + many("a ")
                case .methodsOfPart: "--b\r\n" + String(repeating: "_method ", count: 2000) + "\r\n\r\n" + many("get ")
                case .partWithoutEnd: "--b" + many("a=")
                case .boundaries: many("-")
                case .parameters: many("a&")
                case .escapedParameters: many("%61=%62&")
                case .members: "{" + (0..<(size / 10)).map { #""k\#($0)":1"# }.joined(separator: ",") + "}"
                case .items: "[" + many("1,") + "1]"
                case .brokenJSON: "{" + many("metho")
                case .tokens: "_method=" + many("get+")
                }
            return Array(text.utf8)
        }
    }

    @Test(arguments: Shape.allCases)
    func `a body takes time in proportion to its length`(shape: Shape) {
        let growth = growth(from: 16 << 10) { size in
            _ = BodyOverride.find(in: shape.body(size), contentType: shape.type)
        }
        #expect(growth < 9)
    }

    /// So many parameters or parts are looked at, and a body with one more is refused.
    @Test(arguments: [true, false])
    func `parameters and parts are counted`(isForm: Bool) {
        let type = isForm ? "application/x-www-form-urlencoded" : "multipart/form-data; boundary=b"
        func find(_ count: Int, _ last: String) -> BodyOverride.Finding {
            let one = isForm ? "a=1&" : "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n"
            return BodyOverride.find(in: Array((String(repeating: one, count: count) + last).utf8), contentType: type)
        }
        let override = isForm ? "_method=PUT" : "--b\r\nContent-Disposition: form-data; name=_method\r\n\r\nPUT"
        #expect(find(9_999, override) == .methods(["PUT"]))
        let what = isForm ? "parameters" : "parts"
        #expect(find(10_000, override) == .unreadable("a form of more than 10000 \(what)"))
    }

    @Test(arguments: [
        ("a part's fields", "multipart/form-data; boundary=b", "--b\r\n" + String(repeating: "a ", count: 9000)),
        ("a type", "text/plain; a=" + String(repeating: "b", count: 1100), "x"),
    ])
    func `what is longer than any client sends is refused`(what: String, type: String, body: String) {
        guard case .unreadable = BodyOverride.find(in: Array(body.utf8), contentType: type) else {
            Issue.record("\(what) was read")
            return
        }
        #expect(BodyOverride.isRead(type))
    }

    @Test(arguments: [
        (#"{"_method": "POST", "_method": "PUT"}"#, ["POST", "PUT"]), (#"{"a": {"_method": "PUT", "_method": 1}}"#, []),
        (#"[{"_method": "PUT"}]"#, []), (#"{"a": [1, {"b": [2]}], "\u005fmethod": "PATCH"}"#, ["PATCH"]),
        (#"{"_method": ["PUT"]}"#, []), (#" {"a": "\"", "method": "delete it"} "#, ["DELETE"]),
    ])
    func `members of the outermost object count`(body: String, methods: [String]) {
        #expect(BodyOverride.find(in: Array(body.utf8), contentType: "application/json") == .methods(methods))
    }
}
