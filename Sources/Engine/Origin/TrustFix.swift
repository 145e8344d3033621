import JSON
import Platform
public import Profiles
public import TLS

/// What was wrong with an origin's certificate, as far as it is known.
public struct TrustRejection: Sendable {
    /// The host and port of the origin, and the policy that it is judged by.
    let origin: OriginAddress
    /// The certificates that it has sent, its own first.
    let chain: [SeenCertificate]
    /// As OpenSSL or the policy words it.
    let reason: String
    /// Why the chain leads to no trusted authority; nil if it does, or if that does not count.
    let chainReason: String?
    /// It is for the host of the origin, or that does not count.
    let isNamed: Bool
    /// A rule may switch the checks off.
    let mayBeDisabled: Bool

    /// - Parameters:
    ///   - chainReason: what a check of the chain alone has found.
    ///   - isNamed: what a check of the host alone has found.
    public init(
        origin: OriginAddress, chain: [SeenCertificate], reason: String, chainReason: String?, isNamed: Bool,
        mayBeDisabled: Bool
    ) {
        self.origin = origin
        self.chain = chain
        self.reason = reason
        self.chainReason = chainReason
        self.isNamed = isNamed
        self.mayBeDisabled = mayBeDisabled
    }

    /// From the reason of a handshake that failed: the first that was found.
    init(_ origin: OriginAddress, _ reason: String, _ chain: [SeenCertificate]) {
        let words = reason.lowercased()
        let isOther = ["hostname", "ip address", "no pinned", "revo", "ocsp"].contains { words.contains($0) }
        self.init(
            origin: origin, chain: chain, reason: reason, chainReason: isOther ? nil : reason,
            isNamed: origin.trust.isUnverified || chain.first?.isFor(origin.host) != false, mayBeDisabled: true)
    }
}

/// Something that makes an origin's certificate pass.
public struct TrustFix: Sendable {
    /// As `shunt trust explain --fix` names it; nil for what cannot be written into a profile.
    public let name: String?
    public let text: String
    /// The text of a trust rule.
    public let rule: String?
    /// The place in the chain of the certificate that the rule names as a file.
    public let certificate: Int?

    private init(_ text: String, name: String? = nil, rule: String? = nil, certificate: Int? = nil) {
        (self.name, self.text, self.rule, self.certificate) = (name, text, rule, certificate)
    }

    /// What helps, the least permissive first.
    public static func list(_ rejection: TrustRejection) -> [TrustFix] {
        guard let leaf = rejection.chain.first else { return [] }
        var fixes = policyFixes(rejection, leaf)
        if !rejection.isNamed { fixes.append(nameFix(rejection, leaf)) }
        if let reason = rejection.chainReason { fixes += chainFixes(rejection, reason, leaf) }
        if fixes.isEmpty { fixes.append(TrustFix("Ask who runs the server for another certificate.")) }
        guard rejection.mayBeDisabled else { return fixes }
        return fixes + [
            TrustFix(
                "As the last resort, for a server of your own, and in a profile that is not of kind production: let any "
                    + "certificate pass (a public host also needs \"until\" and \"reason\")",
                name: "disabled", rule: "\"disabled\"")
        ]
    }

    /// The same in lines of text, each with the command that writes its rule.
    static func lines(_ rejection: TrustRejection) -> [String] {
        list(rejection).map { fix in
            guard let name = fix.name, let rule = fix.rule else { return fix.text }
            let (host, port) = (rejection.origin.host, rejection.origin.port)
            let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            return "\(fix.text): \"\(rejection.origin.authority)\": \(rule) "
                + "(`shunt trust explain \(place) --write --fix \(name)`)"
        }
    }

    private static func policyFixes(_ rejection: TrustRejection, _ leaf: SeenCertificate) -> [TrustFix] {
        let words = rejection.reason.lowercased()
        if words.contains("certificate revoked") {
            return [TrustFix("Ask who runs the server for a new certificate: its authority has withdrawn this one")]
        }
        if words.contains("revocation could not") {
            return [
                TrustFix("Without \"requirePositiveResponse\" among the \"options\" of its trust rule it would pass")
            ]
        }
        if words.contains("no ocsp response") {
            return [
                TrustFix("Let the server send one (nginx: `ssl_stapling on`), or use a certificate that demands none")
            ]
        }
        guard words.contains("no pinned") else { return [] }
        if words.contains("certificate") {
            return [
                TrustFix(
                    "If its certificate was changed on purpose, name the new one under \"certificates\" of its trust rule "
                        + "(SHA-256 \(leaf.fingerprint)). Ask who runs the server first")
            ]
        }
        // The chain's end is mostly not sent, and intermediates change more often than keys of servers.
        let pins = rejection.chain.map {
            "\"\($0.pin)\" (\($0.subject.isEmpty ? "the certificate itself" : $0.subject))"
        }
        let text =
            "If its key was changed on purpose, put the new one under \"keys\" of its trust rule, "
            + pins.joined(separator: " or ") + ". Ask who runs the server first"
        guard case .publicKeys(let known, _) = rejection.origin.trust.evaluator else { return [TrustFix(text)] }
        let keys = (known + [leaf.pin]).map(quoted).joined(separator: ", ")
        return [TrustFix(text, name: "pin", rule: "{ \"policy\": \"publicKeys\", \"keys\": [\(keys)] }")]
    }

    private static func nameFix(_ rejection: TrustRejection, _ leaf: SeenCertificate) -> TrustFix {
        guard leaf.names.isEmpty else {
            return TrustFix(
                "The certificate is for another name: put a name it was issued for into the route's origin, "
                    + WrongName.list(leaf))
        }
        return TrustFix(
            "The certificate has no subjectAltName, and its common name does not count: make it anew, with "
                + "`-addext subjectAltName=\(WrongName.kind(rejection.origin.host)):\(rejection.origin.host)` if `openssl "
                + "req -x509` made it")
    }

    private static func chainFixes(_ rejection: TrustRejection, _ reason: String, _ leaf: SeenCertificate) -> [TrustFix]
    {
        let words = reason.lowercased()
        if let fault = formalFaults.first(where: { words.contains($0.words) }) {
            return [
                TrustFix(
                    "The chain breaks RFC 5280: \(fault.rule). If it is a CA of your own, make it anew, with `openssl req "
                        + "-x509 -addext keyUsage=critical,keyCertSign,cRLSign` for instance, and sign the server's "
                        + "certificate again")
            ]
        }
        if words.contains("expired") || words.contains("not yet valid") {
            return [
                TrustFix(
                    "Renew the origin's certificate, or set this machine's clock: it is valid from \(leaf.notBefore) to "
                        + leaf.notAfter)
            ]
        }
        let file = "../ca/" + fileName(rejection.origin)
        let rule = "{ \"policy\": \"default\", \"certificateAuthorities\": [\(quoted(file))] }"
        if let last = rejection.chain.last, rejection.chain.count > 1, last.isSelfIssued {
            return [
                TrustFix(
                    "Trust the CA that it sends, for this host: \(last.subject)", name: "authority", rule: rule,
                    certificate: rejection.chain.count - 1)
            ]
        }
        guard words.contains("self-signed") || words.contains("issuer") else { return [] }
        let own = TrustFix(
            "Trust this very certificate, for the names that it has", name: "certificate", rule: rule, certificate: 0)
        guard !leaf.isSelfIssued, let last = rejection.chain.last else { return [own] }
        return [
            TrustFix("Name the CA “\(last.issuer)” under \"certificateAuthorities\"; the server does not send it"), own,
        ]
    }

    /// OpenSSL's messages for faults of form in hand-made certificates, and the rules of RFC 5280.
    private static let formalFaults: [(words: String, rule: String)] = [
        ("key usage", "a CA's certificate names keyCertSign in its keyUsage, and a server's does not"),
        ("key identifier", "a CA's certificate has a subjectKeyIdentifier, and one it signs an authorityKeyIdentifier"),
        ("basic constraints", "a CA's certificate has basicConstraints that are critical"),
    ]

    /// Of the certificate that a rule for an origin names, in the folder `ca`.
    public static func fileName(_ origin: OriginAddress) -> String {
        String(origin.authority.map { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" ? $0 : "_" }) + ".pem"
    }

    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.value(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
