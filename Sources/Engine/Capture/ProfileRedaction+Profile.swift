import Profiles
import Redaction

extension ProfileRedaction {
    /// The rules of a profile, with the secrets of the profiles in its chains; nil without any.
    convenience init?(of profile: Profile, in library: ProfileLibrary) {
        var rules = RedactionRules(profile.redaction)
        var kept = profile.redaction.keep
        var seen: Set<String> = [profile.name]
        var waiting = Self.profiles(askedBy: profile)
        while let name = waiting.popLast() {
            guard seen.insert(name).inserted, let other = library[name] else { continue }
            let others = RedactionRules(other.redaction)
            let secrets = (others.fields + others.parameters + others.members).map { $0.lowercased() }
            kept.removeAll { secrets.contains($0.lowercased()) }
            rules = rules.merging(others)
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

extension RedactionRules {
    /// The secrets alone.
    fileprivate init(_ settings: RedactionSettings) {
        self.init(fields: settings.fields, parameters: settings.parameters, members: settings.json)
    }
}
