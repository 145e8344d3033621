import Foundation
import JSON
import TestSupport
import Testing

/// The folder `.shunt` while a Shunt runs: deleted, full, or on a system that lets little be open.
@Suite struct StateFolderTests {
    private static let mock = ["local": #"{"kind": "local", "routes": [{"path": "/*", "mock": {"text": "hello"}}]}"#]

    private func urls(_ shunt: ServingShunt) throws -> [String] {
        let result = try shunt.run("logs", "--json")
        return try result.output.split(separator: "\n").compactMap { try JSONReader.read(String($0))["url"]?.string }
    }

    @Test(arguments: ["traffic.db", ".gitignore", "PORT.json", ""])
    func `what is deleted while Shunt runs is made anew, and that is said`(name: String) throws {
        let shunt = try ServingShunt(Self.mock, ["--log", "json"])
        let base = "http://127.0.0.1:\(shunt.port)"
        _ = try shunt.curl(base + "/one")
        #expect(eventually { (try? urls(shunt)) == [base + "/one"] })
        let admin = ".shunt/\(shunt.port).json"
        let before = try shunt.folder.read(admin)
        let hasStore = name == "traffic.db" || name.isEmpty
        let path = shunt.folder.path + "/.shunt/" + name.replacing("PORT", with: "\(shunt.port)")
        try FileManager.default.removeItem(atPath: path)
        if hasStore { for suffix in ["-wal", "-shm"] { unlink(path + suffix) } }
        // Without anything passing.
        #expect(
            eventually {
                ["traffic.db", ".gitignore", "\(shunt.port).json"].allSatisfy { shunt.folder.exists(".shunt/" + $0) }
            }, "\(shunt.process.errors)")
        #expect(try shunt.folder.read(".shunt/.gitignore") == "*\n")
        #expect(try shunt.folder.read(admin) == before)
        let attributes = try FileManager.default.attributesOfItem(atPath: shunt.folder.path + "/.shunt")
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        #expect(try shunt.run("status").status == 0)
        _ = try shunt.curl(base + "/two")
        #expect(eventually { (try? urls(shunt)) == (hasStore ? [] : [base + "/one"]) + [base + "/two"] })
        let log = try shunt.stop().errors.split(separator: "\n").map { try JSONReader.read(String($0)) }
        let restored = log.filter { $0["event"]?.string == "restored" }.flatMap { $0["files"]?.array ?? [] }
        let expected =
            name.isEmpty
            ? [".shunt/.gitignore", admin] : hasStore ? [] : [name == ".gitignore" ? ".shunt/.gitignore" : admin]
        #expect(restored.compactMap(\.string) == expected)
        let told = log.filter { $0["message"]?.string?.contains("the traffic was deleted") == true }
        #expect(told.count == (hasStore ? 1 : 0))
        #expect(!shunt.folder.exists(admin))
    }

    @Test func `where the project itself is deleted nothing is made anew`() throws {
        let shunt = try ServingShunt(Self.mock)
        let path = shunt.folder.path
        try FileManager.default.removeItem(atPath: path)
        // Profiles are looked at as often, and that they are gone is told.
        #expect(eventually { shunt.process.errors.contains("the old ones stay") }, "\(shunt.process.errors)")
        _ = try ChildProcess.run(
            "/usr/bin/env", ["curl", "-sS", "-o", "/dev/null", "http://127.0.0.1:\(shunt.port)/"])
        try shunt.stop()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: [("64", true), ("4095", true), ("4096", false)])
    func `a low limit of descriptors is said at the start`(limit: String, isTold: Bool) throws {
        let folder = try TemporaryFolder()
        try folder.write("Profiles/local.json", Self.mock["local"] ?? "")
        let process = try ChildProcess(
            "/bin/sh",
            [
                "-c",
                "ulimit -n \(limit) && exec \"$0\" serve --port 0 --admin-port 0 --workers 1 --ready-file ready.json",
                ShuntBinary.path,
            ], directory: folder.path)
        #expect(eventually { folder.exists("ready.json") }, "\(process.errors)")
        let warning = "lets Shunt open \(limit) files and connections at once"
        #expect(process.errors.contains(warning) == isTold, "\(process.errors)")
        process.signal(15)
        #expect(try process.wait().status == 0)
    }

    @Test func `connections leave descriptors for files, and none is lost`() throws {
        let folder = try TemporaryFolder()
        func choose(_ text: String) throws {
            let mock = #"{"kind": "local", "routes": [{"path": "/*", "mock": {"text": "\#(text)"}}]}"#
            try folder.write("Profiles/local.json", mock)
        }
        try choose("-")
        let process = try ChildProcess(
            "/bin/sh",
            [
                "-c", "ulimit -n 96 && exec \"$0\" serve --port 0 --admin-port 0 --workers 1 --ready-file ready.json",
                ShuntBinary.path,
            ], directory: folder.path)
        #expect(eventually { folder.exists("ready.json") }, "\(process.errors)")
        let ready = try JSONReader.read(try folder.read("ready.json"))
        let port = UInt16(try #require(ready["port"]?.number?.int64))
        let clients = try (0..<200).map { _ in try RawConnection.connect(port) }
        // Those that got no place yet are in the system's queue.
        let request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
        func page() throws -> String {
            try clients[0].send(request)
            return try clients[0].readHead().hasPrefix("HTTP/1.1 200") ? try clients[0].read(count: 1) : ""
        }
        #expect(try page() == "-")
        for text in ["a", "b", "c", "d", "e"] {
            try choose(text)
            process.signal(SIGHUP)
            #expect(eventually { (try? page()) == text }, "\(process.errors)")
        }
        try clients[199].send(request)
        for client in clients.dropLast() { client.close() }
        #expect(try clients[199].readHead().hasPrefix("HTTP/1.1 200"))
        process.signal(SIGTERM)
        #expect(try process.wait().status == 0)
        #expect(!process.errors.contains("Too many open files"), "\(process.errors)")
    }

    #if os(Linux)
    /// A disk of 6 MiB in the place of a project's `.shunt`, full with traffic and other things.
    private func full(_ body: (ServingShunt, _ disk: String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let disk = folder.path + "/disk"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        let mounted = try ChildProcess.run("/usr/bin/env", ["mount", "-t", "tmpfs", "-o", "size=6m", "none", disk])
        try #require(mounted.status == 0, "\(mounted)")
        defer { _ = try? ChildProcess.run("/usr/bin/env", ["umount", "-l", disk]) }
        // Bodies that are all different take up room.
        let routes = (0..<40).map { number in
            let text = String(repeating: "\(number) ", count: 60_000 / (number < 10 ? 2 : 3))
            return #"{"path": "/\#(number)", "mock": {"text": "\#(text)"}}"#
        }
        let small = #"{"path": "/small", "mock": {"text": "hello"}}"#
        let shunt = try ServingShunt(
            ["local": #"{"kind": "local", "routes": [\#(small), \#(routes.joined(separator: ",\n"))]}"#],
            ["--store", disk + "/traffic.db"])
        func ask(_ path: (Int) -> String) throws {
            let lines = (0..<40).map { "url = http://127.0.0.1:\(shunt.port)\(path($0))\noutput = /dev/null\n" }
            try shunt.folder.write("curl.config", lines.joined())
            _ = try shunt.curl("-K", "curl.config")
        }
        try ask { "/\($0)" }
        func count() throws -> Int {
            try shunt.run("logs", "-n", "100", "--json", "--store", disk + "/traffic.db").output
                .split(separator: "\n").count
        }
        #expect(eventually { (try? count()) == 40 })
        _ = try? ChildProcess.run("/bin/sh", ["-c", "cat /dev/zero > \(disk)/filler"])
        try ask { "/small?\($0)" }
        try body(shunt, disk)
    }

    @Test(.enabled(if: SmallDisk.mayMount, "only root may mount a small disk"), arguments: [true, false])
    func `a full disk is cleared, whether a Shunt runs or not`(isRunning: Bool) throws {
        try full { shunt, disk in
            let store = disk + "/traffic.db"
            if isRunning {
                #expect(eventually { shunt.process.errors.contains("the disk is full") }, "\(shunt.process.errors)")
            } else {
                try shunt.stop()
                _ = try? ChildProcess.run("/bin/sh", ["-c", "cat /dev/zero >> \(disk)/filler"])
            }
            let part = try shunt.run("clear", "--yes", "--store", store, "~u /1")
            #expect(part.status == 0 || part.errors.contains("`shunt clear` without a filter needs none"), "\(part)")
            let cleared = try shunt.run("clear", "--yes", "--store", store)
            #expect(cleared.status == 0, "\(cleared)")
            #expect(try shunt.run("logs", "--store", store).output.isEmpty || isRunning)
            let room = try FileManager.default.attributesOfFileSystem(forPath: disk)[.systemFreeSize] as? Int ?? 0
            #expect(room > 1 << 20, "\(room)")
            guard isRunning else { return }
            #expect(eventually { shunt.process.errors.contains("is recorded again") }, "\(shunt.process.errors)")
            _ = try shunt.curl("http://127.0.0.1:\(shunt.port)/small?after")
            #expect(eventually { shunt.process.errors.contains("/small?after 200") }, "\(shunt.process.errors)")
            try shunt.stop()
            let numbers = try shunt.run("logs", "--json", "--store", store).output.split(separator: "\n")
                .compactMap { try JSONReader.read(String($0))["id"]?.number?.int64 }
            #expect(numbers.count == 41 && numbers.allSatisfy { $0 > 40 }, "\(numbers)")
        }
    }
    #endif
}

#if os(Linux)
/// Whether tests may mount file systems here.
enum SmallDisk {
    static let mayMount: Bool = {
        guard getuid() == 0, let folder = try? TemporaryFolder() else { return false }
        let line = "mount -t tmpfs -o size=64k none '\(folder.path)' && umount '\(folder.path)'"
        return (try? ChildProcess.run("/bin/sh", ["-c", line]).status) == 0
    }()
}
#endif
