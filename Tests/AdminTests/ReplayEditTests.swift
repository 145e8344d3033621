import Admin
import Foundation
import JSON
import Profiles
import Store
import TestSupport
import Testing

/// Recorded requests that are changed before they are sent again.
@Suite struct ReplayEditTests {
    private static let json = "Content-Type: application/json\r\n"

    /// Origins that tell what arrives: one for `local`, and one that `production` and `mixed` use.
    private struct Origins {
        let own: ScriptedOrigin
        let production: ScriptedOrigin

        init(_ seen: Kept<[String]>) {
            (own, production) = (Self.origin(seen), Self.origin(seen))
        }

        private static func origin(_ seen: Kept<[String]>) -> ScriptedOrigin {
            ScriptedOrigin { connection, _ in
                let head = try connection.readHead()
                let length = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length: ") }
                let body = try connection.read(count: Int(length?.dropFirst(16) ?? "0") ?? 0)
                seen.change { $0.append(head + body) }
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
            }
        }

        func stop() {
            own.stop()
            production.stop()
        }
    }

    /// An admin interface with one recorded request, before origins that tell what arrives.
    private func asked(
        _ seen: Kept<[String]>, fields: String = "X-Own: 1\r\n"
    ) async throws -> (AskedAdmin, Origins) {
        let origins = Origins(seen)
        let profiles = try ProfileLibrary.load(
            files: [
                ("local", "local", origins.own), ("production", "production", origins.production),
                ("mixed", "local", origins.production),
            ].map { name, kind, origin in
                let text =
                    #"{"kind": "\#(kind)", "routes": [{"origin": "http://127.0.0.1:\#(origin.port)", "preserveHost": true}]}"#
                return (path: "Profiles/\(name).json", bytes: Array(text.utf8))
            })
        let admin = try await AskedAdmin(profiles)
        admin.offer(
            1, AskedAdmin.exchange("/cart?x=1", method: "POST"),
            [
                (.clientRequest, "POST /cart?x=1 HTTP/1.1\r\nHost: api.shop.test\r\n\(fields)\r\n"),
                (.requestBody, "a=1"), (.clientResponse, "HTTP/1.1 200 OK\r\n\r\n"), (.responseBody, "ok"),
            ])
        try await admin.waitForCount(1)
        return (admin, origins)
    }

    private func replay(_ admin: AskedAdmin, _ body: String) async throws -> AskedAdmin.Response {
        try await admin.ask("POST", "/v1/traffic/1/replay", Self.json, body: body)
    }

    @Test func `what is edited arrives, and the rest as it was recorded`() async throws {
        let seen = Kept<[String]>([])
        let (admin, origins) = try await asked(seen)
        for (edit, line, parts, body) in [
            (#"{"method": "PUT"}"#, "PUT /cart?x=1", ["X-Own: 1\r\n", "Host: api.shop.test\r\n"], "a=1"),
            (#"{"url": "https://www.shop.test/other?y=2#z"}"#, "POST /other?y=2", ["Host: www.shop.test\r\n"], "a=1"),
            (#"{"fields": [["X-New", "2"], ["X-New", "3"]]}"#, "POST /cart?x=1", ["X-New: 2\r\nX-New: 3\r\n"], "a=1"),
            (#"{"body": "ä"}"#, "POST /cart?x=1", ["Content-Length: 2\r\n", "X-Own: 1\r\n"], "ä"),
            (#"{"body": "", "method": "GET"}"#, "GET /cart?x=1", ["X-Own: 1\r\n"], ""),
        ] {
            let response = try await replay(admin, edit)
            #expect(response.status == 200, "\(edit): \(response.body)")
            let request = try #require(seen.value.last)
            #expect(request.hasPrefix("\(line) HTTP/1.1\r\n") && request.hasSuffix("\r\n\r\n\(body)"), "\(request)")
            for part in parts { #expect(request.contains(part), "\(edit): \(request)") }
            #expect(request.contains("X-Own") != edit.contains("fields"), "\(request)")
        }
        origins.stop()
        await admin.stop()
    }

    @Test func `what would be read as another request is refused`() async throws {
        let seen = Kept<[String]>([])
        let (admin, origins) = try await asked(seen)
        for edit in [
            #"{"method": ""}"#, #"{"method": "GET /secret HTTP/1.1\r\nX: "}"#, #"{"method": "G T"}"#,
            #"{"method": "CONNECT"}"#, #"{"method": 1}"#, #"{"url": "/cart"}"#, #"{"url": "ftp://a.test/"}"#,
            #"{"url": "http://a.test/a b"}"#, #"{"url": "http://a.test/\r\nX: 1"}"#, #"{"url": "http://a.test\n/"}"#,
            #"{"fields": {}}"#, #"{"fields": ["a"]}"#, #"{"fields": [["a", 1]]}"#, #"{"fields": [["a", "b", "c"]]}"#,
            #"{"fields": [["", "b"]]}"#, #"{"fields": [["a b", "c"]]}"#, #"{"fields": [["a", "b\r\nHost: c"]]}"#,
            #"{"fields": [["a", "b\nc"]]}"#, #"{"fields": [["a", "b\u0000c"]]}"#, #"{"fields": [["a:b", "c"]]}"#,
            #"{"fields": [["Host", "evil.test"]]}"#, #"{"fields": [["content-length", "1"]]}"#,
            #"{"fields": [["Transfer-Encoding", "chunked"]]}"#, #"{"fields": [[":path", "/"]]}"#,
            #"{"fields": [["Connection", "upgrade"], ["Upgrade", "websocket"]]}"#, #"{"body": {}}"#,
        ] {
            let response = try await replay(admin, edit)
            #expect(response.status == 400, "\(edit): \(response.status) \(response.body)")
        }
        #expect(seen.value.isEmpty, "\(seen.value)")
        origins.stop()
        await admin.stop()
    }

    @Test func `production stays guarded, whatever is edited`() async throws {
        let seen = Kept<[String]>([])
        let (admin, origins) = try await asked(seen)
        for edit in [
            "", #""method": "DELETE","#, #""method": "post","#, #""url": "http://www.shop.test/","#,
            #""method": "GET", "body": "", "fields": [["X-HTTP-Method-Override", "DELETE"]],"#,
            #""fields": [["Shunt-Profile", "local"]],"#,
        ] {
            for profile in ["production", "mixed"] {
                let response = try await replay(admin, "{\(edit) \"profile\": \"\(profile)\"}")
                let status = try response.json["replays"]?.array?.first?["status"]?.number?.int64
                #expect(status == 403, "\(profile), \(edit): \(response.body)")
            }
        }
        // Named in the fields, it is no less guarded.
        let named = try await replay(admin, #"{"fields": [["Shunt-Profile", "production"]]}"#)
        #expect(named.body.contains(#""status":403"#), "\(named.body)")
        #expect(seen.value.isEmpty, "\(seen.value)")
        let reading = try await replay(admin, #"{"method": "GET", "body": "", "profile": "production"}"#)
        #expect(reading.status == 200 && seen.value.count == 1, "\(reading.body)")
        origins.stop()
        await admin.stop()
    }

    @Test func `a secret that is still replaced is sent only if one insists, and one that is filled in is sent`()
        async throws
    {
        let seen = Kept<[String]>([])
        let secret = "Bearer <redacted:bearer:0123456789>"
        let (admin, origins) = try await asked(seen, fields: "Authorization: \(secret)\r\n")
        for edit in [
            #"{"method": "PUT"}"#, #"{"fields": [["X-Other", "\#(secret)"]]}"#,
            #"{"fields": [], "body": "a=<redacted:token:0123456789>"}"#,
            #"{"fields": [], "url": "http://a.test/?a=<redacted:token:0123456789>"}"#,
            #"{"fields": [], "url": "http://a.test/?a=%3Credacted:token:0123456789%3E"}"#,
        ] {
            let response = try await replay(admin, edit)
            #expect(response.status == 409 && response.body.contains("was not recorded"), "\(edit): \(response.body)")
        }
        #expect(seen.value.isEmpty)
        let own = try await replay(admin, #"{"fields": [["Authorization", "Bearer own"]]}"#)
        #expect(own.status == 200 && seen.value.last?.contains("Authorization: Bearer own\r\n") == true)
        let forced = try await replay(admin, #"{"method": "PUT", "force": true}"#)
        #expect(forced.status == 200 && seen.value.last?.contains(secret) == true)
        origins.stop()
        await admin.stop()
    }
}
