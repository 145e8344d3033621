import Foundation
import JSON
import TestSupport
import Testing

/// From an empty folder to the first switched request.
@Suite struct FirstSessionTests {
    private let shunt: Shunt
    private let local: NginxOrigin
    private let staging: NginxOrigin

    init() throws {
        shunt = try Shunt()
        local = try NginxOrigin(selfSigned: true, files: ["v1/cart": "local"])
        staging = try NginxOrigin(files: ["v1/cart": "staging"])
    }

    /// A server of this machine with a self-signed certificate, and one without TLS.
    private var localURL: String { "https://localhost:\(local.port)" }
    private var stagingURL: String { "http://127.0.0.1:\(staging.plainPort)" }

    /// Starts `serve` with these words and returns it with its port.
    private func serve(_ words: [String], folder: String) throws -> (process: ChildProcess, port: Int) {
        let process = try ChildProcess(
            ShuntBinary.path,
            ["serve", "--port", "0", "--admin-port", "0", "--workers", "1", "--ready-file", "ready.json"] + words,
            directory: folder)
        #expect(eventually { FileManager.default.fileExists(atPath: folder + "/ready.json") }, "\(process.errors)")
        let ready = try String(contentsOfFile: folder + "/ready.json", encoding: .utf8)
        return (process, Int(try JSONReader.read(ready)["port"]?.number?.int64 ?? 0))
    }

    private func ask(_ port: Int, _ words: String..., folder: String) throws -> String {
        try ChildProcess.run(
            "/usr/bin/env",
            ["curl", "-sS", "--noproxy", "*", "--cacert", ".data/shunt/ca/ca.pem", "https://localhost:\(port)/v1/cart"]
                + words,
            directory: folder
        ).output
    }

    @Test func `two commands lead from nothing to the first switched request`() throws {
        let folder = shunt.folder.path
        let (process, port) = try serve(
            ["--origin", localURL, "--origin", "staging=\(stagingURL)"], folder: folder)
        defer { process.signal(15) }
        #expect(process.errors.contains("set its base URL to https://localhost:\(port)"), "\(process.errors)")
        #expect(try ask(port, folder: folder) == "local")
        let used = try shunt.run("use", "staging")
        #expect(used.status == 0, "\(used.errors)")
        #expect(try ask(port, folder: folder) == "staging")
        #expect(!shunt.folder.exists("Profiles"))
        let status = try shunt.run("status")
        #expect(status.output.contains("of --origin, in no file"), "\(status.output)")
        let explained = try shunt.run("explain", "https://localhost:\(port)/v1/cart")
        #expect(explained.output.contains("origin   \(stagingURL)/v1/cart\n"), "\(explained)")
        #expect(try shunt.run("explain", "https://localhost:\(port)/", "--data", "{}").status == 64)
        #expect(try shunt.run("reload").output == "Nothing changed.\n")
        #expect(eventually { (try? shunt.run("logs").output.contains("/v1/cart")) == true })
    }

    @Test func `an origin of a host responds for it, and the first one for Shunt's own address`() throws {
        let folder = shunt.folder.path
        let (process, port) = try serve(
            ["--origin", "api.shop.test=\(localURL)", "--origin", "m.shop.test=\(stagingURL)"], folder: folder)
        defer { process.signal(15) }
        let to = ["--connect-to", "::localhost:\(port)"]
        for (host, expected) in [("api.shop.test", "local"), ("m.shop.test", "staging")] {
            let response = try ChildProcess.run(
                "/usr/bin/env",
                ["curl", "-sS", "--noproxy", "*", "--cacert", ".data/shunt/ca/ca.pem", "https://\(host)/v1/cart"] + to,
                directory: folder)
            #expect(response.output == expected, "\(host): \(response.errors)")
        }
        #expect(try ask(port, folder: folder) == "local")
        #expect(try ask(port, "-H", "Host: other.test", folder: folder).contains("has no route for"))
    }

    @Test func `what init writes from URLs responds at the printed address without an edit`() throws {
        let made = try shunt.run(
            "init", "shop", "--local", localURL, "--staging", stagingURL, "--production", "https://api.shop.example",
            "--host", "api.shop.test")
        #expect(made.status == 0, "\(made.errors)")
        for text in ["shunt serve\n", "shunt use staging\n", "https://localhost:4884"] {
            #expect(made.output.contains(text), "\(made.output)")
        }
        let folder = shunt.folder.path + "/shop"
        let formatted = try ChildProcess.run(ShuntBinary.path, ["fmt", "--check"], directory: folder)
        #expect(formatted.status == 0, "\(formatted.output)")
        let (process, port) = try serve([], folder: folder)
        defer { process.signal(15) }
        #expect(try ask(port, folder: folder) == "local")
        #expect(
            try ask(port, "--connect-to", "::localhost:\(port)", "https://api.shop.test/v1/cart", folder: folder)
                == "locallocal")
        #expect(try ChildProcess.run(ShuntBinary.path, ["use", "staging"], directory: folder).status == 0)
        #expect(try ask(port, folder: folder) == "staging")
    }

    @Test func `an origin with the wrong scheme is told with the right one`() throws {
        // It ends what does not begin with TLS, as servers do.
        let silent = ScriptedOrigin { connection, _ in _ = try connection.readHead() }
        defer { silent.stop() }
        let folder = shunt.folder.path
        let (process, port) = try serve(
            [
                "--origin", "silent=http://127.0.0.1:\(silent.port)", "--origin",
                "plain=https://127.0.0.1:\(staging.plainPort)", "--origin", "h2=h2c://127.0.0.1:\(staging.plainPort)",
            ], folder: folder)
        defer { process.signal(15) }
        for (profile, expected) in [
            ("silent", "If it expects TLS, write https://127.0.0.1:\(silent.port)"),
            ("plain", "If it speaks plain HTTP, write http://127.0.0.1:\(staging.plainPort)"),
            ("h2", "If it speaks HTTP/1.1, give it http://"),
        ] {
            let response = try ask(port, "-H", "Shunt-Profile: \(profile)", folder: folder)
            #expect(response.contains(expected), "\(response)")
        }
    }

    @Test(arguments: [
        (["--local", "https://localhost:3000", "--staging", "https://127.0.0.1:3001"], ["localhost", "127.0.0.1"]),
        (["--local", "http://localhost:3000", "--staging", "https://a.shop.example"], []),
        (["--local", "https://localhost:3000", "--production", "https://localhost:3001"], []),
        (["--production", "https://localhost:3000"], []),
        (["--local", "https://[::1]:3000"], ["::1"]),
    ])
    func `init switches verification off for this machine's own servers alone`(
        words: [String], unverified: [String]
    ) throws {
        let made = try ChildProcess.run(ShuntBinary.path, ["init"] + words, directory: shunt.folder.path)
        #expect(made.status == 0, "\(made.errors)")
        let checked = try shunt.run("validate")
        #expect(checked.status == 0, "\(checked.errors)")
        let hosts = checked.output.split(separator: "\n").filter { $0.contains(" in profile ") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(hosts == unverified, "\(checked.output)")
    }
}
