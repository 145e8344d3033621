import Foundation
import JSON
import TestSupport
import Testing

/// The arithmetic of a fleet, and the page that shows it.
@Suite struct ScaleTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    private func run(_ arguments: String...) throws -> ChildProcess.Result {
        try ChildProcess.run("/usr/bin/env", ["python3", "-B", Self.root + "/Benchmarks/scale.py"] + arguments)
    }

    @Test func `the page has the table that the script prints`() throws {
        let page = try String(contentsOfFile: Self.root + "/docs/scale.md", encoding: .utf8)
        let table = try run().output.trimmingCharacters(in: .newlines)
        #expect(table.split(separator: "\n").count == 9)
        #expect(page.contains("\n\(table)\n"), "put this into docs/scale.md:\n\(table)")
    }

    @Test func `more nodes and more exchanges need more of everything`() throws {
        func figures(_ nodes: Int, _ rate: Int) throws -> JSONValue {
            try #require(try JSONReader.read(try run("\(nodes)", "\(rate)", "--json").output).array?.first)
        }
        let (small, large) = (try figures(10, 1000), try figures(20, 2000))
        for name in ["wal_mb_s", "tb_per_day", "connections", "commits_s", "heartbeats_s"] {
            let (one, two) = (small[name]?.number?.double ?? 0, large[name]?.number?.double ?? 0)
            #expect(one > 0 && abs(two / one - 2) < 0.05, "\(name): \(one), \(two)")
        }
        #expect(try run("0", "1").status == 1 && run("many").status == 1)
    }
}
