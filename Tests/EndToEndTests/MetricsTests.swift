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
