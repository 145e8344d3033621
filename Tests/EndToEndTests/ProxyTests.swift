import Foundation
import TestSupport
import Testing

/// Programs that have Shunt as their proxy, and a proxy on Shunt's own way.
@Suite struct ProxyTests {
    private static let named = """
        {"kind": "local", "routes": [
          {"host": "api.shop.test", "path": "/*", "mock": {"text": "mocked"}}]}
        """

    @Test func `programs reach a host that no DNS knows`() throws {
        let shunt = try ServingShunt(["local": Self.named])
        let proxy = "http://localhost:\(shunt.port)"
        for (program, arguments) in [
            ("curl", ["-sS", "https://api.shop.test/a"]), ("curl", ["-sS", "http://api.shop.test/a"]),
            (
                "curl",
                ["-sS", "--proxy", "", "--socks5-hostname", "localhost:\(shunt.port)", "https://api.shop.test/a"]
            ),
            ("wget", ["-qO-", "http://api.shop.test/a"]),
            (
                "python3",
                ["-c", "import urllib.request as u; print(u.urlopen('https://api.shop.test/a').read().decode())"]
            ),
        ] {
            let result = try ChildProcess.run(
                "/bin/sh",
                [
                    "-c", "eval \"$('\(ShuntBinary.path)' proxy env -p \(shunt.port))\"; exec \"$@\"", "sh", program,
                ] + arguments, directory: shunt.folder.path)
            #expect(result.output.contains("mocked"), "\(program): \(result.errors)")
        }
        let script = try shunt.run("proxy", "pac")
        #expect(script.output == "\(proxy)/__shunt/proxy.pac\n")
        #expect(try shunt.curl(String(script.output.dropLast())).output.contains("host == \"api.shop.test\""))
        try shunt.stop()
    }

    @Test func `the proxy of the environment is on the way to origins, and Shunt itself never is`() throws {
        let next = ScriptedOrigin { connection, _ in
            let head = try connection.readHead()
            try connection.send("HTTP/1.1 200 fine\r\n\r\n")
            _ = try connection.readHead()
            let line = String(head.prefix { $0 != "\r\n" })
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(line.utf8.count)\r\n\r\n\(line)")
        }
        defer { next.stop() }
        let shunt = try ServingShunt(
            ["local": profile("http://far.shop.test")],
            environment: ["http_proxy": "http://127.0.0.1:\(next.port)", "no_proxy": "other.test"])
        let response = try shunt.curl("http://127.0.0.1:\(shunt.port)/")
        #expect(response.output == "CONNECT far.shop.test:80 HTTP/1.1", "\(response.errors)")
        try shunt.stop()
    }

    @Test(arguments: ["127.1", "0.0.0.0", "[::ffff:127.0.0.1]", "localhost"])
    func `a proxy of the environment that is Shunt itself is passed over`(name: String) throws {
        let port = FreePort.find()
        let shunt = try ServingShunt(
            ["local": Self.named], ["--port", "\(port)", "--log", "json"],
            environment: ["HTTPS_PROXY": "http://\(name):\(port)"])
        let client = try RawConnection.connect(port)
        try client.send("CONNECT nowhere.invalid:443 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        let response = try client.readToEnd()
        #expect(response.hasPrefix("HTTP/1.1 502"), "\(response.prefix(400))")
        // It did not ask itself, over and over.
        let lines = try shunt.stop().errors.split(separator: "\n").filter { $0.contains("\"CONNECT\"") }
        #expect(lines.count == 1, "\(lines.count)")
    }

    @Test func `pages of other origins cannot load the script for browsers`() throws {
        let shunt = try ServingShunt(["local": Self.named])
        let head = try shunt.curl("-D-", "http://localhost:\(shunt.port)/__shunt/proxy.pac").output
        #expect(head.contains("X-Content-Type-Options: nosniff\r\n"))
        #expect(head.contains("Cross-Origin-Resource-Policy: same-origin\r\n"))
        try shunt.stop()
    }

    @Test(arguments: [
        (["--no-proxy", "--intercept", "a.test"], "--no-proxy excludes"), (["--intercept", "a.*"], "--intercept"),
        (["--proxy-user", "joe"], "USER:PASSWORD"), (["--proxy-user", "@none"], "cannot be read"),
    ])
    func `options that cannot be are refused`(arguments: [String], words: String) throws {
        let result = try ChildProcess.run(ShuntBinary.path, ["serve"] + arguments)
        #expect(result.status == 64)
        #expect(result.errors.contains(words), "\(result.errors)")
    }
}
