import Admin
import Engine
import JSON
import TestSupport
import Testing

/// The routes for machines of users.
@Suite struct AttachRouteTests {
    private static let wish = #"{"path": "/cart/*", "to": "http://localhost:3000"}"#

    private static func post(_ admin: AskedAdmin, _ body: String, _ token: String) async throws -> AskedAdmin.Response {
        try await admin.ask("POST", "/v1/attach", "Content-Type: application/json\r\n", body: body, token: token)
    }

    @Test func `a user attaches a machine, once for a path, and the owner none`() async throws {
        let admin = try await AskedAdmin(hasUsers: true)
        let (ada, bob) = (try admin.user("ada", [.status]), try admin.user("bob", [.status]))
        let made = try await Self.post(admin, Self.wish, ada)
        #expect(made.status == 200 && made.body.contains("until `shunt unlock production`"), "\(made)")
        #expect(try made.json["id"]?.number?.int64 == 1 && made.json["user"]?.string == "ada")
        #expect(try made.json["connections"]?.number?.int64 == 1 && made.json["key"]?.string?.utf8.count == 32)
        for (body, token, status, words) in [
            (Self.wish, "secret", 409, "the owner is none"), (Self.wish, ada, 409, "you have attached"),
            (#"{"path": "cart", "to": "http://localhost:3000"}"#, ada, 400, "does not start with"),
            (#"{"path": "/x", "to": "localhost"}"#, ada, 400, "has no scheme"),
            (#"{"path": "/x"}"#, ada, 400, "to"),
        ] {
            let refused = try await Self.post(admin, body, token)
            #expect(refused.status == status && refused.body.contains(words), "\(body) \(refused)")
        }
        #expect(try await Self.post(admin, Self.wish, bob).status == 200)
        let list = try await admin.ask("GET", "/v1/attach", token: bob)
        #expect(try list.json["attachments"]?.array?.compactMap { $0["user"]?.string } == ["ada", "bob"])
        // It is shown to those who have it alone.
        #expect(!list.body.contains(try made.json["key"]?.string ?? "no key"))
        await admin.stop()
    }

    @Test func `a connection takes an upgrade and its own user, and ends with the token`() async throws {
        let admin = try await AskedAdmin(hasUsers: true)
        let (ada, bob) = (try admin.user("ada", [.status]), try admin.user("bob", [.admin]))
        #expect(try await Self.post(admin, Self.wish, ada).status == 200)
        #expect(try await admin.ask("GET", "/v1/attach/1", token: ada).status == 426)
        let upgrade = "Connection: Upgrade\r\nUpgrade: shunt-attach\r\n"
        #expect(try await admin.ask("GET", "/v1/attach/1", upgrade, token: bob).status == 404)
        #expect(try await admin.ask("GET", "/v1/attach/2", upgrade, token: ada).status == 404)
        #expect(try await admin.ask("GET", "/v1/attach/1", upgrade, token: nil).status == 401)
        let client = try await blocking {
            let client = try admin.connect("GET", "/v1/attach/1", upgrade, token: ada)
            #expect(try client.readHead().hasPrefix("HTTP/1.1 101 "))
            // Shunt is the client of HTTP/2 from here on.
            #expect(try client.read(count: 24) == "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            return client
        }
        #expect(try await admin.ask("GET", "/v1/attach/1", upgrade, token: ada).status == 409)
        _ = try admin.tokens.revoke("ada")
        _ = try await blocking { try? client.readToEnd() }
        try await blocking {
            #expect(eventually { admin.proxy.attachments.list.isEmpty })
            #expect(
                eventually {
                    (try? admin.trail.contains { $0.action == "attach/end" && $0.who == "ada" }) ?? false
                })
        }
        #expect(try admin.trail.contains { $0.action == "attach" && $0.refused == nil })
        await admin.stop()
    }
}
