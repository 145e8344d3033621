import Profiles
import Testing

/// The requests that `shunt mocks check` sends.
@Suite struct MockedRequestTests {
    private static let values = MockedRequest.Values(path: nil, fields: [], authority: "127.0.0.1:4884")

    /// `METHOD URL`, fields and all, or why there is none.
    private func text(_ profile: Profile, _ index: Int = 0, _ values: MockedRequest.Values = values) -> String {
        do throws(MockedRequest.Obstacle) {
            let request = try MockedRequest(routeAt: index, of: profile, values)
            return (["\(request.method) \(request.url)"] + request.fields.map { "\($0.name): \($0.value)" })
                .joined(separator: ", ")
        } catch {
            return error.reason
        }
    }

    @Test(arguments: [
        ("path: '/v1/promo'", "GET http://127.0.0.1:4884/v1/promo"),
        ("path: '/'", "GET http://127.0.0.1:4884/"),
        ("path: '/a b/%c3%a4'", "GET http://127.0.0.1:4884/a%20b/%C3%A4"),
        ("host: 'api.shop.test', path: '/a', method: ['POST', 'GET']", "GET http://api.shop.test/a"),
        ("host: 'api.shop.test:8443', path: '/a', method: 'HEAD'", "HEAD http://api.shop.test:8443/a"),
        ("host: '[::1]', path: '/a'", "GET http://[::1]/a"),
        ("path: '/a', headers: { 'X-Beta': '1' }", "GET http://127.0.0.1:4884/a, x-beta: 1"),
        (
            "path: '/a', match: { query: { q: 'a&b c', page: '2' } }",
            "GET http://127.0.0.1:4884/a?q=a%26b+c&page=2"
        ),
        (
            "path: '/a', match: { headers: { 'X-Beta': 'on' }, cookies: { sid: '1', theme: 'dark' } }",
            "GET http://127.0.0.1:4884/a, x-beta: on, cookie: sid=1; theme=dark"
        ),
        ("path: '/a', match: { cookies: { sid: false }, query: { q: false } }", "GET http://127.0.0.1:4884/a"),
        ("path: '/a', when: 'b', then: 'a'", "GET http://127.0.0.1:4884/a"),
        // What no request can be made of.
        ("path: '/a', method: ['POST', 'DELETE']", "it is for POST and DELETE, and only GET and HEAD are sent"),
        ("path: '/v1/items/{id}'", "its path is the pattern /v1/items/{id}"),
        ("path: '/v1/*/a'", "its path is the pattern /v1/*/a"), ("", "its path is the pattern /*"),
        ("host: '*.shop.test', path: '/a'", "its host is *.shop.test: give one with -H 'Host: NAME'"),
        ("path: '/a', match: { query: { q: true } }", "it needs a query parameter q"),
        (
            "path: '/a', headers: { Authorization: true }",
            "it needs a header authorization: give one with -H 'authorization: VALUE'"
        ),
        (
            "path: '/a', match: { cookies: { sid: true } }",
            "it needs a cookie sid: give one with -H 'Cookie: sid=VALUE'"
        ),
        ("path: '/a', match: { body: { 'user.name': 'ann' } }", "it looks into the body, and GET has none"),
        ("path: '/a', match: { json: {} }", "it looks into the body, and GET has none"),
        (
            "path: '/a', headers: { 'x-http-method-override': 'DELETE' }",
            "a server may take the request for DELETE, and only GET and HEAD are sent"
        ),
        (
            "path: '/a', match: { query: { _method: 'put' } }",
            "a server may take the request for PUT, and only GET and HEAD are sent"
        ),
        (
            "path: '/a', match: { headers: { Upgrade: 'websocket' } }",
            "the header upgrade cannot be sent: Shunt writes such fields itself"
        ),
    ])
    func `it is made from the pattern`(route: String, found: String) throws {
        #expect(text(try profile(routes: [route])) == found)
    }

    @Test func `open places are filled in, and only with what fits`() throws {
        let profile = try profile(routes: [
            "path: '/v1/items/{id}', match: { query: { page: true } }",
            "host: '*.shop.test', path: '/a', headers: { Authorization: true }",
            "path: '/me', match: { cookies: { sid: false }, headers: { authorization: false } }",
            "path: '/me', match: { cookies: { sid: true }, headers: { authorization: true } }",
        ])
        func found(_ index: Int, _ path: String?, _ fields: [(String, String)] = []) -> String {
            text(profile, index, .init(path: path, fields: fields, authority: "localhost"))
        }
        #expect(found(0, "/v1/items/7?page=3") == "GET http://localhost/v1/items/7?page=3")
        #expect(found(0, "/v1/items/7?page=1&_method=DELETE").hasPrefix("a server may take the request for DELETE"))
        #expect(found(0, "/v1/items/7?page=1", [("X-Method-Override", "PUT")]).hasPrefix("a server may take"))
        #expect(found(0, "/v1/items/7?page=1", [("content-length", "5")]).hasPrefix("the header content-length cannot"))
        #expect(found(0, "/v1/items/7") == "it needs a query parameter page")
        #expect(
            found(0, "/v1/item/7?page=3").hasPrefix(
                "it does not match GET http://localhost/v1/item/7?page=3: the path differs at segment 2"))
        let fields = [("Host", "api.shop.test"), ("authorization", "Bearer t"), ("Cookie", "sid=1")]
        #expect(found(1, nil, fields) == "GET http://api.shop.test/a, authorization: Bearer t, Cookie: sid=1")
        #expect(found(1, nil, [("Host", "shop.test"), ("Authorization", "t")]).hasPrefix("it does not match"))
        #expect(found(2, nil, fields) == "GET http://api.shop.test/me")
        #expect(found(3, nil, fields).hasSuffix("/me, authorization: Bearer t, Cookie: sid=1"))
    }

    @Test func `a mock behind another route has no request`() throws {
        let library = try load(
            ("local.json", "{ kind: 'local', extends: 'base', routes: [{ name: 'mine', path: '/a', mock: {} }] }"),
            ("base.json", "{ kind: 'staging', routes: [{ name: 'theirs', path: '/a', mock: {} }] }"))
        let profile = try #require(library["local"])
        let index = try #require(profile.routes.firstIndex { $0.name == "theirs" })
        #expect(
            text(profile, index) == "another route responds to GET http://127.0.0.1:4884/a: mine, Profiles/local.json:1"
        )
    }

    @Test(
        arguments: [
            ("mock: { status: 201, json: { a: 1 } }", 201, "application/json", #"{"a":1}"#),
            ("mock: { status: 204 }", 204, nil, ""),
            (
                "mock: { text: 'x' }, response: { status: 404, headers: { set: { 'Content-Type': 'a/b' } } }", 404,
                "a/b",
                "x"
            ),
            (
                "mock: { template: true, json: { id: '{{path.id}}', n: '{{json query.n}}' } }", 200, "application/json",
                #"{"id":"sample","n":null}"#
            ),
        ] as [(String, Int, String?, String)])
    func `a mock's response is known without a request`(
        route: String, status: Int, type: String?, body: String
    ) throws {
        let library = try load(("local.json", "{ kind: 'local', routes: [{ path: '/{id}', \(route) }] }"))
        let first = try #require(library["local"]?.routes.first)
        guard case .local(let local) = first.responder, let mock = local as? Mock else { throw Missing() }
        let response = try MockedResponse(mock.responses[0], of: first)
        #expect(response.status == status && response.contentType == type)
        #expect(String(decoding: response.body, as: UTF8.self) == body)
    }
}
