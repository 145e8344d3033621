import JSON

/// The trust rules of a profile and of all it extends.
struct TrustTable {
    let rules: [(level: ProfileSource, rule: TrustSource)]
    private let index: TrustIndex
    private let levels: [ProfileSource]
    /// What each level, this profile first, wants trusted for every host.
    private let common: [String]

    init(levels: [ProfileSource]) {
        self.levels = levels
        rules = levels.flatMap { level in level.trust.map { (level, $0) } }
        index = TrustIndex(rules.map { ($0.rule.pattern, $0.level.file) })
        common = levels.flatMap(\.authorities)
    }

    /// The index of the rule for an origin: of the first level that has any, the most specific.
    func rule(for origin: OriginURL) -> Int? { index.rule(host: origin.host, port: origin.port) }

    /// A host without a rule gets `default`.
    func policy(_ index: Int?) -> TrustPolicy {
        guard let index else { return withoutRule }
        let policy = rules[index].rule.policy
        let own = policy.evaluator == .disabled ? [] : unique(policy.authorities)
        let authorities = policy.evaluator == .disabled ? [] : unique(own + common)
        return TrustPolicy(
            policy.evaluator, certificateAuthorities: authorities, ownAuthorities: own.count,
            connection: policy.connection)
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

/// Finds the rule for an origin: of the first level that has any, the most specific.
struct TrustIndex: Sendable {
    private let rules: [(pattern: HostPattern, file: String)]
    /// Indices of the rules that name a host or a domain.
    private var named: [HostPattern.Scope: [Int]] = [:]
    /// Those of the others, which are few.
    private var wide: [Int] = []

    init(_ rules: [(pattern: HostPattern, file: String)]) {
        self.rules = rules
        for (index, rule) in rules.enumerated() {
            switch rule.pattern.scope {
            case .exact, .below: named[rule.pattern.scope, default: []].append(index)
            case .loopback, .network, .any: wide.append(index)
            }
        }
    }

    func rule(host: String, port: UInt16) -> Int? {
        if rules.isEmpty { return nil }
        let fitting = (HostPattern.covering(host: host).flatMap { named[$0] ?? [] } + wide).sorted()
            .filter { rules[$0].pattern.covers(host: host, port: port) }
        guard let first = fitting.first else { return nil }
        let level = rules[first].file
        return fitting.filter { rules[$0].file == level }.max { rules[$0].pattern.rank < rules[$1].pattern.rank }
    }
}

extension Profile {
    /// How an https origin is judged, and by which rule; nil for a host that is none.
    public func trust(of origin: NamedHost) -> (host: NamedHost, policy: TrustPolicy, rule: TrustRule?)? {
        guard let host = try? normalizedHost(origin.host) else { return nil }
        let rule = trustIndex.rule(host: host, port: origin.port ?? 443).map { trust[$0] }
        return (NamedHost(host: host, port: origin.port), rule?.policy ?? trustWithoutRule, rule)
    }
}
