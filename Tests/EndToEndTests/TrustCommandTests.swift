import JSON
import TestSupport
import Testing

/// `shunt trust explain` and `shunt trust add`, against nginx.
@Suite struct TrustCommandTests {
    private static let profile = """
        {
          // kept
          kind: 'local',
          routes: [{origin: 'https://localhost:1'}], /* kept, too */
        }
        """

    private func shunt(_ folder: TemporaryFolder, _ arguments: String...) throws -> ChildProcess.Result {
        try ChildProcess.run(ShuntBinary.path, arguments, directory: folder.path, seconds: 30)
    }

    @Test func `what is wrong is explained, and the least permissive fix makes it pass`() throws {
        let origins = try TrustedOrigins()
        for name in ["whole", "alone"] { try origins.sign(.init(name: name)) }
        // One server sends its CA, the other does not.
        try origins.shell("cat ca.pem >> whole-chain.pem")
        try origins.start([.init(name: "whole"), .init(name: "alone")])
        for (name, fix) in [("whole", "authority"), ("alone", "certificate")] {
            let folder = try TemporaryFolder()
            try folder.write("Profiles/local.json", Self.profile)
            let host = "localhost:\(origins.ports[name] ?? 0)"
            let told = try shunt(folder, "trust", "explain", host)
            #expect(told.status == 1)
            for part in [
                "CN=\(name)", "issuer   CN=ca", "v3.localhost", "sha256/", "default (no rule names the host)",
                "chain    ", "host     passed", "--fix \(fix)", "--fix disabled",
            ] { #expect(told.output.contains(part), "\(part) in \(told)") }
            let fixes = told.output.split(separator: "\n").filter { $0.contains("--fix") }
            #expect(fixes.last?.contains("disabled") == true && fixes.first?.contains(fix) == true, "\(fixes)")
            let json = try JSONReader.read(
                try shunt(folder, "trust", "explain", host, "--json").output, dialect: .strict)
            #expect(json["accepted"]?.bool == false && json["chain"]?.array?.first?["pin"]?.string != nil)
            #expect(json["fixes"]?.array?.first { $0["name"]?.string == fix } != nil)
            // Nothing was written so far.
            #expect(try folder.read("Profiles/local.json") == Self.profile)
            let written = try shunt(folder, "trust", "explain", host, "--write")
            #expect(written.status == 0 && written.errors.contains("ca/localhost_"), "\(written)")
            let text = try folder.read("Profiles/local.json")
            #expect(
                text.contains("// kept") && text.contains("/* kept, too */") && text.contains("certificateAuthorities"))
            let after = try shunt(folder, "trust", "explain", host)
            #expect(after.status == 0 && after.output.contains("chain    passed"), "\(after)")
            #expect(!after.output.contains("FIXES"))
            // A second rule for the host is never written.
            let again = try shunt(folder, "trust", "add", host, "--yes")
            #expect(again.status == 1 && again.errors.contains("there is a rule for \(host) already"), "\(again)")
            #expect(try folder.read("Profiles/local.json") == text)
        }
    }

    @Test func `a changed key is told with its pin, and a production profile is not offered disabled`() throws {
        let origins = try TrustedOrigins()
        try origins.sign(.init(name: "server"))
        try origins.start([.init(name: "server")])
        let folder = try TemporaryFolder()
        let host = "localhost:\(origins.ports["server"] ?? 0)"
        let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        try folder.write(
            "Profiles/production.json",
            """
            {kind: 'production', certificateAuthorities: ['\(origins.file("ca.pem"))'],
             trust: {localhost: {policy: 'publicKeys', keys: ['\(pin)']}}}
            """)
        let told = try shunt(folder, "trust", "explain", host, "--profile", "production")
        #expect(told.status == 1 && told.output.contains("publicKeys  no pinned public key is in the chain"), "\(told)")
        #expect(told.output.contains("--fix pin") && told.output.contains("\"\(pin)\", \"sha256/"), "\(told)")
        #expect(!told.output.contains("disabled"))
    }

    @Test func `an origin is looked at by the way of its route`() throws {
        let nginx = try NginxOrigin(selfSigned: true)
        let way = try ServingShunt(["local": #"{"kind": "local", "routes": [{"mock": {}}]}"#])
        let folder = try TemporaryFolder()
        try folder.write(
            "Profiles/local.json",
            """
            {kind: 'local', routes: [{origin: 'https://localhost:\(nginx.port)', proxy: 'http://localhost:\(way.port)'}]}
            """)
        let told = try shunt(folder, "trust", "explain", "localhost:\(nginx.port)")
        #expect(told.status == 1 && told.output.contains("--fix certificate"), "\(told)")
        #expect(try way.stop().errors.contains("CONNECT localhost:\(nginx.port)"))
        // A way that is down is told as such, and nothing is asked directly.
        let closed = try shunt(folder, "trust", "explain", "localhost:\(nginx.port)")
        #expect(
            closed.status == 1 && closed.output.contains("the proxy") && !closed.output.contains("CHAIN"), "\(closed)")
    }

    @Test func `trust on first use shows the fingerprint, asks, and pins`() throws {
        let origins = try TrustedOrigins()
        try origins.sign(.init(name: "server"))
        try origins.sign(.init(name: "other", serial: 2))
        try origins.start([.init(name: "server"), .init(name: "other")])
        let folder = try TemporaryFolder()
        try folder.write("Profiles/local.json", Self.profile)
        let host = "localhost:\(origins.ports["server"] ?? 0)"
        let digest =
            try origins.shell("openssl x509 -in server.pem -noout -fingerprint -sha256")
            .split(separator: "=").last.map { $0.filter(\.isHexDigit).lowercased() } ?? "?"
        // Without a terminal there is no yes.
        let asked = try shunt(folder, "trust", "add", host)
        #expect(asked.status == 1 && asked.errors.contains(digest) && asked.errors.contains("nothing was changed"))
        #expect(try folder.read("Profiles/local.json") == Self.profile)
        #expect(try shunt(folder, "trust", "add", host, "--yes").status == 0)
        #expect(try folder.read("Profiles/local.json").contains("pinnedCertificates"))
        #expect(try shunt(folder, "trust", "explain", host).status == 0)
        // Not for another name, and not what does not answer.
        let stranger = try shunt(folder, "trust", "add", "127.0.0.1:\(origins.ports["other"] ?? 0)", "--yes")
        #expect(stranger.status == 1 && stranger.errors.contains("is not for 127.0.0.1"), "\(stranger)")
        let closed = try shunt(folder, "trust", "explain", "localhost:\(ScriptedOrigin.closedPort())")
        #expect(closed.status == 1 && closed.output.contains("refused the connection"), "\(closed)")
    }
}
