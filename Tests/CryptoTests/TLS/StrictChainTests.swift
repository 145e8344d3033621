import TLS
import Testing

/// Chains as `openssl` makes them by hand, judged by what RFC 5280 asks.
@Suite struct StrictChainTests {
    private static let usage = "-addext keyUsage=critical,keyCertSign,cRLSign"
    private static let san = "subjectAltName=DNS:shop.test"
    private static let issuer = "authorityKeyIdentifier=keyid:always"

    @Test(
        arguments: [
            // More for the CA, lines of extensions of the leaf, OpenSSL's words or nil for acceptance.
            (usage, [san, issuer], nil),
            (usage, [issuer], "hostname mismatch"),
            ("", [san, issuer], nil),
            (usage, [san, "authorityKeyIdentifier=none"], "Missing Authority Key Identifier"),
            (
                "-addext basicConstraints=CA:TRUE " + usage, [san, issuer], nil
            ),
            ("-addext subjectKeyIdentifier=none " + usage, [san], "Missing Authority Key Identifier"),
            ("-addext basicConstraints=critical,CA:FALSE", [san, issuer], "invalid CA certificate"),
        ] as [(String, [String], String?)])
    func `a chain has to be whole in form below its anchor, and a common name is no host name`(
        authority: String, leaf: [String], reason: String?
    ) throws {
        let scratch = try Scratch()
        let path = scratch.path
        _ = try scratch.file("ext", leaf.joined(separator: "\n") + "\n")
        let basics = authority.contains("basicConstraints") ? "" : "-addext basicConstraints=critical,CA:TRUE"
        let new = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config /dev/null"
        try #require(
            run(
                """
                cd \(path) && openssl req -x509 \(new) -keyout ca.key -out ca.pem -subj /CN=ca -days 2 \(basics) \
                \(authority) && openssl req \(new) -keyout key.pem -out req.pem -subj /CN=shop.test && openssl x509 \
                -req -in req.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext -out leaf.pem
                """) != nil)
        let identity = try Identity.load(certificateFile: path + "/leaf.pem", keyFile: path + "/key.pem")
        let trusting = try ClientContext(policy: .standard(extraAuthorities: [path + "/ca.pem"]))
        let wired = try Wired(trusting, ServerContext(identities: .own(identity)))
        guard let reason else { return try wired.shakeHands() }
        let failure = #expect(throws: TLSFailure.self) { try wired.shakeHands() }
        guard case .certificateRejected(_, let words, _) = failure?.kind else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(words == reason)
    }

    @Test(
        arguments: [
            // Lines of extensions of the intermediate, and OpenSSL's words or nil for acceptance.
            (["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign", issuer], nil),
            (["basicConstraints=critical,CA:TRUE", issuer], "CA cert does not include key usage extension"),
            (
                ["basicConstraints=CA:TRUE", "keyUsage=critical,keyCertSign", issuer],
                "Basic Constraints of CA cert not marked critical"
            ),
            (["basicConstraints=critical,CA:FALSE", issuer], "invalid CA certificate"),
        ] as [([String], String?)], [true, false])
    func `an intermediate has to be whole in form, unless it is what is trusted`(
        middle: (extensions: [String], reason: String?), isAnchor: Bool
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
        let identity = try Identity.load(certificateFile: path + "/chain.pem", keyFile: path + "/key.pem")
        let anchor = path + (isAnchor ? "/mid.pem" : "/ca.pem")
        let wired = try Wired(
            ClientContext(policy: .standard(extraAuthorities: [anchor])), ServerContext(identities: .own(identity)))
        let isForm = middle.reason.map { !$0.hasPrefix("invalid") } ?? true
        guard let reason = middle.reason, !(isAnchor && isForm) else { return try wired.shakeHands() }
        let failure = #expect(throws: TLSFailure.self) { try wired.shakeHands() }
        guard case .certificateRejected(_, let words, _) = failure?.kind else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(words == reason)
    }
}
