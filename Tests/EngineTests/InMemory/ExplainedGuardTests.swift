import Engine
import Profiles
import TestSupport
import Testing

/// What production's guard says of a request that `shunt explain` asks about, without sending it.
@Suite struct ExplainedGuardTests {
    private func explained(
        _ library: ProfileLibrary, _ name: String, _ method: String, _ url: String,
        _ headers: [(name: String, value: String)] = [], body: String = ""
    ) async throws -> Explanation {
        let target = try RequestTarget(parsing: url)
        let shunt = try TriedShunt(library, active: name, allowedHosts: [ClientHostPattern("*")])
        return try #require(
            try await ResponseTrial.explain(
                target, TriedRequest(method, target.url, headers: headers, body: Array(body.utf8)), by: shunt)
        ).explanation
    }

    private func guarding(
        _ library: ProfileLibrary, _ name: String, _ method: String, _ url: String,
        _ headers: [(name: String, value: String)] = [], body: String = ""
    ) async throws -> Explanation.Guarding {
        let judged = try await explained(library, name, method, url, headers, body: body)
        guard case .withResponse(let response) = judged.outcome else {
            Issue.record("nothing responds")
            return .none
        }
        return response.guarding
    }

    private static let query = #"{"query": "{ me }"}"#
    private static let mutation = #"{"query": "mutation { pay }"}"#

    @Test(
        arguments: [
            ("https", "GET", "/", [], "", "", "GET is safe"),
            ("https", "TRACE", "/", [], "", "", "TRACE is safe"),
            ("https", "POST", "/", [], "", "", "no: POST can change something"),
            ("https", "PROPPATCH", "/", [], "", "", "no: PROPPATCH can change something"),
            ("https", "POST", "/", [], "", "allow: ['POST']", "\"allow\" names POST"),
            ("https", "PUT", "/", [], "", "allow: ['POST']", "no: PUT can change something"),
            ("wss", "GET", "/", [], "", "", "no: a WebSocket can change anything"),
            ("https", "GET", "/", [("Upgrade", "WebSocket")], "", "", "no: a WebSocket can change anything"),
            ("wss", "GET", "/", [], "", "allow: ['websocket']", "\"allow\" names websocket"),
            (
                "https", "POST", "/", [("Content-Type", "application/grpc+proto")], "", "allow: ['PUT']",
                "no: a gRPC call can change anything"
            ),
            (
                "https", "POST", "/", [("content-type", "application/grpc")], "", "allow: ['grpc']",
                "\"allow\" names grpc"
            ),
            (
                "https", "POST", "/", [("content-type", "application/grpc")], "", "allow: ['POST']",
                "\"allow\" names POST"
            ),
            ("https", "POST", "/", [], "", "graphql: true", "no: a GraphQL request without a body"),
            ("https", "POST", "/", [], query, "graphql: true", "it is a GraphQL query"),
            ("https", "POST", "/", [], mutation, "graphql: true", "no: the GraphQL mutation can change something"),
            ("https", "PUT", "/", [], "", "graphql: true", "no: PUT can change something"),
            ("https", "POST", "/", [], mutation, "graphql: true, allow: ['POST']", "\"allow\" names POST"),
            ("https", "POST", "/api/graphql/", [], query, "", "it is a GraphQL query"),
            ("https", "POST", "/graphqls/", [], "", "", "no: POST can change something"),
            ("https", "GET", "/graphql", [], "", "", "GET is safe"),
            ("https", "GET", "/graphql?query=%7Bme%7D", [], "", "", "GET is safe"),
            (
                "https", "GET", "/graphql?query=mutation%7Bme%7D", [], "", "",
                "no: the GraphQL mutation can change something"
            ),
            (
                "https", "GET", "/", [("X_Method_Override", "DELETE")], "", "allow: ['POST']",
                "no: a request that asks to be taken for DELETE can change something"
            ),
            (
                "https", "POST", "/?_method=put", [], "", "allow: ['POST']",
                "no: a request that asks to be taken for PUT can change something"
            ),
            (
                "https", "POST", "/", [], #"{"_method": "DELETE"}"#, "allow: ['POST']",
                "no: a request whose body asks to be taken for DELETE can change something"
            ),
            (
                "https", "POST", "/a/..%252fb", [], "", "allow: ['POST']",
                "no: a path that servers may read as another one can lead past what the route allows"
            ),
            (
                "https", "POST", "/", [("X-Original-URL", "/b")], "", "allow: ['POST']",
                "no: the field X-Original-URL may name another path"
            ),
            (
                "https", "GET", "/", [], "", "request: { headers: { set: { 'X-HTTP-Method-Override': 'PUT' } } }",
                "no: a request that asks to be taken for PUT can change something"
            ),
        ] as [(String, String, String, [(String, String)], String, String, String)])
    func `the guard of each request says what it would do`(
        scheme: String, method: String, target: String, headers: [(String, String)], body: String, settings: String,
        expected: String
    ) async throws {
        func routes(_ host: String) -> String {
            "routes: [{ origin: 'https://\(host)'\(settings.isEmpty ? "" : ", ")\(settings) }]"
        }
        let library = try Harness.library([
            "p": "{ kind: 'production', \(routes("a.test")) }", "s": "{ kind: 'staging', \(routes("s.test")) }",
            "b": "{ kind: 'staging', \(routes("b.test")) }",
            // Production by what it inherits, and by its own kind.
            "l": "{ kind: 'local', extends: 'p', routes: [{ path: '/mine', origin: 'https://l.test' }] }",
            "q": "{ kind: 'production', extends: 'b', routes: [{ path: '/mock', mock: {} }] }",
        ])
        for (name, profile) in [("p", "p"), ("l", "p"), ("q", "q")] {
            let found = try await guarding(library, name, method, "\(scheme)://h.test\(target)", headers, body: body)
            switch found {
            case .passes(let why): #expect(why == expected, "\(name)")
            case .refused(let reason, let profiles, let cause):
                #expect("no: \(reason)".hasPrefix(expected) && profiles == [profile] && cause == nil, "\(reason)")
            case .none: Issue.record("\(name) is not guarded")
            }
        }
        #expect(try await guarding(library, "s", method, "\(scheme)://h.test\(target)", headers, body: body) == .none)
        #expect(try await guarding(library, "l", method, "\(scheme)://h.test/mine", headers, body: body) == .none)
        #expect(try await guarding(library, "q", method, "\(scheme)://h.test/mock", headers, body: body) == .none)
    }

    @Test(arguments: [("query: 'access_token'", true), ("field: 'X-Key'", false), ("cookie: 'sid'", false)])
    func `a GraphQL query is judged with the token that the query gets`(place: String, isRefused: Bool) async throws {
        let library = try Harness.library([
            "p": """
            { kind: 'production', token: { variable: 'HOME', production: true, \(place) },
              routes: [{ path: '/out', graphql: true, origin: 'https://a.test' },
                       { token: true, graphql: true, origin: 'https://a.test' }] }
            """
        ])
        for (path, hasToken) in [("/?query=%7Bme%7D", true), ("/out?query=%7Bme%7D", false)] {
            let found = try await guarding(library, "p", "GET", "https://h.test\(path)")
            guard case .refused = found else {
                #expect(!(isRefused && hasToken) && found == .passes("GET is safe"), "\(path): \(found)")
                continue
            }
            #expect(isRefused && hasToken, "\(path): \(found)")
        }
    }

    @Test func `an origin that production uses is guarded in every profile, also within a chain`() async throws {
        let library = try Harness.library([
            "p": "{ kind: 'production',\n routes: [{ path: '/a', origin: 'https://a.test' }] }",
            "s":
                """
            { kind: 'staging', routes: [
              { path: '/1', origin: 'https://A.test./other' }, { path: '/2', origin: 'http://a.test:81' },
              { path: '/3', origin: ['https://b.test', 'https://a.test:443'] },
              { path: '/4', origin: 'http://a.test' }, { path: '/5', origin: ['https://b.test', 'profile:p'] } ] }
            """,
        ])
        for (path, isGuarded) in [("/1", true), ("/2", false), ("/3", true), ("/4", true), ("/5", false)] {
            let found = try await guarding(library, "s", "PUT", "https://h.test\(path)")
            guard case .refused(let reason, let profiles, let cause) = found else {
                #expect(!isGuarded && found == .none, "\(path)")
                continue
            }
            #expect(isGuarded && reason == "PUT can change something" && profiles == ["p"], "\(path)")
            #expect(cause?.contains("is an origin of the production profile p (route */a, ") == true)
        }
    }

    @Test func `a profile that a chain asks has its own verdict, and the order names the guard`() async throws {
        let library = try Harness.library([
            "p": "{ kind: 'production', routes: [{ origin: 'https://a.test', allow: ['PUT'] }] }",
            "s": "{ kind: 'staging', routes: [{ origin: ['https://b.test', 'profile:p'] }] }",
        ])
        let judged = try await explained(library, "s", "PUT", "https://h.test/")
        guard case .withResponse(let response) = judged.outcome,
            case .profile("p", let inner?) = response.candidates[1]
        else {
            Issue.record("nothing responds")
            return
        }
        #expect(response.guarding == .none && inner.guarding == .passes("\"allow\" names PUT"))
        #expect(inner.order == [.guard])
    }
}
