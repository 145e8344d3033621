import Commands
import Foundation
import TestSupport
import Testing

/// The tables of options in the documentation beside the options that there are.
@Suite struct OptionTableTests {
    private struct Row {
        let spelling: String
        var help: String
    }

    @Test(arguments: ["docs/cli.md"])
    func `tables of options say what --help says`(page: String) async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)
        var tables: [String: String] = [:]
        for mark in text.matches(of: /<!-- options of shunt ([a-z-]+) -->/) {
            let name = String(mark.1)
            tables[name] = await CapturedRun.run(name, "--help").output
        }
        #expect(tables.count > 4)
        try WrittenPage.check(page) { old in
            var lines: [Substring] = []
            var table: (command: String, old: [Substring])?
            for line in old.split(separator: "\n", omittingEmptySubsequences: false) {
                if let mark = line.firstMatch(of: /<!-- options of shunt ([a-z-]+) -->/) {
                    lines += [line, ""]
                    table = (String(mark.1), [])
                } else if let open = table, line.hasPrefix("|") || line.isEmpty && open.old.isEmpty {
                    table?.old.append(line)
                } else {
                    if let open = table { lines += Self.table(tables[open.command] ?? "", open.old) }
                    table = nil
                    lines.append(line)
                }
            }
            return lines.joined(separator: "\n")
        }
    }

    @Test func `tables written by hand name each command, operator and variable, and no others`() async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        func names(in page: String, below head: String, _ name: Regex<(Substring, Substring)>) throws -> Set<String> {
            let text = try String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)
            let rows = try #require(text.components(separatedBy: head + "\n").dropFirst().first, "\(page): \(head)")
                .split(separator: "\n").prefix { $0.hasPrefix("|") }
            let cells = rows.map { $0.replacing("\\|", with: "/").split(separator: "|")[0] }
            return Set(cells.flatMap { $0.matches(of: name).map { String($0.1) } })
        }
        func told(_ subject: String, _ name: Regex<(Substring, Substring)>) async -> Set<String> {
            let lines = await CapturedRun.run("help", subject).output.split(separator: "\n")
            return Set(lines.compactMap { try? name.firstMatch(in: $0) }.map { String($0.1) })
        }
        let commands = try names(in: "docs/cli.md", below: "| command | |", /`shunt ([a-z-]+)/)
        #expect(commands == Set(Tool.commandNames))
        let operators = try names(in: "docs/traffic.md", below: "| operator | finds |", /~([a-z]+)/)
        #expect(operators == (await told("filters", /^ +~([a-z]+)/)))
        let variables = try names(in: "docs/cli.md", below: "| variable | |", /`([A-Z_]+)/)
        let missing = (await told("environment", /^ +([A-Z_]+)/)).subtracting(variables)
        #expect(missing.isEmpty && variables.contains("SHUNT_ADMIN"), "\(missing)")
    }

    /// The options of a help text as a table; links to other pages stay as they are.
    private static func table(_ help: String, _ old: [Substring]) -> [Substring] {
        var rows: [Row] = []
        for line in help.split(separator: "\n").prefix(while: { $0 != "Examples:" }) {
            if let found = line.firstMatch(of: /^  (?:(-\w), |    )(--[a-z-]+(?: \S+(?: \S+)?)?)(?:  +(.*))?$/) {
                let short = found.1.map { "`\($0)`, " } ?? ""
                rows.append(Row(spelling: "\(short)`\(escaped(found.2))`", help: String(found.3 ?? "")))
            } else if line.hasPrefix("          "), let last = rows.indices.last {
                rows[last].help += (rows[last].help.isEmpty ? "" : " ") + line.drop { $0 == " " }
            }
        }
        let lines = rows.filter { !$0.spelling.contains("--help") }.map { row in
            let link =
                old.first { $0.hasPrefix("| \(row.spelling) |") }
                .flatMap { $0.firstMatch(of: #/ \[More\]\([^)]*\)\./#) }.map { String($0.0) } ?? ""
            var (help, fallback) = (row.help, "")
            if let found = help.firstMatch(of: #/ Default: (.*?)\.(?= With `| Needs | Instead of | Not with --|$)/#) {
                fallback = String(found.1)
                help.removeSubrange(found.range)
            }
            return "| \(row.spelling) | \(escaped(fallback)) | \(escaped(help))\(link) |".replacing("|  |", with: "| |")
        }
        return ["| option | default | |", "|---|---|---|"] + lines.map { $0[...] }
    }

    private static func escaped(_ text: some StringProtocol) -> String {
        String(text).replacing("|", with: "\\|").replacing("*", with: "\\*").replacing("<", with: "&lt;")
    }
}
