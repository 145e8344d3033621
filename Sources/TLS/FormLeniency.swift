import COpenSSL

/// Forgives faults of form that X509_V_FLAG_X509_STRICT finds and browsers accept.
///
/// RFC 5280 does not bind trust anchors (6.1.1 d: only its name and its key count): some public roots and certificates
/// of a plain `openssl req -x509` have such faults. Below the anchor Chromium, Firefox and curl accept those that are
/// listed here; all others, and all where the rule is strict, are refused.
enum FormLeniency {
    private static let ofAnchors: Set<CInt> = [
        X509_V_ERR_CA_BCONS_NOT_CRITICAL, X509_V_ERR_CA_CERT_MISSING_KEY_USAGE,
        X509_V_ERR_MISSING_SUBJECT_KEY_IDENTIFIER, X509_V_ERR_MISSING_AUTHORITY_KEY_IDENTIFIER,
        X509_V_ERR_SUBJECT_KEY_IDENTIFIER_CRITICAL, X509_V_ERR_AUTHORITY_KEY_IDENTIFIER_CRITICAL,
        X509_V_ERR_PATHLEN_WITHOUT_KU_KEY_CERT_SIGN, X509_V_ERR_KU_KEY_CERT_SIGN_INVALID_FOR_NON_CA,
    ]
    /// Whether an authority may sign, and how deep, is checked besides.
    private static let ofAll: Set<CInt> = [
        X509_V_ERR_CA_BCONS_NOT_CRITICAL, X509_V_ERR_CA_CERT_MISSING_KEY_USAGE,
        X509_V_ERR_MISSING_SUBJECT_KEY_IDENTIFIER, X509_V_ERR_MISSING_AUTHORITY_KEY_IDENTIFIER,
        X509_V_ERR_PATHLEN_WITHOUT_KU_KEY_CERT_SIGN, X509_V_ERR_EMPTY_SUBJECT_SAN_NOT_CRITICAL,
    ]
    /// They sign nothing, so that what they claim does not matter.
    private static let ofLeaves: Set<CInt> = [
        X509_V_ERR_KU_KEY_CERT_SIGN_INVALID_FOR_NON_CA, X509_V_ERR_PATHLEN_INVALID_FOR_NON_CA,
    ]

    /// Whether the fault that OpenSSL has found counts as none.
    static func forgives(_ context: OpaquePointer, isStrict: Bool) -> Bool {
        let code = X509_STORE_CTX_get_error(context)
        let depth = X509_STORE_CTX_get_error_depth(context)
        // The last of the verified chain, not only one that the peer sent.
        let isAnchor =
            depth == shunt_X509_stack_count(X509_STORE_CTX_get0_chain(context)) - 1
            && X509_STORE_CTX_get_num_untrusted(context) <= depth
        if isAnchor, ofAnchors.contains(code) { return true }
        guard !isStrict else { return false }
        if isAnchor { return isOldAuthority(context, code) }
        guard ofAll.contains(code) || depth == 0 && (ofLeaves.contains(code) || isOldAuthority(context, code)) else {
            return false
        }
        note(code, context)
        return true
    }

    /// The certificate says in an older way than by basicConstraints that it is an authority's, as roots of version 1
    /// do; OpenSSL minds that in anchors and leaves only if it is strict.
    private static func isOldAuthority(_ context: OpaquePointer, _ code: CInt) -> Bool {
        guard code == X509_V_ERR_INVALID_CA, let certificate = X509_STORE_CTX_get_current_cert(context) else {
            return false
        }
        return X509_check_ca(certificate) > 1
    }

    private static func note(_ code: CInt, _ context: OpaquePointer) {
        guard let certificate = X509_STORE_CTX_get_current_cert(context) else { return }
        Session.of(context: context)?.noteFault(of: SeenCertificate(certificate).name, code)
    }
}
