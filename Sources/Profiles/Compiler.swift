import JSON

/// Joins profiles with what they extend, and gives each origin its trust policy.
struct Compiler {
    let sources: [ProfileSource]
    let problems: ProblemList

    /// Profiles whose chain of `extends` is broken are left out; the break is reported.
    func compile() -> [Profile] {
        let chains = sources.map { chain(from: $0) }
        let profiles = zip(sources, chains).compactMap { source, chain in
            chain.flatMap { profile(source, levels: $0) }
        }
        ProductionGuard(sources: sources, chains: chains.compactMap(\.self), problems: problems).check()
        return profiles
    }

    /// The profile itself and all it extends, or nil after a report.
    private func chain(from source: ProfileSource) -> [ProfileSource]? {
        var chain = [source]
        var last = source
        while let (name, place) = last.extends {
            guard let next = sources.first(where: { $0.name == name }) else {
                let names = sources.map(\.name).filter { $0 != last.name }
                last.reporter(problems).report(
                    place, "there is no profile \"\(name)\" to extend",
                    expected: names.isEmpty ? "a profile beside this one" : "one of \(names.joined(separator: ", "))",
                    hint: didYouMean(name, among: names))
                return nil
            }
            if let start = chain.firstIndex(where: { $0.name == name }) {
                reportCycle(Array(chain[start...]))
                return nil
            }
            chain.append(next)
            last = next
        }
        return chain
    }

    /// Reports a cycle at one profile only, whichever of them was looked at first.
    private func reportCycle(_ cycle: [ProfileSource]) {
        guard let start = cycle.indices.min(by: { cycle[$0].name < cycle[$1].name }) else { return }
        let turned = cycle[start...] + cycle[..<start]
        let names = (turned.map(\.name) + [cycle[start].name]).joined(separator: " -> ")
        cycle[start].reporter(problems).report(
            cycle[start].extends?.place, "profiles extend each other in a circle: \(names)",
            expected: "a last profile that extends none")
    }

    private func profile(_ source: ProfileSource, levels: [ProfileSource]) -> Profile? {
        guard let kind = source.kind else { return nil }
        let trust = TrustTable(levels: levels)
        var routes: [Route] = []
        var ranges: [Range<Int>] = []
        for level in levels {
            let start = routes.count
            routes += level.routes.map { route($0, of: level, trust) }
            ranges.append(start..<routes.count)
        }
        return Profile(
            name: source.name, kind: kind, description: source.description, file: source.file,
            levels: levels.map(\.name), routes: routes, ranges: ranges, trust: trust.listing,
            trustWithoutRule: trust.withoutRule, cookieJar: nil)
    }

    private func route(_ route: RouteSource, of level: ProfileSource, _ trust: TrustTable) -> Route {
        var rule: Int?
        let responder: Responder
        switch route.answer {
        case .mock(let mock): responder = .mock(mock)
        case .origin(let url, let preserveHost):
            rule = url.isTLS ? trust.rule(for: url) : nil
            responder = .origin(
                url.address(url.isTLS ? trust.policy(rule) : .default(certificateAuthorities: [])),
                preserveHost: preserveHost)
        }
        return Route(
            label: route.pattern.label, responder: responder, profile: level.name, kind: level.kind ?? .production,
            file: level.file, line: route.place.line, rewrite: RewriteSettings(), cors: nil, guards: GuardSettings(),
            pattern: route.pattern, trustRule: rule)
    }
}
