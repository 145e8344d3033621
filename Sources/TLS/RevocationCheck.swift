import COpenSSL
import Platform

/// What is known of a certificate's revocation.
public enum RevocationStatus: Sendable, Equatable {
    /// It was not revoked; holds until that second since 1970.
    case good(until: Int64)
    /// It was revoked; when and why, in words.
    case revoked(String)
    /// Nothing could be learnt, for this reason.
    case unknown(String)
}

/// A certificate of a chain with the one that signed it, whose revocation can be asked about.
///
/// Sendable because OpenSSL counts certificates atomically and these are not changed.
public final class RevocationCheck: @unchecked Sendable {
    let certificate: OpaquePointer
    let issuer: OpaquePointer
    /// The certificate in a message.
    public let name: String
    /// The same for equal certificates by the same issuer alone.
    public let key: String
    /// Where OCSP responders are asked, as the certificate names them.
    public let responders: [String]
    /// Where revocation lists lie.
    public let lists: [String]
    /// It demands an OCSP response in the handshake (RFC 7633).
    public let mustStaple: Bool

    /// nil unless the issuer's key signed the certificate.
    init?(_ certificate: OpaquePointer, issuer: OpaquePointer) {
        guard X509_verify(certificate, X509_get0_pubkey(issuer)) == 1 else {
            ERR_clear_error()
            return nil
        }
        X509_up_ref(certificate)
        X509_up_ref(issuer)
        self.certificate = certificate
        self.issuer = issuer
        let (seen, signer) = (SeenCertificate(certificate), SeenCertificate(issuer))
        name = seen.subject.isEmpty ? seen.names.joined(separator: ", ") : seen.subject
        key = seen.fingerprint + signer.fingerprint
        responders = Self.texts(X509_get1_ocsp(certificate))
        lists = Self.texts(shunt_X509_crl_urls(certificate))
        mustStaple = shunt_X509_must_staple(certificate) == 1
    }

    deinit {
        X509_free(certificate)
        X509_free(issuer)
    }

    private static func texts(_ stack: OpaquePointer?) -> [String] {
        defer { if let stack { shunt_texts_free(stack) } }
        return (0..<shunt_texts_count(stack)).compactMap { shunt_text_at(stack, $0).map { String(cString: $0) } }
    }

    /// A store in which the issuer alone is trusted.
    func makeStore() -> OpaquePointer? {
        guard let store = X509_STORE_new() else { return nil }
        X509_STORE_add_cert(store, issuer)
        X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        return store
    }

    /// Until when something is kept that says it holds until `next`: a day at most, an hour where it does not say.
    static func expiry(_ next: UnsafePointer<ASN1_TIME>?) -> Int64 {
        let now = Int64(time(nil))
        var (days, seconds): (CInt, CInt) = (0, 0)
        guard let next, ASN1_TIME_diff(&days, &seconds, nil, next) == 1 else { return now + 3600 }
        return now + min(max(0, Int64(days) * 86_400 + Int64(seconds)), 86_400)
    }
}

extension Session {
    /// The certificates below the anchor, the origin's own first; those that no other one signed are left out.
    public var revocationChecks: [RevocationCheck] {
        let chain = SSL_get0_verified_chain(ssl)
        return (0..<max(0, shunt_X509_stack_count(chain) - 1)).compactMap { index in
            guard let certificate = shunt_X509_stack_at(chain, index),
                let issuer = shunt_X509_stack_at(chain, index + 1)
            else { return nil }
            return RevocationCheck(certificate, issuer: issuer)
        }
    }

    /// The OCSP response that the origin sent in the handshake.
    public var stapledResponse: [UInt8]? {
        var bytes: UnsafePointer<UInt8>?
        let count = shunt_SSL_staple(ssl, &bytes)
        guard let bytes, count > 0 else { return nil }
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }
}
