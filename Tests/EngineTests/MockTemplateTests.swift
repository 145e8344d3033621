import Engine
import TestSupport
import Testing

/// Bodies that are filled from the request.
@Suite struct MockTemplateTests {
    private func responses(
        _ mock: String, path: String = "/items/{id}", _ requests: [(target: String, fields: String, body: String)]
    ) async throws -> [String] {
        let profile = #"{"kind": "local", "routes": [{"path": "\#(path)", "mock": \#(mock)}]}"#
        let harness = try await Harness.start(profiles: ["only": profile], active: "only")
        var seen: [String] = []
        for request in requests {
            seen.append(
                try await askOnce(
                    harness.port, request.body.isEmpty ? "GET" : "POST", request.target, request.fields, request.body,
                    host: "h.test:80"
                ).body)
        }
        await harness.stop()
        return seen
    }

    @Test(
        arguments: [
            ("{{path.id}}", "7 é/"), ("{{query.q}}", "a b"), ("{{query.none}}", ""), ("{{query.none|0}}", "0"),
            ("{{header.X-A}}", "one"), ("{{cookie.s}}", "c1"), ("{{method}} {{host}}", "POST h.test:80"),
            ("{{url}}", "http://h.test:80/items/7%20%C3%A9%2F?q=a+b"), ("{{body.user.name}}", "ann"),
            ("{{body.items.1}}", "2"), ("{{body.items}}", "[1,2]"), ("{{body.x.y|none}}", "none"),
            ("{{counter}}", "1"), ("{{random 5 5}}", "5"), ("a {{ method }} }} {b}", "a POST }} {b}"), ("{{", nil),
        ] as [(String, String?)])
    func `each place is filled`(template: String, expected: String?) async throws {
        let request = [
            (
                target: "/items/7%20%C3%A9%2F?q=a+b", fields: "X-A: one\r\nCookie: a=b; s=c1\r\n",
                body: #"{"user": {"name": "ann"}, "items": [1, 2]}"#
            )
        ]
        let mock = #"{"text": "\#(template)", "template": true}"#
        if let expected {
            #expect(try await responses(mock, request) == [expected])
        } else {
            await #expect(throws: (any Error).self) { try await responses(mock, request) }
        }
    }

    @Test(
        arguments: [
            ("shunt-device=1; a=b", "a=b"), ("a=b; shunt-device=1", "a=b"), ("a=b;\tshunt-device = 1; c=d", "a=b; c=d"),
            ("a=b; shunt~1~sid=x; shunt-device", "a=b"),
            ("shunt-device=1", ""), ("a=b; shunt-devices=1", "a=b; shunt-devices=1"),
        ])
    func `the token of a device is not shown`(cookies: String, expected: String) async throws {
        let mock = #"{"text": "{{header.Cookie}}|{{cookie.shunt-device}}", "template": true}"#
        #expect(
            try await responses(mock, [(target: "/items/1", fields: "Cookie: \(cookies)\r\n", body: "")])
                == [expected + "|"])
    }

    @Test(
        arguments: [
            (#"{"json": {"q": "{{query.q}}"}, "template": true}"#, #"{"q":"\"<\\\u0001"}"#),
            (#"{"json": "say {{json query.q}}", "template": true}"#, #""say \"<\\\u0001""#),
            (
                #"{"json": {"a": ["{{json query.n}}", "{{json query.q}}", "{{query.n}}"]}, "template": true}"#,
                #"{"a":[12,"\"<\\\u0001","12"]}"#
            ),
            (
                #"{"text": "<a>{{query.q}}", "headers": {"Content-Type": "text/html"}, "template": true}"#,
                "<a>&quot;&lt;\\\u{1}"
            ),
            (#"{"text": "{{query.q}}", "template": true}"#, "\"<\\\u{1}"),
            (#"{"text": "{{query.q}}"}"#, "{{query.q}}"),
        ])
    func `what is filled in cannot break out of the body's language`(mock: String, expected: String) async throws {
        #expect(
            try await responses(mock, [(target: "/items/1?q=%22%3C%5C%01&n=12", fields: "", body: "")]) == [expected])
    }

    @Test(
        arguments: [
            (#"{"headers": {"Location": "/items/{{path.id}}?q={{query.q|none}}"}, "status": 302}"#, "/items/1?q=none"),
            (#"{"headers": {"Location": ["{{body.a}}"]}, "text": "{{body.a}} {{counter}}"}"#, "b"),
            (#"{"headers": {"Location": "{{query.x}}"}, "file": "FILE"}"#, "aSet-Cookie: b=c"),
            (#"{"responses": [{"headers": {"Location": "{{query.y}}"}, "template": true}]}"#, "é z"),
        ])
    func `header fields are filled, too, and stay one field each`(mock: String, location: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write("a.txt", "text")
        var mock = mock.replacing("FILE", with: folder.path + "/a.txt")
        if !mock.contains("responses") { mock = mock.dropLast() + #", "template": true}"# }
        let profile = #"{"kind": "local", "routes": [{"path": "/items/{id}", "mock": \#(mock)}]}"#
        let harness = try await Harness.start(profiles: ["only": profile], active: "only")
        let response = try await askOnce(
            harness.port, "POST", "/items/1?x=%00a%0D%0ASet-Cookie:%20b=c%0A&y=%20%C3%A9%09z%09", "", #"{"a": "b"}"#)
        await harness.stop()
        let lines = response.head.split(separator: "\r\n").filter {
            $0.hasPrefix("Location:") || $0.hasPrefix("Set-Cookie")
        }
        #expect(lines.count == 1 && lines[0].replacing("\t", with: " ") == "Location: \(location)", "\(response)")
        if mock.contains("counter") { #expect(response.body == "b 1") }
        if mock.contains("a.txt") { #expect(response.body == "text") }
    }

    @Test func `a counter counts, and one seed gives one course of numbers`() async throws {
        let mock = #"{"text": "{{counter}} {{random 1 1000000}} {{uuid}}", "template": true, "seed": 3}"#
        let requests = [(String, String, String)](repeating: ("/items/1", "", ""), count: 3)
        let first = try await responses(mock, requests)
        #expect(first.map { $0.prefix { $0 != " " } } == ["1", "2", "3"] && Set(first).count == 3)
        #expect(try await responses(mock, requests) == first)
        for text in first {
            #expect(text.contains(#/ [0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/#))
        }
    }

    @Test(arguments: [
        ("{{now}}", #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"#), ("{{now date -1d}}", #"^\d{4}-\d\d-\d\d$"#),
        ("{{now unix}}", #"^\d{10}$"#), ("{{now unixms +1h}}", #"^\d{13}$"#),
        ("{{now http}}", #"^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$"#),
    ])
    func `now has forms`(template: String, pattern: String) async throws {
        let seen = try await responses(#"{"text": "\#(template)", "template": true}"#, [("/items/1", "", "")])
        #expect(try seen[0].contains(Regex(pattern)), "\(seen)")
    }
}
