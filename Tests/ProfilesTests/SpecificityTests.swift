import Profiles
import Testing

@Suite struct SpecificityTests {
    /// Each pair matches `GET https://a.b.test/x/y` with `X-A: 1` and `X-B: 1`; the first is more specific.
    static let pairs: [(String, String, String)] = [
        ("host: 'a.b.test:443'", "host: 'a.b.test'", "host"), ("host: 'a.b.test'", "host: '*.b.test'", "host"),
        ("host: 'a.b.test'", "host: '*.b.test:443'", "host"), ("host: '*.b.test'", "host: '*.test'", "host"),
        ("host: '*.b.test'", "host: '*.test:443'", "host"), ("host: '*.test:443'", "host: '*.test'", "host"),
        ("host: '*.test'", "", "host"), ("host: '*:443'", "", "host"),
        ("host: 'a.b.test'", "path: '/x/y', method: 'GET'", "host"),
        ("path: '/x/y'", "path: '/x/*'", "path"), ("path: '/x/y'", "path: '/x/y/*'", "path"),
        ("path: '/x/y/*'", "path: '/x/*'", "path"), ("path: '/x/y'", "path: '/*/y'", "path"),
        ("path: '/x/*'", "path: '/*/y'", "path"), ("path: '/*/y'", "path: '/*'", "path"),
        ("path: '/*/y'", "path: '/*/*'", "path"), ("path: '/x/*'", "", "path"),
        ("path: '/x/y'", "method: 'GET', headers: {'X-A': '1'}", "path"),
        ("method: 'GET'", "", "method"), ("method: ['POST', 'GET']", "headers: {'X-A': '1'}", "method"),
        ("headers: {'X-A': true}", "", "headers"),
        ("headers: {'X-A': '1', 'X-B': '1'}", "headers: {'x-a': '1'}", "headers"),
    ]

    @Test(arguments: pairs)
    func `the more specific route wins, wherever it stands`(first: String, second: String, rule: String) throws {
        let headers = [(name: "X-A", value: "1"), (name: "X-B", value: "1")]
        for (routes, winner) in [([first, second], 0), ([second, first], 1)] {
            let explanation = try profile(routes: routes).explain(url: "https://a.b.test/x/y", headers: headers)
            guard case .withResponse(let response) = explanation.outcome else { throw Missing() }
            #expect(response.index == winner)
            #expect(response.rule?.rawValue == rule)
            #expect(response.runnerUp?.line == 3 - winner)
        }
    }

    @Test(arguments: [
        ("", ""), ("host: 'A.test'", "host: 'a.test.'"), ("path: '/%70'", "path: '/p'"), ("path: '/*'", ""),
        ("host: '*'", ""),
        ("method: ['GET', 'PUT']", "method: ['PUT', 'POST']"), ("headers: {'X-A': '1'}", "headers: {'x-b': '1'}"),
        ("headers: {'X-A': '1'}", "headers: {'x-a': true}"), ("host: '::1'", "host: '[0:0::1]'"),
    ])
    func `two routes for the same requests are an error that names both lines`(first: String, second: String) {
        let found = problems(
            (
                "p.json",
                "{kind: 'local', routes: [\n{\(first)\(first.isEmpty ? "" : ",") mock: {}},\n\n{\(second)\(second.isEmpty ? "" : ",") mock: {}}]}"
            ))
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("Profiles/p.json:4:1: ") ?? false)
        #expect(found.first?.contains("on line 2") ?? false)
    }

    @Test(arguments: [
        ("method: 'GET'", "method: 'POST'"), ("host: 'a.test'", "host: 'b.test'"),
        ("headers: {'X-A': '1'}", "headers: {'X-A': '2'}"),
        ("path: '/a/*'", "path: '/a'"), ("path: '/a'", "path: '/A'"), ("method: 'GET'", ""),
        ("host: 'a.test:1'", "host: 'a.test:2'"),
        ("path: '/*/a'", "path: '/*/b'"),
    ])
    func `routes that differ do not tie`(first: String, second: String) throws {
        _ = try profile(routes: [first, second])
    }

    @Test func `what a profile does not respond falls to the one it extends`() throws {
        let library = try load(
            ("a.json", "{kind: 'local', extends: 'b', routes: [{host: '*.test', path: '/x/*', mock: {}}]}"),
            (
                "b.json",
                "{kind: 'staging', extends: 'c', routes: [{host: 'h.test', path: '/x/y', mock: {}}, {host: 'h.test', path: '/z', mock: {}}]}"
            ),
            ("c.json", "{kind: 'staging', routes: [{mock: {status: 404}}]}"))
        let profile = try #require(library["a"])
        #expect(profile.levels == ["a", "b", "c"])
        // A level is asked before specificity is.
        #expect(profile.label("h.test", "/x/y") == "*.test/x/*")
        #expect(profile.label("h.test", "/z") == "h.test/z")
        #expect(profile.label("other.example", "/z") == "*")
        #expect(library["b"]?.label("h.test", "/x/y") == "h.test/x/y")
        #expect(profile.routes.map(\.profile) == ["a", "b", "b", "c"])
    }

    @Test func `many hosts are each found`() throws {
        let hosts = (0..<500).map { "h\($0).shop.test" }
        let profile = try profile(routes: hosts.map { "host: '\($0)'" } + ["host: '*.shop.test'"])
        for host in hosts { #expect(profile.label(host) == "\(host)/*") }
        #expect(profile.label("h500.shop.test") == "*.shop.test/*")
        #expect(profile.label("example.org") == nil)
    }
}
