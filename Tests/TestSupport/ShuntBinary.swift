import Foundation

/// The `shunt` that was built together with the running tests.
public enum ShuntBinary {
    /// Beside the test bundle, wherever the build put it: a sanitizer's build has another folder.
    public static let path: String = {
        let bundles = CommandLine.arguments.compactMap { argument -> URL? in
            guard let end = argument.range(of: ".xctest") else { return nil }
            return URL(fileURLWithPath: String(argument[..<end.upperBound]))
        }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folders = bundles.map { $0.deletingLastPathComponent() } + [package.appendingPathComponent(".build/debug")]
        let candidates = folders.map { $0.appendingPathComponent("shunt").path }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? candidates[0]
    }()
}
