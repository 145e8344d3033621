import Bytes
import COpenSSL

/// How OpenSSL judged a peer's certificate, and the chain the peer sent.
public struct Verification: Sendable {
    /// OpenSSL's X509_V_ERR code; 0 if it was accepted.
    public let code: Int
    /// OpenSSL's words for the code.
    public let reason: String
    /// As sent, the peer's own certificate first.
    public let chain: [SeenCertificate]

    public var isTrusted: Bool { code == 0 && !chain.isEmpty }

    init(_ ssl: OpaquePointer) {
        let result = SSL_get_verify_result(ssl)
        code = result
        reason = X509_verify_cert_error_string(result).map { String(cString: $0) } ?? "error \(result)"
        let stack = SSL_get_peer_cert_chain(ssl)
        var chain: [SeenCertificate] = []
        for index in 0..<shunt_X509_stack_count(stack) {
            if let certificate = shunt_X509_stack_at(stack, index) { chain.append(SeenCertificate(certificate)) }
        }
        self.chain = chain
        ERR_clear_error()
    }
}

/// A certificate in words, for messages and for pinning.
public struct SeenCertificate: Sendable, Equatable {
    public let subject: String
    public let issuer: String
    /// DNS names and IP addresses it is for.
    public let names: [String]
    /// UTC, as in "2026-11-21T07:00:00Z".
    public let notBefore: String
    public let notAfter: String
    /// SHA-256 of the whole certificate, lower-case hexadecimal.
    public let fingerprint: String
    /// SHA-256 of its SubjectPublicKeyInfo, lower-case hexadecimal: what pins of public keys compare.
    public let publicKeyFingerprint: String
    /// The certificate as PEM text.
    public let pem: String

    init(_ certificate: OpaquePointer) {
        subject = certificateName(X509_get_subject_name(certificate))
        issuer = certificateName(X509_get_issuer_name(certificate))
        names = certificateHosts(certificate)
        pem = text { PEM_write_bio_X509($0, certificate) == 1 }
        notBefore = timeText(X509_get0_notBefore(certificate))
        notAfter = timeText(X509_get0_notAfter(certificate))
        var digest = [UInt8](repeating: 0, count: 32)
        var count: CUnsignedInt = 32
        X509_digest(certificate, EVP_sha256(), &digest, &count)
        fingerprint = Hex.text(digest)
        var encoded: UnsafeMutablePointer<UInt8>?
        let length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &encoded)
        defer { CRYPTO_free(encoded, nil, 0) }
        if length > 0, EVP_Digest(encoded, Int(length), &digest, &count, EVP_sha256(), nil) == 1 {
            publicKeyFingerprint = Hex.text(digest)
        } else {
            publicKeyFingerprint = ""
        }
    }

    /// Its subject, or what it is for where it has none (RFC 5280 4.1.2.6).
    public var name: String { subject.isEmpty ? names.joined(separator: ", ") : subject }

    /// It vouches for itself.
    public var isSelfIssued: Bool { subject == issuer }

    /// Whether it is for a host, by a name or a wildcard for its first label.
    public func isFor(_ host: String) -> Bool {
        guard let name = HostName(host) else { return false }
        return names.contains { own in
            let own = own.lowercased()
            if own == name.text { return true }
            guard !name.isAddress, own.hasPrefix("*."), let dot = name.text.firstIndex(of: ".") else { return false }
            return own.dropFirst() == name.text[dot...]
        }
    }

    /// The certificate in a message.
    var summary: String {
        "\(name), issued by \(issuer), valid \(notBefore) to \(notAfter)"
    }
}
