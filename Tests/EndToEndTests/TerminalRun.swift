import Foundation
import JSON
import TestSupport

/// A command that runs on a terminal of its own, with what a person would type.
struct TerminalRun {
    let shown: String
    /// Negative for the signal that ended it.
    let status: Int

    /// - Parameters:
    ///   - words: of the real `shunt`.
    ///   - typed: texts, each typed once the other one was shown behind the last.
    init(
        _ words: [String], typed: [(after: String, text: String)] = [], rows: Int = 24, columns: Int = 80,
        directory: String, environment: [String: String] = [:]
    ) throws {
        var writer = JSONWriter()
        writer.object { object in
            object.member("command", [ShuntBinary.path] + words)
            object.array("typed") { array in
                for (after, text) in typed {
                    array.array {
                        $0.value(after)
                        $0.value(text)
                    }
                }
            }
            object.member("rows", rows)
            object.member("columns", columns)
        }
        let result = try ChildProcess.run(
            "/usr/bin/env", ["python3", "-B", ClientProgram.folder + "terminal.py", writer.text],
            directory: directory, environment: ["TERM": "xterm"].merging(environment) { $1 })
        let value = try JSONReader.read(result.output)
        shown = value["shown"]?.string ?? ""
        status = Int(value["status"]?.number?.int64 ?? -1)
    }
}
