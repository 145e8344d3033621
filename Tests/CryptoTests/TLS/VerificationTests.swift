import COpenSSL
import TLS
import Testing

@Suite struct VerificationTests {
    let scratch: Scratch
    let authority: DevelopmentCA
    let client: ClientContext
    let trusting: ClientContext

    init() throws {
        scratch = try Scratch()
        authority = try .ephemeral()
        client = try ClientContext(policy: .standard(extraAuthorities: []))
        let file = try scratch.file("ca.pem", authority.certificatePEM)
        trusting = try ClientContext(policy: .standard(extraAuthorities: [file]))
    }

    enum Certificate: Sendable {
        case minted(String)
        case expired(String)
        case selfSigned(String)
    }

    private func identity(_ certificate: Certificate) throws -> Identity {
        switch certificate {
        case .minted(let host): try authority.mint(host: host)
        case .expired(let host): try authority.mint(host: host, daysAgo: 60)
        case .selfSigned(let host): try .selfSigned(host: host)
        }
    }

    @Test(
        arguments: [
            // certificate, host asked for, authority trusted, OpenSSL's words or nil for acceptance
            (.minted("shop.test"), "shop.test", true, nil),
            (.minted("shop.test"), "SHOP.test.", true, nil),
            (.minted("127.0.0.1"), "127.0.0.1", true, nil),
            (.minted("::1"), "[::1]", true, nil),
            (.minted("fe80::1"), "fe80::1%eth0", true, nil),
            (.minted("my_service"), "my_service", true, nil),
            (.minted("shop.test"), "other.test", true, "hostname mismatch"),
            (.minted("shop.test"), "a.shop.test", true, "hostname mismatch"),
            (.minted("127.0.0.1"), "127.0.0.2", true, "IP address mismatch"),
            (.minted("shop.test"), "127.0.0.1", true, "IP address mismatch"),
            (.expired("shop.test"), "shop.test", true, "certificate has expired"),
            (.selfSigned("shop.test"), "shop.test", true, "self-signed certificate"),
            (.minted("shop.test"), "shop.test", false, "unable to get local issuer certificate"),
            (.selfSigned("shop.test"), "shop.test", false, "self-signed certificate"),
        ] as [(Certificate, String, Bool, String?)])
    func `an origin's certificate is judged by chain, name and date`(
        certificate: Certificate, host: String, isTrusted: Bool, reason: String?
    ) throws {
        let own = try identity(certificate)
        let server = try ServerContext(identities: .own(own))
        for newest in ProtocolVersion.allCases {
            let server = newest == .tls13 ? server : try ServerContext(identities: .own(own), newest: newest)
            let wired = try Wired(isTrusted ? trusting : client, server, host: host)
            guard let reason else {
                try wired.shakeHands()
                #expect(wired.client.session.verification.isTrusted)
                continue
            }
            let failure = #expect(throws: TLSFailure.self) { try wired.shakeHands() }
            guard case .certificateRejected(let rejection, let words, let chain) = failure?.kind else {
                Issue.record("\(String(describing: failure))")
                continue
            }
            #expect(rejection == (reason.contains("mismatch") ? .name : .chain))
            #expect(words == reason)
            #expect(failure?.message.contains(reason) == true)
            #expect(chain == [own.summary])
        }
    }

    @Test(
        arguments: [
            (.selfSigned("shop.test"), "self-signed certificate"), (.expired("shop.test"), "certificate has expired"),
            (.minted("other.test"), "hostname mismatch"), (.minted("shop.test"), "ok"),
        ] as [(Certificate, String)])
    func `without verification everything is accepted and the judgement still known`(
        certificate: Certificate, reason: String
    ) throws {
        // The authority is known here, so that expiry and name are what is left to find.
        let lenient = try ClientContext(
            policy: .none, knownAuthorities: [scratch.path + "/ca.pem"])
        let own = try identity(certificate)
        let wired = try Wired(lenient, ServerContext(identities: .own(own)))
        try wired.shakeHands()
        let seen = wired.client.session.verification
        #expect(seen.reason == reason)
        #expect(seen.isTrusted == (reason == "ok"))
        #expect(seen.chain == [own.summary])
    }

    @Test func `an origin's own certificate can be named as the one to trust`() throws {
        let own = try Identity.selfSigned(host: "shop.test")
        let file = try scratch.file("own.pem", own.certificatePEM)
        let pinned = try ClientContext(policy: .standard(extraAuthorities: [file]))
        try Wired(pinned, ServerContext(identities: .own(own))).shakeHands()
        let leaf = try authority.mint(host: "shop.test")
        let leafFile = try scratch.file("leaf.pem", leaf.certificatePEM)
        let pinnedLeaf = try ClientContext(policy: .standard(extraAuthorities: [leafFile]))
        try Wired(pinnedLeaf, ServerContext(identities: .own(leaf))).shakeHands()
    }

    /// What a server tells of a client that leaves: with OpenSSL's alert for a result of its verification, or without
    /// a word after or before it has seen the certificate.
    @Test(
        arguments: [
            (X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, "“unknown CA”: does it trust the development CA?"),
            (X509_V_ERR_CERT_REJECTED, "“bad certificate”: does it trust the development CA?"),
            (X509_V_ERR_EXCLUDED_VIOLATION, "“certificate unknown”: does it trust the development CA?"),
            (X509_V_ERR_CERT_HAS_EXPIRED, "“certificate expired” ("),
            (-1, ": does it trust the development CA?"),
            (-2, "closed the connection during the TLS handshake"),
        ] as [(CInt, String)], [TLS1_2_VERSION, TLS1_3_VERSION])
    func `a server asks whether the client trusts the CA, whatever it left with`(
        client: (result: CInt, message: String), version: CInt
    ) throws {
        let sockets = Sockets()
        let server = try End(sockets.right) {
            try Session(server: ServerContext(identities: .development(authority)), readiness: $0)
        }
        let context = try #require(SSL_CTX_new(TLS_client_method()))
        defer { SSL_CTX_free(context) }
        _ = shunt_SSL_CTX_set_max_proto_version(context, version)
        var result = client.result
        let failure = try withUnsafeMutablePointer(to: &result) { result -> TLSFailure? in
            SSL_CTX_set_cert_verify_callback(
                context,
                { context, result in
                    X509_STORE_CTX_set_error(context, result?.load(as: CInt.self) ?? 0)
                    return 0
                }, result)
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
            let ssl = try #require(SSL_new(context))
            defer { SSL_free(ssl) }
            SSL_set_fd(ssl, sockets.left)
            _ = shunt_SSL_set_servername(ssl, "shop.test")
            if client.result != -2 { SSL_connect(ssl) }
            for round in 0..<10 {
                server.wake()
                do throws(TLSFailure) { _ = try server.session.handshake() } catch { return error }
                if client.result < 0 { sockets.closeLeft() } else if round < 5 { SSL_connect(ssl) }
            }
            return nil
        }
        let message = try #require(failure).message
        #expect(
            client.result == -2 ? message.hasSuffix(client.message) : message.contains(client.message), "\(message)")
    }

    @Test func `a client shows its own certificate where it has one`() throws {
        let identity = try Identity.selfSigned(host: "device.test")
        let showing = try ClientContext(policy: .none, identity: identity)
        try Wired(showing, ServerContext(identities: .development(authority))).shakeHands()
    }

    @Test func `a file without an authority is refused by name`() throws {
        let file = try scratch.file("empty.pem", "nothing")
        let failure = #expect(throws: TLSFailure.self) {
            _ = try ClientContext(policy: .standard(extraAuthorities: [file]))
        }
        #expect(failure?.message.contains(file) == true)
    }
}
