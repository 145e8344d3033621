import Profiles
import Testing

/// Names of what is switched on and off.
@Suite struct RouteNameTests {
    @Test(
        arguments: [
            ("/v1/promo", [], "v1-promo"), ("/", [], "all"), ("/*", [], "all"), ("/a/*/b", [], "a-b"),
            ("/v1/promo.json", [], "v1-promo.json"), ("/é", [], "C3-A9"),
        ] as [(String, [String], String)])
    func `a route without a name gets one of its path`(path: String, methods: [String], name: String) throws {
        let profile = try profile(routes: ["path: '\(path)'"])
        #expect(profile.routes.map(\.name) == [name])
    }

    @Test func `names are told apart by method, host and number, whatever the order`() throws {
        let routes = [
            "path: '/a', method: 'GET'", "path: '/a', method: 'POST'", "host: 'x.test', path: '/a', method: 'GET'",
            "path: '/b'", "path: '/b', headers: {'X-A': '1'}", "name: 'c', path: '/d'", "path: '/c'",
        ]
        let names = try profile(routes: routes).routes.map { $0.name ?? "" }
        #expect(names == ["get-a", "post-a", "get-x.test-a", "b", "b-2", "c", "c-2"], "\(names)")
        #expect(Set(names).count == names.count)
    }

    @Test func `a route with an origin has no name`() throws {
        let library = try load(("p.json", "{kind: 'local', routes: [{origin: 'http://a.test'}]}"))
        #expect(library["p"]?.routes.map(\.name) == [nil])
    }

    @Test func `routes that are left out are not found, and others are found as before`() throws {
        let profile = try profile(routes: ["path: '/a'", "path: '/a', method: 'GET'", "path: '/*'"])
        func found(without off: Set<Int>) -> [Int?] {
            ["GET", "POST"].map { method in
                profile.routes(without: off).match(
                    host: ContiguousArray("h".utf8).span, port: 80, path: ContiguousArray("/a".utf8).span,
                    method: ContiguousArray(method.utf8).span, hasField: { _, _ in false })
            }
        }
        #expect(found(without: []) == [1, 0] && found(without: [1]) == [0, 0])
        #expect(found(without: [0, 1]) == [2, 2] && found(without: [0, 1, 2]) == [nil, nil])
    }
}
