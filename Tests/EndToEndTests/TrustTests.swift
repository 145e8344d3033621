import JSON
import TestSupport
import Testing

/// How origins' certificates are judged, with a real TLS origin and a real client.
@Suite struct TrustTests {
    private func logged(_ shunt: ServingShunt) throws -> [JSONValue] {
        try shunt.stop().errors.split(separator: "\n").map { try JSONReader.read(String($0), dialect: .strict) }
            .filter { $0["url"] != nil }
    }

    @Test func `a CA named in the profile makes default trust pass, and the log says so`() throws {
        let nginx = try NginxOrigin()
        let shunt = try ServingShunt(
            [
                "staging": profile(
                    "https://localhost:\(nginx.port)", kind: "staging",
                    #", "certificateAuthorities": ["\#(nginx.authority)"]"#)
            ], ["--log", "json"])
        for _ in 0..<2 {
            let result = try shunt.curl("-i", "-H", "X-Test: hi", "https://localhost:\(shunt.port)/echo")
            #expect(result.output.contains("\r\n\r\nGET localhost hi TLSv1.3 localhost"), "\(result)")
            #expect(result.output.contains("shunt-answered-by: staging; route=\"*\"\r\n"))
        }
        let lines = try logged(shunt)
        #expect(lines.map { $0["origin"]?["trust_decision"]?.string } == ["verified", "verified"])
        #expect(lines.map { $0["origin"]?["reused"]?.bool } == [false, true])
        #expect(lines[0]["origin"]?["tls"]?.string == "TLSv1.3")
        #expect(lines[0]["client"]?["tls"]?.string == "TLSv1.3")
        #expect(lines[0]["timings_us"]?["tls"]?.number != nil && lines[1]["timings_us"]?["tls"]?.isNull == true)
    }

    @Test func `what an origin has shown, and the rule that decided, are kept with each exchange`() throws {
        let nginx = try NginxOrigin()
        let rule = #"{"policy": "default", "certificateAuthorities": ["\#(nginx.authority)"]}"#
        let shunt = try ServingShunt(
            [
                "local": profile(
                    "https://localhost:\(nginx.port)", #", "trust": {"localhost": \#(rule), "*.a.test": "disabled"}"#)
            ])
        for _ in 0..<3 { _ = try shunt.curl("https://localhost:\(shunt.port)/echo") }
        try shunt.stop()
        for id in 1...3 {
            let shown = try JSONReader.read(try shunt.run("show", "\(id)", "--json").output)
            #expect(shown["trust_rule"]?.string == "localhost (Profiles/local.json:1)", "\(shown)")
            let own = try #require(shown["certificates"]?.array?.first, "\(shown)")
            #expect(own["subject"]?.string?.isEmpty == false && own["issuer"]?.string?.isEmpty == false, "\(own)")
            #expect(own["not_after"]?.string?.hasSuffix("Z") == true, "\(own)")
            #expect(own["public_key"]?.string?.hasPrefix("sha256/") == true, "\(own)")
        }
    }

    @Test(arguments: [
        (host: "localhost", selfSigned: true, reason: "self-signed certificate", fix: "certificate"),
        (
            host: "localhost", selfSigned: false, reason: "unable to get local issuer certificate",
            fix: "certificate"
        ),
        (
            host: "other.test", selfSigned: false, reason: "hostname mismatch: it is for other.test, not for localhost",
            fix: "pinned"
        ),
        (
            host: "other.test", selfSigned: true,
            reason: "self-signed certificate, and it is for other.test, not for localhost (seen: ", fix: "pinned"
        ),
    ])
    func `a certificate that does not pass gives 502 with the reason, the chain and the least permissive way`(
        host: String, selfSigned: Bool, reason: String, fix: String
    ) throws {
        let nginx = try NginxOrigin(host: host, selfSigned: selfSigned)
        // For a wrong name the CA itself is trusted.
        let authorities =
            host == "localhost" || selfSigned ? "" : #", "certificateAuthorities": ["\#(nginx.authority)"]"#
        let shunt = try ServingShunt(["local": profile("https://localhost:\(nginx.port)", authorities)])
        let result = try shunt.curl("-i", "https://localhost:\(shunt.port)/echo")
        #expect(result.output.hasPrefix("HTTP/2 502 \r\n"))
        #expect(result.output.lowercased().contains(reason), "\(result.output)")
        let isNamed = host == "localhost"
        #expect(result.output.contains("put a name it was issued for into the route's origin") != isNamed)
        #expect(result.output.contains("subject") || result.output.contains("issue"), "\(result.output)")
        let writing = "`shunt trust explain localhost:\(nginx.port) --write --fix \(fix)`"
        #expect(result.output.contains(writing), "\(result.output)")
        try shunt.stop()
    }

    @Test func `what helps reads the same in the 502, in the log, in the traffic and in trust explain`() throws {
        let nginx = try NginxOrigin(selfSigned: true)
        let shunt = try ServingShunt(["local": profile("https://localhost:\(nginx.port)")], ["--log", "json"])
        let url = "https://localhost:\(shunt.port)/echo"
        let page = try shunt.curl(url).output
        let html = try shunt.curl("-H", "Accept: text/html", url).output
        let problem = try JSONReader.read(try shunt.curl("-H", "Accept: application/problem+json", url).output)
        let explained = try JSONReader.read(
            try shunt.run("trust", "explain", "localhost:\(nginx.port)", "--json").output)
        let log = try JSONReader.read(
            String(try shunt.stop().errors.split(separator: "\n").first { $0.contains("/echo") } ?? ""))
        let shown = try JSONReader.read(try shunt.run("show", "1", "--json").output)
        let fixes = shown["error"]?["fixes"]?.array?.compactMap(\.string) ?? []
        let told = explained["fixes"]?.array ?? []
        #expect(fixes.count == 2 && told.count == 2, "\(shown) \(explained)")
        let text = try shunt.run("show", "1").output
        for (line, fix) in zip(fixes, told) {
            let words = try #require(fix["text"]?.string)
            #expect(line.hasPrefix(words), "\(line)")
            #expect(page.contains("\n- \(line)\n"), "\(page)")
            #expect(html.contains("- " + words.prefix(40)), "\(html)")
            #expect(text.contains(words.prefix(40)), "\(text)")
        }
        #expect(problem["fixes"]?.array?.compactMap(\.string) == fixes && problem["status"]?.number?.int64 == 502)
        #expect(log["error"]?["fixes"]?.array?.compactMap(\.string) == fixes, "\(log)")
        #expect(try shunt.run("export", "--har", "-o", "one.har").status == 0)
        let archive = try JSONReader.read(try shunt.folder.read("one.har"))
        let archived = archive["log"]?["entries"]?.array?.first?["_failure"]?["fixes"]?.array?.compactMap(\.string)
        #expect(archived == fixes, "\(archived ?? [])")
        #expect(try shunt.run("import", "one.har", "--store", "other.db").status == 0)
        let imported = try JSONReader.read(try shunt.run("show", "1", "--json", "--store", "other.db").output)
        #expect(imported["error"]?["fixes"]?.array?.compactMap(\.string) == fixes, "\(imported)")
        #expect(shown["error"]?["message"]?.string?.hasPrefix("no TLS connection") == true)
        #expect(shown["error"]?["message"]?.string?.contains("\n") == false)
    }

    @Test func `disabled trust lets any certificate pass, is said loudly at start, and stays out of production`() throws
    {
        let nginx = try NginxOrigin(selfSigned: true)
        let url = "https://localhost:\(nginx.port)"
        let trust = #", "trust": {"@loopback": "disabled"}"#
        let shunt = try ServingShunt(["local": profile(url, trust)])
        let response = try shunt.curl("-i", "https://localhost:\(shunt.port)/echo").output
        #expect(response.contains("\r\n\r\nGET localhost"), "\(response)")
        #expect(response.contains("shunt-answered-by: local; route=\"*\"; unverified\r\n"), "\(response)")
        let errors = try shunt.stop().errors
        #expect(errors.contains("INSECURE") && errors.contains("@loopback in profile local"))
        #expect(errors.contains("→ \(url) trust=disabled unverified\n"), "\(errors)")
        let refused = try ChildProcess.run(
            ShuntBinary.path, ["validate"],
            directory: {
                try shunt.folder.write("Profiles/production.json", profile(url, kind: "production", trust))
                return shunt.folder.path
            }())
        #expect(refused.status == 1)
        let told = refused.errors + refused.output
        #expect(told.contains("Profiles/production.json:1:") && told.contains("\"disabled\""), "\(refused)")
    }

    @Test func `leaves are made per SNI, for TLS 1.2 and 1.3, and sessions are resumed across workers`() throws {
        let nginx = try NginxOrigin()
        let shunt = try ServingShunt(
            ["local": profile("http://localhost:\(nginx.plainPort)")], ["--workers", "2", "--log", "off"])
        for version in ["-tls1_2", "-tls1_3"] {
            let full = try ChildProcess.run(
                "/bin/sh",
                [
                    "-c",
                    """
                    printf 'GET /echo HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n' | openssl s_client \(version) \
                    -connect 127.0.0.1:\(shunt.port) -servername shop.test -CAfile certs/ca.pem -verify_return_error \
                    -verify_hostname shop.test -sess_out session\(version).pem -ign_eof
                    """,
                ], directory: shunt.folder.path)
            #expect(full.output.contains("Verify return code: 0 (ok)"), "\(full)")
            #expect(full.output.contains("New, TLSv1"))
            for _ in 0..<6 {
                let again = try ChildProcess.run(
                    "/bin/sh",
                    [
                        "-c",
                        """
                        printf 'GET /echo HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n' | openssl s_client \(version) \
                        -connect 127.0.0.1:\(shunt.port) -servername shop.test -sess_in session\(version).pem -ign_eof
                        """,
                    ], directory: shunt.folder.path)
                #expect(again.output.contains("Reused, TLSv1"), "\(version)")
            }
        }
        try shunt.stop()
    }

    @Test func `one port takes TLS and plain HTTP`() throws {
        let nginx = try NginxOrigin()
        let shunt = try ServingShunt(["local": profile("http://localhost:\(nginx.plainPort)")])
        #expect(try shunt.curl("http://localhost:\(shunt.port)/echo").output.hasPrefix("GET localhost"))
        #expect(try shunt.curl("https://localhost:\(shunt.port)/echo").output.hasPrefix("GET localhost"))
        #expect(try shunt.curl("--tls-max", "1.2", "https://localhost:\(shunt.port)/echo").status == 0)
        try shunt.stop()
    }

    @Test(.extended, .enabled(if: ClientProgram.find("gnutls-serv") != nil, "gnutls-serv \(ClientProgram.hint)"))
    func `an origin without secure renegotiation is accepted with a note, and refused by a strict rule`() throws {
        let origins = try TrustedOrigins()
        try origins.sign(.init(name: "server"))
        let port = FreePort.find()
        let server = try ChildProcess(
            "/usr/bin/env",
            [
                "gnutls-serv", "--http", "--quiet", "--port", "\(port)", "--x509certfile", origins.file("server.pem"),
                "--x509keyfile", origins.file("server.key"), "--priority",
                "NORMAL:-VERS-ALL:+VERS-TLS1.2:%DISABLE_SAFE_RENEGOTIATION",
            ])
        defer { server.signal(9) }
        let rule = #"{"policy": "default", "certificateAuthorities": ["\#(origins.file("ca.pem"))"]"#
        func library(_ strict: String) -> String {
            profile("https://localhost:\(port)", #", "trust": {"localhost": \#(rule)\#(strict)}}"#)
        }
        let shunt = try ServingShunt(
            ["local": library(""), "strict": library(#", "strict": true"#)], ["--profile", "local", "--log", "json"])
        let address = "http://localhost:\(shunt.port)/"
        #expect(eventually { (try? shunt.curl("-o", "/dev/null", "-w", "%{http_code}", address).output) == "200" })
        let refused = try shunt.curl("-H", "Shunt-Profile: strict", address).output
        #expect(refused.contains("legacy renegotiation"), "\(refused)")
        let lines = try logged(shunt).compactMap { $0["origin"]?["trust_decision"]?.string }
        #expect(lines.contains { $0.contains("no secure renegotiation (RFC 5746)") }, "\(lines)")
    }
}
