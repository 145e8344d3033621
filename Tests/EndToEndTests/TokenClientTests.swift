import Foundation
import JSON
import TestSupport
import Testing

private let hasOAuthServer =
    ClientProgram.hasPython
    && (try? ChildProcess.run(ClientProgram.python, ["-c", "import oauthlib"]))?.status == 0

/// Tokens of an OAuth 2 server by oauthlib, over TLS, as `docs/tokens.md` says.
@Suite(.enabled(if: hasOAuthServer, "oauthlib \(ClientProgram.hint)"))
struct TokenClientTests {
    private static let planted = "clients-own-planted-6f1e"

    private static func profile(_ token: String, _ server: ServerProgram, kind: String = "staging") -> String {
        let url = server.address("https")
        return #"""
            {"kind": "\#(kind)", "certificateAuthorities": ["\#(server.authority)"], "token": \#(token),
             "routes": [{"path": "/login", "origin": "\#(url)"}, {"token": true, "origin": "\#(url)"}]}
            """#
    }

    /// Asks through Shunt with the client's own token; gives status and body.
    private static func ask(_ shunt: ServingShunt, _ path: String, _ arguments: String...) throws -> String {
        let result = try shunt.curl(
            ["-w", " %{http_code}", "-H", "Authorization: Bearer \(planted)"] + arguments
                + ["https://localhost:\(shunt.port)\(path)"])
        return result.output
    }

    @Test func `a token is fetched, put in, renewed after a 401, and is nowhere but in memory`() throws {
        let server = try ServerProgram(ClientProgram.python("oauth_server.py"))
        let oauth = #"""
            {"tokenURL": "\#(server.address("https"))/oauth/token", "clientID": "shop",
             "clientSecretVariable": "SHOP_SECRET", "scope": "cart"
            """#
        let shunt = try ServingShunt(
            [
                "staging": Self.profile(oauth + "}", server),
                "cookie": Self.profile(oauth + #", "cookie": "sid"}"#, server),
                "learned": Self.profile(#"{"login": "/login", "json": "session.ticketText", "cookie": "sid"}"#, server),
                "refresh": Self.profile(oauth + #", "refreshTokenVariable": "SHOP_REFRESH"}"#, server),
                "wrong": Self.profile(oauth.replacing("\"cart\"", with: "\"admin\"") + "}", server),
            ], ["--log", "json", "--profile", "staging"],
            environment: ["SHOP_SECRET": "s3cret", "SHOP_REFRESH": "first-refresh-token-planted"])
        defer { _ = try? shunt.stop() }
        func issued() throws -> JSONValue {
            let result = try ChildProcess.run(
                "/usr/bin/env",
                ["curl", "-sS", "--noproxy", "*", "--cacert", server.authority, server.address("https") + "/issued"])
            return try JSONReader.read(result.output)
        }
        #expect(try Self.ask(shunt, "/api") == #"{"length": 0, "method": "GET"} 200"#)
        #expect(try Self.ask(shunt, "/api", "--http2", "-d", "hello") == #"{"length": 5, "method": "POST"} 200"#)
        #expect(try issued()["grants"]?.number?.int64 == 1)
        // Another one after a 401, with the body once more.
        #expect(try Self.ask(shunt, "/revoke") == "{} 200")
        #expect(try Self.ask(shunt, "/api", "--http1.1", "-d", "hello") == #"{"length": 5, "method": "POST"} 200"#)
        #expect(try issued()["grants"]?.number?.int64 == 2)
        // It stays out of records where the origin repeats it, which the client sees.
        let echo = try Self.ask(shunt, "/echo", "--compressed", "-i")
        #expect(echo.hasSuffix(" 200") && echo.contains("x-debug: saw "), "\(echo)")
        // A refresh token, and the one that takes its place.
        #expect(try shunt.run("use", "refresh").status == 0)
        #expect(try Self.ask(shunt, "/api").hasSuffix(" 200"))
        #expect(try Self.ask(shunt, "/revoke") == "{} 200")
        #expect(try Self.ask(shunt, "/api", "-d", "hello") == #"{"length": 5, "method": "POST"} 200"#)
        #expect(try issued()["grants"]?.number?.int64 == 4)
        // Another place, a login that is learned from, and a failure.
        #expect(try shunt.run("use", "cookie").status == 0)
        #expect(
            try Self.ask(shunt, "/api", "-H", "Cookie: a=b; sid=\(Self.planted)")
                == #"{"length": 0, "method": "GET"} 200"#)
        #expect(try shunt.run("use", "learned").status == 0)
        #expect(try Self.ask(shunt, "/api").hasSuffix(" 401"))
        #expect(try Self.ask(shunt, "/login", "-X", "POST", "--compressed").hasSuffix(" 200"))
        #expect(try Self.ask(shunt, "/api") == #"{"length": 0, "method": "GET"} 200"#)
        #expect(try shunt.run("use", "wrong").status == 0)
        let page = try Self.ask(shunt, "/api")
        #expect(page.hasSuffix(" 502") && page.contains("profile wrong has no token"), "\(page)")
        // Who is logged in where.
        #expect(try shunt.run("use", "staging").status == 0)
        let status = try shunt.run("status").output
        #expect(
            status.contains("token        staging (client credentials at \(server.address("https"))/oauth/token), "))
        #expect(status.contains("learned (responses to /login), ") && status.contains("wrong (client credentials"))
        let logout = try shunt.run("logout", "staging")
        #expect(logout.output == "Logged out of staging.\n", "\(logout)")
        #expect(try Self.ask(shunt, "/api").hasSuffix(" 401"))
        #expect(try shunt.run("status").output.contains("oauth/token), logged out\n"))
        let login = try shunt.run("login", "staging")
        #expect(login.output.hasPrefix("Logged in: staging (client credentials at "), "\(login)")
        #expect(try Self.ask(shunt, "/api") == #"{"length": 0, "method": "GET"} 200"#)
        let failed = try shunt.run("login", "wrong")
        #expect(failed.status == 1 && failed.errors.contains("invalid_scope"), "\(failed)")
        #expect(try shunt.run("login", "learned").errors.contains("Log in with the app"))
        try expectNothing(of: try issued(), in: shunt)
    }

    /// No token, and no secret of the client's, is in anything that Shunt says or writes.
    private func expectNothing(of issued: JSONValue, in shunt: ServingShunt) throws {
        var outputs = [("log", shunt.process.errors + shunt.process.output)]
        for command in [
            ["logs", "-n", "100", "--json"], ["export", "--har"], ["export", "--jsonl"], ["show", "1"], ["stats"],
            ["status", "--json"], ["explain", "https://localhost/api", "--json"], ["explain", "https://localhost/api"],
        ] {
            let result = try ChildProcess.run(ShuntBinary.path, command, directory: shunt.folder.path)
            #expect(!result.output.isEmpty, "\(command): \(result.errors)")
            outputs.append((command.joined(separator: " "), result.output + result.errors))
        }
        let files = try #require(FileManager.default.enumerator(atPath: shunt.folder.path)?.allObjects as? [String])
        for file in files where !file.hasPrefix("Profiles") {
            let path = shunt.folder.path + "/" + file
            guard let bytes = try? Data(contentsOf: URL(fileURLWithPath: path)) else { continue }
            outputs.append((file, String(decoding: bytes, as: UTF8.self)))
        }
        let tokens = try #require(issued["tokens"]?.array).compactMap(\.string)
        #expect(tokens.count >= 8)
        for (name, text) in outputs {
            for secret in tokens + ["s3cret", "first-refresh-token-planted"] {
                #expect(!text.contains(secret), "\(name)")
            }
        }
    }
}
