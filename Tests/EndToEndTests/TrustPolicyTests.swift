import JSON
import TestSupport
import Testing

/// Policies, client certificates and versions against nginx, and which connections serve which requests.
@Suite struct TrustPolicyTests {
    private func answer(_ shunt: ServingShunt, _ path: String, profile: String = "local") throws -> [Substring] {
        try shunt.curl("-H", "Shunt-Profile: \(profile)", "http://localhost:\(shunt.port)\(path)").output
            .split(separator: " ", omittingEmptySubsequences: false)
    }

    @Test(arguments: ["h2", "http/1.1"])
    func `no request rides on a connection of another policy or client certificate, nor resumes its session`(
        version: String
    ) throws {
        let origins = try TrustedOrigins()
        try origins.sign(.init(name: "server"))
        try origins.sign(.init(name: "client", serial: 2))
        try origins.start([
            .init(name: "server", config: "ssl_verify_client optional_no_ca;", isHTTP2: version == "h2")
        ])
        let (url, ca) = (origins.url("server"), origins.file("ca.pem"))
        let client = "{certificate: '\(origins.file("client.pem"))', key: '\(origins.file("client.key"))'}"
        // Several routes and profiles of one policy share connections; all others do not.
        let policies = [
            ("local", "'disabled'"), ("same", "'disabled'"), ("strict", "'default'"),
            ("named", "{policy: 'default', certificateAuthorities: ['\(ca)']}"),
            ("shown", "{policy: 'default', certificateAuthorities: ['\(ca)'], clientCertificate: \(client)}"),
            ("loose", "{policy: 'disabled', clientCertificate: \(client)}"),
            (
                "pinned",
                "{policy: 'pinnedCertificates', certificates: ['\(origins.file("server.pem"))'], "
                    + "certificateAuthorities: ['\(ca)']}"
            ),
            (
                "wrong",
                "{policy: 'publicKeys', keys: ['\(origins.file("client.pem"))'], certificateAuthorities: ['\(ca)']}"
            ),
        ]
        let shunt = try ServingShunt(
            Dictionary(
                uniqueKeysWithValues: policies.map {
                    ($0, "{kind: 'local', routes: [{origin: '\(url)'}], trust: {localhost: \($1)}}")
                }), ["--profile", "local"])
        var connections: [String: Substring] = [:]
        for (name, _) in policies {
            let seen = try answer(shunt, "/", profile: name)
            if name == "strict" || name == "wrong" {
                #expect(seen.joined(separator: " ").contains("was rejected"), "\(name): \(seen)")
                continue
            }
            try #require(seen.count >= 5, "\(name): \(seen)")
            connections[name] = seen[0]
            if name != "same" { #expect(seen[1] == ".", "\(name) resumed a session: \(seen)") }
            #expect((seen[4] == "CN=client") == (name == "shown" || name == "loose"), "\(name): \(seen)")
        }
        #expect(connections["same"] == connections["local"])
        #expect(Set(connections.values).count == 5, "\(connections)")
        // Each stays with its own, also after the others have connected.
        for (name, connection) in connections {
            #expect(try answer(shunt, "/", profile: name)[0] == connection, "\(name)")
        }
        try shunt.stop()
    }

    @Test func `client certificates come from PEM and PKCS 12, their pass phrases from files and the environment`()
        throws
    {
        let origins = try TrustedOrigins()
        try origins.sign(.init(name: "server"))
        try origins.sign(.init(name: "client", serial: 2))
        try origins.shell(
            """
            openssl pkcs12 -export -in client.pem -inkey client.key -passout pass:secret -out client.p12 && \
            openssl pkey -in client.key -aes256 -passout pass:secret -out sealed.key
            """)
        try origins.folder.write("word", "secret\n")
        try origins.start([
            .init(name: "server", config: "ssl_verify_client on; ssl_client_certificate \(origins.file("ca.pem"));")
        ])
        let (pem, archive) = ("certificate: '\(origins.file("client.pem"))'", "pkcs12: '\(origins.file("client.p12"))'")
        let sealed = "\(pem), key: '\(origins.file("sealed.key"))'"
        let (file, variable) = ("passphraseFile: '\(origins.file("word"))'", "passphraseVariable: 'SHUNT_TEST_WORD'")
        let sources = [
            "\(pem), key: '\(origins.file("client.key"))'", "\(sealed), \(file)", "\(sealed), \(variable)",
            "\(archive), \(file)", "\(archive), \(variable)",
        ]
        func profile(_ client: String?) -> String {
            let shown = client.map { ", clientCertificate: {\($0)}" } ?? ""
            return """
                {kind: 'local', routes: [{origin: '\(origins.url("server"))'}],
                 trust: {localhost: {policy: 'default', certificateAuthorities: ['\(origins.file("ca.pem"))']\(shown)}}}
                """
        }
        var profiles = ["local": profile(nil)]
        for (at, source) in sources.enumerated() { profiles["c\(at)"] = profile(source) }
        let shunt = try ServingShunt(profiles, ["--profile", "local"], environment: ["SHUNT_TEST_WORD": "secret"])
        for at in sources.indices {
            let seen = try answer(shunt, "/", profile: "c\(at)")
            #expect(seen.last == "CN=client", "\(sources[at]): \(seen)")
        }
        #expect(try answer(shunt, "/").joined(separator: " ").contains("400"))
        try shunt.stop()
        // What cannot be read is an error at the start, and says no secret.
        for (source, part) in [
            (sealed, "without a pass phrase"), ("\(sealed), passphraseVariable: 'SHUNT_MISSING'", "SHUNT_MISSING"),
            ("\(archive), passphraseFile: '\(origins.file("client.pem"))'", "cannot be opened"),
            ("\(pem), key: '\(origins.file("server.key"))'", "is not the one of the certificate"),
        ] {
            try shunt.folder.write("Profiles/local.json", profile(source))
            let failed = try ChildProcess.run(
                ShuntBinary.path, ["serve", "--port", "0"], directory: shunt.folder.path,
                environment: ["SHUNT_TEST_WORD": "secret"], seconds: 20)
            #expect(failed.status != 0 && failed.errors.contains(part), "\(source): \(failed.errors)")
            #expect(!failed.errors.contains("secret"))
        }
    }

    @Test func `versions and cipher suites are per host, and an old server is named as such`() throws {
        let origins = try TrustedOrigins()
        let old = "ssl_protocols TLSv1; ssl_ciphers DEFAULT:@SECLEVEL=0;"
        let servers: [TrustedOrigins.Server] = [
            .init(name: "old", config: old), .init(name: "tls12", config: "ssl_protocols TLSv1.2;"),
            .init(name: "new"),
        ]
        for server in servers { try origins.sign(server) }
        try origins.start(servers)
        let cases = [
            ("old", "", "502", "speaks only versions of TLS that are older than 1.2"),
            ("old", "minTLS: '1.0'", "200", "TLSv1 "),
            ("old", "minTLS: '1.1'", "502", "older than 1.1"),
            ("tls12", "minTLS: '1.3'", "502", "older than 1.3"), ("tls12", "", "200", "TLSv1.2 "),
            ("new", "ciphers: ['ECDHE-ECDSA-AES256-GCM-SHA384']", "200", "TLSv1.2 ECDHE-ECDSA-AES256-GCM-SHA384"),
            ("new", "ciphers: ['TLS_CHACHA20_POLY1305_SHA256']", "200", "TLSv1.3 TLS_CHACHA20_POLY1305_SHA256"),
            ("tls12", "ciphers: ['ECDHE-RSA-AES256-GCM-SHA384']", "502", "cipher suites"),
        ]
        let hosts = cases.indices.map { at in "v\(cases[..<at].filter { $0.0 == cases[at].0 }.count).localhost" }
        let routes = zip(cases, hosts).enumerated().map { at, item in
            "{path: '/\(at)', origin: '\(origins.url(item.0.0, host: item.1))'}"
        }
        let rules = zip(cases, hosts).map { item, host in
            "'\(host):\(origins.ports[item.0] ?? 0)': {policy: 'default', \(item.1)}"
        }
        let shunt = try ServingShunt(
            [
                "local": """
                {kind: 'local', certificateAuthorities: ['\(origins.file("ca.pem"))'],
                 routes: [\(routes.joined(separator: ","))], trust: {\(rules.joined(separator: ",\n"))}}
                """
            ])
        for (at, item) in cases.enumerated() {
            let seen = try shunt.curl("-w", "%{http_code}", "http://localhost:\(shunt.port)/\(at)").output
            #expect(seen.contains(item.3) && seen.hasSuffix(item.2), "\(item): \(seen)")
        }
        try shunt.stop()
    }
}
