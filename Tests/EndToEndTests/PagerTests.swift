import Foundation
import TestSupport
import Testing

/// Output that is longer than the terminal, and what is told of long work.
@Suite struct PagerTests {
    private let shunt: Shunt
    private var folder: TemporaryFolder { shunt.folder }

    init() throws { shunt = try Shunt() }

    /// A pager that marks what it shows.
    private func help(
        _ words: [String], rows: Int, pager: [String: String] = ["SHUNT_PAGER": "sed 's/^/| /'"]
    ) throws -> String {
        let run = try TerminalRun(
            ["help"] + words, rows: rows, columns: 100, directory: folder.path, environment: pager)
        #expect(run.status == 0, "\(run.shown)")
        return run.shown
    }

    @Test func `only what is longer than the terminal goes through the pager`() throws {
        let lines = try help(["ps"], rows: 60).split(separator: "\n", omittingEmptySubsequences: false).count
        #expect(try help(["ps"], rows: lines - 2).contains("| List every running"))
        #expect(try !help(["ps"], rows: lines + 1).contains("| List every"))
        #expect(try help(["serve"], rows: 24).contains("| Run Shunt"))
    }

    @Test(arguments: [
        (["--no-pager"], ["SHUNT_PAGER": "sed 's/^/| /'"], false), ([], ["SHUNT_PAGER": ""], false),
        ([], ["PAGER": "sed 's/^/| /'"], true), ([], ["SHUNT_PAGER": "cat", "PAGER": "sed 's/^/| /'"], false),
        // One that is not installed, and one that ends at once.
        ([], ["PAGER": "no-such-pager"], false), ([], ["PAGER": "true"], true),
        (["x"], ["TERM": "dumb", "PAGER": "sed 's/^/| /'"], false),
    ])
    func `the user says which pager, and whether`(words: [String], environment: [String: String], isPaged: Bool) throws
    {
        let shown = try help(["serve"] + words.filter { $0 != "x" }, rows: 24, pager: environment)
        if environment["PAGER"] == "true" {
            #expect(!shown.contains("Run Shunt"))
        } else {
            #expect(shown.contains("| Run Shunt") == isPaged && shown.contains("Run Shunt"), "\(shown)")
        }
    }

    @Test func `in a pipe there is none`() throws {
        let run = try shunt.run("help", "serve", environment: ["PAGER": "sed 's/^/| /'", "TERM": "xterm"])
        #expect(run.output.contains("\nRun Shunt") || run.output.hasPrefix("Run Shunt"))
        #expect(!run.output.contains("| Run"))
    }
}
