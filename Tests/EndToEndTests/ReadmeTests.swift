import Foundation
import TestSupport
import Testing

/// README shows what the commands really say.
@Suite struct ReadmeTests {
    /// A command of a tested block, and what README shows under it.
    struct Example {
        let arguments: [String]
        let output: [String]
    }

    @Test func `commands say what README shows`() throws {
        let examples = try Self.examples()
        #expect(Set(examples.compactMap(\.arguments.first)).isSuperset(of: ["init", "validate", "explain", "demo"]))
        let shunt = try Shunt()
        for example in examples {
            let result = try ChildProcess.run(
                ShuntBinary.path, example.arguments, directory: shunt.folder.path,
                environment: ["TMPDIR": shunt.folder.path])
            #expect(result.status == 0, "\(example.arguments): \(result.errors)")
            // In the order shown, with others between them where README says so or not.
            var rest = Self.lines(result.output)[...]
            for line in example.output {
                let place = rest.firstIndex(of: line)
                #expect(place != nil, "\(example.arguments) does not say “\(line)”, but: \(result.output)")
                if let place { rest = rest[(place + 1)...] }
            }
        }
    }

    @Test func `what README and the documents link to is there`() throws {
        for document in try Self.documents() {
            let folder = document.deletingLastPathComponent()
            let text = try String(contentsOf: document, encoding: .utf8)
            for link in text.matches(of: /\]\(([^)#: ]+)(#[^)]*)?\)/) {
                let target = folder.appendingPathComponent(String(link.1)).path
                #expect(FileManager.default.fileExists(atPath: target), "\(document.lastPathComponent): \(link.1)")
            }
        }
    }

    /// Every command of the fenced blocks that follow a comment with the word "tested".
    private static func examples() throws -> [Example] {
        var examples: [Example] = []
        let text = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        for block in text.matches(of: /<!-- tested.*\n```console\n((?:.*\n)*?)```/) {
            for part in ("\n" + block.1).split(separator: "\n$ ") {
                let shown = lines(String(part))
                guard let words = shown.first?.split(separator: " "), words.first == "shunt" else { continue }
                examples.append(
                    Example(
                        arguments: words.dropFirst().map(String.init),
                        output: shown.dropFirst().filter { !$0.isEmpty && $0 != "…" }))
            }
        }
        return examples
    }

    /// Lines without what differs from run to run: ports.
    private static func lines(_ text: String) -> [String] {
        text.replacing(/(localhost|127\.0\.0\.1):\d{4,5}/) { "\($0.1):PORT" }
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private static func documents() throws -> [URL] {
        let docs = root.appendingPathComponent("docs")
        return [
            "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Sources/README.md", "Benchmarks/README.md",
            "Packaging/README.md",
        ]
        .map { root.appendingPathComponent($0) }
            + (try [docs, docs.appendingPathComponent("guides")].flatMap {
                try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
            }).filter { $0.pathExtension == "md" }
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}
