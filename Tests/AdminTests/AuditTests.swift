import Admin
import Engine
import Foundation
import JSON
import TestSupport
import Testing

/// Who has changed what.
@Suite struct AuditTests {
    private static let json = "Content-Type: application/json\r\n"

    private func post(
        _ admin: AskedAdmin, _ path: String, _ body: String, token: String? = "secret"
    ) async throws -> AskedAdmin.Response {
        try await admin.ask("POST", path, Self.json, body: body, token: token)
    }

    @Test func `every change is a line with its person, before and after`() async throws {
        let admin = try await AskedAdmin(hasUsers: true)
        let ada = try admin.user("ada", [.use, .unlock, .network, .mocks, .devices, .clear])
        for (path, body) in [
            ("/v1/use", #"{"profile": "staging"}"#), ("/v1/use", #"{"profile": "local", "device": "10.0.0.9"}"#),
            ("/v1/use/mine", #"{"profile": "staging"}"#), ("/v1/use/mine", "{}"),
            ("/v1/unlock", #"{"profile": "production", "seconds": 60, "reason": "order 4711"}"#),
            ("/v1/lock", #"{"profile": "production"}"#), ("/v1/network", #"{"network": "lte", "seconds": 5}"#),
            ("/v1/devices/forget", #"{"all": true}"#), ("/v1/mocks", #"{"state": "off", "all": true}"#),
        ] {
            #expect(try await post(admin, path, body, token: ada).status == 200, "\(path) \(body)")
        }
        #expect(try await admin.ask("DELETE", "/v1/traffic?filter=~e", token: ada).status == 200)
        let lines = try admin.trail.map {
            [$0.who, $0.action, $0.target, $0.before, $0.after].map { $0 ?? "-" }.joined(separator: "|")
        }
        #expect(
            lines == [
                "ada|use|all|local|staging", "ada|use|device 10.0.0.9|the active one|local",
                "ada|use/mine|user ada|the active one|staging", "ada|use/mine|user ada|staging|the active one",
                "ada|unlock|production|locked|unlocked 60 s: order 4711",
                "ada|lock|production|unlocked 60 s: order 4711|locked",
                "ada|network|all clients|default|lte for 5 s", "ada|devices/forget|10.0.0.9|-|-",
                "ada|mocks|staging|none off|none off", "ada|traffic/clear|~e|-|-",
            ])
        let first = try #require(try admin.trail.first)
        #expect(first.from == "127.0.0.1" && first.through == "api" && first.token?.count == 12 && first.refused == nil)
        let text = try admin.folder.read(".shunt/audit.jsonl")
        #expect(text.firstMatch(of: /^{"time":"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z","who":"ada"/) != nil, "\(text)")
        var facts = stat()
        #expect(stat(admin.folder.path + "/.shunt/audit.jsonl", &facts) == 0 && facts.st_mode & 0o777 == 0o600)
        await admin.stop()
    }

    @Test func `what is refused is a line, too, and looks are none`() async throws {
        let admin = try await AskedAdmin(hasUsers: true)
        let ada = try admin.user("ada", [.logs, .audit])
        #expect(try await post(admin, "/v1/unlock", "{}", token: ada).status == 403)
        #expect(try await post(admin, "/v1/use", #"{"profile": "nope"}"#).status == 404)
        #expect(try await post(admin, "/v1/use", "{}", token: "guessed").status == 401)
        for path in ["status", "traffic", "audit", "devices"] {
            _ = try await admin.ask("GET", "/v1/\(path)", token: ada)
        }
        _ = try await admin.ask("GET", "/v1/status", token: "guessed")
        #expect(try admin.trail.map(\.who) == ["ada", "owner", ""])
        #expect(try admin.trail.allSatisfy { $0.refused != nil })
        #expect(!(try admin.folder.read(".shunt/audit.jsonl")).contains("guessed"))
        // Strangers cannot displace the lines of others.
        for _ in 0..<40 { _ = try await post(admin, "/v1/use", "{}", token: "guessed") }
        #expect(try admin.trail.count <= 14)
        let shown = try await admin.ask("GET", "/v1/audit?user=ada&limit=1", token: ada)
        #expect(try shown.json["entries"]?.array?.compactMap { $0["who"]?.string } == ["ada"])
        let later = try await admin.ask("GET", "/v1/audit?since=4000000000", token: ada)
        #expect(try later.json["entries"]?.array?.isEmpty == true)
        await admin.stop()
    }

    @Test(arguments: [
        "two\nlines", "bidi \u{202e}gnp.exe", "\u{1b}[2J", "nul \0", "line \u{2028} sep", "\u{9b}31m",
        #"{"who":"owner"}"#, "\r\n{\"time\":\"x\"}",
    ])
    func `hostile texts stay on their line and obey nobody`(text: String) async throws {
        let admin = try await AskedAdmin(hasUsers: true)
        var writer = JSONWriter()
        writer.object { object in
            object.member("profile", "production")
            object.member("seconds", 60)
            object.member("reason", "a " + text)
        }
        _ = try await post(admin, "/v1/unlock", String(decoding: writer.bytes, as: UTF8.self))
        writer = JSONWriter()
        writer.object { $0.member("profile", text) }
        _ = try await post(admin, "/v1/use", String(decoding: writer.bytes, as: UTF8.self))
        let written = try admin.folder.read(".shunt/audit.jsonl")
        #expect(written.split(separator: "\n").count == 2 && written.hasSuffix("}\n"), "\(written)")
        #expect(try admin.trail.map(\.who) == ["owner", "owner"])
        let unsafe = written.unicodeScalars.filter {
            $0 != "\n" && ($0.value < 32 || (0x7f...0x9f).contains($0.value) || (0x2028...0x202e).contains($0.value))
        }
        #expect(unsafe.isEmpty && !written.contains("\\u"), "\(written)")
        await admin.stop()
    }

    @Test func `secrets in texts are not written`() async throws {
        let admin = try await AskedAdmin(hasUsers: true)
        let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
        _ = try await post(
            admin, "/v1/unlock",
            #"{"profile": "production", "seconds": 60, "reason": "Authorization: Bearer \#(jwt)"}"#)
        let text = try admin.folder.read(".shunt/audit.jsonl")
        #expect(text.contains("unlock") && !text.contains("dozjgNryP4J3"), "\(text)")
        await admin.stop()
    }

    /// As with a disk that is full: nothing can be appended.
    @Test func `what loosens a guard is refused when it cannot be written down`() async throws {
        let admin = try await AskedAdmin(hasUsers: true)
        try admin.folder.write(".shunt/audit.jsonl/x", "")
        let refused = try await post(
            admin, "/v1/unlock", #"{"profile": "production", "seconds": 60, "reason": "x"}"#)
        #expect(refused.status == 507 && refused.body.contains("audit trail"), "\(refused)")
        #expect(!admin.proxy.locks.isUnlocked("production"))
        #expect(try await post(admin, "/v1/tokens", #"{"user": "eve", "may": ["admin"]}"#).status == 507)
        #expect(try admin.tokens.read().isEmpty)
        #expect(try await admin.ask("DELETE", "/v1/traffic").status == 507)
        // What can be taken back goes on, and so does what closes.
        #expect(try await post(admin, "/v1/use", #"{"profile": "staging"}"#).status == 200)
        #expect(try await post(admin, "/v1/lock", #"{"profile": "production"}"#).status == 200)
        await admin.stop()
    }

    @Test func `files are begun anew when they are full, and the oldest goes`() throws {
        let folder = try TemporaryFolder()
        let log = AuditLog(profilesDirectory: folder.path + "/Profiles", fileSize: 1000)
        for number in 0..<200 {
            try log.append(AuditEntry(who: "ada", through: "api", action: "use", target: "\(number)"))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/.shunt").sorted()
        #expect(names == ["audit.jsonl"] + (1..<8).map { "audit.jsonl.\($0)" })
        let kept = try log.entries(limit: 1000).compactMap(\.target)
        #expect(kept.last == "199" && kept.count > 30 && kept.count < 80)
        #expect(kept == (200 - kept.count..<200).map { "\($0)" })
        #expect(try log.entries(limit: 3).map(\.target) == ["197", "198", "199"])
    }

    @Test func `lines of many writers do not mix`() async throws {
        let folder = try TemporaryFolder()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    try await blocking {
                        let log = AuditLog(profilesDirectory: folder.path + "/Profiles", fileSize: 3000)
                        for number in 0..<20 {
                            try log.append(
                                AuditEntry(who: "w\(writer)", through: "api", action: "use", target: "\(number)"))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let log = AuditLog(profilesDirectory: folder.path + "/Profiles", fileSize: 3000)
        let kept = try log.entries(limit: 1000)
        for writer in 0..<8 {
            let mine = kept.filter { $0.who == "w\(writer)" }.compactMap { $0.target.flatMap { Int($0) } }
            // In order, to the end.
            #expect(mine == Array((20 - mine.count)..<20), "\(mine)")
        }
        #expect(kept.count > 100)
    }

    @Test func `a file of somebody else's making is not appended to`() throws {
        let folder = try TemporaryFolder()
        let log = AuditLog(profilesDirectory: folder.path + "/Profiles")
        try folder.write("elsewhere", "")
        try folder.write(".shunt/x", "")
        symlink(folder.path + "/elsewhere", log.path)
        #expect(throws: (any Error).self) { try log.append(AuditEntry(who: "ada", through: "api", action: "use")) }
        unlink(log.path)
        mkfifo(log.path, 0o600)
        #expect(throws: (any Error).self) { try log.append(AuditEntry(who: "ada", through: "api", action: "use")) }
        #expect(try folder.read("elsewhere").isEmpty)
    }
}
