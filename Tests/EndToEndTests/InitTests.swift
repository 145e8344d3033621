import Foundation
import TestSupport
import Testing

/// `shunt init`, asked on a terminal and from a Shunt that runs.
@Suite struct InitTests {
    private let shunt: Shunt
    private var folder: TemporaryFolder { shunt.folder }

    init() throws { shunt = try Shunt() }

    private func terminal(_ typed: [(after: String, text: String)], _ words: String...) throws -> TerminalRun {
        try TerminalRun(["init"] + words, typed: typed, directory: folder.path)
    }

    @Test func `on a terminal it asks, and what it wrote is valid`() throws {
        let run = try terminal([
            ("on this machine", "localhost:3000\n"), ("no scheme", ""),
            ("on this machine", " https://localhost:3000 \n"),
            ("URL of staging", "https://api.staging.shop.example\n"), ("URL of production", "\n"),
            ("Host that apps ask for", "api shop\n"), ("Host that apps ask for", "api.shop.test\n"),
        ])
        #expect(run.status == 0, "\(run.shown)")
        #expect(run.shown.contains("wrote  Profiles/local.json") && run.shown.contains("shunt use staging"))
        let local = try folder.read("Profiles/local.json")
        #expect(local.contains(#""host": "api.shop.test", "origin": "https://localhost:3000""#), "\(local)")
        #expect(!folder.exists("Profiles/production.json"))
        #expect(try shunt.run("validate").status == 0)
        // Where profiles are, nothing is asked.
        let again = try terminal([])
        #expect(again.status == 0 && again.shown.contains("kept") && !again.shown.contains("Enter leaves"))
    }

    @Test func `without any URL it writes the example`() throws {
        let run = try terminal([("this machine", "\n"), ("URL of staging", "\n"), ("URL of production", "\n")])
        #expect(run.status == 0 && run.shown.contains("an example"), "\(run.shown)")
        #expect(try folder.read("Profiles/local.json").contains("banner"))
    }

    @Test(arguments: [
        // Ctrl-C at the first and at the last question, the end of the input, and what is not asked.
        ([("this machine", "\u{3}")], -2), ([("this machine", "https://a.test\n"), ("of staging", "\n\n\u{3}")], -2),
        ([("this machine", "\u{4}")], 1),
    ])
    func `a conversation that is broken off writes nothing`(typed: [(String, String)], status: Int) throws {
        let run = try terminal(typed.map { (after: $0.0, text: $0.1) })
        #expect(run.status == status, "\(run.shown)")
        #expect(!folder.exists("Profiles") && !folder.exists(".data"))
    }

    @Test func `it writes the profiles of a Shunt that runs without files`() throws {
        let origin = try NginxOrigin(files: ["v1/cart": "local"])
        let (url, set) = ("http://127.0.0.1:\(origin.plainPort)", "routes.other.test=http://127.0.0.1:1")
        let serving = try ChildProcess(
            ShuntBinary.path,
            ["serve", "--port", "0", "--admin-port", "0", "--workers", "1", "--ready-file", "ready.json", "--no-pages"]
                + ["--origin", url, "--origin", "staging=https://localhost:3000", "--set", set],
            directory: folder.path)
        #expect(eventually { folder.exists("ready.json") }, "\(serving.errors)")
        let written = try shunt.run("init", "--from-running")
        #expect(written.status == 0, "\(written.errors)")
        #expect(written.output.contains("shunt stop -p ") && written.output.contains(set), "\(written.output)")
        #expect(try folder.read("Profiles/local.json").contains("The next step"))
        #expect(try folder.read("Profiles/staging.json").contains("https://localhost:3000"))
        for words in [["validate"], ["fmt", "--check"], ["explain", "--profile", "local", "https://any.test/"]] {
            let result = try ChildProcess.run(ShuntBinary.path, words, directory: folder.path)
            #expect(result.status == 0, "\(words): \(result.output)\(result.errors)")
        }
        // It goes on as it was, and nothing is overwritten.
        try folder.write("Profiles/local.json", "mine")
        let again = try shunt.run("init", "--from-running")
        #expect(again.status == 1 && again.errors.contains("there already"), "\(again.errors)")
        #expect(try folder.read("Profiles/local.json") == "mine")
        let other = try shunt.run("init", "other", "--from-running")
        #expect(other.status == 0 && other.output.contains("cd other && shunt serve"), "\(other)")
        serving.signal(15)
        #expect(try serving.wait().status == 0)
    }

    @Test func `a Shunt with files has none to write`() throws {
        let serving = try ServingShunt(["local": #"{"kind": "local", "routes": []}"#])
        let refused = try serving.run("init", "other", "--from-running")
        #expect(refused.status == 1 && refused.errors.contains("in files already"), "\(refused.errors)")
        #expect(!serving.folder.exists("other"))
        let none = try shunt.run("init", "--from-running")
        #expect(none.status == 1 && !folder.exists("Profiles"), "\(none.errors)")
    }
}
