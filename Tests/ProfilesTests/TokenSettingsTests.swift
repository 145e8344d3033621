import Profiles
import Testing

/// The token of a profile: its keys, who inherits it, and what is wrong with it.
@Suite struct TokenSettingsTests {
    private static func profile(_ token: String, kind: String = "local", route: String = "token: true, ") -> String {
        "{kind: '\(kind)',\n token: \(token),\n routes: [{\(route)origin: 'https://a.test'}]}"
    }

    private static let oauth = "tokenURL: 'https://login.test/oauth/token', clientID: 'shop'"

    private static func token(_ text: String) throws -> TokenSettings {
        let library = try load(("p.json", profile(text)))
        let profile = try #require(library["p"])
        return try #require(profile.token(of: profile.routes[0]))
    }

    @Test(arguments: [
        (oauth, "client credentials at https://login.test/oauth/token", "Authorization"),
        (
            oauth + ", refreshTokenVariable: 'R', scope: 'a b', audience: 'x'",
            "a refresh token at https://login.test/oauth/token", "Authorization"
        ),
        ("run: 'A=b gcloud auth print-access-token'", "the command `gcloud`", "Authorization"),
        ("variable: 'T', field: 'X-Key'", "the environment variable T", "X-Key"),
        ("variable: 'T', cookie: 'sid'", "the environment variable T", "the cookie sid"),
        ("variable: 'T', query: 'key'", "the environment variable T", "the query's key"),
        ("login: '/v1/auth/*', json: 'data.token'", "responses to /v1/auth/*", "Authorization"),
    ])
    func `a token has a source and a place`(text: String, source: String, place: String) throws {
        let token = try Self.token("{\(text)}")
        #expect(token.sourceText == source && token.place.description == place)
        #expect(!token.isForProduction && !token.isForAllRoutes && token.profile == "p")
    }

    @Test(
        arguments: [
            ("Authorization", nil, "Bearer "), ("authorization", "", ""), ("X-Key", nil, ""),
            ("X-Key", "Token ", "Token "),
        ] as [(String, String?, String)])
    func `Authorization has Bearer in front, and other fields nothing`(
        field: String, prefix: String?, expected: String
    ) throws {
        let more = prefix.map { ", prefix: '\($0)'" } ?? ""
        #expect(try Self.token("{variable: 'T', field: '\(field)'\(more)}").place == .field(field, prefix: expected))
    }

    /// Each row: what stands under `token`, and the problem with its place in the second line.
    @Test(arguments: [
        ("true", "2:9: \"token\" is a boolean"), ("'secret'", "2:9: \"token\" is a string"),
        ("{}", "2:9: the token has no source"),
        ("{run: 'a', variable: 'T'}", "2:20: \"variable\" beside \"run\""),
        ("{run: ''}", "2:15: \"run\" is \"\""), ("{run: 1}", "2:15: \"run\" is 1"),
        ("{variable: 'my secret'}", "2:20: \"variable\" is no name of an environment variable"),
        ("{variable: 7}", "2:20: \"variable\" is a number"),
        ("{file: ''}", "2:16: \"file\" names no file"), ("{file: []}", "2:16: \"file\" is an array"),
        ("{login: 'v1', json: 'a'}", "2:17: the path \"v1\" does not start with `/`"),
        ("{login: '/v1'}", "2:9: \"login\" without \"json\""),
        ("{login: '/v1', json: 'a..b'}", "2:30: \"json\" is \"a..b\""),
        ("{tokenURL: 'https://a.test/t'}", "2:9: \"tokenURL\" without \"clientID\""),
        ("{tokenURL: 'ftp://a.test', clientID: 'x'}", "2:20: the origin \"ftp://a.test\" has the scheme \"ftp\""),
        ("{tokenURL: 'h2c://a.test', clientID: 'x'}", "2:20: \"tokenURL\" has the scheme \"h2c\""),
        ("{tokenURL: 'https://a:b@c.test', clientID: 'x'}", "2:20: the origin has a user name"),
        ("{\(oauth), clientID2: 'x'}", "2:72: unknown key \"clientID2\""),
        ("{\(oauth), clientSecret: 'x'}", "2:72: unknown key \"clientSecret\""),
        ("{\(oauth), clientSecretVariable: 'a b'}", "2:94: \"clientSecretVariable\" is no name"),
        ("{\(oauth), clientSecretFile: ''}", "2:90: \"clientSecretFile\" names no file"),
        (
            "{\(oauth), clientSecretVariable: 'A', clientSecretFile: 'b'}",
            "2:99: \"clientSecretFile\" beside \"clientSecretVariable\""
        ),
        ("{\(oauth), refreshTokenVariable: '$A'}", "2:94: \"refreshTokenVariable\" is no name"),
        ("{\(oauth), refreshTokenFile: 3}", "2:90: \"refreshTokenFile\" is a number"),
        ("{\(oauth), scope: ''}", "2:79: \"scope\" is \"\""), ("{\(oauth), audience: 1}", "2:82: \"audience\" is 1"),
        ("{\(oauth), json: 'x'}", "2:72: \"json\" beside \"tokenURL\""),
        ("{run: 'a', scope: 'x'}", "2:20: \"scope\" beside \"run\""),
        ("{variable: 'T', field: 'a b'}", "2:32: \"a b\" is no field name"),
        ("{variable: 'T', field: 'Host'}", "2:32: the field \"Host\" of a request cannot be changed"),
        ("{variable: 'T', field: 'Cookie'}", "2:32: no token stands in the field \"Cookie\""),
        ("{variable: 'T', field: 'X-HTTP-Method-Override'}", "2:32: servers may take \"X-HTTP-Method-Override\""),
        ("{variable: 'T', field: 'X-Original-URL'}", "2:32: servers may take \"X-Original-URL\""),
        ("{variable: 'T', cookie: 'a;b'}", "2:33: \"a;b\" is no cookie's name"),
        ("{variable: 'T', query: ''}", "2:32: a parameter without a name"),
        ("{variable: 'T', query: '_method'}", "2:32: servers may take \"_method\""),
        ("{variable: 'T', query: 'operationName'}", "2:32: servers may take \"operationName\""),
        ("{variable: 'T', query: 'a', cookie: 'b'}", "2:25: \"query\" beside \"cookie\""),
        ("{variable: 'T', query: 'a', prefix: 'b'}", "2:37: \"prefix\" of a token that stands in no field"),
        ("{variable: 'T', prefix: 'a\\nb'}", "2:33: \"prefix\" is"),
        ("{variable: 'T', allRoutes: 1}", "2:36: \"allRoutes\" is 1"),
        ("{variable: 'T', production: 'yes'}", "2:37: \"production\" is \"yes\""),
    ])
    func `what is wrong with a token is told with its place`(text: String, problem: String) {
        let problems = problems(("p.json", Self.profile(text)))
        #expect(problems.count == 1 && problems[0].hasPrefix("Profiles/p.json:\(problem)"), "\(problems)")
        #expect(!problems.joined().contains("my secret") && !problems.joined().contains("'x'"))
    }

    @Test func `a route's token needs one in the profile, and an origin`() {
        let alone = "{kind: 'local',\n routes: [{token: true, origin: 'https://a.test'}]}"
        #expect(problems(("p.json", alone))[0].hasPrefix("Profiles/p.json:2:11: \"token\": true in a route"))
        #expect(problems(("p.json", alone.replacing("\n", with: " token: false,\n"))).isEmpty)
        #expect(problems(("p.json", alone.replacing("true", with: "1"))).first?.contains("\"token\" is 1") == true)
        let mock = "{kind: 'local', token: {variable: 'T'},\n routes: [{token: true, mock: {}}]}"
        #expect(problems(("p.json", mock)).first?.hasPrefix("Profiles/p.json:2:12: ") == true)
    }

    @Test func `a profile of kind production says so in its token, also in an inherited one`() {
        let own = Self.profile("{variable: 'T'}", kind: "production")
        let expected = "2:9: the token of the production profile \"p\" has no rule of its own"
        #expect(problems(("p.json", own)).first?.hasPrefix("Profiles/p.json:\(expected)") == true)
        #expect(problems(("p.json", own.replacing("'T'", with: "'T', production: true"))).isEmpty)
        let base = Self.profile("{variable: 'T'}", kind: "staging")
        func child(_ more: String) -> String { "{kind: 'production', extends: 'base'\(more), routes: []}" }
        let inherited = problems(("p.json", child("")), ("base.json", base))
        #expect(inherited.count == 1 && inherited[0].hasPrefix("Profiles/base.json:\(expected)"), "\(inherited)")
        #expect(problems(("p.json", child(", token: false")), ("base.json", base)).isEmpty)
    }

    @Test func `explain names the source and the place, and no secret`() throws {
        let library = try load(("p.json", Self.profile("{\(Self.oauth), clientSecretVariable: 'HOME', query: 'key'}")))
        let explanation = try #require(library["p"]).explain(url: "https://x.test/")
        let text = String(decoding: explanation.toJSON(), as: UTF8.self)
        #expect(
            text.contains(
                #""token":{"profile":"p","source":"client credentials at https://login.test/oauth/token","place":"the query's key"}"#
            ), "\(text)")
    }
}
