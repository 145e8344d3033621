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

    /// Asks once on each of several connections, and looks at what is recorded while they are open.
    private static let once = """
        import http.client, subprocess, sys
        connections = [http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=120) for _ in range(8)]
        for connection in connections:
            connection.request("GET", "/")
            connection.getresponse().read()
        for words in [["logs", "--json"], ["devices", "--json"]]:
            print(subprocess.run([sys.argv[2], *words], check=True, capture_output=True, text=True).stdout, end="\\0")
        """

    @Test func `the first request of a connection is recorded with its program, where none is chosen by that`() throws {
        let shunt = try ServingShunt(["local": Self.profile("local")])
        let script = try shunt.folder.write("once.py", Self.once)
        let python = try ChildProcess.run(
            "/usr/bin/env", ["python3", script, "\(shunt.port)", ShuntBinary.path], directory: shunt.folder.path,
            seconds: 150)
        let outputs = python.output.split(separator: "\0")
        try #require(outputs.count == 2, "\(python)")
        let apps = try outputs[0].split(separator: "\n").map {
            try JSONReader.read(Array($0.utf8))["client"]?["app"]?.string
        }
        #expect(apps == Array(repeating: "python3 once.py", count: 8), "\(python)")
        let connected = try JSONReader.read(Array(outputs[1].utf8))["apps"]?.array
        #expect(connected?.map { $0["app"]?.string } == ["python3 once.py"], "\(python)")
        #expect(connected?.first?["connections"]?.number?.int64 == 8)
        try shunt.stop()
    }

    @Test(.extended) func `two Chromium with folders of their own are two programs`() throws {
        let shunt = try ServingShunt(Self.profiles, ["--profile", "local"])
        let browser = try #require(ClientProgram.browser, "Chromium \(ClientProgram.hint)")
        #expect(try shunt.run("use", "staging", "--app", "work").status == 0)
        for (folder, expected) in [("work", "staging"), ("home", "local")] {
            let page = try ChildProcess.run(
                browser,
                [
                    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server",
                    "--user-data-dir=\(shunt.folder.path)/\(folder)", "--dump-dom", "http://127.0.0.1:\(shunt.port)/",
                ], seconds: 150)
            #expect(page.output.contains(">\(expected)<"), "\(page)")
        }
        try shunt.stop()
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

    private static let makesNamespaces =
        geteuid() == 0 && ClientProgram.find("nsenter") != nil
        && (try? ChildProcess.run("/usr/bin/env", ["unshare", "-n", "ip", "link", "add", "type", "veth"]))?.status == 0

    /// A process with a network of its own, and its own view of the system's interfaces and of the names of networks.
    private struct Network {
        let holder: ChildProcess

        init() throws {
            let holder = try ChildProcess(
                "/usr/bin/env",
                [
                    "unshare", "-n", "-m", "sh", "-ec",
                    "mount -t sysfs sys /sys; mount -t tmpfs run /run; ip link set lo up; exec sleep 1000",
                ])
            self.holder = holder
            try #require(
                eventually { (try? String(contentsOfFile: "/proc/\(holder.pid)/comm", encoding: .utf8)) == "sleep\n" })
        }

        /// Runs a command of the shell in it.
        func run(_ command: String, in folder: String? = nil) throws -> ChildProcess.Result {
            try ChildProcess.run(
                "/usr/bin/env",
                ["nsenter", "-t", "\(holder.pid)", "-n", "-m", "--wd=\(folder ?? "/")", "sh", "-ec", command],
                directory: folder, seconds: 150)
        }
    }

    /// Shunt has a network of its own, too: browsers of other tests break off when interfaces come and go.
    @Test(
        .extended,
        .enabled(if: makesNamespaces, "it takes root, and unshare(1), nsenter(1) and ip(8) that may make networks"))
    func `a program in a network of its own is known as long as no other one can be meant`() throws {
        let (host, container) = (try Network(), try Network())
        for (network, command) in [
            (host, "ip link add near type veth peer name far netns \(container.holder.pid)"),
            (
                host,
                "ip address add 198.18.0.1/30 dev near; ip address add fd53::1/64 dev near nodad; ip link set near up"
            ),
            (
                container,
                "ip address add 198.18.0.2/30 dev far; ip address add fd53::2/64 dev far nodad; ip link set far up"
            ),
        ] {
            let result = try network.run(command)
            try #require(result.status == 0, "\(result)")
        }
        let folder = try TemporaryFolder()
        let start = try folder.write(
            "start",
            """
            #!/bin/sh
            exec nsenter -t \(host.holder.pid) -n -m "--wd=$PWD" '\(ShuntBinary.path)' "$@"
            """)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: start)
        let shunt = try ServingShunt(
            Self.profiles, ["--profile", "local", "-H", "0.0.0.0", "-H", "::"], program: start)
        func command(_ words: String) throws -> ChildProcess.Result {
            try host.run("'\(ShuntBinary.path)' \(words)", in: shunt.folder.path)
        }
        func get(_ address: String, as user: String = "") throws -> String {
            try container.run(
                "exec \(user) curl -sS --max-time 120 --noproxy '*' 'http://\(address):\(shunt.port)/'"
            ).output
        }
        #expect(try command("use staging --app curl").status == 0)
        for address in ["198.18.0.1", "[fd53::1]"] { #expect(try get(address) == "staging") }
        #expect(try get("198.18.0.1", as: "setpriv --reuid 65534 --clear-groups") == "local")
        let name = "shunt-\(container.holder.pid)"
        let attached = try host.run("ip netns attach \(name) \(container.holder.pid)")
        try #require(attached.status == 0, "\(attached)")
        #expect(try command("use named --app 'in \(name)'").status == 0)
        #expect(try get("198.18.0.1") == "named")
        let logs = try command("logs '~app \"^curl in \(name)$\"' --json")
        #expect(logs.output.split(separator: "\n").count == 1, "\(logs)")
        // Another network with the same address: neither of both.
        let other = try Network()
        #expect(try other.run("ip address add 198.18.0.2/32 dev lo").status == 0)
        #expect(eventually { (try? get("198.18.0.1")) == "local" }, "the networks of a second ago may be used")
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
