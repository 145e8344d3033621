import Profiles
import TestSupport
import Testing

/// The routes that a page names where no route matches.
@Suite struct NearRouteTests {
    private static let routes =
        (0..<10_000).map { "host: 'h\($0 % 7).test', path: '/v1/r\($0)/items', method: 'GET'" }
        + [
            "path: '/users/*/orders'", "host: '*.wild.test', path: '/v1/things'", "path: '/v1/only', method: 'PUT'",
            "path: '/v1/cond', match: { query: { a: 'b' } }",
        ]
    private static let many = Result { try profile(routes: routes) }

    private static func nearest(_ url: String, _ method: String = "GET", in profile: Profile) -> [String] {
        profile.nearest(url: url, method: method, headers: [], json: nil, states: [:], off: []).map {
            "\($0.route.label): \($0.reason)"
        }
    }

    @Test(arguments: [
        (
            "http://h0.test/v1/r77/itemz", "GET",
            "h0.test/v1/r77/items: the path differs at segment 3: \"itemz\", not \"items\""
        ),
        ("http://x.test/v1/r77/items", "GET", "h0.test/v1/r77/items: the host is x.test, not h0.test"),
        ("http://h0.test/v1/r77/items", "POST", "h0.test/v1/r77/items: the method is POST, not GET"),
        (
            "http://x.test/users/7/ordres", "GET",
            "/users/*/orders: the path differs at segment 3: \"ordres\", not \"orders\""
        ),
        (
            "http://a.wild.test/v1/thing", "GET",
            "*.wild.test/v1/things: the path differs at segment 2: \"thing\", not \"things\""
        ),
        ("http://x.test/v1/only", "POST", "/v1/only: the method is POST, not PUT"),
        ("http://x.test/v1/cond?a=c", "GET", "/v1/cond: the query parameter a is \"c\", not \"b\""),
    ])
    func `of 10,000 routes the nearest are found`(url: String, method: String, nearest: String) throws {
        let found = Self.nearest(url, method, in: try Self.many.get())
        #expect(found.count == 5)
        #expect(found.contains { $0.hasSuffix(nearest) }, "\(found)")
    }

    @Test(arguments: ["h0.test", "a.b.wild.test", "none", "", String(repeating: "a.", count: 120) + "test"])
    func `a bounded number of routes is looked at`(host: String) throws {
        let profile = try Self.many.get()
        for path in ["/", "/v1/r5000/items", "/users/1/2/3/4/5/6/7/8/9/10/11", String(repeating: "/a", count: 15_000)] {
            #expect(profile.routes(near: host, Array(path.utf8)).count <= 1000)
        }
    }

    @Test func `of few routes each is looked at`() throws {
        let profile = try profile(routes: (0..<64).map { "path: '/r\($0)'" })
        #expect(profile.routes(near: "a", Array("/x".utf8)) == Array(0..<64))
    }

    @Test func `a long path takes time in proportion to its length`() throws {
        let profile = try profile(routes: (0..<100).map { "path: '/a/b/\($0)'" })
        let growth = growth(from: 4_000) { size in
            _ = Self.nearest("http://a/" + String(repeating: "a/", count: size), in: profile)
        }
        #expect(growth < 9)
    }

    @Test func `a reason quotes the beginning of a long segment`() throws {
        let profile = try profile(routes: ["path: '/a'"])
        let reason = Self.nearest("http://a/" + String(repeating: "b", count: 10_000), in: profile)
        #expect(reason.allSatisfy { $0.count < 200 })
    }
}
