import JSON
import Profiles
import TestSupport
import Testing

/// Routes that are put into the text of a profile.
@Suite struct RouteInsertionTests {
    private static let route = #"{"path": "/new", "mock": {}}"#

    @Test(arguments: [
        ("{}", [] as [String]), ("{ // first\n}", []), (#"{"kind": "local"}"#, []), ("{routes: []}", []),
        ("{routes: [ /* none */ ]}", []), ("{routes: [{path: '/old', mock: {}}]}", ["/old"]),
        ("\u{FEFF}{kind: 'local', routes: [{path: '/old', mock: {}},]}", ["/old"]),
        (#"{"trust": {"routes": "default"}, "routes": [{"path": "/old", "mock": {}}]}"#, ["/old"]),
    ])
    func `new routes come first, and all else stays`(profile: String, old: [String]) throws {
        let text = try RouteInsertion.inserting([Self.route, Self.route], into: Array(profile.utf8))
        let before = try JSONReader.read(profile)
        let after = try JSONReader.read(text)
        let paths = after["routes"]?.array?.map { $0["path"]?.string }
        #expect(paths == ["/new", "/new"] + old)
        let kept = after.object?.map(\.key).filter { $0 != "routes" }
        #expect(kept == before.object?.map(\.key).filter { $0 != "routes" })
        for comment in ["// first", "/* none */"] where profile.contains(comment) {
            #expect(String(decoding: text, as: UTF8.self).contains(comment))
        }
    }

    @Test(arguments: ["[]", "{routes: {}}", "{routes: ["])
    func `what is no profile is refused`(profile: String) {
        #expect(throws: JSONFailure.self) {
            try RouteInsertion.inserting([Self.route], into: Array(profile.utf8))
        }
    }

    @Test(
        arguments: [
            ("GET", "a.test", "/x", 2), ("POST", "a.test", "/x", 3), ("PUT", "a.test", "/x", nil),
            ("GET", nil, "/x", nil),
            ("GET", nil, "/y", 4), ("GET", "a.test", "/y", nil),
        ] as [(String, String?, String, Int?)])
    func `a route for the same is found by its line`(method: String, host: String?, path: String, line: Int?) {
        let profile = """
            {routes: [
            {method: 'GET', host: 'a.test', path: '/x', mock: {}},
            {method: ['POST', 'HEAD'], host: 'a.test', path: '/x', mock: {}},
            {method: 'GET', path: '/y', mock: {}}, {path: '/z', mock: {}},
            ]}
            """
        #expect(
            RouteInsertion.line(ofMethod: method, host: host, path: path, in: Array(profile.utf8)) == line)
    }
}
