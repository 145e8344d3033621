import Foundation
import JSON
import TestSupport
import Testing

/// `shunt serve --seal`: nothing of what passes is on the disk in the clear.
@Suite struct SealedServingTests {
    private let keys: Shunt
    private let recipient: String
    private var identity: [String: String] { ["SHUNT_IDENTITY": keys.folder.path + "/key.txt"] }

    init() throws {
        keys = try Shunt()
        recipient = try keys.run("keys", "new", "key.txt").output
    }

    private func serve(_ arguments: [String] = ["--seal"]) throws -> ServingShunt {
        try ServingShunt(
            ["local": #"{"kind": "local", "routes": [{"path": "/*", "mock": {"text": "hello"}}]}"#], arguments,
            files: ["Profiles/recipients.txt": recipient])
    }

    private func run(
        _ shunt: ServingShunt, _ arguments: String..., environment: [String: String]? = nil
    ) throws -> ChildProcess.Result {
        try ChildProcess.run(
            ShuntBinary.path, arguments, directory: shunt.folder.path, environment: environment ?? identity)
    }

    @Test func `a marker in every place of a request stands in no file, and is read with the identity`() throws {
        let shunt = try serve()
        // Before anything was recorded.
        let follower = try ChildProcess(
            ShuntBinary.path, ["logs", "-f", "--json"], directory: shunt.folder.path, environment: identity)
        let marker = "mark\(UInt64.random(in: 1 << 60 ... .max))"
        for _ in 0..<20 {
            let sent = try shunt.curl(
                "-H", "X-\(marker): \(marker)", "-H", "User-Agent: \(marker)", "-b", "\(marker)=\(marker)", "-d",
                "\(marker)=\(marker)", "http://127.0.0.1:\(shunt.port)/\(marker)?\(marker)=\(marker)")
            #expect(sent.output == "hello", "\(sent.errors)")
        }
        func check() throws {
            let files = try #require(FileManager.default.enumerator(atPath: shunt.folder.path))
            var count = 0
            for case let name as String in files {
                #expect(!name.contains(marker))
                guard let data = FileManager.default.contents(atPath: shunt.folder.path + "/" + name) else { continue }
                #expect(data.range(of: Data(marker.utf8)) == nil, "\(name)")
                count += name.contains("traffic.sealed/") ? 1 : 0
            }
            #expect(count >= 2)
        }
        #expect(
            eventually {
                (try? run(shunt, "logs", "~u \(marker)").output.split(separator: "\n").count) == 20
            })
        // One that runs when it is looked at is listed once more at its end.
        func ended() -> [Substring] {
            follower.output.split(separator: "\n").filter { !$0.contains(#""running":true"#) }
        }
        #expect(eventually { ended().count == 20 }, "\(follower.output) \(follower.errors)")
        try check()
        #expect(try run(shunt, "show", "3").output.contains("X-\(marker)"))
        let stats = try JSONReader.read(try run(shunt, "stats", "--json").output)
        #expect(stats["total"]?["count"]?.number?.int64 == 20, "\(stats)")
        #expect(try run(shunt, "export", "--jsonl").output.split(separator: "\n").count == 20)
        let missing = try run(shunt, "logs", environment: [:])
        #expect(missing.status == 1 && missing.errors.contains("no identity to open it with"), "\(missing.errors)")
        #expect(try keys.run("keys", "new", "other.txt").status == 0)
        let other = try run(shunt, "logs", "-i", keys.folder.path + "/other.txt")
        #expect(other.status == 1 && other.errors.contains("sealed to other recipients"), "\(other.errors)")
        try shunt.stop()
        try check()
        #expect(try run(shunt, "logs").output.split(separator: "\n").count == 20)
        let part = try run(shunt, "clear", "--yes", "~m POST", environment: [:])
        #expect(part.status == 1 && part.errors.contains("`shunt clear` without a filter"), "\(part.errors)")
        let cleared = try run(shunt, "clear", "--yes", environment: [:])
        #expect(cleared.status == 0, "\(cleared.errors)")
        let empty = try run(shunt, "logs")
        #expect(empty.status == 0 && empty.output.isEmpty, "\(empty.errors)")
    }

    @Test func `an identity that is lent shows what is older than the window, for its time`() throws {
        let store = keys.folder.path + "/kept"
        let first = try serve(["--seal", "--store", store])
        #expect(try first.curl("http://127.0.0.1:\(first.port)/old").output == "hello")
        #expect(eventually { (try? paths(first)) == ["/old"] })
        try first.stop()
        let shunt = try serve(["--seal", "--store", store])
        #expect(try shunt.curl("http://127.0.0.1:\(shunt.port)/new").output == "hello")
        #expect(eventually { (try? paths(shunt)) == ["/new"] })
        #expect(try keys.run("keys", "new", "other.txt").status == 0)
        let other = try run(shunt, "keys", "unlock", keys.folder.path + "/other.txt")
        #expect(other.status == 1 && other.errors.contains("sealed to other recipients"), "\(other.errors)")
        #expect(try paths(shunt) == ["/new"])
        #expect(try run(shunt, "keys", "unlock", "--for", "9h").status == 64)
        // Without the identity of the environment there is none to lend.
        #expect(try run(shunt, "keys", "unlock", environment: [:]).errors.contains("no identity"))

        let lent = try run(shunt, "keys", "unlock", "--for", "1h")
        #expect(lent.status == 0 && lent.output.contains("for 1 h"), "\(lent.errors)")
        #expect(try paths(shunt) == ["/new", "/old"])
        #expect(try admin(shunt, "/v1/traffic/1")["url"]?.string?.hasSuffix("/old") == true)
        #expect(try shunt.run("status").output.contains("sealed, unlocked for"))
        // What is recorded meanwhile is there too, and a refused identity changes nothing.
        #expect(try shunt.curl("http://127.0.0.1:\(shunt.port)/newer").output == "hello")
        #expect(eventually { (try? paths(shunt)) == ["/newer", "/new", "/old"] })
        #expect(try run(shunt, "keys", "unlock", keys.folder.path + "/other.txt").status == 1)
        #expect(try paths(shunt).count == 3)

        #expect(try run(shunt, "keys", "lock", environment: [:]).output.contains("locked again"))
        #expect(try paths(shunt) == ["/newer", "/new"])
        #expect(try admin(shunt, "/v1/status")["sealedSeconds"]?.number?.int64 == 0)
        #expect(try run(shunt, "keys", "unlock", "--for", "1s").status == 0)
        #expect(eventually { shunt.process.errors.contains("its time is over") }, "\(shunt.process.errors)")
        #expect(try paths(shunt) == ["/newer", "/new"])
    }

    @Test func `nothing is lent where the store is not sealed`() throws {
        let shunt = try ServingShunt(["local": #"{"kind": "local", "routes": [{"mock": {"text": "hello"}}]}"#])
        for action in ["unlock", "lock"] {
            let refused = try run(shunt, "keys", action)
            #expect(refused.status == 1 && refused.errors.contains("the store is not sealed"), "\(refused.errors)")
        }
        #expect(try admin(shunt, "/v1/status")["sealedSeconds"]?.isNull == true)
    }

    private func admin(_ shunt: ServingShunt, _ path: String) throws -> JSONValue {
        let token = try #require(
            try FileManager.default.contentsOfDirectory(atPath: shunt.folder.path + "/.shunt")
                .first { $0.hasSuffix(".json") && $0.first?.isNumber == true })
        let record = try JSONReader.read(try shunt.folder.read(".shunt/" + token))
        let response = try shunt.curl(
            "-H", "Authorization: Bearer \(record["token"]?.string ?? "")", shunt.admin + path)
        return try JSONReader.read(response.output)
    }

    /// The paths that the admin interface lists, the newest first.
    private func paths(_ shunt: ServingShunt) throws -> [String] {
        try (try admin(shunt, "/v1/traffic")["exchanges"]?.array ?? []).compactMap { exchange in
            try #require(exchange["url"]?.string).split(separator: "/").last.map { "/" + $0 }
        }
    }

    @Test func `a profile seals the store, whichever is active`() throws {
        let shunt = try ServingShunt([
            "local": #"{"kind": "local", "routes": [{"mock": {"text": "hello"}}]}"#,
            "clinic": #"""
            {"kind": "staging", "routes": [{"mock": {"text": "hello"}}],
             "store": {"seal": true, "recipients": ["\#(recipient.split(separator: "\n")[0])"]}}
            """#,
        ])
        let marker = "mark\(UInt64.random(in: 1 << 60 ... .max))"
        #expect(try shunt.curl("http://127.0.0.1:\(shunt.port)/\(marker)").output == "hello")
        #expect(eventually { (try? run(shunt, "logs", "~u \(marker)").output.contains(marker)) == true })
        #expect(shunt.folder.exists(".shunt/traffic.sealed/lock") && !shunt.folder.exists(".shunt/traffic.db"))
        let missing = try run(shunt, "logs", environment: [:])
        #expect(missing.status == 1 && missing.errors.contains("no identity to open it with"), "\(missing.errors)")
        let recording = try ChildProcess.run(
            ShuntBinary.path, ["serve", "--port", "0", "--admin-port", "0", "--record", "x"],
            directory: shunt.folder.path)
        #expect(recording.status == 1 && recording.errors.contains("--record writes in the clear"))
    }

    @Test func `a reload does not seal what is recorded in the clear`() throws {
        let shunt = try ServingShunt(["local": #"{"kind": "local", "routes": [{"mock": {"text": "hello"}}]}"#])
        try shunt.folder.write(
            "Profiles/local.json",
            #"{"kind": "local", "store": {"seal": true}, "routes": [{"mock": {"text": "other"}}]}"#)
        let refused = try shunt.run("reload")
        #expect(refused.status == 1 && refused.errors.contains("records in the clear"), "\(refused.errors)")
        #expect(try shunt.curl("http://127.0.0.1:\(shunt.port)/").output == "hello")
    }

    @Test(arguments: [
        (["--seal", "--no-store"], "--no-store"), (["--seal", "--record", "x"], "in the clear"),
        (["--seal-to", "age1wrong"], "misspelt"), (["--seal"], "Name one with --seal-to age1…"),
    ])
    func `what cannot be sealed is not recorded in the clear`(_ arguments: [String], _ words: String) throws {
        let shunt = try Shunt()
        try shunt.folder.write("Profiles/local.json", profile("http://127.0.0.1:9"))
        let result = try ChildProcess.run(
            ShuntBinary.path, ["serve", "--port", "0", "--admin-port", "0"] + arguments, directory: shunt.folder.path)
        #expect(result.status != 0 && result.errors.contains(words), "\(result.errors)")
        #expect(!shunt.folder.exists(".shunt/traffic.db"))
    }
}
