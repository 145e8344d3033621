import COpenSSL

/// A certificate in a file of PEM text.
public struct CertificateFile: Sendable {
    public let path: String
    public let summary: SeenCertificate
    public let der: [UInt8]
    public let pem: String
    public let androidHash: UInt32

    /// Reads the first certificate.
    public init(_ path: String) throws(TLSFailure) {
        let found = try PEM.certificates(in: try SecretFile.read(path), from: path)
        defer { for certificate in found { X509_free(certificate) } }
        self.path = path
        summary = SeenCertificate(found[0])
        der = TLS.der(of: found[0])
        pem = text { PEM_write_bio_X509($0, found[0]) == 1 }
        androidHash = UInt32(truncatingIfNeeded: X509_subject_name_hash_old(found[0]))
    }
}
