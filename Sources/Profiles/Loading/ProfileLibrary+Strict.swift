extension ProfileLibrary {
    /// Every exception as a problem, for `--strict`.
    ///
    /// That is: trust that is disabled, `allow` where production responds, origins that another profile shares with
    /// production, and personal overrides.
    public var strictProblems: [ProfileProblem] {
        let problems = ProblemList()
        for rule in exceptions {
            report(rule.file, rule.line, "certificates are not checked for \(rule.pattern)", problems)
        }
        for profile in profiles {
            for route in profile.routes where isGuarded(route, in: profile) && !route.guards.allowed.isEmpty {
                let what = route.guards.allowed.joined(separator: ", ")
                report(route.file, route.line, "the route \(route.label) lets \(what) through to production", problems)
            }
        }
        for shared in sharedOrigins { report(shared.route.file, shared.route.line, shared.description, problems) }
        for override in overrides { report(override.file, 1, "this is a personal override", problems) }
        return problems.sorted
    }

    private func isGuarded(_ route: Route, in profile: Profile) -> Bool {
        profile.guardedName(of: route) != nil || route.responder.addresses.contains { !production.uses(of: $0).isEmpty }
    }

    private func report(_ file: String, _ line: Int, _ message: String, _ problems: ProblemList) {
        problems.add(
            ProfileProblem(
                file: file, line: line, column: 0, message: message, expected: "no exception (--strict)", hint: nil))
    }
}

extension GuardSettings {
    /// The exceptions, as under `allow`.
    public var allowed: [String] { methods + (webSocket ? ["websocket"] : []) + (grpc ? ["grpc"] : []) }
}

extension Profile {
    /// The production profile whose guard a route of this profile is under; nil when nothing of production responds.
    ///
    /// The name of the profile to unlock: this profile's if it is production's, else that of the one that wrote the
    /// route.
    public func guardedName(of route: Route) -> String? {
        if case .local = route.responder { return nil }
        if kind == .production { return name }
        return route.kind == .production ? route.profile : nil
    }
}
