import Exchanges
import Foundation
import Inspection
import Store
import TestSupport
import Testing

/// What `serve` writes down of what passes.
@Suite struct RecordingTests {
    private func reader(_ shunt: ServingShunt) throws -> TrafficReader {
        try TrafficReader(shunt.folder.path + "/.shunt/traffic.db")
    }

    private static let secrets = ["hunter2secret", "tokensecret", "cookiesecret", "bearersecret"]

    @Test func `an exchange is kept from both sides, and its secrets are not`() throws {
        let origin = ScriptedOrigin { connection, _ in
            while true {
                _ = try connection.readHead()
                _ = try connection.read(count: 31)
                let body = #"{"ok": true, "access_token": "tokensecret"}"#
                try connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nSet-Cookie: sid=cookiesecret; HttpOnly\r\n"
                        + "Strict-Transport-Security: max-age=1\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }
        let shunt = try ServingShunt(
            ["local": profile("http://127.0.0.1:\(origin.port)")], ["--log", "json"])
        let result = try shunt.curl(
            "-H", "Authorization: Bearer bearersecret", "-H", "Content-Type: application/json", "-d",
            #"{"password": "hunter2secret"}  "#, "http://localhost:\(shunt.port)/login?token=tokensecret")
        #expect(result.output.contains("tokensecret"))
        // The line in the log says that it is there.
        #expect(eventually { shunt.process.errors.contains("/login?token=") })
        let reader = try reader(shunt)
        let summary = try #require(try reader.page(limit: 10).first)
        #expect(summary.exchange.method == "POST" && summary.exchange.status == 200 && summary.isEnded)
        #expect(summary.exchange.responder == "origin")
        let record = try #require(try reader.record(summary.id))
        func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }
        #expect(text(record.clientRequest).hasPrefix("POST /login?token="))
        #expect(text(record.originRequest).contains("Via: 1.1 shunt"))
        #expect(text(record.originResponse).contains("Strict-Transport-Security"))
        #expect(!text(record.clientResponse).contains("Strict-Transport-Security"))
        var bodies: [String] = []
        for side in [BodySide.request, .response] {
            var body: [UInt8] = []
            try reader.body(of: summary.id, side) { piece in
                body += piece
                return true
            }
            bodies.append(text(body))
        }
        #expect(bodies[0].contains("<redacted:password:") && bodies[1].contains("<redacted:access_token:"))
        try shunt.stop()
        let files = try FileManager.default.contentsOfDirectory(atPath: shunt.folder.path + "/.shunt")
        for file in files {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: shunt.folder.path + "/.shunt/" + file))
            for secret in Self.secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret) in \(file)") }
        }
        for secret in Self.secrets { #expect(!shunt.process.errors.contains(secret), "\(secret) in the log") }
        origin.stop()
    }

    @Test func `a profile's own rules hold, also for what another one responds for it`() throws {
        let origin = ScriptedOrigin { connection, _ in
            while true {
                _ = try connection.readHead()
                let body = #"{"card": {"number": "cardsecret"}, "number": 7}"#
                try connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                )
            }
        }
        let rules = #""redact": {"fields": ["X-Device-Id"], "parameters": ["voucher"], "json": ["card.number"]},"#
        let plain = profile("http://127.0.0.1:\(origin.port)")
        let ruled = plain.replacing("{", with: "{" + rules, maxReplacements: 1)
        let closed = "http://127.0.0.1:\(ScriptedOrigin.closedPort())"
        let chained = #"{"kind": "local", "routes": [{"origin": ["\#(closed)", "profile:local"]}]}"#
        let shunt = try ServingShunt(["local": ruled, "other": chained, "none": plain], ["--log", "json"])
        for (name, path) in [
            ("local", "/a?voucher=vouchersecret"), ("other", "/b?voucher=vouchersecret"), ("none", "/c?voucher=shown"),
        ] {
            _ = try shunt.curl(
                "-H", "Shunt-Profile: \(name)", "-H", "X-Device-Id: \(name == "none" ? "seen" : "devicesecret")",
                "http://localhost:\(shunt.port)\(path)")
        }
        #expect(eventually { shunt.process.errors.contains("/c?voucher=") })
        let reader = try reader(shunt)
        let found = try reader.page(after: 0, limit: 10)
        #expect(found.count == 3)
        for (summary, isRuled) in zip(found, [true, true, false]) {
            let record = try #require(try reader.record(summary.id))
            let head = String(decoding: record.clientRequest ?? [], as: UTF8.self)
            let body = String(decoding: try reader.body(of: record, .response), as: UTF8.self)
            #expect(head.contains("redacted:voucher") == isRuled && head.contains("<redacted:x-device-id:") == isRuled)
            #expect(body.contains("<redacted:number:") == isRuled && body.contains(#""number": 7"#))
        }
        try shunt.stop()
        for secret in ["vouchersecret", "devicesecret"] { #expect(!shunt.process.errors.contains(secret)) }
        origin.stop()
    }

    @Test func `large bodies are cut, packed ones unpacked, mocks and failures kept too`() throws {
        let nginx = try NginxOrigin(files: ["big": String(repeating: "x", count: 5_000_000)])
        let shunt = try ServingShunt([
            "local": """
            {"kind": "local", "routes": [{"origin": "http://localhost:\(nginx.plainPort)"},
              {"path": "/mock", "mock": {"text": "mocked"}},
              {"path": "/dead", "origin": "http://127.0.0.1:\(ScriptedOrigin.closedPort())"}]}
            """
        ])
        for path in ["big", "mock", "dead"] {
            #expect(try shunt.curl("-o", "got", "http://localhost:\(shunt.port)/\(path)").status == 0)
        }
        try shunt.stop()
        let reader = try reader(shunt)
        let page = try reader.page(limit: 10).sorted { $0.id < $1.id }
        #expect(page.map(\.exchange.responder) == ["origin", "mock", "shunt"])
        #expect(page.map(\.exchange.status) == [200, 200, 502])
        #expect(page[0].exchange.bytes.response == 5_000_000)
        let record = try #require(try reader.record(page[0].id))
        #expect(record.responseBody.isCut && record.responseBody.kept == 1 << 20)
        #expect(page[2].exchange.failure?.stage == "connect")
        let mocked = try #require(try reader.record(page[1].id))
        #expect(mocked.responseBody.kept == 6 && mocked.originRequest == nil)
    }

    @Test func `without a store there is none, and one that cannot be made is told`() throws {
        let profiles = ["local": #"{"kind": "local", "routes": [{"mock": {"text": "hi"}}]}"#]
        let without = try ServingShunt(profiles, ["--no-store"])
        #expect(try without.curl("http://localhost:\(without.port)/").output == "hi")
        #expect(!without.folder.exists(".shunt/traffic.db"))
        let errors = try without.stop().errors
        #expect(errors.contains("GET http://localhost"))
        let refused = try without.run("serve", "--port", "0", "--store", "/dev/null/x.db", "--store-size", "2g")
        #expect(refused.status == 1 && refused.errors.contains("--store /dev/null/x.db"), "\(refused.errors)")
        #expect(refused.errors.contains("--no-store"))
        // At the usual place serving matters more.
        let broken = try ServingShunt(profiles, files: [".shunt/traffic.db/file": ""])
        #expect(try broken.curl("http://localhost:\(broken.port)/").output == "hi")
        let told = try broken.stop().errors
        #expect(told.contains("traffic is not recorded") && told.contains("GET http://localhost"), "\(told)")
    }
}
