import Foundation
import JSON
import TestSupport
import Testing

/// The inspector in a real browser, from login to hostile traffic.
@Suite struct InspectorBrowserTests {
    @Test func `the inspector shows, filters, switches and replays, and nothing that was recorded harms it`() throws {
        let folder = try TemporaryFolder()
        let task = try JSONSerialization.data(withJSONObject: [
            "shunt": ShuntBinary.path, "driver": try program("chromedriver"),
            "browser": try program("chromium", "google-chrome"),
            "axe": try #require(ClientProgram.axe, "`make setup-test` installs axe-core"),
            "shots": ProcessInfo.processInfo.environment["SHUNT_SHOTS"] ?? folder.path,
        ])
        let result = try ChildProcess.run(
            "/usr/bin/env",
            ["python3", "-B", SampleApp.scripts + "/inspector.py", String(decoding: task, as: UTF8.self)],
            directory: folder.path, seconds: 300)
        #expect(result.status == 0, "\(result.errors.split(separator: "\n").suffix(3).joined(separator: "; "))")
        let cases = try result.output.split(separator: "\n").map { try JSONReader.read(String($0)) }
        #expect(cases.count == 30)
        for value in cases {
            let problems = value["problems"]?.array?.compactMap(\.string) ?? ["no result"]
            #expect(problems.isEmpty, "\(value["case"]?.string ?? ""): \(problems)")
        }
    }

    private func program(_ names: String...) throws -> String {
        let found = try ChildProcess.run("/bin/sh", ["-c", names.map { "command -v \($0)" }.joined(separator: " || ")])
        let path = found.output.split(separator: "\n").first.map(String.init)
        return try #require(path, "none of \(names) is installed: run `make setup-test`")
    }
}
