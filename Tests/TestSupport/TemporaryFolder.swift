import Foundation
import Testing

/// A folder of its own for one test; removed with everything in it when the test lets go of it.
///
/// `SHUNT_KEEP` names a folder of the same file system that it is moved to instead; `.ci/test` leaves those of tests that
/// failed in the folder that it was given by that name.
public final class TemporaryFolder: Sendable {
    public let path: String
    private let test = Test.current?.name ?? "no test"

    public init() throws {
        let url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("shunt-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
        Sweeper.shared.hold(folder: path)
    }

    deinit {
        if let kept = ProcessInfo.processInfo.environment["SHUNT_KEEP"] {
            // A sentence stands in backticks, with the names of its arguments behind.
            let sentence = String(test.split(separator: "`").first ?? "")
            let name = sentence.filter { !"/\"".contains($0) } + "." + path.suffix(8)
            rename(path, kept + "/" + name)
        } else {
            try? FileManager.default.removeItem(atPath: path)
        }
        Sweeper.shared.release(folder: path)
    }

    /// Writes a file, with the folders above it.
    @discardableResult
    public func write(_ name: String, _ text: String) throws -> String {
        let url = URL(fileURLWithPath: path).appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url, options: .atomic)
        return url.path
    }

    public func read(_ name: String) throws -> String {
        // Data(contentsOf:) never frees what it read from a file that was empty.
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path).appendingPathComponent(name))
        return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }

    public func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }
}
