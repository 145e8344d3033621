import Foundation
import JSON
import TestSupport
import Testing

/// What scanners of TLS servers find.
@Suite struct ScannerTests {
    /// What a certificate of a development CA, for 45 days and without revocation, cannot have, and what is the origin's.
    private static let known: Set = [
        "cert_expirationStatus", "cert_notAfter", "cert_revocation", "HSTS", "security_headers",
    ]

    @Test(.extended)
    func `testssl.sh finds nothing above informational, but that the certificate is one for development`() throws {
        let shunt = try ServingShunt(["local": #"{"kind": "local", "routes": [{"mock": {}}]}"#])
        let result = try ChildProcess.run(
            "/usr/bin/env",
            [
                // What the machine's OpenSSL lacks is no finding about a server.
                "NO_ENGINE=true", "testssl", "--nodns", "none", "--quiet", "--color", "0", "--warnings", "off",
                "--severity", "LOW",
                "--jsonfile", "found.json",
                "--add-ca", "certs/ca.pem", "localhost:\(shunt.port)",
            ], directory: shunt.folder.path, seconds: 300)
        let found = try JSONReader.read(try shunt.folder.read("found.json")).array ?? []
        let names = found.compactMap { $0["id"]?.string }
        // The scan was made.
        #expect(names.contains("cert_revocation"), "\(result)")
        // A warning says that a check was not made: on a busy machine `openssl s_client`, whose input has ended, leaves
        // before the ticket of TLS 1.3 reaches it, and there is none to resume with.
        let others = found.filter { $0["severity"]?.string != "WARN" }.compactMap { $0["id"]?.string }
            .filter { !Self.known.contains($0) }
        #expect(others.isEmpty, "\(others)")
        try shunt.stop()
    }

    @Test func `sslscan finds TLS 1.2 and 1.3 alone, and no cipher suite without forward secrecy`() throws {
        let shunt = try ServingShunt(["local": #"{"kind": "local", "routes": [{"mock": {}}]}"#])
        let text = try ChildProcess.run(
            "/usr/bin/env", ["sslscan", "--no-colour", "localhost:\(shunt.port)"], seconds: 120
        ).output
        for version in ["SSLv2     ", "SSLv3     ", "TLSv1.0   ", "TLSv1.1   "] {
            #expect(text.contains("\n\(version)disabled\n"), "\(text)")
        }
        let suites = text.split(separator: "\n").filter { $0.hasPrefix("Preferred") || $0.hasPrefix("Accepted") }
        #expect(suites.count == 6, "\(text)")
        for suite in suites { #expect(suite.contains("TLSv1.3") || suite.contains(" ECDHE-ECDSA-"), "\(suite)") }
        #expect(text.contains("Session renegotiation not supported"), "\(text)")
        try shunt.stop()
    }
}
