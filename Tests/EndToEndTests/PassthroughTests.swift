import Foundation
import JSON
import TestSupport
import Testing

/// Hosts whose certificates clients pin: `"tls": "passthrough"`.
@Suite struct PassthroughTests {
    private static func local(_ port: UInt16, _ plain: UInt16) -> String {
        """
        {"kind": "local", "routes": [
          {"origin": "http://localhost:\(plain)"},
          {"host": "bank.test", "origin": "https://localhost:\(port)", "tls": "passthrough"}]}
        """
    }

    /// curl that trusts one CA alone, and asks Shunt for a host by the usual port.
    private func curl(
        _ shunt: ServingShunt, _ authority: String, _ host: String, _ more: [String] = [], scheme: String = "https"
    ) throws -> ChildProcess.Result {
        try ChildProcess.run(
            "/usr/bin/env",
            [
                "curl", "-sS", "--max-time", "60", "--noproxy", "*", "--cacert", authority, "--connect-to",
                "::localhost:\(shunt.port)",
            ] + more + ["\(scheme)://\(host)/echo"], directory: shunt.folder.path)
    }

    @Test func `a pinned host's connection goes to its origin unread, and is logged as a tunnel`() throws {
        let nginx = try NginxOrigin(host: "bank.test")
        let shunt = try ServingShunt(["local": Self.local(nginx.port, nginx.plainPort)], ["--log", "json"])
        for version in ["1.2", "1.3"] {
            let result = try curl(shunt, nginx.authority, "bank.test", ["--tls-max", version, "-H", "X-Test: pin"])
            #expect(result.output == "GET bank.test pin TLSv\(version) bank.test", "\(result)")
        }
        // In any case of letters; the client sends the name as it was typed, or in lower case.
        #expect(try curl(shunt, nginx.authority, "BANK.test").output.hasPrefix("GET bank.test"))
        // Requests in connections of other names are read.
        let other = try curl(shunt, "certs/ca.pem", "shop.test")
        #expect(other.output.hasPrefix("GET localhost"), "\(other)")
        let below = try curl(shunt, "certs/ca.pem", "a.bank.test")
        #expect(below.output.hasPrefix("GET localhost"), "\(below)")
        // By address there is no name.
        let bare = try curl(shunt, "certs/ca.pem", "127.0.0.1")
        #expect(bare.output.hasPrefix("GET localhost"), "\(bare)")
        #expect(try shunt.run("explain", "https://bank.test/").output.contains("passes through unread"))
        // The client alone judges its certificate, which leads to no trusted authority here.
        let probe = try shunt.run("status", "--probe")
        #expect(probe.status == 0, "\(probe)")
        let lines = try shunt.stop().errors.split(separator: "\n").map { try JSONReader.read(String($0)) }
        let tunnels = lines.filter { $0["method"]?.string == "CONNECT" }
        #expect(tunnels.count == 3)
        for line in tunnels {
            #expect(line["status"]?.number?.int64 == 200 && line["url"]?.string == "https://bank.test:443", "\(line)")
            #expect(line["route"]?.string == "bank.test/*" && line["profile"]?.string == "local", "\(line)")
            #expect((line["bytes"]?["response"]?.number?.int64 ?? 0) > 100, "\(line)")
        }
    }

    @Test func `requests for a pinned host that come another way get 421`() throws {
        let nginx = try NginxOrigin(host: "bank.test")
        let shunt = try ServingShunt(["local": Self.local(nginx.port, nginx.plainPort)])
        for (host, scheme) in [("shop.test", "https"), ("bank.test", "http")] {
            let result = try curl(
                shunt, "certs/ca.pem", host, ["-H", "Host: bank.test", "-w", "%{http_code}", "-o", "/dev/null"],
                scheme: scheme)
            #expect(result.output == "421", "\(result)")
        }
        try shunt.stop()
    }

    @Test func `production stays locked for what cannot be read, until it is unlocked`() throws {
        let nginx = try NginxOrigin(host: "bank.test")
        let local = Self.local(nginx.port, nginx.plainPort)
        let production = #"{"kind": "production", "routes": [{"origin": "https://localhost:\#(nginx.port)"}]}"#
        let shunt = try ServingShunt(
            ["local": local, "production": production], ["--profile", "local", "--log", "json"])
        let refused = try curl(shunt, nginx.authority, "bank.test")
        #expect(refused.status == 35 && refused.errors.contains("access denied"), "\(refused)")
        #expect(try shunt.run("unlock", "production", "--for", "5m", "--reason", "test").status == 0)
        #expect(try curl(shunt, nginx.authority, "bank.test").output.hasPrefix("GET bank.test"))
        let lines = try shunt.stop().errors.split(separator: "\n").map { try JSONReader.read(String($0)) }
        let messages = lines.compactMap { $0["error"]?["message"]?.string }
        #expect(
            messages.contains { $0.contains("production is read-only: a tunnel can carry anything") }, "\(messages)")
    }

    /// Each profile has a way to the same server, which production uses, under another name.
    @Test(
        arguments: [
            ("by its address", "https://127.0.0.1:PORT", "bank.test", 35),
            ("by a mapped address", "https://[::ffff:127.0.0.1]:PORT", "bank.test", 35),
            ("by a name below localhost", "https://other.localhost:PORT", "bank.test", 35),
            // A gateway goes by the name in the hello.
            ("by its own name in the hello", "https://127.0.0.1:GATEWAY", "api.shop.test", 35),
            ("another name at the gateway", "https://127.0.0.1:GATEWAY", "bank.test", 0),
        ])
    func `production is recognised behind any name, and by the name in the hello`(
        _ example: (what: String, origin: String, host: String, status: Int32)
    ) throws {
        let (nginx, gateway) = (try NginxOrigin(host: example.host), try NginxOrigin(host: example.host))
        let origin = example.origin.replacingOccurrences(of: "PORT", with: "\(nginx.port)")
            .replacingOccurrences(of: "GATEWAY", with: "\(gateway.port)")
        let shunt = try ServingShunt(
            [
                "local": #"""
                {"kind": "local", "routes": [{"mock": {}},
                  {"host": "\#(example.host)", "origin": "\#(origin)", "tls": "passthrough"}]}
                """#,
                "production": #"""
                {"kind": "production", "routes": [{"origin": "https://localhost:\#(nginx.port)"},
                  {"host": "b.test", "origin": "https://api.shop.test:\#(gateway.port)"}]}
                """#,
            ], ["--profile", "local"])
        for host in [example.host, example.host.uppercased()] {
            let result = try curl(shunt, nginx.authority, host, ["-k"])
            #expect(result.status == example.status, "\(example.what): \(result)")
        }
        try shunt.stop()
    }

    @Test func `an origin that does not respond ends the handshake with an alert`() throws {
        let port = FreePort.find()
        let shunt = try ServingShunt(["local": Self.local(port, port)], ["--log", "json"])
        let result = try curl(shunt, "certs/ca.pem", "bank.test")
        #expect(result.status == 35 && result.errors.contains("internal error"), "\(result)")
        let lines = try shunt.stop().errors.split(separator: "\n").map { try JSONReader.read(String($0)) }
        let line = try #require(lines.first { $0["url"]?.string == "https://bank.test:443" })
        #expect(
            line["error"]?["message"]?.string?.contains("localhost:\(port) refused the connection") == true, "\(line)")
    }

    @Test func `a proxied connection of a pinned host passes through, too`() throws {
        let nginx = try NginxOrigin(host: "bank.test")
        let shunt = try ServingShunt(["local": Self.local(nginx.port, nginx.plainPort)])
        for proxy in ["http", "socks5h"] {
            let result = try ChildProcess.run(
                "/usr/bin/env",
                [
                    "curl", "-sS", "--max-time", "60", "--cacert", nginx.authority, "-x",
                    "\(proxy)://localhost:\(shunt.port)", "https://bank.test/echo",
                ])
            #expect(result.output.hasPrefix("GET bank.test"), "\(result)")
        }
        try shunt.stop()
    }

    /// Above 32 KiB the name is not looked for, so that no client makes Shunt keep more.
    @Test(arguments: [(100, true), (20_000, true), (40_000, false)])
    func `a hello passes as it came, and one that is too large does not`(_ padding: Int, _ passes: Bool) throws {
        func sized(_ bytes: [UInt8], _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(truncatingIfNeeded: bytes.count >> (8 * (size - 1 - $0))) } + bytes
        }
        let name = sized([0] + sized(Array("bank.test".utf8), 2), 2)
        let extensions = [0, 21] + sized([UInt8](repeating: 0, count: padding), 2) + [0, 0] + sized(name, 2)
        let facts = [3, 3] + [UInt8](repeating: 7, count: 32) + [0] + sized([0x13, 0x01], 2) + sized([0], 1)
        var rest = ([1] + sized(facts + sized(extensions, 2), 3))[...]
        var hello: [UInt8] = []
        while !rest.isEmpty {
            hello += [22, 3, 1] + sized(Array(rest.prefix(16_000)), 2)
            rest = rest.dropFirst(16_000)
        }
        let expected = hello
        let origin = ScriptedOrigin { connection, _ in
            try connection.send(try connection.readBytes(expected.count) == expected ? "same" : "other")
        }
        defer { origin.stop() }
        let shunt = try ServingShunt(["local": Self.local(origin.port, 9)], ["--no-proxy"])
        let client = try RawConnection.connect(shunt.port)
        try client.send(hello)
        #expect((try client.readToEnd() == "same") == passes)
        #expect(origin.connectionCount == (passes ? 1 : 0))
        try shunt.stop()
    }

    @Test func `a hello in many small packets is read to its end`() throws {
        let nginx = try NginxOrigin(host: "bank.test")
        let shunt = try ServingShunt(["local": Self.local(nginx.port, nginx.plainPort)], ["--log", "off"])
        let program = """
            import socket, ssl, sys
            context = ssl.create_default_context(cafile=sys.argv[2])
            inner, outer = ssl.MemoryBIO(), ssl.MemoryBIO()
            tls = context.wrap_bio(inner, outer, server_hostname="bank.test")
            wire = socket.create_connection(("localhost", int(sys.argv[1])))
            wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while True:
                try:
                    tls.do_handshake()
                    break
                except ssl.SSLWantReadError:
                    for byte in outer.read(): wire.send(bytes([byte]))
                    inner.write(wire.recv(65536))
            print(tls.getpeercert()["subjectAltName"])
            """
        let result = try ChildProcess.run(
            "/usr/bin/env", ["python3", "-c", program, "\(shunt.port)", nginx.authority], directory: shunt.folder.path)
        #expect(result.output.contains("bank.test"), "\(result)")
        try shunt.stop()
    }
}
