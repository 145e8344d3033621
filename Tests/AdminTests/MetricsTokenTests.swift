import Admin
import Foundation
import TestSupport
import Testing

/// The token that reads metrics.
@Suite struct MetricsTokenTests {
    @Test(arguments: [
        (String(repeating: "a", count: 32), true), (String(repeating: "a", count: 32) + "\n", true),
        (String(repeating: "~", count: 512), true), (String(repeating: "a", count: 31), false), ("", false),
        (String(repeating: "a", count: 513), false), (String(repeating: "a", count: 32) + "\n\n", false),
        (String(repeating: "a", count: 32) + " b", false), (String(repeating: "\u{e9}", count: 32), false),
    ])
    func `one of a file is strong and on one line`(text: String, isToken: Bool) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("token", text)
        #expect(chmod(path, 0o440) == 0)
        #expect((try AdminToken.read(path) != nil) == isToken)
        // Others could read it.
        #expect(chmod(path, 0o444) == 0)
        #expect(try AdminToken.read(path) == nil)
    }

    @Test func `it outlives a restart, and is made anew where others could know or set it`() throws {
        let folder = try TemporaryFolder()
        let directory = folder.path + "/.shunt"
        let path = directory + "/" + AdminToken.metricsFile
        let first = try AdminToken.kept(in: directory).text
        #expect(first.utf8.count == 64)
        #expect(try AdminToken.kept(in: directory).text == first)
        #expect(chmod(path, 0o644) == 0)
        let second = try AdminToken.kept(in: directory).text
        #expect(second != first)
        try "short".write(toFile: path, atomically: false, encoding: .utf8)
        let third = try AdminToken.kept(in: directory).text
        #expect(third.utf8.count == 64 && third != second)
        // A link would let another user choose it.
        let other = try folder.write("mine", String(repeating: "a", count: 64))
        #expect(unlink(path) == 0 && chmod(other, 0o600) == 0 && symlink(other, path) == 0)
        #expect(try AdminToken.kept(in: directory).text != String(repeating: "a", count: 64))
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }
}
