package import Profiles

// Parts of an explanation in words.

extension TrustRule {
    /// Where it is written.
    package var placeText: String { file == RunSettings.file ? file : "\(file):\(line)" }
}

extension Route {
    /// Where it is written.
    package var placeText: String { place.file == RunSettings.file ? place.file : "\(place.file):\(place.line)" }
}

extension Explanation.OriginCandidate {
    /// nil where there is no certificate to judge.
    var trustText: String? {
        guard address.isTLS else { return nil }
        let source = rule.map { "rule \($0.pattern), \($0.placeText)" } ?? "no rule names the host"
        let policy = address.trust
        guard policy.isUnverified else { return "\(policy.name): \(policy.evaluator.text) (\(source))" }
        let end = rule?.until.map { " until \($0)" } ?? ""
        return "\(policy.evaluator.name)\(end): INSECURE, \(policy.evaluator.text) (\(source))"
    }

    var authoritiesText: String? {
        let authorities = address.isTLS ? address.trust.certificateAuthorities : []
        guard !authorities.isEmpty else { return nil }
        return "against the system's authorities and \(authorities.joined(separator: ", "))"
    }
}

extension Explanation.Guarding {
    /// nil where nothing is guarded.
    var text: String? {
        switch self {
        case .none: nil
        case .passes(let why): "passes to production: \(why)"
        case .refused(let reason, let profiles, let cause):
            "refused until "
                + profiles.map { "`shunt unlock \($0) --for 10m --reason \"...\"`" }.joined(separator: " and ")
                + ": \(reason)" + (cause.map { "; \($0)" } ?? "")
        }
    }
}

extension RewriteSettings {
    /// nil where nothing is rewritten.
    var text: String? {
        let rewritten = [(addresses, "addresses"), (cookies, "cookies"), (bodies, "bodies")].filter(\.0).map(\.1)
        let taken = [(pins, "pins (HSTS, Alt-Svc, ...)"), (clearSiteData, "Clear-Site-Data")].filter(\.0).map(\.1)
        let parts = [
            rewritten.joined(separator: ", "), taken.isEmpty ? "" : "takes out \(taken.joined(separator: ", "))",
        ].filter { !$0.isEmpty }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}

extension CORSSettings {
    var text: String {
        let pages = origins.isEmpty ? "pages of every origin" : origins.joined(separator: ", ")
        var parts = ["\(pages) \(credentials ? "with" : "without") credentials"]
        if !methods.isEmpty { parts.append("methods \(methods.joined(separator: ", "))") }
        if !headers.isEmpty { parts.append("headers \(headers.joined(separator: ", "))") }
        if !exposedHeaders.isEmpty { parts.append("exposes \(exposedHeaders.joined(separator: ", "))") }
        return parts.joined(separator: "; ")
    }
}

extension FallbackSettings {
    var text: String {
        var causes = ["failures before a response"]
        if let timeout { causes.append("silence for \(Quantity.durationText(timeout))") }
        if !statuses.isEmpty { causes.append("status " + statuses.map { "\($0)" }.joined(separator: ", ")) }
        return "on " + causes.joined(separator: ", ")
            + "; passes over for \(Quantity.durationText(remember)), holds bodies to \(Quantity.sizeText(hold))"
    }
}

extension TrustEvaluator {
    /// What is checked, in words.
    fileprivate var text: String {
        switch self {
        case .disabled: "any certificate passes"
        case .default(let validation): validation.text
        case .revocation(let validation, let options):
            validation.text + "; revocation is asked for"
                + (options.requirePositiveResponse ? " and a response required" : "")
        case .pinnedCertificates(let files, let acceptSelfSigned, let validation):
            (acceptSelfSigned ? "the pinned certificates are the only anchors; " : "")
                + "\(validation.text); one of \(files.joined(separator: ", ")) is in the chain"
        case .publicKeys(let keys, let validation):
            "\(validation.text); one of the keys \(keys.joined(separator: ", ")) is in the chain"
        case .composite(let parts): parts.map { "\($0.name): \($0.text)" }.joined(separator: "; and ")
        }
    }
}

extension Validation {
    fileprivate var text: String {
        if validateHost { return "chain and host name are verified" }
        return performDefaultValidation ? "the chain is verified and the host name is not" : "nothing else is verified"
    }
}

extension ClientSettings.Caching {
    var text: String {
        switch self {
        case .apart: "\"apart\": clients validate what they store, and no other profile's counts"
        case .asIs: "\"as-is\": as the origin says"
        case .none: "\"none\": clients store nothing"
        }
    }
}
