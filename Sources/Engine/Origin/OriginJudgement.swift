import Bytes
import Exchanges
import TLS

/// How an origin's certificate was judged, and what the origin has shown.
struct OriginJudgement {
    /// In words.
    let decision: String
    /// nil where it has shown nothing.
    let chain: CertificateChain?

    /// - Parameter note: what has to be told besides.
    init(_ verification: Verification, note: String?) {
        decision =
            (verification.isTrusted ? "verified" : "accepted unverified: \(verification.reason)")
            + (note.map { "; \($0)" } ?? "")
        chain = verification.chain.isEmpty ? nil : CertificateChain(verification.chain)
    }
}

extension CertificateChain {
    /// Hexadecimal digits of a name.
    private static let digits = 32

    fileprivate init?(_ seen: [SeenCertificate]) {
        let all = Array(seen.map(\.fingerprint).joined().utf8)
        guard let digest = sha256(all.span) else { return nil }
        self.init(
            name: String(Hex.text(digest).prefix(Self.digits)),
            certificates: seen.map {
                // Many leaves have names alone (RFC 5280 4.1.2.6).
                Certificate(
                    subject: $0.subject.isEmpty ? $0.names.joined(separator: ", ") : $0.subject, issuer: $0.issuer,
                    notAfter: $0.notAfter, publicKey: $0.pin)
            })
    }
}
