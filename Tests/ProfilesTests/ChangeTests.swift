import Profiles
import Testing

/// What a route changes in requests and responses.
@Suite struct ChangeTests {
    private func changes(_ text: String) throws -> RouteChanges? {
        let library = try load(("p.json", "{kind: 'local', routes: [{origin: 'https://a.test', \(text)}]}"))
        return try #require(library["p"]).routes[0].changes
    }

    private func target(_ request: String, _ url: String) throws -> String {
        let changes = try #require(try changes("request: {\(request)}")?.request)
        let mark = url.firstIndex(of: "?")
        let path = Array((mark.map { url[..<$0] } ?? url[...]).utf8)
        let query = mark.map { Array(url[url.index(after: $0)...].utf8) }
        return String(decoding: changes.target(path: path, query: query), as: UTF8.self)
    }

    @Test(arguments: ["", "request: {}", "response: {headers: {}}", "request: {query: {}, path: {}}, inject: {}"])
    func `a route that names no change has none`(text: String) throws {
        #expect(try changes(text) == nil)
    }

    @Test(arguments: [
        ("set: {'X-A': '1'}", "X-A: 0\r\nB: 2\r\nx-a: 3\r\n", "B: 2\r\nX-A: 1\r\n"),
        ("set: {'X-A': ['1', '2']}", "", "X-A: 1\r\nX-A: 2\r\n"),
        ("add: {'X-A': '1'}", "x-a: 0\r\nB: 2\r\n", "x-a: 0\r\nB: 2\r\nX-A: 1\r\n"),
        ("remove: ['x-A']", "X-a: 0\r\nX-AB: 1\r\nX-: 2\r\n", "X-AB: 1\r\nX-: 2\r\n"),
        ("remove: ['b'], add: {B: '3'}", "B: 2\r\n", "B: 3\r\n"),
        ("set: {A: ''}", "A: b: A: c\r\n", "A: \r\n"),
    ])
    func `fields are removed, set and added`(headers: String, before: String, after: String) throws {
        let changes = try #require(try changes("response: {headers: {\(headers)}}")?.response)
        #expect(String(decoding: changes.headers.applied(to: Array(before.utf8)), as: UTF8.self) == after)
    }

    @Test(arguments: [
        ("set: {lang: 'en'}", "/a", "/a?lang=en"), ("set: {lang: 'en'}", "/a?", "/a?lang=en"),
        ("set: {lang: 'en'}", "/a?b=%7e&lang=de&c=+&lang", "/a?b=%7e&lang=en&c=+"),
        ("set: {lang: 'en'}", "/a?l%61ng=de", "/a?lang=en"),
        ("set: {lang: 'en'}", "/a?Lang=1&&b", "/a?Lang=1&&b&lang=en"),
        ("set: {'a b&': 'ü=+ %', n: 7, t: true}", "/", "/?a%20b%26=%C3%BC%3D%2B%20%25&n=7&t=true"),
        ("set: {'a b': '1'}", "/?a+b=0&a%20b=0", "/?a%20b=1"),
        ("remove: ['utm']", "/a?utm=1&b=2&utm=3", "/a?b=2"), ("remove: ['utm']", "/a?utm=1", "/a"),
        ("remove: ['utm']", "/a?", "/a?"), ("remove: ['utm']", "/a", "/a"),
        ("remove: ['utm']", "/a?utmx&x=utm", "/a?utmx&x=utm"),
        ("remove: ['b'], set: {a: '1'}", "/?b&a=0&c", "/?a=1&c"),
    ])
    func `parameters are set and removed, and all others stay byte for byte`(
        query: String, before: String, after: String
    ) throws {
        #expect(try target("query: {\(query)}", before) == after)
    }

    @Test(arguments: [
        ("{'/api/v1/*': '/v1/*'}", "/api/v1/cart?a=b", "/v1/cart?a=b"), ("{'/api/v1/*': '/v1/*'}", "/api/v1", "/v1"),
        ("{'/api/v1/*': '/v1/*'}", "/api/v1/", "/v1/"), ("{'/api/v1/*': '/v1/*'}", "/api/v10/x", "/api/v10/x"),
        ("{'/api/*': '/*'}", "/api", "/"), ("{'/api/*': '/*'}", "/api//x", "//x"),
        ("{'/*': '/base/*'}", "/x", "/base/x"),
        ("{'/*': '/base/*'}", "/", "/base/"), ("{'/a': '/b'}", "/a", "/b"), ("{'/a': '/b'}", "/a/", "/a/"),
        ("{'/old/*': '/new'}", "/old/x/y", "/new"),
        // What stands for a star goes on as it was sent.
        ("{'/api/*': '/*'}", "/api/%7eann/a%2Fb", "/%7eann/a%2Fb"),
        ("{'/%7eann/*': '/ann/*'}", "/~ann/%41", "/ann/%41"),
        ("{'/u/*/cart/*': '/cart/*/of/*'}", "/u/%41/cart/7", "/cart/%41/of/7"),
        ("{'/u/*/cart': '/c/*/x'}", "/u//cart", "/u//cart"),
        // Dot segments are resolved as routes resolve them.
        ("{'/api/*': '/v1/*'}", "/api/../admin", "/api/../admin"),
        ("{'/api/*': '/v1/*'}", "/x/%2e%2e/api/%2e/y", "/v1/y"),
        ("{'/api/*': '/v1/*'}", "/api/a/../../api/b", "/v1/b"),
        // The most specific one.
        ("{'/*': '/all/*', '/a/*': '/b/*', '/a/x': '/y'}", "/a/x", "/y"),
        ("{'/*': '/all/*', '/a/*': '/b/*', '/a/x': '/y'}", "/a/z", "/b/z"),
        ("{'/*': '/all/*', '/a/*': '/b/*', '/a/x': '/y'}", "/c", "/all/c"),
    ])
    func `paths are those of the origin`(paths: String, before: String, after: String) throws {
        #expect(try target("path: \(paths)", before) == after)
    }

    @Test(arguments: [
        ("{'/api/v1/*': '/v1/*'}", "/v1/cart", "/api/v1/cart"), ("{'/api/v1/*': '/v1/*'}", "/v2/cart", nil),
        ("{'/api/v1/*': '/v1/*'}", "/v1", "/api/v1"), ("{'/api/*': '/*'}", "/", "/api/"),
        ("{'/old/*': '/new'}", "/new", nil),
        ("{'/a': '/b'}", "/b", "/a"), ("{'/u/*/c': '/c/*/x'}", "/c/%41/x", "/u/%41/c"),
        ("{'/api/*': '/*', '/w/*': '/web/*'}", "/web/x", "/w/x"),
    ])
    func `paths of the origin lead back where they can`(paths: String, before: String, after: String?) throws {
        let changes = try #require(try changes("request: {path: \(paths)}")?.request)
        #expect(changes.path.forClient(Array(before.utf8)).map { String(decoding: $0, as: UTF8.self) } == after)
    }

    @Test func `a status takes the place of others, but not of interim ones and of parts`() throws {
        let all = try #require(try changes("response: {status: 503}")?.response?.status)
        #expect([200, 404, 103, 101, 206].map { all.status(for: $0) } == [503, 503, 103, 101, 206])
        let some = try #require(try changes("response: {status: {'404': 200, '200': 204}}")?.response?.status)
        #expect([200, 404, 500].map { some.status(for: $0) } == [204, 200, 500])
    }

    @Test func `an explanation shows what goes to the origin`() throws {
        let library = try load(
            (
                "p.json",
                """
                {kind: 'production', routes: [{origin: 'https://a.test/base', allow: ['POST'], request: {
                  path: {'/api/*': '/v1/*'}, query: {set: {lang: 'en'}, remove: ['method']},
                  headers: {set: {'X-HTTP-Method-Override': 'DELETE'}, remove: ['upgrade-insecure-requests']}},
                  response: {status: {'404': 200}, headers: {add: {'X-A': ['1', '2']}}}, inject: {head: '<b>'}}]}
                """
            ))
        let explanation = try #require(library["p"]).explain(
            url: "https://x.test/api/cart?method=1&a=%41", method: "POST")
        guard case .withResponse(let response) = explanation.outcome else { throw Missing() }
        #expect(response.origin == "https://a.test/base/v1/cart?a=%41&lang=en")
        let json = String(decoding: explanation.toJSON(), as: UTF8.self)
        #expect(json.contains(#""path":{"/api/*":"/v1/*"}"#) && json.contains(#""status":{"404":200}"#), "\(json)")
        #expect(json.contains(#""add":{"X-A":["1","2"]}"#) && json.contains(#""inject":{"head":["<b>"],"body":[]}"#))
    }

    @Test func `what is put into pages is read from files beside the profile, which are watched`() throws {
        try inDirectory { directory in
            try write("a()", directory + "/a.js")
            try write("b{}", directory + "/b.CSS")
            try write("<i>", directory + "/c.html")
            try write("x = '</ScRipt>'", directory + "/bad.js")
            try write(
                "{kind: 'local', routes: [{origin: 'https://a.test', inject: {head: ['a.js', 'b.CSS'], body: 'c.html'}}]}",
                directory + "/p.json")
            let library = try ProfileLibrary.load(directory: directory)
            let injection = try #require(library["p"]?.routes[0].changes?.injection)
            let html = (injection.head + injection.body).map { String(decoding: $0.html, as: UTF8.self) }
            #expect(html == ["<script>a()</script>", "<style>b{}</style>", "<i>"])
            #expect(library.files == ["/p.json", "/a.js", "/b.CSS", "/c.html"].map { directory + $0 })
            try write(
                "{kind: 'local', routes: [{origin: 'https://a.test', inject: {head: 'bad.js'}}]}", directory + "/p.json"
            )
            #expect(throws: ProfileProblems.self) { try ProfileLibrary.load(directory: directory) }
        }
    }
}
