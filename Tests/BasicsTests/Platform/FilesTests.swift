import Foundation
import Platform
import TestSupport
import Testing

@Suite struct FilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Behind them may be a regular file, which is appended to, never replaced.
    @Test(arguments: ["/dev/stdout", "/dev/fd/1", "/dev/null", "/dev/tty", "/proc/self/fd/1"])
    func `a device is a stream`(path: String) {
        #expect(Files.isStream(path))
    }

    @Test func `a pipe is a stream, and a file is none`() throws {
        let pipe = folder.path + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(Files.isStream(pipe))
        #expect(!Files.isStream(try folder.write("file", "text")))
        #expect(!Files.isStream(folder.path + "/missing"))
    }

    /// Linux keeps files in memory there; a project may be one of them.
    @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm")))
    func `files below dev shm are written like all others`() throws {
        let path = "/dev/shm/shunt-test-\(UUID().uuidString)"
        try Files.makeDirectory(path)
        defer { Files.remove(path) }
        let file = path + "/file"
        try Files.write(Array("one".utf8), to: file, mode: 0o600, replaces: false)
        try Files.write(Array("two".utf8), to: file, mode: 0o600)
        #expect(try Files.read(file) == Array("two".utf8))
        #expect(try Files.names(in: path) == ["file"])
        #expect(throws: FileFailure.self) { try Files.write([], to: file, mode: 0o600, replaces: false) }
    }
}
