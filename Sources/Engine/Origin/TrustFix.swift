public import Profiles
import TLS

/// Something that makes an origin's certificate pass.
public struct TrustFix: Sendable {
    /// As `shunt trust explain --fix` names it; nil for what cannot be written into a profile.
    public let name: String?
    public let text: String
    /// The text of a trust rule.
    public let rule: String?
    /// The place in the chain of the certificate that the rule names as a file.
    public let certificate: Int?

    private init(_ text: String) { (self.text, name, rule, certificate) = (text, nil, nil, nil) }

    private init(
        _ name: String, _ text: String, _ rejection: TrustRejection, _ policy: TrustPolicy, certificate: Int? = nil
    ) {
        (self.name, self.text, self.certificate) = (name, text, certificate)
        rule = policy.ruleText(for: rejection.origin.host, because: rejection.summary)
    }

    /// What helps, the least permissive first; each rule is one under which the chain passes.
    public static func list(_ rejection: TrustRejection) -> [TrustFix] {
        guard let leaf = rejection.chain.first else { return [] }
        let verified = verifiedRules(rejection, leaf)
        var fixes = revocationAdvice(rejection) + rejection.faults.flatMap { advice(rejection, $0, leaf) } + verified
        if rejection.mayBeUnverified {
            if verified.isEmpty, let pinned = pinnedRule(rejection, leaf) { fixes.append(pinned) }
            fixes.append(
                TrustFix(
                    "disabled",
                    "As the last resort, for a server of your own, and in a profile that is not of kind production: accept "
                        + "any certificate",
                    rejection, rejection.origin.trust.lenient.with(.disabled)))
        }
        return fixes.isEmpty ? [TrustFix("Ask who runs the server for another certificate.")] : fixes
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

    /// For a server that speaks no newer version of TLS, under a policy that has passed.
    public static func oldTLS(_ origin: OriginAddress, _ policy: TrustPolicy) -> TrustFix {
        TrustFix(
            "minTLS", "Accept older versions of TLS, which are no longer secure, until the server is updated",
            TrustRejection(origin: origin, chain: [], kind: .chain, reason: "", mayBeUnverified: false), policy)
    }

    // MARK: - Rules

    /// The first rule that keeps all checks of the policy and lets the chain pass.
    private static func verifiedRules(_ rejection: TrustRejection, _ leaf: SeenCertificate) -> [TrustFix] {
        let trust = rejection.origin.trust
        let file = path(rejection)
        let isPinned = rejection.kind == .pin
        let base = isPinned ? trust.with(trust.evaluator.pinning(key: leaf.pin, certificate: file)) : trust
        let policies = trust.connection.isStrict ? [base, base.lenient] : [base]
        if let policy = policies.first(where: { rejection.passes($0, (file, leaf)) }) {
            if policy == trust { return [] }
            if policy.connection.isStrict != trust.connection.isStrict, !isPinned {
                return [TrustFix("lenient", "Leave \"strict\" away, as browsers do", rejection, policy)]
            }
            let certificate = policy.requirements.contains { $0.pins?.names(file) == true } ? 0 : nil
            return [TrustFix("pin", pinText(rejection), rejection, policy, certificate: certificate)]
        }
        // Last, since a CA that is trusted as it stands is not held to RFC 5280.
        for policy in policies {
            if let fix = anchorRule(rejection, policy, file) { return [fix] }
        }
        return []
    }

    /// An authority that the origin sends, or else its own certificate, becomes one that is trusted.
    private static func anchorRule(_ rejection: TrustRejection, _ policy: TrustPolicy, _ file: String) -> TrustFix? {
        guard policy.evaluator.asksSystem else { return nil }
        let wider = policy.trusting(file)
        let pinsFile = policy.requirements.contains { $0.pins?.names(file) == true }
        let authorities = rejection.chain.indices.reversed().filter { rejection.chain[$0] != rejection.chain[0] }
        let places = pinsFile ? [0] : authorities + [0]
        guard let place = places.first(where: { rejection.passes(wider, (file, rejection.chain[$0])) }) else {
            return nil
        }
        return place == 0
            ? TrustFix(
                "certificate", "Trust this very certificate, for the names that it has", rejection, wider,
                certificate: 0)
            : TrustFix(
                "authority", "Trust the CA that it sends, for this host: \(rejection.chain[place].subject)", rejection,
                wider, certificate: place)
    }

    /// The certificate itself, with as few checks left out as it needs.
    private static func pinnedRule(_ rejection: TrustRejection, _ leaf: SeenCertificate) -> TrustFix? {
        let file = path(rejection)
        let anyName = Validation(validateHost: false)
        let variants: [(text: String, acceptsSelfSigned: Bool, validation: Validation)] = [
            ("let this very certificate pass under this name; its chain and its dates are checked", false, anyName),
            ("trust this very certificate, and let it pass under this name; its dates are checked", true, anyName),
            (
                "let this very certificate pass, whatever is wrong with it (\(rejection.summary))", false,
                Validation(performDefaultValidation: false, validateHost: false)
            ),
        ]
        for variant in variants {
            let policy = rejection.origin.trust.with(
                .pinnedCertificates([file], acceptSelfSigned: variant.acceptsSelfSigned, variant.validation))
            guard rejection.passes(policy, (file, leaf)) else { continue }
            return TrustFix(
                "pinned", "In a profile that is not of kind production, \(variant.text); no other one is accepted",
                rejection,
                policy, certificate: 0)
        }
        return nil
    }

    // MARK: - Advice

    private static func revocationAdvice(_ rejection: TrustRejection) -> [TrustFix] {
        switch rejection.kind {
        case .revoked:
            [TrustFix("Ask who runs the server for a new certificate: its authority has withdrawn this one")]
        case .unknownRevocation:
            [TrustFix("Without \"requirePositiveResponse\" among the \"options\" of its trust rule it would pass")]
        case .noStaple:
            [TrustFix("Let the server send one (nginx: `ssl_stapling on`), or use a certificate that demands none")]
        case .name, .pin, .chain: []
        }
    }

    private static func pinText(_ rejection: TrustRejection) -> String {
        // The chain's end is mostly not sent, and intermediates change more often than keys of servers.
        let pins = rejection.chain.map {
            "\"\($0.pin)\" (\($0.subject.isEmpty ? "the certificate itself" : $0.subject))"
        }
        return "If its certificate or key was changed on purpose, pin the new one, "
            + "\(pins.joined(separator: " or ")). Ask who runs the server first"
    }

    private static func advice(
        _ rejection: TrustRejection, _ fault: ChainFault, _ leaf: SeenCertificate
    ) -> [TrustFix] {
        switch fault.kind {
        case .name: return [nameAdvice(rejection, leaf)]
        case .date where fault.isOwn:
            return [
                TrustFix(
                    "Renew the origin's certificate, or set this machine's clock: it is valid from \(leaf.notBefore) to "
                        + leaf.notAfter)
            ]
        case .date: return [TrustFix("Renew the authority's certificate: \(fault.reason)")]
        case .form:
            let rule = formalFaults.first { fault.reason.lowercased().contains($0.words) }?.rule
            return [
                TrustFix(
                    rule.map {
                        "The chain breaks RFC 5280: \($0). If it is a CA of your own, make it anew, with `openssl req -x509 "
                            + "-addext keyUsage=critical,keyCertSign,cRLSign` for instance, and sign the server's "
                            + "certificate again"
                    } ?? "Ask who runs the server for a certificate without this fault: \(fault.reason)")
            ]
        case .anchor:
            // What is self-signed is its own authority.
            guard let last = rejection.chain.last, !leaf.isSelfIssued, !last.isSelfIssued else { return [] }
            return [
                TrustFix(
                    "Name the CA “\(last.issuer)” under \"certificateAuthorities\", or let the server send its "
                        + "certificate, if it is an intermediate one; the server does not send it")
            ]
        }
    }

    private static func nameAdvice(_ rejection: TrustRejection, _ leaf: SeenCertificate) -> TrustFix {
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

    /// OpenSSL's messages for faults of form in hand-made certificates, and the rules of RFC 5280.
    private static let formalFaults: [(words: String, rule: String)] = [
        ("key usage", "a CA's certificate names keyCertSign in its keyUsage, and a server's does not"),
        ("key identifier", "a CA's certificate has a subjectKeyIdentifier, and one it signs an authorityKeyIdentifier"),
        ("basic constraints", "a CA's certificate has basicConstraints that are critical"),
    ]

    private static func path(_ rejection: TrustRejection) -> String { "../ca/" + fileName(rejection.origin) }

    /// Of the certificate that a rule for an origin names, in the folder `ca`.
    public static func fileName(_ origin: OriginAddress) -> String {
        String(origin.authority.map { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" ? $0 : "_" }) + ".pem"
    }
}

extension TrustRejection {
    /// All that is wrong, in a line.
    fileprivate var summary: String { faults.isEmpty ? reason : faults.map(\.reason).joined(separator: ", ") }
}

extension ChainRequirement.Pins {
    fileprivate func names(_ file: String) -> Bool {
        switch self {
        case .certificates(let files), .publicKeys(let files): files.contains(file)
        }
    }
}
