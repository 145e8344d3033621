import Profiles
import Testing

/// Conditions of routes beside target, method and fields.
@Suite struct MatchTests {
    private func library(_ routes: String) throws -> Profile {
        guard let profile = try load(("p.json", "{kind: 'local', routes: [\(routes)]}"))["p"] else { throw Missing() }
        return profile
    }

    @Test(
        arguments: [
            // Each of one route first, then the requests that it is for and those that it is not for.
            ("query: {a: '1'}", ["?a=1", "?b&a=1", "?a=2&a=1", "?%61=1"], ["", "?a", "?a=2", "?A=1", "?b=a=1"]),
            ("query: {a: 1}", ["?a=1"], ["?a=01"]), ("query: {a: true}", ["?a", "?a=", "?x&a=2"], ["", "?b"]),
            ("query: {a: {regex: '^[0-9]+$'}}", ["?a=1", "?a=x&a=23"], ["", "?a", "?a=", "?a=1x", "?b=1"]),
            ("query: {a: {regex: 'b+ C'}}", ["?a=xbb+cx", "?a=B%20c"], ["?a=bc"]),
            ("query: {a: {regex: ''}}", ["?a", "?a=1"], [""]),
            ("query: {a: false}", ["", "?b"], ["?a", "?a=1"]), ("query: {q: 'a b&'}", ["?q=a+b%26"], ["?q=a b"]),
        ] as [(String, [String], [String])])
    func `a query is compared decoded`(match: String, fits: [String], others: [String]) throws {
        let profile = try library("{match: {\(match)}, mock: {}}")
        for url in fits + others {
            let explanation = try profile.explain(url: "https://h/p" + url)
            var isFound = false
            if case .withResponse = explanation.outcome { isFound = true }
            #expect(isFound == fits.contains(url), "\(url)")
        }
    }

    @Test(arguments: [
        ("headers: {'X-A': '1'}", "the header x-a is missing, not \"1\""),
        ("headers: {'X-B': 'c'}", "the header x-b is \"b\", not \"c\""),
        ("headers: {'X-B': false}", "the header x-b is there"),
        ("cookies: {s: true}", "the cookie s is missing"), ("cookies: {t: '2'}", "the cookie t is \"1\", not \"2\""),
        ("query: {q: '2'}", "the query parameter q is \"1\", not \"2\""),
        ("json: {a: 1}", "there is no JSON body"),
        ("headers: {'X-B': {regex: '^c'}}", "the header x-b is \"b\", which has no match of ^c"),
        ("cookies: {s: {regex: '.'}}", "the cookie s is missing"),
        ("cookies: {t: {regex: '^(a+)+$'}}", "the cookie t is \"1\", which has no match of ^(a+)+$"),
    ])
    func `what differs is told`(match: String, reason: String) throws {
        let profile = try library("{match: {\(match)}, mock: {}}")
        let explanation = try profile.explain(
            url: "https://h/p?q=1", headers: [("X-B", "b"), ("Cookie", "a=b; t=1"), ("cookie", "z=1")])
        guard case .withoutResponse(let misses) = explanation.outcome else { throw Missing() }
        #expect(misses.map(\.reason) == [reason])
    }

    @Test func `a state keeps a route from a request`() throws {
        let profile = try library("{when: 'in', path: '/a', mock: {}}, {when: 'out', path: '/b', mock: {}}")
        guard case .withoutResponse(let misses) = try profile.explain(url: "https://h/b").outcome else {
            throw Missing()
        }
        #expect(misses.first?.reason == "the state is \"in\", not \"out\"")
    }

    @Test(
        arguments: [
            ("match: {query: {a: '1'}}", "match: {query: {a: '2'}}", true),
            ("match: {query: {a: '1'}}", "match: {query: {b: '1'}}", false),
            ("match: {query: {a: '1'}}", "match: {query: {a: true}}", true),
            ("match: {query: {a: true}}", "match: {query: {a: false}}", true),
            ("match: {query: {a: true}}", "match: {query: {b: true}}", false),
            ("match: {query: {a: {regex: 'x'}}}", "match: {query: {a: '1'}}", true),
            ("match: {query: {a: {regex: 'x'}}}", "match: {query: {a: true}}", true),
            ("match: {query: {a: {regex: 'x'}}}", "match: {query: {a: false}}", true),
            ("match: {query: {a: {regex: 'x'}}}", "match: {query: {a: {regex: 'y'}}}", false),
            ("match: {query: {a: {regex: 'x'}}}", "match: {query: {b: {regex: 'x'}}}", false),
            ("match: {json: {a: 1}}", "match: {json: {a: 2, b: 1}}", true),
            ("match: {json: {a: 1}}", "match: {json: {b: 1}}", false),
            ("match: {json: {a: {b: 1}}}", "match: {json: {a: {b: 2}}}", true),
            ("when: 'a'", "when: 'b'", true), ("when: 'a'", "when: 'a'", false), ("when: 'a'", "path: '/*'", true),
            ("match: {query: {a: '1'}}", "path: '/*'", true),
        ])
    func `routes that could both match are a tie`(first: String, second: String, isFine: Bool) {
        let found = problems(("p.json", "{kind: 'local', routes: [{\(first), mock: {}}, {\(second), mock: {}}]}"))
        #expect(found.isEmpty == isFine, "\(found)")
    }

    @Test(arguments: [("?a=1&b=1", 3), ("?a=1", 1), ("?a=2", 2), ("", 0)])
    func `the one that asks for more comes first`(query: String, index: Int) throws {
        let profile = try library(
            """
            {mock: {}}, {match: {query: {a: '1'}}, mock: {}}, {match: {query: {a: true}}, mock: {}},
            {match: {query: {a: '1', b: '1'}}, mock: {}}
            """)
        guard case .withResponse(let response) = try profile.explain(url: "https://h/" + query).outcome else {
            throw Missing()
        }
        #expect(response.index == index)
    }

    @Test(arguments: ["/items/{id}", "/items/{id}/a", "/items/*/a", "/{id}/*"])
    func `a named segment is one segment, and ties with a star`(path: String) throws {
        let profile = try library("{path: '\(path)', mock: {}}")
        let asked = path.replacing("{id}", with: "items").replacing("*", with: "items")
        #expect(profile.label("h", asked) == "*\(path)")
        let isPrefix = path.hasSuffix("/*")
        #expect((profile.label("h", asked + "/8") != nil) == isPrefix)
        #expect(profile.label("h", "/items//a") == (isPrefix ? "*\(path)" : nil))
        let twin = path.replacing("{id}", with: "{x}").replacing("/*/", with: "/{x}/")
        let both = problems(
            ("p.json", "{kind: 'local', routes: [{path: '\(path)', mock: {}}, {path: '\(twin)', mock: {}}]}"))
        #expect(both.count == 1 && both[0].contains("matches the same requests"), "\(both)")
    }
}
