import Foundation
import JSON
import TestSupport
import Testing

/// Revocation as real responders and lists tell it.
@Suite struct RevocationTests {
    private struct Case {
        let server: String
        let options: String?
        /// What the response has, a status and a part of the decision in the log, or of the message.
        let status: Int
        let part: String
    }

    private static let cases = [
        Case(server: "good", options: "'any'", status: 200, part: "verified"),
        Case(server: "good", options: "'ocsp', 'requirePositiveResponse'", status: 200, part: "verified"),
        Case(server: "revoked", options: "'any'", status: 502, part: "certificate revoked (CN=revoked on 2026-01-01"),
        Case(server: "revoked", options: nil, status: 200, part: "verified"),
        // What is cached needs no network.
        Case(server: "revoked", options: "'networkAccessDisabled'", status: 502, part: "certificate revoked"),
        Case(server: "revoked", options: "'crl'", status: 200, part: "names neither a responder nor a list"),
        Case(server: "unknown", options: "'any'", status: 200, part: "the responder does not know the certificate"),
        Case(
            server: "unknown", options: "'any', 'requirePositiveResponse'", status: 502,
            part: "revocation could not be checked"),
        Case(server: "wrongSigner", options: "'any'", status: 200, part: "is not signed by the issuer"),
        Case(
            server: "wrongSigner", options: "'requirePositiveResponse'", status: 502,
            part: "is not signed by the issuer"
        ),
        Case(server: "delegated", options: "'requirePositiveResponse'", status: 200, part: "verified"),
        Case(server: "down", options: "'any'", status: 200, part: "the connection was refused"),
        Case(server: "down", options: "'requirePositiveResponse'", status: 502, part: "the connection was refused"),
        Case(server: "down", options: "'networkAccessDisabled'", status: 200, part: "networkAccessDisabled is set"),
        Case(server: "redirect", options: "'requirePositiveResponse'", status: 502, part: "it responded with 302"),
        Case(server: "none", options: "'any'", status: 200, part: "names neither a responder nor a list"),
        Case(server: "listed", options: "'requirePositiveResponse'", status: 200, part: "verified"),
        Case(server: "listed", options: "'ocsp'", status: 200, part: "names neither a responder nor a list"),
        Case(server: "delisted", options: "'any'", status: 502, part: "certificate revoked (CN=delisted on 2026-01-01"),
        // OCSP says good and the list revoked: which one counts is a matter of preference.
        Case(server: "both", options: "'preferCRL'", status: 502, part: "certificate revoked"),
        Case(server: "stapled", options: "'requirePositiveResponse'", status: 200, part: "verified"),
        Case(server: "staple", options: "'any'", status: 502, part: "certificate revoked"),
        Case(server: "agedStaple", options: "'any'", status: 200, part: "in the handshake: the response of 2020-"),
        Case(server: "agedStaple", options: "'requirePositiveResponse'", status: 502, part: "has expired"),
        Case(server: "aged", options: "'any'", status: 200, part: "the response of 2020-"),
        Case(server: "aged", options: "'requirePositiveResponse'", status: 502, part: "has expired"),
        // RFC 7633: what others say does not count, good or not.
        Case(server: "mustStaple", options: nil, status: 200, part: "verified"),
        Case(server: "mustStaple", options: "'any'", status: 502, part: "demands one: the origin has sent none"),
        Case(server: "mustStaple", options: "'crl'", status: 200, part: "names neither a responder nor a list"),
        Case(server: "mustStapleGood", options: "'any'", status: 200, part: "verified"),
        Case(server: "mustStapleAged", options: "'any'", status: 502, part: "demands one: the response of 2020-"),
        Case(server: "below", options: "'any'", status: 502, part: "certificate revoked (CN=middle"),
    ]

    /// A server for each kind of certificate.
    private func start() throws -> TrustedOrigins {
        let origins = try TrustedOrigins()
        let (live, wrong, delegated, plain) = (FreePort.find(), FreePort.find(), FreePort.find(), FreePort.find())
        func responder(_ port: UInt16) -> String { "authorityInfoAccess=OCSP;URI:http://127.0.0.1:\(port)/" }
        let list = "crlDistributionPoints=URI:http://127.0.0.1:\(plain)/list.crl"
        let down = responder(ScriptedOrigin.closedPort())
        let ca = ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign", list]
        let moved = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send(
                "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:\(live)/\r\nContent-Length: 0\r\n\r\n")
        }
        let file = URL(fileURLWithPath: origins.file("aged.der"))
        let aged = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            let bytes = try Data(contentsOf: file)
            try connection.send(
                Array("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\nConnection: close\r\n\r\n".utf8) + bytes)
        }
        func stapling(_ name: String) -> String { "ssl_stapling on; ssl_stapling_file \(origins.file(name + ".der"));" }
        let feature = "tlsfeature=status_request"
        let servers: [TrustedOrigins.Server] = [
            .init(name: "agedStaple", serial: 1, extensions: [down], config: stapling("agedStaple")),
            .init(name: "aged", serial: 1, extensions: [responder(aged.port)]),
            .init(name: "mustStaple", serial: 1, extensions: [responder(live), feature]),
            .init(name: "mustStapleGood", serial: 1, extensions: [down, feature], config: stapling("mustStapleGood")),
            .init(
                name: "mustStapleAged", serial: 1, extensions: [responder(live), feature],
                config: stapling("mustStapleAged")),
            .init(name: "good", serial: 1, extensions: [responder(live)]),
            .init(name: "revoked", serial: 2, extensions: [responder(live)]),
            .init(name: "unknown", serial: 3, extensions: [responder(live)]),
            .init(name: "wrongSigner", serial: 1, extensions: [responder(wrong)]),
            .init(name: "delegated", serial: 1, extensions: [responder(delegated)]),
            .init(name: "down", serial: 1, extensions: [down]),
            .init(name: "redirect", serial: 1, extensions: [responder(moved.port)]),
            .init(name: "none", serial: 1),
            .init(name: "listed", serial: 1, extensions: [list]),
            .init(name: "delisted", serial: 2, extensions: [list]),
            .init(name: "both", serial: 5, extensions: [responder(live), list]),
            .init(
                name: "stapled", serial: 1, extensions: [down],
                config: "ssl_stapling on; ssl_stapling_file \(origins.file("stapled.der"));"),
            .init(
                name: "staple", serial: 2, extensions: [down],
                config: "ssl_stapling on; ssl_stapling_file \(origins.file("staple.der"));"),
            .init(name: "below", serial: 1, issuer: "middle"),
        ]
        try origins.sign(.init(name: "middle", serial: 4, extensions: ca))
        try origins.sign(
            .init(name: "signer", serial: 6, extensions: ["extendedKeyUsage=OCSPSigning", "keyUsage=digitalSignature"]))
        for server in servers { try origins.sign(server) }
        // The list first, then the responders with one serial more that is good.
        try origins.writeIndex(good: [1], revoked: [2, 4, 5])
        for name in ["stapled", "staple", "agedStaple", "aged", "mustStapleGood", "mustStapleAged"] {
            try origins.shell(
                """
                openssl ocsp -index index.txt -CA ca.pem -rsigner ca.pem -rkey ca.key -issuer ca.pem -cert \(name).pem \
                -ndays 1 -respout \(name).der -noverify
                """)
        }
        for name in ["agedStaple", "aged", "mustStapleAged"] { try origins.age(name) }
        let revokedList = try origins.folder.read("list.pem")
        try origins.writeIndex(good: [1, 5], revoked: [2, 4])
        try origins.folder.write("list.pem", revokedList)
        try origins.shell("openssl crl -in list.pem -outform DER -out list.crl")
        try origins.startResponder(signer: "ca", port: live)
        try origins.startResponder(signer: "stranger", port: wrong)
        try origins.startResponder(signer: "signer", port: delegated)
        try origins.start(servers, plainPort: plain)
        return origins
    }

    @Test func `line 5: revocation is asked of the handshake, responders and lists, and fails softly unless required`()
        throws
    {
        let origins = try start()
        let hosts = Self.cases.indices.map { at in
            "v\(Self.cases[..<at].filter { $0.server == Self.cases[at].server }.count).localhost"
        }
        let routes = zip(Self.cases, hosts).enumerated().map { at, item in
            #"{"path": "/\#(at)", "origin": "\#(origins.url(item.0.server, host: item.1))"}"#
        }
        let rules = zip(Self.cases, hosts).map { item, host in
            let policy = item.options.map { "{policy: 'revocation', options: [\($0)]}" } ?? "'default'"
            return "'\(host):\(origins.ports[item.server] ?? 0)': \(policy)"
        }
        let shunt = try ServingShunt(
            [
                "local": """
                {kind: 'local', certificateAuthorities: ['\(origins.file("ca.pem"))'],
                 routes: [\(routes.joined(separator: ","))], trust: {\(rules.joined(separator: ",\n"))}}
                """
            ], ["--log", "json"])
        var bodies: [String] = []
        for at in Self.cases.indices {
            bodies.append(
                try shunt.curl("-w", "%{http_code}", "http://localhost:\(shunt.port)/\(at)").output)
        }
        let lines = try shunt.stop().errors.split(separator: "\n")
            .map { try JSONReader.read(String($0), dialect: .strict) }.filter { $0["url"] != nil }
        try #require(lines.count == Self.cases.count)
        for (at, item) in Self.cases.enumerated() {
            let decision = lines[at]["origin"]?["trust_decision"]?.string
            let told = decision ?? bodies[at]
            #expect(bodies[at].hasSuffix("\(item.status)"), "\(item): \(bodies[at])")
            #expect(told.contains(item.part), "\(item): \(told)")
            if item.part == "verified" { #expect(decision == "verified", "\(item): \(told)") }
        }
    }
}
