import Foundation
import JSON
import TestSupport
import Testing

/// `shunt serve --detach`: a server in the background.
@Suite struct DetachTests {
    private static let mock = #"{"kind": "local", "routes": [{"path": "/*", "mock": {"text": "hello"}}]}"#
    private static let words = [
        "serve", "--detach", "--admin-port", "0", "--workers", "1", "--certs", "certs", "--no-pages", "--port",
    ]

    private let shunt: Shunt
    private var folder: TemporaryFolder { shunt.folder }

    init() throws {
        shunt = try Shunt()
        try folder.write("Profiles/local.json", Self.mock)
    }

    /// Starts one that is ended with the test.
    private func detach(_ more: String..., port: UInt16 = 0) throws -> ChildProcess.Result {
        try ChildProcess.run(ShuntBinary.path, Self.words + ["\(port)"] + more, directory: folder.path)
    }

    /// The shell runs `$shunt …`, the words of a server on any free port.
    private func shell(_ script: String) throws -> ChildProcess.Result {
        try ChildProcess.run(
            "/bin/sh", ["-c", script], directory: folder.path,
            environment: ["shunt": ([ShuntBinary.path] + Self.words + ["0"]).joined(separator: " ")])
    }

    /// What runs in the folder.
    private var running: [(port: Int, pid: Int32)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/.shunt")) ?? []
        return names.filter { $0.hasSuffix(".json") }.compactMap { name in
            guard let record = try? JSONReader.read(try folder.read(".shunt/" + name)),
                let port = record["port"]?.number?.int64, let pid = record["pid"]?.number?.int64
            else { return nil }
            return (Int(port), Int32(pid))
        }
    }

    /// With what starts a server again: both are of one group.
    private func endAll() {
        for (_, pid) in running { kill(-getpgid(pid), SIGKILL) }
    }

    /// Also one that the first process of a container does not wait for.
    private func hasEnded(_ pid: Int32) -> Bool {
        let state = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        return kill(pid, 0) != 0 || state?.contains(") Z ") == true
    }

    private func page(_ port: Int) throws -> String {
        try ChildProcess.run(
            "/usr/bin/env", ["curl", "-sS", "--noproxy", "*", "http://localhost:\(port)/"], directory: folder.path
        ).output
    }

    @Test func `it returns when it listens, says how to end it, and stop ends it`() throws {
        defer { endAll() }
        let result = try detach()
        #expect(result.status == 0, "\(result.errors)")
        let (port, pid) = try #require(running.first)
        for text in [
            "listens on https://localhost:\(port)", "admin     http://", "`shunt stop -p \(port)`", "pid \(pid)",
        ] {
            #expect(result.errors.contains(text), "\(text) in \(result.errors)")
        }
        #expect(try page(port) == "hello")
        // It leads a session, so that the end of a terminal does not reach it.
        #expect(getsid(pid) == getpgid(pid) && getsid(pid) != getsid(0))
        let log = ".shunt/\(port).log"
        #expect(eventually { (try? folder.read(log).contains("GET")) == true })
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + log)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try shunt.run("stop").status == 0)
        #expect(running.isEmpty && eventually { hasEnded(pid) })
        #expect(try folder.read(log).contains("stopped"))
        #expect(try detach(port: UInt16(port)).status == 0)
        #expect(try folder.read(log + ".1").contains("stopped"))
    }

    @Test func `with JSON every line of the start is JSON`() throws {
        defer { endAll() }
        let result = try detach("--log", "json")
        let events = try result.errors.split(separator: "\n").map { try JSONReader.read(String($0)) }
        #expect(events.compactMap { $0["event"]?.string }.suffix(2) == ["started", "detached"])
        #expect(events.last?["port"]?.number?.int64 == running.first.map { Int64($0.port) })
        #expect(events.last?["log"]?.string?.hasSuffix(".log") == true)
    }

    @Test(arguments: [
        ("local.json", "{ kind: 'local', routs: [] }", [String]()),
        ("local.json", mock, ["--profile", "nope"]),
        ("local.json", mock, ["--certs=/dev/null/certs"]),
        ("local.json", mock, ["--host", "192.0.2.1"]),
    ])
    func `a start that fails says what serve says, and leaves nothing`(
        file: String, text: String, options: [String]
    ) throws {
        defer { endAll() }
        try folder.write("Profiles/" + file, text)
        let words =
            options.contains { $0.hasPrefix("--certs") } ? Self.words.filter { !$0.hasSuffix("certs") } : Self.words
        let plain = try ChildProcess.run(
            ShuntBinary.path, words.filter { $0 != "--detach" } + ["0"] + options, directory: folder.path)
        let detached = try ChildProcess.run(ShuntBinary.path, words + ["0"] + options, directory: folder.path)
        #expect(plain.status == 1 && detached.status == plain.status)
        #expect(!plain.errors.isEmpty && detached.errors == plain.errors)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/.shunt")
        #expect(!left.contains { $0.hasSuffix(".log") }, "\(left)")
        #expect(running.isEmpty)
    }

    @Test func `of two at once the second one says that the first runs`() throws {
        defer { endAll() }
        let port = FreePort.find()
        let starts = try (0..<2).map { _ in
            try ChildProcess(ShuntBinary.path, Self.words + ["\(port)"], directory: folder.path)
        }
        let results = try starts.map { try $0.wait() }
        #expect(results.map(\.status).sorted() == [0, 1])
        let second = try #require(results.first { $0.status == 1 })
        #expect(second.errors.contains("a Shunt runs on port \(port) already"), "\(second.errors)")
        #expect(second.errors.contains("shunt stop -p \(port)"))
        #expect(running.count == 1)
    }

    @Test(arguments: [
        // Without a terminal, without an input, without any stream, and from a caller that reads to the end.
        "$shunt", "setsid $shunt", "$shunt <&-", "$shunt <&- >&- 2>&-",
        "text=$($shunt 2>&1) && echo \"$text\" | grep -q listens",
        // A descriptor of the caller is not kept open.
        "exec 9>held; flock -n 9 && $shunt && exec 9>&- && flock -n held true",
    ])
    func `it starts from any caller`(script: String) throws {
        defer { endAll() }
        let result = try shell(script)
        #expect(result.status == 0, "\(result.errors)")
        let port = try #require(running.first?.port)
        #expect(try page(port) == "hello")
        #expect(try shunt.run("stop").status == 0)
    }

    /// A start that does not end: its ready file is a pipe that has no reader yet.
    private func slowStart() throws -> (command: ChildProcess, server: Int32) {
        mkfifo(folder.path + "/pipe", 0o600)
        let command = try ChildProcess(
            ShuntBinary.path, Self.words + ["0", "--ready-file", "pipe"], directory: folder.path)
        #expect(eventually { running.count == 1 }, "\(command.errors)")
        return (command, try #require(running.first).pid)
    }

    @Test func `a start that is broken off leaves nothing`() throws {
        defer { endAll() }
        let (command, server) = try slowStart()
        command.signal(SIGTERM)
        #expect(try command.wait().status == 128 + SIGTERM)
        #expect(eventually { hasEnded(server) })
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/.shunt")
        #expect(!left.contains { $0.hasPrefix("start-") } && running.isEmpty, "\(left)")
    }

    @Test func `a server whose starter was killed ends by itself`() throws {
        defer { endAll() }
        let (command, server) = try slowStart()
        command.signal(SIGKILL)
        _ = try command.wait()
        #expect(kill(server, 0) == 0)
        // Now it comes to listen, and finds that it cannot tell.
        let reader = try #require(FileHandle(forReadingAtPath: folder.path + "/pipe"))
        #expect(try reader.readToEnd()?.isEmpty == false)
        #expect(eventually { running.isEmpty && hasEnded(server) })
    }

    @Test(arguments: [(SIGSEGV, "SIGSEGV"), (SIGILL, "SIGILL"), (SIGKILL, "SIGKILL")])
    func `after a crash it is there again, and says where the note is`(signal: Int32, name: String) throws {
        defer { endAll() }
        try folder.write(
            "Profiles/other.json",
            Self.mock.replacing("hello", with: "other")
                .replacing("}]}", with: #"}, {"name": "spare", "path": "/spare", "mock": {"text": "spare"}}]}"#))
        let live = #"{"kind": "production", "routes": [{"path": "/*", "origin": "http://127.0.0.1:1"}]}"#
        try folder.write("Profiles/live.json", live)
        #expect(try detach().status == 0)
        let (port, pid) = try #require(running.first)
        #expect(try shunt.run("use", "other").status == 0)
        #expect(try shunt.run("unlock", "live", "--for", "10m", "--reason", "a test").status == 0)
        #expect(try shunt.run("mocks", "off", "spare").status == 0)
        #expect(try shunt.run("network", "lte", "--for", "10m").status == 0)
        for path in ["v1/cart", "reset/4f3c2b1a09"] {
            let url = "http://localhost:\(port)/\(path)?key=hidden"
            let page = try ChildProcess.run(
                "/usr/bin/env", ["curl", "-sS", "--noproxy", "*", url], directory: folder.path)
            #expect(page.output == "other")
        }
        kill(pid, signal)
        #expect(eventually { running.contains { $0.port == port && $0.pid != pid } })
        #expect(eventually { (try? page(port)) == "other" })
        let status = try shunt.run("status").output
        for text in ["live", "lte", "spare"] { #expect(status.contains(text), "\(text) in \(status)") }
        let log = try folder.read(".shunt/\(port).log")
        #expect(log.contains("\(name) ended Shunt; it is started again in 100 ms"), "\(log)")
        #expect(log.contains("goes on where pid \(pid) crashed or was killed: profile other"), "\(log)")
        if signal != SIGKILL {
            #expect(log.contains("crashed; please report it with .shunt/\(port).crash.txt"), "\(log)")
            let note = try folder.read(".shunt/\(port).crash.txt")
            for text in ["pid \(pid), ended by \(name) at 20", "  GET /reset/*\n  GET /v1/cart\n", "report"] {
                #expect(note.contains(text), "\(text) in \(note)")
            }
            #expect(!note.contains("hidden") && !note.contains("4f3c"), "\(note)")
            #expect(try shunt.run("doctor").output.contains("a Shunt crashed: .shunt/\(port).crash.txt"))
        }
        // What is ended on purpose stays so.
        let next = try #require(running.first).pid
        let keeper = getsid(next)
        #expect(try shunt.run("stop").status == 0)
        #expect(eventually { hasEnded(next) && hasEnded(keeper) })
        #expect(running.isEmpty && !folder.exists(".shunt/\(port).state") && (try? page(port)) != "other")
    }

    @Test func `what crashes again and again stays down in the end`() throws {
        defer { endAll() }
        #expect(try detach("--log", "json").status == 0)
        let port = try #require(running.first).port
        for _ in 0...5 {
            #expect(eventually { running.contains { !hasEnded($0.pid) } && (try? page(port)) == "hello" })
            let pid = try #require(running.first).pid
            kill(pid, SIGKILL)
            #expect(eventually { hasEnded(pid) })
        }
        let log = { try folder.read(".shunt/\(port).log") }
        #expect(eventually { !folder.exists(".shunt/\(port).state") })
        let events = try log().split(separator: "\n").map { try JSONReader.read(String($0)) }
        let pauses = events.filter { $0["event"]?.string == "crashed" }.map { $0["pauseMilliseconds"]?.number?.int64 }
        #expect(pauses == [100, 200, 400, 800, 1600, nil])
        #expect((try? page(port)) != "hello")
    }

    @Test func `its log is bounded, and made anew where it was removed`() throws {
        defer { endAll() }
        #expect(try detach().status == 0)
        let port = try #require(running.first?.port)
        let log = ".shunt/\(port).log"
        let handle = try #require(FileHandle(forWritingAtPath: folder.path + "/" + log))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(repeating: 10, count: 9 << 20))
        #expect(eventually { folder.exists(log + ".1") && folder.exists(log) })
        #expect(try page(port) == "hello")
        #expect(eventually { (try? folder.read(log).contains("GET")) == true })
        try FileManager.default.removeItem(atPath: folder.path + "/" + log)
        #expect(eventually { folder.exists(log) })
    }
}
