import JSON

/// A policy as the text of a trust rule, which reads as the same policy again.
extension TrustPolicy {
    /// Exceptions that are written for a public host end after so many days.
    private static let exceptionDays: Int64 = 30

    /// - Parameters:
    ///   - host: the one that the rule is for; an exception for a public one ends, and says why it is there.
    ///   - reason: why there is an exception.
    public func ruleText(for host: String, because reason: String) -> String {
        var members = evaluator.members
        if evaluator.asksSystem, ownAuthorities > 0 {
            members.append(("certificateAuthorities", list(certificateAuthorities.prefix(ownAuthorities))))
        }
        members += connection.members
        if isUnverified, isPublicHost(host) {
            members.append(("until", quoted(CalendarDay.today().adding(days: Self.exceptionDays).description)))
            members.append(("reason", quoted(reason)))
        }
        return text(members)
    }
}

extension TrustEvaluator {
    fileprivate var members: [(String, String)] {
        let own: [(String, String)] =
            switch self {
            case .default(let validation): validation.validateHost ? [] : [("validateHost", "false")]
            case .revocation(let validation, let settings): settings.members + validation.members
            case .pinnedCertificates(let files, let acceptSelfSigned, let validation):
                [("certificates", list(files[...]))]
                    + (acceptSelfSigned ? [("acceptSelfSignedCertificates", "true")] : []) + validation.members
            case .publicKeys(let keys, let validation): [("keys", list(keys[...]))] + validation.members
            case .composite(let parts):
                [("evaluators", "[" + parts.map { text($0.members) }.joined(separator: ", ") + "]")]
            case .disabled: []
            }
        return [("policy", quoted(name))] + own
    }
}

extension Validation {
    fileprivate var members: [(String, String)] {
        (performDefaultValidation ? [] : [("performDefaultValidation", "false")])
            + (validateHost ? [] : [("validateHost", "false")])
    }
}

extension RevocationSettings {
    fileprivate var members: [(String, String)] {
        let methods = ocsp == crl ? [] : [ocsp ? "ocsp" : "crl"]
        let flags = [
            ("preferCRL", preferCRL), ("networkAccessDisabled", networkAccessDisabled),
            ("requirePositiveResponse", requirePositiveResponse),
        ]
        let options = methods + flags.filter(\.1).map(\.0)
        return options.isEmpty ? [] : [("options", list(options[...]))]
    }
}

extension TLSSettings {
    fileprivate var members: [(String, String)] {
        var members: [(String, String)] = []
        if let clientCertificate { members.append(("clientCertificate", clientCertificate.text)) }
        if let minTLS { members.append(("minTLS", quoted(minTLS))) }
        if !ciphers.isEmpty { members.append(("ciphers", list(ciphers[...]))) }
        if isStrict { members.append(("strict", "true")) }
        return members
    }
}

extension ClientCertificate {
    fileprivate var text: String {
        var members: [(String, String)] =
            switch source {
            case .pem(let certificate, let key): [("certificate", quoted(certificate)), ("key", quoted(key))]
            case .pkcs12(let file): [("pkcs12", quoted(file))]
            }
        switch passphrase {
        case .file(let file)?: members.append(("passphraseFile", quoted(file)))
        case .variable(let name)?: members.append(("passphraseVariable", quoted(name)))
        case nil: break
        }
        return object(members)
    }
}

/// A policy that is nothing but its name is written as that.
private func text(_ members: [(String, String)]) -> String { members.count == 1 ? members[0].1 : object(members) }

private func object(_ members: [(String, String)]) -> String {
    "{ " + members.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + " }"
}

private func list(_ texts: ArraySlice<String>) -> String { "[" + texts.map(quoted).joined(separator: ", ") + "]" }

private func quoted(_ text: String) -> String {
    return String(decoding: JSONWriter.bytes(of: text), as: UTF8.self)
}
