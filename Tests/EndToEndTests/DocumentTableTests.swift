import Admin
import Commands
import Expectations
import Foundation
import JSON
import Profiles
import Push
import TestSupport
import Testing

/// Tables of documents that have sentences of their own beside what the program declares: they name all of it, and
/// nothing else.
@Suite struct DocumentTableTests {
    struct Table: Sendable, CustomTestStringConvertible {
        let page: String
        let head: String
        /// The column with the names.
        var column = 0
        /// What a name is within it.
        var pattern = "`-*([A-Za-z0-9-]+)`"
        let names: @Sendable () async throws -> [String]

        var testDescription: String { "\(page): \(head)" }
    }

    static let tables = [
        Table(page: "networks", head: "| name | round trip | varies by | down | up | packets lost | |") {
            NetworkConditions.presets.map(\.name)
        },
        Table(page: "networks", head: "| name | what happens | further keys |") { Fault.Kind.allCases.map(\.rawValue) },
        Table(page: "team", head: "| permission | allows |") { Permission.allCases.map(\.rawValue) },
        Table(page: "push", head: "| warning | cause |") { PushWarning.allCases.map(\.rawValue) },
        Table(page: "push", head: "| rule | status and reason if it is violated |", column: 1) {
            // Those are no rules of a notification.
            PushReason.allCases.filter { $0 != .shutdown && $0 != .idleTimeout }.map(\.rawValue)
        },
        Table(page: "scripting", head: "| event | members |") { LogEvent.allCases.map(\.rawValue) + ["dropped"] },
        Table(page: "cli", head: "| area | when it is wrong (`WRONG`), or a warning (`!`) |") {
            DoctorArea.allCases.map(\.rawValue)
        },
        Table(page: "cli", head: "| | |", pattern: "([0-9]+)") {
            await told("help", "exit-codes").matches(of: /^ +([0-9, ]+?) {2}/.anchorsMatchLineEndings())
                .flatMap { $0.1.split(separator: ", ").map(String.init) }
        },
        Table(page: "expectations", head: "| key | meaning |") {
            let schema = try JSONReader.read(ExpectationSchema.text)["$defs"]?["expectation"]?["properties"]
            return try #require(schema?.object).map(\.key).filter { $0 != "name" }
        },
        Table(page: "expectations", head: "| option | output |", pattern: "`--(?:report )?([a-z]+)(?:=| )") {
            try await words(told("expect", "--help"), /Write a report: (.*?) \(GitLab/) + ["save"]
        },
        Table(page: "trust", head: "| policy | the certificate passes if | keys |") {
            let value = try #require(KeyTables.rows(of: "trustRule")?.first { $0.name == "policy" }).value
            return value.matches(of: /"([A-Za-z]+)"/).map { String($0.1) }
        },
        Table(page: "trust", head: "| `--fix` | writes | for |") {
            try await words(told("trust", "--help"), /The fix: (.*?)\. Needs/)
        },
        Table(page: "client-kit", head: "| `--for` | files | why it has no effect in a release |") {
            try await words(CapturedRun.run("client-kit").errors, /one or several of: (.*?)\.\n/)
        },
        Table(page: "client-kit", head: "| rule | finding |") {
            try await words(told("lint", "--help"), /Findings: (.*?)\./)
        },
    ]

    @Test(arguments: tables)
    func `a table names what the program declares`(table: Table) async throws {
        let cells = try Self.rows(table.page, below: table.head).map { $0[table.column] }
        let pattern = try Regex(table.pattern)
        let found = cells.flatMap { cell in
            cell.matches(of: pattern).compactMap { $0.output[1].substring.map(String.init) }
        }
        let names = try await table.names()
        #expect(!names.isEmpty)
        #expect(Set(found).subtracting(names) == [], "there are none of these")
        #expect(Set(names).subtracting(found) == [], "these are missing")
    }

    @Test func `the limits are those of serve, with their defaults`() async throws {
        let help = try #require(await Self.told("serve", "--help").split(separator: " Limits (").last)
        let wanted = help.matches(of: /--([a-z-]+) [A-Z]+ .*?Default: (.*?)\. (?=--|Examples:)/)
        #expect(wanted.count > 5)
        let rows = try Self.rows("http", below: "| option | default | limit |")
        #expect(rows.map { $0[0] }.sorted() == wanted.map { "`--\($0.1)`" }.sorted())
        for found in wanted {
            let row = rows.first { $0[0] == "`--\(found.1)`" }
            #expect(row?[1].split(separator: ";").first.map(String.init) == String(found.2))
        }
    }

    @Test func `the presets have the figures that the program has`() throws {
        for row in try Self.rows("networks", below: "| name | round trip | varies by | down | up | packets lost | |") {
            let preset = try #require(NetworkConditions.preset(row[0].replacing("`", with: "")))
            for figure in row[1...5].map({ $0.replacing(#/, with a long tail|± /#, with: "") }) where !figure.isEmpty {
                #expect(preset.summary.contains(figure), "\(row[0]) has \(preset.summary)")
            }
        }
    }

    /// The cells below the head of a table.
    private static func rows(_ page: String, below head: String) throws -> [[String]] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("docs/\(page).md"), encoding: .utf8)
        let table = try #require(
            text.components(separatedBy: head + "\n").dropFirst().first, "docs/\(page).md: \(head)")
        return table.split(separator: "\n").prefix { $0.hasPrefix("|") }.dropFirst().map { row in
            row.replacing("\\|", with: "/").split(separator: "|", omittingEmptySubsequences: false).dropFirst()
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// What a command prints, in one line but for exit statuses.
    private static func told(_ words: String...) async -> String {
        let text = await CapturedRun.run(words).output
        return words[0] == "help" ? text : text.replacing(#/\s+/#, with: " ")
    }

    /// The words of a list within a text: `a, b and c`.
    private static func words(_ text: String, _ list: Regex<(Substring, Substring)>) throws -> [String] {
        try #require(text.firstMatch(of: list), "\(text)").1.split(separator: #/, | or | and /#).map(String.init)
    }
}
