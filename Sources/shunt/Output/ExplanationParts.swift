import Profiles

// Parts of an explanation in words.

extension Explanation.OriginCandidate {
    /// nil where there is no certificate to judge.
    var trustText: String? {
        guard address.isTLS else { return nil }
        let source = rule.map { "rule \($0.pattern), \($0.placeText)" } ?? "no rule names the host"
        switch address.trust {
        case .disabled:
            let end = rule?.until.map { " until \($0)" } ?? ""
            return "disabled\(end): INSECURE, any certificate passes (\(source))"
        case .default: return "default: chain and host name are verified (\(source))"
        }
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
        case .refused(let what, let profiles, let reason):
            "\(what) to production is refused until "
                + profiles.map { "`shunt unlock \($0) --for 10m --reason \"...\"`" }.joined(separator: " and ")
                + (reason.map { ": \($0)" } ?? "")
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
