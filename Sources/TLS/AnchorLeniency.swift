import COpenSSL

/// Forgives a trust anchor the faults of form that X509_V_FLAG_X509_STRICT finds in it.
///
/// RFC 5280 does not bind anchors (6.1.1 d: only its name and its key count), and browsers check nothing else: some
/// public roots and certificates of a plain `openssl req -x509` have such faults.
enum AnchorLeniency {
    private static let faults: Set<CInt> = [
        X509_V_ERR_CA_BCONS_NOT_CRITICAL, X509_V_ERR_CA_CERT_MISSING_KEY_USAGE,
        X509_V_ERR_MISSING_SUBJECT_KEY_IDENTIFIER, X509_V_ERR_MISSING_AUTHORITY_KEY_IDENTIFIER,
        X509_V_ERR_SUBJECT_KEY_IDENTIFIER_CRITICAL, X509_V_ERR_AUTHORITY_KEY_IDENTIFIER_CRITICAL,
        X509_V_ERR_PATHLEN_WITHOUT_KU_KEY_CERT_SIGN, X509_V_ERR_KU_KEY_CERT_SIGN_INVALID_FOR_NON_CA,
    ]

    /// Whether the fault that OpenSSL has found is one of the anchor's form.
    static func forgives(_ context: OpaquePointer) -> Bool {
        guard faults.contains(X509_STORE_CTX_get_error(context)) else { return false }
        let depth = X509_STORE_CTX_get_error_depth(context)
        // The last of the verified chain, not only one that the peer sent.
        return depth == shunt_X509_stack_count(X509_STORE_CTX_get0_chain(context)) - 1
            && X509_STORE_CTX_get_num_untrusted(context) <= depth
    }
}
