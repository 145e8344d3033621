import COpenSSL

/// How an origin's certificate is judged.
public enum VerificationPolicy: Sendable, Hashable {
    /// Chain and host name, against the system's authorities and those in these PEM files.
    ///
    /// Each certificate in such a file is a trust anchor, an authority's or an origin's own.
    case standard(extraAuthorities: [String])
    /// By these requirements, of which there is at least one; all have to be met.
    case evaluated([ChainRequirement])
    /// Everything is accepted; ``Session/verification`` still tells what would have been wrong.
    case none
}

/// A version of TLS, by its number.
public enum TLSVersion: String, Sendable, Hashable, CaseIterable {
    case tls10 = "1.0"
    case tls11 = "1.1"
    case tls12 = "1.2"
    case tls13 = "1.3"

    var number: CInt {
        switch self {
        case .tls10: TLS1_VERSION
        case .tls11: TLS1_1_VERSION
        case .tls12: TLS1_2_VERSION
        case .tls13: TLS1_3_VERSION
        }
    }
}

/// The context of connections to origins under one policy.
///
/// Sendable because SSL_CTX is counted and locked inside OpenSSL and is not changed after `init`.
public final class ClientContext: @unchecked Sendable {
    let pointer: OpaquePointer
    public let policy: VerificationPolicy
    /// What revocation is checked by once a handshake is done; nil where it is not checked.
    public let revocation: RevocationOptions?
    /// The oldest version that is spoken.
    public let oldest: TLSVersion
    /// It has a certificate to show.
    let hasIdentity: Bool
    private let evaluator: ChainEvaluator?

    /// - Parameters:
    ///   - alpn: application protocols to offer; none for no offer.
    ///   - identity: the certificate to show to an origin that asks for one.
    ///   - oldest: the oldest version to speak.
    ///   - ciphers: the suites to offer, by OpenSSL's names, those of TLS 1.3 among them; none for the usual ones.
    ///   - isStrict: chains have to be whole in form below their anchor (RFC 5280), also where browsers forgive faults.
    ///   - knownAuthorities: more PEM files with authorities; `.none` judges by them too, without acting on it.
    public init(
        policy: VerificationPolicy, alpn: [String] = ["http/1.1"], identity: Identity? = nil,
        oldest: TLSVersion = .tls12, ciphers: [String] = [], isStrict: Bool = false, knownAuthorities: [String] = []
    ) throws(TLSFailure) {
        self.policy = policy
        self.oldest = oldest
        hasIdentity = identity != nil
        let protocols = try ContextSettings.encode(alpn: alpn)
        let evaluator: ChainEvaluator?
        switch policy {
        case .evaluated(let requirements):
            evaluator = try ChainEvaluator(requirements, isStrict: isStrict)
            revocation = requirements.compactMap(\.revocation).reduce(nil) { $0?.and($1) ?? $1 }
        // OpenSSL couples the protocol's strength with that of certificates: the evaluator keeps them apart.
        case .standard(let files) where oldest == .tls10 || oldest == .tls11:
            evaluator = try ChainEvaluator(
                [ChainRequirement(anchors: .system(extra: files + knownAuthorities))], isStrict: isStrict)
            revocation = nil
        case .standard, .none: (evaluator, revocation) = (nil, nil)
        }
        self.evaluator = evaluator
        // For older servers; the only cost is a longer hello.
        pointer = try ContextSettings.make(
            TLS_client_method(), extraSuites: ":HIGH:!aNULL:!eNULL:!PSK:!SRP:!aDSS:!CAMELLIA:!ARIA")
        // From here on `deinit` frees the pointer, also where this throws.
        try ContextSettings.limit(pointer, oldest, ciphers)
        if !protocols.isEmpty { SSL_CTX_set_alpn_protos(pointer, protocols, CUnsignedInt(protocols.count)) }
        if let identity { try identity.use(inContext: pointer) }
        shunt_SSL_CTX_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL))
        SSL_CTX_sess_set_new_cb(pointer) { ssl, session in
            guard let session else { return 0 }
            return Session.of(ssl)?.keep(session) == true ? 1 : 0
        }
        SSL_CTX_set_client_cert_cb(pointer) { ssl, _, _ in
            // OpenSSL asks only where the context has none.
            Session.of(ssl)?.lacksCertificate = true
            return 0
        }
        Session.followRenegotiations(in: pointer)
        // Where renegotiation is not secure, there is none: OpenSSL and this proxy decline it.
        if !isStrict { SSL_CTX_set_options(pointer, SHUNT_OP_LEGACY_SERVER_CONNECT) }
        // Finds what RFC 5280 requires of extensions, much of which OpenSSL does not check otherwise.
        X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(pointer), UInt(X509_V_FLAG_X509_STRICT))
        let callback = VerifyCallback.judging(isStrict: isStrict)
        if let evaluator {
            SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, callback)
            evaluator.use(in: pointer)
            return
        }
        switch policy {
        case .none, .evaluated:
            // OpenSSL still verifies, for `SSL_get_verify_result`, against the same roots.
            SSL_CTX_set_verify(pointer, SSL_VERIFY_NONE, callback)
            try SystemAuthorities.use(in: pointer, extra: knownAuthorities)
        case .standard(let files):
            SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, callback)
            try SystemAuthorities.use(in: pointer, extra: files + knownAuthorities)
        }
    }

    deinit { SSL_CTX_free(pointer) }
}
