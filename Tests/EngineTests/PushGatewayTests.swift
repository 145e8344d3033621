import Engine
import Exchanges
import Foundation
import Profiles
import Push
import TestSupport
import Testing

/// The way to APNs, for which a stand-in stands.
@Suite struct PushGatewayTests {
    private static let device = String(repeating: "0a", count: 32)
    private static let now: Int64 = 1_800_000_000

    /// A gateway in front of a stand-in that checks signatures.
    private struct Gateway {
        let folder: TemporaryFolder
        let clock = Kept<Int64>(PushGatewayTests.now)
        let apns: Harness
        let harness: Harness
        let profiles: [String: String]

        init(hasKey: Bool = true, kind: String = "local", environment: String = "sandbox", more: String = "")
            async throws
        {
            folder = try TemporaryFolder()
            let key = try #require(ProviderKey.generate())
            let secret = try folder.write("AuthKey.p8", String(decoding: key.pem(isPrivate: true) ?? [], as: UTF8.self))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret)
            let open = try folder.write("open.pem", String(decoding: key.pem(isPrivate: false) ?? [], as: UTF8.self))
            let clock = clock
            apns = try await Harness.start(
                profiles: [
                    "apns": #"{"kind": "local", "routes": [{"push": {"environment": "mock", "key": "\#(open)"}}]}"#
                ], active: "apns", clock: { clock.value })
            let signing = hasKey ? #", "key": "\#(secret)", "keyID": "ABC123DEFG", "teamID": "TEAM567890""# : ""
            profiles = [
                "only": #"""
                {"kind": "\#(kind)", "routes": [{"push": {"environment": "\#(environment)",
                  "origin": "h2c://127.0.0.1:\#(apns.port)", "topics": ["com.example.shop"]\#(signing)}\#(more)}]}
                """#
            ]
            harness = try await Harness.start(profiles: profiles, active: "only", clock: { clock.value })
        }

        var received: [ReceivedPush] { apns.proxy.receivedPushes.list(after: 0, limit: 999).pushes }

        func push(
            _ topic: String = "com.example.shop", _ fields: String = "", path: String = "/3/device/" + device
        ) async throws -> String {
            let port = harness.port
            return try await blocking {
                let seen = try ClientKind.h1.ask(
                    port, "POST", path, fields: "apns-topic: \(topic)\r\n\(fields)",
                    body: #"{"aps":{"alert":"Hello"}}"#)
                return String(seen.status.split(separator: " ").dropFirst().first ?? "") + " " + seen.body
            }
        }

        func stop() async {
            await harness.stop()
            await apns.stop()
        }
    }

    @Test func `Shunt makes the tokens, and renews them in time`() async throws {
        let gateway = try await Gateway()
        #expect(try await gateway.push() == "200 ")
        #expect(try await gateway.push("com.example.shop", "Authorization: bearer mine\r\n") == "200 ")
        // The same connection and token for an hour less ten minutes; a reload makes no new one.
        gateway.clock.change { $0 += 1 }
        try gateway.harness.proxy.replace(with: Harness.library(gateway.profiles))
        #expect(try await gateway.push() == "200 ")
        gateway.clock.change { $0 += 2998 }
        #expect(try await gateway.push() == "200 ")
        gateway.clock.change { $0 += 1 }
        #expect(try await gateway.push() == "200 ")
        // A clock that is set on by hours, and one that is set back.
        gateway.clock.change { $0 += 90_000 }
        #expect(try await gateway.push() == "200 ")
        gateway.clock.change { $0 -= 50_000 }
        #expect(try await gateway.push() == "200 ")
        #expect(gateway.received.count == 7)
        // A reload of the same profiles keeps the connection.
        #expect(Set(gateway.apns.log.exchanges.map(\.client.address)).count == 1)
        await gateway.stop()
    }

    @Test func `a topic that the route does not name stays here`() async throws {
        let gateway = try await Gateway()
        #expect(try await gateway.push("com.example.other") == #"400 {"reason":"TopicDisallowed"}"#)
        #expect(try await gateway.push("com.example.shop.voip", "apns-push-type: voip\r\n") == "200 ")
        #expect(gateway.apns.log.exchanges.count == 1)
        await gateway.stop()
    }

    /// A broadcast has its topic in the path, which a server may read in other spellings as well.
    @Test func `a path that APNs does not have stays here`() async throws {
        let gateway = try await Gateway()
        for path in [
            "/4/broadcasts/apps/com.example.other", "//4/broadcasts/apps/com.other", "/4/broadcasts/apps/com.other/",
            "/4/./broadcasts/apps/com.other", "/4/Broadcasts/apps/com.other", "/4/%62roadcasts/apps/com.other",
            "/4/broadcasts/apps/com.other?x", "/4/broadcasts/apps/com.other?", "/4/broadcasts/apps/com%2Eother",
            "/1/apps/com.other/channels", "/3/device/x/../../4/broadcasts/apps/com.other", "/", "/3/device",
        ] {
            #expect(try await gateway.push(path: path).hasPrefix("40"), "\(path)")
        }
        #expect(gateway.apns.log.exchanges.isEmpty)
        await gateway.stop()
    }

    @Test func `without a key the client's own token passes`() async throws {
        let gateway = try await Gateway(hasKey: false)
        #expect(try await gateway.push() == #"403 {"reason":"MissingProviderToken"}"#)
        #expect(
            try await gateway.push("com.example.shop", "Authorization: bearer a.b.c\r\n")
                == #"403 {"reason":"InvalidProviderToken"}"#)
        await gateway.stop()
    }

    @Test(arguments: [(#", "allow": ["POST"]"#, false, true), ("", false, false), ("", true, true)])
    func `production is unlocked first, unless its route allows it`(
        more: String, isUnlocked: Bool, passes: Bool
    ) async throws {
        let gateway = try await Gateway(kind: "production", environment: "production", more: more)
        if isUnlocked { _ = try gateway.harness.proxy.locks.unlock("only", seconds: 60, reason: "test") }
        let said = try await gateway.push()
        #expect(said.hasPrefix(passes ? "200" : "403"), "\(said)")
        #expect(gateway.received.count == (passes ? 1 : 0))
        await gateway.stop()
    }

    @Test func `a token is kept, and renewed after fifty minutes`() throws {
        let signer = PushSigner(key: try #require(ProviderKey.generate()), keyID: "ABC123DEFG", teamID: "TEAM567890")
        let first = try #require(signer.token(now: 10_000))
        for (time, isSame) in [(10_001, true), (12_999, true), (9_941, true), (9_939, false)] {
            #expect((signer.token(now: Int64(time)) == first) == isSame, "\(time)")
        }
        let signers = PushSigners()
        let again = PushSigner(key: signer.key, keyID: "ABC123DEFG", teamID: "TEAM567890")
        let other = PushSigner(key: signer.key, keyID: "ABC123DEFG", teamID: "TEAM567891")
        #expect(signers.shared(signer) === signers.shared(again) && signers.shared(other) === other)
    }
}

/// Ways to the production environment of APNs, for profiles that are no production.
@Suite struct PushProductionTests {
    @Test(arguments: [
        ("api.push.apple.com", true), ("API.Push.Apple.com.", true), ("push.apple.com", true),
        ("api-manage-broadcast.push.apple.com", true), ("api.push-apple.com.akadns.net", true), ("17.188.1.2", true),
        ("::ffff:17.188.1.2", true), ("2620:149:a44::1", true), ("297533698", true),
        ("64:ff9b::17.188.1.2", true), ("2002:11bc:102::1", true), ("2002:12bc:102::1", false),
        ("api.sandbox.push.apple.com", false), ("web.push.apple.com", false), ("api.development.push.apple.com", false),
        ("api-manage-broadcast.sandbox.push.apple.com", false), ("push.apple.com.example", false),
        ("notpush.apple.com", false), ("18.1.2.3", false), ("localhost", false), ("web.push.apple.com", false),
        ("api.web.push.apple.com", true),
    ])
    func `the hosts are told apart`(host: String, isProduction: Bool) {
        #expect(PushHost.isProduction(host) == isProduction)
    }

    private static let apns = "https://api.push.apple.com"

    @Test(arguments: [
        (#"{"push": {"environment": "production"}}"#, "\"push\" has the environment production"),
        (#"{"push": {"environment": "production", "origin": "http://localhost:1"}}"#, "\"push\" has the environment"),
        (#"{"push": {"environment": "sandbox", "origin": "https://API.push.apple.com:2197/x"}}"#, "leads to api.push"),
        (#"{"origin": "\#(apns)"}"#, "leads to api.push.apple.com"),
        (#"{"origin": "http://api.push.apple.com."}"#, "leads to api.push.apple.com"),
        (#"{"origin": "https://17.188.1.2"}"#, "leads to 17.188.1.2"),
        (#"{"origin": ["http://localhost:1", "\#(apns)"]}"#, "leads to api.push.apple.com"),
        (#"{"files": "/tmp", "path": "/*", "fallthrough": true, "origin": "\#(apns)"}"#, "leads to api.push"),
    ])
    func `a profile of another kind has no route there`(route: String, message: String) {
        for (kind, extends) in [("staging", ""), ("local", "")] {
            let text = #"{"kind": "\#(kind)"\#(extends), "routes": [\#(route)]}"#
            let failure = #expect(throws: ProfileProblems.self) { try Harness.library(["only": text]) }
            #expect(failure?.description.contains(message) == true, "\(failure?.description ?? "")")
        }
        #expect(throws: Never.self) { try Harness.library(["only": #"{"kind": "production", "routes": [\#(route)]}"#]) }
        let failure = #expect(throws: ProfileProblems.self) {
            try Harness.library([
                "only": #"{"kind": "production", "routes": [\#(route)]}"#,
                "heir": #"{"kind": "staging", "extends": "only", "routes": []}"#,
            ])
        }
        #expect(failure?.description.contains("\"heir\" that extends it") == true)
    }

    /// No request reaches the network: each is refused before a connection is made.
    @Test(arguments: [
        // A chain that leads to production's route.
        ("", "POST /3/device/a", "delivers push notifications"),
        ("", "GET /3/device/a", "delivers push notifications"),
        // Production itself, which is locked.
        ("Shunt-Profile: production\r\n", "POST /3/device/a", "read-only"),
        // A proxy's client.
        ("", "POST http://api.push.apple.com/3/device/a", "delivers push notifications"),
        ("", "POST http://API.PUSH.apple.com.:2197/3/device/a", "delivers push notifications"),
        ("", "CONNECT api.push.apple.com:443", "delivers push notifications"),
        ("", "CONNECT 17.188.1.2:443", "delivers push notifications"),
        ("Shunt-Profile: production\r\n", "CONNECT api.push.apple.com:2197", "no route of a production profile"),
        ("Shunt-Profile: production\r\n", "POST http://17.188.1.2/3/device/a", "no route of a production profile"),
    ])
    func `no way leads there`(fields: String, line: String, message: String) async throws {
        let harness = try await Harness.start(
            profiles: [
                "staging":
                    #"{"kind": "staging", "routes": [{"origin": ["http://127.0.0.1:1", "profile:production"]}]}"#,
                "production": #"{"kind": "production", "routes": [{"push": {"environment": "production"}}]}"#,
            ], active: "staging", forward: ForwardProxy())
        // Unlocking production changes nothing for the others.
        if message != "read-only" { try harness.proxy.locks.unlock("production", seconds: 60, reason: "test") }
        let port = harness.port
        let said = try await blocking {
            let client = try RawConnection.connect(port)
            let target = line.split(separator: " ")[1]
            let host = target.split(separator: "/").dropFirst(target.hasPrefix("http") ? 1 : 9).first ?? "x"
            let name = line.hasPrefix("CONNECT") ? String(target) : String(host)
            try client.send("\(line) HTTP/1.1\r\nHost: \(name)\r\n\(fields)Connection: close\r\n\r\n")
            return try client.readToEnd()
        }
        await harness.stop()
        #expect(said.contains(" 403 ") && said.contains(message), "\(said)")
    }
}
