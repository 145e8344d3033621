import Commands
import Foundation
import JSON
import TestSupport
import Testing

/// `shunt doctor` on projects with one thing wrong each.
@Suite struct DoctorTests {
    private func project(_ profile: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("Profiles/local.json", profile)
        return folder
    }

    private func run(_ folder: TemporaryFolder, _ words: String...) async -> ChildProcess.Result {
        await CapturedRun.run(
            ["doctor", "--profiles", folder.path + "/Profiles", "--certs", folder.path + "/certs"] + words,
            environment: ["XDG_DATA_HOME": folder.path + "/.data", "PATH": "/usr/bin:/bin"])
    }

    private func doctor(_ folder: TemporaryFolder) async throws -> (status: Int32, checks: [JSONValue]) {
        let result = await run(folder, "--json")
        #expect(result.errors.isEmpty, "\(result)")
        return (result.status, try JSONReader.read(result.output)["checks"]?.array ?? [])
    }

    private func wrong(_ checks: [JSONValue]) -> [String] {
        checks.filter { $0["state"]?.string == "wrong" }.map { $0["area"]?.string ?? "" }
    }

    @Test func `a project where all is well has no finding, one line per check, and status 0`() async throws {
        let nginx = try NginxOrigin()
        let folder = try project(profile("http://localhost:\(nginx.plainPort)"))
        let (status, checks) = try await doctor(folder)
        #expect(status == 0 && wrong(checks).isEmpty, "\(checks)")
        let areas = Set(checks.compactMap { $0["area"]?.string })
        #expect(areas.isSuperset(of: ["profiles", "origin", "clock", "CA", "traffic", "DNS", "port"]), "\(areas)")
        for check in checks {
            #expect((check["fix"]?.string == nil) == (check["state"]?.string == "ok"), "\(check)")
        }
        let text = await run(folder)
        let lines = text.output.split(separator: "\n").filter { !$0.contains("fix: ") }
        #expect(lines.count == checks.count, "\(text)")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/certs"), "a look changes nothing")
    }

    @Test func `an origin that is down and one whose certificate fails are wrong, each with a fix`() async throws {
        let nginx = try NginxOrigin(selfSigned: true)
        let down = FreePort.find()
        let (status, checks) = try await doctor(
            try project(
                """
                {"kind": "local", "routes": [{"origin": "https://localhost:\(nginx.port)"},
                  {"host": "b.test", "origin": "http://localhost:\(down)"}]}
                """))
        #expect(status == 1 && wrong(checks) == ["origin", "origin"], "\(checks)")
        #expect(checks.contains { $0["fix"]?.string == "shunt trust explain localhost:\(nginx.port)" }, "\(checks)")
    }

    @Test func `profiles with errors are told one by one, and the other checks go on`() async throws {
        let (status, checks) = try await doctor(try project(#"{"kind": "local", "routes": [{"origin": 1}, {"x": 2}]}"#))
        #expect(status == 1 && wrong(checks).count >= 2 && Set(wrong(checks)) == ["profiles"], "\(checks)")
        #expect(checks.contains { $0["area"]?.string == "port" })
    }

    @Test func `a key that others can read is wrong, with the command that mends it`() async throws {
        let folder = try project(#"{"kind": "local", "routes": [{"mock": {}}]}"#)
        for (name, mode) in [("ca-key.pem", 0o644), ("leaf-key.pem", 0o600)] as [(String, mode_t)] {
            try folder.write("certs/\(name)", "x")
            #expect(chmod(folder.path + "/certs/" + name, mode) == 0)
        }
        let (status, checks) = try await doctor(folder)
        #expect(status == 1 && wrong(checks) == ["key"], "\(checks)")
        #expect(checks.contains { $0["fix"]?.string?.hasSuffix("certs/ca-key.pem") == true }, "\(checks)")
    }

    @Test func `a clock that differs from an origin's is wrong`() async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send(
                "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 0\r\n\r\n")
        }
        defer { origin.stop() }
        let (status, checks) = try await doctor(try project(profile("http://127.0.0.1:\(origin.port)")))
        #expect(status == 1 && wrong(checks) == ["clock"], "\(checks)")
    }

    @Test func `an origin that accepts and says nothing does not keep it beyond its time`() async throws {
        let origin = ScriptedOrigin { connection, _ in _ = try connection.readToEnd() }
        defer { origin.stop() }
        let folder = try project(profile("http://127.0.0.1:\(origin.port)"))
        let (status, checks) = try await DoctorLimit.$seconds.withValue(1) { try await doctor(folder) }
        #expect(status == 1 && wrong(checks) == ["origin"], "\(checks)")
    }

    @Test func `without a project it checks the machine and says how to begin`() throws {
        let folder = try TemporaryFolder()
        let result = try ChildProcess.run(
            ShuntBinary.path, ["doctor", "--certs", "certs", "--json"], directory: folder.path)
        let checks = try JSONReader.read(result.output)["checks"]?.array ?? []
        #expect(result.status == 0, "\(result)")
        #expect(checks.contains { $0["fix"]?.string?.contains("shunt init") == true }, "\(checks)")
    }
}
