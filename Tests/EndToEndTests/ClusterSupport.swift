import Foundation
import JSON
import TestSupport
import Testing

/// Nodes of a cluster, each a process with a project and a folder of its own.
final class ClusterNodes {
    static let names = ["one", "two", "three"]

    let server: PostgresServer
    let group: String
    var nodes: [ServingShunt] = []

    /// Profiles whose mocks name them, and a production that nothing listens for.
    static let profiles = [
        "local": #"{"kind": "local", "routes": [{"path": "/*", "name": "promo", "mock": {"text": "local"}}]}"#,
        "staging": #"{"kind": "staging", "routes": [{"path": "/*", "mock": {"text": "staging"}}]}"#,
        "production": #"{"kind": "production", "routes": [{"origin": "http://127.0.0.1:1"}]}"#,
    ]

    /// - Parameter server: one of its own; nil for the one that all tests share.
    init(
        _ server: PostgresServer? = nil, _ names: [String] = names, without: [String: String] = [:]
    ) throws {
        self.server = try server ?? PostgresServer.shared.get()
        group = "g" + String(UInt32.random(in: .min ... .max), radix: 36)
        for name in names {
            var profiles = Self.profiles
            if let lacking = without[name] { profiles[lacking] = nil }
            nodes.append(try start(name, profiles))
        }
    }

    func arguments(_ name: String, _ address: String? = nil) -> [String] {
        [
            "--cluster", address ?? server.address, "--cluster-group", group, "--node", name, "--cluster-field",
            "--profile", "local", "--no-pages", "--metrics",
        ]
    }

    func start(
        _ name: String, _ profiles: [String: String] = profiles, address: String? = nil,
        environment: [String: String] = [:], program: String = ShuntBinary.path
    ) throws -> ServingShunt {
        try ServingShunt(profiles, arguments(name, address), environment: environment, program: program)
    }

    subscript(_ index: Int) -> ServingShunt { nodes[index] }
}

extension ServingShunt {
    /// The body of a response.
    /// - Parameter cookie: that of a device.
    func get(_ path: String = "/", cookie: String? = nil) throws -> String {
        let connection = try RawConnection.connect(port)
        defer { connection.close() }
        let field = cookie.map { "Cookie: \($0)\r\n" } ?? ""
        try connection.send("GET \(path) HTTP/1.1\r\nHost: a.test\r\n\(field)Connection: close\r\n\r\n")
        return String(try connection.readToEnd().split(separator: "\r\n\r\n", maxSplits: 1).last ?? "")
    }

    /// Runs a command with a user's token.
    func run(as token: String, _ arguments: String...) throws -> ChildProcess.Result {
        let file = try folder.write("token", token)
        chmod(file, 0o600)
        return try ChildProcess.run(
            ShuntBinary.path, arguments + ["--token-file", file], directory: folder.path)
    }

    /// The status of an attempt to write to production: 403 while it is locked, else what becomes of its origin.
    func write() throws -> Int {
        let connection = try RawConnection.connect(port)
        defer { connection.close() }
        try connection.send(
            "POST / HTTP/1.1\r\nHost: a.test\r\nShunt-Profile: production\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
        return Int(try connection.readToEnd().split(separator: " ")[1]) ?? 0
    }

    func status() throws -> JSONValue { try JSONReader.read(try run("status", "--json").output) }

    /// The field that tells of the cluster.
    func clusterField() throws -> String {
        let connection = try RawConnection.connect(port)
        defer { connection.close() }
        try connection.send("GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n")
        let line = try connection.readToEnd().split(separator: "\r\n").first { $0.hasPrefix("Shunt-Cluster: ") }
        return String(line?.dropFirst("Shunt-Cluster: ".count) ?? "")
    }

    /// The lines of `/metrics` about the cluster.
    func clusterMetrics() throws -> [String] {
        let token = try folder.read(".shunt/metrics-token").filter { $0 != "\n" }
        return try curl("-H", "Authorization: Bearer \(token)", "\(admin)/metrics").output.split(separator: "\n")
            .filter { $0.hasPrefix("shunt_cluster_") }.map(String.init)
    }

    /// Starts another process in the same folder, on the same port, after this one has ended.
    func again(_ arguments: [String]) throws -> ChildProcess {
        try? FileManager.default.removeItem(atPath: folder.path + "/ready.json")
        let process = try ChildProcess(
            ShuntBinary.path,
            [
                "serve", "--port", "\(port)", "--admin-port", "0", "--ready-file", "ready.json", "--certs", "certs",
                "--workers", "1",
            ] + arguments, directory: folder.path)
        guard eventually({ folder.exists("ready.json") }) else {
            throw ChildProcess.Overdue(description: "no ready file; \(process.errors)")
        }
        return process
    }
}
