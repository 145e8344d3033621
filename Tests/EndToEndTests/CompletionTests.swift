import Foundation
import TestSupport
import Testing

/// Completions are made from the table of commands.
@Suite struct CompletionTests {
    private let shunt: Shunt
    init() throws { shunt = try Shunt() }

    @Test(arguments: [
        (["ser"], "serve"), (["compl"], "completions"), (["statu"], "status"), (["serve", "--ori"], "--origin"),
        (["use", "x", "-p"], "-p"), (["logs", "--fo"], "--follow"), (["logs", "Prof"], "Profiles"),
    ])
    func `bash completes commands, options and files`(words: [String], expected: String) async throws {
        try shunt.folder.write("Profiles/local.json", "")
        let script = try shunt.folder.write("completions", await CapturedRun.run("completions", "bash").output)
        let list = (["shunt"] + words).joined(separator: " ")
        let result = try ChildProcess.run(
            "/usr/bin/env",
            [
                "bash", "-euc",
                "source \(script); COMP_WORDS=(\(list)); COMP_CWORD=\(words.count); _shunt; printf '%s\\n' \"${COMPREPLY[@]}\"",
            ], directory: shunt.folder.path)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.split(separator: "\n").map(String.init) == [expected])
    }

    @Test(arguments: [
        ("filters", ["~c STATUS", "~since", "status"]), ("profiles", ["extends", "fallback", "Keys of a route"]),
        ("exit-codes", ["64", "143"]), ("environment", ["SHUNT_PROFILE", "XDG_DATA_HOME"]),
    ])
    func `help describes subjects as tables`(topic: String, words: [String]) async {
        let result = await CapturedRun.run("help", topic)
        #expect(result.status == 0)
        for word in words { #expect(result.output.contains(word), "\(word): \(result.output)") }
        #expect(await CapturedRun.run("help", String(topic.dropLast())).errors.contains("shunt help \(topic)"))
    }

    @Test(arguments: ["zsh", "fish"])
    func `completions name every command with its options`(shell: String) async {
        let text = await CapturedRun.run("completions", shell).output
        let commands = await CapturedRun.run("help").output.matches(of: /(?m)^  ([a-z]+) {2,}[A-Z]/).map {
            String($0.1)
        }
        #expect(commands.count > 20)
        for command in commands { #expect(text.contains(command), "\(command)") }
        for option in ["origin", "follow", "staging"] { #expect(text.contains(option)) }
        // Quotes in texts end no word: an even number of them stands in each line.
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let ends = line.replacing("'\\''", with: "")
            #expect(ends.filter { $0 == "'" }.count.isMultiple(of: 2), "\(line)")
        }
    }
}
