import Foundation

/// The programs that tests run.
public enum ShuntBinary {
    /// Whether it is the optimised one: only of that is known how much memory it takes.
    public static var isRelease: Bool { ProcessInfo.processInfo.environment["SHUNT_BINARY"] != nil }

    /// The `shunt` that tests run: the one that `SHUNT_BINARY` names, else the one that was built together with them.
    public static let path = ProcessInfo.processInfo.environment["SHUNT_BINARY"] ?? built("shunt")

    /// The path of a program that was built together with the tests: it is beside the test bundle, wherever the build
    /// put that, since a sanitizer's build has another folder.
    public static func built(_ name: String) -> String {
        let bundles = CommandLine.arguments.compactMap { argument -> URL? in
            guard let end = argument.range(of: ".xctest") else { return nil }
            return URL(fileURLWithPath: String(argument[..<end.upperBound]))
        }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folders = bundles.map { $0.deletingLastPathComponent() } + [package.appendingPathComponent(".build/debug")]
        let candidates = folders.map { $0.appendingPathComponent(name).path }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? candidates[0]
    }
}
