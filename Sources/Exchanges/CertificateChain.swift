/// The certificates that an origin has shown, read once per connection and shared by its exchanges.
public struct CertificateChain: Sendable, Equatable {
    /// One certificate, in words.
    public struct Certificate: Sendable, Equatable {
        /// Or the hosts that it is for, where it has no subject.
        public var subject: String
        public var issuer: String
        /// UTC, as in `2026-11-21T07:00:00Z`.
        public var notAfter: String
        /// SHA-256 of its SubjectPublicKeyInfo, as pins are written: `sha256/…=`.
        public var publicKey: String

        public init(subject: String, issuer: String, notAfter: String, publicKey: String) {
            (self.subject, self.issuer, self.notAfter, self.publicKey) = (subject, issuer, notAfter, publicKey)
        }
    }

    /// More are not kept, nor longer names: an origin chooses what it shows.
    private static let (maxCertificates, maxName) = (10, 512)

    /// What exchanges refer to it by: the beginning of a digest of all certificates, as hexadecimal.
    public let name: String
    /// The origin's own first.
    public let certificates: [Certificate]

    public init(name: String, certificates: [Certificate]) {
        self.name = name
        self.certificates = certificates.prefix(Self.maxCertificates).map {
            var certificate = $0
            certificate.subject = Self.short($0.subject)
            certificate.issuer = Self.short($0.issuer)
            return certificate
        }
    }

    private static func short(_ name: String) -> String {
        name.utf8.count <= maxName ? name : String(name.prefix(maxName / 4)) + "…"
    }
}
