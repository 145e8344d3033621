import Foundation
import JSON
import TestSupport
import Testing

/// Commands find a running Shunt from any folder.
@Suite struct RunningShuntTests {
    private static let mock = #"{"kind": "local", "routes": [{"path": "/*", "mock": {"text": "hello"}}]}"#

    private let home: TemporaryFolder
    /// In no project.
    private let elsewhere: Shunt

    init() throws {
        home = try TemporaryFolder()
        elsewhere = try Shunt()
    }

    private var environment: [String: String] { ["XDG_DATA_HOME": home.path] }

    private func serve() throws -> ServingShunt {
        try ServingShunt(["local": Self.mock, "staging": Self.mock], environment: environment)
    }

    private func run(_ words: [String]) throws -> ChildProcess.Result {
        try ChildProcess.run(ShuntBinary.path, words, directory: elsewhere.folder.path, environment: environment)
    }

    @Test func `outside of a project commands mean the only Shunt that runs, and with -p any of them`() throws {
        #expect(try run(["ps"]).output.contains("No Shunt runs"))
        let none = try run(["use", "staging"])
        #expect(none.status == 1 && none.errors.contains("shunt serve"))
        let first = try serve()
        #expect(try run(["use", "staging"]).output.contains("on port \(first.port)"))
        #expect(try first.curl("http://localhost:\(first.port)/found").output == "hello")
        #expect(eventually { (try? run(["logs"]).output.contains("/found")) == true })
        let explained = try run(["explain", "http://localhost/found"])
        #expect(explained.output.contains("profile  staging (local, active now)"), "\(explained)")
        let checked = try run(["doctor"])
        #expect(checked.output.contains("\(first.folder.path)/Profiles: local, staging"), "\(checked)")
        #expect(checked.output.contains("runs at port \(first.port)"), "\(checked)")

        let second = try serve()
        let unclear = try run(["status"])
        #expect(unclear.status == 1)
        #expect(unclear.errors.contains("\(first.port)") && unclear.errors.contains("-p PORT"), "\(unclear.errors)")
        for words in [
            ["status"], ["reload"], ["use", "local"], ["logs"], ["mocks"], ["devices"], ["explain", "http://a/"],
        ] {
            let result = try run(words + ["-p", "\(second.port)"])
            #expect(result.status == 0, "\(words): \(result.errors)")
        }
        #expect(try run(["doctor", "-p", "\(second.port)"]).output.contains("local, staging"))
        for words in [["doctor"], ["record", "all"], ["explain", "http://a/"], ["expect", "~all: 0..9"]] {
            let result = try run(words)
            #expect(result.status == 1 && result.errors.contains("several Shunts run"), "\(words): \(result)")
            #expect(result.errors.contains("-p PORT: ") && result.output.isEmpty, "\(words): \(result)")
        }
        let met = try run(["expect", "~u found: 1", "-p", "\(first.port)"])
        #expect(met.status == 0, "\(met)")
        // In a project its own Shunt counts, and another one by its port.
        #expect(try first.run("use", "local").output.contains("on port \(first.port)"))
        let other = try ChildProcess.run(
            ShuntBinary.path, ["use", "staging", "-p", "\(second.port)"], directory: first.folder.path,
            environment: environment)
        #expect(other.output.contains("on port \(second.port)"), "\(other.errors)")
        let wrong = try run(["status", "-p", "1"])
        #expect(wrong.status == 1 && wrong.errors.contains("port 1"), "\(wrong.errors)")
    }

    @Test func `a command sees the files that were written before it`() throws {
        let shunt = try serve()
        for name in ["one", "two", "three"] {
            try shunt.folder.write("Profiles/\(name).json", Self.mock)
            let used = try shunt.run("use", name)
            #expect(used.output.contains("Profile \(name) is active"), "\(used.errors)")
        }
        for text in ["first", "second"] {
            let mock = #"{"kind": "local", "routes": [{"path": "/\#(text)/*", "mock": {"text": "hello"}}]}"#
            try shunt.folder.write("Profiles/three.json", mock)
            let explained = try shunt.run("explain", "http://localhost/\(text)/a")
            #expect(explained.output.contains("/\(text)/*"), "\(explained)")
        }
        try shunt.folder.write("Profiles/four.json", "{")
        let refused = try shunt.run("use", "four")
        #expect(refused.status == 1 && refused.errors.contains("there is no profile “four”"), "\(refused)")
        #expect(refused.errors.contains("four.json:1:2"), "\(refused.errors)")
    }

    @Test func `of several that run in a project explain asks which one is meant`() throws {
        let first = try serve()
        let second = try ChildProcess(
            ShuntBinary.path,
            [
                "serve", "--admin-port", "0", "--port", "0", "--ready-file", "second.json", "--certs", "certs",
                "--no-store",
            ],
            directory: first.folder.path, environment: environment)
        defer { second.signal(9) }
        #expect(eventually { first.folder.exists("second.json") }, "\(second.errors)")
        let unclear = try first.run("explain", "http://a/")
        #expect(unclear.status == 1 && unclear.output.isEmpty, "\(unclear)")
        #expect(unclear.errors.contains("several Shunts run") && unclear.errors.contains("-p PORT"), "\(unclear)")
        let named = try first.run("explain", "http://a/", "-p", "\(first.port)")
        #expect(named.status == 0 && named.output.contains("profile  local"), "\(named)")
    }

    @Test func `ps lists each with its port, profile and folder`() throws {
        let (first, second) = (try serve(), try serve())
        let listed = try run(["ps"])
        for shunt in [first, second] {
            let line = try #require(
                listed.output.split(separator: "\n").first {
                    $0.contains(" \(shunt.port) ") || $0.hasPrefix("\(shunt.port) ")
                })
            #expect(line.contains(" local ") && line.hasSuffix(shunt.folder.path))
        }
        let json = try JSONReader.read(try run(["ps", "--json"]).output)
        #expect(
            json.array?.compactMap { $0["port"]?.number?.int64 } == [first.port, second.port].sorted().map(Int64.init))
        #expect(json.array?.first?["startedAt"]?.number != nil && json.array?.first?["profile"]?.string == "local")
        // One that was killed leaves an entry, which the next look removes.
        first.process.signal(9)
        _ = try first.process.wait()
        try second.stop()
        #expect(try run(["ps"]).output.contains("No Shunt runs"))
        let left = try FileManager.default.contentsOfDirectory(atPath: home.path + "/shunt/running")
        #expect(left.isEmpty, "\(left)")
    }

    @Test func `the list is for this user alone, and holds no token`() throws {
        let shunt = try serve()
        for (path, mode) in [
            ("shunt", 0o700), ("shunt/running", 0o700), ("shunt/running/\(shunt.process.pid).json", 0o600),
        ] {
            let attributes = try FileManager.default.attributesOfItem(atPath: home.path + "/" + path)
            #expect((attributes[.posixPermissions] as? Int) == mode, "\(path)")
        }
        let entry = try home.read("shunt/running/\(shunt.process.pid).json")
        #expect(entry.contains("\(shunt.port)") && !entry.contains("token"))
        // A home that cannot be written to does not keep Shunt from serving.
        try home.write("file", "")
        let other = try ServingShunt(
            ["local": Self.mock], environment: ["XDG_DATA_HOME": home.path + "/file"])
        #expect(try other.run("status").status == 0)
        #expect(other.process.errors.contains("shunt ps"))
    }

    @Test func `status says when the files on disk no longer load`() throws {
        let shunt = try serve()
        #expect(try !shunt.run("status").output.contains("NOT LOADED"))
        #expect(try JSONReader.read(try shunt.run("status", "--json").output)["problems"]?.array?.isEmpty == true)
        try shunt.folder.write("Profiles/staging.json", "{ kind: 'staging', routs: [] }")
        let status = try shunt.run("status")
        #expect(status.output.contains("NOT LOADED") && status.output.contains("staging.json:1:"), "\(status.output)")
        let problems = try JSONReader.read(try shunt.run("status", "--json").output)["problems"]?.array
        #expect(problems?.first?.string?.contains("routs") == true)
        #expect(try shunt.curl("http://localhost:\(shunt.port)/").output == "hello")
    }

    @Test func `stop names a WebSocket that it waits for`() throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send(
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
            _ = try? connection.read(until: "never")
        }
        defer { origin.stop() }
        let shunt = try ServingShunt(
            ["local": profile("http://127.0.0.1:\(origin.port)")], environment: environment)
        let client = try RawConnection.connect(shunt.port)
        try client.send(
            "GET / HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        #expect(try client.readHead().contains("101"))
        #expect(try shunt.run("status").output.contains("1 under way (1 WebSocket)"))
        let stop = try ChildProcess(
            ShuntBinary.path, ["stop"], directory: elsewhere.folder.path, environment: environment)
        #expect(
            eventually { stop.errors.contains("waiting for 1 exchange (1 WebSocket) to finish") }, "\(stop.errors)")
        client.close()
        #expect(try stop.wait().status == 0)
        #expect(try shunt.process.wait().status == 0)
    }

    @Test func `stop waits for exchanges in progress and says so`() throws {
        let release = DispatchSemaphore(value: 0)
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            release.wait()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")
        }
        defer { origin.stop() }
        let shunt = try ServingShunt(
            ["local": profile("http://127.0.0.1:\(origin.port)")], environment: environment)
        let client = try RawConnection.connect(shunt.port)
        try client.send("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
        #expect(eventually { origin.connectionCount == 1 })
        let stop = try ChildProcess(
            ShuntBinary.path, ["stop"], directory: elsewhere.folder.path, environment: environment)
        #expect(eventually { stop.errors.contains("waiting for 1 exchange to finish") }, "\(stop.errors)")
        #expect(stop.isRunning && shunt.process.isRunning)
        release.signal()
        #expect(try client.read(until: "done").contains("200 OK"))
        client.close()
        let result = try stop.wait()
        #expect(result.status == 0 && result.output.contains("port \(shunt.port)"), "\(result.errors)")
        #expect(try shunt.process.wait().status == 0)
        #expect(try run(["stop"]).errors.contains("shunt serve"))
    }
}
