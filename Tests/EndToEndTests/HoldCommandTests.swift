import Foundation
import JSON
import TestSupport
import Testing

/// `shunt hold`: breakpoints of a running Shunt.
@Suite struct HoldCommandTests {
    private static let profiles = [
        "local": #"{"kind": "local", "routes": [{"mock": {"template": true, "text": "{{method}} {{query.a}}"}}]}"#,
        "other": #"{"kind": "staging", "routes": [{"mock": {"text": "other"}}]}"#,
    ]

    private func held(_ shunt: ServingShunt) throws -> Int {
        var id: Int64?
        #expect(
            eventually {
                let list = try? JSONReader.read(try shunt.run("hold", "--json").output)
                id = list?["held"]?.array?.first?["id"]?.number?.int64
                return id != nil
            })
        return Int(try #require(id, "nothing is held"))
    }

    private func curl(_ shunt: ServingShunt, _ arguments: String...) throws -> ChildProcess {
        try ChildProcess(
            "/usr/bin/env",
            ["curl", "-sS", "--max-time", "120", "--noproxy", "*"] + arguments + [
                "http://127.0.0.1:\(shunt.port)/cart"
            ],
            directory: shunt.folder.path)
    }

    @Test func `messages are held, and bytes take the place of a body`() throws {
        let shunt = try ServingShunt([
            "local": """
            {"kind": "local", "routes": [
                {"path": "/cart", "mock": {"events": {"script": [{"id": 7, "data": "one"}, {"data": "two"}]}}},
                {"path": "/bytes", "mock": {"text": "1"}}]}
            """
        ])
        let set = try shunt.run("hold", "--message", "~u /cart & ~bs one")
        #expect(set.status == 0 && set.output.contains("message  all"), "\(set)")
        let events = try curl(shunt)
        var id = try held(shunt)
        #expect(try shunt.run("hold").output.contains("origin  http://127.0.0.1:\(shunt.port)/cart"))
        let shown = try shunt.run("hold", "--show", "\(id)").output
        #expect(shown.hasPrefix("event of the origin, http://127.0.0.1") && shown.contains("\none\n"), "\(shown)")
        let wrong = try shunt.run("hold", "--continue", "\(id)", "--status", "500")
        #expect(wrong.status == 1 && wrong.errors.contains("a message has neither head nor status"), "\(wrong)")
        #expect(try shunt.run("hold", "--continue", "\(id)", "--body", "other").status == 0)
        #expect(try events.wait(seconds: 120).output == "id: 7\ndata: other\n\ndata: two\n\n")
        let messages = try shunt.run("show", "1", "--messages").output
        #expect(messages.contains("not sent on") && messages.contains("sent instead"), "\(messages)")
        // A body that is no text.
        #expect(try shunt.run("hold", "--response", "~u /bytes").status == 0)
        try Data([0, 0xFF]).write(to: URL(fileURLWithPath: shunt.folder.path + "/bytes.bin"))
        let bytes = try ChildProcess(
            "/bin/sh",
            ["-c", "curl -sS --max-time 120 --noproxy '*' http://127.0.0.1:\(shunt.port)/bytes | od -An -tx1"],
            directory: shunt.folder.path)
        id = try held(shunt)
        #expect(try shunt.run("hold", "--continue", "\(id)", "--body", "@bytes.bin").status == 0)
        #expect(try bytes.wait(seconds: 120).output == " 00 ff\n")
        // The record has the head and the body that were sent.
        #expect(try shunt.run("show", "2", "--raw", "response").output == "\0\u{FFFD}")
        #expect(try shunt.run("show", "2", "--raw", "origin-response").output == "1")
    }

    @Test(arguments: [[], ["--http2-prior-knowledge"]])
    func `what is held is edited, responded to, dropped, and goes to the profile that is active then`(
        version: [String]
    ) throws {
        let shunt = try ServingShunt(Self.profiles)
        func client() throws -> ChildProcess {
            let client = try ChildProcess(
                "/usr/bin/env",
                ["curl", "-sS", "-i", "--max-time", "120", "--noproxy", "*", "-d", "password=hunter2-x&count=1"]
                    + version
                    + ["http://127.0.0.1:\(shunt.port)/cart"], directory: shunt.folder.path)
            return client
        }
        let set = try shunt.run("hold", "~m POST", "--for", "5m")
        #expect(set.status == 0 && set.output.contains("request  all      5 min 0 s  0     ~m POST"), "\(set)")
        // Edited.
        var waiting = try client()
        var id = try held(shunt)
        let shown = try shunt.run("hold", "--show", "\(id)").output
        #expect(shown.contains("POST /cart\n") && !shown.contains("hunter2") && shown.contains("&count=1"), "\(shown)")
        let wrong = try shunt.run("hold", "--continue", "\(id)", "--header", "Content-Length: 3")
        #expect(wrong.status == 1 && wrong.errors.contains("Content-Length is written by Shunt"), "\(wrong)")
        #expect(try shunt.run("hold", "--continue", "\(id)", "--method", "PUT", "--path", "/new?a=b").status == 0)
        var result = try waiting.wait(seconds: 120)
        #expect(result.output.contains(" 200") && result.output.hasSuffix("PUT b"), "\(result)")
        // Responded to.
        waiting = try client()
        id = try held(shunt)
        #expect(
            try shunt.run("hold", "--respond", "\(id)", "--status", "503", "--header", "X-By: me", "--body", "no")
                .status == 0)
        result = try waiting.wait(seconds: 120)
        #expect(result.output.contains(" 503") && result.output.lowercased().contains("x-by: me"), "\(result)")
        // Dropped.
        waiting = try client()
        id = try held(shunt)
        #expect(try shunt.run("hold", "--drop", "\(id)").status == 0)
        #expect(try waiting.wait(seconds: 120).status != 0)
        // Another profile is active once it goes on, and a switch does not wait for it.
        waiting = try client()
        id = try held(shunt)
        #expect(try shunt.run("use", "other").status == 0)
        #expect(try shunt.run("hold", "--off", "all").status == 0)
        #expect(try waiting.wait(seconds: 120).output.hasSuffix("other"))
        #expect(try shunt.run("hold").output == "There are no breakpoints.\n")
        let gone = try shunt.run("hold", "--continue", "\(id)")
        #expect(gone.status == 1 && gone.errors.contains("exchange \(id) is not held, or not any more"), "\(gone)")
        // The record tells of it.
        let logged = try shunt.run("logs", "--json", "~m POST").output.split(separator: "\n").map {
            try JSONReader.read(String($0))
        }
        let outcomes = logged.compactMap { $0["held"]?.array?.first?["outcome"]?.string }
        #expect(
            outcomes == ["edited: method, path", "responded instead", "dropped", "breakpoint removed"], "\(outcomes)")
        // A held exchange goes on when Shunt stops.
        #expect(try shunt.run("hold", "--response", "~c 200").status == 0)
        waiting = try client()
        _ = try held(shunt)
        try shunt.stop()
        #expect(try waiting.wait(seconds: 120).output.hasSuffix("other"))
    }

    @Test(arguments: [
        (["hold", "~c 500"], "~c is not known yet when a request is held"),
        (["hold", "~m ("], "the filter is wrong"),
        (["hold", "~all", "--for", "11m"], "is too long"),
        (["hold", "~all", "--drop", "3"], "--drop and “~all” exclude each other"),
        (["hold", "--for", "3s"], "--for needs FILTER"),
        (["hold", "--status", "500"], "--status needs --continue or --respond"),
        (["hold", "--drop", "3", "--show", "3"], "exclude each other"),
        (["hold", "--drop", "x"], "--drop “x” is no number"),
        (["hold", "--respond", "1", "--status", "100"], "no final status"),
        (["hold", "--off", "7"], "there is no breakpoint 7"),
    ])
    func `what makes no sense is refused`(words: [String], message: String) throws {
        let shunt = try ServingShunt(Self.profiles, ["--no-store"])
        let result = try ChildProcess.run(ShuntBinary.path, words, directory: shunt.folder.path)
        #expect(result.status != 0 && result.errors.contains(message), "\(result)")
    }

    @Test func `shunt run holds nothing`() throws {
        let folder = try TemporaryFolder()
        for (name, text) in Self.profiles { try folder.write("Profiles/\(name).json", text) }
        let result = try ChildProcess.run(
            ShuntBinary.path,
            [
                "run", "--admin", "--profile", "local", "--", "/bin/sh", "-c",
                "'\(ShuntBinary.path)' hold '~all' || echo refused",
            ],
            directory: folder.path)
        #expect(
            result.output.contains("refused") && result.errors.contains("`shunt run` holds no exchange"), "\(result)")
    }
}
