import COpenSSL

/// How an origin's certificate is judged.
public enum VerificationPolicy: Sendable, Hashable {
    /// Chain and host name, against the system's authorities and those in these PEM files.
    ///
    /// Each certificate in such a file is a trust anchor, an authority's or an origin's own.
    case standard(extraAuthorities: [String])
    /// Everything is accepted; ``Session/verification`` still tells what would have been wrong.
    case none
}

/// The context of connections to origins under one policy.
///
/// Sendable because SSL_CTX is counted and locked inside OpenSSL and is not changed after `init`.
public final class ClientContext: @unchecked Sendable {
    let pointer: OpaquePointer
    public let policy: VerificationPolicy

    /// - Parameters:
    ///   - alpn: application protocols to offer; none for no offer.
    ///   - identity: the certificate to show to an origin that asks for one.
    ///   - knownAuthorities: more PEM files with authorities; `.none` judges by them too, without acting on it.
    public init(
        policy: VerificationPolicy, alpn: [String] = ["http/1.1"], identity: Identity? = nil,
        knownAuthorities: [String] = []
    ) throws(TLSFailure) {
        self.policy = policy
        let protocols = try ContextSettings.encode(alpn: alpn)
        // For older servers; the only cost is a longer hello.
        pointer = try ContextSettings.make(
            TLS_client_method(), extraSuites: ":HIGH:!aNULL:!eNULL:!PSK:!SRP:!aDSS:!CAMELLIA:!ARIA")
        // From here on `deinit` frees the pointer, also where this throws.
        if !protocols.isEmpty { SSL_CTX_set_alpn_protos(pointer, protocols, CUnsignedInt(protocols.count)) }
        if let identity { try identity.use(inContext: pointer) }
        shunt_SSL_CTX_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL))
        SSL_CTX_sess_set_new_cb(pointer) { ssl, session in
            guard let session, let store = Session.of(ssl)?.resumption else { return 0 }
            store.put(session)
            return 1
        }
        // Requires the extensions of RFC 5280 below the trust anchor, much of which OpenSSL does not check otherwise.
        X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(pointer), UInt(X509_V_FLAG_X509_STRICT))
        switch policy {
        case .none:
            // OpenSSL still verifies, for `SSL_get_verify_result`, against the same roots.
            SSL_CTX_set_verify(pointer, SSL_VERIFY_NONE, AnchorLeniency.judge)
            try SystemAuthorities.use(in: pointer, extra: knownAuthorities)
        case .standard(let files):
            SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, AnchorLeniency.judge)
            try SystemAuthorities.use(in: pointer, extra: files + knownAuthorities)
        }
    }

    deinit { SSL_CTX_free(pointer) }
}
