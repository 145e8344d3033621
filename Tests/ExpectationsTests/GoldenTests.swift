import Foundation
import Testing

/// What expectations say reads as recorded: drop in a file, get a test.
///
/// Each `NAME.json5` of `Golden` is checked on `traffic.har` there; the text lies beside it in `NAME.expected`.
@Suite struct ExpectationGoldenTests {
    static var cases: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: Traffic.directory)) ?? [])
            .filter { $0.hasSuffix(".json5") }.sorted()
    }

    @Test(arguments: cases) func `failures and problems read as recorded`(name: String) throws {
        let path = Traffic.directory + "/" + name
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        // Files that it names lie beside it; where the repository lies does not show.
        let rendered = try Traffic.golden().text(bytes, path: path)
            .replacingOccurrences(of: Traffic.directory + "/", with: "")
            // Digests of secrets depend on the store's key.
            .replacing(#/:[0-9a-f]{10}%3E/#, with: ":DIGEST%3E")
        let recorded = URL(fileURLWithPath: path.replacingOccurrences(of: ".json5", with: ".expected"))
        let expected = try? String(contentsOf: recorded, encoding: .utf8)
        if expected == nil { try rendered.write(to: recorded, atomically: true, encoding: .utf8) }
        #expect(rendered == expected, "recorded anew where there was none; read it before you keep it")
    }

    @Test func `there are cases`() { #expect(Self.cases.count > 10) }
}
