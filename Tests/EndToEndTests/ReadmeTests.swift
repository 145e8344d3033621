import Foundation
import TestSupport
import Testing

/// The documents lead to each other.
@Suite struct ReadmeTests {
    @Test func `what README and the documents link to is there`() throws {
        var anchors: [String: Set<String>] = [:]
        for document in try Self.documents() {
            let folder = document.deletingLastPathComponent()
            let text = try String(contentsOf: document, encoding: .utf8)
            for link in text.replacing(/```(?s:.*?)```/, with: "").matches(of: /\]\(([^)#: ]*)(?:#([^)]*))?\)/) {
                let target = link.1.isEmpty ? document : folder.appendingPathComponent(String(link.1))
                #expect(
                    FileManager.default.fileExists(atPath: target.path), "\(document.lastPathComponent): \(link.1)")
                guard let anchor = link.2, target.pathExtension == "md" else { continue }
                let known = try anchors[target.path] ?? Self.anchors(String(contentsOf: target, encoding: .utf8))
                anchors[target.path] = known
                #expect(known.contains(String(anchor)), "\(document.lastPathComponent): \(link.1)#\(anchor)")
            }
        }
    }

    /// The anchors of a document's headings, as GitHub makes them.
    private static func anchors(_ text: String) -> Set<String> {
        Set(
            text.replacing(/```(?s:.*?)```/, with: "").matches(of: /(?m)^#+ (.*)$/).map { heading in
                let plain = heading.1.lowercased().replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.1) }
                return String(
                    plain.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
                        .map { $0 == " " ? "-" : $0 })
            })
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
