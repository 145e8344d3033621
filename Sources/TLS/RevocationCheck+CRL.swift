import COpenSSL

// Certificate revocation lists (RFC 5280 5).
extension RevocationCheck {
    /// What a list, DER or PEM, says about the certificate; takes milliseconds for each megabyte.
    ///
    /// It counts only if the issuer signed it, if its scope includes the certificate, and in its time.
    public func status(inList bytes: [UInt8]) -> RevocationStatus {
        defer { ERR_clear_error() }
        guard let list = Self.list(bytes) else { return .unknown("what came is no revocation list") }
        defer { X509_CRL_free(list) }
        guard let store = makeStore() else { return .unknown("out of memory") }
        defer { X509_STORE_free(store) }
        X509_STORE_add_crl(store, list)
        guard let context = X509_STORE_CTX_new() else { return .unknown("out of memory") }
        defer { X509_STORE_CTX_free(context) }
        guard X509_STORE_CTX_init(context, store, certificate, nil) == 1 else { return .unknown("out of memory") }
        let parameters = X509_STORE_CTX_get0_param(context)
        X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_CRL_CHECK))
        X509_VERIFY_PARAM_set_auth_level(parameters, 2)
        if X509_verify_cert(context) == 1 { return .good(until: Self.expiry(X509_CRL_get0_nextUpdate(list))) }
        let code = X509_STORE_CTX_get_error(context)
        guard code == X509_V_ERR_CERT_REVOKED else {
            let reason = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "error \(code)"
            return .unknown("the list does not count: \(reason)")
        }
        var entry: OpaquePointer?
        guard X509_CRL_get0_by_cert(list, &entry, certificate) == 1, let entry else { return .revoked("") }
        return .revoked("on \(timeText(X509_REVOKED_get0_revocationDate(entry)))")
    }

    private static func list(_ bytes: [UInt8]) -> OpaquePointer? {
        let list = bytes.withUnsafeBufferPointer { buffer in
            var at = buffer.baseAddress
            return d2i_X509_CRL(nil, &at, buffer.count)
        }
        if let list { return list }
        guard let bio = BIO_new_mem_buf(bytes, CInt(clamping: bytes.count)) else { return nil }
        defer { BIO_free(bio) }
        return PEM_read_bio_X509_CRL(bio, nil, nil, nil)
    }
}
