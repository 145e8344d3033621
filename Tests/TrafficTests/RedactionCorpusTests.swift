import Foundation
import Redaction
import Testing

/// Scripts, style sheets and pages of this machine have no secrets, and stay as they are.
///
/// `SHUNT_CORPUS` names more folders, with colons between, all of whose files are read.
@Suite struct RedactionCorpusTests {
    private static let ends = [".js", ".mjs", ".cjs", ".css", ".html", ".htm"]
    private static let sources = String(#filePath.split(separator: "/Tests/")[0]) + "/Sources/Admin/Inspector/Web"
    private static let longest = 40_000

    private func files(in folder: String, atMost limit: Int) -> [String] {
        guard let all = FileManager.default.enumerator(atPath: folder) else { return [] }
        var found: [String] = []
        while found.count < limit, let name = all.nextObject() as? String {
            if Self.ends.contains(where: { name.hasSuffix($0) }) { found.append(folder + "/" + name) }
        }
        return found
    }

    private func type(of path: String) -> String {
        path.hasSuffix(".css") ? "text/css" : path.contains(".htm") ? "text/html" : "text/javascript"
    }

    @Test func `nothing of what runs is changed, and a secret that is planted in it is found`() throws {
        let folders = ProcessInfo.processInfo.environment["SHUNT_CORPUS"].map {
            $0.split(separator: ":").map { String($0) }
        }
        var paths = files(in: Self.sources, atMost: 40)
        #expect(paths.count > 20)
        for folder in folders ?? ["/usr/share/doc", "/usr/share/javascript", "/usr/lib/node_modules"] {
            paths += files(in: folder, atMost: folders == nil ? 12 : .max)
        }
        let planted = #"var planted = {"password": "zq7Marked9Thing", "pin": "4711"};"#
        for path in paths {
            guard let data = FileManager.default.contents(atPath: path),
                folders != nil || data.count <= Self.longest
            else { continue }
            let (bytes, type) = (Array(data), type(of: path))
            let redacted = redact(bytes, as: type)
            if redacted != bytes {
                let place = zip(redacted, bytes).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? 0
                let (start, end) = (max(0, place - 60), min(bytes.count, place + 80))
                Issue.record("\(path) at \(place): \(String(decoding: bytes[start..<end], as: UTF8.self))")
                continue
            }
            guard type == "text/javascript" else { continue }
            let found = String(decoding: redact(bytes + Array("\n\(planted)\n".utf8), as: type), as: UTF8.self)
            #expect(found.utf8.starts(with: bytes) && !found.contains("zq7"), "\(path)")
        }
    }
}
