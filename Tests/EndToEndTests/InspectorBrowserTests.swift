import Foundation
import JSON
import TestSupport
import Testing

/// The inspector in a real browser, from login to hostile traffic.
@Suite struct InspectorBrowserTests {
    @Test func `the inspector shows, filters, switches and replays, and nothing that was recorded harms it`() throws {
        #expect(try run().count == 35)
    }

    /// With the variable `SHUNT_SHOTS` its pictures are in that folder, to be looked at.
    @Test(.extended) func `every screen fits into three widths in both themes`() throws {
        #expect(try run(only: ["screens"]).count == 2)
    }

    /// The cases that ran without a problem.
    private func run(only: [String] = []) throws -> [String] {
        let folder = try TemporaryFolder()
        let task = try JSONSerialization.data(withJSONObject: [
            "shunt": ShuntBinary.path, "driver": try program("chromedriver"),
            "browser": try program("chromium", "google-chrome"),
            "axe": try #require(ClientProgram.axe, "`make setup-test` installs axe-core"),
            "shots": ProcessInfo.processInfo.environment["SHUNT_SHOTS"] ?? folder.path, "only": only,
        ])
        let result = try ChildProcess.run(
            "/usr/bin/env",
            ["python3", "-B", SampleApp.scripts + "/inspector.py", String(decoding: task, as: UTF8.self)],
            directory: folder.path, seconds: 900)
        #expect(result.status == 0, "\(result.errors.split(separator: "\n").suffix(3).joined(separator: "; "))")
        return try result.output.split(separator: "\n").compactMap { line in
            let value = try JSONReader.read(String(line))
            let (name, problems) = (value["case"]?.string ?? "", value["problems"]?.array?.compactMap(\.string))
            #expect(problems?.isEmpty == true, "\(name): \(problems ?? ["no result"])")
            return problems?.isEmpty == true ? name : nil
        }
    }

    private func program(_ names: String...) throws -> String {
        let found = try ChildProcess.run("/bin/sh", ["-c", names.map { "command -v \($0)" }.joined(separator: " || ")])
        let path = found.output.split(separator: "\n").first.map(String.init)
        return try #require(path, "none of \(names) is installed: run `make setup-test`")
    }
}
