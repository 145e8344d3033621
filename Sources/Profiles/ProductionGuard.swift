import JSON

/// Refuses `disabled` trust wherever it could reach an origin of a production profile.
///
/// That is: any such rule in a production profile; and any rule elsewhere that decides for a route, its own or
/// inherited, whose host and port some production profile sends requests to.
struct ProductionGuard {
    let sources: [ProfileSource]
    /// Each profile with all it extends, itself first.
    let chains: [[ProfileSource]]
    let problems: ProblemList

    private static let remedy = "name the server's CA under \"certificateAuthorities\" instead"

    /// A route some production profile answers by.
    private struct Protected {
        let production: ProfileSource
        let owner: ProfileSource
        let route: RouteSource
        let origin: OriginURL
    }

    func check() {
        for source in sources where source.kind == .production {
            for rule in source.trust where rule.isDisabled {
                source.reporter(problems).report(
                    rule.place, "the policy \"disabled\" for \(rule.pattern) in a production profile",
                    expected: "\"default\"", hint: Self.remedy)
            }
        }
        let protected = protectedRoutes()
        for chain in chains {
            let trust = TrustTable(levels: chain)
            for level in chain {
                for route in level.routes { check(route, of: level, trust, protected) }
            }
        }
    }

    private func protectedRoutes() -> [Protected] {
        chains.flatMap { chain -> [Protected] in
            guard let production = chain.first, production.kind == .production else { return [] }
            return chain.flatMap { level in
                level.routes.compactMap { route in
                    guard case .origin(let url, _) = route.answer, url.isTLS else { return nil }
                    return Protected(production: production, owner: level, route: route, origin: url)
                }
            }
        }
    }

    private func check(
        _ route: RouteSource, of level: ProfileSource, _ trust: TrustTable, _ protected: [Protected]
    ) {
        guard case .origin(let url, _) = route.answer, url.isTLS, let index = trust.rule(for: url),
            trust.rules[index].rule.isDisabled
        else { return }
        let (owner, rule) = trust.rules[index]
        // Reported above already.
        if owner.kind == .production { return }
        // An inherited route is among them by its own address. One report per rule and address is enough to act on.
        guard let reached = protected.first(where: { $0.origin.host == url.host && $0.origin.port == url.port }) else {
            return
        }
        let place = "\(reached.owner.file):\(reached.route.place.line):\(reached.route.place.column)"
        owner.reporter(problems).report(
            rule.place,
            "the policy \"disabled\" for \(rule.pattern) reaches \(reached.origin.address(.disabled)), an origin of the "
                + "production profile \"\(reached.production.name)\" (route \(reached.route.pattern.label), \(place))",
            expected: "\"default\" for it", hint: Self.remedy)
    }
}
