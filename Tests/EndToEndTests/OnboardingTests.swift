import Foundation
import JSON
import TestSupport
import Testing

/// The page where a device comes to trust the CA.
@Suite struct OnboardingTests {
    let shunt: ServingShunt

    init() throws { shunt = try ServingShunt(["local": #"{kind: "local", routes: [{mock: {text: "hello"}}]}"#]) }

    private func pages(_ path: String, _ words: String..., isSecure: Bool = false) throws -> ChildProcess.Result {
        try shunt.curl(words + ["\(isSecure ? "https" : "http")://localhost:\(shunt.pagesPort)\(path)"])
    }

    private func run(_ script: String) throws -> ChildProcess.Result {
        try ChildProcess.run("/bin/sh", ["-c", script], directory: shunt.folder.path)
    }

    @Test func `each form of the certificate is the CA's, and none has a key`() throws {
        let fingerprint = "openssl x509 -noout -fingerprint -sha256"
        let wanted = try run("\(fingerprint) -in certs/ca.pem").output
        for (name, read) in [
            ("shunt.pem", "cat FILE"), ("shunt.cer", "openssl x509 -inform der -in FILE"),
            ("shunt.p12", "openssl pkcs12 -in FILE -passin pass:shunt -nokeys"),
            (
                "shunt.mobileconfig",
                "python3 -c 'import plistlib,sys; p = plistlib.load(open(\"FILE\", \"rb\")); "
                    + "sys.stdout.buffer.write(p[\"PayloadContent\"][0][\"PayloadContent\"])' | openssl x509 -inform der"
            ),
        ] {
            #expect(try pages("/ca/\(name)", "-o", name, "-f").status == 0)
            let script = read.replacingOccurrences(of: "FILE", with: name) + " | \(fingerprint)"
            let found = try run(script)
            #expect(found.output == wanted, "\(name): \(found)")
            #expect(try run("grep -c 'PRIVATE KEY' \(name)").output == "0\n")
        }
        #expect(try run("openssl pkcs12 -in shunt.p12 -passin pass:shunt -nocerts -nodes").output.isEmpty)
        let profile = try run(
            "python3 -c 'import plistlib; p = plistlib.load(open(\"shunt.mobileconfig\", \"rb\")); "
                + "print(p[\"PayloadType\"], p[\"PayloadContent\"][0][\"PayloadType\"], len(p[\"PayloadUUID\"]))'")
        #expect(profile.output == "Configuration com.apple.security.root 36\n", "\(profile)")
    }

    @Test func `the page has no scripts, loads the test's picture alone, and leads through iOS's hidden step`() throws {
        let page = try pages("/ca", "-i").output
        for part in [
            "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; "
                + "img-src https://localhost:\(shunt.pagesPort)\r\n",
            "X-Frame-Options: DENY", "Cross-Origin-Resource-Policy: same-origin", "Certificate Trust Settings",
            "<img src=\"https://localhost:\(shunt.pagesPort)/ca/test.svg\"", "not trust Shunt yet", "SHA-256",
        ] { #expect(page.contains(part), "\(part) in \(page)") }
        #expect(!page.contains("<script"))
        #expect(try pages("/").output.contains("<a href=\"/ca\">"))
    }

    @Test func `the picture is there over TLS for a client that trusts the CA, and for no other`() throws {
        #expect(try pages("/ca/test.svg", isSecure: true).output.contains("This device trusts Shunt"))
        #expect(try pages("/ca/test.svg", "-o", "/dev/null", "-w", "%{http_code}").output == "404")
        let foreign = try ChildProcess.run(
            "/usr/bin/env",
            ["curl", "-sS", "--noproxy", "*", "https://localhost:\(shunt.pagesPort)/ca/test.svg"],
            directory: shunt.folder.path)
        #expect(foreign.status == 60, "\(foreign)")
    }

    @Test(arguments: [
        (["-X", "POST", "-d", "a=b"], "/ca", "405"), (["-X", "DELETE"], "/ca/shunt.cer", "405"),
        (["-H", "Host: evil.example"], "/ca", "421"), (["-H", "Host: localhost:1"], "/ca/shunt.mobileconfig", "421"),
        ([], "/ca/ca-key.pem", "404"), ([], "/ca/../ca-key.pem", "404"), ([], "/ca/", "404"), (["-I"], "/ca", "200"),
    ])
    func `the rules of the other pages hold here, too`(words: [String], path: String, status: String) throws {
        let result = try shunt.curl(
            words + [
                "--path-as-is", "-o", "/dev/null", "-w", "%{http_code}", "http://localhost:\(shunt.pagesPort)\(path)",
            ])
        #expect(result.output == status, "\(result)")
    }

    @Test func `a host cannot add to the page's policy`() throws {
        for host in ["a;script-src x.localhost", "x'.test", "a b.test"] {
            let result = try pages("/ca", "-i", "-H", "Host: \(host):\(shunt.pagesPort)")
            #expect(!result.output.contains("img-src"), "\(host): \(result)")
        }
    }

    @Test func `pair shows the way to the page`() throws {
        let result = try shunt.run("pair", "--ca")
        #expect(result.status == 0 && result.output.contains("http://localhost:\(shunt.pagesPort)/ca\n"), "\(result)")
        #expect(result.output.contains("▀") || result.output.contains("▄"))
    }

    @Test func `with a certificate of one's own there is no page`() throws {
        let own = shunt.folder.path
        _ = try run(
            "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=x -addext subjectAltName=DNS:localhost -days 2 "
                + "-keyout \(own)/k.pem -out \(own)/c.pem 2>/dev/null")
        let other = try ServingShunt(
            ["local": #"{kind: "local", routes: [{mock: {text: "hello"}}]}"#],
            ["--cert", "\(own)/c.pem", "--key", "\(own)/k.pem"])
        let words = ["-o", "/dev/null", "-w", "%{http_code}", "http://localhost:\(other.pagesPort)/ca"]
        let status = try ChildProcess.run("/usr/bin/env", ["curl", "-sS", "--noproxy", "*"] + words).output
        #expect(status == "404")
        let page = try ChildProcess.run(
            "/usr/bin/env", ["curl", "-sS", "--noproxy", "*", "http://localhost:\(other.pagesPort)/"])
        #expect(!page.output.contains("/ca"))
    }
}
