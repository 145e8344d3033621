import Profiles
import Testing

@Suite struct PathPatternTests {
    private static let coverings: [(String, String, Bool)] = [
        ("/v1/promo", "/v1/promo", true), ("/v1/promo", "/v1/promo/", false), ("/v1/promo", "/v1/promox", false),
        ("/v1/promo", "/V1/promo", false), ("/v1/promo", "/v1/%70romo", true), ("/v1/promo", "/v1/%70ROMO", false),
        ("/v1/%70romo", "/v1/promo", true), ("/v1/promo", "/v1/promo?x=/../", true), ("/v1/promo", "/v1/promo#x", true),
        ("/v1/cart/*", "/v1/cart", true), ("/v1/cart/*", "/v1/cart/", true), ("/v1/cart/*", "/v1/cart/1/2", true),
        ("/v1/cart/*", "/v1/cartoon", false), ("/v1/cart/*", "/v1", false), ("/v1/cart/", "/v1/cart", false),
        ("/v1/cart/", "/v1/cart/", true), ("/*", "/", true), ("/*", "*", true), ("/*", "", true), ("/", "/", true),
        ("/", "/a", false), ("/", "*", false),
        ("/a/*/c", "/a/b/c", true), ("/a/*/c", "/a//c", false), ("/a/*/c", "/a/b/b/c", false),
        ("/a/*/c", "/a/b/c/", false),
        ("/a/*/*", "/a/b", true), ("/a/*/*", "/a/b/c/d", true), ("/a/*/*", "/a", false), ("/*/x", "/y/x", true),
        ("/*/x", "/x", false), ("/a//b", "/a/b", false), ("/a//b", "/a//b", true),
        // Dot segments, however they are written, are resolved before a route is chosen.
        ("/b", "/a/../b", true), ("/b", "/a/%2e%2E/b", true), ("/b", "/./b", true), ("/b", "/../../b", true),
        ("/a/*", "/a/../b", false), ("/a/", "/a/b/..", true), ("/a/", "/a/.", true), ("/", "/a/..", true),
        ("/", "/..", true),
        ("/a/..b", "/a/..b", true), ("/a/.b", "/a/.b", true), ("/a/...", "/a/...", true), ("/a/b", "/a//../b", true),
        ("/admin", "/v1/cart/../../admin", true), ("/v1/cart/*", "/v1/cart/../../admin", false),
        // Escapes.
        ("/a%2fb", "/a%2Fb", true), ("/a%2Fb", "/a/b", false), ("/é", "/%C3%A9", true), ("/é", "/%c3%a9", true),
        ("/%C3%A9", "/é", true), ("/a b", "/a%20b", true), ("/a%20b", "/a%20b", true), ("/a%40b", "/a@b", false),
        ("/{id}", "/%7Bid%7D", true), ("/100%25", "/100%25", true), ("/100%25", "/100%", true), ("/a", "/%", false),
        ("/~x", "/%7Ex", true),
    ]

    @Test(arguments: coverings)
    func `a pattern covers its paths`(pattern: String, path: String, matches: Bool) throws {
        #expect((try profile(routes: ["path: '\(pattern)'"]).label("h", path) != nil) == matches)
    }

    @Test(arguments: [
        "", "v1", "*", "/v1*", "/*x", "/v1/**", "/a?b", "/a#b", "/a/../b", "/./a", "/%2e/a", "/%", "/%4", "/%zz",
        "https://x/a",
    ])
    func `what is no pattern is refused`(pattern: String) {
        #expect(throws: ProfileProblems.self) { try profile(routes: ["path: '\(pattern)'"]) }
    }

    @Test func `a long path that needs resolving is matched too`() throws {
        let path = String(repeating: "/x/..", count: 20_000) + "/end"
        #expect(try profile(routes: ["path: '/end'"]).label("h", path) == "*/end")
    }
}
