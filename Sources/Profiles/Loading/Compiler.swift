import JSON

/// Joins profiles with the ones they extend and with their overrides, and gives each origin its trust policy.
struct Compiler {
    /// One per profile.
    let sources: [ProfileSource]
    /// Their overrides by name, the topmost first.
    let overlays: [ProfileSource]
    let problems: ProblemList

    /// Profiles whose chain of `extends` is broken are left out; the break is reported.
    func compile() -> [Profile] {
        let chains = sources.map { chain(from: $0).map(levels) }
        let compiled = zip(sources, chains).compactMap { source, chain in
            chain.flatMap { levels in profile(source, levels).map { ($0, levels) } }
        }
        ProductionGuard(sources: overlays + sources, chains: chains.compactMap(\.self), problems: problems).check()
        ProgramGuard(sources: overlays + sources, problems: problems).check()
        PushGuard(chains: chains.compactMap(\.self), problems: problems).check()
        FallbackGuard(profiles: compiled, names: sources.map(\.name), problems: problems).check()
        checkClearing(compiled)
        checkApps()
        return compiled.map(\.0)
    }

    /// A jar keeps the logins of each environment, and browsers would forget all of them.
    private func checkClearing(_ profiles: [(profile: Profile, levels: [ProfileSource])]) {
        guard let jar = profiles.first(where: { $0.profile.cookieJar != nil })?.profile.name else { return }
        for (profile, levels) in profiles where profile.clearOnSwitch.contains(.cookies) {
            guard let level = levels.first(where: { $0.client.clearOnSwitch != nil }) else { continue }
            level.reporter(problems).report(
                level.clearingPlace, "\"clearOnSwitch\" has \"cookies\", and \(jar) has a cookie jar",
                expected: "it without \"cookies\"",
                hint: "the jar keeps each environment's logins, and browsers would forget all of them")
        }
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

    /// Each profile of a chain, below its overrides.
    private func levels(_ chain: [ProfileSource]) -> [ProfileSource] { chain.flatMap(levels(of:)) }

    func levels(of source: ProfileSource) -> [ProfileSource] { overlays.filter { $0.name == source.name } + [source] }

    private func profile(_ source: ProfileSource, _ levels: [ProfileSource]) -> Profile? {
        guard let kind = source.kind else { return nil }
        let trust = TrustTable(levels: levels)
        let offline = levels.lazy.compactMap(\.offline).first
        let client = levels.reversed().reduce(ClientSource()) { $1.client.over($0) }
        let contract = levels.lazy.compactMap(\.contract).first
        var routes: [Route] = []
        var ranges: [Range<Int>] = []
        var names: [String] = []
        for level in levels {
            let start = routes.count
            routes += level.routes.map { route($0, of: level, trust, offline, client, contract) }
            ranges.append(start..<routes.count)
            if names.last != level.name { names.append(level.name) }
        }
        let own = levels.filter { $0.name == source.name }
        return Profile(
            name: source.name, kind: kind, description: own.lazy.compactMap(\.description).first, file: source.file,
            levels: names, routes: routes, ranges: ranges, trust: trust.listing,
            trustWithoutRule: trust.withoutRule, cookieJar: jar(source.name, levels),
            token: token(of: kind, trust, levels),
            closesSockets: levels.lazy.compactMap(\.closesSockets).first ?? false,
            clearOnSwitch: client.clearOnSwitch ?? [],
            redaction: levels.reversed().reduce(RedactionSettings()) { $1.redaction.over($0) },
            allowedHosts: levels.flatMap(\.allowedHosts), mustEvaluateAll: trust.mustEvaluateAll,
            network: levels.lazy.compactMap(\.network).first,
            apps: own.lazy.compactMap(\.apps).first?.map(\.name) ?? [])
    }

    /// Reports an origin without a rule where each one needs one.
    private func check(
        _ origin: OriginURL, _ rule: Int?, _ trust: TrustTable, _ place: JSONPosition, _ level: ProfileSource
    ) {
        guard origin.isTLS, rule == nil, trust.mustEvaluateAll else { return }
        level.reporter(problems).report(
            place, "no trust rule is for \(origin.host), and \"allHostsMustBeEvaluated\" is true",
            expected: "a rule like \"trust\": { \"\(origin.host)\": \"default\" }")
    }

    /// The token of the nearest level that says anything about one.
    private func token(of kind: ProfileKind, _ trust: TrustTable, _ levels: [ProfileSource]) -> TokenSettings? {
        guard let level = levels.first(where: { $0.token != nil }), let source = level.token else {
            for level in levels {
                for route in level.routes where route.token == true {
                    level.reporter(problems).report(
                        route.place, "\"token\": true in a route, and the profile \"\(levels[0].name)\" has no token",
                        expected: "\"token\" in the profile, too",
                        hint: "\"token\": false there leaves it to profiles that extend it")
                }
            }
            return nil
        }
        guard case .parts(let parts, _, let place) = source,
            let (settings, rule) = source.settings(of: level.name, trust)
        else { return nil }
        if let endpoint = parts.endpoint { check(endpoint, rule, trust, place, level) }
        guard kind == .production, !settings.isForProduction else { return settings }
        level.reporter(problems).report(
            place, "the token of the production profile \"\(levels[0].name)\" has no rule of its own",
            expected: "\"production\": true in it, or \"token\": false in the profile")
        return nil
    }

    private func jar(_ name: String, _ levels: [ProfileSource]) -> String? {
        switch levels.lazy.compactMap(\.jar).first {
        case nil, CookieJarSource.none?: nil
        case .own?: name
        case .named(let jar)?: jar
        }
    }

    private func route(
        _ route: RouteSource, of level: ProfileSource, _ trust: TrustTable, _ offline: OfflineSource?,
        _ client: ClientSource, _ contract: ContractUse?
    ) -> Route {
        Route(
            route,
            at: Route.Place(
                profile: level.name, kind: level.kind ?? .production, file: level.file, line: route.place.line),
            offline: route.isLocal ? nil : (route.offline ?? offline)?.settings,
            client: route.client.over(client).settings, contract: contract
        ) { url in
            let (address, rule) = trust.address(of: url)
            if !route.isPassthrough { check(url, rule, trust, route.place, level) }
            return (address, rule)
        }
    }
}

extension Route {
    /// - Parameters:
    ///   - contract: that of the profile, where the route says nothing of one.
    ///   - address: where an origin is reached, and the index of the rule that judges it.
    convenience init(
        _ source: RouteSource, at place: Place, offline: OfflineSettings?, client: ClientSettings,
        contract: ContractUse? = nil, address: (OriginURL) -> (OriginAddress, rule: Int?)
    ) {
        var rules: [Int?] = []
        var settings = source.settings
        settings.contractUse = settings.contractUse ?? (settings.isPassthrough ? nil : contract)
        settings.reflected = settings.grpc?.reflection.map { address($0.url).0 }
        let responder: ResponderSettings
        switch source.response {
        case .local(let local):
            responder = .local(local)
            // There is no origin whose names could be rewritten; a recording responds as one.
            if !(local is RecordingSettings) { settings.rewrite = .none }
        case .origin(let url, let preserveHost):
            let (address, rule) = address(url)
            rules = [rule]
            responder = .origin(address, preserveHost: preserveHost)
        case .chain(let sources, let preserveHost, let fallback):
            let candidates = sources.map { candidate in
                switch candidate {
                case .origin(let url):
                    let (address, rule) = address(url)
                    rules.append(rule)
                    return OriginChain.Candidate.origin(address)
                case .profile(let name, _):
                    rules.append(nil)
                    return .profile(name)
                }
            }
            responder = .chain(OriginChain(candidates: candidates, preserveHost: preserveHost, fallback: fallback))
        }
        self.init(settings, responder: responder, at: place, offline: offline, client: client, trustRules: rules)
    }
}
