import Foundation
import JSON
import TestSupport
import Testing

/// The programs in `Clients/` that speak to Shunt as other people's do, and what runs them.
enum ClientProgram {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Clients/"

    /// The Python that has what `.ci/python.txt` names; `make setup-test` makes it.
    static let python =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path + "/.build/python/bin/python"

    static let hasPython = FileManager.default.isExecutableFile(atPath: python)
    static let hasNode = find("node") != nil
    static let hasNghttp = find("nghttp") != nil && find("h2load") != nil
    static let browser = find("chromium", "google-chrome")
    static let driver = find("chromedriver")
    /// The script of axe-core, which looks for what keeps people from using a page.
    static let axe: String? = {
        let packages =
            URL(fileURLWithPath: python).deletingLastPathComponent().deletingLastPathComponent().path + "/lib"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: packages)) ?? []
        return versions.map { "\(packages)/\($0)/site-packages/axe_core_python/axe.min.js" }
            .first { FileManager.default.fileExists(atPath: $0) }
    }()
    /// One that can run a source file: a runtime alone cannot.
    static let hasJava: Bool = {
        // It takes a second, and only `make check` has tests with Java.
        guard Circle.isWhole, let java = find("java"),
            let modules = try? ChildProcess.run(java, ["--list-modules"])
        else {
            return false
        }
        return modules.output.contains("jdk.compiler") && modules.output.contains("java.net.http")
    }()

    /// What is said where one of them is missing.
    static let hint = "is not installed: run `make setup-test`"

    /// The first of these programs that is installed.
    static func find(_ names: String...) -> String? {
        let commands = names.map { "command -v \($0)" }.joined(separator: " || ")
        return (try? ChildProcess.run("/bin/sh", ["-c", commands]))?.output.split(separator: "\n").first.map(
            String.init)
    }

    static func python(_ script: String, _ arguments: String...) -> [String] {
        [python, "-B", folder + script] + arguments
    }

    static func node(_ script: String, _ arguments: String...) -> [String] { ["node", folder + script] + arguments }

    static func run(_ command: [String], seconds: Double = 120) throws -> ChildProcess.Result {
        try ChildProcess.run("/usr/bin/env", command, seconds: seconds)
    }

    /// Runs a client that says of each of its cases what came of it, in a line of JSON, and expects all to be well.
    /// - Parameter table: the cases that there are.
    static func expect(_ table: [String], of command: [String], at location: SourceLocation = #_sourceLocation) throws {
        let result = try run(command)
        var said: [String: String] = [:]
        for line in result.output.split(separator: "\n") {
            let value = try JSONReader.read(String(line))
            guard let name = value["case"]?.string else { continue }
            said[name] = value["ok"]?.bool == true ? "ok" : value["saw"]?.string ?? "no reason"
        }
        #expect(said.keys.sorted() == table.sorted(), "\(result.errors)", sourceLocation: location)
        for (name, saw) in said { #expect(saw == "ok", "\(name)", sourceLocation: location) }
    }
}

/// A program in `Clients/` that is a server, on ports of its choice, with a certificate for localhost.
final class ServerProgram: Sendable {
    private let folder: TemporaryFolder
    private let process: ChildProcess
    private let ports: [String: UInt16]
    /// PEM of the only one who vouches for it.
    let authority: String

    /// - Parameter command: gets the paths of a certificate and of its key, and prints its ports by name as JSON.
    init(_ command: [String]) throws {
        folder = try TemporaryFolder()
        let made = try ChildProcess.run(
            "/usr/bin/env",
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-keyout", "key.pem", "-out", "certificate.pem", "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost",
            ], directory: folder.path)
        guard made.status == 0 else { throw ChildProcess.Overdue(description: made.errors) }
        authority = folder.path + "/certificate.pem"
        let process = try ChildProcess("/usr/bin/env", command + [authority, folder.path + "/key.pem"])
        self.process = process
        guard eventually({ process.output.contains("\n") || !process.isRunning }), process.isRunning else {
            throw ChildProcess.Overdue(description: "\(command) did not start: \(process.errors)")
        }
        let told = try JSONReader.read(String(process.output.prefix { $0 != "\n" }))
        ports = Dictionary(
            uniqueKeysWithValues: ["http", "https", "h2c", "h2"].compactMap { name in
                told[name]?.number?.int64.map { (name, UInt16($0)) }
            })
    }

    deinit { process.signal(9) }

    /// All that it has printed after its ports.
    var output: String { process.output.split(separator: "\n").dropFirst().joined(separator: "\n") }

    /// Its address as profiles write it; TLS for `https`, and for `h2`, which offers nothing else.
    func address(_ name: String) -> String {
        let port = ports[name] ?? 0
        return name == "https" || name == "h2" ? "https://localhost:\(port)" : "\(name)://127.0.0.1:\(port)"
    }

    /// A Shunt before it.
    func shunt(_ name: String, _ arguments: [String] = ["--log", "off"]) throws -> ServingShunt {
        try ServingShunt(
            ["local": profile(address(name), #", "certificateAuthorities": ["\#(authority)"]"#)], arguments)
    }
}

extension ServingShunt {
    /// PEM of the authority that clients are to trust.
    var authority: String { folder.path + "/certs/ca.pem" }

    /// Where clients find it: by TLS and ALPN, or in plain text.
    func address(tls: Bool, scheme: String = "http") -> String {
        tls ? "\(scheme)s://localhost:\(port)" : "\(scheme)://127.0.0.1:\(port)"
    }
}
