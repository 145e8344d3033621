import Foundation
import Testing

/// A page of the documentation that is made from the program.
package enum WrittenPage {
    /// Compares a file with what it should be; with `SHUNT_KEYS` in the environment it is written instead.
    ///
    /// - Parameter make: makes the text of the one that is there, empty if there is none.
    package static func check(_ path: String, _ make: (String) throws -> String) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appendingPathComponent(path)
        let written = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        let text = try make(written)
        guard written != text else { return }
        guard ProcessInfo.processInfo.environment["SHUNT_KEYS"] == nil else {
            return try text.write(to: file, atomically: true, encoding: .utf8)
        }
        func lines(_ text: String) -> [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
        let (old, new) = (lines(written), lines(text))
        let place =
            zip(old, new).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(old.count, new.count)
        Issue.record(
            """
            \(path):\(place + 1) is “\(place < old.count ? old[place] : "")” and should be \
            “\(place < new.count ? new[place] : "")”; `.ci/keys` writes it
            """)
    }
}
