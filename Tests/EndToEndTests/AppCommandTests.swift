import Foundation
import JSON
import TestSupport
import Testing

/// `use --app` and `"apps"`, with programs that are told apart by nothing but their names.
@Suite struct AppCommandTests {
    private static func profile(_ name: String, kind: String = "local", _ more: String = "") -> String {
        #"{"kind": "\#(kind)", "routes": [{"path": "/*", "mock": {"text": "\#(name)"}}]\#(more)}"#
    }

    private static let profiles = [
        "local": profile("local"), "staging": profile("staging", kind: "staging"),
        "named": profile("named", #", "apps": ["named"]"#),
    ]

    /// Copies of curl under these names.
    private static func copy(_ names: String..., in folder: TemporaryFolder) throws {
        let curl = try #require(
            ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map { $0 + "/curl" }
                .first { FileManager.default.isExecutableFile(atPath: $0) })
        for name in names {
            try FileManager.default.copyItem(atPath: curl, toPath: folder.path + "/" + name)
        }
    }

    private static func get(
        _ program: String, _ shunt: ServingShunt, _ more: String..., host: String = "127.0.0.1"
    ) throws -> String {
        let result = try ChildProcess.run(
            shunt.folder.path + "/" + program,
            ["-sS", "--max-time", "120", "--noproxy", "*"] + more + ["http://\(host):\(shunt.port)/"], seconds: 150)
        return result.status == 0 ? result.output : result.errors
    }

    @Test func `two programs of one machine have two profiles, each by its name`() throws {
        let shunt = try ServingShunt(Self.profiles, ["--profile", "local"])
        try Self.copy("agent", "browser", "named", in: shunt.folder)
        let used = try shunt.run("use", "staging", "--app", "agent")
        #expect(used.output == "agent goes by profile staging; before it had none of its own.\n", "\(used)")
        #expect(try Self.get("agent", shunt) == "staging")
        #expect(try Self.get("browser", shunt) == "local")
        #expect(try Self.get("named", shunt) == "named")
        // No field claims to be another program, and what a request says comes first.
        #expect(try Self.get("browser", shunt, "-A", "agent", "-H", "Shunt-App: agent") == "local")
        #expect(try Self.get("agent", shunt, "-H", "Shunt-Profile: named") == "named")
        let names = try shunt.run("logs", "~app ^agent$ & ~env staging", "--json").output.split(separator: "\n").map {
            let line = try JSONReader.read(Array($0.utf8))
            return [line["client"]?["app"]?.string, line["chosen_by"]?.string]
        }
        #expect(names == [["agent", "app"]])
        let listed = try JSONReader.read(try shunt.run("status", "--json").output)["apps"]?.array?.map {
            [$0["app"]?.string, $0["profile"]?.string]
        }
        #expect(listed == [["agent", "staging"]])
        let back = try shunt.run("use", "--app", "agent", "--active")
        #expect(back.output == "agent goes with the active profile; before it was staging.\n", "\(back)")
        #expect(try Self.get("agent", shunt) == "local")
        let trail = try shunt.run("audit").output
        #expect(trail.contains("app agent") && trail.contains("staging"), "\(trail)")
        let log = try shunt.stop().errors
        #expect(log.contains("shunt: program agent goes by profile staging now\n"), "\(log)")
        #expect(log.contains("shunt: program agent goes as other clients do now\n"), "\(log)")
    }

    /// A script that asks again and again on one connection, and runs commands meanwhile.
    private static let script = """
        import http.client, subprocess, sys
        connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=120)
        def ask():
            connection.request("GET", "/")
            print(connection.getresponse().read().decode(), flush=True)
        def shunt(*words):
            return subprocess.run([sys.argv[2], *words], check=True, capture_output=True, text=True).stdout
        ask()
        shunt("use", "staging", "--app", "tests.py")
        ask()
        print(shunt("devices"))
        shunt("use", "named", "--app", "python3")
        ask()
        shunt("use", "--app", "tests.py", "--active")
        ask()
        """

    @Test func `a connection that stays open follows its script's choice, which outlives a restart`() throws {
        let shunt = try ServingShunt(Self.profiles, ["--profile", "local", "--no-store"])
        let script = try shunt.folder.write("tests.py", Self.script)
        let python = try ChildProcess.run(
            "/usr/bin/env", ["python3", script, "\(shunt.port)", ShuntBinary.path], directory: shunt.folder.path,
            seconds: 150)
        let lines = python.output.split(separator: "\n").map(String.init)
        #expect(
            lines.filter { ["local", "staging", "named"].contains($0) } == ["local", "staging", "staging", "named"])
        #expect(lines.contains { $0.hasPrefix("python3 tests.py  staging ") }, "\(python)")
        try shunt.stop()
        let kept = try JSONReader.read(try shunt.folder.read(".shunt/devices.json"))["apps"]?.array
        #expect(kept?.map { [$0["app"]?.string, $0["profile"]?.string] } == [["python3", "named"]])
        let again = try ServingShunt(
            Self.profiles, ["--profile", "local"],
            files: [".shunt/devices.json": try shunt.folder.read(".shunt/devices.json")])
        let apps = try JSONReader.read(try again.run("devices", "--json").output)["apps"]?.array
        #expect(apps?.map { [$0["app"]?.string, $0["profile"]?.string] } == [["python3", "named"]])
        try again.stop()
    }

    @Test func `what is no name of a program, or of a profile, is refused`() throws {
        let shunt = try ServingShunt(Self.profiles, ["--no-store"])
        let path = try shunt.run("use", "staging", "--app", "/usr/bin/curl")
        #expect(path.status == 1 && path.errors.contains("the last part of its path"), "\(path)")
        let wrong = try shunt.run("use", "stagign", "--app", "curl")
        #expect(wrong.status == 1 && wrong.errors.contains("Did you mean “staging”?"), "\(wrong)")
        let both = try shunt.run("use", "staging", "--app", "curl", "--device", "127.0.0.1")
        #expect(both.status == 64, "\(both)")
        try shunt.stop()
    }

    /// It takes root to become another user.
    @Test(.enabled(if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")))
    func `a program of another user goes with the active profile`() throws {
        let shunt = try ServingShunt(Self.profiles, ["--profile", "local", "--no-store"])
        #expect(try shunt.run("use", "staging", "--app", "curl").status == 0)
        let arguments = ["-sS", "--max-time", "120", "--noproxy", "*", "http://127.0.0.1:\(shunt.port)/"]
        #expect(try shunt.curl(arguments).output == "staging")
        let other = try ChildProcess.run(
            "/usr/bin/setpriv", ["--reuid", "65534", "--clear-groups", "curl"] + arguments, seconds: 150)
        #expect(other.output == "local", "\(other)")
        try shunt.stop()
    }
}
