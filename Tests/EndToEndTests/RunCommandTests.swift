import Foundation
import TestSupport
import Testing

/// Commands, and how Shunt ends with them.
private let endings: [([String], Int32)] = [
    // The command, and how Shunt ends.
    (["true"], 0), (["false"], 1), (["sh", "-c", "exit 77"], 77), (["sh", "-c", "kill -TERM $$"], 143),
    (["sh", "-c", "kill -KILL $$"], 137), (["no-such-command"], 127), (["./Profiles/none/x"], 127),
    (["./Profiles"], 126), (["./Profiles/local.json"], 126),
    // It writes more than any pipe holds.
    (["sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x; exit 3"], 3),
    // What it leaves behind in its group and outside of it ends with it.
    (["sh", "-c", "sleep 600 & setsid sleep 600 & exit 9"], 9),
    (["sh", "-c", "(trap '' TERM; while :; do sleep 600; done) & exit 8"], 8),
]

/// Command lines, how Shunt ends with them, and what it says.
private let refusals: [([String], Int32, String)] = [
    (["run"], 64, "lacks an argument"), (["run", "--base-url-env", "x", "--", "true"], 64, "API_URL=https://"),
    (["run", "--base-url-env", "A=https://api.shop.test:8443", "--", "true"], 0, ""),
    (["run", "--wait-time", "5", "--", "true"], 64, "500ms"),
    (["run", "--profile", "nope", "--", "true"], 125, "There are: local"),
    (["run", "--certs", "/dev/null/x", "--", "true"], 125, "certificates"),
]

/// `shunt run`: a command of a test with Shunt in front of its origins.
@Suite struct RunCommandTests {
    let shunt: Shunt

    init() throws {
        shunt = try Shunt()
        try shunt.folder.write(
            "Profiles/local.json",
            """
            { kind: "local", routes: [
              { host: "api.shop.test", path: "/v1/cart", mock: { json: { items: 2 } } },
              { host: "*.shop.test", mock: { text: "a shop" } },
              { path: "/*", mock: { text: "any host" } },
            ] }
            """)
    }

    /// The folder that runs make theirs in.
    private var temporary: [String: String] { ["TMPDIR": shunt.folder.path] }
    private var leftFolders: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: shunt.folder.path)) ?? []).filter {
            $0.hasPrefix("shunt-run-")
        }
    }

    private func run(_ command: String..., options: [String] = []) throws -> ChildProcess.Result {
        try ChildProcess.run(
            ShuntBinary.path, ["run"] + options + ["--"] + command, directory: shunt.folder.path,
            environment: temporary)
    }

    @Test func `a command finds each host by a variable of its own, and trusts the certificates`() throws {
        let result = try run(
            "sh", "-c",
            """
            curl -sS --noproxy '*' "$SHUNT_URL/"; echo
            curl -sS --noproxy '*' "$SHUNT_URL_API_SHOP_TEST/v1/cart"; echo
            curl -sS --noproxy '*' "$API_URL/cart"; echo
            curl -sS --noproxy '*' "$IMAGES"; echo
            curl -sS --noproxy '*' --http2 --cacert "$SHUNT_CA" "$SHUNT_URL_API_SHOP_TEST/v1/cart"; echo
            curl -sS --noproxy '*' -H 'Host: api.shop.test' "$SHUNT_URL_API_SHOP_TEST/v1/other"; echo
            """,
            options: [
                "--base-url-env", "API_URL=https://api.shop.test/v1/", "--base-url-env",
                "IMAGES=http://images.shop.test",
            ])
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        #expect(
            result.output.split(separator: "\n") == [
                "any host", #"{"items":2}"#, #"{"items":2}"#, "a shop", #"{"items":2}"#, "a shop",
            ])
    }

    @Test func `the variables name files of this user alone, and what was there before counts as well`() throws {
        let company = try shunt.folder.write("company.pem", try run("sh", "-c", "cat $SHUNT_CA").output)
        let program = """
            import os, ssl, stat
            company = open("company.pem").read().strip()
            names = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS"]
            for name in names:
                text, mode = open(os.environ[name]).read(), os.stat(os.environ[name]).st_mode
                ours = open(os.environ["SHUNT_CA"]).read().strip()
                print(oct(mode & 0o777), company in text, ours in text, text.count("BEGIN CERTIFICATE") > 2)
            print(oct(os.stat(os.path.dirname(os.environ["SHUNT_CA"])).st_mode & 0o777))
            print(os.environ["JAVA_TOOL_OPTIONS"].split(" ")[0], os.environ["NO_PROXY"])
            """
        let result = try ChildProcess.run(
            ShuntBinary.path, ["run", "--", "python3", "-c", program], directory: shunt.folder.path,
            environment: temporary.merging(
                [
                    "CURL_CA_BUNDLE": company, "JAVA_TOOL_OPTIONS": "-Dmine=1", "HTTPS_PROXY": "http://proxy.test:1",
                    "NO_PROXY": "mine.test",
                ]) { $1 })
        #expect(
            result.output.split(separator: "\n")
                == Array(repeating: "0o600 True True True", count: 5) + [
                    "0o700", "-Dmine=1 mine.test,localhost,127.0.0.1,::1",
                ], "\(result)")
        #expect(leftFolders.isEmpty)
    }

    @Test(arguments: ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy"])
    func `no proxy of the machine is asked for Shunt`(variable: String) throws {
        let result = try ChildProcess.run(
            ShuntBinary.path, ["run", "--", "env"], directory: shunt.folder.path,
            environment: temporary.merging([variable: "http://proxy.test:1"]) { $1 })
        let exception = variable.first?.isUppercase == true ? "NO_PROXY" : "no_proxy"
        #expect(result.output.contains("\n\(exception)=localhost,127.0.0.1,::1\n"), "\(result)")
    }

    @Test func `a run that keeps its store is judged by its own exchanges`() throws {
        func judged(_ path: String) throws -> Int32 {
            try run(
                "sh", "-c", "curl -sk $SHUNT_URL\(path)",
                options: ["--store", "runs.db", "--expect", "~u /v1/cart: 0"]
            ).status
        }
        #expect(try judged("/v1/cart") != 0)
        #expect(try judged("/other") == 0)
    }

    @Test(arguments: endings) func `the exit status is the command's`(command: [String], status: Int32) throws {
        let result = try ChildProcess.run(
            ShuntBinary.path, ["run", "--"] + command, directory: shunt.folder.path, environment: temporary)
        #expect(result.status == status, "\(result.errors)")
        #expect(leftFolders.isEmpty)
        if status == 3 { #expect(result.output.utf8.count == 3_000_000) }
    }

    @Test(arguments: refusals) func `what keeps Shunt from starting has a status of its own`(
        words: [String], status: Int32, text: String
    ) throws {
        let result = try ChildProcess.run(
            ShuntBinary.path, words, directory: shunt.folder.path, environment: temporary)
        #expect(result.status == status && result.errors.contains(text) || text.isEmpty, "\(result)")
        #expect(leftFolders.isEmpty)
    }

    @Test func `a variable for a host without a route is refused`() throws {
        try shunt.folder.write(
            "Profiles/local.json", #"{kind: "local", routes: [{host: "a.test", mock: {text: "a"}}]}"#)
        let result = try run("true", options: ["--base-url-env", "API=https://b.test"])
        #expect(result.status == 125 && result.errors.contains("no route of profile local is for b.test"))
        #expect(result.errors.contains("Its routes are for a.test."))
    }

    @Test func `nothing is left when Shunt itself is killed`() throws {
        let process = try ChildProcess(
            ShuntBinary.path, ["run", "--", "sh", "-c", "echo $$; (sleep 600; sleep 600) & sleep 600"],
            directory: shunt.folder.path, environment: temporary)
        #expect(eventually { process.output.hasSuffix("\n") })
        let group = try #require(Int32(process.output.dropLast()))
        #expect(kill(-group, 0) == 0)
        process.signal(SIGKILL)
        #expect(try process.wait().status == 137)
        #expect(eventually { kill(-group, 0) != 0 })
        #expect(eventually { leftFolders.isEmpty })
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGINT, SIGUSR1, SIGQUIT]) func `a signal reaches the command once`(
        signal: Int32
    ) throws {
        let program = """
            import os, signal
            numbers = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGUSR1, signal.SIGQUIT]
            signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
            os.write(1, b"ready")
            got = signal.sigwait(numbers)
            os._exit(1 if signal.sigtimedwait(numbers, 0.3) else 50 + int(got))
            """
        let process = try ChildProcess(
            ShuntBinary.path, ["run", "--", "python3", "-c", program], directory: shunt.folder.path,
            environment: temporary)
        #expect(eventually { process.output == "ready" })
        process.signal(signal)
        #expect(try process.wait().status == 50 + signal)
    }

    @Test func `a command that ignores SIGTERM ends with the second one`() throws {
        let process = try ChildProcess(
            ShuntBinary.path,
            ["run", "--", "sh", "-c", "trap 'echo got' TERM; echo ready; while :; do sleep 0.05; done"],
            directory: shunt.folder.path, environment: temporary)
        #expect(eventually { process.output == "ready\n" })
        process.signal(SIGTERM)
        #expect(eventually { process.output == "ready\ngot\n" })
        process.signal(SIGTERM)
        #expect(try process.wait().status == 137)
        #expect(leftFolders.isEmpty)
    }

    @Test(arguments: [
        ("once", "ready;^Cfirst;once;", "status 5"), ("twice", "ready;^Cfirst;^C", "status 137"),
        ("reads", "got hello", "status 0"),
    ]) func `on a terminal the command gets Ctrl-C and what is typed`(name: String, shown: String, status: String)
        throws
    {
        let result = try ChildProcess.run(
            "/usr/bin/env", ["python3", "-B", ClientProgram.folder + "run_pty.py", ShuntBinary.path, name],
            directory: shunt.folder.path, environment: temporary)
        #expect(result.output.contains(shown) && result.output.contains(status), "\(result)")
    }

    @Test func `runs side by side share no port, no folder and no certificate authority`() throws {
        let script =
            "echo $SHUNT_URL; dirname $SHUNT_CA; tr -d '\\n' < $SHUNT_CA; echo; curl -sS --noproxy '*' $SHUNT_URL; "
            // A port that is free again may be another run's.
            + "touch up.$$; until [ $(ls up.* | wc -l) -ge 50 ]; do sleep 0.1; done"
        let processes = try (0..<50).map { _ in
            try ChildProcess(
                ShuntBinary.path, ["run", "--", "sh", "-c", script],
                directory: shunt.folder.path, environment: temporary)
        }
        let outputs = try processes.map { process in
            let result = try process.wait()
            #expect(result.status == 0, "\(result.errors)")
            return result.output.split(separator: "\n")
        }
        for line in 0..<3 { #expect(Set(outputs.map { $0[line] }).count == 50) }
        #expect(outputs.allSatisfy { $0[3] == "any host" })
        #expect(leftFolders.isEmpty)
    }

    @Test func `standard streams are the command's own, also closed ones`() throws {
        let closed = try ChildProcess.run(
            "/bin/sh", ["-c", "\(ShuntBinary.path) run -- sh -c 'read x; echo $?' <&-"], directory: shunt.folder.path,
            environment: temporary)
        #expect(closed.output == "1\n" && closed.status == 0)
        let piped = try ChildProcess.run(
            "/bin/sh", ["-c", "echo typed | \(ShuntBinary.path) run -- cat 2>&1"], directory: shunt.folder.path,
            environment: temporary)
        #expect(piped.output == "typed\n")
    }

    @Test func `an origin that starts late is waited for, and one that never does is named`() throws {
        let port = FreePort.find()
        try shunt.folder.write("Profiles/local.json", profile("http://127.0.0.1:\(port)"))
        let never = try run("true", options: ["--wait-time", "50ms"])
        #expect(never.status == 125 && never.errors.contains("an origin does not respond within 50ms"), "\(never)")
        let process = try ChildProcess(
            ShuntBinary.path, ["run", "--wait", "--", "sh", "-c", "curl -sS --noproxy '*' $SHUNT_URL"],
            directory: shunt.folder.path, environment: temporary)
        let origin = try ChildProcess(
            "/usr/bin/env", ["python3", "-m", "http.server", "\(port)", "--bind", "127.0.0.1"],
            directory: shunt.folder.path)
        let result = try process.wait()
        origin.signal(SIGKILL)
        #expect(result.status == 0 && result.output.contains("Profiles"), "\(result)")
    }

    @Test(.extended, .enabled(if: ClientProgram.hasJava, "a JDK \(ClientProgram.hint)"))
    func `Java trusts Shunt through its trust store`() throws {
        try shunt.folder.write(
            "Get.java",
            """
            import java.net.URI;
            import java.net.http.*;
            class Get {
                public static void main(String[] words) throws Exception {
                    var request = HttpRequest.newBuilder(URI.create(System.getenv("SHUNT_URL_API_SHOP_TEST") + "/v1/cart"));
                    System.out.println(HttpClient.newHttpClient().send(
                        request.build(), HttpResponse.BodyHandlers.ofString()).body());
                }
            }
            """)
        try shunt.folder.write("a folder/with spaces", "")
        let result = try ChildProcess.run(
            ShuntBinary.path, ["run", "--", "java", "Get.java"], directory: shunt.folder.path,
            environment: ["TMPDIR": shunt.folder.path + "/a folder"])
        #expect(result.output == "{\"items\":2}\n", "\(result)")
    }
}
