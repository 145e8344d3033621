import COpenSSL

/// A certificate, its intermediates, and its private key.
///
/// Sendable because OpenSSL's objects are counted atomically and these are not changed after `init`.
public final class Identity: @unchecked Sendable {
    let certificate: OpaquePointer
    let key: OpaquePointer
    /// STACK_OF(X509), without the certificate itself; nil for none.
    private let chain: OpaquePointer?

    /// Takes over one reference each.
    init(certificate: OpaquePointer, key: OpaquePointer, chain: OpaquePointer? = nil) {
        self.certificate = certificate
        self.key = key
        self.chain = chain
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
        if let chain { shunt_X509_stack_free(chain) }
    }

    /// The certificate in words.
    public var summary: SeenCertificate { SeenCertificate(certificate) }

    /// The certificate and its intermediates.
    public var certificatePEM: String {
        let own = text { PEM_write_bio_X509($0, certificate) == 1 }
        return (0..<shunt_X509_stack_count(chain)).reduce(into: own) { pem, index in
            guard let next = shunt_X509_stack_at(chain, index) else { return }
            pem += text { PEM_write_bio_X509($0, next) == 1 }
        }
    }

    /// The private key, PKCS #8, unencrypted.
    public var keyPEM: String { text { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) == 1 } }

    /// How long it is still valid; negative once it has expired.
    var secondsLeft: Int {
        var days: CInt = 0
        var seconds: CInt = 0
        // From nil, which means now.
        guard ASN1_TIME_diff(&days, &seconds, nil, X509_get0_notAfter(certificate)) == 1 else { return -1 }
        return Int(days) * 24 * 60 * 60 + Int(seconds)
    }

    func use(in ssl: OpaquePointer) throws(TLSFailure) {
        ERR_clear_error()
        guard SSL_use_cert_and_key(ssl, certificate, key, chain, 1) == 1 else {
            throw .configuration("the certificate for \(summary.names) cannot be used")
        }
    }

    func use(inContext context: OpaquePointer) throws(TLSFailure) {
        ERR_clear_error()
        guard SSL_CTX_use_cert_and_key(context, certificate, key, chain, 1) == 1 else {
            throw .configuration("the certificate for \(summary.names) cannot be used")
        }
    }
}
