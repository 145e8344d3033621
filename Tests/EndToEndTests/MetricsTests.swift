import Admin
import Foundation
import JSON
import TestSupport
import Testing

/// `shunt serve --metrics`, as a monitoring system asks it.
@Suite struct MetricsTests {
    private func serve(_ options: [String]) throws -> ServingShunt {
        try ServingShunt(
            ["local": #"{ kind: "local", routes: [ { path: "/*", mock: { text: "hello" } } ] }"#], options)
    }

    /// - Returns: status and body.
    private func ask(_ shunt: ServingShunt, _ path: String, token: String? = nil, host: String? = nil) throws -> (
        Int, String
    ) {
        var options = ["-w", "\n%{http_code}", "\(shunt.admin)\(path)"]
        if let token { options += ["-H", "Authorization: Bearer \(token)"] }
        if let host { options += ["-H", "Host: \(host)"] }
        let output = try shunt.curl(options).output
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
        return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
    }

    @Test func `metrics have a token of their own, which opens nothing else`() throws {
        let shunt = try serve(["--metrics"])
        let path = shunt.folder.path + "/.shunt/metrics-token"
        let token = try String(contentsOfFile: path, encoding: .utf8).filter { $0 != "\n" }
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        _ = try shunt.curl("http://localhost:\(shunt.port)/a", "http://localhost:\(shunt.port)/b")
        var text = ""
        #expect(
            try eventually {
                text = try ask(shunt, "/metrics", token: token).1
                return text.contains(#"responder="mock",status="2xx"} 2"#)
            })
        for metric in [
            "shunt_build_info{version=", #"shunt_profile_active{profile="local",kind="local"} 1"#,
            "shunt_store_lost_exchanges_total 0", "process_open_fds ", "process_cpu_seconds_total ",
            "shunt_workers ",
        ] { #expect(text.contains("\n" + metric), "\(metric)") }
        #expect(try ask(shunt, "/v1/status", token: token).0 == 401)
        for wrong in [nil, "", String(token.dropLast()), token + "0"] as [String?] {
            #expect(try ask(shunt, "/metrics", token: wrong).0 == 401)
        }
        // A page that was rebound to this address gets nothing, not even whether Shunt runs.
        for path in ["/metrics", "/healthz", "/readyz"] {
            #expect(try ask(shunt, path, token: token, host: "evil.test").0 == 403)
        }
        #expect(try ask(shunt, "/healthz").0 == 200)
        #expect(try ask(shunt, "/readyz").1.contains("ready"))
    }

    @Test(arguments: AdminRoute.all.filter { $0.path != "/metrics" && !["/healthz", "/readyz"].contains($0.path) })
    func `their token opens no other path, in whatever form it comes`(route: AdminRoute) throws {
        let shunt = try Self.shared.get()
        let token = try shunt.folder.read(".shunt/metrics-token").filter { $0 != "\n" }
        let path = route.path.replacing("{id}", with: "1")
        for carried in [
            ["-H", "Authorization: Bearer \(token)"], ["-H", "Cookie: shunt=\(token)"], ["-u", "metrics:\(token)"],
            ["-H", "Authorization: Bearer \(token)", "-H", "Authorization: Bearer \(token)"],
        ] {
            let status = try shunt.curl(
                ["-o", "/dev/null", "-w", "%{http_code}", "-X", route.method, "\(shunt.admin)\(path)?token=\(token)"]
                    + carried
            ).output
            #expect(["400", "401", "403", "415"].contains(status), "\(route.method) \(path): \(status)")
        }
    }

    @Test func `they are read and nothing else, and no other name of the path opens them`() throws {
        let shunt = try Self.shared.get()
        let token = try shunt.folder.read(".shunt/metrics-token").filter { $0 != "\n" }
        func status(_ method: String, _ path: String) throws -> String {
            try shunt.curl([
                "-o", "/dev/null", "-w", "%{http_code}", "--path-as-is", "-X", method, "\(shunt.admin)\(path)", "-H",
                "Authorization: Bearer \(token)",
            ]).output
        }
        #expect(try status("GET", "/metrics") == "200")
        for method in ["POST", "PUT", "DELETE", "PATCH"] { #expect(try status(method, "/metrics") != "200") }
        for path in [
            "/metrics/../v1/status", "/metrics/", "//metrics/../v1/status", "/%6detrics", "/v1/status#/metrics",
        ] {
            #expect(try status("GET", path) != "200", "\(path)")
        }
        // The page of a browser gets nothing, even with the token.
        let page = try shunt.curl([
            "-o", "/dev/null", "-w", "%{http_code}", "\(shunt.admin)/metrics", "-H", "Origin: http://evil.test", "-H",
            "Authorization: Bearer \(token)",
        ]).output
        #expect(page == "403")
    }

    /// Started once for all cases of a table.
    private static let shared = Result {
        try ServingShunt(
            ["local": #"{ kind: "local", routes: [ { path: "/*", mock: { text: "hello" } } ] }"#],
            ["--metrics", "--log", "off"])
    }

    /// What `/metrics` says, as Prometheus' own client reads it.
    private func families(_ shunt: ServingShunt) throws -> JSONValue {
        let token = try shunt.folder.read(".shunt/metrics-token").filter { $0 != "\n" }
        try shunt.folder.write("metrics.txt", try ask(shunt, "/metrics", token: token).1 + "\n")
        let read = try ChildProcess.run(
            "/bin/sh",
            ["-c", #"exec "$0" -B "$1" < metrics.txt"#, ClientProgram.python, ClientProgram.folder + "metrics.py"],
            directory: shunt.folder.path)
        try #require(read.status == 0, "\(read.errors)")
        return try JSONReader.read(read.output)
    }

    /// With all that can have metrics.
    private func full() throws -> ServingShunt {
        try ServingShunt(
            [
                "local": """
                { kind: "local", routes: [
                    { path: "/*", mock: { text: "hello" } }, { path: "/away", origin: "http://127.0.0.1:1" },
                ] }
                """,
                "production": #"{ kind: "production", routes: [{ path: "/*", origin: "https://api.example.com" }] }"#,
            ],
            ["--metrics", "--log", "json", "--otlp", "http://127.0.0.1:1", "--workers", "2"])
    }

    @Test(.enabled(if: ClientProgram.hasPython, "Python \(ClientProgram.hint)"))
    func `Prometheus' own client reads them, and they count what was done`() throws {
        let shunt = try full()
        for path in ["/a", "/a", "/away", "/%22%5C%0A"] {
            _ = try shunt.curl("-o", "/dev/null", "http://localhost:\(shunt.port)\(path)")
        }
        // Hosts that a client of the forward proxy names are no labels.
        for number in 0..<20 {
            _ = try shunt.curl([
                "-o", "/dev/null", "--noproxy", "", "-x", "http://localhost:\(shunt.port)",
                "http://host\(number).invalid/", "http://127.0.0.1:1/",
            ])
        }
        func count(_ found: JSONValue, _ name: String, _ labels: [String: String]) -> Double {
            (found[name]?["samples"]?.array ?? []).filter { sample in
                labels.allSatisfy { sample["labels"]?[$0.key]?.string == $0.value }
            }.reduce(0) { $0 + ($1["value"]?.number?.double ?? 0) }
        }
        var found = try families(shunt)
        #expect(
            try eventually {
                found = try families(shunt)
                return count(found, "shunt_exchanges", ["route": "*"]) == 3
                    && count(found, "shunt_exchanges", [:]) >= 24
            }, "\(shunt.process.errors)")
        #expect(count(found, "shunt_exchanges", ["route": "*/away", "status": "5xx"]) == 1)
        #expect(count(found, "shunt_exchange_failures", ["side": "origin", "stage": "connect"]) >= 1)
        #expect(count(found, "shunt_workers", [:]) == 2)
        #expect(found["shunt_worker_exchanges"]?["samples"]?.array?.count == 2)
        #expect(
            count(found, "shunt_worker_exchanges", [:]) >= 24 && count(found, "shunt_profile_active", [:]) == 1)
        let routes = Set(
            (found["shunt_exchanges"]?["samples"]?.array ?? []).compactMap { $0["labels"]?["route"]?.string })
        #expect(routes.isSubset(of: ["*", "*/away", "forward", ""]), "\(routes)")
        let text = try shunt.folder.read("metrics.txt")
        #expect(!text.contains("invalid") && !text.contains("127.0.0.1"))
    }

    @Test(.enabled(if: ClientProgram.hasPython, "Python \(ClientProgram.hint)"))
    func `the dashboard names metrics and labels that there are`() throws {
        let shunt = try full()
        _ = try shunt.curl("-o", "/dev/null", "http://localhost:\(shunt.port)/away")
        var found = try families(shunt)
        #expect(
            try eventually {
                found = try families(shunt)
                return found["shunt_exchange_failures"]?["samples"]?.array?.isEmpty == false
            })
        var labels: [String: Set<String>] = [:]
        for family in found.object ?? [] {
            for sample in family.value["samples"]?.array ?? [] {
                let names = (sample["labels"]?.object ?? []).map(\.key)
                labels[sample["name"]?.string ?? "", default: ["instance", "job"]].formUnion(names)
            }
        }
        let dashboard = try JSONReader.read(
            try String(contentsOfFile: Self.root + "/Packaging/grafana/shunt.json", encoding: .utf8))
        let queries =
            (dashboard["panels"]?.array ?? []).flatMap { $0["targets"]?.array ?? [] }.compactMap { $0["expr"]?.string }
            + (dashboard["templating"]?["list"]?.array ?? []).compactMap { $0["query"]?["query"]?.string }
        #expect(queries.count > 40)
        var named: Set<String> = []
        for query in queries {
            for match in query.matches(of: /((?:shunt|process)_[a-z_]+)(?:\{([^}]*)\})?/) {
                let name = String(match.1)
                named.insert(name)
                let known = try #require(labels[name], "\(name) is not in /metrics: \(query)")
                for label in (match.2 ?? "").matches(of: /([a-z]+)=/) {
                    #expect(known.contains(String(label.1)), "\(name) has no label \(label.1): \(query)")
                }
            }
            for match in query.matches(of: /by \(([a-z, ]+)\)/) {
                let name = String(query.matches(of: /(?:shunt|process)_[a-z_]+/).first?.0 ?? "")
                for label in match.1.split(separator: ", ") {
                    #expect(labels[name]?.contains(String(label)) == true, "\(name) has no label \(label): \(query)")
                }
            }
        }
        // And none is forgotten, apart from those that say nothing over time.
        let left = Set(labels.keys).subtracting(named).filter {
            !["shunt_workers", "shunt_devices", "shunt_tunnels_total"].contains($0)
        }
        #expect(left.isEmpty, "\(left)")
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    @Test func `without the option there are none, and the refusal says how to get them`() throws {
        let shunt = try serve([])
        let token = try #require(
            try JSONReader.read(try shunt.folder.read(".shunt/\(shunt.port).json"))["token"]?.string)
        let (status, text) = try ask(shunt, "/metrics", token: token)
        #expect(status == 404 && text.contains("serve --metrics"))
        #expect(!FileManager.default.fileExists(atPath: shunt.folder.path + "/.shunt/metrics-token"))
    }

    @Test func `a ready file may be a descriptor, which stays`() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "Profiles/local.json", #"{ kind: "local", routes: [ { path: "/*", mock: { text: "hello" } } ] }"#)
        let pipe = folder.path + "/ready"
        #expect(mkfifo(pipe, 0o600) == 0)
        let script = """
            "\(ShuntBinary.path)" serve --port 0 --admin-port 0 --log off --ready-file ready & shunt=$!
            head -c 1 < ready; kill $shunt; wait $shunt; test -p ready && echo stays
            """
        let result = try ChildProcess.run("/bin/sh", ["-c", script], directory: folder.path)
        #expect(result.output == "{stays\n", "\(result.errors)")
    }
}
