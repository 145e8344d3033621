import Foundation
import JSON
import Push
import TestSupport
import Testing

/// The stand-in for APNs with programs that people push with, and `shunt push received`.
@Suite(.serialized) struct PushCommandTests {
    private static let device = String(repeating: "0a", count: 32)

    private let shunt: ServingShunt
    private let token: String

    init() throws {
        let key = try #require(ProviderKey.generate())
        let open = String(decoding: key.pem(isPrivate: false) ?? [], as: UTF8.self)
        token = try #require(
            ProviderToken.text(
                signedBy: key, keyID: "ABC123DEFG", teamID: "TEAM567890", at: Int64(Date().timeIntervalSince1970)))
        shunt = try ServingShunt(
            [
                "local": #"""
                {"kind": "local", "routes": [{"push": {
                  "environment": "mock", "topics": ["com.example.shop"], "key": "../apns.pem", "keyID": "ABC123DEFG",
                  "teamID": "TEAM567890", "unregistered": {"\#(String(repeating: "41", count: 32))": 7}}}]}
                """#
            ], files: ["apns.pem": open])
    }

    private func push(_ version: String, _ more: String...) throws -> ChildProcess.Result {
        try shunt.curl(
            [
                version, "-w", " %{http_version} %{http_code}", "-H", "authorization: bearer \(token)", "-H",
                "apns-topic: com.example.shop", "-d", #"{"aps":{"alert":{"title":"Shipped","body":"Soon"}}}"#,
            ] + more + ["http://localhost:\(shunt.port)/3/device/\(Self.device)"])
    }

    @Test func `curl pushes, and what was delivered is listed`() throws {
        #expect(try push("--http2-prior-knowledge", "-H", "apns-push-type: alert").output == " 2 200")
        #expect(
            try push("--http2-prior-knowledge", "-H", "apns-priority: 3").output == #"{"reason":"BadPriority"} 2 400"#)
        #expect(try push("--http1.1").output.hasSuffix(" 1.1 505"))
        let listed = try shunt.run("push", "received")
        #expect(
            listed.output.split(separator: " ", maxSplits: 1).last
                == "alert 10 com.example.shop 0a0a0a0a…0a0a \"Shipped: Soon\"\n", "\(listed.errors)")
        let json = try JSONReader.read(try shunt.run("push", "received", "--json").output)
        #expect(json["token"]?.string == Self.device && json["payload"]?["aps"]?["alert"]?["body"]?.string == "Soon")
        #expect(try push("--http2-prior-knowledge").output == " 2 200")
        #expect(try shunt.run("push", "received", "-n", "1").output.contains(" - 10 com.example.shop"))
        #expect(try shunt.run("push", "received", "--clear").output == "2 notifications are forgotten.\n")
        #expect(try shunt.run("push", "received").output.isEmpty)
    }

    @Test func `new ones are followed`() throws {
        let follower = try ChildProcess(
            ShuntBinary.path, ["push", "received", "-f", "--json"], directory: shunt.folder.path, environment: [:])
        defer { follower.signal(9) }
        #expect(try push("--http2-prior-knowledge").output == " 2 200")
        #expect(eventually { follower.output.contains(Self.device) })
        #expect(try push("--http2-prior-knowledge").output == " 2 200")
        #expect(eventually { follower.output.split(separator: "\n").count == 2 })
    }

    @Test func `the log has facts and warnings, and no device token`() throws {
        #expect(try push("--http2-prior-knowledge", "-H", "apns-push-type: background").output == " 2 200")
        #expect(try push("--http2-prior-knowledge", "-H", "apns-priority: 3").output.hasSuffix(" 2 400"))
        #expect(eventually { (try? shunt.run("logs", "~push").output.split(separator: "\n").count) == 2 })
        let refused = try shunt.run("logs", "~reason BadPriority").output
        #expect(
            try shunt.run("logs", "~id 1").output.contains(" → push warning: background-priority\n"), "in the log")
        #expect(
            refused.contains(" 400 ") && !refused.contains(Self.device) && refused.contains("redacted"), "\(refused)")
        let first = try shunt.run("show", "1").output
        #expect(first.contains("  push       APNs, background, priority 10, topic com.example.shop\n"), "\(first)")
        #expect(first.contains("  warning    a background notification has priority 10, and APNs asks for 5\n"))
        let second = try shunt.run("show", "2").output
        #expect(second.contains("priority 3, topic com.example.shop, BadPriority\n"), "\(second)")
        #expect(second.contains("  warning    apns-push-type is missing"))
        #expect(!(first + second).contains(Self.device) && !(first + second).contains(token))
        // curl opens a connection for each.
        for _ in 0..<3 { #expect(try push("--http2-prior-knowledge").output == " 2 200") }
        #expect(eventually { (try? shunt.run("logs", "~push").output.split(separator: "\n").count) == 5 })
        #expect(try shunt.run("show", "5").output.contains("  warning    each notification came on a connection"))
    }

    @Test func `FCM and WebPush are told from APNs`() throws {
        let shunt = try ServingShunt([
            "local": #"""
            {"kind": "local", "routes": [
              {"path": "/v1/projects/*", "mock": {"status": 404, "json": {"error": {
                "status": "NOT_FOUND", "details": [{"errorCode": "UNREGISTERED"}]}}}},
              {"path": "/wpush/*", "mock": {"status": 201}}]}
            """#
        ])
        let base = "http://localhost:\(shunt.port)"
        let address = "gAAAAABk" + String(repeating: "Zy-_", count: 20)
        _ = try shunt.curl(
            "-d", #"{"message": {"token": "bk3RNwTe3H0:CI2k_HHwgIpoDKCI", "notification": {"body": "x"}}}"#, "-H",
            "content-type: application/json", base + "/v1/projects/shop/messages:send")
        _ = try shunt.curl(
            "--data-binary", "x", "-H", "TTL: 60", "-H", "Content-Encoding: aes128gcm", "-H", "Urgency: high", "-H",
            "Authorization: vapid t=eyJ0.eyJh.c2ln, k=BA1Hxzyi1", base + "/wpush/v2/" + address)
        #expect(eventually { (try? shunt.run("logs", "~push").output.split(separator: "\n").count) == 2 })
        #expect(try shunt.run("logs", "~reason ^UNREGISTERED$").output.split(separator: "\n").count == 1)
        let shown = try shunt.run("show", "1").output + shunt.run("show", "2").output
        #expect(shown.contains("  push       FCM HTTP v1, project shop, UNREGISTERED\n"), "\(shown)")
        #expect(shown.contains("  push       WebPush, VAPID, aes128gcm, TTL 60, urgency high\n"))
        for secret in ["bk3RNwTe3H0", address, "c2ln"] { #expect(!shown.contains(secret), "\(secret)") }
    }

    private static let cases = ["accepted", "refused", "many at once"]

    @Test(.enabled(if: ClientProgram.hasPython, "httpx \(ClientProgram.hint)")) func `httpx`() throws {
        try ClientProgram.expect(
            Self.cases,
            of: ClientProgram.python(
                "push.py", "https://localhost:\(shunt.port)", shunt.folder.path + "/certs/ca.pem", token))
    }

    @Test(.enabled(if: ClientProgram.hasNode, "node \(ClientProgram.hint)")) func `node`() throws {
        try ClientProgram.expect(
            Self.cases,
            of: ClientProgram.node(
                "push.js", "https://localhost:\(shunt.port)", shunt.folder.path + "/certs/ca.pem", token))
    }

    @Test(.enabled(if: ClientProgram.hasNghttp, "h2load \(ClientProgram.hint)")) func `h2load`() throws {
        let body = try shunt.folder.write("body.json", #"{"aps":{"alert":"Hello"}}"#)
        let load = try ClientProgram.run([
            "h2load", "-n", "2000", "-c", "1", "-m", "100", "-d", body, "-H", "authorization: bearer \(token)", "-H",
            "apns-topic: com.example.shop", "-H", "apns-push-type: alert",
            "http://127.0.0.1:\(shunt.port)/3/device/\(Self.device)",
        ])
        #expect(load.output.contains("2000 succeeded, 0 failed"), "\(load.output)")
        #expect(load.output.contains("status codes: 2000 2xx"), "\(load.output)")
    }

    @Test(.enabled(if: ClientProgram.hasNghttp, "nghttp \(ClientProgram.hint)")) func `nghttp`() throws {
        let body = try shunt.folder.write("body.json", #"{"aps":{"alert":"Hello"}}"#)
        let push = try ClientProgram.run([
            "nghttp", "-v", "-m", "20", "-d", body, "-H", "authorization: bearer \(token)", "-H",
            "apns-topic: com.example.shop", "-H", "apns-push-type: alert",
            "https://localhost:\(shunt.port)/3/device/\(Self.device)",
        ])
        #expect(push.output.split(separator: "\n").count { $0.hasSuffix(":status: 200") } == 20, "\(push.output)")
        #expect(try shunt.run("push", "received", "--json").output.split(separator: "\n").count == 20)
    }
}
