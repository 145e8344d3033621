import JSON

/// Refuses trust that verifies nothing, `disabled` above all, wherever it could reach an origin of a production profile.
///
/// That is: any such rule in a production profile; any rule elsewhere that decides for a route, its own or
/// inherited, whose host and port some production profile sends requests to; and any that decides for a route of a
/// profile that a production profile falls back to.
struct ProductionGuard {
    let sources: [ProfileSource]
    /// Each profile with all it extends, itself first.
    let chains: [[ProfileSource]]
    let problems: ProblemList

    private static let remedy = "name the server's CA under \"certificateAuthorities\" instead"

    /// An origin some production profile sends requests to.
    private struct Protected {
        let production: ProfileSource
        let owner: ProfileSource
        let route: RouteSource
        let origin: OriginURL
    }

    func check() {
        for source in sources where source.kind == .production {
            for rule in source.trust where rule.isUnverified {
                source.reporter(problems).report(
                    rule.place, "\(rule.policy.name) for \(rule.pattern) in a production profile",
                    expected: "\"default\"", hint: Self.remedy)
            }
        }
        let protected = protectedRoutes()
        for chain in chains {
            let trust = TrustTable(levels: chain)
            for level in chain {
                for route in level.routes {
                    for url in route.secureOrigins { check(url, of: level, trust, protected) }
                }
            }
        }
        for chain in chains where chain.first?.kind == .production { checkFallbacks(of: chain) }
    }

    private func protectedRoutes() -> [Protected] {
        chains.flatMap { chain -> [Protected] in
            guard let production = chain.first, production.kind == .production else { return [] }
            return chain.flatMap { level in
                level.routes.flatMap { route in
                    route.secureOrigins.map {
                        Protected(production: production, owner: level, route: route, origin: $0)
                    }
                }
            }
        }
    }

    private func check(_ url: OriginURL, of level: ProfileSource, _ trust: TrustTable, _ protected: [Protected]) {
        guard let index = trust.rule(for: url), trust.rules[index].rule.isUnverified else { return }
        let (owner, rule) = trust.rules[index]
        // Reported above already.
        if owner.kind == .production { return }
        // An inherited route is among them by its own address. One report per rule and address is enough to act on.
        guard let reached = protected.first(where: { $0.origin.endpoint == url.endpoint }) else { return }
        let place = "\(reached.owner.file):\(reached.route.place.line):\(reached.route.place.column)"
        owner.reporter(problems).report(
            rule.place,
            "\(rule.policy.name) for \(rule.pattern) reaches \(reached.origin.address(.disabled, expiry: nil)), an origin of the "
                + "production profile \"\(reached.production.name)\" (route \(reached.route.pattern.label), \(place))",
            expected: "\"default\" for it", hint: Self.remedy)
    }

    /// A profile that a production profile falls back to responds for it, by any of its routes.
    private func checkFallbacks(of production: [ProfileSource]) {
        for level in production {
            for (name, place) in level.routes.flatMap(\.askedProfiles) {
                guard let (asked, rule) = unverifiedRule(askedAs: name) else { continue }
                level.reporter(problems).report(
                    place,
                    "the production profile \"\(production[0].name)\" falls back to \"\(name)\", where certificates are "
                        + "not checked for \(rule.pattern) (\(asked.file):\(rule.place.line))",
                    expected: "a profile without \"disabled\"", hint: Self.remedy)
            }
        }
    }

    /// A rule that decides for some route of a profile, or of those that it falls back to.
    private func unverifiedRule(askedAs name: String) -> (ProfileSource, TrustSource)? {
        var names = [name]
        var next = 0
        while next < names.count {
            defer { next += 1 }
            guard let chain = chains.first(where: { $0.first?.name == names[next] }) else { continue }
            let trust = TrustTable(levels: chain)
            for route in chain.flatMap(\.routes) {
                for url in route.secureOrigins {
                    guard let index = trust.rule(for: url), trust.rules[index].rule.isUnverified else { continue }
                    return trust.rules[index]
                }
                names += route.askedProfiles.map(\.name).filter { !names.contains($0) }
            }
        }
        return nil
    }
}
