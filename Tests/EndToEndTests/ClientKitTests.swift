import Foundation
import JSON
import TestSupport
import Testing

/// `shunt client-kit`: what it writes, whether that compiles, and whether apps then trust Shunt.
@Suite struct ClientKitTests {
    private static let kits = [
        "alamofire", "kingfisher", "nuke", "wkwebview", "urlsession", "ats", "okhttp", "retrofit", "android", "flutter",
        "node", "python", "java", "docker", "curl", "environment", "pytest", "playwright", "junit",
        "xctest",
    ]

    let shunt: Shunt

    init() throws {
        shunt = try Shunt()
        try shunt.folder.write(
            "Profiles/staging.json",
            """
            {kind: "staging", routes: [{mock: {text: "hello"}},
              {host: "api.shop.test", path: "/v1/*", mock: {text: "api"}}, {host: "*.cdn.shop.test", mock: {text: "cdn"}},
              {host: "api.shop.test", mock: {text: "api"}}]}
            """)
        try shunt.folder.write("Profiles/production.json", "{kind: 'production', routes: []}")
        _ = try shunt.run("init", "--project-ca")
        try FileManager.default.removeItem(atPath: shunt.folder.path + "/Profiles/local.json")
    }

    private func kit(_ name: String, _ words: String...) throws -> ChildProcess.Result {
        try ChildProcess.run(
            ShuntBinary.path, ["client-kit", "--for", name, "--profile", "staging"] + words,
            directory: shunt.folder.path)
    }

    /// Without what differs from CA to CA and from folder to folder.
    private func normalised(_ text: String) throws -> String {
        let pem = try shunt.folder.read("certs/ca.pem")
        let base64 = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        let lines = stride(from: 0, to: base64.count, by: 76).map { start in
            base64.dropFirst(start).prefix(76)
        }
        var text = text.replacingOccurrences(of: pem, with: "(PEM)\n")
            .replacingOccurrences(of: shunt.folder.path, with: "(folder)")
        for (number, line) in lines.enumerated() {
            text = text.replacingOccurrences(of: line, with: number == 0 ? "(Base64)" : "(more)")
        }
        return text.replacingOccurrences(of: "            (more)\n", with: "")
    }

    @Test(arguments: kits) func `a kit says what was recorded`(name: String) throws {
        let result = try kit(name)
        #expect(result.status == 0, "\(result.errors)")
        let text = try normalised(result.output)
        let file = ClientProgram.folder + "kits/\(name).expected"
        guard let expected = try? String(contentsOfFile: file, encoding: .utf8) else {
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            Issue.record("\(file) was not there and is written now: review it, and run again")
            return
        }
        #expect(text == expected, "delete \(file) to record it anew")
    }

    @Test func `help names every kit, and what cannot be done is said`() throws {
        let help = try shunt.run("client-kit", "--help").output.split(separator: "\n").joined(separator: " ")
        for name in Self.kits { #expect(help.contains("\(name) ("), "\(name)") }
        for (words, message) in [
            (["client-kit"], "--for is missing"), (["client-kit", "--for", "alamofir"], "Did you mean “alamofire”?"),
        ] {
            let result = try ChildProcess.run(ShuntBinary.path, words, directory: shunt.folder.path)
            #expect(result.status == 64 && result.errors.contains(message), "\(result)")
        }
    }

    @Test(.extended) func `the Swift kits compile in debug builds, and are empty in others`() throws {
        let swiftc = try #require(
            ["/opt/swift/usr/bin/swiftc", "/usr/bin/swiftc"].first { FileManager.default.isExecutableFile(atPath: $0) })
        func compile(_ words: [String]) throws {
            let result = try ChildProcess.run(
                swiftc, ["-swift-version", "6", "-module-cache-path", "cache", "-I", "."] + words,
                directory: shunt.folder.path, seconds: 300)
            #expect(result.status == 0, "\(words): \(result.errors)")
        }
        for module in ["Security", "Alamofire", "Kingfisher", "Nuke", "WebKit", "SwiftUI"] {
            let stub = try String(
                contentsOfFile: ClientProgram.folder + "kits/stubs/\(module).swift.txt", encoding: .utf8)
            try shunt.folder.write("stubs/\(module).swift", stub)
            try compile(["-parse-as-library", "-emit-module", "-module-name", module, "stubs/\(module).swift"])
        }
        let made = try kit(
            "alamofire", "--for", "kingfisher", "--for", "nuke", "--for", "wkwebview", "--for", "urlsession", "--for",
            "environment", "-o", "kit")
        #expect(made.status == 0, "\(made.errors)")
        let files = try FileManager.default.contentsOfDirectory(atPath: shunt.folder.path + "/kit").map { "kit/" + $0 }
        #expect(files.count == 7)
        // Linux has the constant, but marks it as unavailable; a module's own comes first.
        let own = "let NSURLAuthenticationMethodServerTrust = \"NSURLAuthenticationMethodServerTrust\"\n"
        try shunt.folder.write("stubs/Own.swift", own)
        try compile(["-parse-as-library", "-typecheck", "-D", "DEBUG", "stubs/Own.swift"] + files)
        // Without the frameworks: nothing of them is imported.
        for file in files {
            let result = try ChildProcess.run(
                swiftc, ["-parse-as-library", "-module-name", "kit", "-emit-ir", file], directory: shunt.folder.path,
                seconds: 300)
            #expect(result.status == 0 && !result.output.contains("Shunt"), "\(file): \(result.errors)")
        }
    }

    /// A Shunt with the CA of the project, and its port.
    private func serve() throws -> (process: ChildProcess, port: Int) {
        let process = try ChildProcess(
            ShuntBinary.path,
            ["serve", "--port", "0", "--admin-port", "0", "--workers", "1", "--no-store", "--ready-file", "ready.json"]
                + ["--profile", "staging"], directory: shunt.folder.path)
        #expect(eventually { shunt.folder.exists("ready.json") }, "\(process.errors)")
        return (process, Int(try JSONReader.read(try shunt.folder.read("ready.json"))["port"]?.number?.int64 ?? 0))
    }

    @Test func `a Shunt that other machines reach is in the kits with its address`() throws {
        let process = try ChildProcess(
            ShuntBinary.path,
            ["serve", "--host", "0.0.0.0", "--port", "0", "--admin-port", "0", "--workers", "1", "--no-store"]
                + ["--ready-file", "ready.json", "--profile", "staging"], directory: shunt.folder.path)
        defer { process.signal(15) }
        #expect(eventually { shunt.folder.exists("ready.json") }, "\(process.errors)")
        let line = try #require(process.errors.split(separator: "\n").first { $0.hasPrefix("  network   ") })
        let url = try #require(URL(string: String(line.split(separator: " ")[1])))
        let host = try #require(url.host)
        #expect(try kit("urlsession").output.contains(#"hosts: [String] = ["localhost", "\#(host)", "#))
        #expect(try kit("curl").output.contains("curl -K shunt.curlrc \(url.absoluteString)/"))
        #expect(try !kit("curl").output.contains("connect-to = \"\(host)"))
        #expect(try kit("environment").output.contains("URL(string: \"http://\(host):"))
    }

    private func run(_ words: [String], _ environment: [String: String] = [:]) throws -> ChildProcess.Result {
        try ChildProcess.run("/usr/bin/env", words, directory: shunt.folder.path, environment: environment)
    }

    @Test(.enabled(if: ClientProgram.hasNode, "node \(ClientProgram.hint)"))
    func `Node's https and fetch trust Shunt with the kit alone, and never in production`() throws {
        let (process, port) = try serve()
        defer { process.signal(15) }
        _ = try kit("node", "-o", ".")
        try shunt.folder.write(
            "app.cjs",
            """
            const https = require('node:https');
            https.get('https://localhost:\(port)/', (response) => response.resume().on('end', async () => {
              console.log(await (await fetch('https://localhost:\(port)/')).text());
            })).on('error', (error) => { console.log(error.code); });
            """)
        let words = ["node", "--require", "./shunt-trust.cjs", "app.cjs"]
        #expect(try run(words).output == "hello\n")
        #expect(try run(["node", "app.cjs"]).output != "hello\n")
        #expect(try run(words, ["NODE_ENV": "production"]).output != "hello\n")
        #expect(try run(words, ["SHUNT_CA": "/nowhere"]).output != "hello\n")
    }

    @Test func `Python's standard library trusts Shunt with the kit alone`() throws {
        let (process, port) = try serve()
        defer { process.signal(15) }
        _ = try kit("python", "-o", ".")
        let script = """
            import sys, urllib.request, shunt_trust
            context = shunt_trust.context() if sys.argv[1] == "kit" else None
            print(urllib.request.urlopen("https://localhost:\(port)/", context=context).read().decode())
            """
        try shunt.folder.write("app.py", script)
        #expect(try run(["python3", "-B", "app.py", "kit"]).output == "hello\n")
        #expect(try run(["python3", "-B", "app.py", "none"]).errors.contains("CERTIFICATE_VERIFY_FAILED"))
        #expect(try run(["python3", "-BO", "app.py", "kit"]).errors.contains("CERTIFICATE_VERIFY_FAILED"))
    }

    @Test(.enabled(if: ClientProgram.hasPython, "Python with its packages \(ClientProgram.hint)"))
    func `requests and httpx trust Shunt with the kit`() throws {
        let (process, port) = try serve()
        defer { process.signal(15) }
        _ = try kit("python", "-o", ".")
        try shunt.folder.write(
            "app.py",
            """
            import httpx, requests, shunt_trust
            session = requests.Session()
            session.trust_env = False
            session.mount("https://", shunt_trust.adapter())
            url = "https://localhost:\(port)/"
            print(session.get(url).text, httpx.Client(verify=shunt_trust.context(), trust_env=False).get(url).text)
            try:
                session.get("https://127.0.0.2:\(port)/")
            except requests.exceptions.SSLError:
                print("another name is refused")
            except requests.exceptions.ConnectionError:
                print("another name is refused")
            """)
        let result = try run([ClientProgram.python, "-B", "app.py"])
        #expect(result.output == "hello hello\nanother name is refused\n", "\(result.errors)")
    }

    @Test(.extended, .enabled(if: ClientProgram.hasJava, "a JDK \(ClientProgram.hint)"))
    func `Java's HttpClient trusts Shunt with the kit alone`() throws {
        let (process, port) = try serve()
        defer { process.signal(15) }
        _ = try kit("java", "-o", ".")
        try shunt.folder.write(
            "App.java",
            """
            import java.net.URI;
            import java.net.http.*;
            class App { public static void main(String[] words) throws Exception {
              HttpClient client = HttpClient.newBuilder().sslContext(ShuntTrust.context()).build();
              HttpRequest request = HttpRequest.newBuilder(URI.create("https://localhost:\(port)/")).build();
              System.out.println(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
            } }
            """)
        #expect(try run(["javac", "App.java", "ShuntTrust.java"]).status == 0)
        #expect(try run(["java", "-cp", ".", "App"]).output == "hello\n")
        #expect(
            try run(["java", "-cp", ".", "App"], ["SHUNT_CA": "/nowhere"]).errors.contains("SSLHandshakeException"))
    }

    @Test func `curl trusts Shunt and sends it the names of the profile`() throws {
        let (process, port) = try serve()
        defer { process.signal(15) }
        _ = try kit("curl", "-o", ".", "-p", "\(port)")
        #expect(try run(["curl", "-sS", "-K", "shunt.curlrc", "https://api.shop.test/v1/cart"]).output == "api")
        #expect(try run(["curl", "-sS", "-K", "shunt.curlrc", "https://localhost:\(port)/"]).output == "hello")
    }

    @Test func `the build phase for App Transport Security does nothing but in Debug`() throws {
        _ = try kit("ats", "-o", ".")
        #expect(try run(["sh", "shunt-ats.sh"], ["CONFIGURATION": "Release"]).status == 0)
        let script = try shunt.folder.read("shunt-ats.sh")
        try shunt.folder.write(
            "debug.sh",
            script.replacingOccurrences(of: "/usr/libexec/PlistBuddy", with: "echo").replacingOccurrences(
                of: "2>/dev/null", with: ""))
        let made = try run(
            ["sh", "debug.sh"], ["CONFIGURATION": "Debug", "TARGET_BUILD_DIR": "/b", "INFOPLIST_PATH": "Info.plist"])
        #expect(made.output.split(separator: "\n").count == 4, "\(made)")
        #expect(made.output.contains("Domains:cdn.shop.test:NSIncludesSubdomains bool true /b/Info.plist"), "\(made)")
        #expect(!made.output.contains("localhost"))
    }
}
