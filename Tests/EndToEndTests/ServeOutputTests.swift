import Foundation
import JSON
import TestSupport
import Testing

/// What `serve` writes with `--qr`, `-v` and `-q`.
@Suite struct ServeOutputTests {
    private static let profiles = [
        "local": #"{"kind": "local", "routes": [{"path": "/*", "mock": {"text": "hello"}}]}"#
    ]

    @Test func `a QR code leads a phone to its page, where one can reach it`() throws {
        let shunt = try ServingShunt(Self.profiles, ["--qr", "--host", "0.0.0.0"])
        let lines = shunt.process.errors
        if lines.contains("none can reach") {
            // A machine without a network of its own.
            #expect(!lines.contains("█"))
        } else {
            let url = try #require(lines.firstMatch(of: /http:\/\/([0-9.]+):(\d+)\/, to choose/))
            #expect(lines.contains("█") && url.2 == "\(shunt.pagesPort)" && !url.1.hasPrefix("127."))
        }
        try shunt.stop()
        let own = try ServingShunt(Self.profiles, ["--qr"])
        #expect(own.process.errors.contains("shunt serve --qr --host 0.0.0.0") && !own.process.errors.contains("█"))
        try own.stop()
    }

    @Test func `verbose has a second line for each exchange, quiet has none`() throws {
        let verbose = try ServingShunt(Self.profiles, ["-v"])
        #expect(try verbose.curl("http://localhost:\(verbose.port)/a").output == "hello")
        #expect(eventually { verbose.process.errors.contains("/a 200") })
        let line = try #require(verbose.process.errors.split(separator: "\n").first { $0.hasPrefix("    client ") })
        #expect(line.contains(" HTTP/1.1; route */*; by mock") || line.contains("; route "), "\(line)")
        try verbose.stop()
        let quiet = try ServingShunt(Self.profiles, ["-q"])
        #expect(try quiet.curl("http://localhost:\(quiet.port)/a").output == "hello")
        #expect(try quiet.run("use", "local", "-q").output.isEmpty)
        let stopped = try quiet.run("stop", "-q")
        #expect(stopped.status == 0 && stopped.output.isEmpty && stopped.errors.isEmpty)
        #expect(!quiet.process.errors.contains("/a") && !quiet.process.errors.contains("stopped"))
    }

    @Test func `short lists fit the terminal`() throws {
        let shunt = try ServingShunt(Self.profiles)
        for columns in [200, 80, 60] {
            let run = try TerminalRun(
                ["mocks"], columns: columns, directory: shunt.folder.path, environment: ["NO_COLOR": "1"])
            let lines = run.shown.split(separator: "\n")
            #expect(run.status == 0 && lines.count >= 2, "\(run.shown)")
            #expect(lines.allSatisfy { $0.count <= columns }, "\(run.shown)")
        }
        let colored = try TerminalRun(["mocks"], directory: shunt.folder.path)
        #expect(colored.shown.hasPrefix("\u{1B}[1mMOCK"), "\(colored.shown)")
        #expect(try shunt.run("mocks").output.hasPrefix("MOCK"))
        let table = try TerminalRun(
            ["help", "filters", "--no-pager"], columns: 60, directory: shunt.folder.path)
        // The first line is the heading.
        let lines: [Substring] = table.shown.split(separator: "\n")
        let wide = lines.dropFirst().filter { $0.count > 60 }
        #expect(wide.isEmpty, "\(wide)")
        try shunt.stop()
    }
}
