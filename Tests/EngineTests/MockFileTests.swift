import Engine
import Foundation
import Profiles
import Reactor
import TestSupport
import Testing

/// Bodies of mocks that lie in files.
@Suite struct MockFileTests {
    private func start(_ folder: TemporaryFolder, _ mock: String) async throws -> Harness {
        let path = try folder.write("Profiles/only.json", #"{"kind": "local", "routes": [{"mock": \#(mock)}]}"#)
        let library = try ProfileLibrary.load(directory: folder.path + "/Profiles")
        _ = path
        var configuration = Proxy.Configuration(addresses: [.loopback(.ipv4, port: 0)])
        let log = Harness.Log()
        configuration.observer = log
        return Harness(
            proxy: try await Proxy.start(configuration, profiles: library, active: "only"), log: log)
    }

    @Test(arguments: [
        ("promo.json", "application/json"), ("page.html", "text/html; charset=utf-8"), ("PAGE.HTM", "text/html"),
        ("logo.svg", "image/svg+xml"), ("data", "application/octet-stream"), ("data.x", "application/octet-stream"),
    ])
    func `the file is the body, and its extension says the type`(name: String, type: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write("Profiles/\(name).d/\(name)", "{}")
        let harness = try await start(folder, #"{"file": "\#(name).d/\#(name)"}"#)
        let seen = try await askOnce(harness.port, "GET", "/")
        await harness.stop()
        #expect(seen.body == "{}" && seen.head.contains("content-type: \(type)"), "\(seen.head)")
    }

    @Test func `headers that name a type keep it`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("body.json", "1")
        let harness = try await start(folder, #"{"file": "../body.json", "headers": {"Content-Type": "text/x"}}"#)
        let seen = try await askOnce(harness.port, "GET", "/")
        await harness.stop()
        #expect(seen.body == "1" && seen.head.contains("Content-Type: text/x"))
    }

    @Test func `a file that changes counts at once, even at the same length`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("body.txt", "0")
        let harness = try await start(folder, #"{"file": "../body.txt"}"#)
        for number in 0..<50 {
            try Data("\(number % 10)".utf8).write(to: URL(fileURLWithPath: folder.path + "/body.txt"))
            let seen = try await askOnce(harness.port, "GET", "/")
            #expect(seen.body == "\(number % 10)")
        }
        await harness.stop()
    }

    @Test(arguments: [-1, 4_000_000_000, 10_000_000_000_000])
    func `a file's time may be any number, and a change counts all the same`(seconds: Int) async throws {
        let folder = try TemporaryFolder()
        try folder.write("body.txt", "")
        let harness = try await start(folder, #"{"file": "../body.txt"}"#)
        for text in ["one", "two"] {
            let path = try folder.write("body.txt", text)
            var times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
            #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
            for _ in 0..<3 { #expect(try await askOnce(harness.port, "GET", "/").body == text) }
        }
        await harness.stop()
    }

    @Test func `many requests at once for a large file get it whole`() async throws {
        let folder = try TemporaryFolder()
        let text = String(repeating: "0123456789abcdef", count: 250_000)
        try folder.write("body.txt", text)
        let harness = try await start(folder, #"{"file": "../body.txt"}"#)
        let port = harness.port
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<12 { group.addTask { try await askOnce(port, "GET", "/").body == text } }
            for try await isWhole in group { #expect(isWhole) }
        }
        await harness.stop()
    }

    @Test func `a file that is gone is an error that names it, until it is back`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("body.txt", "here")
        let harness = try await start(folder, #"{"file": "../body.txt"}"#)
        try FileManager.default.removeItem(atPath: folder.path + "/body.txt")
        let gone = try await askOnce(harness.port, "GET", "/")
        #expect(gone.head.hasPrefix("HTTP/1.1 500 ") && gone.body.contains(folder.path + "/body.txt"), "\(gone)")
        try FileManager.default.createDirectory(
            atPath: folder.path + "/body.txt", withIntermediateDirectories: false)
        let folderInstead = try await askOnce(harness.port, "GET", "/")
        #expect(folderInstead.body.contains("is no regular file"), "\(folderInstead)")
        try FileManager.default.removeItem(atPath: folder.path + "/body.txt")
        try folder.write("body.txt", String(repeating: "x", count: (16 << 20) + 1))
        #expect(try await askOnce(harness.port, "GET", "/").body.contains("longer than 16 MiB"))
        try folder.write("body.txt", "back")
        #expect(try await askOnce(harness.port, "GET", "/").body == "back")
        await harness.stop()
    }
}
