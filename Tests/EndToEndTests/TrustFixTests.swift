import JSON
import TestSupport
import Testing

/// What `shunt trust explain --write` writes, for every kind of bad certificate: requests pass afterwards.
@Suite struct TrustFixTests {
    /// A server whose certificate is wrong in some way.
    struct Bad: Sendable {
        let name: String
        /// The fix that is written.
        let fix: String
        var extensions = ["subjectAltName=DNS:localhost", "authorityKeyIdentifier=keyid:always"]
        var key = Bad.key
        var options = "-days 2"
        var issuer: String? = "mid"
        /// Certificates that are sent behind its own.
        var sent = ["mid"]
        /// The profile trusts the root.
        var isTrusted = true
        var server: [String] = []
        /// The rule of the profile.
        var trust = ""

        static let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config /dev/null"
        static let otherName = ["subjectAltName=DNS:other.test", "authorityKeyIdentifier=keyid:always"]
    }

    private static let usual = [
        Bad(name: "expired", fix: "pinned", options: "-days -1"),
        Bad(name: "other", fix: "pinned", extensions: Bad.otherName),
        Bad(name: "incomplete", fix: "certificate", sent: []),
        Bad(
            name: "everything", fix: "pinned", extensions: ["subjectAltName=DNS:other.test"], options: "-days -1",
            issuer: nil, sent: [], isTrusted: false),
        Bad(name: "changed", fix: "pin", trust: "{policy: 'publicKeys', keys: ['PIN'], minTLS: '1.2'}"),
    ]
    private static let others = [
        Bad(name: "unnamed", fix: "pinned", extensions: ["authorityKeyIdentifier=keyid:always"]),
        Bad(name: "skipping", fix: "certificate", sent: ["root"]),
        Bad(name: "misled", fix: "certificate", sent: ["old"]),
        Bad(name: "foreign", fix: "authority", sent: ["mid", "root"], isTrusted: false),
        Bad(name: "rootless", fix: "authority", isTrusted: false),
        Bad(name: "alone", fix: "certificate", sent: [], isTrusted: false),
        Bad(name: "strange", fix: "pinned", extensions: Bad.otherName, isTrusted: false),
        Bad(name: "twice", fix: "pinned", extensions: Bad.otherName, options: "-days -1"),
        Bad(name: "sha1", fix: "pinned", options: "-days 2 -sha1"),
        Bad(name: "short", fix: "pinned", key: "-newkey rsa:1024 -nodes -config /dev/null"),
        Bad(
            name: "purpose", fix: "pinned",
            extensions: ["subjectAltName=DNS:localhost", "extendedKeyUsage=clientAuth"]),
        Bad(
            name: "critical", fix: "pinned", extensions: ["subjectAltName=DNS:localhost", "1.2.3.4=critical,ASN1:NULL"]),
        Bad(name: "byOld", fix: "pinned", issuer: "old", sent: ["old"]),
        Bad(name: "byNone", fix: "pinned", issuer: "none", sent: ["none"]),
        Bad(
            name: "own", fix: "certificate", extensions: ["subjectAltName=DNS:localhost"], issuer: nil, sent: [],
            isTrusted: false),
        Bad(
            name: "ownExpired", fix: "pinned", extensions: ["subjectAltName=DNS:localhost"], options: "-days -1",
            issuer: nil, sent: [], isTrusted: false),
        Bad(
            name: "loose", fix: "lenient", issuer: "sloppy", sent: ["sloppy"],
            trust: "{policy: 'default', strict: true}"),
        Bad(
            name: "repinned", fix: "pin",
            trust: "{policy: 'pinnedCertificates', certificates: ['FOLDER/root2.pem']}"),
        Bad(
            name: "composite", fix: "pin",
            trust: "{policy: 'composite', evaluators: ['default', {policy: 'publicKeys', keys: ['PIN']}]}"),
        Bad(name: "oldTLS", fix: "minTLS", server: ["-tls1_1"]),
    ]

    private func sign(
        _ name: String, _ extensions: [String], _ folder: TemporaryFolder, by issuer: String?, key: String = Bad.key,
        options: String = "-days 2"
    ) throws {
        try folder.write("\(name).ext", extensions.joined(separator: "\n") + "\n")
        let signer = issuer.map { "-CA \($0).pem -CAkey \($0).key -CAcreateserial" } ?? "-signkey \(name).key"
        let result = try ChildProcess.run(
            "/bin/sh",
            [
                "-c",
                """
                openssl req \(key) -keyout \(name).key -out \(name).req -subj /CN=\(name) && openssl x509 -req \
                -in \(name).req \(signer) \(options) -extfile \(name).ext -out \(name).pem
                """,
            ], directory: folder.path)
        try #require(result.status == 0, "\(result)")
    }

    @Test func `the rule that is written lets requests pass, whatever is wrong with the certificate`() throws {
        let folder = try TemporaryFolder()
        let usage = "keyUsage=critical,keyCertSign,cRLSign"
        let ca = ["basicConstraints=critical,CA:TRUE", usage, "subjectKeyIdentifier=hash"]
        let by = ["authorityKeyIdentifier=keyid:always"]
        try sign("root", ca, folder, by: nil)
        try sign("root2", ca, folder, by: nil)
        try sign("mid", ca + by, folder, by: "root")
        try sign("old", ca + by, folder, by: "root", options: "-days -1")
        try sign("none", ["basicConstraints=critical,CA:FALSE", "subjectKeyIdentifier=hash"], folder, by: "root")
        try sign("sloppy", ["basicConstraints=CA:TRUE", "subjectKeyIdentifier=hash"] + by, folder, by: "root")
        let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        var servers: [ChildProcess] = []
        var profiles: [String: String] = [:]
        let rows = Circle.values(Self.usual, andAll: Self.others)
        for bad in rows {
            try sign(bad.name, bad.extensions, folder, by: bad.issuer, key: bad.key, options: bad.options)
            try folder.write("\(bad.name)-sent.pem", try bad.sent.map { try folder.read("\($0).pem") }.joined())
            let server = try ChildProcess(
                "/usr/bin/env",
                [
                    "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", "\(bad.name).pem", "-key",
                    "\(bad.name).key", "-cipher", "DEFAULT:@SECLEVEL=0", "-www",
                ] + (bad.sent.isEmpty ? [] : ["-cert_chain", "\(bad.name)-sent.pem"]) + bad.server,
                directory: folder.path)
            servers.append(server)
            var port = ""
            try #require(
                eventually {
                    let line = server.output.split(separator: "\n").first { $0.hasPrefix("ACCEPT") }
                    port = line?.split(separator: ":").last.map(String.init) ?? ""
                    return !port.isEmpty
                }, "\(bad.name): \(server.errors)")
            let trust = bad.trust.replacing("PIN", with: pin).replacing("FOLDER", with: folder.path)
            profiles[bad.name.lowercased()] = """
                {kind: 'local', routes: [{origin: 'https://localhost:\(port)'}],
                 \(bad.isTrusted ? "certificateAuthorities: ['\(folder.path)/root.pem']," : "")
                 trust: {\(trust.isEmpty ? "" : "'localhost:\(port)': \(trust)")}}
                """
        }
        let shunt = try ServingShunt(profiles, ["--profile", rows[0].name])
        func status(_ name: String) throws -> String {
            try shunt.curl(
                "-o", "/dev/null", "-w", "%{http_code}", "-H", "Shunt-Profile: \(name)",
                "http://localhost:\(shunt.port)/"
            ).output
        }
        for bad in rows {
            let name = bad.name.lowercased()
            #expect(try status(name) == "502", "\(name)")
            let port = try shunt.folder.read("Profiles/\(name).json").split(separator: "localhost:")[1].prefix {
                $0.isNumber
            }
            let told = try shunt.run("trust", "explain", "localhost:\(port)", "--profile", name, "--json")
            let fixes = try JSONReader.read(told.output)["fixes"]?.array ?? []
            let names = fixes.compactMap { $0["name"]?.string }
            #expect(names.first == bad.fix, "\(name): \(told)")
            let written = try shunt.run("trust", "explain", "localhost:\(port)", "--profile", name, "--write")
            #expect(written.status == 0 && written.errors.contains("passes https://localhost:\(port)"), "\(written)")
        }
        let reloaded = try shunt.run("reload")
        #expect(reloaded.status == 0, "\(reloaded)")
        for bad in rows { #expect(try status(bad.name.lowercased()) == "200", "\(bad.name)") }
        try shunt.stop()
    }

    @Test func `a production profile gets no rule that leaves checks out, but is told what would do`() throws {
        let nginx = try NginxOrigin(host: "other.test", selfSigned: true)
        let folder = try TemporaryFolder()
        try folder.write("Profiles/production.json", profile("https://localhost:\(nginx.port)", kind: "production"))
        let before = try folder.read("Profiles/production.json")
        let result = try ChildProcess.run(
            ShuntBinary.path, ["trust", "explain", "localhost:\(nginx.port)", "--write"], directory: folder.path)
        #expect(result.status == 1, "\(result)")
        #expect(result.errors.contains("put a name it was issued for into the route's origin, other.test"), "\(result)")
        #expect(!result.output.contains("--fix"), "\(result)")
        #expect(try folder.read("Profiles/production.json") == before && !folder.exists("ca"))
    }
}
