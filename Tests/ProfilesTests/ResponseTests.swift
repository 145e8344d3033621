import Profiles
import Testing

@Suite struct ResponseTests {
    private func responder(_ route: String) throws -> ResponderSettings {
        guard let profile = try load(("p.json", "{kind: 'local', routes: [{\(route)}]}"))["p"] else { throw Missing() }
        return profile.routes[0].responder
    }

    @Test(arguments: [
        ("https://localhost:3000", "https://localhost:3000", "localhost:3000"),
        ("HTTPS://A.Test:443/", "https://a.test", "a.test"),
        ("http://a.test:80/x/y//", "http://a.test/x/y", "a.test"),
        ("http://a.test:443", "http://a.test:443", "a.test:443"),
        ("https://[::0001]:8443/é b", "https://[::1]:8443/%C3%A9%20b", "[::1]:8443"),
        ("https://bücher.example.", "https://xn--bcher-kva.example", "xn--bcher-kva.example"),
    ])
    func `an origin's URL is normalised`(text: String, url: String, authority: String) throws {
        guard case .origin(let address, let preserveHost) = try responder("origin: '\(text)'") else { throw Missing() }
        #expect(address.description == url && address.authority == authority && !preserveHost)
    }

    @Test(arguments: [
        "", "localhost:3000", "ftp://a", "ws://a", "https://", "https://a?x", "https://a#x", "https://u@a",
        "https://u:p@a",
        "https://a:0", "https://a:70000", "https://*.a", "https://a/../b", "https:///x", "https://a b",
    ])
    func `what is no origin is refused`(text: String) {
        #expect(throws: ProfileProblems.self) { try responder("origin: '\(text)'") }
    }

    @Test(arguments: ["https://me:secret@a.test", "me:secret@a.test", "ftp://me:secret@a.test?x", "https://secret@a:x"])
    func `a password in an origin is not repeated`(origin: String) {
        let found = problems(("p.json", "{kind: 'local', routes: [{origin: '\(origin)'}]}"))
        #expect(found.count == 1 && !found[0].contains("secret"))
    }

    @Test(
        arguments: [
            ("{}", 200, [], ""), ("{status: 204}", 204, [], ""),
            (
                "{json: {a: [1, 0x10, .5], b: null}}", 200, ["content-type: application/json"],
                #"{"a":[1,16,0.5],"b":null}"#
            ),
            ("{json: null}", 200, ["content-type: application/json"], "null"),
            ("{status: 500, text: 'é'}", 500, ["content-type: text/plain; charset=utf-8"], "é"),
            (
                "{json: 1, headers: {'Content-TYPE': 'application/problem+json'}}", 200,
                ["Content-TYPE: application/problem+json"], "1"
            ),
            (
                "{headers: {'Set-Cookie': ['a=1', 'b=2'], 'X-Y': ''}}", 200,
                ["Set-Cookie: a=1", "Set-Cookie: b=2", "X-Y: "], ""
            ),
        ] as [(String, Int, [String], String)])
    func `a mock has a status, fields and a body`(text: String, status: Int, fields: [String], body: String) throws {
        guard case .local(let mock as Mock) = try responder("mock: \(text)") else { throw Missing() }
        let response = mock.responses[0]
        guard case .bytes(let bytes) = response.body else { throw Missing() }
        #expect(mock.responses.count == 1 && response.status == status && bytes == Array(body.utf8))
        #expect(response.headers.map { "\($0.name): \($0.value)" } == fields)
    }

    @Test func `the most specific trust rule wins, and the profile's own before what it extends`() throws {
        let library = try load(
            (
                "a.json",
                """
                {kind: 'local', extends: 'b', trust: {'*.dev.test': 'disabled', 'safe.dev.test': 'default', 'x.dev.test:81': 'default'}, routes: [
                  {path: '/1', origin: 'https://a.dev.test'}, {path: '/2', origin: 'https://safe.dev.test'},
                  {path: '/3', origin: 'https://x.dev.test:81'}, {path: '/4', origin: 'https://x.dev.test'},
                  {path: '/5', origin: 'https://other.test'}, {path: '/6', origin: 'http://a.dev.test'},
                ]}
                """
            ),
            (
                "b.json",
                "{kind: 'staging', trust: {'a.dev.test': 'default', 'other.test': 'disabled'}, routes: [{path: '/7', origin: 'https://a.dev.test'}]}"
            ))
        let found = library["a"]?.routes.map { route -> String in
            guard case .origin(let address, _) = route.responder else { return "" }
            return address.trust.name
        }
        #expect(found == ["disabled", "default", "default", "disabled", "disabled", "default", "disabled"])
        // The same route under its own profile has that profile's trust.
        guard case .origin(let address, _)? = library["b"]?.routes[0].responder else { throw Missing() }
        #expect(address.trust == .default(certificateAuthorities: []))
        #expect(library.exceptions.map { "\($0.profile) \($0.pattern)" } == ["a *.dev.test", "b other.test"])
        #expect(library["a"]?.trust.count == 5)
    }
}
