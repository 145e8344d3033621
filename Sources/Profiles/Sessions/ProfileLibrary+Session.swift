import JSON

extension ProfileLibrary {
    /// The routes of a session over a profile, as a profile of the same name, kind and trust rules.
    ///
    /// What it has no route for is the profile's own.
    /// - Parameters:
    ///   - layers: those that were posted last come first.
    ///   - place: what responses name as the writer of the routes.
    ///   - network: what the network of its clients is like; nil leaves it to the profile.
    public func laying(
        _ layers: [SessionRoutes], over base: Profile, as place: String, network: NetworkConditions?
    ) throws(ProfileProblems) -> Profile {
        let problems = ProblemList()
        let reporter = Reporter(file: SessionRoutes.file, problems: problems)
        var (routes, ranges): ([Route], [Range<Int>]) = ([], [])
        for layer in layers {
            let start = routes.count
            routes += layer.sources.map { source in
                Route(
                    source,
                    at: Route.Place(profile: place, kind: base.kind, file: SessionRoutes.file, line: source.place.line),
                    offline: source.isLocal ? nil : source.offline?.settings, client: source.client.settings
                ) { judged($0, in: base, by: source, reporter) }
            }
            for source in layer.sources { check(source, over: base, reporter) }
            ranges.append(start..<routes.count)
        }
        guard problems.all.isEmpty else { throw ProfileProblems(all: problems.sorted) }
        return Profile(
            name: base.name, kind: base.kind, description: nil, file: base.file, levels: [base.name], routes: routes,
            ranges: ranges, trust: base.trust, trustWithoutRule: base.trustWithoutRule, cookieJar: base.cookieJar,
            token: base.token, closesSockets: base.closesSockets, clearOnSwitch: base.clearOnSwitch,
            redaction: base.redaction, allowedHosts: base.allowedHosts, mustEvaluateAll: base.mustEvaluateAll,
            network: network ?? base.network, apps: [])
    }

    /// Where an origin of a session is reached, by the trust rules of its profile.
    private func judged(
        _ url: OriginURL, in base: Profile, by source: RouteSource, _ reporter: Reporter
    ) -> (OriginAddress, rule: Int?) {
        guard url.isTLS else { return (url.address(.default(certificateAuthorities: []), expiry: nil), nil) }
        let index = base.trustIndex.rule(host: url.host, port: url.port)
        let rule = index.map { base.trust[$0] }
        let address = url.address(
            rule?.policy ?? base.trustWithoutRule, expiry: rule?.until.flatMap { CalendarDay($0)?.end })
        if rule == nil, base.mustEvaluateAll {
            reporter.report(
                source.place, "no trust rule is for \(url.host), and \"allHostsMustBeEvaluated\" is true",
                expected: "a rule in \(base.file)")
        }
        if let rule, rule.policy.isUnverified, let use = production.uses(of: address).first {
            reporter.report(
                source.place,
                "certificates are not checked for \(rule.pattern) (\(rule.file):\(rule.line)), and \(use.description)",
                expected: "an origin that is not production's")
        }
        return (address, index)
    }

    /// What the guards of files check, see ``ProductionGuard``, ``FallbackGuard`` and ``PushGuard``.
    private func check(_ source: RouteSource, over base: Profile, _ reporter: Reporter) {
        for (name, place) in source.askedProfiles {
            guard let asked = self[name] else {
                let names = profiles.map(\.name)
                reporter.report(
                    place, "there is no profile \"\(name)\" to ask",
                    expected: "one of \(names.joined(separator: ", "))", hint: didYouMean(name, among: names))
                continue
            }
            guard base.kind == .production, name != base.name, reachesUnverified(asked) else { continue }
            reporter.report(
                place,
                "a session of the production profile \"\(base.name)\" asks \"\(name)\", where certificates are "
                    + "not checked",
                expected: "a profile without \"disabled\"")
        }
        if source.token == true, base.token == nil {
            reporter.report(
                source.place, "\"token\": true in a route, and the profile \"\(base.name)\" has no token",
                expected: "\"token\" in the profile, too")
        }
        guard base.kind != .production else { return }
        let isPush = (source.first as? PushSettings)?.environment == .production
        let hosts = source.candidates.compactMap { if case .origin(let url) = $0 { url.host } else { nil } }
        guard isPush || hosts.contains(where: PushHost.isProduction) else { return }
        reporter.report(
            source.place,
            "the route \(source.pattern.label) leads to the push service of users' devices, in a session of "
                + "\"\(base.name)\", whose kind is \(base.kind.rawValue)",
            expected: "\(PushHost.sandbox), or a profile of the kind production")
    }

    /// Some route of a profile, or of those that it asks, verifies nothing.
    private func reachesUnverified(_ profile: Profile) -> Bool {
        var (names, next) = ([profile.name], 0)
        while next < names.count {
            for route in self[names[next]]?.routes ?? [] {
                if route.isUnverified { return true }
                names += route.candidates.compactMap { candidate in
                    if case .profile(let name) = candidate, !names.contains(name) { name } else { nil }
                }
            }
            next += 1
        }
        return false
    }
}
