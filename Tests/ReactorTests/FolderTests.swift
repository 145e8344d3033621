import Foundation
import Reactor
import TestSupport
import Testing

/// What can be opened below a folder, and what cannot.
@Suite struct FolderTests {
    private func site(sweepsByItself: Bool = true) throws -> (TemporaryFolder, Folder) {
        let outer = try TemporaryFolder()
        try outer.write("secret", "secret")
        try outer.write("site-2/x", "a neighbour")
        try outer.write("site/a.txt", "a")
        try outer.write("site/sub/b.txt", "b")
        let links = [
            ("inside", "a.txt"), ("sub/up", "../a.txt"), ("folder", "sub"), ("out", "../secret"),
            ("absolute", outer.path + "/secret"), ("root", "/"), ("above", ".."), ("self", "self"), ("nothing", "gone"),
            ("neighbour", "../site-2/x"), ("process", "/proc/self/root/etc/passwd"), ("twice", "out"),
        ]
        for (name, target) in links { #expect(symlink(target, outer.path + "/site/" + name) == 0) }
        #expect(mkfifo(outer.path + "/site/pipe", 0o600) == 0)
        return (outer, Folder(outer.path + "/site", sweepsByItself: sweepsByItself))
    }

    private func text(_ file: OpenFile) -> String {
        var bytes = [UInt8](repeating: 0, count: Int(file.state.size))
        #expect(bytes.withUnsafeMutableBytes { file.read(into: $0, from: 0) } == bytes.count)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("a.txt", "a"), ("sub/b.txt", "b"), ("inside", "a"), ("sub/up", "a"), ("folder/b.txt", "b"),
    ])
    func `files and links that stay within the folder are opened`(name: String, expected: String) throws {
        let (_outer, folder) = try site()
        let file = try #require(folder.open(Array(name.utf8)))
        #expect(!file.isFolder && text(file) == expected)
        _ = _outer
    }

    @Test(arguments: [
        "out", "absolute", "root", "root/etc/passwd", "above", "above/secret", "self", "nothing", "neighbour",
        "process",
        "twice", "pipe", "../secret", "sub/../../secret", "/etc/passwd", "a.txt/", "a.txt/x", "folder/../../secret",
        String(repeating: "x", count: 300), String(repeating: "x/", count: 4000) + "x",
    ])
    func `nothing else is, and nothing is waited for`(name: String) throws {
        let (_outer, folder) = try site()
        #expect(folder.open(Array(name.utf8)) == nil)
        _ = _outer
    }

    @Test func `a file that is not used any more is closed, also when it was deleted`() throws {
        let (outer, folder) = try site(sweepsByItself: false)
        weak let used = folder.open(Array("a.txt".utf8))
        weak let deleted = folder.open(Array("sub/b.txt".utf8))
        try FileManager.default.removeItem(atPath: outer.path + "/site/sub/b.txt")
        #expect(folder.sweep() && used != nil && deleted != nil)
        _ = folder.open(Array("a.txt".utf8))
        #expect(folder.sweep() && used != nil && deleted == nil)
        #expect(!folder.sweep() && used == nil)
        #expect(folder.open(Array("a.txt".utf8)).map(text) == "a")
    }

    @Test func `a folder that takes the place of another counts at once`() throws {
        let (outer, folder) = try site()
        #expect(folder.open(Array("a.txt".utf8)).map(text) == "a")
        try outer.write("next/a.txt", "new")
        try FileManager.default.moveItem(atPath: outer.path + "/site", toPath: outer.path + "/old")
        #expect(folder.open(Array("a.txt".utf8)) == nil)
        try FileManager.default.moveItem(atPath: outer.path + "/next", toPath: outer.path + "/site")
        #expect(folder.open(Array("a.txt".utf8)).map(text) == "new")
    }

    @Test func `a file alone is what every path leads to`() throws {
        let (outer, _) = try site()
        let folder = Folder(outer.path + "/secret")
        for name in ["", "x", "a/b"] { #expect(folder.open(Array(name.utf8)).map(text) == "secret") }
    }

    @Test func `a change of the file is seen on what is open`() throws {
        let (outer, folder) = try site()
        let file = try #require(folder.open(Array("a.txt".utf8)))
        #expect(file.isUnchanged)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: outer.path + "/site/a.txt"))
        try handle.write(contentsOf: Data("changed".utf8))
        #expect(!file.isUnchanged)
    }

    @Test func `a folder lists what could be asked for`() throws {
        let (_outer, folder) = try site()
        try _outer.write("site/.hidden", "")
        let names = try #require(folder.open([])).entries()
        #expect(names.contains("a.txt") && names.contains("sub/") && names.contains("folder/"))
        #expect(!names.contains(".hidden") && !names.contains("pipe") && !names.contains("nothing"))
    }

    #if canImport(Darwin) || SHUNT_KQUEUE
    /// A folder on a file system that takes names for one another; on Linux that of HFS+, which takes the most.
    private func foldingSite() throws -> (TemporaryFolder, Folder) {
        foldNames()
        let (outer, folder) = try site()
        for name in [".env", ".git/config", "Caf\u{E9}.txt", "Sub.d/B.txt"] { try outer.write("site/" + name, name) }
        for (name, target) in [("latest", "Sub.d"), ("dots", ".git")] {
            #expect(symlink(target, outer.path + "/site/" + name) == 0)
        }
        return (outer, folder)
    }

    @Test(arguments: [
        "A.txt", "sub/B.TXT", "SUB/b.txt", ".ENV", "\u{200D}.env", "\u{200C}.git/config", "\u{FEFF}.GIT/config",
        "dots/Config", "Dots/config", "latest/b.txt", "Latest/B.txt", "la\u{200D}test/B.txt", "inSide", "FOLDER/b.txt",
    ])
    func `no file is opened under a name that only the file system takes for its own`(name: String) throws {
        let (_outer, folder) = try foldingSite()
        #expect(folder.open(Array(name.utf8)) == nil)
        _ = _outer
    }

    @Test(arguments: ["Caf\u{E9}.txt", "Cafe\u{301}.txt", "latest/B.txt", "dots/config", "Sub.d/B.txt"])
    func `composed and decomposed letters are one name, and links may lead to other names`(name: String) throws {
        let (_outer, folder) = try foldingSite()
        #expect(folder.open(Array(name.utf8)) != nil)
        _ = _outer
    }
    #endif
}
