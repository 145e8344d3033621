import Admin
import Engine
import Foundation
import JSON
import TestSupport
import Testing

extension AskedAdmin {
    var tokens: TokenFile { TokenFile(profilesDirectory: folder.path + "/Profiles") }

    /// A user's token.
    func user(_ name: String, _ permissions: Set<Permission>, until: Int64? = nil) throws -> String {
        try tokens.add(name, permissions, until: until) { _ in }.text
    }

    var trail: [AuditEntry] {
        get throws { try AuditLog(profilesDirectory: folder.path + "/Profiles").entries(limit: 1000) }
    }
}

/// Users with tokens: what each may do, and what attackers see.
@Suite struct UserTests {
    private static let json = "Content-Type: application/json\r\n"

    /// The status and, of a refusal, the sentence.
    private static func ask(
        _ admin: AskedAdmin, _ route: AdminRoute, token: String
    ) async throws -> (status: Int, text: String) {
        let body = route.method == "POST" ? "{}" : ""
        let path = route.path.replacingOccurrences(of: "{id}", with: "1")
        return try await blocking {
            let client = try admin.connect(
                route.method, path, (route.method == "POST" ? json : "") + "Connection: close\r\n", body: body,
                token: token)
            // Events have no end.
            let head = try client.read(until: "\r\n\r\n")
            let status = Int(head.dropFirst(9).prefix(3)) ?? 0
            return (status, status == 403 ? try client.readToEnd() : "")
        }
    }

    @Test func `each route lets in those who may, and names the permission that others lack`() async throws {
        let admin = try await AskedAdmin(hasInspector: true, hasUsers: true)
        for permission in Permission.allCases {
            let token = try admin.user("u-\(permission)", [permission])
            for route in AdminRoute.all where !["/healthz", "/readyz", "/v1/inspector/login"].contains(route.path) {
                let missing = route.permissions.first { $0 != .status && $0 != permission && permission != .admin }
                let (status, text) = try await Self.ask(admin, route, token: token)
                let place: Comment = "\(permission) at \(route.method) \(route.path): \(status) \(text)"
                #expect((status == 403) == (missing != nil), place)
                if let missing { #expect(text.contains("lacks the permission “\(missing)”"), place) }
            }
            _ = try admin.tokens.revoke("u-\(permission)")
        }
        await admin.stop()
    }

    @Test func `every route needs a permission, and every permission is needed somewhere`() {
        #expect(AdminRoute.all.allSatisfy { !$0.permissions.isEmpty })
        #expect(Set(AdminRoute.all.flatMap(\.permissions)) == Set(Permission.allCases))
        // What changes something takes more than a look, but for the choice of one's own.
        let free = AdminRoute.all.filter { $0.isChange && $0.permissions == [.status] }.map(\.path)
        #expect(Set(free) == ["/v1/use/mine", "/v1/inspector/login", "/v1/attach"])
    }

    @Test func `tokens that do not count look alike from outside`() async throws {
        let admin = try await AskedAdmin(hasUsers: true)
        let valid = try admin.user("ada", [.admin])
        let revoked = try admin.user("bob", [.admin])
        _ = try admin.tokens.revoke("bob")
        let expired = try admin.user("eve", [.admin], until: 1)
        let parts = valid.split(separator: "_")
        let zeros = String(repeating: "0", count: 64)
        func strip(_ response: AskedAdmin.Response) -> String {
            response.head.split(separator: "\r\n").filter { !$0.hasPrefix("Date") }.joined() + response.body
        }
        let none = strip(try await admin.ask("GET", "/v1/status", token: "x"))
        #expect(none.contains("401"))
        for token in [
            revoked, expired, "shunt_\(parts[1])_\(zeros)", "shunt_000000000000_\(parts[2])", valid.uppercased(),
            "shunt_\(parts[1].uppercased())_\(parts[2])", "shunt_\(parts[1])_\(parts[2].uppercased())",
            "Shunt" + valid.dropFirst(5),
            String(valid.dropLast()), valid + "0", valid + " x", "\(parts[2])", "shunt_\(parts[1])_", "",
        ] {
            let response = try await admin.ask("GET", "/v1/status", token: token)
            #expect(strip(response) == none, "\(token)")
        }
        #expect(try await admin.ask("GET", "/v1/status", token: valid).status == 200)
        await admin.stop()
    }

    @Test(arguments: [
        "/v1/status?token=TOKEN", "/v1/traffic?filter=TOKEN", "/v1/status?access_token=x", "/v1/status?a=1&Token=x",
        "/TOKEN", "/?x=TOKEN",
    ])
    func `a token in a URL is refused, and not repeated`(target: String) async throws {
        let admin = try await AskedAdmin(hasInspector: true, hasUsers: true)
        let token = try admin.user("ada", [.admin])
        let response = try await admin.ask(
            "GET", target.replacingOccurrences(of: "TOKEN", with: token), token: token)
        #expect(response.status == 400 && response.body.contains("revoke this token"), "\(response)")
        #expect(!response.body.contains(token))
        await admin.stop()
    }

    @Test func `a file that others can read, or that is broken, lets nobody in`() async throws {
        let admin = try await AskedAdmin(hasUsers: true)
        let token = try admin.user("ada", [.admin])
        let whole = try admin.folder.read(".shunt/tokens.json")
        func status() async throws -> Int { try await admin.ask("GET", "/v1/status", token: token).status }
        #expect(try await status() == 200)
        let path = admin.tokens.path
        var facts = stat()
        #expect(stat(path, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
        let secret = try #require(token.split(separator: "_").last)
        #expect(!whole.contains(secret))
        for mode in [0o640, 0o604, 0o622] as [mode_t] {
            chmod(path, mode)
            #expect(try await status() == 401)
        }
        for text in [
            "", "{", "[]", "{}", #"{"tokens": [{}]}"#, whole.replacingOccurrences(of: "admin", with: "root"),
            whole.replacingOccurrences(of: "\"until\": null", with: "\"until\": \"never\""),
        ] {
            try admin.folder.write(".shunt/tokens.json", text)
            chmod(path, 0o600)
            #expect(try await status() == 401, "\(text)")
        }
        try admin.folder.write(".shunt/tokens.json", whole)
        chmod(path, 0o600)
        #expect(try await status() == 200)
        // A link is not followed: where it leads may be another person's.
        rename(path, path + ".real")
        symlink(path + ".real", path)
        #expect(try await status() == 401)
        await admin.stop()
    }

    @Test func `a token that is revoked ends the stream that it opened`() async throws {
        let admin = try await AskedAdmin(hasUsers: true)
        let (mine, other) = (try admin.user("ada", [.logs]), try admin.user("bob", [.logs]))
        let (text, rest) = try await blocking {
            let follower = try admin.connect("GET", "/v1/traffic/events", token: mine)
            let another = try admin.connect("GET", "/v1/traffic/events", token: other)
            _ = try follower.read(until: "retry: 1000")
            _ = try another.read(until: "retry: 1000")
            _ = try admin.tokens.revoke("ada")
            let text = try follower.readToEnd()
            admin.offer(1, AskedAdmin.exchange("/one"))
            return (text, try another.read(until: "event: exchange"))
        }
        // Cut off, so that no client takes it for the whole.
        #expect(!text.contains("\r\n0\r\n") && rest.contains("event: exchange"))
        #expect(try await admin.ask("GET", "/v1/traffic/events", token: mine).status == 401)
        await admin.stop()
    }

    @Test func `an end comes by the clock`() throws {
        let folder = try TemporaryFolder()
        let file = TokenFile(profilesDirectory: folder.path + "/Profiles")
        let now = Int64(time(nil))
        let token = try file.add("ada", [.logs], until: now + 10) { _ in }.token
        #expect(!token.isOver(now: now + 9) && token.isOver(now: now + 10) && token.isOver(now: now + 11))
        #expect(try file.add("ada", [.logs], until: nil) { _ in }.token.isOver(now: .max) == false)
    }

    @Test(arguments: [
        "", "Ada", "owner", "0123456789ab", "a b", "ada\n", "-x", "ädä", "../x", String(repeating: "a", count: 33),
        "a\u{202e}",
    ])
    func `such a name is no user's`(name: String) throws {
        let file = TokenFile(profilesDirectory: try TemporaryFolder().path + "/Profiles")
        #expect(throws: TokenFailure.self) { try file.add(name, [.logs], until: nil) { _ in } }
        #expect(UserToken.isName("ada.l-2_x") && UserToken.isName("0123456789abc") && !UserToken.isName(name))
    }

    @Test func `nothing is lost where many write at once`() async throws {
        let folder = try TemporaryFolder()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await blocking {
                        _ = try TokenFile(profilesDirectory: folder.path + "/Profiles")
                            .add("user\(number)", [.logs], until: nil) { _ in }
                    }
                }
            }
            try await group.waitForAll()
        }
        let users = try TokenFile(profilesDirectory: folder.path + "/Profiles").read().map(\.user)
        #expect(Set(users) == Set((0..<40).map { "user\($0)" }) && users.count == 40)
    }

    @Test func `a user chooses for her own devices, and for no other's`() async throws {
        let admin = try await AskedAdmin(hasUsers: true)
        let (ada, bob) = (try admin.user("ada", [.use, .devices]), try admin.user("bob", [.use]))
        func post(_ path: String, _ body: String, _ token: String) async throws -> AskedAdmin.Response {
            try await admin.ask("POST", path, Self.json, body: body, token: token)
        }
        let made = try await post("/v1/pair", #"{"app": "nightly"}"#, ada)
        let cookie = try #require(try made.json["cookie"]?.string)
        #expect(made.status == 200 && cookie.hasPrefix("shunt-device="))
        #expect(admin.proxy.devices.device(named: "nightly")?.user == "ada")
        #expect(try await post("/v1/use/mine", #"{"profile": "staging"}"#, ada).status == 200)
        #expect(admin.proxy.devices.choices == ["ada": "staging"])
        // Her device, and her choice, are not bob's to change; the active profile is.
        for (path, body) in [
            ("/v1/use", #"{"profile": "local", "user": "ada"}"#),
            ("/v1/use", #"{"profile": "local", "device": "nightly"}"#),
            ("/v1/use", #"{"profile": "local", "device": "10.0.0.9"}"#),
        ] {
            let refused = try await post(path, body, bob)
            #expect(refused.status == 403, "\(body) \(refused)")
        }
        #expect(try await post("/v1/use", #"{"profile": "production"}"#, bob).status == 200)
        #expect(admin.proxy.devices.choices == ["ada": "staging"] && admin.proxy.profiles?.active == "production")
        // The owner may, for those who are users.
        #expect(try await post("/v1/use", #"{"profile": "local", "user": "ada"}"#, "secret").status == 200)
        #expect(try await post("/v1/use", #"{"profile": "local", "user": "zoe"}"#, "secret").status == 404)
        #expect(try await post("/v1/use/mine", #"{"profile": "local"}"#, "secret").status == 409)
        #expect(try await post("/v1/use/mine", #"{"profile": "nope"}"#, ada).status == 404)
        // What was hers goes with her last token.
        #expect(try await post("/v1/tokens/revoke", #"{"token": "ada"}"#, "secret").status == 200)
        #expect(admin.proxy.devices.device(named: "nightly") == nil && admin.proxy.devices.choices.isEmpty)
        await admin.stop()
    }

    @Test func `a login by token is as good as the token, and no longer`() async throws {
        let admin = try await AskedAdmin(hasInspector: true, hasUsers: true)
        let token = try admin.user("ada", [.logs])
        func login(_ body: String) async throws -> AskedAdmin.Response {
            try await admin.ask("POST", "/v1/inspector/login", Self.json, body: body, token: nil)
        }
        #expect(try await login(#"{"token": "\#(token)x"}"#).status == 401)
        let entered = try await login(#"{"token": "\#(token)"}"#)
        let key = try #require(try entered.json["key"]?.string)
        let cookie = try #require(entered.head.firstMatch(of: /Set-Cookie: ([^;]+);/).map { String($0.1) })
        let fields = "Cookie: \(cookie)\r\nShunt-Inspector: \(key)\r\n"
        #expect(try await admin.ask("GET", "/v1/traffic", fields, token: nil).status == 200)
        let refused = try await admin.ask(
            "POST", "/v1/use", fields + Self.json, body: #"{"profile": "staging"}"#, token: nil)
        #expect(refused.status == 403 && refused.body.contains("ada may not do this"), "\(refused)")
        // The link of a user is a user's.
        let link = try await admin.ask("POST", "/v1/inspector/link", Self.json, body: "{}", token: token)
        let code = try #require(try link.json["url"]?.string?.split(separator: "=").last)
        let second = try await login(#"{"code": "\#(code)"}"#)
        let other = try #require(try second.json["key"]?.string)
        // The key of one login does not go with the cookie of another.
        #expect(
            try await admin.ask("GET", "/v1/status", "Cookie: \(cookie)\r\nShunt-Inspector: \(other)\r\n", token: nil)
                .status == 401)
        _ = try admin.tokens.revoke("ada")
        #expect(try await admin.ask("GET", "/v1/traffic", fields, token: nil).status == 401)
        #expect(try admin.trail.contains { $0.who == "ada" && $0.action == "inspector/login" && $0.refused == nil })
        #expect(try admin.trail.contains { $0.who == "ada" && $0.through == "inspector" && $0.refused != nil })
        await admin.stop()
    }
}
