import Foundation
import JSON
import TestSupport
import Testing

/// What `serve` can ask of clients in TLS, and the keys that it can leave behind.
@Suite struct ListenerTLSTests {
    /// A CA for clients with one client of its own, and a client of another CA.
    private func makeClients(_ folder: TemporaryFolder) throws {
        let new = "openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config /dev/null"
        for (authority, name) in [("office", "build-7"), ("other", "stranger")] {
            let result = try ChildProcess.run(
                "/bin/sh",
                [
                    "-c",
                    """
                    \(new) -x509 -keyout \(authority).key -out \(authority).pem -subj /CN=\(authority) -days 3 \
                    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign && \
                    \(new) -keyout \(name).key -out \(name).req -subj /CN=\(name) && \
                    printf 'authorityKeyIdentifier=keyid\\nextendedKeyUsage=clientAuth\\n' > \(name).ext && \
                    openssl x509 -req -in \(name).req -CA \(authority).pem -CAkey \(authority).key -CAcreateserial \
                    -days 2 -extfile \(name).ext -out \(name).pem
                    """,
                ], directory: folder.path)
            try #require(result.status == 0, "\(result)")
        }
    }

    @Test func `only clients with a certificate of --client-ca are served, and the log names them`() throws {
        let (folder, nginx) = (try TemporaryFolder(), try NginxOrigin())
        try makeClients(folder)
        let shunt = try ServingShunt(
            ["local": profile("http://localhost:\(nginx.plainPort)")],
            ["--client-ca", folder.path + "/office.pem", "--log", "json"])
        func curl(_ name: String?, _ scheme: String, _ more: String...) throws -> ChildProcess.Result {
            let own = name.map { ["--cert", "\(folder.path)/\($0).pem", "--key", "\(folder.path)/\($0).key"] } ?? []
            return try shunt.curl(own + more + ["-i", "\(scheme)://localhost:\(shunt.port)/echo"])
        }
        for version in ["--http1.1", "--http2"] {
            #expect(try curl("build-7", "https", version).output.contains("\r\n\r\nGET localhost"))
        }
        #expect(try curl("build-7", "https", "--tls-max", "1.2").output.contains("\r\n\r\nGET localhost"))
        for name in ["stranger", nil] {
            for version in ["1.2", "1.3"] {
                let refused = try curl(name, "https", "--tls-max", version)
                #expect(refused.status != 0 && !refused.output.contains("GET localhost"), "\(refused)")
            }
        }
        // Ways past TLS: plain HTTP/1.1, HTTP/2 with prior knowledge, CONNECT and SOCKS.
        let plain = try curl(nil, "http")
        #expect(plain.output.hasPrefix("HTTP/1.1 400 ") && plain.output.contains("--client-ca"), "\(plain)")
        #expect(!(try curl(nil, "http", "--http2-prior-knowledge").output.contains("GET localhost")))
        for proxy in ["http", "socks5h"] {
            let result = try ChildProcess.run(
                "/usr/bin/env",
                [
                    "curl", "-sS", "--max-time", "20", "-x", "\(proxy)://localhost:\(shunt.port)", "-p",
                    "http://localhost:\(nginx.plainPort)/echo",
                ])
            #expect(result.status != 0 && !result.output.contains("GET localhost"), "\(result)")
        }
        let lines = try shunt.stop().errors.split(separator: "\n").map { try JSONReader.read(String($0)) }
        let served = lines.filter { $0["status"]?.number?.int64 == 200 }
        #expect(served.count == 3)
        #expect(served.first?["client"]?["tls"]?.string == "TLSv1.3, certificate of CN=build-7")
        #expect(served.last?["client"]?["tls"]?.string == "TLSv1.2, certificate of CN=build-7")
    }

    @Test func `a file of --client-ca without a certificate ends the start with its name`() throws {
        let folder = try TemporaryFolder()
        try folder.write("Profiles/local.json", profile("http://localhost:9"))
        try folder.write("empty.pem", "")
        let result = try ChildProcess.run(
            ShuntBinary.path,
            ["serve", "--port", "0", "--admin-port", "0", "--certs", "certs", "--client-ca", "empty.pem"],
            directory: folder.path)
        #expect(result.status == 1 && result.errors.contains("empty.pem"), "\(result)")
    }

    @Test(arguments: [true, false])
    func `keys of both sides are written to a file of this user alone, and it is said wherever the state is`(
        byOption: Bool
    ) throws {
        let (folder, nginx) = (try TemporaryFolder(), try NginxOrigin())
        let file = folder.path + "/keys.log"
        // Another program may have made it for all to read.
        try folder.write("keys.log", "# kept\n")
        #expect(chmod(file, 0o644) == 0)
        let shunt = try ServingShunt(
            [
                "local": profile(
                    "https://localhost:\(nginx.port)", #", "certificateAuthorities": ["\#(nginx.authority)"]"#)
            ],
            byOption ? ["--keylog", file] : [], environment: byOption ? [:] : ["SSLKEYLOGFILE": file])
        #expect(try shunt.curl("https://localhost:\(shunt.port)/echo").output.hasPrefix("GET localhost"))
        let text = try folder.read("keys.log")
        #expect(text.hasPrefix("# kept\n"))
        let randoms = text.split(separator: "\n").filter { $0.hasPrefix("CLIENT_TRAFFIC_SECRET_0 ") }
            .map { $0.split(separator: " ")[1] }
        #expect(Set(randoms).count == 2, "one connection of the client, one to the origin: \(text)")
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try shunt.run("status").output.contains("WARNING"))
        let state = try JSONReader.read(try shunt.run("status", "--json").output)
        #expect(state["keyLog"]?.string == file)
        let health = try ChildProcess.run("/usr/bin/env", ["curl", "-sS", "\(shunt.admin)/healthz"])
        #expect(health.output.contains("warnings") && !health.output.contains("keys.log"), "\(health)")
        #expect(try shunt.stop().errors.contains("INSECURE: the keys of all TLS connections"))
    }

    @Test func `without the choice no keys are written and nothing is said of them`() throws {
        let shunt = try ServingShunt(["local": profile("http://localhost:9")], environment: ["SSLKEYLOGFILE": ""])
        #expect(!(try shunt.run("status").output.contains("WARNING")))
        let health = try ChildProcess.run("/usr/bin/env", ["curl", "-sS", "\(shunt.admin)/healthz"])
        #expect(!health.output.contains("warnings"))
        #expect(!(try shunt.stop().errors.contains("INSECURE")))
    }

    @Test(arguments: ["link", "fifo", "folder"])
    func `a key log that is no file of one's own is refused`(_ kind: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("Profiles/local.json", profile("http://localhost:9"))
        let path = folder.path + "/keys.log"
        switch kind {
        case "link": #expect(symlink(folder.path + "/Profiles/local.json", path) == 0)
        case "fifo": #expect(mkfifo(path, 0o600) == 0)
        default: #expect(mkdir(path, 0o700) == 0)
        }
        let result = try ChildProcess.run(
            ShuntBinary.path,
            ["serve", "--port", "0", "--admin-port", "0", "--certs", "certs", "--keylog", "keys.log"],
            directory: folder.path)
        #expect(result.status == 1 && result.errors.contains("keys.log"), "\(result)")
    }
}
