import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A directory of one test's own, gone when the test is.
final class Scratch {
    private let folder: TemporaryFolder
    var path: String { folder.path }

    init() throws { folder = try TemporaryFolder() }

    /// Writes a file and returns its path.
    func file(_ name: String, _ body: String, mode: mode_t = 0o600) throws -> String {
        let path = self.path + "/" + name
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let bytes = Array(body.utf8)
        try #require(write(descriptor, bytes, bytes.count) == bytes.count)
        try #require(fchmod(descriptor, mode) == 0)
        return path
    }

    func read(_ name: String) throws -> String {
        let stream = try #require(fopen(path + "/" + name, "r"))
        defer { fclose(stream) }
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = fread(&bytes, 1, bytes.count, stream)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    func mode(of name: String) throws -> mode_t {
        var status = stat()
        try #require(stat(path + "/" + name, &status) == 0)
        return status.st_mode & 0o777
    }

    var names: Set<String> {
        var names: Set<String> = []
        guard let directory = opendir(path) else { return names }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            names.insert(
                withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names.subtracting([".", ".."])
    }
}

/// Runs a command and gives back what it prints; nil where there is no such command or it fails.
func run(_ command: String) -> String? {
    guard let pipe = popen(command + " 2>/dev/null", "r") else { return nil }
    var bytes = [UInt8](repeating: 0, count: 65536)
    var output: [UInt8] = []
    while true {
        let count = fread(&bytes, 1, bytes.count, pipe)
        if count == 0 { break }
        output += bytes.prefix(count)
    }
    return pclose(pipe) == 0 ? String(decoding: output, as: UTF8.self) : nil
}
