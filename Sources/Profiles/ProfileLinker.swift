import JSON

/// Puts profiles together with those they extend, and checks what only shows then.
struct ProfileLinker {
    private let drafts: [ProfileDraft]
    private(set) var problems: [ProfileProblem] = []

    init(_ drafts: [ProfileDraft]) { self.drafts = drafts }

    mutating func link() -> [Profile] {
        for draft in drafts { checkTies(draft) }
        return drafts.compactMap { draft in
            guard let chain = chain(of: draft) else { return nil }
            return link(draft, chain)
        }
    }

    /// The profile and all that it extends, nearest first; nil with a problem where that has no end.
    private mutating func chain(of draft: ProfileDraft) -> [ProfileDraft]? {
        var chain = [draft]
        while let (name, position) = chain[chain.count - 1].extends {
            let last = chain[chain.count - 1]
            guard let parent = drafts.first(where: { $0.name == name }) else {
                // Told once, where it is written.
                if chain.count == 1 {
                    let near = nearest(to: name, among: drafts.map(\.name).filter { $0 != draft.name })
                    problems.append(
                        ProfileProblem(
                            last.file, position, "the profile extends \"\(name)\", which does not exist",
                            hint: near.map { "did you mean \"\($0)\"?" }
                                ?? "expected the name of another profile's file"))
                }
                return nil
            }
            if chain.contains(where: { $0.name == name }) {
                if name == draft.name {
                    let circle = (chain.map(\.name) + [name]).joined(separator: " → ")
                    problems.append(
                        ProfileProblem(draft.file, draft.extends?.position, "the profile extends itself: \(circle)"))
                }
                return nil
            }
            chain.append(parent)
        }
        return chain
    }

    private mutating func link(_ draft: ProfileDraft, _ chain: [ProfileDraft]) -> Profile {
        var rules: [TrustRule] = []
        for (level, one) in chain.enumerated() {
            for (host, policy, position) in one.trust {
                rules.append(
                    TrustRule(
                        pattern: host.text, policy: withAuthorities(policy, of: chain[level...]), profile: one.name,
                        kind: one.kind, place: Place(one.file, position), host: host, level: level))
            }
        }
        checkRules(draft)
        var levels: [[Route]] = []
        for one in chain {
            levels.append(
                one.routes.map { pattern, responder, position in
                    var linked = responder
                    if case .origin(let address, let preserveHost) = responder {
                        let rule = Self.rule(for: address.host, rules)
                        let policy =
                            rule?.policy ?? withAuthorities(.default(certificateAuthorities: []), of: chain[...])
                        if address.isTLS, policy == .disabled, let rule {
                            guardProduction(draft, one, pattern, position, rule, address)
                        }
                        linked = .origin(address.trusting(policy), preserveHost: preserveHost)
                    }
                    return Route(
                        label: pattern.label, responder: linked, profile: one.name, kind: one.kind,
                        place: Place(one.file, position), pattern: pattern)
                })
        }
        return Profile(
            name: draft.name, kind: draft.kind, summary: draft.summary, ancestors: chain.dropFirst().map(\.name),
            levels: levels, trust: rules, file: draft.file)
    }

    /// The rule for a host: the nearest profile that has one, and there the most specific.
    static func rule(for host: String, _ rules: [TrustRule]) -> TrustRule? {
        rules.filter { $0.host.matches(host) }
            .min { ($0.level, -$0.host.rank) < ($1.level, -$1.host.rank) }
    }

    /// A profile's own CA files count for all its hosts, and so do those of the profiles that it extends.
    private func withAuthorities(_ policy: TrustPolicy, of chain: ArraySlice<ProfileDraft>) -> TrustPolicy {
        guard case .default(let own) = policy else { return policy }
        var all = own
        for path in chain.flatMap(\.authorities) where !all.contains(path) { all.append(path) }
        return .default(certificateAuthorities: all)
    }

    // MARK: Guards

    private static let advice =
        "if its CA is your own, name it: \"certificateAuthorities\": [\"path/to/ca.pem\"], and keep \"default\""

    /// `disabled` written in a profile of kind production.
    private mutating func checkRules(_ draft: ProfileDraft) {
        guard draft.kind == .production else { return }
        for (host, policy, position) in draft.trust where policy == .disabled {
            problems.append(
                ProfileProblem(
                    draft.file, position,
                    "trust for \(host.text) is disabled in a profile of kind production", hint: Self.advice))
        }
    }

    /// `disabled` that would count for an origin of production, by whichever profile's rule.
    private mutating func guardProduction(
        _ asked: ProfileDraft, _ definer: ProfileDraft, _ pattern: RoutePattern, _ position: JSONPosition,
        _ rule: TrustRule, _ address: OriginAddress
    ) {
        guard asked.kind == .production || definer.kind == .production else { return }
        // What is disabled in production itself was told already.
        if rule.kind == .production { return }
        problems.append(
            ProfileProblem(
                rule.place.file, JSONPosition(offset: 0, line: rule.place.line, column: rule.place.column),
                "trust for \(rule.pattern) is disabled and would count for production's \(address) "
                    + "(route \(pattern.label) at \(Place(definer.file, position)))", hint: Self.advice))
    }

    /// Two routes that a request could match alike.
    private mutating func checkTies(_ draft: ProfileDraft) {
        for (index, route) in draft.routes.enumerated() {
            guard let twin = draft.routes[..<index].first(where: { $0.pattern.ties(with: route.pattern) }) else {
                continue
            }
            problems.append(
                ProfileProblem(
                    draft.file, route.position,
                    "the route \(route.pattern.label) matches the same requests as the one at line \(twin.position.line)",
                    hint: "remove one, or tell them apart by path, method or headers"))
        }
    }
}
