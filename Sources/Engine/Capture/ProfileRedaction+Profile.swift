public import Profiles
public import Redaction

extension ProfileRedaction {
    /// The rules of a profile, with the secrets of the profiles in its chains; nil without any.
    convenience init?(of profile: Profile, in library: ProfileLibrary) {
        var rules = RedactionRules(profile.redaction)
        var kept = profile.redaction.keep
        rules.hide(profile.token, &kept)
        var seen: Set<String> = [profile.name]
        var waiting = Self.profiles(askedBy: profile)
        while let name = waiting.popLast() {
            guard seen.insert(name).inserted, let other = library[name] else { continue }
            let others = RedactionRules(other.redaction)
            let secrets = (others.fields + others.parameters + others.members).map { $0.lowercased() }
            kept.removeAll { secrets.contains($0.lowercased()) }
            rules = rules.merging(others)
            rules.hide(other.token, &kept)
            waiting += Self.profiles(askedBy: other)
        }
        rules.kept = kept
        rules.keepJWTClaims = profile.redaction.jwtClaims ?? false
        guard rules != RedactionRules() else { return nil }
        self.init(rules)
    }

    private static func profiles(askedBy profile: Profile) -> [String] {
        profile.routes.flatMap { route -> [String] in
            guard case .chain(let chain) = route.responder else { return [] }
            return chain.candidates.compactMap { candidate in
                if case .profile(let name) = candidate { name } else { nil }
            }
        }
    }
}

extension ProfileLibrary {
    /// The rules for secrets of each profile that has some, by its name.
    public var redactionRules: [String: RedactionRules] {
        var rules: [String: RedactionRules] = [:]
        for profile in profiles { rules[profile.name] = ProfileRedaction(of: profile, in: self)?.rules }
        return rules
    }
}

extension RedactionRules {
    /// The name under which a token stands in requests is secret everywhere, and so are the members that teach it.
    fileprivate mutating func hide(_ token: TokenSettings?, _ kept: inout [String]) {
        guard let token else { return }
        names.append(token.place.name)
        var secrets = [token.place.name.lowercased()]
        if case .login = token.source {
            members.append(token.path.joined(separator: "."))
            if let last = token.path.last { secrets.append(last.lowercased()) }
        }
        kept.removeAll { pattern in secrets.contains { Self.fits(pattern.lowercased(), $0) } }
    }

    /// Whether a name fits a pattern with `*` at its ends.
    private static func fits(_ pattern: String, _ name: String) -> Bool {
        let text = pattern.drop { $0 == "*" }.reversed().drop { $0 == "*" }.reversed()
        let (begins, ends) = (pattern.hasPrefix("*"), pattern.hasSuffix("*"))
        switch (begins, ends) {
        case (false, false): return pattern == name
        case (true, false): return name.hasSuffix(String(text))
        case (false, true): return name.hasPrefix(String(text))
        case (true, true): return name.contains(String(text))
        }
    }

    /// The secrets alone.
    fileprivate init(_ settings: RedactionSettings) {
        self.init(fields: settings.fields, parameters: settings.parameters, members: settings.json)
    }
}
