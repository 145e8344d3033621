import TLS
import Testing

/// Chains as `openssl` makes them by hand: what browsers forgive passes with a note, unless the rule is strict.
@Suite struct StrictChainTests {
    private static let usage = "-addext keyUsage=critical,keyCertSign,cRLSign"
    private static let san = "subjectAltName=DNS:shop.test"
    private static let issuer = "authorityKeyIdentifier=keyid:always"

    /// What became of a handshake: OpenSSL's reason against the chain, or what was forgiven in it.
    private func outcome(_ folder: String, anchor: String, chain: String, isStrict: Bool) throws -> String {
        let identity = try Identity.load(certificateFile: "\(folder)/\(chain)", keyFile: "\(folder)/key.pem")
        let client = try ClientContext(policy: .standard(extraAuthorities: ["\(folder)/\(anchor)"]), isStrict: isStrict)
        let wired = try Wired(client, ServerContext(identities: .own(identity)))
        do {
            try wired.shakeHands()
            #expect(wired.client.session.verification.isTrusted)
            return wired.client.session.forgivenFaults.joined(separator: "; ")
        } catch let failure as TLSFailure {
            guard case .certificateRejected(_, let words, _) = failure.kind else { throw failure }
            return words
        }
    }

    @Test(
        arguments: [
            // More for the CA, lines of extensions of the leaf, OpenSSL's words, and whether it is forgiven.
            (usage, [san, issuer], "", true),
            (usage, [issuer], "hostname mismatch", false),
            ("", [san, issuer], "", true),
            (usage, [san, "authorityKeyIdentifier=none"], "Missing Authority Key Identifier", true),
            ("-addext basicConstraints=CA:TRUE " + usage, [san, issuer], "", true),
            ("-addext subjectKeyIdentifier=none " + usage, [san], "Missing Authority Key Identifier", true),
            ("-addext basicConstraints=critical,CA:FALSE", [san, issuer], "invalid CA certificate", false),
            (
                usage, [san, issuer, "keyUsage=digitalSignature,keyCertSign", "basicConstraints=CA:FALSE"],
                "Key usage keyCertSign invalid for non-CA cert", true
            ),
            (
                usage, [san, "authorityKeyIdentifier=critical,keyid:always"],
                "unhandled critical extension", false
            ),
        ] as [(String, [String], String, Bool)], [true, false])
    func `a chain has to be whole in form below its anchor if the rule is strict, and a common name is no host name`(
        row: (authority: String, leaf: [String], reason: String, isForgiven: Bool), isStrict: Bool
    ) throws {
        let scratch = try Scratch()
        let path = scratch.path
        _ = try scratch.file("ext", row.leaf.joined(separator: "\n") + "\n")
        let basics = row.authority.contains("basicConstraints") ? "" : "-addext basicConstraints=critical,CA:TRUE"
        let new = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config /dev/null"
        try #require(
            run(
                """
                cd \(path) && openssl req -x509 \(new) -keyout ca.key -out ca.pem -subj /CN=ca -days 2 \(basics) \
                \(row.authority) && openssl req \(new) -keyout key.pem -out req.pem -subj /CN=shop.test && openssl x509 \
                -req -in req.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext -out leaf.pem
                """) != nil)
        let isForgiven = row.isForgiven && !isStrict && !row.reason.isEmpty
        #expect(
            try outcome(path, anchor: "ca.pem", chain: "leaf.pem", isStrict: isStrict)
                == (isForgiven ? "CN=shop.test: " : "") + row.reason)
    }

    @Test(
        arguments: [
            // Lines of extensions of the intermediate, OpenSSL's words, and whether it is forgiven.
            (["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign", issuer], "", true),
            (["basicConstraints=critical,CA:TRUE", issuer], "CA cert does not include key usage extension", true),
            (
                ["basicConstraints=CA:TRUE", "keyUsage=critical,keyCertSign", issuer],
                "Basic Constraints of CA cert not marked critical", true
            ),
            (
                ["basicConstraints=critical,CA:TRUE,pathlen:0", issuer],
                "Path length given without key usage keyCertSign", true
            ),
            (["basicConstraints=critical,CA:FALSE", issuer], "invalid CA certificate", false),
            (
                ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,cRLSign", issuer], "invalid CA certificate",
                false
            ),
            ([issuer], "invalid CA certificate", false),
        ] as [([String], String, Bool)],
        [(isAnchor: true, isStrict: true), (isAnchor: false, isStrict: true), (isAnchor: false, isStrict: false)])
    func `an intermediate has to be whole in form if the rule is strict, unless it is what is trusted`(
        middle: (extensions: [String], reason: String, isForgiven: Bool), how: (isAnchor: Bool, isStrict: Bool)
    ) throws {
        let scratch = try Scratch()
        let path = scratch.path
        _ = try scratch.file("middle", middle.extensions.joined(separator: "\n") + "\nsubjectKeyIdentifier=hash\n")
        _ = try scratch.file("leaf", "\(Self.san)\n\(Self.issuer)\n")
        let new = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config /dev/null"
        try #require(
            run(
                """
                cd \(path) && openssl req -x509 \(new) -keyout ca.key -out ca.pem -subj /CN=ca -days 2 \
                -addext basicConstraints=critical,CA:TRUE \(Self.usage) && openssl req \(new) -keyout mid.key \
                -out mid.req -subj /CN=mid && openssl x509 -req -in mid.req -CA ca.pem -CAkey ca.key -CAcreateserial \
                -days 2 -extfile middle -out mid.pem && openssl req \(new) -keyout key.pem -out req.pem \
                -subj /CN=shop.test && openssl x509 -req -in req.pem -CA mid.pem -CAkey mid.key -CAcreateserial \
                -days 2 -extfile leaf -out leaf.pem && cat leaf.pem mid.pem > chain.pem
                """) != nil)
        let seen = try outcome(
            path, anchor: how.isAnchor ? "mid.pem" : "ca.pem", chain: "chain.pem", isStrict: how.isStrict)
        if middle.isForgiven, how.isAnchor { return #expect(seen == "") }
        let told = seen.split(separator: "; ").first.map(String.init) ?? ""
        let isForgiven = middle.isForgiven && !how.isStrict && !middle.reason.isEmpty
        #expect(told == (isForgiven ? "CN=mid: " : "") + middle.reason)
    }

    @Test func `what was forgiven is told of resumed connections too`() throws {
        let authority = try TestAuthority(middle: ["basicConstraints=CA:TRUE", TestAuthority.usage])
        try authority.sign("good")
        let server = try authority.server("good")
        let client = try ClientContext(policy: .standard(extraAuthorities: [authority.file("root.pem")]))
        let store = ResumptionStore()
        for isResumed in [false, true] {
            let wired = try Wired(client, server, store: store)
            try wired.shakeHands()
            _ = try wired.server.write("hello")
            _ = try wired.client.readText()
            #expect(wired.client.session.wasResumed == isResumed)
            #expect(
                wired.client.session.forgivenFaults == ["CN=mid: Basic Constraints of CA cert not marked critical"])
        }
    }
}
