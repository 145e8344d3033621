import TLS
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Odd chains, judged as RFC 5280, 6125 and 9525 have it; what every browser accepts must pass.
@Suite struct OddChainTests {
    private struct Odd {
        let name: String
        var extensions = TestAuthority.leaf
        var key: String?
        var options = "-days 2"
        var issuer = "mid"
        var host = "shop.test"
        /// OpenSSL's words, or nil for acceptance.
        var reason: String?
    }

    private static func san(_ names: String, _ more: String...) -> [String] {
        ["subjectAltName=\(names)", "authorityKeyIdentifier=keyid:always"] + more
    }

    private static let purpose = "unsuitable certificate purpose"
    private static let rows = [
        Odd(name: "plain"),
        Odd(name: "expired", options: "-days -1", reason: "certificate has expired"),
        Odd(name: "future", options: "future", reason: "certificate is not yet valid"),
        Odd(name: "sha1", options: "-days 2 -sha1", reason: "CA signature digest algorithm too weak"),
        Odd(
            name: "short", key: "-newkey rsa:1024 -nodes -config /dev/null", reason: "EE certificate key too weak"),
        Odd(name: "rsa2048", key: "-newkey rsa:2048 -nodes -config /dev/null"),
        Odd(name: "ed25519", key: "-newkey ed25519 -nodes -config /dev/null"),
        Odd(name: "clientOnly", extensions: san("DNS:shop.test", "extendedKeyUsage=clientAuth"), reason: purpose),
        Odd(name: "serverToo", extensions: san("DNS:shop.test", "extendedKeyUsage=clientAuth,serverAuth")),
        Odd(
            name: "noUsage", extensions: san("DNS:shop.test", "keyUsage=critical,keyCertSign"),
            reason: purpose),
        Odd(
            name: "unknown", extensions: san("DNS:shop.test", "1.2.3.4.5=critical,ASN1:NULL"),
            reason: "unhandled critical extension"),
        Odd(name: "harmless", extensions: san("DNS:shop.test", "1.2.3.4.5=ASN1:NULL")),
        // Authorities that may not sign it.
        Odd(name: "byLeaf", issuer: "leafCA", reason: "invalid CA certificate"),
        Odd(name: "tooDeep", issuer: "below", reason: "path length constraint exceeded"),
        Odd(name: "byClientCA", issuer: "clientCA", reason: purpose),
        Odd(name: "outside", issuer: "onlyOther", reason: "permitted subtree violation"),
        Odd(name: "excluded", issuer: "notShop", reason: "excluded subtree violation"),
        Odd(name: "inside", issuer: "onlyShop"),
        Odd(
            name: "wildExcluded", extensions: san("DNS:*.shop.test"), issuer: "notA", host: "a.shop.test",
            reason: "excluded subtree violation"),
        Odd(name: "wildBeside", extensions: san("DNS:*.shop.test"), issuer: "notA", host: "b.shop.test"),
        Odd(name: "wildLike", extensions: san("DNS:*.shop.test"), issuer: "notA", host: "ba.shop.test"),
        Odd(name: "byLooseCA", issuer: "looseCA"),
        Odd(name: "byWeakCA", issuer: "weakCA", reason: "CA certificate key too weak"),
        // Names.
        Odd(name: "cnOnly", extensions: ["authorityKeyIdentifier=keyid:always"], reason: "hostname mismatch"),
        Odd(name: "ip", extensions: san("IP:127.0.0.1"), host: "127.0.0.1"),
        Odd(name: "ip6", extensions: san("IP:::1"), host: "[::1]"),
        Odd(name: "ipAsName", extensions: san("DNS:127.0.0.1"), host: "127.0.0.1", reason: "IP address mismatch"),
        Odd(name: "idna", extensions: san("DNS:xn--bcher-kva.test"), host: "xn--bcher-kva.test"),
        Odd(name: "wild", extensions: san("DNS:*.shop.test"), host: "a.shop.test"),
        Odd(name: "wildBare", extensions: san("DNS:*.shop.test"), reason: "hostname mismatch"),
        Odd(name: "wildDeep", extensions: san("DNS:*.shop.test"), host: "a.b.shop.test", reason: "hostname mismatch"),
        Odd(name: "wildTop", extensions: san("DNS:*.test"), reason: "hostname mismatch"),
        Odd(name: "wildAll", extensions: san("DNS:*"), reason: "hostname mismatch"),
        Odd(name: "wildPart", extensions: san("DNS:f*.shop.test"), host: "foo.shop.test", reason: "hostname mismatch"),
        Odd(name: "wildMiddle", extensions: san("DNS:a.*.test"), host: "a.shop.test", reason: "hostname mismatch"),
        Odd(
            name: "wildTwice", extensions: san("DNS:*.*.shop.test"), host: "a.b.shop.test", reason: "hostname mismatch"),
        Odd(name: "wildIP", extensions: san("DNS:*.0.0.1"), host: "127.0.0.1", reason: "IP address mismatch"),
    ]

    /// Shunt itself shows no certificate that has expired or is weak, but `openssl` does.
    private func refusals(_ clients: [ClientContext], _ authority: TestAuthority, _ odd: Odd) throws -> Set<String?> {
        let server = try ChildProcess(
            "/usr/bin/env",
            [
                "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", "\(odd.name).pem", "-key", "\(odd.name).key",
                "-cert_chain", "\(odd.name)-chain.pem", "-cipher", "DEFAULT:@SECLEVEL=0", "-naccept",
                "\(clients.count)", "-www",
            ], directory: authority.path)
        var port: UInt16?
        try #require(
            eventually {
                let line = server.output.split(separator: "\n").first { $0.hasPrefix("ACCEPT") }
                port = line?.split(separator: ":").last.flatMap { UInt16($0) }
                return port != nil
            }, "\(odd.name): \(server.errors)")
        return try Set(clients.map { try refusal($0, port ?? 0, odd.host) })
    }

    private func refusal(_ client: ClientContext, _ port: UInt16, _ host: String) throws -> String? {
        let connection = try RawConnection.connect(port)
        defer { connection.close() }
        let descriptor = connection.descriptor
        try #require(fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0)
        let end = try End(descriptor) {
            try Session(client: client, readiness: $0, host: host, resumption: nil)
        }
        do {
            while true {
                end.wake()
                if try end.session.handshake() == .bytes(0) { return nil }
                var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                try #require(poll(&wanted, 1, 60_000) == 1)
            }
        } catch let failure as TLSFailure {
            guard case .certificateRejected(_, let reason, _) = failure.kind else { throw failure }
            return reason
        }
    }

    @Test func `odd chains are judged by the standards`() throws {
        let authority = try TestAuthority()
        let ca = ["basicConstraints=critical,CA:TRUE", TestAuthority.usage, "subjectKeyIdentifier=hash"]
        let by = ["authorityKeyIdentifier=keyid:always"]
        try authority.sign(
            "leafCA", by: "root", ["basicConstraints=critical,CA:FALSE", "subjectKeyIdentifier=hash"] + by)
        try authority.sign(
            "flat", by: "root",
            ["basicConstraints=critical,CA:TRUE,pathlen:0", TestAuthority.usage, "subjectKeyIdentifier=hash"] + by)
        try authority.sign("below", by: "flat", ca + by)
        try authority.shell("cat below.pem flat.pem > both.pem && cp both.pem below.pem")
        try authority.sign("clientCA", by: "root", ca + by + ["extendedKeyUsage=clientAuth"])
        for (name, rule) in [
            ("onlyOther", "permitted;DNS:other.test"), ("notShop", "excluded;DNS:shop.test"),
            ("onlyShop", "permitted;DNS:shop.test"), ("notA", "excluded;DNS:A.shop.test"),
        ] {
            try authority.sign(name, by: "root", ca + by + ["nameConstraints=critical,\(rule)"])
        }
        try authority.sign(
            "looseCA", by: "root", ["basicConstraints=CA:TRUE", TestAuthority.usage, "subjectKeyIdentifier=hash"] + by)
        try authority.sign("weakCA", by: "root", ca + by, key: "-newkey rsa:1024 -nodes -config /dev/null")
        let plain = try ClientContext(policy: .standard(extraAuthorities: [authority.file("root.pem")]))
        let evaluated = try ClientContext(
            policy: .evaluated([ChainRequirement(anchors: .system(extra: [authority.file("root.pem")]))]))
        for odd in Self.rows {
            if odd.options == "future" {
                try authority.signForLater(odd.name, odd.extensions)
            } else if let key = odd.key {
                try authority.sign(odd.name, by: odd.issuer, odd.extensions, key: key, options: odd.options)
            } else {
                try authority.sign(odd.name, by: odd.issuer, odd.extensions, options: odd.options)
            }
            let seen = try refusals([plain, evaluated], authority, odd)
            #expect(seen == [odd.reason], "\(odd.name)")
            // What OpenSSL refuses is never accepted.
            let host = odd.host.filter { $0 != "[" && $0 != "]" }
            let isAddress = host.contains(":") || host.allSatisfy { $0 == "." || $0.isNumber }
            let isRefused =
                run(
                    """
                    cd \(authority.path) && openssl verify -auth_level 2 -purpose sslserver -CAfile root.pem \
                    -untrusted \(odd.name)-chain.pem -verify_\(isAddress ? "ip" : "hostname") \(host) \(odd.name).pem
                    """) == nil
            #expect(!isRefused || !seen.contains(nil), "\(odd.name)")
        }
    }

    @Test func `a missing intermediate is named, and an expired cross-signed root does not matter`() throws {
        let authority = try TestAuthority()
        try authority.sign("good")
        // The root's key, signed by an older root, in a certificate that has expired.
        try authority.selfSigned("old")
        try authority.shell(
            """
            openssl req -new -key root.key -subj /CN=root -config /dev/null -out cross.req && printf \
            'basicConstraints=critical,CA:TRUE\\n\(TestAuthority.usage)\\nsubjectKeyIdentifier=hash\\n' > cross.ext && \
            openssl x509 -req -in cross.req -CA old.pem -CAkey old.key -set_serial 7 -days -1 -extfile cross.ext \
            -out cross.pem && cat good.pem mid.pem cross.pem > good-chain.pem
            """)
        let system = ChainRequirement.Anchors.system(extra: [authority.file("root.pem")])
        #expect(try authority.refusal([ChainRequirement(anchors: system)], of: authority.server("good")) == nil)
        try authority.shell("cp good.pem good-chain.pem")
        #expect(
            try authority.refusal([ChainRequirement(anchors: system)], of: authority.server("good"))
                == "unable to get local issuer certificate")
    }
}
