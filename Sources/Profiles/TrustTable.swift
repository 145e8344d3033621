import JSON

/// The trust rules of a profile and of all it extends.
struct TrustTable {
    let rules: [(level: ProfileSource, rule: TrustSource)]
    private let levels: [ProfileSource]
    /// What each level, this profile first, wants trusted for every host.
    private let common: [String]

    init(levels: [ProfileSource]) {
        self.levels = levels
        rules = levels.flatMap { level in level.trust.map { (level, $0) } }
        common = levels.flatMap(\.authorities)
    }

    /// The index of the rule for an origin: of the first level that has any, the most specific.
    func rule(for origin: OriginURL) -> Int? {
        decidingRule(rules.count, host: origin.host, port: origin.port) {
            (rules[$0].rule.pattern, rules[$0].level.file)
        }
    }

    /// A host without a rule gets `default`.
    func policy(_ index: Int?) -> TrustPolicy {
        guard let index else { return withoutRule }
        let policy = rules[index].rule.policy
        let authorities = policy.evaluator == .disabled ? [] : unique(policy.authorities + common)
        return TrustPolicy(policy.evaluator, certificateAuthorities: authorities, connection: policy.connection)
    }

    /// A host without a rule is refused; the nearest level that says so decides.
    var mustEvaluateAll: Bool { levels.lazy.compactMap(\.allHostsMustBeEvaluated).first ?? false }

    /// Where an origin is reached, with the policy that the index of the rule gives it.
    func address(of origin: OriginURL) -> (address: OriginAddress, rule: Int?) {
        guard origin.isTLS else { return (origin.address(.default(certificateAuthorities: []), expiry: nil), nil) }
        let index = rule(for: origin)
        let expiry = index.flatMap { rules[$0].rule.policy.until?.end }
        return (origin.address(policy(index), expiry: expiry), index)
    }

    var withoutRule: TrustPolicy { .default(certificateAuthorities: unique(common)) }

    var listing: [TrustRule] {
        rules.indices.map { at in
            TrustRule(
                hosts: rules[at].rule.pattern, pattern: rules[at].rule.pattern.description, policy: policy(at),
                until: rules[at].rule.policy.until?.description, reason: rules[at].rule.policy.reason,
                profile: rules[at].level.name, file: rules[at].level.file, line: rules[at].rule.place.line)
        }
    }

    private func unique(_ paths: [String]) -> [String] {
        var seen: Set<String> = []
        return paths.filter { seen.insert($0).inserted }
    }
}

/// The index of the rule for an origin: of the first level that has any, the most specific.
private func decidingRule(
    _ count: Int, host: String, port: UInt16, _ rule: (Int) -> (pattern: HostPattern, file: String)
) -> Int? {
    let fitting = (0..<count).filter { rule($0).pattern.covers(host: host, port: port) }
    guard let first = fitting.first else { return nil }
    let level = rule(first).file
    return fitting.filter { rule($0).file == level }.max { rule($0).pattern.rank < rule($1).pattern.rank }
}

extension Profile {
    /// How an https origin is judged, and by which rule; nil for a host that is none.
    public func trust(of origin: NamedHost) -> (host: NamedHost, policy: TrustPolicy, rule: TrustRule?)? {
        guard let host = try? normalizedHost(origin.host) else { return nil }
        let found = decidingRule(trust.count, host: host, port: origin.port ?? 443) {
            (trust[$0].hosts, trust[$0].file)
        }
        let rule = found.map { trust[$0] }
        return (NamedHost(host: host, port: origin.port), rule?.policy ?? trustWithoutRule, rule)
    }
}
