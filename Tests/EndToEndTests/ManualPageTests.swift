import Foundation
import TestSupport
import Testing

/// Manual pages are made from the table of commands.
@Suite struct ManualPageTests {
    private let shunt: Shunt
    init() throws { shunt = try Shunt() }

    @Test func `every command and every subject has a page that mandoc finds no fault with`() throws {
        #expect(try shunt.run("help", "--man", "man").status == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: shunt.folder.path + "/man")
        let commands = try shunt.run("help").output.matches(of: /(?m)^  ([a-z-]+) {2,}[A-Z]/).map { String($0.1) }
        #expect(commands.count > 20)
        let subjects = ["filters", "profiles", "exit-codes", "environment"]
        #expect(
            Set(names) == Set(["shunt.1"] + commands.map { "shunt-\($0).1" } + subjects.map { "shunt-\($0).7" }))
        let lint = try ChildProcess.run(
            "/usr/bin/env", ["mandoc", "-T", "lint", "-W", "warning"] + names.sorted(),
            directory: shunt.folder.path + "/man")
        // References to the pages beside them count as unknown where none is installed.
        let faults = lint.output.split(separator: "\n").filter { !$0.contains("referenced manual not found") }
        #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
    }

    @Test(arguments: [
        ("shunt-use.1", ["shunt use NAME", "-p, --port PORT", "Default:", "shunt use staging"]),
        ("shunt-serve.1", ["--origin [HOST=|PROFILE=]URL", "LIMITS", "--drain-time TIME"]),
        ("shunt-filters.7", ["~c STATUS", "mitmproxy's language"]), ("shunt-exit-codes.7", ["143", "Ctrl-C"]),
        ("shunt.1", ["shunt unlock", "Profiles/*.json", "shunt-exit-codes(7)"]),
    ])
    func `a page shows what help shows`(page: String, words: [String]) throws {
        #expect(try shunt.run("help", "--man", "man").status == 0)
        let shown = try ChildProcess.run(
            "/usr/bin/env", ["mandoc", "-T", "utf8", "-O", "width=200", page], directory: shunt.folder.path + "/man")
        // Bold and italic letters are overstruck.
        let text = shown.output.replacing(/.\u{8}/) { _ in "" }
        #expect(shown.status == 0)
        for word in words { #expect(text.contains(word), "\(word): \(text)") }
    }

    @Test func `the pages of a package bear its date`() throws {
        let result = try ChildProcess.run(
            ShuntBinary.path, ["help", "--man", "man"], directory: shunt.folder.path,
            environment: ["SOURCE_DATE_EPOCH": "1767225600"])
        #expect(result.status == 0, "\(result.errors)")
        let page = try String(contentsOfFile: shunt.folder.path + "/man/shunt.1", encoding: .utf8)
        #expect(page.hasPrefix(".TH SHUNT 1 2026-01-01 "))
        #expect(try shunt.run("help", "serve", "--man", "man").status == 64)
    }
}
