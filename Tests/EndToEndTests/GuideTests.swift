import Foundation
import JSON
import TestSupport
import Testing

/// Each guide leads from an empty folder to its end.
@Suite struct GuideTests {
    private static let folder =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path + "/docs/guides"

    // A command more or less, and a block that is not run, is a change here, too.
    @Test(arguments: [
        ("guides/first", 22, 0), ("guides/ios", 18, 2), ("guides/web", 20, 0), ("guides/hybrid", 14, 0),
        ("guides/ci", 11, 1), ("guides/push", 20, 1), ("push", 4, 3), ("sealed", 13, 1), ("../README", 9, 2),
    ])
    func `every command of a guide does what it shows`(guide: String, commands: Int, marked: Int) throws {
        let folder = try TemporaryFolder()
        if guide == "sealed" {
            try folder.write("Profiles/local.json", #"{"kind": "local", "routes": [{"mock": {"text": "ok"}}]}"#)
            try folder.write("traffic.har", Self.archive)
        }
        let result = try ChildProcess.run(
            "/usr/bin/env",
            ["python3", "-B", ClientProgram.folder + "guides.py", ShuntBinary.path, "\(Self.folder)/../\(guide).md"]
                + (guide == "../README" ? Self.servers : []),
            directory: folder.path, seconds: 240)
        #expect(result.status == 0, "\(result.errors)")
        let done = try JSONReader.read(result.output)
        #expect((done["wrong"]?.array ?? []).compactMap(\.string) == [])
        #expect(done["commands"]?.number?.int64 == Int64(commands))
        #expect(done["marked"]?.number?.int64 == Int64(marked))
    }

    @Test func `there is no other guide`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder).sorted()
        #expect(names == ["README.md", "ci.md", "first.md", "hybrid.md", "ios.md", "push.md", "web.md"])
    }

    /// What README's first session talks to.
    private static let servers = ["http://localhost:3000=local", "https://api.staging.shop.example=staging"]

    private static let archive = #"""
        {"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": [
          {"startedDateTime": "2026-11-20T10:00:00Z", "time": 5,
           "request": {"method": "GET", "url": "http://api.shop.test/v1/cart", "httpVersion": "HTTP/1.1", "headers": []},
           "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "headers": [],
             "content": {"size": 2, "mimeType": "text/plain", "text": "ok"}}}]}}
        """#

    @Test(arguments: [
        ("```sh\nfalse\n```", "status 1"), ("```console\n$ echo one\ntwo\n```", "does not print “two”"),
        ("```console\n$ printf 'b\\na\\n'\na\nb\n```", "does not print “b”"),
        ("```\nls\n```", "nothing in the block is run"),
        ("```swift\nlet a = 1\n```", "nothing in the block is run"),
    ])
    func `a guide that does not work is found`(block: String, words: String) throws {
        let folder = try TemporaryFolder()
        let guide = try folder.write("guide.md", "# One\n\n\(block)\n")
        let result = try ChildProcess.run(
            "/usr/bin/env", ["python3", "-B", ClientProgram.folder + "guides.py", ShuntBinary.path, guide],
            directory: folder.path, seconds: 60)
        let wrong = try JSONReader.read(result.output)["wrong"]?.array?.compactMap(\.string) ?? []
        #expect(wrong.count == 1 && wrong.first?.contains(words) == true, "\(result)")
    }
}
