import Foundation
import JSON
import TestSupport

/// A `shunt serve` in a project of its own, on free ports.
final class ServingShunt: Sendable {
    let folder: TemporaryFolder
    let process: ChildProcess
    let port: UInt16
    let admin: String
    /// The port of the pages for devices; 0 where they are switched off.
    let pagesPort: UInt16

    /// - Parameters:
    ///   - profiles: names without extension, and contents.
    ///   - program: starts Shunt with the arguments that it gets.
    init(
        _ profiles: [String: String], _ arguments: [String] = [], files: [String: String] = [:],
        environment: [String: String] = [:], program: String = ShuntBinary.path
    ) throws {
        folder = try TemporaryFolder()
        for (name, text) in profiles { try folder.write("Profiles/\(name).json", text) }
        for (name, text) in files { try folder.write(name, text) }
        process = try ChildProcess(
            program,
            ["serve", "--admin-port", "0", "--ready-file", "ready.json"]
                + (arguments.contains("--port") ? [] : ["--port", "0"])
                // A CA of its own, at a place that tests know.
                + (arguments.contains { $0 == "--certs" || $0 == "--cert" } ? [] : ["--certs", "certs"])
                + (arguments.contains("--workers") ? [] : ["--workers", "1"]) + arguments,
            directory: folder.path, environment: environment)
        let folder = folder
        guard eventually({ folder.exists("ready.json") }) else {
            throw ChildProcess.Overdue(description: "no ready file; \(process.errors)")
        }
        let ready = try JSONReader.read(try folder.read("ready.json"))
        port = UInt16(ready["port"]?.number?.int64 ?? 0)
        admin = ready["admin"]?.string ?? ""
        pagesPort = ready["pages"]?.array?.first?.string?.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    }

    deinit { if process.isRunning { process.signal(9) } }

    /// Runs another command in the same project.
    func run(_ arguments: String...) throws -> ChildProcess.Result {
        try ChildProcess.run(ShuntBinary.path, arguments, directory: folder.path)
    }

    /// curl with Shunt's CA, which must be the only one it trusts.
    func curl(_ arguments: String...) throws -> ChildProcess.Result { try curl(arguments) }

    func curl(_ arguments: [String]) throws -> ChildProcess.Result {
        try ChildProcess.run(
            "/usr/bin/env",
            ["curl", "-sS", "--max-time", "120", "--noproxy", "*", "--cacert", "certs/ca.pem"] + arguments,
            directory: folder.path, seconds: 150)
    }

    /// Peak memory so far in KiB; nil where the system does not tell.
    var peakKiB: Int? {
        guard let status = try? String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8) else {
            return nil
        }
        return status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            .flatMap { Int($0.split(separator: " ", omittingEmptySubsequences: true)[1]) }
    }

    /// Ends it in an orderly way.
    @discardableResult
    func stop() throws -> ChildProcess.Result {
        process.signal(15)
        return try process.wait()
    }
}

/// A profile that sends everything to one URL.
func profile(_ url: String, kind: String = "local", _ more: String = "") -> String {
    #"{"kind": "\#(kind)", "routes": [{"origin": "\#(url)"}]\#(more)}"#
}
