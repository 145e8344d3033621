import Foundation
import TestSupport
import Testing

/// Cookies that a browser keeps apart for each site that embeds their host, and environments that share the host.
@Suite struct PartitionedCookieTests {
    private func program(_ names: String...) throws -> String {
        let found = try ChildProcess.run("/bin/sh", ["-c", names.map { "command -v \($0)" }.joined(separator: " || ")])
        let path = found.output.split(separator: "\n").first.map(String.init)
        return try #require(path, "none of \(names) is installed: run `make setup-test`")
    }

    /// Says what it got in `Cookie`, and sets a cookie that has its name as the value.
    private static func origin(_ name: String, _ seen: Kept<[String]>) -> ScriptedOrigin {
        ScriptedOrigin { connection, _ in
            while true {
                let lines = try connection.readHead().split(separator: "\r\n")
                if lines[0].contains("/favicon.ico") == false {
                    let cookies = lines.first { $0.lowercased().hasPrefix("cookie: ") }?.dropFirst(8) ?? ""
                    let line = "\(name): \(cookies)"
                    seen.change { $0.append(line) }
                }
                let body = "<title>loaded</title>"
                try connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: \(body.utf8.count)\r\n"
                        + "Set-Cookie: id=\(name); Path=/; Secure; SameSite=None; Partitioned\r\n\r\n\(body)")
            }
        }
    }

    @Test(.extended, arguments: ["https://api.shop.test:PORT/", "https://other.test:PORT/"])
    func `a partitioned cookie reaches no origin of another environment`(page: String) throws {
        let seen = Kept<[String]>([])
        let (staging, local) = (Self.origin("staging", seen), Self.origin("local", seen))
        defer {
            staging.stop()
            local.stop()
        }
        let port = FreePort.find()
        let frame = "<iframe src='https://api.shop.test:\(port)/' onload='document.title = `loaded`'></iframe>"
        func profile(_ kind: String, _ port: UInt16) -> String {
            """
            {"kind": "\(kind)", "cookieJar": true, "routes": [
              {"host": "api.shop.test", "origin": "http://127.0.0.1:\(port)"},
              {"host": "other.test", "mock": {"headers": {"Content-Type": "text/html"}, "text": "\(frame)"}}]}
            """
        }
        let shunt = try ServingShunt(
            ["staging": profile("staging", staging.port), "local": profile("local", local.port)],
            ["--profile", "staging", "--port", "\(port)"])
        let url = page.replacingOccurrences(of: "PORT", with: "\(port)")
        func use(_ name: String) -> [String] { ["run", ShuntBinary.path, "use", name] }
        let steps = [
            ["go", url], ["go", url], use("local"), ["go", url], ["go", url], use("staging"), ["go", url],
            use("local"), ["go", url],
        ]
        let task = try JSONSerialization.data(withJSONObject: [
            "driver": try program("chromedriver"), "browser": try program("chromium", "google-chrome"),
            "authority": shunt.folder.path + "/certs/ca.pem", "hosts": "*.test", "steps": steps,
        ])
        let result = try ChildProcess.run(
            "/usr/bin/env",
            ["python3", "-B", SampleApp.scripts + "/steps.py", String(decoding: task, as: UTF8.self)],
            directory: shunt.folder.path, seconds: 240)
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            seen.value == [
                "staging: ", "staging: id=staging", "local: ", "local: id=local", "staging: id=staging",
                "local: id=local",
            ])
        try shunt.stop()
    }
}
